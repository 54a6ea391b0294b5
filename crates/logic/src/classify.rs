//! What kind of automaton it is, since some kinds have cheaper searches.

use crate::automaton::{Buchi, Generalised};
use crate::diagram::{Diagram, Diagrams};
use crate::graph::Graph;
use crate::scc::{Components, components};

/// Facts about an automaton's shape. They are sufficient reasons: an automaton without them may have the language all
/// the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Once on an accepting cycle, every continuation is accepted: a word is accepted because of a finite prefix. As
    /// the automaton of a negated formula it says that the formula is a safety property, and reaching an accepting
    /// state is a violation.
    pub terminal: bool,
    /// In each component, all cycles accept or none does.
    pub weak: bool,
    /// Every infinite run accepts: the language itself is a safety property.
    pub safety: bool,
    /// There is at most one run on every word.
    pub deterministic: bool,
}

impl Class {
    pub fn of_buchi(automaton: &Buchi) -> Class {
        Class::of_generalised(&automaton.generalised())
    }

    pub fn of_generalised(automaton: &Generalised) -> Class {
        let mut diagrams = Diagrams::new();
        let graph = Graph::of_generalised(automaton, &mut diagrams);
        let shape = Shape::new(&graph);
        Class {
            terminal: shape.is_weak() && shape.never_stops(&mut diagrams),
            weak: shape.is_weak(),
            safety: (0..shape.found.count).all(|c| !shape.cyclic[c] || shape.always[c]),
            deterministic: is_deterministic(&graph, &mut diagrams),
        }
    }
}

struct Shape<'a> {
    graph: &'a Graph,
    found: Components,
    cyclic: Vec<bool>,
    /// Has an accepting cycle.
    sometimes: Vec<bool>,
    /// All cycles accept.
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

    /// In accepting components every valuation leads on, within the component.
    fn never_stops(&self, diagrams: &mut Diagrams) -> bool {
        self.graph.states.iter().enumerate().all(|(state, links)| {
            let Some(here) = self.found.of[state].filter(|c| self.sometimes[*c]) else { return true };
            let inside = links.iter().filter(|l| self.found.of[l.to] == Some(here));
            let mut open = Diagram::TRUE;
            for link in inside {
                open = diagrams.without(open, link.label);
            }
            open == Diagram::FALSE
        })
    }
}

/// Whether a component has a cycle that misses some set.
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

/// Whether taking away nodes without successors, again and again, leaves something.
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

fn is_deterministic(graph: &Graph, diagrams: &mut Diagrams) -> bool {
    graph.states.iter().all(|links| {
        let mut seen = Diagram::FALSE;
        links.iter().all(|link| {
            let apart = diagrams.and(seen, link.label) == Diagram::FALSE;
            seen = diagrams.or(seen, link.label);
            apart
        })
    })
}
