//! Statement merging changes the number of states, never the kinds of errors.
//!
//! `KRIPKE_MERGED` is the number of random programs.

use std::sync::Arc;

use kripke_model::{Interpreter, Model, Successors};
use kripke_reduce::merge::merge;
use kripke_search::{Budget, End, Options, Outcome, Progress, explore};
use kripke_tests::generate::program;
use kripke_tests::random_model::random_model;
use kripke_tests::{models, parallel, places};

const STATES: u64 = 20_000;

fn search(model: Model) -> Option<Outcome> {
    let interpreter = Interpreter::new(Arc::new(model)).ok()?;
    let worker = || -> Box<dyn Successors> { Box::new(interpreter.for_thread()) };
    let options = Options { all_errors: true, threads: Some(1), ..Options::default() };
    let deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(10));
    let budget = Budget { max_states: Some(STATES), deadline, ..Budget::default() };
    let outcome = explore(&worker, &options, &budget, &Progress::new());
    matches!(outcome.end, End::Exhausted(_)).then_some(outcome)
}

/// Which kinds of errors there are.
fn kinds(outcome: &Outcome) -> [bool; 4] {
    let errors = outcome.statistics.errors;
    [errors.assertions, errors.faults, errors.invalid_ends, errors.goals].map(|n| n > 0)
}

/// True if statement merging made the state space smaller. None if nothing was merged, or a search was too long.
fn compare(mut whole: Model, name: &str) -> Option<bool> {
    // An observer may count steps, and the goal may read its state.
    whole.observer = None;
    if whole.goal.as_ref().is_some_and(|g| format!("{:?}", g.condition).contains("ObserverAt")) {
        whole.goal = None;
    }
    let mut merged = whole.clone();
    if merge(&mut merged) == 0 {
        return None;
    }
    merged.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
    let (raw, merged) = (search(whole.clone())?, search(merged)?);
    assert_eq!(kinds(&raw), kinds(&merged), "{name}\n{whole}");
    assert!(merged.statistics.states <= raw.statistics.states, "{name}\n{whole}");
    Some(merged.statistics.states < raw.statistics.states)
}

fn judge(results: Vec<Result<Option<bool>, String>>, least: usize) {
    let mut compared = Vec::new();
    for result in results {
        compared.extend(result.unwrap_or_else(|e| panic!("{e}")));
    }
    let smaller = compared.iter().filter(|smaller| **smaller).count();
    places::notice(&format!("{} models compared, {smaller} of them smaller", compared.len()));
    assert!(smaller >= least, "only {smaller} of {} are smaller", compared.len());
}

#[test]
fn random_programs_have_the_same_errors() {
    let count: u64 = places::setting("KRIPKE_MERGED", 300);
    let seeds: Vec<u64> = (1..=count).collect();
    let results = parallel::map(&seeds, |seed| {
        let model = models::parse("model.pml", &program(*seed).text())?;
        compare(model, &format!("program {seed}"))
    });
    judge(results, seeds.len() / 20);
}

#[test]
fn choices_in_a_row_do_not_multiply() {
    let choices = "if :: x = 0 :: x = 1 fi; ".repeat(24);
    let text = format!("active proctype p() {{ byte x; {choices} }}");
    let mut model = models::read("model.pml", &text);
    let whole = search(model.clone()).expect("it is small").statistics;
    assert!(merge(&mut model) > 0);
    let merged = search(model).expect("it is smaller").statistics;
    assert!(merged.states < whole.states && merged.transitions <= 2 * 2 * merged.states, "{merged:?}");
}

/// An atomic sequence may begin with an invisible step and continue with visible ones: these are not merged with the step before.
#[test]
fn sequences_with_visible_steps_are_not_merged() {
    let watched = "active proctype q() { m == 1 && n == 0; assert(false) }";
    for sequence in ["atomic { x = 1; n = 1 }", "atomic { x = 1; x = 2; n = x }", "atomic { x == 0 -> n = 1 }"] {
        let text = format!("byte m, n; active proctype p() {{ byte x; m = 1; {sequence}; x = 0; x = 1 }} {watched}");
        assert_eq!(compare(models::read("model.pml", &text), &text), Some(true));
    }
}

#[test]
fn random_models_have_the_same_errors() {
    let seeds: Vec<u64> = (0..5 * places::setting("KRIPKE_MERGED", 300)).collect();
    judge(parallel::map(&seeds, |seed| compare(random_model(*seed), &format!("model {seed}"))), 1);
}

#[test]
fn our_models_and_those_of_the_corpus_have_the_same_errors() {
    judge(models::map_all(compare), 5);
}
