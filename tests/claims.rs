//! Never claims: as many states of model and claim together as SPIN has.
//!
//! `KRIPKE_RANDOM_CLAIMS` says how many random claims are compared, `KRIPKE_RANDOM_SEED` where to begin.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kripke_tests::generate::{Program, program, shrink, with_claim};
use kripke_tests::measure::{Bounds, Measured, count_with_claim};
use kripke_tests::spin::{self, Said};
use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};

const BOUNDS: Bounds = Bounds { states: 2_000_000, seconds: 300 };

/// A model with a claim, and what SPIN says about it.
struct Case {
    name: String,
    path: PathBuf,
    states: u64,
    /// Whether there are errors, where that is known.
    wrong: Option<bool>,
}

/// What is different from what SPIN says or, for an exception, from what is said there.
fn difference(case: &Case, exceptions: &BTreeMap<String, u64>) -> Option<String> {
    let excepted = exceptions.get(&case.name);
    let states = *excepted.unwrap_or(&case.states);
    if excepted == Some(&case.states) {
        return Some(format!("{}: an exception that is none", case.name));
    }
    match count_with_claim(&case.path, BOUNDS) {
        Measured::Counted(counts)
            if counts.states == states
                && (excepted.is_some() || case.wrong.is_none_or(|wrong| wrong == (counts.errors() > 0))) =>
        {
            None
        }
        measured => Some(format!("{}: expected {states} states, got {measured}", case.name)),
    }
}

fn agree(cases: &[Case]) {
    let table = Table::read(&places::root().join("tests/claims-exceptions.tsv"));
    let count = |row: Row<'_>| (row.get("model").to_string(), row.count("states").expect("a number"));
    let exceptions: BTreeMap<_, _> = table.rows().map(count).collect();
    let results = parallel::map(cases, |case| difference(case, &exceptions));
    let wrong: Vec<_> = results.into_iter().filter_map(|result| result.unwrap_or_else(Some)).collect();
    assert!(wrong.is_empty(), "{} of {} claims differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn our_own_claims_have_as_many_states_as_in_spin() {
    let folder = places::root().join("tests/claims");
    let table = Table::read(&folder.join("expected.tsv"));
    let case = |row: Row<'_>| {
        let (name, wrong) = (row.get("model").to_string(), Some(row.get("errors") == "yes"));
        Case { path: folder.join(&name), states: row.count("states").expect("a number"), name, wrong }
    };
    agree(&table.rows().map(case).collect::<Vec<_>>());
}

/// The models of the corpus with a claim.
fn claimed(models: &Path) -> Vec<Case> {
    let table = Table::read(&models.join("expected-spin.tsv"));
    let checked = table.rows().filter(|row| row.get("mode") == "accept" && row.get("status") == "complete");
    let has_claim = |case: &Case| {
        let text = fs::read(&case.path).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().any(|line| line.trim_start().starts_with("never"))
    };
    let case = |row: Row<'_>| {
        let name = row.get("path").to_string();
        Some(Case { path: models.join(&name), name, states: row.count("states_stored")?, wrong: None })
    };
    checked.filter_map(case).filter(has_claim).collect()
}

#[test]
fn claims_of_the_corpus_have_as_many_states_as_in_spin() {
    let Some(corpus) = places::corpus() else { return };
    let cases = claimed(&corpus.join("promela"));
    assert!(!cases.is_empty(), "no claims found");
    places::notice(&format!("{} claims of the corpus are compared", cases.len()));
    agree(&cases);
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
