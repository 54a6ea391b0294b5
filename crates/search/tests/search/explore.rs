//! Searches of graphs, compared with a simple reference search.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::{Graph, ProcessGraph, Random, configurations, finding, follow, known, run_in, without_capabilities};
use kripke_model::trail::Ending;
use kripke_model::{Batch, Choice, Fault, FindingKind, Flags, State, Successors, Trail};
use kripke_search::{Budget, End, ErrorKind, Limit, Options, Order, Outcome, Statistics, StoreKind};

fn run<M: Successors + Clone + Sync>(model: &M, options: &Options) -> Outcome {
    crate::graph::run(model, options, &Budget::default())
}

#[test]
fn random_graphs_are_explored_exactly() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let nodes = 1 + random.below_u64(400);
        let degree = 1 + random.below_u64(4);
        let mut graph = Graph::random(&mut random, nodes, degree);
        graph.invalid_ends = seed % 2 == 0;
        graph.add_random_findings(&mut random, seed % 7);
        let known = known(&graph);
        // All successors are an ample set.
        let reduced = configurations(None).into_iter().map(|options| Options { reduces: true, ..options });
        for configuration in configurations(None).into_iter().chain(reduced) {
            let order = configuration.order;
            graph.expanded.lock().unwrap().clear();
            let outcome = run(&graph, &Options { all_errors: true, ..configuration });
            let s = outcome.statistics;
            let End::Exhausted(exhausted) = outcome.end else { panic!("seed {seed}: {:?}", outcome.end) };
            assert_eq!(exhausted.error_free().is_some(), known.errors.total() == 0);
            assert_eq!(exhausted.errors(), known.errors);
            assert_eq!(
                (s.states, s.transitions, s.errors, s.state_bytes),
                (known.states, known.transitions, known.errors, known.state_bytes),
                "seed {seed} {order:?}"
            );
            let depth = if order == Order::BreadthFirst { known.depth } else { known.stack };
            assert_eq!(s.depth, depth, "seed {seed} {order:?}");
            if order == Order::DepthFirst {
                // Constructing a trail expands states again.
                let mut seen = HashSet::new();
                let mut expanded = graph.expanded.lock().unwrap().clone();
                expanded.retain(|&node| seen.insert(node));
                assert_eq!(expanded, known.preorder, "seed {seed}");
            }
            for violation in &outcome.violations {
                follow(&graph, &violation.trail);
            }
        }
    }
}

/// The number of times each node was expanded.
fn expansions(graph: &Graph) -> Vec<usize> {
    let mut counts = vec![0; graph.edges.len()];
    graph.expanded.lock().unwrap().drain(..).for_each(|node| counts[node as usize] += 1);
    counts
}

/// Several workers that search depth-first expand every state once, and each error has a trail.
#[test]
fn parallel_depth_first_searches_are_complete() {
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let (nodes, degree) = (1 + random.below_u64(8000), 1 + random.below_u64(4));
        let mut graph = Graph::random(&mut random, nodes, degree);
        graph.add_random_findings(&mut random, seed % 4);
        let known = known(&graph);
        let reachable: HashSet<u32> = known.preorder.iter().copied().collect();
        let once: Vec<usize> = (0..nodes as u32).map(|node| usize::from(reachable.contains(&node))).collect();
        for (store, threads) in [(StoreKind::Exact, 2), (StoreKind::Exact, 6), (StoreKind::Tree, 3)] {
            let options = Options { order: Order::DepthFirst, store, threads: Some(threads), ..Options::default() };
            assert_eq!(options.workers(), threads);
            graph.expanded.lock().unwrap().clear();
            let outcome = run(&graph, &Options { all_errors: true, ..options.clone() });
            let End::Exhausted(exhausted) = outcome.end else { panic!("seed {seed}: {:?}", outcome.end) };
            let s = outcome.statistics;
            assert_eq!((s.states, s.transitions), (known.states, known.transitions), "seed {seed} {store:?}");
            assert_eq!((exhausted.errors(), s.errors), (known.errors, known.errors), "seed {seed} {store:?}");
            assert_eq!(outcome.violations.is_empty(), known.errors.total() == 0);
            outcome.violations.iter().for_each(|violation| _ = follow(&graph, &violation.trail));
            if outcome.violations.is_empty() {
                assert_eq!(expansions(&graph), once, "seed {seed} {store:?}");
            }
            let first = run(&graph, &options);
            assert_eq!(first.violations.len(), usize::from(known.errors.total() > 0), "seed {seed} {store:?}");
            first.violations.iter().for_each(|violation| _ = follow(&graph, &violation.trail));
        }
    }
}

/// The same with states in words.
#[test]
fn parallel_depth_first_searches_in_words_are_complete() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let nodes = 1 + random.below_u64(8000);
        let graph = ProcessGraph::random(&mut random, nodes);
        let count = |options: &Options, form| {
            let outcome = run_in(form, &graph, options);
            assert!(matches!(outcome.end, End::Exhausted(_)), "seed {seed}: {:?}", outcome.end);
            (outcome.statistics.states, outcome.statistics.transitions)
        };
        let expected = count(&Options { threads: Some(1), ..Options::default() }, 0);
        for (form, threads) in (0..5).zip([2, 2, 3, 4, 6]) {
            let options = Options { order: Order::DepthFirst, threads: Some(threads), ..Options::default() };
            assert_eq!(count(&options, form), expected, "seed {seed} {form}");
        }
    }
}

#[test]
fn stops_at_the_first_violation_with_a_trail_to_it() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let nodes = 1 + random.below_u64(400);
        let mut graph = Graph::random(&mut random, nodes, 4);
        graph.invalid_ends = seed % 3 == 0;
        graph.add_random_findings(&mut random, seed % 5);
        let known = known(&graph);
        for configuration in configurations(None) {
            let order = configuration.order;
            let outcome = run(&graph, &configuration);
            match known.nearest_error {
                None => assert!(matches!(outcome.end, End::Exhausted(_)) && outcome.violations.is_empty()),
                Some(distance) => {
                    assert!(matches!(outcome.end, End::Violation));
                    let [violation] = &outcome.violations[..] else { panic!("one violation") };
                    assert_eq!(outcome.statistics.errors.total(), 1);
                    let node = follow(&graph, &violation.trail);
                    if let (ErrorKind::Finding(finding), Ending::Finding(n)) =
                        (&violation.error, violation.trail.ending)
                    {
                        assert_eq!(graph.findings[&node][n as usize], *finding);
                    }
                    if order == Order::BreadthFirst {
                        assert_eq!(violation.trail.choices.len() as u64, distance, "seed {seed}: not the shortest");
                    }
                }
            }
        }
    }
}

#[test]
fn all_errors_keeps_one_trail_per_site() {
    // 0 → 1 → 2 → 3, with the same assertion failing everywhere, and two faults at the same site.
    let mut graph = Graph { edges: vec![vec![1], vec![2], vec![3], vec![]], invalid_ends: true, ..Graph::default() };
    for node in 0..4 {
        graph.add(node, FindingKind::Assertion, 7);
    }
    graph.add(2, FindingKind::Fault(Fault::DivisionByZero), 7);
    graph.add(2, FindingKind::Fault(Fault::NoChannel), 7);
    for configuration in configurations(None) {
        let outcome = run(&graph, &Options { all_errors: true, ..configuration });
        let trails: Vec<_> = outcome.violations.iter().map(|v| (v.trail.choices.len(), v.trail.ending)).collect();
        let faults = [(2, Ending::Finding(1)), (2, Ending::Finding(2))];
        assert_eq!(trails, [(0, Ending::Finding(0)), faults[0], faults[1], (3, Ending::InvalidEnd)]);
        assert_eq!(outcome.statistics.errors.total(), 4 + 2 + 1);
    }
}

#[test]
fn disabled_checks_report_no_errors() {
    let mut graph = Graph { edges: vec![vec![1], vec![]], invalid_ends: true, ..Graph::default() };
    graph.add(0, FindingKind::Assertion, 1);
    let cases = [(true, true, 2), (true, false, 1), (false, true, 1), (false, false, 0)];
    for (assertions, end_states, errors) in cases {
        let options = Options { assertions, end_states, all_errors: true, ..Options::default() };
        let outcome = run(&graph, &options);
        assert_eq!((outcome.statistics.errors.total(), outcome.violations.len()), (errors, errors as usize));
        let first = run(&graph, &Options { all_errors: false, ..options });
        assert_eq!(matches!(first.end, End::Exhausted(_)), errors == 0);
    }
    graph.add(1, FindingKind::Fault(Fault::DivisionByZero), 1);
    let outcome = run(&graph, &Options { assertions: false, end_states: false, ..Options::default() });
    assert!(matches!(outcome.end, End::Violation), "faults always count");
}

#[test]
fn an_endless_sequence_is_a_limit_and_no_violation() {
    for configuration in configurations(None) {
        let mut graph = Graph { edges: vec![vec![1], vec![2], vec![]], ..Graph::default() };
        graph.add(1, FindingKind::EndlessSequence, 3);
        graph.add(2, FindingKind::Assertion, 4);
        for all_errors in [false, true] {
            let outcome = run(&graph, &Options { all_errors, ..configuration.clone() });
            let End::Stopped(Limit::EndlessSequence(at)) = outcome.end else { panic!("{:?}", outcome.end) };
            assert_eq!(at, finding(FindingKind::EndlessSequence, 3));
            assert_eq!(outcome.statistics.errors.total(), u64::from(all_errors), "goes on only to count all errors");
            assert_eq!(outcome.violations.len(), usize::from(all_errors));
        }
    }
}

/// 0 → 1 → … → `length`, and each state also leads back to the first.
#[derive(Clone)]
struct Line {
    length: u32,
    bad_end: bool,
}

impl Successors for Line {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&0u32.to_le_bytes());
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        let at = u32::from_le_bytes(state.try_into().unwrap());
        out.push(&0u32.to_le_bytes());
        if at < self.length {
            out.push(&(at + 1).to_le_bytes());
        }
        Flags { invalid_end: self.bad_end && at == self.length, ..Flags::default() }
    }
}

without_capabilities!(Line);

#[test]
fn millions_of_steps_deep() {
    for (n, options) in configurations(None).into_iter().enumerate() {
        let length = if n < 2 { 2_000_000 } else { 100_000 };
        let outcome = run(&Line { length, bad_end: false }, &options);
        assert!(matches!(outcome.end, End::Exhausted(_)));
        assert_eq!((outcome.statistics.states, outcome.statistics.depth), (u64::from(length) + 1, u64::from(length)));
        let outcome = run(&Line { length, bad_end: true }, &options);
        let [violation] = &outcome.violations[..] else { panic!("one violation") };
        assert_eq!(violation.trail.choices, vec![1; length as usize]);
    }
}

/// A state with very many successors, some of which have as many.
#[derive(Clone)]
struct Wide(u32);

impl Successors for Wide {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[]);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        if state.is_empty() || state[0] == 7 {
            (0..self.0).for_each(|n| out.push(&n.to_le_bytes()));
        }
        Flags::default()
    }
}

without_capabilities!(Wide);

#[test]
fn very_many_successors_of_one_state() {
    for configuration in configurations(None) {
        let order = configuration.order;
        let outcome = run(&Wide(20_000), &configuration);
        let s = outcome.statistics;
        let sevens = (0..20_000).filter(|n| n % 256 == 7).count() as u64;
        assert_eq!((s.states, s.transitions), (20_001, 20_000 * (1 + sevens)));
        assert_eq!((s.depth, s.state_bytes), (if order == Order::BreadthFirst { 1 } else { sevens + 1 }, 4));
    }
}

/// The errors and the lengths of their trails.
fn steps(outcome: &Outcome) -> Vec<(ErrorKind, usize)> {
    outcome.violations.iter().map(|v| (v.error.clone(), v.trail.choices.len())).collect()
}

/// Counts, kept errors and trail lengths do not depend on the number of threads. All numbers of threads above one
/// give the same trails.
#[test]
fn results_do_not_depend_on_threads() {
    for seed in 0..25 {
        let mut random = Random::new(seed);
        let nodes = 5_000 + random.below_u64(60_000);
        let degree = 2 + random.below_u64(3);
        let mut graph = Graph::random(&mut random, nodes, degree);
        graph.invalid_ends = seed % 3 == 0;
        graph.add_random_findings(&mut random, seed % 7 * seed % 50);
        for all_errors in [false, true] {
            let with = |configuration: &Options| run(&graph, &Options { all_errors, ..configuration.clone() });
            let configurations = configurations(Some(Order::BreadthFirst));
            let (alone, several) = (with(&configurations[0]), with(&configurations[1]));
            assert_eq!((configurations[0].threads, configurations[1].threads), (Some(1), Some(2)));
            for violation in &alone.violations {
                follow(&graph, &violation.trail);
            }
            for configuration in &configurations[2..] {
                let outcome = with(configuration);
                let figures =
                    |s: &kripke_search::Statistics| (s.states, s.transitions, s.depth, s.errors, s.state_bytes);
                assert_eq!(figures(&outcome.statistics), figures(&alone.statistics), "seed {seed} {configuration:?}");
                // One thread may find a different trail than several, of the same length.
                let like = if configuration.threads == Some(1) { &alone } else { &several };
                assert_eq!(outcome.violations, like.violations, "seed {seed} {configuration:?}");
                assert_eq!(steps(&outcome), steps(&alone), "seed {seed} {configuration:?}");
                assert_eq!(format!("{:?}", outcome.end), format!("{:?}", alone.end));
            }
        }
    }
}

/// Three counters, each up to its bound.
#[derive(Clone)]
struct Counters(u16);

impl Successors for Counters {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[0; 20]);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        for counter in [0, 9, 18] {
            let mut next = state.to_vec();
            let value = u16::from_le_bytes([state[counter], state[counter + 1]]) + 1;
            next[counter..counter + 2].copy_from_slice(&value.to_le_bytes());
            if value < self.0 {
                out.push(&next);
            } else if state[18] % 7 == 3 {
                out.find(finding(FindingKind::Assertion, counter as u32));
            }
        }
        Flags { invalid_end: out.is_empty(), ..Flags::default() }
    }
}

without_capabilities!(Counters);

/// Executes a trail and checks its end.
fn count(mut counters: Counters, trail: &Trail) {
    let (mut state, mut out) = (vec![0; 20], Batch::new());
    for &choice in &trail.choices {
        out.clear();
        counters.expand(&state, Choice::All, &mut out);
        state = out.state(choice as usize).to_vec();
    }
    out.clear();
    let flags = counters.expand(&state, Choice::All, &mut out);
    match trail.ending {
        Ending::Finding(n) => assert!((n as usize) < out.findings().len(), "no finding {n} there"),
        _ => assert!(flags.invalid_end, "no end"),
    }
}

/// States in words are kept in the word store if they are short enough, otherwise in the exact store, from where they can move to trees.
#[test]
fn states_in_words_of_any_length_are_explored_like_others() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let nodes = 100 + random.below_u64(3000);
        let graph = ProcessGraph::random(&mut random, nodes);
        for (order, threads) in [(Order::BreadthFirst, 1), (Order::BreadthFirst, 3), (Order::DepthFirst, 1)] {
            let options = Options { order, threads: Some(threads), all_errors: true, ..Options::default() };
            let exact = run(&graph, &Options { store: StoreKind::Exact, ..options.clone() });
            let figures = |s: &Statistics| (s.states, s.transitions, s.depth, s.errors);
            let check = |bits: u32, options: &Options, store: StoreKind| {
                let system = ProcessGraph { word_bits: Some(bits), ..graph.clone() };
                let found = run(&system, options);
                let what = format!("seed {seed}, {bits} bits, {order:?}, {threads} threads, {store:?}");
                if order == Order::BreadthFirst {
                    assert_eq!(figures(&found.statistics), figures(&exact.statistics), "{what}");
                }
                assert_eq!(found.statistics.states, exact.statistics.states, "{what}");
                assert_eq!(found.statistics.transitions, exact.statistics.transitions, "{what}");
                assert_eq!(found.statistics.state_bytes, u64::from(bits.div_ceil(64) * 8), "{what}");
                assert_eq!(found.statistics.store, store, "{what}");
                assert_eq!(steps(&found).len(), steps(&exact).len(), "{what}");
            };
            for (bits, store) in [
                (64, StoreKind::Words),
                (65, StoreKind::Words),
                (127, StoreKind::Words),
                (128, StoreKind::Exact),
                (129, StoreKind::Exact),
                (200, StoreKind::Exact),
                (300, StoreKind::Exact),
                (384, StoreKind::Exact),
                (400, StoreKind::Exact),
                (512, StoreKind::Exact),
            ] {
                check(bits, &options, store);
                check(bits, &Options { store: StoreKind::Exact, ..options.clone() }, StoreKind::Exact);
            }
            let one_word = Options { word_store_bits: 64, ..options.clone() };
            check(64, &one_word, StoreKind::Words);
            check(65, &one_word, StoreKind::Exact);
            let migrating = Options { migrate_at: Some(exact.statistics.states / 2), ..options };
            // Several workers may have searched so small a graph before they pause.
            if exact.statistics.states > 50 && threads == 1 {
                check(300, &migrating, StoreKind::Tree);
            }
        }
    }
}

/// Three counters up to the same bound, in one word. Whether they reach it in a certain way shows late.
#[derive(Clone)]
struct WordCounters {
    bound: u64,
    expanded: Arc<AtomicU64>,
}

impl Successors for WordCounters {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[0; 8]);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        self.expanded.fetch_add(1, Ordering::Relaxed);
        let word = u64::from_le_bytes(state.try_into().unwrap());
        let values = [0, 16, 32].map(|shift| (shift, word >> shift & 0xffff));
        for (shift, _) in values.iter().filter(|(_, value)| *value < self.bound) {
            out.push(&(word + (1 << shift)).to_le_bytes());
        }
        let sum: u64 = values.iter().map(|(_, value)| value).sum();
        if sum == 2 * self.bound && values[0].1 % 5 == 3 {
            out.find(finding(FindingKind::Assertion, values[0].1 as u32 % 2));
        }
        Flags::default()
    }
}

without_capabilities!(WordCounters, Some(48));

/// A search for trails begins with the levels that were kept, and finds the same trails as a search that has kept all.
#[test]
fn trails_are_the_same_however_many_levels_are_kept() {
    let search = |memory: Option<u64>, threads: usize, all_errors: bool| {
        let expanded = Arc::new(AtomicU64::new(0));
        let counters = WordCounters { bound: 50, expanded: expanded.clone() };
        let options = Options { threads: Some(threads), all_errors, store: StoreKind::Words, ..Options::default() };
        let outcome = crate::graph::run(&counters, &options, &Budget { memory, ..Budget::default() });
        assert_eq!(outcome.statistics.store, StoreKind::Words);
        (outcome, expanded.load(Ordering::Relaxed))
    };
    for (threads, all_errors) in [(1, false), (1, true), (3, false), (3, true)] {
        let (all, _) = search(None, threads, all_errors);
        let states = all.statistics.states;
        assert_eq!(steps(&all).iter().map(|(_, steps)| *steps).max(), Some(100));
        // A 1024th of the memory is for the first levels, of eight bytes per state.
        let expanded = [4 << 10, 64 << 10, 160 << 10, 400 << 10].map(|bytes: u64| {
            let (some, expanded) = search(Some(bytes * 1024), threads, all_errors);
            assert_eq!(some.violations, all.violations, "{bytes} {threads} {all_errors}");
            assert_eq!(some.statistics.states, states);
            expanded
        });
        // 51,200 states are kept at most, without the last of their levels.
        assert!(expanded.is_sorted_by(|more, fewer| more > fewer), "what is kept is not expanded again: {expanded:?}");
        let least = if threads == 1 { 40_000 } else { 20_000 };
        assert!(expanded[0] - expanded[3] > least, "{expanded:?} of {states} states");
        // One worker has a spanning tree, so nothing is searched again but levels of few states.
        if threads == 1 {
            assert!(expanded[3] < states + 40_000, "{expanded:?} of {states} states");
        }
    }
}

/// Results do not depend on when the search migrates. The states are moved in several blocks.
#[test]
fn results_do_not_depend_on_migration() {
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let with = |store, migrate_at, threads| {
            let threads = Some(threads);
            run(&Counters(60), &Options { order, store, migrate_at, threads, all_errors: true, ..Options::default() })
        };
        let exact = with(StoreKind::Exact, None, 1);
        // A depth-first search that may migrate has one worker.
        let several = with(StoreKind::Exact, None, if order == Order::DepthFirst { 1 } else { 2 });
        let figures = |s: &kripke_search::Statistics| (s.states, s.transitions, s.depth, s.errors, s.state_bytes);
        assert_eq!(exact.statistics.states, 60 * 60 * 60);
        for (migrate_at, threads) in [(150_000, 1), (1_000, 2), (90_000, 2), (200_000, 3)] {
            let changed = with(StoreKind::Auto, Some(migrate_at), threads);
            assert_eq!(figures(&changed.statistics), figures(&exact.statistics), "{order:?} {migrate_at} {threads}");
            assert_eq!(steps(&changed), steps(&exact), "{order:?} {migrate_at} {threads}");
            if threads > 1 {
                assert_eq!(changed.violations, several.violations, "{order:?} {migrate_at} {threads}");
            }
            changed.violations.iter().for_each(|violation| count(Counters(60), &violation.trail));
            assert!(matches!(changed.end, End::Exhausted(_)));
            let [change] = changed.statistics.migrations[..] else { panic!("one change") };
            assert_eq!((change.from, changed.statistics.store), (StoreKind::Exact, StoreKind::Tree));
            assert!((migrate_at..migrate_at + 20_000).contains(&change.states), "{}", change.states);
        }
    }
}

/// After a migration to lossy stores, errors are found and have trails.
#[test]
fn a_search_can_migrate_to_lossy_stores() {
    let budget = Budget { memory: Some(64 << 20), ..Budget::default() };
    let configurations = [(true, 1), (true, 3), (false, 2)].into_iter();
    for (order, (all_errors, threads)) in configurations
        .flat_map(|configuration| [(Order::BreadthFirst, configuration), (Order::DepthFirst, configuration)])
    {
        let with = |store, migrate_at: Option<u64>| {
            let (lossy, threads) = (migrate_at.is_some(), Some(threads));
            let options = Options { order, store, migrate_at, lossy, threads, all_errors, ..Options::default() };
            crate::graph::run(&Counters(60), &options, &budget)
        };
        let exact = with(StoreKind::Exact, None);
        // The last store is a bitstate store or hash compaction.
        for (migrate_at, before) in [(40_000, 3), (90_000, 2)] {
            let what = format!("{order:?}, {threads} threads, change at {migrate_at}");
            let lossy = with(StoreKind::Auto, Some(migrate_at));
            for violation in &lossy.violations {
                let mut state = vec![0; 20];
                for &choice in &violation.trail.choices {
                    let mut batch = Batch::new();
                    Counters(60).expand(&state, Choice::All, &mut batch);
                    state = batch.state(choice as usize).to_vec();
                }
            }
            let length =
                |outcome: &Outcome| outcome.violations.iter().map(|v| v.trail.choices.len()).collect::<Vec<_>>();
            if order == Order::BreadthFirst {
                assert_eq!(length(&lossy), length(&exact), "{what}");
            }
            assert_eq!(lossy.violations.len(), exact.violations.len(), "{what}");
            assert_eq!(lossy.statistics.errors, exact.statistics.errors, "{what}");
            if all_errors {
                assert!(matches!(lossy.end, End::Stopped(Limit::LossyStore)), "{what}: {:?}", lossy.end);
                let counts = |outcome: &Outcome| (outcome.statistics.states, outcome.statistics.transitions);
                assert_eq!(counts(&lossy), counts(&exact), "{what}");
                let changes = &lossy.statistics.migrations;
                let used: Vec<_> =
                    changes.iter().map(|c| c.from.word()).chain([lossy.statistics.store.word()]).collect();
                assert_eq!(used, ["exact", "tree", "hash", "bitstate"][..=before], "{what}");
                assert!(changes.is_sorted_by_key(|change| change.states), "{what}: {changes:?}");
                let missed = lossy.statistics.omissions.expect("an estimate");
                assert!(missed.states < 1.0 && missed.at_most < 3.0, "{what}: {missed:?}");
            }
        }
    }
}

/// States that were stored exactly before a migration are not counted as possible omissions.
#[test]
fn the_estimate_excludes_states_before_the_migration() {
    // The memory limit makes the bit array small.
    let budget = Budget { memory: Some(3 << 20), ..Budget::default() };
    for migrate_at in [10_000, 30_000] {
        let (order, threads, migrate_at) = (Order::DepthFirst, Some(1), Some(migrate_at));
        let options = Options { order, migrate_at, lossy: true, threads, all_errors: true, ..Options::default() };
        let outcome = crate::graph::run(&Counters(60), &options, &budget);
        let Statistics { store, states, omissions: missed, .. } = outcome.statistics;
        let what = format!("{migrate_at:?}: {:?}, {states} states, {missed:?}", outcome.end);
        assert_eq!(store.word(), "bitstate", "{what}");
        let (lost, missed) = ((216_000 - states) as f64, missed.expect("an estimate"));
        // Each state has several predecessors, and few states are reachable only through omitted ones.
        assert!(missed.states > 2.0, "{what}");
        assert!(lost <= 1.5 * missed.at_most + 5.0 && lost > 0.3 * missed.states - 5.0, "{what}");
    }
}
