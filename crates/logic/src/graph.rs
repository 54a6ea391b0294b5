//! Automata while they are built and reduced: labels are decision diagrams.

use crate::atoms::Atoms;
use crate::automaton::{Buchi, Edge, Generalised, MarkedEdge, Marks, State, StateId, all_marks};
use crate::diagram::{Diagram, Diagrams};
use crate::problem::TooLarge;
use crate::scc::components;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    pub to: usize,
    pub marks: Marks,
    pub label: Diagram,
}

/// Where acceptance is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepting {
    Links,
    /// All links of a state have the same marks.
    States,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub accepting: Accepting,
    pub sets: u32,
    pub initial: usize,
    pub states: Vec<Vec<Link>>,
}

impl Graph {
    /// The automaton that accepts nothing.
    pub fn empty() -> Graph {
        Graph { accepting: Accepting::Links, sets: 0, initial: 0, states: vec![Vec::new()] }
    }

    pub fn all_marks(&self) -> Marks {
        all_marks(self.sets)
    }

    pub fn link_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// What is to be made small.
    pub fn size(&self) -> (usize, usize) {
        (self.states.len(), self.link_count())
    }

    pub fn of_generalised(automaton: &Generalised, diagrams: &mut Diagrams) -> Graph {
        let mut link = |e: &MarkedEdge| Link {
            to: e.to.index(),
            marks: e.marks & automaton.all_marks(),
            label: diagrams.of_guard(&e.guard),
        };
        let mut states: Vec<Vec<Link>> =
            automaton.states.iter().map(|edges| edges.iter().map(&mut link).collect()).collect();
        if states.is_empty() {
            return Graph::empty();
        }
        for links in &mut states {
            merge_links(links, diagrams);
        }
        Graph { accepting: Accepting::Links, sets: automaton.sets, initial: automaton.initial.index(), states }
    }

    pub fn generalised(&self, atoms: &Atoms, diagrams: &mut Diagrams) -> Result<Generalised, TooLarge> {
        let mut states = Vec::with_capacity(self.states.len());
        for links in &self.states {
            let mut edges = Vec::with_capacity(links.len());
            for link in links {
                let to = StateId(link.to as u32);
                edges.push(MarkedEdge { guard: diagrams.guard(link.label)?, marks: link.marks, to });
            }
            states.push(edges);
        }
        Ok(Generalised { atoms: atoms.clone(), sets: self.sets, initial: StateId(self.initial as u32), states })
    }

    /// A graph with at most one set, and that on its states. What is on no cycle does not accept.
    pub fn buchi(&self, atoms: &Atoms, diagrams: &mut Diagrams) -> Result<Buchi, TooLarge> {
        let found = components(&self.states, self.initial, |l| l.to);
        let mut states = Vec::with_capacity(self.states.len());
        for (state, links) in self.states.iter().enumerate() {
            let mut edges = Vec::with_capacity(links.len());
            for link in links {
                edges.push(Edge { guard: diagrams.guard(link.label)?, to: StateId(link.to as u32) });
            }
            let on_cycle = links.iter().any(|l| found.of[l.to] == found.of[state]);
            let accepting = on_cycle && links.iter().all(|l| l.marks == self.all_marks());
            states.push(State { accepting, edges });
        }
        Ok(Buchi { atoms: atoms.clone(), initial: StateId(self.initial as u32), states })
    }
}

/// One link for each target and marks, in order.
pub fn merge_links(links: &mut Vec<Link>, diagrams: &mut Diagrams) {
    links.sort_unstable();
    let mut merged: Vec<Link> = Vec::with_capacity(links.len());
    for link in links.drain(..).filter(|l| l.label != Diagram::FALSE) {
        match merged.last_mut() {
            Some(last) if (last.to, last.marks) == (link.to, link.marks) => {
                last.label = diagrams.or(last.label, link.label);
            }
            _ => merged.push(link),
        }
    }
    *links = merged;
}
