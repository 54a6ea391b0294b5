//! Depth-first search with a state cache: replacement does not change the verdict.

use crate::graph::{Graph, Random, follow, known, run};
use kripke_search::store::Tolerance;
use kripke_search::{Budget, CacheSize, End, Limit, Options, Outcome, StoreKind};

fn cached(graph: &Graph, states: u32, all_errors: bool, budget: &Budget) -> Outcome {
    let size = CacheSize { states: Some(states), tolerance: Tolerance { collisions: 40, probes: 120 } };
    run(graph, &Options { store: StoreKind::Cache(size), all_errors, ..Options::default() }, budget)
}

/// Layers of nodes with edges to the next layer and some back edges: many states and a shallow stack.
fn layers(random: &mut Random, count: u32, width: u32) -> Graph {
    let nodes = count * width;
    let edges = (0..nodes).map(|node| {
        let layer = node / width;
        let next = |random: &mut Random| {
            let to = if random.below_u64(10) == 0 { random.below_u64(u64::from(layer) + 1) as u32 } else { layer + 1 };
            to * width + random.below_u64(u64::from(width)) as u32
        };
        let degree = if layer + 1 == count { 0 } else { random.below_u64(4) };
        (0..degree).map(|_| next(random)).filter(|&to| to < nodes).collect()
    });
    Graph { edges: edges.collect(), ..Graph::default() }
}

#[test]
fn every_state_is_visited_despite_replacement() {
    let (mut replaced, mut full) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let mut graph = layers(&mut random, 12, 40);
        graph.invalid_ends = false;
        let known = known(&graph);
        for states in [1000, known.states as u32, known.states as u32 / 2, 40] {
            graph.expanded.lock().unwrap().clear();
            let outcome = cached(&graph, states, true, &Budget::default());
            let (s, cache) = (&outcome.statistics, outcome.statistics.cache.unwrap());
            match &outcome.end {
                End::Exhausted(exhausted) => {
                    assert!(exhausted.error_free().is_some());
                    let mut expanded = graph.expanded.lock().unwrap().clone();
                    expanded.sort_unstable();
                    expanded.dedup();
                    assert_eq!(expanded.len() as u64, known.states, "seed {seed}, {states} slots");
                }
                End::Stopped(Limit::Cache(slots)) => assert_eq!(*slots, cache.slots),
                end => panic!("{end:?}"),
            }
            full += u64::from(!matches!(outcome.end, End::Exhausted(_)));
            replaced += u64::from(cache.replaced > 0);
            if cache.replaced == 0 && matches!(outcome.end, End::Exhausted(_)) {
                assert_eq!((s.states, s.transitions), (known.states, known.transitions));
            }
            if states == 1000 {
                assert_eq!(cache.replaced, 0, "there is room for all");
            }
        }
    }
    assert!(replaced > 150 && full < 150, "{replaced} with replacements, {full} full");
}

#[test]
fn an_error_is_found_if_there_is_one() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let mut graph = layers(&mut random, 10, 30);
        graph.invalid_ends = seed % 2 == 0;
        graph.add_random_findings(&mut random, seed % 4);
        let known = known(&graph);
        let states = known.states as u32 * 2 / 3 + 20;
        let outcome = cached(&graph, states, false, &Budget::default());
        match (outcome.end, known.nearest_error) {
            (End::Violation, Some(_)) => {
                assert_eq!((outcome.violations.len(), outcome.statistics.errors.total()), (1, 1));
                follow(&graph, &outcome.violations[0].trail);
            }
            (End::Exhausted(exhausted), None) => assert!(exhausted.error_free().is_some()),
            (End::Stopped(Limit::Cache(_)), _) => {}
            other => panic!("seed {seed}: {other:?}"),
        }
        let all = cached(&graph, 1000, true, &Budget::default());
        assert_eq!((all.statistics.errors, all.statistics.states), (known.errors, known.states));
        for violation in &all.violations {
            follow(&graph, &violation.trail);
        }
    }
}

/// The stack contains the whole cycle.
#[test]
fn a_stack_that_does_not_fit_is_reported() {
    let graph = Graph { edges: (0..5000).map(|n| vec![(n + 1) % 5000]).collect(), ..Graph::default() };
    let outcome = cached(&graph, 1000, true, &Budget::default());
    assert!(matches!(outcome.end, End::Stopped(Limit::Cache(_))), "{:?}", outcome.end);
    let outcome = cached(&graph, 8000, true, &Budget::default());
    assert!(matches!(outcome.end, End::Exhausted(_)));
    assert_eq!((outcome.statistics.states, outcome.statistics.depth), (5000, 4999));
}

#[test]
fn limits_are_named() {
    let graph = layers(&mut Random::new(7), 20, 50);
    let known = known(&graph);
    let cut = Budget { max_depth: Some(5), ..Budget::default() };
    assert!(matches!(cached(&graph, 2000, true, &cut).end, End::Stopped(Limit::Depth(5))));
    let few = Budget { max_states: Some(known.states / 2), ..Budget::default() };
    assert!(matches!(cached(&graph, 2000, true, &few).end, End::Stopped(Limit::States(_))));
    let tiny = Budget { memory: Some(10_000), ..Budget::default() };
    assert!(matches!(cached(&graph, 2000, true, &tiny).end, End::Stopped(Limit::Memory(10_000))));
    let by_memory = Options { store: StoreKind::Cache(CacheSize::default()), ..Options::default() };
    let outcome = run(&graph, &by_memory, &Budget { memory: Some(200_000), ..Budget::default() });
    assert!(matches!(outcome.end, End::Exhausted(_)));
    assert!(outcome.statistics.store_bytes <= 200_000, "{}", outcome.statistics.store_bytes);
    assert_eq!(outcome.statistics.states, known.states);
}
