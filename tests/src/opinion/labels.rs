//! What is true in which state, also where a proposition has no value.

use super::graph::Graph;
use super::state::{Fault, State};
use super::system::{Expr, System};

/// A graph, and what to take for the value of a proposition where it has none: true for some propositions, false for all
/// others.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'g> {
    pub system: &'g System,
    pub graph: &'g Graph,
    pub assumed: &'g [Expr],
}

impl Labels<'_> {
    pub fn holds(&self, state: &State, e: &Expr) -> bool {
        match state.holds(self.system, e) {
            Ok(value) => value,
            Err(Fault) => self.assumed.contains(e),
        }
    }
}

/// The propositions that have no value in some state that can be reached.
pub fn faulty(system: &System, graph: &Graph, propositions: &[Expr]) -> Vec<Expr> {
    let has_none = |e: &&Expr| graph.states.iter().any(|s| s.holds(system, e) == Err(Fault));
    let mut out: Vec<Expr> = Vec::new();
    for e in propositions.iter().filter(has_none) {
        if !out.contains(e) {
            out.push(e.clone());
        }
    }
    out
}
