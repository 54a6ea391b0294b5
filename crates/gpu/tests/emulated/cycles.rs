//! Accepting cycles on an emulated device, against their definition on random graphs.

use kripke_gpu::emulation::{Emulated, Emulation};
use kripke_gpu::{Explorer, MemoryPlan};
use kripke_search::{Accelerator, Budget, Cycles, End, Limit, Options, Outcome, Progress, explore_accelerated};

use crate::graphs::Graph;
use crate::{can_emulate, directory};

fn search(machine: &mut dyn Accelerator, graph: Graph) -> Outcome {
    let options = Options { cycles: Some(Cycles::default()), threads: Some(2), ..Options::default() };
    explore_accelerated(machine, &|| Box::new(graph), &options, &Budget::default(), &Progress::new())
}

/// Compares the outcome with the definition. Returns whether there is an accepting cycle.
fn judge(graph: Graph, outcome: &Outcome, what: &str) -> bool {
    let (states, cycle) = graph.judge();
    match (&outcome.end, cycle) {
        (End::Exhausted(exhausted), false) => assert!(exhausted.error_free().is_some(), "{what}: {graph:?}"),
        (End::Violation, true) => {
            assert!(outcome.violations.iter().all(|found| graph.is_lasso(&found.trail)), "{what}: {graph:?}");
            assert_eq!((outcome.violations.len(), outcome.statistics.errors.cycles), (1, 1), "{what}: {graph:?}");
        }
        (end, cycle) => panic!("{what}: {graph:?}: {end:?}, a cycle: {cycle}"),
    }
    assert_eq!(outcome.statistics.states, states, "{what}: {graph:?}");
    cycle
}

/// Searches many graphs with memory that is divided like this.
fn compare(bits: u32, swaps_128_bits: bool, change: impl Fn(MemoryPlan) -> MemoryPlan) {
    let (text, emulated) = (Graph::text(bits), Emulated { memory: 1 << 20, swaps_128_bits });
    let plan = change(MemoryPlan::new(1 << 18, &text, swaps_128_bits).expect("enough memory"));
    let device = Emulation::start(&text, emulated, &directory()).expect("a device");
    let mut explorer = Explorer::with_stages(device, &text, vec![plan]).expect("memory");
    let what = format!("{bits} bits, swaps {swaps_128_bits}, {plan:?}");
    let graphs = (0..300).map(|number| Graph { number, bits });
    let cycles = graphs.filter(|graph| judge(*graph, &search(&mut explorer, *graph), &what)).count();
    assert!((60..=240).contains(&cycles), "{cycles} graphs with cycles");
}

/// Every form of the table.
#[test]
fn cycles_are_those_of_the_definition() {
    if can_emulate() {
        for (bits, swaps) in [(24, true), (63, true), (64, true), (64, false), (127, true), (127, false), (200, true)] {
            compare(bits, swaps, |plan| plan);
        }
    }
}

/// Queues and lists that are too short, and several passes.
#[test]
fn short_queues_do_not_change_verdicts() {
    if can_emulate() {
        for (bits, swaps) in [(24, true), (127, true), (200, true)] {
            compare(bits, swaps, |plan| MemoryPlan { queued: 3, ..plan });
            compare(bits, swaps, |plan| MemoryPlan { queued: 5, listed: 4, passes: 3, ..plan });
        }
    }
}

/// Full memory gives no verdict, and more memory gives the right one.
#[test]
fn full_memory_gives_no_wrong_verdict() {
    if !can_emulate() {
        return;
    }
    let text = Graph::text(24);
    let plan = MemoryPlan::new(1 << 18, &text, true).expect("enough memory");
    let small = |buckets: u64, ring_size: u64| MemoryPlan { buckets, ring_size, ..plan };
    let explorer = |stages: Vec<MemoryPlan>| {
        let device = Emulation::start(&text, Emulated { memory: 1 << 20, ..Emulated::default() }, &directory());
        Explorer::with_stages(device.expect("a device"), &text, stages).expect("memory")
    };
    let graphs = (0..100).map(|number| Graph { number, bits: 24 });
    for graph in graphs.clone().filter(|graph| graph.judge().0 > 20).take(6) {
        let grown = search(&mut explorer(vec![small(2, 8), small(5, 12), plan]), graph);
        judge(graph, &grown, "growing memory");
    }
    let (mut full, mut decided, mut little) = (0, 0, explorer(vec![small(6, 10)]));
    for graph in graphs {
        let outcome = search(&mut little, graph);
        if matches!(outcome.end, End::Stopped(Limit::DeviceMemory(_))) {
            full += 1;
        } else {
            judge(graph, &outcome, "little memory");
            decided += 1;
        }
    }
    assert!(full > 10 && decided > 10, "{full} full, {decided} decided");
}
