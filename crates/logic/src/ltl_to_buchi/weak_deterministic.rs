//! Minimal weak deterministic automata (Dax, Eisinger and Klaedtke, ATVA 2007), for languages that have one.
//!
//! The automaton is determinised by the subset construction. A component of the result is accepting if one word that
//! stays in it is accepted. If the language has a weak deterministic automaton, this is one, and it is minimised like
//! an automaton on finite words (Löding 2001). Equivalence is checked afterwards with the automaton of the negated
//! formula.

use std::collections::HashMap;

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Accepting, Graph, Link};
use crate::scc::{Components, components};

/// Number of sets above which the construction is abandoned.
const MANY_SETS: usize = 120;
const MANY_LINKS: usize = 64;

/// The minimal weak deterministic automaton, if it exists and is not too large. `negation` accepts the complement of
/// the language of `graph`.
pub fn minimal(graph: &Graph, negation: &Graph, bdds: &mut Bdds) -> Option<Graph> {
    let powers = Subsets::new(graph, bdds)?;
    let found = components(&powers.links, 0, |l| l.to);
    let accepting: Vec<Option<bool>> = (0..found.count).map(|c| powers.accepts(&found, c, graph, bdds)).collect();
    let flags = normal_flags(&powers.links, &found, &accepting);
    let small = minimised(&powers.links, &flags, bdds);
    let opposite = weak_graph(&small.0, &small.1.iter().map(|f| !f).collect::<Vec<bool>>());
    let result = weak_graph(&small.0, &small.1);
    let right = !intersect(graph, &opposite, bdds) && !intersect(negation, &result, bdds);
    right.then_some(result)
}

/// The subset construction, without acceptance. It is complete; the empty set is a state.
struct Subsets {
    sets: Vec<Vec<usize>>,
    links: Vec<Vec<Link>>,
}

impl Subsets {
    fn new(graph: &Graph, bdds: &mut Bdds) -> Option<Subsets> {
        let first = vec![graph.initial];
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut powers = Subsets { sets: vec![first], links: Vec::new() };
        while powers.links.len() < powers.sets.len() {
            let successors = successors(graph, &powers.sets[powers.links.len()], bdds)?;
            let mut links = Vec::with_capacity(successors.len());
            for (label, set) in successors {
                let next = powers.sets.len();
                let to = *numbers.entry(set.clone()).or_insert(next);
                if to == next {
                    powers.sets.push(set);
                }
                links.push(Link { to, marks: 0, label });
            }
            powers.links.push(links);
            if powers.sets.len() > MANY_SETS {
                return None;
            }
        }
        Some(powers)
    }

    /// Whether a word that stays in the component is accepted; `None` if there is no such word.
    fn accepts(&self, found: &Components, component: usize, graph: &Graph, bdds: &mut Bdds) -> Option<bool> {
        let start = found.of.iter().position(|c| *c == Some(component))?;
        let cycle = self.cycle(found, start)?;
        let length = cycle.len();
        // The product of the automaton and the cycle, with an additional node that leads to all states in which a run
        // can start.
        let mut nodes: Vec<Vec<(usize, Marks)>> = Vec::with_capacity(graph.states.len() * length + 1);
        for links in &graph.states {
            for (at, label) in cycle.iter().enumerate() {
                let fits = |l: &&Link| bdds.and(l.label, *label) != Bdd::FALSE;
                let fitting: Vec<Link> = links.iter().filter(fits).copied().collect();
                nodes.push(fitting.iter().map(|l| (l.to * length + (at + 1) % length, l.marks)).collect());
            }
        }
        nodes.push(self.sets[start].iter().map(|s| (s * length, 0)).collect());
        Some(has_accepting_cycle(&nodes, nodes.len() - 1, graph.all_marks()))
    }

    /// Labels of a cycle from a state back to it within its component.
    fn cycle(&self, found: &Components, start: usize) -> Option<Vec<Bdd>> {
        let mut before: HashMap<usize, (usize, Bdd)> = HashMap::new();
        let mut queue = vec![start];
        let mut at = 0;
        while at < queue.len() {
            let state = queue[at];
            at += 1;
            for link in self.links[state].iter().filter(|l| found.of[l.to] == found.of[start]) {
                if link.to == start {
                    let mut letters = vec![link.label];
                    let mut here = state;
                    while here != start {
                        let (previous, label) = before[&here];
                        letters.push(label);
                        here = previous;
                    }
                    letters.reverse();
                    return Some(letters);
                }
                before.entry(link.to).or_insert_with(|| {
                    queue.push(link.to);
                    (state, link.label)
                });
            }
        }
        None
    }
}

/// The successors of a set. All letters of a label lead to the same set.
fn successors(graph: &Graph, set: &[usize], bdds: &mut Bdds) -> Option<Vec<(Bdd, Vec<usize>)>> {
    let mut parts: Vec<(Bdd, Vec<usize>)> = vec![(Bdd::TRUE, Vec::new())];
    for link in set.iter().flat_map(|s| &graph.states[*s]) {
        let mut split = Vec::with_capacity(parts.len() + 1);
        for (label, targets) in parts {
            let (with, without) = (bdds.and(label, link.label), bdds.without(label, link.label));
            if without != Bdd::FALSE {
                split.push((without, targets.clone()));
            }
            if with != Bdd::FALSE {
                let mut targets = targets;
                if let Err(place) = targets.binary_search(&link.to) {
                    targets.insert(place, link.to);
                }
                split.push((with, targets));
            }
        }
        parts = split;
        if parts.len() > MANY_LINKS {
            return None;
        }
    }
    Some(parts)
}

fn has_accepting_cycle(nodes: &[Vec<(usize, Marks)>], start: usize, all: Marks) -> bool {
    let found = components(nodes, start, |(to, _)| *to);
    let mut marks: Vec<Option<Marks>> = vec![None; found.count];
    for (node, edges) in nodes.iter().enumerate() {
        let Some(here) = found.of[node] else { continue };
        for (_, m) in edges.iter().filter(|(to, _)| found.of[*to] == Some(here)) {
            marks[here] = Some(marks[here].unwrap_or(0) | m);
        }
    }
    marks.into_iter().any(|m| m.is_some_and(|m| m & all == all))
}

/// The accepting states, chosen such that states with equal languages have equal flags. A state on no cycle has the
/// flag of its successors.
fn normal_flags(links: &[Vec<Link>], found: &Components, accepting: &[Option<bool>]) -> Vec<bool> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); found.count];
    for (state, component) in found.of.iter().enumerate() {
        if let Some(c) = component {
            members[*c].push(state);
        }
    }
    // Components with an even rank are accepting. The rank of successor components is computed before.
    let mut rank = vec![0usize; found.count];
    for c in 0..found.count {
        let after = members[c].iter().flat_map(|s| &links[*s]).filter_map(|l| found.of[l.to]).filter(|t| *t != c);
        let highest = after.map(|t| rank[t]).max().unwrap_or(0);
        rank[c] = match accepting[c] {
            Some(accepts) if highest.is_multiple_of(2) != accepts => highest + 1,
            _ => highest,
        };
    }
    found.of.iter().map(|c| c.is_some_and(|c| rank[c].is_multiple_of(2))).collect()
}

/// Moore's algorithm: states are distinguished by their flags, then by their successors.
fn minimised(links: &[Vec<Link>], flags: &[bool], bdds: &mut Bdds) -> (Vec<Vec<Link>>, Vec<bool>) {
    let mut class: Vec<usize> = flags.iter().map(|f| usize::from(*f)).collect();
    let mut count = 0;
    loop {
        let mut known: HashMap<(usize, Vec<Link>), usize> = HashMap::new();
        let mut next = Vec::with_capacity(class.len());
        let mut shapes = Vec::new();
        for (state, links) in links.iter().enumerate() {
            let mut shape: Vec<Link> = links.iter().map(|l| Link { to: class[l.to], ..*l }).collect();
            crate::graph::merge_links(&mut shape, bdds);
            let number = known.len();
            let number = *known.entry((class[state], shape.clone())).or_insert(number);
            if number == shapes.len() {
                shapes.push((shape, flags[state]));
            }
            next.push(number);
        }
        if known.len() == count {
            // The classes are stable but have new numbers, so edges are renumbered.
            let renamed = renamed(links, &next, shapes.len(), bdds);
            return (renamed, shapes.into_iter().map(|(_, flag)| flag).collect());
        }
        count = known.len();
        class = next;
    }
}

fn renamed(links: &[Vec<Link>], class: &[usize], count: usize, bdds: &mut Bdds) -> Vec<Vec<Link>> {
    let mut out: Vec<Option<Vec<Link>>> = vec![None; count];
    for (state, links) in links.iter().enumerate() {
        if out[class[state]].is_none() {
            let mut shape: Vec<Link> = links.iter().map(|l| Link { to: class[l.to], ..*l }).collect();
            crate::graph::merge_links(&mut shape, bdds);
            out[class[state]] = Some(shape);
        }
    }
    out.into_iter().map(Option::unwrap_or_default).collect()
}

fn weak_graph(links: &[Vec<Link>], flags: &[bool]) -> Graph {
    let marked = |(links, flag): (&Vec<Link>, &bool)| {
        links.iter().map(|l| Link { marks: Marks::from(*flag), ..*l }).collect::<Vec<Link>>()
    };
    let states = links.iter().zip(flags).map(marked).collect();
    Graph { accepting: Accepting::States, sets: 1, initial: 0, states }
}

/// Whether the intersection of two languages is not empty.
fn intersect(one: &Graph, other: &Graph, bdds: &mut Bdds) -> bool {
    let mut pairs = vec![(one.initial, other.initial)];
    let mut numbers = HashMap::from([(pairs[0], 0)]);
    let mut nodes: Vec<Vec<(usize, Marks)>> = Vec::new();
    while nodes.len() < pairs.len() {
        let (a, b) = pairs[nodes.len()];
        let mut edges = Vec::new();
        for x in &one.states[a] {
            for y in &other.states[b] {
                if bdds.and(x.label, y.label) != Bdd::FALSE {
                    let next = pairs.len();
                    let to = *numbers.entry((x.to, y.to)).or_insert(next);
                    if to == next {
                        pairs.push((x.to, y.to));
                    }
                    edges.push((to, x.marks | y.marks << one.sets));
                }
            }
        }
        nodes.push(edges);
    }
    has_accepting_cycle(&nodes, 0, crate::automaton::all_marks(one.sets + other.sets))
}
