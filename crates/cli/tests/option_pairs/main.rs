//! Every pair of options of `kripke check` on small models with known answers: the answer is right, or the program
//! refuses with a reason (exit status 2), or it is inconclusive with a reason (3) where an option limits the search or
//! may miss states. Never a wrong answer, an internal error, a panic or a hang.
//!
//! The options are those that `kripke check --help` lists: one that `table.rs` does not know fails the test. Each pair is
//! tried on a few of the models, chosen by its place in the table, once as it is and once with a question beside it;
//! with `KRIPKE_OPTION_PAIRS=all` on all models, with all questions.

mod judge;
mod models;
mod run;
mod table;

use std::collections::BTreeSet;

use models::MODELS;
use table::{Setting, settings};

/// The options that the help lists, by their long names where they have one.
fn listed() -> BTreeSet<String> {
    let output = run::program(&["check", "--help"]);
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = |line: &str| {
        let option = line.trim_start().split("  ").next().unwrap_or_default();
        let words = option.split([' ', ',', '=', '[', '<']).filter(|w| w.starts_with('-'));
        words.max_by_key(|word| word.len()).map(str::to_string)
    };
    // Descriptions are indented further.
    let names = |line: &&str| {
        let indent = line.len() - line.trim_start().len();
        (2..=6).contains(&indent) && line[indent..].starts_with("-")
    };
    help.lines().filter(names).filter_map(name).collect()
}

/// The option that asks for no answer, and the one that changes the meaning of a send: models that wait for room in a channel have other
/// answers with it. `cli/spin_mode.rs` tests it.
const OTHER: [&str; 3] = ["--help", "--parse-only", "--lossy-send"];

/// A value with a long name would leave no room for the descriptions of all options.
#[test]
fn the_help_is_readable() {
    let output = run::program(&["check", "--help"]);
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(wide.is_empty() && help.lines().count() < 300, "{} lines, {wide:#?}", help.lines().count());
}

#[test]
fn every_option_has_a_value_here() {
    let known: BTreeSet<String> = settings().iter().map(|s| s.option.to_string()).collect();
    let listed: BTreeSet<String> = listed().into_iter().filter(|option| !OTHER.contains(&option.as_str())).collect();
    assert!(listed.len() > 40, "the help is read: {listed:?}");
    assert_eq!(listed, known, "options of `kripke check --help` and of table.rs");
}

/// All pairs of settings of different options, each setting alone, and nothing at all.
fn pairs() -> Vec<Vec<Setting>> {
    let settings = settings();
    let mut out = vec![Vec::new()];
    for (n, first) in settings.iter().enumerate() {
        out.push(vec![first.clone()]);
        let others = settings[n + 1..].iter().filter(|second| second.option != first.option);
        out.extend(others.map(|second| vec![first.clone(), second.clone()]));
    }
    out
}

/// The questions that go beside a pair that asks none.
const QUESTIONS: [&[&str]; 7] = [
    &["--ltl={ltl}"],
    &["-a"],
    &["-l"],
    &["--ctl={ctl}"],
    &["--reach={reach}"],
    &["--ltl={ltl}", "-f"],
    &["-a", "-l", "--safety"],
];

#[test]
fn pairs_of_options_give_right_answers() {
    let everything = std::env::var("KRIPKE_OPTION_PAIRS").is_ok_and(|text| text == "all");
    let mut runs = Vec::new();
    for (n, pair) in pairs().into_iter().enumerate() {
        let asks = pair.iter().any(|setting| setting.asks);
        let chosen = |m: usize| everything || m == n % MODELS.len() || m == (n * 7 + 3) % MODELS.len();
        for m in (0..MODELS.len()).filter(|m| chosen(*m)) {
            let first = everything || m == n % MODELS.len();
            if first || asks {
                runs.push(run::Run { model: &MODELS[m], settings: pair.clone(), question: &[] });
            }
            let turn = (n / MODELS.len() + m) % QUESTIONS.len();
            let asked = QUESTIONS.iter().enumerate().filter(|(q, _)| everything || *q == turn);
            if !asks && (everything || !first) {
                runs.extend(asked.map(|(_, question)| run::Run {
                    model: &MODELS[m],
                    settings: pair.clone(),
                    question,
                }));
            }
        }
    }
    run::all(&runs);
}
