//! Every limit ends a search politely, by its name, and never as complete.

mod graph;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use graph::{Graph, Random, known};
use kripke_model::{Batch, Choice, Flags, State, Successors};
use kripke_search::store::{Capacity, ExactStore, Full, Omission, Seen, StateId, Store};
use kripke_search::{Budget, End, Limit, Options, Order, Outcome, Progress, explore, explore_with};

const ORDERS: [Order; 2] = [Order::BreadthFirst, Order::DepthFirst];

fn run(model: &mut dyn Successors, order: Order, budget: &Budget) -> Outcome {
    let progress = Progress::new();
    let outcome = explore(model, &Options { order, ..Options::default() }, budget, &progress);
    let last = progress.snapshot();
    assert_eq!(
        (last.states, last.transitions, last.depth),
        (outcome.statistics.states, outcome.statistics.transitions, outcome.statistics.depth),
        "progress ends where the search ends"
    );
    outcome
}

/// Everything within reach of a large random graph.
fn graph(seed: u64) -> Graph {
    Graph::random(&mut Random(seed), 20_000, 3)
}

#[test]
fn never_exhausted_when_states_are_cut_off() {
    let mut random = Random(1);
    for seed in 0..40 {
        let mut graph = graph(seed);
        let states = known(&graph).states;
        for order in ORDERS {
            let max = random.below(states + 1).max(1);
            let budget = Budget { max_states: Some(max), ..Budget::default() };
            let outcome = run(&mut graph, order, &budget);
            assert_eq!(outcome.statistics.states, max.min(states), "exactly as many states as allowed");
            match outcome.end {
                End::Exhausted(_) => assert_eq!(max, states),
                End::Stopped(limit) => assert_eq!((max < states, limit), (true, Limit::States(max))),
                End::Violation => panic!("there is none"),
            }
        }
    }
}

#[test]
fn never_exhausted_when_memory_runs_out() {
    let mut random = Random(2);
    let mut stopped = 0;
    for seed in 0..40 {
        let mut graph = graph(seed);
        for order in ORDERS {
            let enough = run(&mut graph, order, &Budget::default()).statistics;
            let needed = enough.store_bytes + enough.search_bytes;
            let memory = random.below(needed + 1);
            let outcome = run(&mut graph, order, &Budget { memory: Some(memory), ..Budget::default() });
            let used = outcome.statistics.store_bytes;
            if outcome.statistics.states > 0 {
                assert!(used <= memory + 1024, "{used} bytes instead of {memory}");
            }
            match outcome.end {
                End::Exhausted(_) => assert_eq!(outcome.statistics, enough),
                End::Stopped(limit) => {
                    stopped += 1;
                    assert_eq!(limit, Limit::Memory(memory));
                }
                End::Violation => panic!("there is none"),
            }
        }
    }
    assert!(stopped > 60);
}

#[test]
fn a_depth_limit_cuts_off_what_lies_beyond() {
    for seed in 0..40 {
        let mut graph = graph(seed);
        let known = known(&graph);
        for max_depth in 0..known.depth + 3 {
            let budget = Budget { max_depth: Some(max_depth as u32), ..Budget::default() };
            let outcome = run(&mut graph, Order::BreadthFirst, &budget);
            assert!(outcome.statistics.depth <= max_depth);
            match outcome.end {
                End::Exhausted(_) => assert!(max_depth >= known.depth),
                End::Stopped(limit) => {
                    assert_eq!((max_depth < known.depth, limit), (true, Limit::Depth(max_depth as u32)));
                }
                End::Violation => panic!("there is none"),
            }
        }
    }
}

/// A depth-first search may be complete though it met the limit: if all it cut off was reached by other ways.
#[test]
fn depth_first_within_a_depth() {
    let mut complete = 0;
    for seed in 0..200 {
        let mut graph = Graph::random(&mut Random(seed), 60, 3);
        let known = known(&graph);
        for max_depth in 0..known.stack + 2 {
            graph.expanded.clear();
            let budget = Budget { max_depth: Some(max_depth as u32), ..Budget::default() };
            let outcome = run(&mut graph, Order::DepthFirst, &budget);
            assert!(outcome.statistics.depth <= max_depth);
            match outcome.end {
                End::Exhausted(_) => {
                    complete += u64::from(max_depth < known.stack);
                    assert_eq!(graph.expanded.len() as u64, known.states);
                    assert_eq!(outcome.statistics.states, known.states);
                }
                End::Stopped(limit) => {
                    assert!(max_depth < known.stack);
                    assert_eq!(limit, Limit::Depth(max_depth as u32));
                }
                End::Violation => panic!("there is none"),
            }
        }
    }
    assert!(complete > 0);
    let mut diamond = Graph { edges: vec![vec![1, 3], vec![2], vec![3], vec![]], ..Graph::default() };
    let outcome = run(&mut diamond, Order::DepthFirst, &Budget { max_depth: Some(2), ..Budget::default() });
    assert!(matches!(outcome.end, End::Exhausted(_)), "3 is cut off after 2 and reached from 0");
}

/// Raises a flag after so many expansions.
struct Alarm {
    graph: Graph,
    left: u64,
    flag: Arc<AtomicBool>,
}

impl Successors for Alarm {
    fn initial(&mut self, out: &mut Batch) {
        self.graph.initial(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.graph.expand(state, choice, out)
    }
}

#[test]
fn never_exhausted_when_interrupted() {
    let mut random = Random(3);
    for seed in 0..40 {
        let graph = graph(seed);
        let states = known(&graph).states;
        for order in ORDERS {
            let left = 1 + random.below(states);
            let flag = Arc::new(AtomicBool::new(false));
            let budget = Budget { interrupt: Some(flag.clone()), ..Budget::default() };
            let outcome = run(&mut Alarm { graph: graph.clone(), left, flag }, order, &budget);
            // Too late to matter when the last few states are under way.
            if left + 100 < states {
                assert!(matches!(outcome.end, End::Stopped(Limit::Interrupted)), "{:?}", outcome.end);
                assert!(outcome.statistics.states < states);
            }
        }
    }
}

#[test]
fn out_of_time() {
    for order in ORDERS {
        let budget = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let outcome = run(&mut graph(1), order, &budget);
        assert!(matches!(outcome.end, End::Stopped(Limit::Time)));
        assert!(outcome.statistics.states < 1000);
    }
}

/// Forgets nothing, but says it might.
struct Doubtful(ExactStore);

impl Store for Doubtful {
    fn intern(&mut self, batch: &Batch, seen: &mut Vec<Seen>) -> Result<(), Full> {
        self.0.intern(batch, seen)
    }

    fn fetch(&self, id: StateId, into: &mut Vec<u8>) {
        self.0.fetch(id, into);
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn longest(&self) -> u64 {
        self.0.longest()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Lossy
    }
}

#[test]
fn a_lossy_store_proves_nothing() {
    let store = Doubtful(ExactStore::new(Capacity::UNLIMITED));
    let outcome = explore_with(store, &mut graph(1), &Options::default(), &Budget::default(), &Progress::new());
    assert!(matches!(outcome.end, End::Stopped(Limit::LossyStore)));
}
