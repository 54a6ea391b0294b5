//! Never claims: as many states of model and claim together as SPIN has.
//!
//! `KRIPKE_RANDOM_CLAIMS` says how many random claims are compared, `KRIPKE_RANDOM_SEED` where to begin.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kripke_tests::generate::{Program, program, shrink, with_claim};
use kripke_tests::measure::{Bounds, Measured, count_with_claim};
use kripke_tests::spin::{self, Said};
use kripke_tests::table::Table;
use kripke_tests::{parallel, places};

const BOUNDS: Bounds = Bounds { states: 2_000_000, seconds: 300 };

/// What is wrong with the count for a model, if anything.
fn difference(path: &Path, states: u64) -> Option<String> {
    match count_with_claim(path, BOUNDS) {
        Measured::Counted(counts) if counts.states == states => None,
        measured => Some(format!("{}: {states} states, but we say {measured}", path.display())),
    }
}

/// The models with a claim among those of a table, and how many states SPIN stores for both together.
fn claimed(models: &Path) -> Vec<(String, u64)> {
    let table = Table::read(&models.join("expected-spin.tsv"));
    let checked = table.rows().filter(|row| row.get("mode") == "accept" && row.get("status") == "complete");
    let has_claim = |path: &str| {
        let text = fs::read(models.join(path)).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().any(|line| line.trim_start().starts_with("never"))
    };
    let counted = checked.filter_map(|row| Some((row.get("path").to_string(), row.count("states_stored")?)));
    counted.filter(|(path, _)| has_claim(path)).collect()
}

#[test]
fn the_corpus_has_as_many_states_as_in_spin() {
    let Some(corpus) = places::corpus() else {
        places::notice("there is no corpus beside the checkout: no claims are compared");
        return;
    };
    let models = corpus.join("promela");
    let cases = claimed(&models);
    assert!(!cases.is_empty(), "no claims found");
    let results = parallel::map(&cases, |(path, states)| difference(&models.join(path), *states));
    let excepted = exceptions();
    let mut wrong = Vec::new();
    for ((path, _), result) in cases.iter().zip(results) {
        match result.unwrap_or_else(Some) {
            Some(how) if !excepted.contains(path) => wrong.push(how),
            None if excepted.contains(path) => wrong.push(format!("{path}: an exception, but it agrees")),
            _ => {}
        }
    }
    places::notice(&format!("{} claims of the corpus compared", cases.len()));
    assert!(wrong.is_empty(), "{} of {} claims differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

fn exceptions() -> BTreeSet<String> {
    let table = Table::read(&places::root().join("tests/claims-exceptions.tsv"));
    table.rows().map(|row| row.get("path").to_string()).collect()
}

/// SPIN's `_nr_pr` counts the claim, too.
fn text(program: &Program) -> String {
    program.text().replace("_nr_pr", "a")
}

/// What the two say, where they differ; and whether they could be compared at all.
fn compare(program: &Program, folder: &Path) -> (Option<String>, bool) {
    let text = text(program);
    if !text.contains("never") || !text.contains("helper") {
        return (None, false);
    }
    let said = spin::verify(&text, folder);
    let measured = count_with_claim(&folder.join("model.pml"), Bounds { states: 500_000, seconds: 20 });
    let agree = match (&said, &measured) {
        (Said::GaveUp | Said::Rejected | Said::Fault, _) | (_, Measured::Stopped(_)) => return (None, false),
        // How often an error is counted is another matter.
        (Said::Counted { states, errors, .. }, Measured::Counted(counts)) => {
            *states == counts.states && (*errors == 0) == (counts.errors() == 0)
        }
        _ => false,
    };
    ((!agree).then(|| format!("SPIN: {said:?}\nKripke: {measured}")), true)
}

fn folder(seed: u64) -> PathBuf {
    std::env::temp_dir().join(format!("kripke-claim-{}-{seed}", std::process::id()))
}

#[test]
fn random_claims_behave_as_in_spin() {
    if !spin::installed() {
        places::notice("SPIN or gcc is not installed: no random claims are compared");
        return;
    }
    let count: u64 = places::setting("KRIPKE_RANDOM_CLAIMS", 30);
    let first: u64 = places::setting("KRIPKE_RANDOM_SEED", 1);
    let seeds: Vec<u64> = (first..first + count).collect();
    let results = parallel::map(&seeds, |seed| {
        let (folder, made) = (folder(*seed), with_claim(program(*seed), *seed));
        let (difference, compared) = compare(&made, &folder);
        let report = difference.map(|_| {
            let small = shrink(made, |p| compare(p, &folder).0.is_some());
            let how = compare(&small, &folder).0.unwrap_or_default();
            format!("seed {seed}, made smaller:\n{}{how}\n", text(&small))
        });
        // What is left over does no harm.
        let _ = fs::remove_dir_all(&folder);
        (report, compared)
    });
    let compared = results.iter().filter(|r| r.as_ref().is_ok_and(|(_, compared)| *compared)).count();
    places::notice(&format!("{compared} of {count} random claims compared with SPIN"));
    let wrong: Vec<_> = results.into_iter().filter_map(|r| r.map_or_else(Some, |(report, _)| report)).collect();
    assert!(wrong.is_empty(), "{} claims differ:\n\n{}", wrong.len(), wrong.join("\n"));
}
