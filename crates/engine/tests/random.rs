//! Compiled code against the reference interpreter, on random models: the batch of every state reached, in order.
//!
//! `KRIPKE_RANDOM_MODELS` says how many models, `KRIPKE_RANDOM_SEED` from which seed on.

mod compare;

use std::sync::Arc;

use kripke_engine::testing::random_model;
use kripke_engine::{Compiled, Options};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_models_run_as_interpreted() {
    let (first, count) = (setting("KRIPKE_RANDOM_SEED", 0), setting("KRIPKE_RANDOM_MODELS", 300));
    let (mut compiled, mut states, mut rare) = (0, 0, 0);
    let mut reasons = std::collections::BTreeMap::new();
    for seed in first..first + count {
        let model = Arc::new(random_model(seed));
        model.validate().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let options = Options {
            coverage: true,
            verify: true,
            optimise: seed % 4 != 0,
            specialise: seed % 3 != 0,
            patience: [0, 20][seed as usize % 2],
            ..Options::default()
        };
        match Compiled::new(model.clone(), options) {
            Ok(code) => {
                let explore = std::panic::AssertUnwindSafe(|| compare::explore(&model, code, true, 2000));
                let seen = std::panic::catch_unwind(explore).unwrap_or_else(|_| panic!("seed {seed} panics\n{model}"));
                let seen = seen.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{model}"));
                compiled += 1;
                states += seen.states;
                rare += seen.rare;
            }
            Err(e) => *reasons.entry(e.0).or_insert(0) += 1,
        }
    }
    println!("{compiled} of {count} models compiled, {states} states, {rare} of them left to the interpreter");
    println!("not compiled: {reasons:?}");
    assert!(compiled * 2 > count, "most models must be compiled");
    assert!(states > count, "models must do something");
}
