//! What the reductions leave that are on by default: through the program, in states.
//!
//! `KRIPKE_REDUCTION_MAX_STATES` says how large the rows of the corpus may be.

use std::path::{Path, PathBuf};
use std::process::Command;

use kripke_tests::table::Table;
use kripke_tests::{parallel, places};
use serde_json::Value;

/// What our states in proportion to SPIN's may be: the geometric mean, and each.
const MEAN: f64 = 0.7;
const WORST: f64 = 1.1;

/// What a complete search for assertions and end states says.
fn check(model: &Path, options: &[&str]) -> Value {
    check_with("-j1", model, options)
}

fn check_with(threads: &str, model: &Path, options: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(model).args(["--property", "safety", threads, "--no-trail", "--format", "json", "-q"]);
    let output = command.args(options).output().expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The states of a model without reduction and as it is by default; the verdicts must be equal.
fn sizes(model: &Path, defines: &[&str]) -> (u64, u64) {
    let raw = check(model, &[defines, &["--raw", "--all-errors"]].concat());
    let left = check(model, &[defines, &["--all-errors"]].concat());
    for said in [&raw, &left] {
        assert_eq!(said["complete"], true, "{}: {}", model.display(), said["reason"]);
    }
    assert_eq!(raw["verdict"], left["verdict"], "{}", model.display());
    (number(&raw["states"]), number(&left["states"]))
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn own(name: &str) -> PathBuf {
    places::root().join("bench/models").join(name)
}

/// Table I of Holzmann and Peled 1994. (SPIN counts the step into the initial state, so the paper has one more.)
#[test]
fn best_case_of_the_paper() {
    let raw = check(&own("own-steps.pml"), &["--raw"]);
    assert_eq!((number(&raw["states"]), number(&raw["transitions"])), (100_001, 450_001));
    assert!(number(&check(&own("own-steps.pml"), &[])["states"]) <= 47);
}

#[test]
fn worst_case_of_the_paper() {
    for options in [&["--raw"][..], &[]] {
        let said = check(&own("shared-steps.pml"), options);
        assert_eq!((number(&said["states"]), number(&said["transitions"])), (100_001, 450_001), "{options:?}");
    }
}

/// What a search says of its sleep sets.
fn sleep_sets(said: &Value) -> [&str; 2] {
    let plan = said["properties"][0]["plan"].as_array().expect("a plan");
    let decision = plan.iter().find(|decision| decision["item"] == "sleep-sets").expect("a decision");
    ["value", "reason"].map(|field| decision[field].as_str().expect("text"))
}

#[test]
fn sleep_sets_leave_transitions_out_and_change_no_count() {
    let all = ["--raw", "--all-errors"];
    for (model, parameter) in [("philosophers.pml", "-DN=7"), ("election.pml", "-DN=5"), ("bakery.pml", "-DLAST=2")] {
        for threads in ["-j1", "-j3"] {
            let with = check_with(threads, &own(model), &[&all[..], &[parameter]].concat());
            let without = check_with(threads, &own(model), &[&all[..], &[parameter, "--no-sleep-sets"]].concat());
            for figure in ["states", "transitions", "depth", "errors", "verdict"] {
                assert_eq!(with[figure], without[figure], "{figure} of {model} with {threads}");
            }
            let [value, reason] = sleep_sets(&with);
            let percent: u64 = reason.trim_start_matches("default; ").split(' ').next().unwrap().parse().unwrap();
            assert!(value == "on" && percent >= 39, "{model}: {reason}");
            assert_eq!(sleep_sets(&without), ["off", "--no-sleep-sets"]);
        }
    }
}

#[test]
fn elections_are_reduced_by_orders_of_magnitude() {
    let (raw, left) = sizes(&own("election.pml"), &["-DN=6"]);
    assert!(left * 500 <= raw, "{left} of {raw} states are left");
}

/// With more philosophers, ever more is left out.
#[test]
fn philosophers_are_reduced_the_more_there_are() {
    let times = ["-DN=6", "-DN=8"].map(|size| {
        let (raw, left) = sizes(&own("philosophers.pml"), &[size]);
        raw as f64 / left as f64
    });
    assert!(times[0] >= 3.0 && times[1] >= 1.5 * times[0], "{times:?} times fewer states");
}

#[test]
fn election_of_the_paper() {
    let Some(corpus) = places::corpus() else { return };
    let (raw, left) = sizes(&corpus.join("seed-models/leader-dkr82.pml"), &[]);
    assert_eq!(raw, 38_785);
    assert!(left <= 69, "{left} states are left");
}

/// A row of SPIN's default mode: a model, whether it has errors, and how many states SPIN stored.
struct Case {
    model: PathBuf,
    violated: bool,
    states: u64,
}

impl Case {
    /// Our states in proportion to SPIN's, if both searched everything. SPIN counted all errors, and so do we.
    fn proportion(&self) -> Result<f64, String> {
        let all: &[&str] = if self.violated { &["--all-errors"] } else { &[] };
        let said = check(&self.model, &[all, &["--max-states", "2M", "--timeout", "120s"]].concat());
        let name = self.model.display();
        if said["complete"] != true {
            return Err(format!("{name}: not complete, {}", said["reason"]));
        }
        if (said["verdict"] == "violated") != self.violated {
            return Err(format!("{name}: {}, other than SPIN", said["verdict"]));
        }
        Ok(number(&said["states"]) as f64 / self.states as f64)
    }
}

/// Searches that SPIN completes and we don't.
const TOO_LARGE: [&str; 1] = [
    // Recursion by processes: SPIN lets a process that is at its end always disappear first. In the other order, processes get
    // other numbers, and there may be too many of them.
    "spin/Book_1991/p108.pml",
];

/// Rows of which more is left than the worst may be.
const ABOVE: [&str; 3] = [
    // Nothing is left out while processes can still be created.
    "micro/m34.pml",
    "spin/Book_1991/p97.2.pml",
    "spins/regression/20110318_wrong_pid.prom",
];

/// The models of the corpus, what SPIN says of them, and how many states a row may have.
fn spins_rows() -> Option<(PathBuf, Table, u64)> {
    let corpus = places::corpus()?;
    let models = corpus.join("promela");
    let table = Table::read(&models.join("expected-spin.tsv"));
    Some((models, table, places::setting("KRIPKE_REDUCTION_MAX_STATES", 50_000)))
}

#[test]
fn fewer_states_than_spin_leaves() {
    let Some((models, table, largest)) = spins_rows() else { return };
    let cases: Vec<Case> = table
        .rows()
        .filter(|row| row.get("mode") == "default" && row.get("status") == "complete")
        .filter(|row| !TOO_LARGE.contains(&row.get("path")))
        .filter_map(|row| {
            let (model, violated) = (models.join(row.get("path")), row.get("verdict") != "ok");
            row.count("states_stored").map(|states| Case { model, violated, states })
        })
        .filter(|case| case.states <= largest)
        .collect();
    assert!(cases.len() > 200, "the table has only {} rows", cases.len());
    let results = parallel::map(&cases, Case::proportion);
    let (found, wrong): (Vec<_>, Vec<_>) =
        results.into_iter().map(|result| result.unwrap_or_else(Err)).partition(Result::is_ok);
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
    let mean = (found.iter().flatten().map(|ratio| ratio.ln()).sum::<f64>() / found.len() as f64).exp();
    places::notice(&format!("{} rows, on average {mean:.3} of the states that SPIN leaves", found.len()));
    assert!(mean <= MEAN, "on average {mean:.3} of the states that SPIN leaves");
    let above = |(case, ratio): (&Case, &Result<f64, String>)| {
        let known = ABOVE.iter().any(|path| case.model.ends_with(path));
        ratio.as_ref().is_ok_and(|ratio| *ratio > WORST && !known).then(|| case.model.display().to_string())
    };
    let above: Vec<String> = cases.iter().zip(&found).filter_map(above).collect();
    assert!(above.is_empty(), "more than {WORST} of the states that SPIN leaves:\n{}", above.join("\n"));
}

/// Dead variables, slicing and constants leave at most as many states as there were, with local steps glued or not, and so does
/// gluing.
#[test]
fn what_variables_hold_never_costs_states() {
    let Some((models, table, largest)) = spins_rows() else { return };
    let rows = table.rows().filter(|row| row.get("mode") == "raw" && row.get("status") == "complete");
    let rows = rows.filter(|row| row.count("states_stored").is_some_and(|states| states <= largest));
    let rows: Vec<PathBuf> = rows.map(|row| models.join(row.get("path"))).collect();
    assert!(rows.len() > 200, "the table has only {} rows", rows.len());
    let results = parallel::map(&rows, |model| {
        let states = |options: &[&str]| {
            let said = check(model, &[&["--all-errors", "--no-partial-order"], options].concat());
            assert_eq!(said["complete"], true, "{}: {}", model.display(), said["reason"]);
            number(&said["states"])
        };
        let whole = ["--no-dead-variables", "--no-slicing"];
        let glued = (states(&[]), states(&whole));
        let steps = (states(&["--no-coarsening"]), states(&[&whole[..], &["--no-coarsening"]].concat()));
        let right = glued.0 <= glued.1 && steps.0 <= steps.1 && glued.0 <= steps.0 && glued.1 <= steps.1;
        assert!(right, "{}: {} of {} states, {} of {} glued", model.display(), steps.0, steps.1, glued.0, glued.1);
        glued.0 < glued.1
    });
    let smaller: Vec<bool> = results.into_iter().map(|result| result.unwrap_or_else(|e| panic!("{e}"))).collect();
    let fewer = smaller.iter().filter(|smaller| **smaller).count();
    places::notice(&format!("{} rows, {fewer} of them with fewer states for what variables hold", smaller.len()));
    assert!(fewer > 20, "only {fewer} rows have fewer states");
}
