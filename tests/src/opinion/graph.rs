//! The explicit graph of a system.

use std::collections::{HashMap, HashSet};

use super::state::State;
use super::step::{Semantics, Step};
use super::system::{Language, ProcId, System};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc {
    pub to: usize,
    pub mover: ProcId,
    /// The same number for steps that execute the same statements.
    pub transition: usize,
}

/// What can be seen of one state, beside its values.
#[derive(Clone, Default, Debug)]
pub struct Node {
    pub arcs: Vec<Arc>,
    /// Some step ends in a fault.
    pub fault: bool,
    /// Some step fails an assertion.
    pub assertion: bool,
    /// Nothing can move, and not everybody is where that is allowed.
    pub invalid_end: bool,
    pub accept: bool,
    pub progress: bool,
}

/// State 0 is the first.
#[derive(Debug)]
pub struct Graph {
    pub states: Vec<State>,
    pub nodes: Vec<Node>,
    pub processes: usize,
    /// Definitions do not say what can be executed.
    pub unclear: bool,
    /// Some step has no end, or is too long for this checker.
    pub endless: bool,
}

impl Graph {
    /// Nothing, if there are more than `most` states.
    pub fn of(system: &System, most: usize) -> Option<Graph> {
        let semantics = Semantics::new(system);
        let mut out = Graph {
            states: vec![State::first(system)],
            nodes: Vec::new(),
            processes: system.procs.len(),
            unclear: false,
            endless: false,
        };
        let mut known: HashMap<State, usize> = HashMap::from([(out.states[0].clone(), 0)]);
        let mut transitions = HashMap::new();
        while out.nodes.len() < out.states.len() {
            if out.states.len() > most {
                return None;
            }
            let state = out.states[out.nodes.len()].clone();
            let steps = semantics.steps(&state);
            out.unclear |= steps.unclear;
            out.endless |= steps.endless;
            let mut node = Node { fault: steps.fault, assertion: steps.assertion_failed, ..Node::default() };
            for step in steps.steps {
                node.assertion |= step.assertion_failed;
                node.arcs.push(out.arc(step, &mut known, &mut transitions));
            }
            node.invalid_end = node.arcs.is_empty() && !node.fault && !may_end(system, &semantics, &state);
            mark(system, &state, &mut node);
            out.nodes.push(node);
        }
        Some(out)
    }

    fn arc(
        &mut self,
        step: Step,
        known: &mut HashMap<State, usize>,
        transitions: &mut HashMap<Vec<(ProcId, usize)>, usize>,
    ) -> Arc {
        let fresh = self.states.len();
        let to = *known.entry(step.to).or_insert_with_key(|state| {
            self.states.push(state.clone());
            fresh
        });
        let count = transitions.len();
        let transition = *transitions.entry(step.executed).or_insert(count);
        Arc { to, mover: step.mover, transition }
    }

    /// The processes that can move in a state.
    pub fn enabled(&self, state: usize) -> HashSet<ProcId> {
        self.nodes[state].arcs.iter().map(|a| a.mover).collect()
    }

    pub fn some(&self, is: impl Fn(&Node) -> bool) -> bool {
        self.nodes.iter().any(is)
    }

    pub fn arcs(&self) -> usize {
        self.nodes.iter().map(|n| n.arcs.len()).sum()
    }
}

/// Everybody may stay where it is for ever.
fn may_end(system: &System, semantics: &Semantics, state: &State) -> bool {
    system.language != Language::Dve
        && state.at.iter().enumerate().all(|(p, at)| {
            let automaton = &semantics.automata[p];
            *at == automaton.end || *at == automaton.gone || system.procs[p].locs.get(*at).is_some_and(|l| l.end)
        })
}

fn mark(system: &System, state: &State, node: &mut Node) {
    for (proc, at) in system.procs.iter().zip(&state.at) {
        if let Some(loc) = proc.locs.get(*at) {
            node.accept |= loc.accept;
            node.progress |= loc.progress;
        }
    }
}
