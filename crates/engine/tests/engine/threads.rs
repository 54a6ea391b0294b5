//! Threads share the code of a model; compiling a model twice gives the same behaviour.

use std::sync::Arc;

use kripke_engine::{Compiled, Options};
use kripke_model::{Batch, Choice, Successors};
use kripke_tests::random_model::random_model;

/// The successors of the first states in breadth-first order.
fn walk(mut compiled: Compiled) -> Vec<Vec<u8>> {
    let mut batch = Batch::new();
    compiled.initial(&mut batch);
    let mut found = vec![batch.state(0).to_vec()];
    let mut next = 0;
    while next < found.len() && found.len() < 500 {
        batch.clear();
        compiled.expand(&found[next].clone(), Choice::All, &mut batch);
        found.extend(batch.states().map(<[u8]>::to_vec));
        next += 1;
    }
    found
}

#[test]
fn threads_share_code() {
    for seed in 0..20 {
        let Ok(compiled) = Compiled::new(Arc::new(random_model(seed)), Options::default()) else { continue };
        let others: Vec<_> = (0..3)
            .map(|_| {
                let other = compiled.for_thread();
                std::thread::spawn(move || walk(other))
            })
            .collect();
        let mine = walk(compiled);
        for other in others {
            assert_eq!(other.join().expect("the thread ends"), mine, "seed {seed}");
        }
    }
}

#[test]
fn random_models_depend_on_their_seed_alone() {
    assert_eq!(random_model(7).to_string(), random_model(7).to_string());
    assert_ne!(random_model(7).to_string(), random_model(8).to_string());
}
