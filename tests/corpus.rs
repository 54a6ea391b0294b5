//! The conformance corpus, where it is beside the checkout: SPIN's counts, exactly.
//!
//! `KRIPKE_CORPUS_MAX_STATES` says how large the models may be; larger ones are left to a longer run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kripke_tests::measure::{Bounds, Measured, count_all, find_first};
use kripke_tests::table::{Row, Table};
use kripke_tests::{parallel, places};

/// What SPIN found in one model.
#[derive(Clone, Default, Debug)]
struct Expected {
    /// States, edges, errors of an unreduced search.
    raw: Option<[u64; 3]>,
    /// Whether SPIN, as people run it, found no error.
    fine: Option<bool>,
    rejected: bool,
}

/// What came of a model.
#[derive(Debug)]
enum Fate {
    Agrees,
    Differs(String),
    TooLarge,
}

/// How many states are visited only to learn whether there is an error.
const MAX_FOR_VERDICT: u64 = 1_000_000;

fn max_states() -> u64 {
    places::setting("KRIPKE_CORPUS_MAX_STATES", 100_000)
}

fn expectations(table: &Table) -> BTreeMap<String, Expected> {
    let mut all = BTreeMap::<String, Expected>::new();
    for row in table.rows() {
        let complete = row.get("status") == "complete";
        let expected = all.entry(row.get("path").to_string()).or_default();
        match row.get("mode") {
            "raw" if complete => expected.raw = Some(raw_counts(&row)),
            "raw" if row.get("status") == "spin-error" => expected.rejected = true,
            "default" if complete => expected.fine = Some(row.get("verdict") == "ok"),
            _ => {}
        }
    }
    all
}

/// SPIN counts the initial state as a transition.
fn raw_counts(row: &Row<'_>) -> [u64; 3] {
    let count = |column| row.count(column).expect("complete rows have counts");
    [count("states_stored"), count("transitions") - 1, count("errors")]
}

fn judge(path: &Path, expected: &Expected) -> Fate {
    let bounds = Bounds { states: max_states() + 1, seconds: 600 };
    if expected.rejected {
        return match count_all(path, bounds) {
            Measured::Rejected(_) => Fate::Agrees,
            other => Fate::Differs(format!("SPIN refuses it, we say {other}")),
        };
    }
    match expected.raw {
        Some([states, transitions, errors]) if states <= max_states() => {
            let measured = count_all(path, bounds);
            let Measured::Counted(counts) = measured else { return Fate::Differs(measured.to_string()) };
            if [counts.states, counts.transitions, counts.errors()] != [states, transitions, errors] {
                Fate::Differs(format!("{states} states, {transitions} transitions, {errors} errors; we count {counts}"))
            } else if expected.fine.is_some_and(|fine| fine != (counts.errors() == 0)) {
                Fate::Differs(format!("verdict: {counts}"))
            } else {
                Fate::Agrees
            }
        }
        _ => judge_verdict(path, expected.fine),
    }
}

/// The models listed in a file of exceptions; each has a reason there.
fn paths(file: &str) -> BTreeSet<String> {
    Table::read(&places::root().join(file)).rows().map(|row| row.get("path").to_string()).collect()
}

/// For models whose unreduced search is too large to be compared count by count.
fn judge_verdict(path: &Path, fine: Option<bool>) -> Fate {
    let Some(fine) = fine else { return Fate::TooLarge };
    match find_first(path, Bounds { states: max_states().min(MAX_FOR_VERDICT), seconds: 600 }) {
        Measured::Stopped(_) => Fate::TooLarge,
        Measured::Counted(counts) if fine == (counts.errors() == 0) => Fate::Agrees,
        measured => Fate::Differs(format!("verdict: {measured}")),
    }
}

#[test]
fn counts_and_verdicts_are_those_of_spin() {
    let Some(corpus) = places::corpus() else { return };
    let models = corpus.join("promela");
    let all = expectations(&Table::read(&models.join("expected-spin.tsv")));
    let mut excepted = paths("tests/corpus-exceptions.tsv");
    let allowed = all.values().filter(|e| e.raw.is_some()).count() / 100;
    assert!(excepted.len() <= allowed, "{} exceptions, but only {allowed} are allowed", excepted.len());
    excepted.extend(paths("tests/corpus-accepted.tsv"));
    let cases: Vec<_> = all.iter().collect();
    let fates = parallel::map(&cases, |(path, expected)| judge(&models.join(path), expected));
    let (mut agree, mut too_large, mut wrong) = (0, 0, Vec::new());
    for ((path, _), fate) in cases.iter().zip(fates) {
        match fate.unwrap_or_else(Fate::Differs) {
            Fate::Agrees if excepted.contains(*path) => wrong.push(format!("{path}: an exception, but it agrees")),
            Fate::Agrees => agree += 1,
            Fate::TooLarge => too_large += 1,
            Fate::Differs(_) if excepted.contains(*path) => {}
            Fate::Differs(how) => wrong.push(format!("{path}: {how}")),
        }
    }
    places::notice(&format!("corpus: {agree} models agree with SPIN, {too_large} are too large for this run"));
    assert!(wrong.is_empty(), "{} of {} models differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
