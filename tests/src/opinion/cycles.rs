//! Acceptance cycles and non-progress cycles.

use super::fairness::Fairness;
use super::graph::Graph;
use super::ltl::arena;

/// No fair run has processes at `accept` labels infinitely often.
pub fn no_acceptance(graph: &Graph, fairness: Fairness) -> bool {
    let arena = arena(graph, true);
    let accept = graph.nodes.iter().map(|n| n.accept).collect();
    !arena.fair(&vec![true; graph.nodes.len()], &[accept], fairness).contains(&true)
}

/// Every fair run that does not end has processes at `progress` labels infinitely often.
pub fn progress(graph: &Graph, fairness: Fairness) -> bool {
    let inside: Vec<bool> = graph.nodes.iter().map(|n| !n.progress).collect();
    !arena(graph, false).fair(&inside, &[], fairness).contains(&true)
}
