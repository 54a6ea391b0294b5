//! Labelled transition systems.

use std::collections::{BTreeSet, HashMap, VecDeque};

/// The label of hidden actions.
pub const HIDDEN: u32 = 0;

/// A labelled transition system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lts {
    /// The initial state.
    pub initial: u32,
    /// The number of states.
    pub states: u32,
    /// The names of actions. The first one is that of hidden actions.
    pub labels: Vec<String>,
    /// The transitions.
    pub edges: Vec<Edge>,
    /// A number for each state that every equivalence but that of traces respects; empty if all are alike.
    pub marks: Vec<u32>,
}

/// A transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The source.
    pub from: u32,
    /// The number of the action.
    pub label: u32,
    /// The target.
    pub to: u32,
}

/// An equivalence of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    /// Strong bisimulation (Park 1981): hidden actions are actions like all others.
    Strong,
    /// Branching bisimulation (van Glabbeek and Weijland 1996), without regard to divergence.
    Branching,
    /// Equality of the sets of finite traces of visible actions.
    Trace,
}

impl Lts {
    /// A system with one state and no transitions.
    pub fn new() -> Lts {
        Lts { initial: 0, states: 1, labels: vec!["i".to_string()], edges: Vec::new(), marks: Vec::new() }
    }

    /// The mark of a state.
    pub fn mark(&self, state: u32) -> u32 {
        self.marks.get(state as usize).copied().unwrap_or(0)
    }

    /// The transitions of each state.
    pub fn outgoing(&self) -> Vec<Vec<(u32, u32)>> {
        let mut out = vec![Vec::new(); self.states as usize];
        for edge in &self.edges {
            out[edge.from as usize].push((edge.label, edge.to));
        }
        out
    }

    /// The part that is reachable from the initial state, which gets number 0; numbers follow the distance from it.
    #[must_use]
    pub fn reachable(&self) -> Lts {
        let out = self.outgoing();
        let mut number = vec![u32::MAX; self.states as usize];
        let mut order = vec![self.initial];
        number[self.initial as usize] = 0;
        let mut queue = VecDeque::from([self.initial]);
        while let Some(state) = queue.pop_front() {
            for &(_, to) in &out[state as usize] {
                if number[to as usize] == u32::MAX {
                    number[to as usize] = order.len() as u32;
                    order.push(to);
                    queue.push_back(to);
                }
            }
        }
        let edges = order.iter().flat_map(|from| out[*from as usize].iter().map(|step| (*from, *step)));
        let edge = |(from, (label, to)): (u32, (u32, u32))| Edge {
            from: number[from as usize],
            label,
            to: number[to as usize],
        };
        let marks = if self.marks.is_empty() { Vec::new() } else { order.iter().map(|s| self.mark(*s)).collect() };
        Lts {
            initial: 0,
            states: order.len() as u32,
            labels: self.labels.clone(),
            edges: edges.map(edge).collect(),
            marks,
        }
    }

    /// The system whose states are the blocks of a partition. Hidden transitions within a block are left out if `inert`.
    #[must_use]
    pub fn quotient(&self, block: &[u32], inert: bool) -> Lts {
        let states = block.iter().copied().max().map_or(0, |most| most + 1);
        let image = |e: &Edge| Edge { from: block[e.from as usize], label: e.label, to: block[e.to as usize] };
        let kept = |e: &Edge| !(inert && e.label == HIDDEN && e.from == e.to);
        let edges: BTreeSet<Edge> = self.edges.iter().map(image).filter(kept).collect();
        let mut marks = Vec::new();
        if !self.marks.is_empty() {
            marks = vec![0; states as usize];
            block.iter().zip(&self.marks).for_each(|(block, mark)| marks[*block as usize] = *mark);
        }
        let initial = block[self.initial as usize];
        Lts { initial, states, labels: self.labels.clone(), edges: edges.into_iter().collect(), marks }.reachable()
    }

    /// Both systems side by side, and the number that the initial state of the other one has.
    #[must_use]
    pub fn beside(&self, other: &Lts) -> (Lts, u32) {
        let mut union = self.clone();
        let known: HashMap<String, u32> = self.labels.iter().cloned().zip(0..).collect();
        let label: Vec<u32> = other
            .labels
            .iter()
            .enumerate()
            .map(|(i, name)| {
                if i == HIDDEN as usize {
                    return HIDDEN;
                }
                known.get(name).copied().unwrap_or_else(|| {
                    union.labels.push(name.clone());
                    union.labels.len() as u32 - 1
                })
            })
            .collect();
        let shift = self.states;
        let shifted = |e: &Edge| Edge { from: e.from + shift, label: label[e.label as usize], to: e.to + shift };
        union.edges.extend(other.edges.iter().map(shifted));
        union.states += other.states;
        if !self.marks.is_empty() || !other.marks.is_empty() {
            union.marks =
                (0..self.states).map(|s| self.mark(s)).chain((0..other.states).map(|s| other.mark(s))).collect();
        }
        (union, other.initial + shift)
    }
}

impl Default for Lts {
    fn default() -> Lts {
        Lts::new()
    }
}
