//! Simulation relations on states.
//!
//! The relation is *direct* simulation, letter by letter: state `b` simulates `a` if for every edge of `a` and every
//! letter of its label `b` has an edge with that letter, with at least the same marks, to a state that simulates the
//! target. Merging states that simulate each other and removing edges that are dominated by an edge to a greater
//! state preserve the language (Clemente and Mayr, POPL 2013, also for the backward relation).

use std::collections::HashMap;

use crate::bdd::{Bdd, Bdds};
use crate::graph::{Accepting, Graph, Link, merge_links};
use crate::limits;

/// Whether the pairwise comparison of all edges is within [`limits::MAX_SIMULATION_WORK`].
pub fn is_affordable(graph: &Graph) -> bool {
    let links = graph.link_count();
    links.saturating_mul(links) <= limits::MAX_SIMULATION_WORK
}

/// Merges states with equal edges, up to a fixed point.
pub fn merge_same(mut graph: Graph, bdds: &mut Bdds) -> Graph {
    loop {
        let mut known: HashMap<&[Link], usize> = HashMap::new();
        let mut first = |(i, links)| *known.entry(links).or_insert(i);
        // States without edges are the remains of earlier merges.
        let same: Vec<usize> = (graph.states.iter().map(Vec::as_slice).enumerate())
            .map(|(i, links)| if links.is_empty() { i } else { first((i, links)) })
            .collect();
        if same.iter().enumerate().all(|(i, s)| i == *s) {
            return graph;
        }
        redirect(&mut graph, &same, bdds);
    }
}

/// Redirects every edge to the representative of its target. Merged states become unreachable.
fn redirect(graph: &mut Graph, stands_for: &[usize], bdds: &mut Bdds) {
    graph.initial = stands_for[graph.initial];
    for (state, links) in graph.states.iter_mut().enumerate() {
        if stands_for[state] != state {
            links.clear();
            continue;
        }
        for link in links.iter_mut() {
            link.to = stands_for[link.to];
        }
        merge_links(links, bdds);
    }
}

/// `less[a][b]`: `b` simulates `a`.
type Relation = Vec<Vec<bool>>;

/// The greatest simulation within `allowed`.
fn simulation(steps: &[Vec<Link>], allowed: impl Fn(usize, usize) -> bool, bdds: &mut Bdds) -> Relation {
    let count = steps.len();
    let mut less: Relation = (0..count).map(|a| (0..count).map(|b| allowed(a, b)).collect()).collect();
    loop {
        let mut changed = false;
        for a in 0..count {
            for b in 0..count {
                if a != b && less[a][b] && !matches(&steps[a], &steps[b], &less, bdds) {
                    less[a][b] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return less;
        }
    }
}

/// Whether every edge of `one` is simulated by edges of `other`.
fn matches(one: &[Link], other: &[Link], less: &Relation, bdds: &mut Bdds) -> bool {
    one.iter().all(|step| {
        let mut open = step.label;
        for answer in other.iter().filter(|l| step.marks & !l.marks == 0 && less[step.to][l.to]) {
            open = bdds.without(open, answer.label);
            if open == Bdd::FALSE {
                return true;
            }
        }
        open == Bdd::FALSE
    })
}

/// The representative of each state: the first state of its equivalence class.
fn representatives(less: &Relation) -> Vec<usize> {
    (0..less.len()).map(|a| (0..a).find(|b| less[a][*b] && less[*b][a]).unwrap_or(a)).collect()
}

/// Merges states and removes edges by forward simulation.
pub fn forward(mut graph: Graph, bdds: &mut Bdds) -> Graph {
    let less = simulation(&graph.states, |_, _| true, bdds);
    redirect(&mut graph, &representatives(&less), bdds);
    for links in &mut graph.states {
        for i in 0..links.len() {
            for j in 0..links.len() {
                let (a, b) = (links[i], links[j]);
                if i != j && a.marks & !b.marks == 0 && less[a.to][b.to] {
                    links[i].label = bdds.without(a.label, b.label);
                }
            }
        }
        links.retain(|l| l.label != Bdd::FALSE);
    }
    graph
}

/// Merges states and removes edges by backward simulation.
pub fn backward(mut graph: Graph, bdds: &mut Bdds) -> Graph {
    let mut reversed: Vec<Vec<Link>> = vec![Vec::new(); graph.states.len()];
    for (state, links) in graph.states.iter().enumerate() {
        for link in links {
            reversed[link.to].push(Link { to: state, ..*link });
        }
    }
    let flag = |state: usize| graph.states[state].first().map(|l| l.marks);
    let allowed = |a: usize, b: usize| {
        (a != graph.initial || b == graph.initial) && (graph.accepting == Accepting::Links || flag(a) == flag(b))
    };
    let less = simulation(&reversed, allowed, bdds);
    let stands_for = representatives(&less);
    // The representative gets the edges of the states it replaces.
    for (state, other) in stands_for.iter().enumerate().filter(|(s, o)| s != *o) {
        let links = std::mem::take(&mut graph.states[state]);
        graph.states[*other].extend(links);
    }
    redirect(&mut graph, &stands_for, bdds);
    drop_dominated(&mut graph, &less, bdds);
    graph
}

/// Subtracts from each edge the letters of edges to the same target from a greater state.
fn drop_dominated(graph: &mut Graph, less: &Relation, bdds: &mut Bdds) {
    let mut incoming: Vec<Vec<(usize, usize)>> = vec![Vec::new(); graph.states.len()];
    for (state, links) in graph.states.iter().enumerate() {
        for (i, link) in links.iter().enumerate() {
            incoming[link.to].push((state, i));
        }
    }
    for edges in &incoming {
        for (a, i) in edges {
            for (b, j) in edges {
                let (one, other) = (graph.states[*a][*i], graph.states[*b][*j]);
                if a != b && one.marks & !other.marks == 0 && less[*a][*b] {
                    graph.states[*a][*i].label = bdds.without(one.label, other.label);
                }
            }
        }
    }
    for links in &mut graph.states {
        links.retain(|l| l.label != Bdd::FALSE);
    }
}
