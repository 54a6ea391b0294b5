//! Compiled code against the reference interpreter on random models, state by state and in order.
//!
//! `KRIPKE_RANDOM_MODELS` is the number of models, `KRIPKE_RANDOM_SEED` the first seed.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kripke_engine::{Compiled, Options};
use kripke_model::{Batch, Choice, Successors};
use kripke_tests::random_model::random_model;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// The number of states per model.
const STATES: usize = 1000;

/// The figures of some models.
#[derive(Default)]
struct Tally {
    compiled: u64,
    states: u64,
    rare: u64,
    reasons: BTreeMap<String, u64>,
}

fn check(seed: u64, tally: &mut Tally) {
    let model = Arc::new(random_model(seed));
    model.validate().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let options = Options {
        coverage: true,
        parts: true,
        verify: true,
        optimise: !seed.is_multiple_of(4),
        specialise: !seed.is_multiple_of(3),
        general_after: [0, 20][seed as usize % 2],
        ..Options::default()
    };
    match Compiled::new(model.clone(), options) {
        Ok(code) => {
            let explore = AssertUnwindSafe(|| crate::compare::explore(&model, code, true, STATES));
            let seen = catch_unwind(explore).unwrap_or_else(|_| panic!("seed {seed} panics\n{model}"));
            let seen = seen.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{model}"));
            tally.compiled += 1;
            tally.states += seen.states;
            tally.rare += seen.rare;
        }
        Err(e) => *tally.reasons.entry(e.0).or_insert(0) += 1,
    }
}

#[test]
fn random_models_run_as_interpreted() {
    let (first, count) = (setting("KRIPKE_RANDOM_SEED", 0), setting("KRIPKE_RANDOM_MODELS", 300));
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let worker = |number: u64| {
            scope.spawn(move || {
                let mut tally = Tally::default();
                (first..first + count).filter(|seed| seed % threads == number).for_each(|seed| check(seed, &mut tally));
                tally
            })
        };
        let workers: Vec<_> = (0..threads).map(worker).collect();
        workers.into_iter().map(|w| w.join().expect("a model runs differently, see above")).collect()
    });
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let (compiled, states, rare) = (sum(|t| t.compiled), sum(|t| t.states), sum(|t| t.rare));
    println!("{compiled} of {count} models compiled, {states} states, {rare} times left to the interpreter");
    for tally in &tallies {
        println!("not compiled: {:?}", tally.reasons);
    }
    assert!(compiled * 10 > count * 9, "most models must be compiled");
    assert!(states > 20 * count, "models must do something");
    assert!(rare < states, "most states must be left to compiled code");
}

/// The interpreter expands states until code is made: successors are the same before, at the change and after it.
#[test]
fn the_interpreter_begins_and_code_goes_on() {
    let mut changed = 0;
    for seed in 0..60 {
        let model = Arc::new(random_model(seed));
        let options = Options { parts: true, interpret_first: true, ..Options::default() };
        let Ok(mut code) = Compiled::new(model.clone(), options) else { continue };
        assert_eq!(code.code_bytes(), 0, "seed {seed}: no code at first");
        let mut idle = code.for_thread();
        let (mut first, mut found) = (Batch::new(), Batch::new());
        code.initial(&mut first);
        let state = first.state(0).to_vec();
        let mut expected: Option<Vec<Vec<u8>>> = None;
        for _ in 0..100_000 {
            found.clear();
            code.expand(&state, Choice::All, &mut found);
            let successors: Vec<Vec<u8>> = found.states().map(<[u8]>::to_vec).collect();
            assert_eq!(*expected.get_or_insert_with(|| successors.clone()), successors, "seed {seed}");
            if code.code_bytes() > 0 {
                break;
            }
        }
        changed += usize::from(code.code_bytes() > 0);
        if code.code_bytes() > 0 {
            // A thread that had nothing to do while the code was made uses it, too.
            let mut fresh = code.for_thread();
            for thread in [&mut idle, &mut fresh] {
                for _ in 0..10 {
                    thread.expand(&state, Choice::All, &mut Batch::new());
                }
            }
            assert!(idle.fallbacks() <= fresh.fallbacks() + 1, "seed {seed}: {} states", idle.fallbacks());
        }
        let seen = crate::compare::explore(&model, code, false, 200);
        seen.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{model}"));
    }
    assert!(changed > 40, "{changed} models were compiled");
}

#[test]
fn random_models_use_every_construct() {
    let models: String = (0..300).map(|seed| format!("{:?}", random_model(seed))).collect();
    let constructs = [
        "Always",
        "When",
        "Else",
        "Youngest",
        "level: 1",
        "then: Yield",
        "then: Keep",
        "then: Chain",
        "chain: Some",
        "Send {",
        "Receive {",
        "sorted: true",
        "anywhere: true",
        "keep: true",
        "capacity: 0",
        "capacity: 2",
        "Match(",
        "Store(",
        "Any",
        "Assign(",
        "Assert(",
        "Print(",
        "Run {",
        "SetPriority {",
        "Remove",
        "provided: Some",
        "claims: [Claim",
        "trace: Some",
        "observer: Some",
        "stutters: true",
        "ObserverAt(",
        "goal: Some",
        "range: Some",
        "committed: true",
        "condition: Some",
        "Require {",
        "negated: true",
        "hidden: true",
        "end: true",
        "progress: true",
        "accept: true",
        "uses_last: true",
        "uses_priorities: true",
        "uses_timeout: true",
        "Unary(",
        "Binary(",
        "Cond(",
        "Channel(Len",
        "Channel(Empty",
        "Channel(NotEmpty",
        "Channel(Full",
        "Channel(NotFull",
        "Poll {",
        "Pid",
        "ProcessCount",
        "Last",
        "Timeout",
        "NonProgress",
        "Enabled(",
        "Location(",
        "Priority(",
        "At {",
        "Remote {",
        "Input",
        "Zero",
        "List(",
        "All(",
        "Channels(",
        "Param",
        "dims: [2, ",
    ];
    for construct in constructs {
        assert!(models.contains(construct), "no model has {construct}");
    }
}
