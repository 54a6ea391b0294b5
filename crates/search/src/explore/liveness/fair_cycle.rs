//! Fair cycles, component by component.
//!
//! A cycle is weakly fair if every process is disabled or moves somewhere on it. If a component has, for every
//! process, a state in which it is disabled or a transition that it makes, then a cycle through all of these is fair;
//! otherwise no cycle of the component is. Strong fairness requires that a process which is enabled somewhere on the
//! cycle moves on it. If a process is enabled in a component but makes none of its transitions, no fair cycle visits
//! the states in which it is enabled. Those states are removed, and the remaining components are examined again (the
//! emptiness check of Streett automata). Fairness of transitions is treated in the same way, with transitions in
//! place of processes.

use std::collections::{BTreeSet, HashMap, HashSet};

use kripke_model::Choice;

use super::super::worker::{Agents, MovedBy, Worker};
use super::{Cycles, Fairness, label, lasso};
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// A cycle: its first state, and the choices from there on.
pub(in crate::explore) type FairCycle = (StateId, Vec<u32>);

/// A transition inside a component.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: StateId,
    number: u32,
    to: StateId,
}

/// The properties of a component that fairness and acceptance depend on.
#[derive(Debug, Default)]
struct ComponentSummary {
    /// An accepting state, and transitions that contribute acceptance marks.
    accepting: Option<StateId>,
    marked: Vec<Step>,
    /// All acceptance marks of its states and transitions.
    marks: u32,
    /// A transition inside the component.
    step: Option<Step>,
    /// Per agent: a transition that it makes, a state in which it is disabled, and all states in which it is enabled.
    moves: Vec<Option<Step>>,
    disabled_in: Vec<Option<StateId>>,
    enabled_in: Vec<HashSet<StateId>>,
    edges: HashMap<StateId, Vec<StateId>>,
}

/// A fair cycle of the component that visits all acceptance marks, if there is one.
pub(in crate::explore) fn find<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    states: &[(StateId, u32)],
    cycles: Cycles,
) -> Result<Option<FairCycle>, Limit> {
    let mut parts: Vec<BTreeSet<(StateId, u32)>> = vec![states.iter().copied().collect()];
    while let Some(part) = parts.pop() {
        let members: HashSet<StateId> = part.iter().map(|(id, _)| *id).collect();
        let summary = summarise(worker, &part, &members, cycles)?;
        if summary.step.is_none() || summary.marks != cycles.all_marks() {
            continue;
        }
        match summary.check_fairness(cycles.fairness) {
            FairnessVerdict::Fair => return construct(worker, &summary, &members, cycles.fairness).map(Some),
            FairnessVerdict::Unfair => {}
            FairnessVerdict::Without(bad) => {
                let rest: BTreeSet<_> = part.into_iter().filter(|(id, _)| !bad.contains(id)).collect();
                parts.extend(components(&rest, &summary.edges));
            }
        }
    }
    Ok(None)
}

/// The result of a fairness check.
enum FairnessVerdict {
    Fair,
    Unfair,
    /// No fair cycle visits these states.
    Without(HashSet<StateId>),
}

impl ComponentSummary {
    /// Whether a cycle through the whole component is fair.
    fn check_fairness(&self, fairness: Fairness) -> FairnessVerdict {
        let mut bad = HashSet::new();
        for process in 0..self.moves.len() {
            let fair = self.moves[process].is_some()
                || match fairness {
                    Fairness::None => true,
                    Fairness::Weak => self.disabled_in[process].is_some(),
                    Fairness::Strong | Fairness::StrongTransitions => self.enabled_in[process].is_empty(),
                    Fairness::Impartial => false,
                };
            if !fair {
                match fairness {
                    Fairness::Strong | Fairness::StrongTransitions => {
                        bad.extend(self.enabled_in[process].iter().copied())
                    }
                    _ => return FairnessVerdict::Unfair,
                }
            }
        }
        if bad.is_empty() { FairnessVerdict::Fair } else { FairnessVerdict::Without(bad) }
    }

    /// Records a transition inside the component and the agents that make it.
    fn record_transition(&mut self, moved_by: MovedBy, step: Step) {
        let movers = match moved_by {
            MovedBy::None => &mut [][..],
            MovedBy::One(agent) => &mut self.moves[agent..=agent],
            MovedBy::All => &mut self.moves,
        };
        for mover in movers {
            mover.get_or_insert(step);
        }
    }

    /// Records the enabled and the disabled agents of a state.
    fn record_enabled(&mut self, at: StateId, agents: &Agents) {
        let mut enabled = vec![false; self.moves.len()];
        agents.enabled.iter().for_each(|agent| enabled[*agent] = true);
        for (agent, enabled) in enabled.into_iter().enumerate() {
            if enabled {
                self.enabled_in[agent].insert(at);
            } else {
                self.disabled_in[agent].get_or_insert(at);
            }
        }
    }

    /// Adds agents that were not known before. They are disabled in states in which they do not exist.
    fn ensure_agents(&mut self, processes: usize, absent: Option<StateId>) {
        while self.moves.len() < processes {
            self.moves.push(None);
            self.disabled_in.push(absent);
            self.enabled_in.push(HashSet::new());
        }
    }
}

fn summarise<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    part: &BTreeSet<(StateId, u32)>,
    members: &HashSet<StateId>,
    cycles: Cycles,
) -> Result<ComponentSummary, Limit> {
    let mut summary = ComponentSummary::default();
    if cycles.fairness == Fairness::Impartial {
        // A process of the initial state has to move, even if it has terminated.
        summary.ensure_agents(worker.processes_at_start(), None);
    }
    let (mut before, mut labels, mut steps) = (None, Vec::new(), HashMap::new());
    for &(from, marks) in part {
        if marks != 0 {
            summary.accepting.get_or_insert(from);
            summary.marks |= marks;
        }
        if cycles.by_edges() {
            worker.acceptance_marks(from, &mut labels);
        }
        let agents = match cycles.fairness {
            Fairness::None => worker.without_agents(from)?,
            Fairness::StrongTransitions => worker.transition_agents(from, &mut steps)?,
            Fairness::Weak | Fairness::Strong | Fairness::Impartial => worker.process_agents(from)?,
        };
        summary.ensure_agents(agents.count, before);
        for (number, (&to, &moved_by)) in agents.successors.iter().zip(&agents.movers).enumerate() {
            if !members.contains(&to) {
                continue;
            }
            let step = Step { from, number: number as u32, to };
            summary.step.get_or_insert(step);
            let label = label(&labels, number);
            if label & !summary.marks != 0 {
                summary.marks |= label;
                summary.marked.push(step);
            }
            summary.edges.entry(from).or_default().push(to);
            summary.record_transition(moved_by, step);
        }
        summary.record_enabled(from, &agents);
        before = before.or(Some(from));
    }
    Ok(summary)
}

/// A cycle through everything that makes it accepting and fair.
fn construct<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    summary: &ComponentSummary,
    members: &HashSet<StateId>,
    fairness: Fairness,
) -> Result<FairCycle, Limit> {
    let somewhere = summary.step.map(|step| step.from);
    let start = summary.accepting.or(somewhere).expect("the component has a transition");
    let (mut cycle, mut at) = (Vec::new(), start);
    let mut moves = summary.marked.clone();
    for process in 0..summary.moves.len() {
        match (fairness, summary.disabled_in[process], summary.moves[process]) {
            (Fairness::None, ..) => {}
            (Fairness::Strong | Fairness::StrongTransitions, ..) if summary.enabled_in[process].is_empty() => {}
            (Fairness::Weak, Some(rest), _) => extend(worker, &mut cycle, &mut at, rest, members)?,
            (_, _, step) => moves.extend(step),
        }
    }
    for step in moves {
        extend(worker, &mut cycle, &mut at, step.from, members)?;
        cycle.push(step.number);
        at = step.to;
    }
    if cycle.is_empty() {
        let back = lasso::shortest_path(worker, start, |id| id == start, |id| members.contains(&id))?;
        cycle.extend(back.map(|(choices, _)| choices).expect("a component is strongly connected"));
    }
    extend(worker, &mut cycle, &mut at, start, members)?;
    Ok((start, cycle))
}

/// Extends the cycle to a state, unless it is already there.
fn extend<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    cycle: &mut Vec<u32>,
    at: &mut StateId,
    to: StateId,
    members: &HashSet<StateId>,
) -> Result<(), Limit> {
    if *at != to {
        let found = lasso::shortest_path(worker, *at, |id| id == to, |id| members.contains(&id))?;
        cycle.extend(found.map(|(choices, _)| choices).expect("a component is strongly connected"));
        *at = to;
    }
    Ok(())
}

/// The strongly connected component of a state, among stored states.
pub(super) fn component<S: Store>(worker: &mut Worker<'_, '_, S>, id: StateId) -> Result<Vec<(StateId, u32)>, Limit> {
    let mut states = BTreeSet::from([(id, 0)]);
    let mut edges: HashMap<StateId, Vec<StateId>> = HashMap::new();
    let mut stack = vec![id];
    while let Some(from) = stack.pop() {
        let mut next = Vec::new();
        worker.expand_again(from, Choice::All, |seen| {
            if !seen.new {
                next.push(seen.id);
            }
        })?;
        stack.extend(next.iter().filter(|to| states.insert((**to, 0))));
        edges.insert(from, next);
    }
    let found = components(&states, &edges).into_iter().find(|part| part.contains(&(id, 0)));
    Ok(found.map_or_else(Vec::new, |part| part.into_iter().collect()))
}

/// The strongly connected components of a subgraph (Kosaraju, iterative).
fn components(
    states: &BTreeSet<(StateId, u32)>,
    edges: &HashMap<StateId, Vec<StateId>>,
) -> Vec<BTreeSet<(StateId, u32)>> {
    let flags: HashMap<StateId, u32> = states.iter().copied().collect();
    let mut back: HashMap<StateId, Vec<StateId>> = HashMap::new();
    for (from, to) in edges.iter().filter(|(from, _)| flags.contains_key(from)) {
        to.iter().filter(|to| flags.contains_key(to)).for_each(|to| back.entry(*to).or_default().push(*from));
    }
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    for &(root, _) in states {
        let mut stack = vec![(root, 0)];
        if !seen.insert(root) {
            continue;
        }
        while let Some((id, next)) = stack.last_mut() {
            let successors = edges.get(id).map_or(&[][..], |s| s);
            match successors.get(*next).copied() {
                None => {
                    order.push(*id);
                    stack.pop();
                }
                Some(to) => {
                    *next += 1;
                    if flags.contains_key(&to) && seen.insert(to) {
                        stack.push((to, 0));
                    }
                }
            }
        }
    }
    let mut out = Vec::new();
    let mut taken = HashSet::new();
    for root in order.into_iter().rev() {
        if !taken.insert(root) {
            continue;
        }
        let (mut component, mut stack) = (BTreeSet::new(), vec![root]);
        while let Some(id) = stack.pop() {
            component.insert((id, flags[&id]));
            stack.extend(back.get(&id).into_iter().flatten().copied().filter(|to| taken.insert(*to)));
        }
        out.push(component);
    }
    out
}

#[cfg(test)]
mod tests;
