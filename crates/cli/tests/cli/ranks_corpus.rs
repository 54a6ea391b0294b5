//! The corpus over several ranks, through the program: counts and verdicts are those of one process and of the tables, with 1 to 4
//! ranks and with every distributed algorithm.
//!
//! `KRIPKE_RANKS_MAX_STATES` says how large models may be, `KRIPKE_RANKS_MAX_PRODUCT` how large products with a property may be (or their
//! models, where the product is not known), `KRIPKE_RANKS_EVERY` takes one of so many models, and `KRIPKE_RANKS_PATIENCE` gives the
//! algorithms that may be slow so many seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};
use serde_json::Value;

/// The algorithms that decide every product of the corpus in the time, and those that may not.
const LINEAR: [&str; 5] = ["owcty", "owcty-reversed", "map", "ncd", "pd-ndfs"];
const SLOW: [&str; 3] = ["token-ndfs", "ble", "deps"];
const SECONDS: u64 = 60;

fn said(file: &Path, args: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(file).args(args).args(["--format", "json", "--no-trail", "-q", "--mem", "3G"]);
    let output = command.output().expect("the program can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let told = || format!("{}, {args:?}: {text}{}", file.display(), String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).map_err(|error| format!("{error}: {}", told()))
}

fn some<T>(all: Vec<T>, every: usize) -> Vec<T> {
    all.into_iter().step_by(places::setting("KRIPKE_RANKS_EVERY", every).max(1)).collect()
}

/// The DVE models with a known number of states, and this number.
fn dve_sizes(corpus: &Path) -> BTreeMap<String, u64> {
    let [beem, others] =
        ["expected-beem.tsv", "expected-ltsmin-divine.tsv"].map(|t| Table::read(&corpus.join("dve").join(t)));
    let size = |row: Row<'_>| Some((row.get("path").to_string(), row.count("states")?));
    let complete = beem.rows().filter(|row| row.get("completeness") == "complete").filter_map(size);
    complete.chain(others.rows().filter_map(size)).collect()
}

/// Models with a known number of states, up to the limit.
fn models(corpus: &Path) -> Vec<PathBuf> {
    let most = places::setting("KRIPKE_RANKS_MAX_STATES", 2_000);
    let promela = Table::read(&corpus.join("promela/expected-spin.tsv"));
    let is_raw = |row: &Row<'_>| row.get("mode") == "raw" && row.get("status") == "complete";
    let is_small = |row: &Row<'_>| row.count("states_stored").is_some_and(|states| states <= most);
    let rows = promela.rows().filter(|row| is_raw(row) && is_small(row));
    let promela: BTreeSet<PathBuf> = rows.map(|row| corpus.join("promela").join(row.get("path"))).collect();
    let dve = dve_sizes(corpus).into_iter().filter(|(_, states)| *states <= most);
    promela.into_iter().chain(dve.map(|(path, _)| corpus.join("dve").join(path))).collect()
}

fn compare_counts(file: &Path) -> Result<(), String> {
    let keys = ["verdict", "complete", "states", "transitions", "depth", "errors", "reason"];
    let result = |json: &Value| keys.iter().map(|key| json[key].clone()).collect::<Vec<_>>();
    let raw = ["--raw", "--property=safety", "--all-errors", "--search=bfs", "-j1"];
    let plain = result(&said(file, &raw)?);
    for ranks in ["1", "2", "3", "4"] {
        let ours = result(&said(file, &[&raw[..], &["--ranks", ranks]].concat())?);
        if plain != ours {
            return Err(format!("{}, {ranks} ranks: {plain:?} and {ours:?}", file.display()));
        }
    }
    Ok(())
}

#[test]
fn models_of_the_corpus_have_the_counts_of_one_process() {
    let Some(corpus) = places::corpus() else { return };
    let models = some(models(&corpus), 5);
    let results = parallel::map(&models, |file| compare_counts(file));
    let wrong: Vec<String> = results.into_iter().filter_map(|result| result.and_then(|r| r).err()).collect();
    places::notice(&format!("{} models with 1 to 4 ranks", models.len()));
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), models.len(), wrong.join("\n"));
    assert!(models.len() > 30, "only {} models", models.len());
}

/// A question about cycles, and the answer of the table.
struct Case {
    file: PathBuf,
    args: Vec<String>,
    violated: bool,
}

/// The questions that SPIN has answered. Fairness is none for these algorithms.
fn promela(corpus: &Path, most: u64) -> Vec<Case> {
    let table = Table::read(&corpus.join("promela/expected-spin.tsv"));
    let case = |row: Row<'_>| {
        let (mode, verdict) = (row.get("mode"), row.get("verdict"));
        let (kind, name) = mode.trim_end_matches(']').split_once('[').unwrap_or((mode, ""));
        let args = match (kind, name) {
            ("np", _) => vec!["--non-progress", "--no-end-states"],
            ("accept", "") => vec!["--acceptance"],
            ("accept", name) => vec!["--property", name],
            _ => return None,
        };
        let is_small = row.get("status") == "complete" && row.count("states_stored")? <= most;
        (is_small && verdict != "-").then(|| Case {
            file: corpus.join("promela").join(row.get("path")),
            args: args.into_iter().map(String::from).collect(),
            violated: verdict != "ok",
        })
    };
    table.rows().filter_map(case).collect()
}

/// The questions that DiVinE has answered.
fn dve(corpus: &Path, most: u64) -> Vec<Case> {
    let table = Table::read(&corpus.join("dve/expected-ltl-ltsmin-divine.tsv"));
    let case = |row: Row<'_>| {
        let is_small = row.count("product_states_divine_metrics")? <= most;
        let violated = match row.get("divine2_owcty") {
            "HOLDS" => false,
            "VIOLATED" => true,
            _ => return None,
        };
        is_small.then(|| Case { file: corpus.join("dve").join(row.get("path")), args: Vec::new(), violated })
    };
    table.rows().filter_map(case).collect()
}

/// The questions that BEEM answers, about models up to a size. DiVinE's answers about products come first.
fn beem(corpus: &Path, most: u64) -> Vec<Case> {
    let sizes = dve_sizes(corpus);
    let table = Table::read(&corpus.join("dve/expected-beem-properties.tsv"));
    let case = |row: Row<'_>| {
        let violated = match (row.get("kind"), row.get("answer")) {
            ("LTL", "yes") => false,
            ("LTL", "no") => true,
            _ => return None,
        };
        let is_small = *sizes.get(row.get("path"))? <= most && row.get("property_dve") != "-";
        is_small.then(|| Case { file: corpus.join("dve").join(row.get("property_dve")), args: Vec::new(), violated })
    };
    table.rows().filter_map(case).collect()
}

/// All questions about products up to a size, each once.
fn questions(corpus: &Path) -> Vec<Case> {
    let most = places::setting("KRIPKE_RANKS_MAX_PRODUCT", 1_000);
    let mut known = BTreeSet::new();
    let all = [promela(corpus, most), dve(corpus, most), beem(corpus, most)].into_iter().flatten();
    all.filter(|case| known.insert((case.file.clone(), case.args.clone()))).collect()
}

/// Asks with an algorithm. Returns whether there was an answer in time.
fn ask(case: &Case, (algorithm, ranks): (&str, &str)) -> Result<bool, String> {
    let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
    let is_slow = SLOW.contains(&algorithm);
    let seconds = if is_slow { places::setting("KRIPKE_RANKS_PATIENCE", SECONDS) } else { SECONDS };
    let how = ["--ranks", ranks, "--cycles", algorithm, "-j1", "--timeout", &format!("{seconds}s")];
    // Three ranks search with all reductions.
    let raw: &[&str] = if ranks == "3" { &[] } else { &["--raw"] };
    let json = said(&case.file, &[&args[..], &how, raw].concat())?;
    let expected = if case.violated { "violated" } else { "holds" };
    match json["verdict"].as_str() {
        Some(verdict) if verdict == expected => Ok(true),
        Some("inconclusive") if json["reason"] == "timeout" && is_slow => Ok(false),
        _ => Err(format!("{} {args:?}, {algorithm}, {ranks} ranks: {json} instead of {expected}", case.file.display())),
    }
}

#[test]
fn properties_of_the_corpus_have_the_verdicts_of_the_tables() {
    let Some(corpus) = places::corpus() else { return };
    let cases = some(questions(&corpus), 2);
    let results = parallel::map(&cases, |case| {
        let mut late = Vec::new();
        for (number, algorithm) in LINEAR.into_iter().chain(SLOW).enumerate() {
            let ranks = ["2", "3", "4"][number % 3];
            if !ask(case, (algorithm, ranks))? {
                late.push(algorithm);
            }
        }
        Ok::<_, String>(late)
    });
    let (mut wrong, mut late) = (Vec::new(), Vec::new());
    for result in results {
        match result.and_then(|result| result) {
            Ok(more) => late.extend(more),
            Err(why) => wrong.push(why),
        }
    }
    let number = |algorithm: &str| late.iter().filter(|other| **other == algorithm).count();
    let late = SLOW.map(|algorithm| format!("{algorithm} {}", number(algorithm))).join(", ");
    let violated = cases.iter().filter(|case| case.violated).count();
    places::notice(&format!("{} properties, {violated} violated; not decided in time: {late}", cases.len()));
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(violated > 2 && cases.len() > violated + 2, "{} properties, {violated} violated", cases.len());
}
