//! The examples for Rust users run, and say what they should.

#[path = "../../../../examples/rust/embedding.rs"]
mod embedding;
#[path = "../../../../examples/rust/listener.rs"]
mod listener;
#[path = "../../../../examples/rust/own_store.rs"]
mod own_store;
#[path = "../../../../examples/rust/token_ring.rs"]
mod token_ring;

use kripke::transition_system::{SystemCheck, SystemVerdict};
use kripke::{Fairness, Verdict};
use own_store::{Counters, LockedStore};
use token_ring::TokenRing;

#[test]
fn a_model_is_embedded() {
    embedding::main().unwrap();
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mutex-naive.pml");
    let model = kripke::Model::read(file).unwrap();
    let Verdict::Violated(run) = kripke::Check::new(&model).run().unwrap() else { panic!("the mutex is naive") };
    assert!(run.message.contains("assert"), "{run}");
}

#[test]
fn a_listener_hears_everything() {
    listener::main().unwrap();
}

#[test]
fn a_system_in_rust_is_checked() {
    token_ring::main().unwrap();
    let ring = TokenRing { stations: 5 };
    for threads in [1, 2, 4] {
        let check = SystemCheck::new(&ring).threads(threads);
        assert!(check.deadlock_freedom().unwrap().holds());
        assert!(check.invariant("exclusive").unwrap().holds());
        assert!(!check.invariant("idle").unwrap().holds());
        // The token can stay where it is for ever only if nothing moves: every run passes it on.
        assert!(check.ltl("[] <> idle").unwrap().holds());
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Impartial] {
            let check = check.clone().fairness(fairness);
            let verdict = check.ltl("<> working_0").unwrap();
            let run = verdict.counterexample().expect("a station need not work");
            assert!(
                run.cycle.is_some()
                    && run.steps.iter().all(|step| step.process != Some(0) || step.action == "pass the token")
            );
        }
        // A transition that is enabled again and again is taken: then the station works.
        assert!(check.clone().fairness(Fairness::StrongTransitions).ltl("<> working_0").unwrap().holds());
        assert!(check.ctl("AG EF working_0").unwrap().holds());
        assert!(!check.ctl("AF working_0").unwrap().holds());
    }
    assert!(SystemCheck::new(&ring).invariant("no such").is_err());
    let nested = SystemCheck::new(&ring).algorithm(kripke::request::Algorithm::Nested);
    assert!(nested.ltl("[] <> idle").unwrap().holds());
    assert!(matches!(nested.fairness(Fairness::Weak).ltl("[] <> idle"), Err(kripke::Error::Refused(_))));
    assert!(SystemCheck::new(&ring).ltl("[] (").is_err());
}

#[test]
fn a_store_of_ones_own_counts_alike() {
    own_store::main().unwrap();
    let counters = Counters { counters: 3, limit: 9 };
    for threads in [1, 3] {
        let check = SystemCheck::new(&counters).threads(threads);
        for verdict in [check.invariant("bounded"), check.invariant_with("bounded", LockedStore::default)] {
            let SystemVerdict::Holds { states, transitions } = verdict.unwrap() else { panic!("it is bounded") };
            assert_eq!((states, transitions), (1000, 2700));
        }
    }
}
