//! Reduction of automata. Useless states and marks are removed (`trim.rs`). States that simulate each other are
//! merged, and dominated edges are removed (`simulation.rs`).

mod simulation;
mod trim;

use crate::bdd::Bdds;
use crate::graph::Graph;
use crate::problem::TooLarge;

pub use trim::{Marking, irredundant, trim};

/// The results of several sequences of reductions. None of them is always the smallest.
pub fn variants(graph: &Graph, bdds: &mut Bdds) -> Result<Vec<Graph>, TooLarge> {
    let mut all = Vec::new();
    for marking in [Marking::Few, Marking::Fewest, Marking::Many, Marking::Most] {
        let reduced = reduce_with(graph.clone(), marking, bdds)?;
        let enough = reduced.states.len() <= 1 || reduced.states.len() > MANY_STATES;
        all.push(reduced);
        if enough {
            break;
        }
    }
    Ok(all)
}

/// Number of states above which only one sequence of reductions is applied.
pub const MANY_STATES: usize = 60;

/// The smallest graph, by states and then by edges.
pub fn smallest(graphs: impl IntoIterator<Item = Graph>) -> Graph {
    graphs.into_iter().min_by_key(Graph::size).unwrap_or_else(Graph::empty)
}

fn reduce_with(mut graph: Graph, marking: Marking, bdds: &mut Bdds) -> Result<Graph, TooLarge> {
    loop {
        bdds.check()?;
        graph = trim(&graph, marking, bdds);
        let before = graph.size();
        graph = simulation::merge_same(graph, bdds);
        if simulation::is_affordable(&graph) {
            graph = simulation::forward(graph, bdds);
            graph = trim(&graph, marking, bdds);
            graph = simulation::backward(graph, bdds);
        }
        if graph.size() >= before {
            return Ok(trim(&graph, marking.without_transient(), bdds));
        }
    }
}
