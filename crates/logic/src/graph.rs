//! The internal form of automata during construction and reduction. Labels are decision bdds.

use crate::atoms::Atoms;
use crate::automaton::{Buchi, Edge, Generalised, MarkedEdge, Marks, State, StateId, all_marks};
use crate::bdd::{Bdd, Bdds};
use crate::problem::TooLarge;
use crate::scc::components;

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    /// The target state.
    pub to: usize,
    /// The acceptance sets that contain the edge.
    pub marks: Marks,
    /// The condition on the valuation.
    pub label: Bdd,
}

/// The kind of acceptance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepting {
    Links,
    /// All edges of a state have the same marks.
    States,
}

/// A generalised Büchi automaton.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The kind of acceptance.
    pub accepting: Accepting,
    /// The number of acceptance sets.
    pub sets: u32,
    /// The initial state.
    pub initial: usize,
    /// The outgoing edges of each state.
    pub states: Vec<Vec<Link>>,
}

impl Graph {
    /// The automaton with the empty language.
    pub fn empty() -> Graph {
        Graph { accepting: Accepting::Links, sets: 0, initial: 0, states: vec![Vec::new()] }
    }

    /// The set of all acceptance sets.
    pub fn all_marks(&self) -> Marks {
        all_marks(self.sets)
    }

    /// The number of edges.
    pub fn link_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// The number of states and of edges: the measure that reductions minimise.
    pub fn size(&self) -> (usize, usize) {
        (self.states.len(), self.link_count())
    }

    /// The internal form of an automaton.
    pub fn of_generalised(automaton: &Generalised, bdds: &mut Bdds) -> Graph {
        let mut link = |e: &MarkedEdge| Link {
            to: e.to.index(),
            marks: e.marks & automaton.all_marks(),
            label: bdds.of_guard(&e.guard),
        };
        let mut states: Vec<Vec<Link>> =
            automaton.states.iter().map(|edges| edges.iter().map(&mut link).collect()).collect();
        if states.is_empty() {
            return Graph::empty();
        }
        for links in &mut states {
            merge_links(links, bdds);
        }
        Graph { accepting: Accepting::Links, sets: automaton.sets, initial: automaton.initial.index(), states }
    }

    /// The public form of the automaton.
    pub fn generalised(&self, atoms: &Atoms, bdds: &mut Bdds) -> Result<Generalised, TooLarge> {
        let mut states = Vec::with_capacity(self.states.len());
        for links in &self.states {
            let mut edges = Vec::with_capacity(links.len());
            for link in links {
                let to = StateId(link.to as u32);
                edges.push(MarkedEdge { guard: bdds.guard(link.label)?, marks: link.marks, to });
            }
            states.push(edges);
        }
        Ok(Generalised { atoms: atoms.clone(), sets: self.sets, initial: StateId(self.initial as u32), states })
    }

    /// The state-based automaton of a graph with at most one acceptance set, on its states. States on no cycle become
    /// non-accepting.
    pub fn buchi(&self, atoms: &Atoms, bdds: &mut Bdds) -> Result<Buchi, TooLarge> {
        let found = components(&self.states, self.initial, |l| l.to);
        let mut states = Vec::with_capacity(self.states.len());
        for (state, links) in self.states.iter().enumerate() {
            let mut edges = Vec::with_capacity(links.len());
            for link in links {
                edges.push(Edge { guard: bdds.guard(link.label)?, to: StateId(link.to as u32) });
            }
            let on_cycle = links.iter().any(|l| found.of[l.to] == found.of[state]);
            let accepting = on_cycle && links.iter().all(|l| l.marks == self.all_marks());
            states.push(State { accepting, edges });
        }
        Ok(Buchi { atoms: atoms.clone(), initial: StateId(self.initial as u32), states })
    }
}

/// Merges edges with equal targets and marks, and sorts them.
pub fn merge_links(links: &mut Vec<Link>, bdds: &mut Bdds) {
    links.sort_unstable();
    let mut merged: Vec<Link> = Vec::with_capacity(links.len());
    for link in links.drain(..).filter(|l| l.label != Bdd::FALSE) {
        match merged.last_mut() {
            Some(last) if (last.to, last.marks) == (link.to, link.marks) => {
                last.label = bdds.or(last.label, link.label);
            }
            _ => merged.push(link),
        }
    }
    *links = merged;
}
