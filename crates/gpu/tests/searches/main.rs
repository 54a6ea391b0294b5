//! Searches that use machines, against the search that uses none: the end, counts, errors and trails are equal.

mod cycle_steps;
mod on_host;

use std::num::NonZeroU64;
use std::sync::Arc;

use kripke_engine::{InWords, Words};
use kripke_model::{Interpreter, Model, Successors};
use kripke_reduce::words::word_layout;
use kripke_search::{
    Accelerator, Budget, Cycles, End, Limit, Options, Outcome, Progress, StoreKind, explore, explore_accelerated,
};
use kripke_tests::models;
use kripke_tests::random_model::random_model;
use on_host::OnHost;

/// A model whose states have a form in words.
struct System {
    interpreter: Interpreter,
    words: Arc<Words>,
}

impl System {
    fn new(model: Model) -> Option<System> {
        let interpreter = Interpreter::new(Arc::new(model)).ok()?;
        let words = Arc::new(Words::new(word_layout(&interpreter)?));
        words.holds(interpreter.initial_state()).then_some(System { interpreter, words })
    }

    fn successors(&self) -> Box<dyn Successors> {
        Box::new(InWords::new(self.interpreter.for_thread(), self.words.clone()))
    }

    /// The search without a machine; nothing if the model is too large, or has a state that does not fit.
    fn plain(&self, options: &Options) -> Option<Outcome> {
        let budget = Budget { max_states: Some(4_000), ..Budget::default() };
        let outcome = explore(&|| self.successors(), options, &budget, &Progress::new());
        let limited = matches!(outcome.end, End::Stopped(Limit::States(_)));
        (!limited && !self.words.has_escaped()).then_some(outcome)
    }

    fn accelerated(&self, machine: &mut dyn Accelerator, options: &Options, budget: &Budget) -> Outcome {
        explore_accelerated(machine, &|| self.successors(), options, budget, &Progress::new())
    }
}

/// What two searches have to agree on.
fn essence(outcome: &Outcome) -> String {
    let statistics = &outcome.statistics;
    format!(
        "{:?} {:?} states {} transitions {} depth {} {:?} bytes {}",
        outcome.end,
        outcome.violations,
        statistics.states,
        statistics.transitions,
        statistics.depth,
        statistics.errors,
        statistics.state_bytes
    )
}

fn counts(outcome: &Outcome) -> (u64, u64) {
    (outcome.statistics.states, outcome.statistics.transitions)
}

/// The searches that are compared.
fn options() -> Vec<Options> {
    let first = Options { store: StoreKind::Exact, threads: Some(2), ..Options::default() };
    let all = Options { all_errors: true, ..first.clone() };
    let some = Options { stop_at: NonZeroU64::new(3), ..all.clone() };
    let moves = Options { end_states: false, ..all.clone() };
    vec![first, all, some, moves]
}

/// Compares the searches of a model. Returns the number of those that have found errors, of invalid end states that a machine has counted, and of
/// steps that it has traced.
fn compare(system: &System, name: &str) -> (usize, u64, u64) {
    let (mut violated, mut counted, mut traced) = (0, 0, 0);
    for (number, options) in options().iter().enumerate() {
        let Some(plain) = system.plain(options) else { continue };
        for (leaves, keeps) in [(3, 100_000), (1_000_000, 2), (1, 1)] {
            let mut machine = OnHost::new(system.successors(), leaves, keeps);
            // It is full twice, and then large enough.
            machine.most = (plain.statistics.states as usize).div_ceil(3).max(1);
            let accelerated = system.accelerated(&mut machine, options, &Budget::default());
            assert_eq!(essence(&accelerated), essence(&plain), "{name}, options {number}, keeps {keeps}");
            counted += if options.end_states { machine.counted } else { 0 };
            traced += machine.traced;
        }
        violated += usize::from(!plain.violations.is_empty());
    }
    (violated, counted, traced)
}

/// Compares the searches of a model for cycles. Returns how they end.
fn compare_cycles(system: &System, name: &str) -> Option<&'static str> {
    let options = Options { cycles: Some(Cycles::default()), ..options()[0].clone() };
    let plain = system.plain(&options)?;
    for (leaves, keeps) in [(3, 100_000), (1_000_000, 2), (1, 1)] {
        let mut machine = OnHost::new(system.successors(), leaves, keeps);
        // Complete searches are full twice, and then large enough.
        machine.most = (plain.statistics.states as usize).div_ceil(3).max(250);
        let ours =
            system.accelerated(&mut machine, &options, &Budget { max_states: Some(20_000), ..Budget::default() });
        // A violation that is found in another order may be another one, and may be found before an endless sequence.
        match (&plain.end, &ours.end) {
            (End::Violation, End::Violation) => {}
            (End::Exhausted(_), End::Exhausted(_)) => assert_eq!(counts(&plain), counts(&ours), "{name}"),
            // A search that stops early sees few of the states.
            (End::Stopped(_), _) | (End::Violation, End::Stopped(Limit::DeviceMemory(_) | Limit::States(_))) => {
                return None;
            }
            (_, End::Stopped(Limit::EndlessSequence(_))) => return None,
            (plain, ours) => panic!("{name}: {plain:?} and {ours:?}"),
        }
        for violation in &ours.violations {
            let replayed = violation.trail.replay(&mut system.interpreter.for_thread());
            assert!(replayed.is_ok(), "{name}: {replayed:?}");
        }
    }
    Some(match plain.end {
        End::Violation if plain.statistics.errors.cycles > 0 => "cycle",
        End::Violation => "error",
        _ => "holds",
    })
}

/// Models with an observer that accepts by its locations.
#[test]
fn cycles_of_random_models_are_found_alike() {
    let mut ends = std::collections::BTreeMap::new();
    for seed in 0..600 {
        let mut model = random_model(seed);
        let Some(observer) = &mut model.observer else { continue };
        observer.marks.clear();
        if let Some(system) = System::new(model) {
            *ends.entry(compare_cycles(&system, &format!("seed {seed}"))).or_insert(0) += 1;
        }
    }
    for end in ["cycle", "error", "holds"] {
        assert!(ends.get(&Some(end)).is_some_and(|number| *number > 10), "{ends:?}");
    }
}

#[test]
fn random_models_are_searched_alike() {
    let (mut compared, mut violated, mut counted, mut traced) = (0, 0, 0, 0);
    for seed in 0..250 {
        if let Some(system) = System::new(random_model(seed)) {
            let (errors, ends, steps) = compare(&system, &format!("seed {seed}"));
            violated += errors;
            counted += ends;
            traced += steps;
            compared += 1;
        }
    }
    assert!(compared > 60 && violated > 60, "{compared} models, {violated} searches with errors");
    assert!(counted > 100, "{counted} invalid end states were counted by machines");
    assert!(traced > 100, "{traced} steps of trails were traced by machines");
}

#[test]
fn models_of_the_checkout_are_searched_alike() {
    let mut compared = 0;
    for file in models::files(&["examples", "tests/promela", "tests/esml"], &["pml", "dve", "esml"]) {
        if file.components().any(|part| part.as_os_str() == "corpus") {
            continue;
        }
        let Ok(model) = kripke_tests::measure::load(&file) else { continue };
        if let Some(system) = System::new(model) {
            compare(&system, &file.display().to_string());
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} models");
}

/// Limits end a search without a verdict.
#[test]
fn limits_are_observed() {
    let text =
        "byte a, b; active proctype P() { do :: a < 200 -> a++ :: b < 200 -> b++ :: a == 200 && b == 200 -> a = 0 od }";
    let system = System::new(models::read("model.pml", text)).expect("states in words");
    let options = &options()[0];
    let run = |most: usize, budget: Budget| {
        let mut machine = OnHost::new(system.successors(), 1000, 3);
        machine.most = most;
        system.accelerated(&mut machine, options, &budget)
    };
    let end = |outcome: &Outcome| match &outcome.end {
        End::Stopped(limit) => Some(limit.clone()),
        _ => None,
    };
    let (all, none) = (usize::MAX, Budget::default());
    assert!(matches!(run(all, none.clone()).end, End::Exhausted(_)));
    let depth = run(all, Budget { max_depth: Some(10), ..none.clone() });
    assert_eq!((end(&depth), depth.statistics.depth), (Some(Limit::Depth(10)), 10));
    let states = run(all, Budget { max_states: Some(100), ..none.clone() });
    assert_eq!(end(&states), Some(Limit::States(100)));
    assert_eq!(end(&run(500, none.clone())), Some(Limit::DeviceMemory(7)));
    let late = Budget { deadline: Some(std::time::Instant::now()), ..none };
    assert_eq!(end(&run(all, late)), Some(Limit::Time));
}
