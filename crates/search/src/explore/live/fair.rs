//! Fairness, judged component by component.
//!
//! A cycle is weakly fair if every process, somewhere on it, can't move or does. Where a component has for every process
//! a state in which it can't move or an edge by which it moves, a tour of all of these is a fair cycle; where it has not,
//! neither has any part of it. Strong fairness asks that a process which can move somewhere on the cycle does: if a
//! component has a process that can move but never does inside, no fair cycle meets the states where it can, and what is
//! left without them is looked at again (as for Streett automata). The same goes for steps in place of processes.

use std::collections::{BTreeSet, HashMap, HashSet};

use kripke_model::Choice;

use super::super::worker::{Agents, Turn, Worker};
use super::{Cycles, Fairness, label, lasso};
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// A first state, and which successor to take from each on.
pub(in crate::explore) type Tour = (StateId, Vec<u32>);

/// One step inside a component.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: StateId,
    number: u32,
    to: StateId,
}

/// What there is in a component.
#[derive(Debug, Default)]
struct Inside {
    /// An accepting state, and steps with marks that are new.
    accepting: Option<StateId>,
    marked: Vec<Step>,
    /// All marks of its states and steps.
    marks: u32,
    /// A step in it, of whatever process.
    step: Option<Step>,
    /// Per process: a step by it, a state where it can't move, and all where it can.
    moves: Vec<Option<Step>>,
    rests: Vec<Option<StateId>>,
    able: Vec<HashSet<StateId>>,
    edges: HashMap<StateId, Vec<StateId>>,
}

/// A fair cycle that meets all the marks, if the component has one.
pub(in crate::explore) fn tour<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    states: &[(StateId, u32)],
    cycles: Cycles,
) -> Result<Option<Tour>, Limit> {
    let mut parts: Vec<BTreeSet<(StateId, u32)>> = vec![states.iter().copied().collect()];
    while let Some(part) = parts.pop() {
        let members: HashSet<StateId> = part.iter().map(|(id, _)| *id).collect();
        let inside = look_inside(worker, &part, &members, cycles)?;
        if inside.step.is_none() || inside.marks != cycles.all_marks() {
            continue;
        }
        match inside.wants(cycles.fairness) {
            Verdict::Fair => return around(worker, &inside, &members, cycles.fairness).map(Some),
            Verdict::Unfair => {}
            Verdict::Without(bad) => {
                let rest: BTreeSet<_> = part.into_iter().filter(|(id, _)| !bad.contains(id)).collect();
                parts.extend(components(&rest, &inside.edges));
            }
        }
    }
    Ok(None)
}

enum Verdict {
    Fair,
    Unfair,
    /// Not with these states.
    Without(HashSet<StateId>),
}

impl Inside {
    fn wants(&self, fairness: Fairness) -> Verdict {
        let mut bad = HashSet::new();
        for process in 0..self.moves.len() {
            let fair = self.moves[process].is_some()
                || match fairness {
                    Fairness::None => true,
                    Fairness::Weak => self.rests[process].is_some(),
                    Fairness::Strong | Fairness::StrongTransitions => self.able[process].is_empty(),
                    Fairness::Impartial => false,
                };
            if !fair {
                match fairness {
                    Fairness::Strong | Fairness::StrongTransitions => bad.extend(self.able[process].iter().copied()),
                    _ => return Verdict::Unfair,
                }
            }
        }
        if bad.is_empty() { Verdict::Fair } else { Verdict::Without(bad) }
    }

    /// A step inside, and the agents that make it.
    fn moved(&mut self, turn: Turn, step: Step) {
        let movers = match turn {
            Turn::Nobody => &mut [][..],
            Turn::One(agent) => &mut self.moves[agent..=agent],
            Turn::All => &mut self.moves,
        };
        for mover in movers {
            mover.get_or_insert(step);
        }
    }

    /// The agents that are enabled in a state, and those that are not.
    fn enabled(&mut self, at: StateId, agents: &Agents) {
        let mut enabled = vec![false; self.moves.len()];
        agents.enabled.iter().for_each(|agent| enabled[*agent] = true);
        for (agent, enabled) in enabled.into_iter().enumerate() {
            if enabled {
                self.able[agent].insert(at);
            } else {
                self.rests[agent].get_or_insert(at);
            }
        }
    }

    /// Makes room for processes that were not there before: they can't move where they are not.
    fn know(&mut self, processes: usize, absent: Option<StateId>) {
        while self.moves.len() < processes {
            self.moves.push(None);
            self.rests.push(absent);
            self.able.push(HashSet::new());
        }
    }
}

fn look_inside<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    part: &BTreeSet<(StateId, u32)>,
    members: &HashSet<StateId>,
    cycles: Cycles,
) -> Result<Inside, Limit> {
    let mut inside = Inside::default();
    if cycles.fairness == Fairness::Impartial {
        // A process that was there from the start has to move, even if it has ended.
        inside.know(worker.processes_at_start(), None);
    }
    let (mut before, mut labels, mut steps) = (None, Vec::new(), HashMap::new());
    for &(from, marks) in part {
        if marks != 0 {
            inside.accepting.get_or_insert(from);
            inside.marks |= marks;
        }
        if cycles.by_edges() {
            worker.marks(from, &mut labels);
        }
        let agents = match cycles.fairness {
            Fairness::None => worker.successors_alone(from)?,
            Fairness::StrongTransitions => worker.steps(from, &mut steps)?,
            Fairness::Weak | Fairness::Strong | Fairness::Impartial => worker.movers(from)?,
        };
        inside.know(agents.count, before);
        for (number, (&to, &turn)) in agents.successors.iter().zip(&agents.movers).enumerate() {
            if !members.contains(&to) {
                continue;
            }
            let step = Step { from, number: number as u32, to };
            inside.step.get_or_insert(step);
            let label = label(&labels, number);
            if label & !inside.marks != 0 {
                inside.marks |= label;
                inside.marked.push(step);
            }
            inside.edges.entry(from).or_default().push(to);
            inside.moved(turn, step);
        }
        inside.enabled(from, &agents);
        before = before.or(Some(from));
    }
    Ok(inside)
}

/// A cycle by way of all that makes it accepting and fair.
fn around<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    inside: &Inside,
    members: &HashSet<StateId>,
    fairness: Fairness,
) -> Result<Tour, Limit> {
    let somewhere = inside.step.map(|step| step.from);
    let start = inside.accepting.or(somewhere).expect("a component with a step");
    let (mut tour, mut at) = (Vec::new(), start);
    let mut moves = inside.marked.clone();
    for process in 0..inside.moves.len() {
        match (fairness, inside.rests[process], inside.moves[process]) {
            (Fairness::None, ..) => {}
            (Fairness::Strong | Fairness::StrongTransitions, ..) if inside.able[process].is_empty() => {}
            (Fairness::Weak, Some(rest), _) => extend(worker, &mut tour, &mut at, rest, members)?,
            (_, _, step) => moves.extend(step),
        }
    }
    for step in moves {
        extend(worker, &mut tour, &mut at, step.from, members)?;
        tour.push(step.number);
        at = step.to;
    }
    if tour.is_empty() {
        let back = lasso::way(worker, start, |id| id == start, |id| members.contains(&id))?;
        tour.extend(back.map(|(choices, _)| choices).expect("a component is connected"));
    }
    extend(worker, &mut tour, &mut at, start, members)?;
    Ok((start, tour))
}

/// Goes on to a state, if the tour is not there.
fn extend<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    tour: &mut Vec<u32>,
    at: &mut StateId,
    to: StateId,
    members: &HashSet<StateId>,
) -> Result<(), Limit> {
    if *at != to {
        let found = lasso::way(worker, *at, |id| id == to, |id| members.contains(&id))?;
        tour.extend(found.map(|(choices, _)| choices).expect("a component is connected"));
        *at = to;
    }
    Ok(())
}

/// The component of a state, among states that were stored before.
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

/// The components of what is left (Kosaraju, without recursion).
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
