//! Reductions by strongly connected components: useless states, redundant marks and acceptance sets.

use crate::automaton::Marks;
use crate::bdd::Bdds;
use crate::graph::{Accepting, Graph, Link, merge_links};
use crate::scc::{Components, components};

/// The choice of marks. The marks of an edge are irrelevant if it is on no cycle, or if every cycle through it has
/// another edge of the same set. Different choices make different states equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marking {
    /// Marks are removed one by one as long as the language stays the same.
    Fewest,
    /// Marks stay, except in components without an accepting cycle.
    Few,
    /// Marks are added on accepting cycles as far as possible.
    Many,
    /// As `Many`, and every edge on no cycle has all marks.
    Most,
}

impl Marking {
    /// The variant that leaves the edges on no cycle unmarked.
    pub fn without_transient(self) -> Marking {
        if self == Marking::Most { Marking::Many } else { self }
    }
}

/// Number of edges above which marks are not removed one by one.
const MANY_LINKS: usize = 400;

/// Removes states that are unreachable or have the empty language, adjusts marks as `marking` says, and removes
/// redundant acceptance sets.
pub fn trim(graph: &Graph, marking: Marking, bdds: &mut Bdds) -> Graph {
    let found = components(&graph.states, graph.initial, |l| l.to);
    let accepting = accepting_components(graph, &found);
    let useful = useful_states(graph, &found, &accepting);
    if !useful[graph.initial] {
        return Graph { accepting: graph.accepting, ..Graph::empty() };
    }
    let mut numbers = vec![usize::MAX; graph.states.len()];
    let order = order_of_visit(graph, &useful);
    for (number, state) in order.iter().enumerate() {
        numbers[*state] = number;
    }
    let mut states: Vec<Vec<Link>> = Vec::with_capacity(order.len());
    for state in &order {
        let kept = graph.states[*state].iter().filter(|l| useful[l.to]);
        states.push(kept.map(|l| Link { to: numbers[l.to], ..*l }).collect());
    }
    let mut trimmed = Graph { states, initial: 0, ..*graph };
    normalise_marks(&mut trimmed, marking);
    drop_sets(&mut trimmed);
    for links in &mut trimmed.states {
        merge_links(links, bdds);
    }
    trimmed
}

/// The components with a cycle through edges of every acceptance set.
pub fn accepting_components(graph: &Graph, found: &Components) -> Vec<bool> {
    let mut marks: Vec<Option<Marks>> = vec![None; found.count];
    for (state, links) in graph.states.iter().enumerate() {
        let Some(here) = found.of[state] else { continue };
        for link in links.iter().filter(|l| found.of[l.to] == Some(here)) {
            marks[here] = Some(marks[here].unwrap_or(0) | link.marks);
        }
    }
    let all = graph.all_marks();
    marks.into_iter().map(|m| m.is_some_and(|m| m & all == all)).collect()
}

/// The reachable states from which an accepting component is reachable.
fn useful_states(graph: &Graph, found: &Components, accepting: &[bool]) -> Vec<bool> {
    let mut leads = accepting.to_vec();
    // Edges lead to components with smaller numbers, so those are decided first.
    let mut by_component: Vec<Vec<usize>> = vec![Vec::new(); found.count];
    for (state, component) in found.of.iter().enumerate() {
        if let Some(c) = component {
            by_component[*c].push(state);
        }
    }
    for (c, states) in by_component.iter().enumerate() {
        let further = states.iter().flat_map(|s| &graph.states[*s]).filter_map(|l| found.of[l.to]);
        leads[c] = leads[c] || further.into_iter().any(|t| leads[t]);
    }
    found.of.iter().map(|c| c.is_some_and(|c| leads[c])).collect()
}

/// Breadth-first order from the initial state, which numbers the states of the result.
fn order_of_visit(graph: &Graph, useful: &[bool]) -> Vec<usize> {
    let mut order = vec![graph.initial];
    let mut seen = vec![false; graph.states.len()];
    seen[graph.initial] = true;
    let mut at = 0;
    while at < order.len() {
        for link in &graph.states[order[at]] {
            if useful[link.to] && !seen[link.to] {
                seen[link.to] = true;
                order.push(link.to);
            }
        }
        at += 1;
    }
    order
}

fn normalise_marks(graph: &mut Graph, marking: Marking) {
    let found = components(&graph.states, graph.initial, |l| l.to);
    let accepting = accepting_components(graph, &found);
    let all = graph.all_marks();
    match marking {
        Marking::Few => {}
        Marking::Fewest => (0..graph.sets).for_each(|set| remove_marks(graph, set)),
        Marking::Many | Marking::Most => (0..graph.sets).for_each(|set| add_marks(graph, set)),
    }
    let has_cycle = cyclic(graph, &found);
    let by_state = graph.accepting == Accepting::States;
    for (state, links) in graph.states.iter_mut().enumerate() {
        let here = found.of[state];
        for link in links.iter_mut() {
            let on_no_cycle = if by_state { !here.is_some_and(|c| has_cycle[c]) } else { found.of[link.to] != here };
            if on_no_cycle {
                link.marks = if marking == Marking::Most { all } else { 0 };
            } else if !here.is_some_and(|c| accepting[c]) {
                link.marks = 0;
            }
        }
    }
}

fn cyclic(graph: &Graph, found: &Components) -> Vec<bool> {
    let mut cyclic = vec![false; found.count];
    for (state, links) in graph.states.iter().enumerate() {
        if let Some(c) = found.of[state] {
            cyclic[c] |= links.iter().any(|l| found.of[l.to] == Some(c));
        }
    }
    cyclic
}

/// Adds every edge to `set` that is on no cycle without an edge of `set`.
fn add_marks(graph: &mut Graph, set: u32) {
    let bit: Marks = 1 << set;
    // An additional node reaches all others.
    let mut unmarked: Vec<Vec<usize>> =
        graph.states.iter().map(|links| links.iter().filter(|l| l.marks & bit == 0).map(|l| l.to).collect()).collect();
    unmarked.push((0..graph.states.len()).collect());
    let found = components(&unmarked, graph.states.len(), |to| *to);
    let mut cyclic = vec![false; found.count];
    for (state, targets) in unmarked.iter().enumerate() {
        if let Some(c) = found.of[state] {
            cyclic[c] |= targets.iter().any(|t| found.of[*t] == Some(c));
        }
    }
    for (state, links) in graph.states.iter_mut().enumerate() {
        let here = found.of[state];
        match graph.accepting {
            Accepting::Links => links.iter_mut().filter(|l| found.of[l.to] != here).for_each(|l| l.marks |= bit),
            Accepting::States if !here.is_some_and(|c| cyclic[c]) => links.iter_mut().for_each(|l| l.marks |= bit),
            Accepting::States => {}
        }
    }
}

/// Removes edges (or states) from `set` if all their cycles have another edge of it. Large graphs stay as they are.
fn remove_marks(graph: &mut Graph, set: u32) {
    let bit: Marks = 1 << set;
    if graph.link_count() > MANY_LINKS {
        return;
    }
    for state in 0..graph.states.len() {
        for i in 0..graph.states[state].len() {
            let link = graph.states[state][i];
            if link.marks & bit == 0 {
                continue;
            }
            let needed = match graph.accepting {
                Accepting::Links => leads_without(graph, bit, vec![link.to], state),
                Accepting::States => {
                    leads_without(graph, bit, graph.states[state].iter().map(|l| l.to).collect(), state)
                }
            };
            match graph.accepting {
                _ if needed => {}
                Accepting::Links => graph.states[state][i].marks &= !bit,
                Accepting::States => graph.states[state].iter_mut().for_each(|l| l.marks &= !bit),
            }
        }
    }
}

/// Whether edges without a mark lead from one of the states to another one.
fn leads_without(graph: &Graph, bit: Marks, from: Vec<usize>, to: usize) -> bool {
    let mut seen = vec![false; graph.states.len()];
    let mut open = from;
    while let Some(state) = open.pop() {
        if state == to {
            return true;
        }
        if !std::mem::replace(&mut seen[state], true) {
            open.extend(graph.states[state].iter().filter(|l| l.marks & bit == 0).map(|l| l.to));
        }
    }
    false
}

/// The acceptance sets that are not implied by the others, judged by the marks of these edges.
pub fn irredundant(marks: &[Marks], sets: u32) -> Vec<u32> {
    let mut kept: Vec<u32> = (0..sets).filter(|s| marks.iter().any(|m| m >> s & 1 == 0)).collect();
    let mut i = 0;
    while i < kept.len() {
        let set = kept[i];
        let implied =
            kept.iter().any(|other| *other != set && marks.iter().all(|m| m >> other & 1 == 0 || m >> set & 1 == 1));
        if implied {
            kept.remove(i);
        } else {
            i += 1;
        }
    }
    kept
}

fn drop_sets(graph: &mut Graph) {
    let found = components(&graph.states, graph.initial, |l| l.to);
    let accepting = accepting_components(graph, &found);
    let has_cycle = cyclic(graph, &found);
    let mut marks: Vec<Marks> = Vec::new();
    for (state, links) in graph.states.iter().enumerate() {
        if let Some(c) = found.of[state].filter(|c| accepting[*c]) {
            marks.extend(links.iter().filter(|l| found.of[l.to] == Some(c)).map(|l| l.marks));
        }
    }
    marks.sort_unstable();
    marks.dedup();
    let mut kept = irredundant(&marks, graph.sets);
    let rejecting = has_cycle.iter().zip(&accepting).any(|(cycle, accepts)| *cycle && !accepts);
    // At least one set has to distinguish rejecting cycles.
    if kept.is_empty() && rejecting {
        kept.push(0);
    }
    for link in graph.states.iter_mut().flatten() {
        let old = link.marks;
        link.marks = kept.iter().enumerate().fold(0, |m, (new, set)| m | (old >> set & 1) << new);
    }
    graph.sets = kept.len() as u32;
}
