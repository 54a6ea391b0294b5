//! Classes of automata: terminal, weak, safety, deterministic. Some classes allow cheaper searches.

use crate::automaton::{Buchi, Generalised};
use crate::bdd::{Bdd, Bdds};
use crate::graph::Graph;
use crate::scc::{Components, components};

/// Structural properties of an automaton. They are sufficient conditions: an automaton outside a class may still
/// accept a language of that class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Terminal: every continuation of an accepting cycle is accepted, so a finite prefix decides acceptance. If the
    /// automaton is that of a negated formula, the formula is a safety property, and reaching an accepting state is a
    /// violation.
    pub terminal: bool,
    /// Weak: in each strongly connected component all cycles are accepting, or none is.
    pub weak: bool,
    /// Safety: every infinite run is accepting, so the language is a safety property.
    pub safety: bool,
    /// Deterministic: every word has at most one run.
    pub deterministic: bool,
}

impl Class {
    /// The class of a state-based automaton.
    pub fn of_buchi(automaton: &Buchi) -> Class {
        Class::of_generalised(&automaton.generalised())
    }

    /// The class of a generalised automaton.
    pub fn of_generalised(automaton: &Generalised) -> Class {
        let mut bdds = Bdds::new();
        let graph = Graph::of_generalised(automaton, &mut bdds);
        let shape = Shape::new(&graph);
        Class {
            terminal: shape.is_weak() && shape.is_complete_inside(&mut bdds),
            weak: shape.is_weak(),
            safety: (0..shape.found.count).all(|c| !shape.cyclic[c] || shape.always[c]),
            deterministic: is_deterministic(&graph, &mut bdds),
        }
    }
}

struct Shape<'a> {
    graph: &'a Graph,
    found: Components,
    cyclic: Vec<bool>,
    /// Components with an accepting cycle.
    sometimes: Vec<bool>,
    /// Components in which every cycle is accepting.
    always: Vec<bool>,
}

impl Shape<'_> {
    fn new(graph: &Graph) -> Shape<'_> {
        let found = components(&graph.states, graph.initial, |l| l.to);
        let mut cyclic = vec![false; found.count];
        let mut marks = vec![0; found.count];
        for (state, links) in graph.states.iter().enumerate() {
            let Some(here) = found.of[state] else { continue };
            for link in links.iter().filter(|l| found.of[l.to] == Some(here)) {
                cyclic[here] = true;
                marks[here] |= link.marks;
            }
        }
        let all = graph.all_marks();
        let sometimes: Vec<bool> = cyclic.iter().zip(&marks).map(|(c, m)| *c && m & all == all).collect();
        let always = (0..found.count).map(|c| sometimes[c] && !has_other_cycle(graph, &found, c)).collect();
        Shape { graph, found, cyclic, sometimes, always }
    }

    fn is_weak(&self) -> bool {
        self.sometimes == self.always
    }

    /// Whether every valuation has an edge within the component, in all states of accepting components.
    fn is_complete_inside(&self, bdds: &mut Bdds) -> bool {
        self.graph.states.iter().enumerate().all(|(state, links)| {
            let Some(here) = self.found.of[state].filter(|c| self.sometimes[*c]) else { return true };
            let inside = links.iter().filter(|l| self.found.of[l.to] == Some(here));
            let mut open = Bdd::TRUE;
            for link in inside {
                open = bdds.without(open, link.label);
            }
            open == Bdd::FALSE
        })
    }
}

/// Whether a component has a cycle without an edge of some acceptance set.
fn has_other_cycle(graph: &Graph, found: &Components, component: usize) -> bool {
    (0..graph.sets).any(|set| {
        let inside = |state: usize| found.of[state] == Some(component);
        let unmarked: Vec<Vec<usize>> = (0..graph.states.len())
            .map(|s| {
                let links = graph.states[s].iter().filter(|l| inside(s) && inside(l.to) && l.marks >> set & 1 == 0);
                links.map(|l| l.to).collect()
            })
            .collect();
        has_cycle(&unmarked)
    })
}

/// Whether a graph has a cycle. Nodes without successors are removed until none is left; a cycle remains.
fn has_cycle(graph: &[Vec<usize>]) -> bool {
    let mut left: Vec<usize> = graph.iter().map(Vec::len).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    for (node, targets) in graph.iter().enumerate() {
        targets.iter().for_each(|t| before[*t].push(node));
    }
    let mut done: Vec<usize> = (0..graph.len()).filter(|n| left[*n] == 0).collect();
    let mut at = 0;
    while at < done.len() {
        for previous in &before[done[at]] {
            left[*previous] -= 1;
            if left[*previous] == 0 {
                done.push(*previous);
            }
        }
        at += 1;
    }
    done.len() < graph.len()
}

fn is_deterministic(graph: &Graph, bdds: &mut Bdds) -> bool {
    graph.states.iter().all(|links| {
        let mut seen = Bdd::FALSE;
        links.iter().all(|link| {
            let apart = bdds.and(seen, link.label) == Bdd::FALSE;
            seen = bdds.or(seen, link.label);
            apart
        })
    })
}
