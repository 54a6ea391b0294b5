//! Every limit stops a search with its name, and a stopped search is never complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::graph::{Graph, Random, configurations, known, run, without_capabilities};
use kripke_model::{Batch, Choice, Flags, State, Successors};
use kripke_search::store::{Capacity, ExactHandle, ExactStore, Omission, Runs, Store};
use kripke_search::{Budget, End, Limit, Options, Order, Progress, StoreKind, explore, explore_with};

/// A large random graph.
fn graph(seed: u64) -> Graph {
    Graph::random(&mut Random::new(seed), 20_000, 3)
}

#[test]
fn never_exhausted_when_states_are_cut_off() {
    let mut random = Random::new(1);
    for seed in 0..20 {
        let graph = graph(seed);
        let states = known(&graph).states;
        for configuration in configurations(None) {
            let max = random.below_u64(states + 1).max(1);
            let budget = Budget { max_states: Some(max), ..Budget::default() };
            let outcome = run(&graph, &configuration, &budget);
            // Each worker but one may have reserved a state that another worker added first.
            let slack = configuration.workers() as u64 - 1;
            let stored = outcome.statistics.states;
            assert!((max.min(states).saturating_sub(slack)..=max).contains(&stored), "{stored} states of {max}");
            match outcome.end {
                End::Exhausted(_) => assert_eq!(max, states),
                End::Stopped(limit) => assert_eq!((max < states, limit), (true, Limit::States(max))),
                End::Violation | End::Decided(_) => panic!("there is none"),
            }
        }
    }
}

#[test]
fn never_exhausted_when_memory_runs_out() {
    let mut random = Random::new(2);
    let mut stopped = 0;
    for seed in 0..20 {
        let graph = graph(seed);
        for configuration in configurations(None) {
            let enough = run(&graph, &configuration, &Budget::default()).statistics;
            let needed = enough.store_bytes + enough.search_bytes;
            let memory = random.below_u64(needed + 1);
            let outcome = run(&graph, &configuration, &Budget { memory: Some(memory), ..Budget::default() });
            let used = outcome.statistics.store_bytes;
            if outcome.statistics.states > 0 {
                let slack = match (configuration.store, configuration.order) {
                    (StoreKind::Exact, Order::BreadthFirst) => 1 << 10,
                    // The visited bits double in size, and states of each length have their own blocks.
                    (StoreKind::Exact | StoreKind::Auto, Order::DepthFirst) => 128 << 10,
                    // The tables of a tree store start small, but are numerous.
                    _ => 32 << 10,
                };
                assert!(used <= memory + slack, "{used} bytes instead of {memory}: {configuration:?}");
            }
            match outcome.end {
                End::Exhausted(_) => assert_eq!(outcome.statistics.states, enough.states),
                End::Stopped(limit) => {
                    stopped += 1;
                    assert_eq!(limit, Limit::Memory(memory));
                }
                End::Violation | End::Decided(_) => panic!("there is none"),
            }
        }
    }
    assert!(stopped > 80);
}

/// A path of states that share most bytes: much smaller as trees.
#[derive(Clone)]
struct Chain;

impl Successors for Chain {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[0; 200]);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        let at = u32::from_le_bytes(*state.first_chunk().unwrap());
        if at < 50_000 {
            let mut next = state.to_vec();
            next[..4].copy_from_slice(&(at + 1).to_le_bytes());
            out.push(&next);
        }
        Flags::default()
    }
}

without_capabilities!(Chain);

#[test]
fn migrates_to_trees_when_memory_is_nearly_exhausted() {
    let search = |store, memory, taken| {
        let budget = Budget { memory: Some(memory), taken, ..Budget::default() };
        let options = Options { store, threads: Some(1), ..Options::default() };
        explore(&|| Box::new(Chain), &options, &budget, &Progress::new())
    };
    let tight = 6 << 20;
    assert!(matches!(search(StoreKind::Exact, tight, 0).end, End::Stopped(Limit::Memory(memory)) if memory == tight));
    let outcome = search(StoreKind::Auto, tight, 0);
    assert!(matches!(outcome.end, End::Exhausted(_)), "{:?}", outcome.end);
    let changes = &outcome.statistics.migrations;
    assert_eq!((outcome.statistics.store, outcome.statistics.states, changes.len()), (StoreKind::Tree, 50_001, 1));
    assert!((10_000..30_000).contains(&changes[0].states), "{changes:?}");
    assert_eq!(search(StoreKind::Auto, tight * 4, 0).statistics.store, StoreKind::Exact);
    assert_eq!(search(StoreKind::Auto, tight * 4, tight * 3).statistics.store, StoreKind::Tree, "the rest is taken");
}

#[test]
fn a_depth_limit_cuts_off_what_lies_beyond() {
    for seed in 0..20 {
        let graph = graph(seed);
        let known = known(&graph);
        for (max_depth, configuration) in
            (0..known.depth + 3).zip(configurations(Some(Order::BreadthFirst)).into_iter().cycle())
        {
            let budget = Budget { max_depth: Some(max_depth as u32), ..Budget::default() };
            let outcome = run(&graph, &configuration, &budget);
            assert!(outcome.statistics.depth <= max_depth);
            match outcome.end {
                End::Exhausted(_) => assert!(max_depth >= known.depth),
                End::Stopped(limit) => {
                    assert_eq!((max_depth < known.depth, limit), (true, Limit::Depth(max_depth as u32)));
                }
                End::Violation | End::Decided(_) => panic!("there is none"),
            }
        }
    }
}

/// A depth-first search may be complete although it reached the depth limit, if all states beyond it are reached on
/// other paths.
#[test]
fn depth_first_within_a_depth() {
    let mut complete = 0;
    for seed in 0..200 {
        let graph = Graph::random(&mut Random::new(seed), 60, 3);
        let known = known(&graph);
        for (max_depth, configuration) in
            (0..known.stack + 2).zip(configurations(Some(Order::DepthFirst)).into_iter().cycle())
        {
            graph.expanded.lock().unwrap().clear();
            let budget = Budget { max_depth: Some(max_depth as u32), ..Budget::default() };
            let outcome = run(&graph, &configuration, &budget);
            assert!(outcome.statistics.depth <= max_depth);
            match outcome.end {
                End::Exhausted(_) => {
                    complete += u64::from(max_depth < known.stack);
                    assert_eq!(graph.expanded.lock().unwrap().len() as u64, known.states);
                    assert_eq!(outcome.statistics.states, known.states);
                }
                End::Stopped(limit) => {
                    assert!(max_depth < known.stack);
                    assert_eq!(limit, Limit::Depth(max_depth as u32));
                }
                End::Violation | End::Decided(_) => panic!("there is none"),
            }
        }
    }
    assert!(complete > 0);
    let diamond = Graph { edges: vec![vec![1, 3], vec![2], vec![3], vec![]], ..Graph::default() };
    for configuration in configurations(Some(Order::DepthFirst)) {
        let outcome = run(&diamond, &configuration, &Budget { max_depth: Some(2), ..Budget::default() });
        assert!(matches!(outcome.end, End::Exhausted(_)), "3 is cut off after 2 and reached from 0");
    }
}

/// Sets a flag after so many expansions.
#[derive(Clone)]
struct Alarm {
    graph: Graph,
    left: Arc<AtomicU64>,
    flag: Arc<AtomicBool>,
}

impl Successors for Alarm {
    fn initial(&mut self, out: &mut Batch) {
        self.graph.initial(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.graph.expand(state, choice, out)
    }
}

without_capabilities!(Alarm);

#[test]
fn never_exhausted_when_interrupted() {
    let mut random = Random::new(3);
    for seed in 0..20 {
        let graph = graph(seed);
        let states = known(&graph).states;
        for configuration in configurations(None) {
            let left = 1 + random.below_u64(states);
            let flag = Arc::new(AtomicBool::new(false));
            let budget = Budget { interrupt: Some(flag.clone()), ..Budget::default() };
            let alarm = Alarm { graph: graph.clone(), left: Arc::new(AtomicU64::new(left)), flag };
            let outcome = run(&alarm, &configuration, &budget);
            // The flag has no effect when the last states are being expanded.
            if left + 100 < states && configuration.workers() == 1 {
                assert!(matches!(outcome.end, End::Stopped(Limit::Interrupted)), "{:?}", outcome.end);
                assert!(outcome.statistics.states < states);
            } else if outcome.statistics.states < states {
                assert!(matches!(outcome.end, End::Stopped(Limit::Interrupted)), "{:?}", outcome.end);
            }
        }
    }
}

#[test]
fn out_of_time() {
    for configuration in configurations(None) {
        let budget = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        let outcome = run(&graph(1), &configuration, &budget);
        assert!(matches!(outcome.end, End::Stopped(Limit::Time)));
        assert!(outcome.statistics.states < 1000);
    }
}

/// An exact store that claims to be lossy.
struct Doubtful(ExactStore);

impl Store for Doubtful {
    type Handle<'a> = ExactHandle<'a>;
    type Queue = Runs;

    fn handle(&self) -> ExactHandle<'_> {
        self.0.handle()
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
    for options in configurations(None) {
        let store = || Doubtful(ExactStore::new(Capacity::UNLIMITED, options.workers()));
        let graph = graph(1);
        let factory = || -> Box<dyn Successors> { Box::new(graph.clone()) };
        let outcome = explore_with(store, &factory, &options, &Budget::default(), &Progress::new());
        assert!(matches!(outcome.end, End::Stopped(Limit::LossyStore)));
    }
}
