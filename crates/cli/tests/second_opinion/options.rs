//! Random options: how to search, none of which may change an answer.

use kripke_tests::opinion::random::Random;
use kripke_tests::opinion::system::Language;

pub fn random(random: &mut Random, language: Language) -> Vec<&'static str> {
    let mut out = Vec::new();
    out.extend(random.percent(40).then_some("--engine interpret"));
    out.extend(match random.below(8) {
        0 | 1 => Some("--store tree"),
        2 | 3 => Some("--store exact"),
        4 => Some("--store words"),
        _ => None,
    });
    out.push(random.pick(&["--search bfs", "--search bfs", "--search dfs"]));
    out.extend(match random.below(7) {
        0 => Some("--cycles scc"),
        1 | 2 => Some("--cycles nested"),
        3 => Some("--cycles cndfs"),
        4 => Some("--cycles ufscc"),
        _ => None,
    });
    out.push(random.pick(&["-j 1", "-j 2", "-j 3"]));
    if random.percent(30) {
        out.push("--raw");
    } else {
        let switches = ["--no-partial-order", "--no-coarsening", "--no-dead-variables", "--no-slicing"];
        out.extend(switches.into_iter().filter(|_| random.percent(25)));
        let reduces = !out.contains(&"--no-partial-order");
        out.extend((random.percent(20) && reduces).then_some("--audit=1"));
    }
    out.extend(random.percent(20).then_some("--compact"));
    out.extend(random.percent(20).then_some("--all-errors"));
    out.extend((language == Language::Promela && random.percent(30)).then_some("--symmetry"));
    out
}

/// Options of a plain check, for which there are more stores.
pub fn plain(random: &mut Random, language: Language) -> Vec<&'static str> {
    let mut out = self::random(random, language);
    if random.percent(20) {
        out.retain(|o| !o.starts_with("--store") && !o.starts_with("--search"));
        out.push("--store cache");
    }
    if random.percent(40) && !out.contains(&"--all-errors") {
        out.push("--all-errors");
    }
    out
}
