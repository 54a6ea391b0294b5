//! Certificates of searches elsewhere: accepted where the set of states is closed, and refused where one state is missing.

use std::collections::HashSet;

use crate::graph::{Graph, Random};
use kripke_model::{Batch, Choice, State, Successors};
use kripke_search::{Budget, ClosedSet, End, NotClosed, Options, certify};

struct Set(HashSet<Vec<u8>>);

impl ClosedSet for Set {
    fn for_each(&self, each: &mut dyn FnMut(&State)) {
        self.0.iter().for_each(|state| each(state));
    }

    fn contains(&self, state: &State) -> bool {
        self.0.contains(state)
    }
}

/// A search that this crate knows nothing of: depth first, with a set of states.
fn search(graph: &mut Graph) -> Set {
    let (mut seen, mut stack, mut batch) = (HashSet::new(), Vec::new(), Batch::new());
    graph.initial(&mut batch);
    stack.push(batch.state(0).to_vec());
    seen.insert(batch.state(0).to_vec());
    while let Some(state) = stack.pop() {
        batch.clear();
        graph.expand(&state, Choice::All, &mut batch);
        for successor in batch.states() {
            if seen.insert(successor.to_vec()) {
                stack.push(successor.to_vec());
            }
        }
    }
    Set(seen)
}

#[test]
fn closed_sets_are_accepted_with_their_errors() {
    let (mut random, mut faulty) = (Random(5), 0);
    for _ in 0..100 {
        let mut graph = Graph::random(&mut random, 40, 4);
        let count = random.below(4);
        graph.add_random_findings(&mut random, count);
        graph.invalid_ends = random.below(2) == 0;
        let set = search(&mut graph);
        let options = Options { all_errors: true, threads: Some(1), ..Options::default() };
        let certified = certify(&set, &mut graph, &options).expect("the set is closed");
        let outcome = crate::graph::run(&graph, &options, &Budget::default());
        let End::Exhausted(exhausted) = outcome.end else { panic!("the graph is small") };
        assert_eq!(certified, exhausted);
        faulty += u32::from(certified.error_free().is_none());
    }
    assert!((10..90).contains(&faulty), "{faulty} of 100 graphs have errors");
}

#[test]
fn a_missing_state_is_noticed() {
    let mut random = Random(9);
    for _ in 0..20 {
        let mut graph = Graph::random(&mut random, 30, 4);
        let whole = search(&mut graph);
        for missing in &whole.0 {
            let part = Set(whole.0.iter().filter(|state| *state != missing).cloned().collect());
            let refused = certify(&part, &mut graph, &Options::default()).unwrap_err();
            match refused {
                NotClosed::Initial => assert_eq!(crate::graph::decode(missing), 0),
                NotClosed::Successor { missing: found, .. } => assert_eq!(found, *missing),
                NotClosed::EndlessSequence { .. } => panic!("the graph has none"),
            }
        }
    }
}
