//! Degeneralisation: from acceptance sets of edges to accepting states (Gastin and Oddoux, CAV 2001, section 5, with
//! the refinements per component of Babiak, Badie, Duret-Lutz, Křetínský and Strejček, SPIN 2013).
//!
//! Copies of a state have a *level*: the number of acceptance sets of the component that were visited in a fixed
//! order since the last accepting state. Components that always or never accept need one level.

use std::collections::HashMap;

use crate::bdd::Bdds;
use crate::graph::{Accepting, Graph, Link, merge_links};
use crate::limits;
use crate::problem::TooLarge;
use crate::reduce::{self, irredundant};
use crate::scc::components;

/// The level at which a component is entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    First,
    Accepting,
}

/// The smallest state-based automaton over several orders of the acceptance sets.
pub fn smallest(graph: &Graph, bdds: &mut Bdds) -> Result<Graph, TooLarge> {
    let plans = SetsOfComponents::new(graph);
    let large = graph.states.len() > reduce::MANY_STATES;
    let orders = if large { vec![(0..graph.sets).collect()] } else { orders(graph.sets) };
    let entries: &[Entry] = if graph.sets == 0 || large { &[Entry::First] } else { &[Entry::First, Entry::Accepting] };
    let mut all = Vec::new();
    for order in orders {
        for entry in entries {
            let copies = degeneralise(graph, &plans, &order, *entry, bdds)?;
            all.extend(reduce::variants(&copies, bdds)?);
        }
    }
    Ok(reduce::smallest(all))
}

/// All orders of a few sets. For many sets, one order per first set.
fn orders(sets: u32) -> Vec<Vec<u32>> {
    let straight: Vec<u32> = (0..sets).collect();
    match sets {
        0 | 1 => vec![straight],
        2 | 3 => {
            let mut all = Vec::new();
            for first in 0..sets {
                for second in (0..sets).filter(|s| *s != first) {
                    let rest = (0..sets).filter(|s| *s != first && *s != second);
                    all.push([first, second].into_iter().chain(rest).collect());
                }
            }
            all
        }
        _ => (0..sets as usize).take(6).map(|n| [&straight[n..], &straight[..n]].concat()).collect(),
    }
}

/// The acceptance sets that each component needs.
struct SetsOfComponents {
    component: Vec<Option<usize>>,
    /// The acceptance sets of the component; `None` if the component does not accept.
    needed: Vec<Option<Vec<u32>>>,
}

impl SetsOfComponents {
    fn new(graph: &Graph) -> SetsOfComponents {
        let found = components(&graph.states, graph.initial, |l| l.to);
        let mut marks = vec![Vec::new(); found.count];
        for (state, links) in graph.states.iter().enumerate() {
            let Some(here) = found.of[state] else { continue };
            marks[here].extend(links.iter().filter(|l| found.of[l.to] == Some(here)).map(|l| l.marks));
        }
        let all = graph.all_marks();
        let needed = marks
            .into_iter()
            .map(|mut marks| {
                let accepts = !marks.is_empty() && marks.iter().fold(0, |all, m| all | m) == all;
                marks.sort_unstable();
                marks.dedup();
                accepts.then(|| irredundant(&marks, graph.sets))
            })
            .collect();
        SetsOfComponents { component: found.of, needed }
    }

    /// The acceptance sets of the component of a state, in the given order.
    fn waiting(&self, state: usize, order: &[u32]) -> Option<Vec<u32>> {
        let needed = self.needed[self.component[state]?].as_ref()?;
        Some(order.iter().copied().filter(|s| needed.contains(s)).collect())
    }
}

fn degeneralise(
    graph: &Graph,
    plans: &SetsOfComponents,
    order: &[u32],
    entry: Entry,
    bdds: &mut Bdds,
) -> Result<Graph, TooLarge> {
    let waiting: Vec<Option<Vec<u32>>> = (0..graph.states.len()).map(|s| plans.waiting(s, order)).collect();
    let last = |state: usize| waiting[state].as_ref().map_or(0, Vec::len);
    let entered = |state: usize| if entry == Entry::Accepting { last(state) } else { 0 };
    let mut copies = vec![(graph.initial, entered(graph.initial))];
    let mut numbers: HashMap<(usize, usize), usize> = HashMap::from([(copies[0], 0)]);
    let mut states: Vec<Vec<Link>> = Vec::new();
    while states.len() < copies.len() {
        let (state, level) = copies[states.len()];
        let accepting = waiting[state].as_ref().is_some_and(|w| w.len() == level);
        let mut links = Vec::new();
        for link in &graph.states[state] {
            let inside = plans.component[link.to] == plans.component[state];
            let to_level = match &waiting[state] {
                Some(sets) if inside => advance(sets, level, link.marks),
                _ => entered(link.to),
            };
            let next = copies.len();
            let to = *numbers.entry((link.to, to_level)).or_insert(next);
            if to == next {
                copies.push((link.to, to_level));
            }
            links.push(Link { to, marks: u64::from(accepting), label: link.label });
        }
        merge_links(&mut links, bdds);
        states.push(links);
        if copies.len() > limits::MAX_STATES {
            let most = limits::MAX_STATES;
            return Err(TooLarge::new(format!("the automaton of this formula would be too large: over {most} states")));
        }
    }
    Ok(Graph { accepting: Accepting::States, sets: 1, initial: 0, states })
}

/// The level after an edge with these marks.
fn advance(sets: &[u32], level: usize, marks: u64) -> usize {
    let from = if level == sets.len() { 0 } else { level };
    from + sets[from..].iter().take_while(|s| marks >> **s & 1 == 1).count()
}
