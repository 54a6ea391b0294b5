//! Views of state graphs: texts of states and actions, projections, diagrams, JSON, and the pictures of a search.

mod formula;
mod json;
mod pattern;
mod picture;
mod search;
mod shown;
mod values;

use std::collections::HashMap;
use std::sync::Arc;

use kripke_model::Mover;
use kripke_model::ir::Model;
use kripke_model::layout::Layout;
use kripke_search::graph::{Edge, HIDDEN, Lts, StateGraph};

pub use formula::formula;
pub use json::json;
pub use pattern::Patterns;
pub use picture::{Arrows, diagram};
pub use search::{frames, search_legend};
pub use shown::{Shown, ShownNode, ShownStep, minimised, projected, whole};
pub use values::Value;

use crate::aut::visible_label;
use crate::names::Names;

/// The state graph of a model.
#[derive(Clone, Debug)]
pub struct ModelGraph {
    /// The model.
    pub model: Arc<Model>,
    /// The layout of its states.
    pub layout: Layout,
    /// The names of the locations of each process type.
    pub places: Vec<Vec<String>>,
    /// The names of its processes.
    pub names: Names,
    /// The graph.
    pub graph: StateGraph,
    /// The actions of the graph.
    pub actions: Vec<Action>,
    /// The states of a counterexample, in order; empty if the graph is not about one.
    pub trail: Vec<u32>,
}

/// An action: the statements of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The name of the process that moves.
    pub process: String,
    /// The statements.
    pub statements: String,
}

/// The part of an action that is the label of its transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Labels {
    /// `process: statements`.
    #[default]
    Full,
    /// The statements.
    Statement,
    /// The process.
    Process,
    /// The same label for all.
    None,
}

impl Action {
    /// The label of the action.
    pub fn label(&self, labels: Labels) -> String {
        match labels {
            Labels::Full if self.process.is_empty() => visible_label(&self.statements),
            Labels::Full => visible_label(&format!("{}: {}", self.process, self.statements)),
            Labels::Statement => visible_label(&self.statements),
            Labels::Process => visible_label(&self.process),
            Labels::None => "step".to_string(),
        }
    }
}

/// The labels of steps, and those that are visible; all of them without patterns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naming<'p> {
    /// The part of an action that is its label.
    pub labels: Labels,
    /// The visible labels.
    pub visible: Option<&'p Patterns>,
}

impl Naming<'_> {
    /// The label of an action; none if it is hidden.
    fn label(self, action: &Action) -> Option<String> {
        let label = action.label(self.labels);
        self.visible.is_none_or(|patterns| patterns.matches(&label)).then_some(label)
    }

    /// The label of an action beside its process.
    fn beside_process(self, action: &Action) -> String {
        match (self.label(action), self.labels) {
            (None, _) => "i".to_string(),
            (Some(_), Labels::None) => String::new(),
            (Some(_), Labels::Process) => action.process.clone(),
            (Some(_), Labels::Full | Labels::Statement) => action.statements.clone(),
        }
    }
}

/// The mark of a state in a labelled transition system: one bit each.
pub(crate) const ERROR: u32 = 1;
pub(crate) const DEADLOCK: u32 = 2;
pub(crate) const ACCEPTING: u32 = 4;

impl ModelGraph {
    /// The graph as a labelled transition system.
    pub fn lts(&self, naming: Naming<'_>) -> Lts {
        let mut lts = Lts { states: self.graph.states.len() as u32, ..Lts::new() };
        let mut known = HashMap::new();
        let mut number = Vec::new();
        for action in &self.actions {
            let Some(label) = naming.label(action) else {
                number.push(HIDDEN);
                continue;
            };
            number.push(*known.entry(label.clone()).or_insert_with(|| {
                lts.labels.push(label);
                lts.labels.len() as u32 - 1
            }));
        }
        let edge = |step: &kripke_search::graph::Step| Edge {
            from: step.from,
            label: number[step.action as usize],
            to: step.to,
        };
        lts.edges = self.graph.steps.iter().map(edge).collect();
        lts.marks = (0..self.graph.states.len()).map(|state| self.mark(state)).collect();
        lts
    }

    fn mark(&self, state: usize) -> u32 {
        let (flags, findings) = (self.graph.flags[state], &self.graph.findings[state]);
        let error = flags.goal || flags.bad_prefix || !findings.is_empty();
        u32::from(error) * ERROR + u32::from(flags.invalid_end) * DEADLOCK + u32::from(flags.accepting) * ACCEPTING
    }

    /// The number of the colour of a step.
    fn ink(&self, by: Mover) -> Option<usize> {
        match by {
            Mover::Process(pid) => Some(usize::from(pid)),
            Mover::Observer | Mover::Everybody => None,
        }
    }
}

#[cfg(test)]
mod tests;
