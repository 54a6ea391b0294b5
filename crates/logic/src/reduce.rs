//! Smaller automata with the same language: useless states and marks go (`trim.rs`), states that simulate each other
//! become one, edges that others outdo are dropped (`simulation.rs`).

mod simulation;
mod trim;

use crate::diagram::Diagrams;
use crate::graph::Graph;
use crate::problem::TooLarge;

pub use trim::{Transient, irredundant, trim};

/// Reduces in both ways of treating edges that are on no cycle, and keeps the smaller result.
pub fn reduce(graph: Graph, diagrams: &mut Diagrams) -> Result<Graph, TooLarge> {
    let plain = reduce_with(graph.clone(), Transient::Unmarked, diagrams)?;
    if plain.states.len() <= 2 {
        return Ok(plain);
    }
    let marked = reduce_with(graph, Transient::Marked, diagrams)?;
    Ok(if marked.size() < plain.size() { marked } else { plain })
}

fn reduce_with(mut graph: Graph, transient: Transient, diagrams: &mut Diagrams) -> Result<Graph, TooLarge> {
    loop {
        diagrams.check()?;
        graph = trim(&graph, transient, diagrams);
        let before = graph.size();
        graph = simulation::merge_same(graph, diagrams);
        if simulation::is_affordable(&graph) {
            graph = simulation::forward(graph, diagrams);
            graph = trim(&graph, transient, diagrams);
            graph = simulation::backward(graph, diagrams);
        }
        if graph.size() >= before {
            return Ok(trim(&graph, Transient::Unmarked, diagrams));
        }
    }
}
