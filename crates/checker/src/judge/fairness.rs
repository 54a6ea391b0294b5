//! Judging whether a replayed run counts under an assumption of fairness, by the definitions.
//!
//! Nothing of the search is used, nor of the expansion that says who moves: the processes that move are those of the
//! replayed moves, and the steps that are enabled are put together here, one statement after the other.

use std::collections::BTreeSet;

use kripke_model::interpret::{Move, Point};
use kripke_model::ir::ProcessId;
use kripke_model::layout::ProcessView;
use kripke_model::trail::{Ending, Replayed};
use kripke_model::{Fault, FindingKind, Interpreter};
use kripke_search::Fairness;

/// More statements than this in the atomic sequences of one state are not followed.
const MAX_STATEMENTS: usize = 1_000_000;

/// A process, or the statements of a transition with the processes that execute them.
type Agent = Vec<u32>;

/// Whether a run is fair. Runs that end are: they are beginnings, or no process can move any more.
pub fn is_fair(replayed: &Replayed, fairness: Fairness, interpreter: &mut Interpreter) -> bool {
    let Ending::Cycle(start) = replayed.ending() else { return true };
    if fairness == Fairness::None {
        return true;
    }
    let (mut all, mut moved) = (BTreeSet::new(), BTreeSet::new());
    let mut enabled: Vec<BTreeSet<Agent>> = Vec::new();
    if fairness == Fairness::Impartial {
        let initial = interpreter.processes(&replayed.state(0));
        all.extend((0..initial).map(|pid| vec![u32::from(pid)]));
    }
    let mut states = replayed.states().enumerate().skip(start as usize).peekable();
    while let Some((at, state)) = states.next() {
        // The last state is the first of the cycle again.
        if states.peek().is_none() {
            break;
        }
        let state = &state;
        let moves = replayed.moves().part(replayed.moves_before(at)..replayed.moves_before(at + 1));
        moved.extend(movers(&moves, fairness, interpreter));
        let here = enabled_agents(state, fairness, interpreter);
        if fairness != Fairness::StrongTransitions {
            all.extend((0..interpreter.processes(state)).map(|pid| vec![u32::from(pid)]));
        }
        all.extend(here.iter().cloned());
        enabled.push(here);
    }
    let fair = |agent: &Agent| match fairness {
        Fairness::None => true,
        Fairness::Weak => enabled.iter().any(|enabled| !enabled.contains(agent)),
        Fairness::Strong | Fairness::StrongTransitions => enabled.iter().all(|enabled| !enabled.contains(agent)),
        Fairness::Impartial => false,
    };
    all.iter().all(|agent| moved.contains(agent) || fair(agent))
}

/// The part of a process in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Activity {
    /// The process number.
    pub pid: u8,
    /// The type of the process.
    pub process: ProcessId,
    /// Whether the process moves on the cycle.
    pub moves: bool,
    /// Where on the cycle the process is enabled.
    pub enabled: Enabled,
}

/// The states of a cycle in which a process is enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enabled {
    /// All states.
    Always,
    /// Some states, but not all.
    Sometimes,
    /// No state.
    Never,
}

/// The processes that are alive where the cycle of a run begins. Empty for a run without a cycle.
pub fn activities(replayed: &Replayed, interpreter: &mut Interpreter) -> Vec<Activity> {
    let Ending::Cycle(start) = replayed.ending() else { return Vec::new() };
    let start = start as usize;
    let (mut moved, mut states) = (BTreeSet::new(), Vec::new());
    let count = replayed.states().count() - 1;
    for at in start..count {
        let moves = replayed.moves().part(replayed.moves_before(at)..replayed.moves_before(at + 1));
        moved.extend(movers(&moves, Fairness::Weak, interpreter));
        states.push(enabled_agents(&replayed.state(at), Fairness::Weak, interpreter));
    }
    let processes = interpreter.layout().view(&replayed.state(start)).processes;
    let activity = |p: &ProcessView| {
        let agent = vec![u32::from(p.pid)];
        let enabled = states.iter().filter(|enabled| enabled.contains(&agent)).count();
        let enabled = match enabled {
            0 => Enabled::Never,
            all if all == states.len() => Enabled::Always,
            _ => Enabled::Sometimes,
        };
        Activity { pid: p.pid, process: p.process, moves: moved.contains(&agent), enabled }
    };
    processes.iter().map(activity).collect()
}

/// Whether some state of the cycle has a process, or the observer, at an accepting location.
pub fn is_accepting(replayed: &Replayed, interpreter: &Interpreter) -> bool {
    let model = interpreter.model();
    cycle(replayed).any(|state| {
        let view = interpreter.layout().view(&state);
        let observer = model.observer.as_ref().zip(view.observer);
        observer.is_some_and(|(observer, at)| observer.automaton.locations[at.index()].accept)
            || view.processes.iter().any(|p| model.processes[p.process.index()].locations[p.location.index()].accept)
    })
}

/// Whether no process is at a progress location anywhere on the cycle.
pub fn is_without_progress(replayed: &Replayed, interpreter: &Interpreter) -> bool {
    let model = interpreter.model();
    cycle(replayed).all(|state| {
        let view = interpreter.layout().view(&state);
        !view.processes.iter().any(|p| model.processes[p.process.index()].locations[p.location.index()].progress)
    })
}

/// The states of the cycle, if the run ends in one.
fn cycle(replayed: &Replayed) -> impl Iterator<Item = Vec<u8>> {
    let start = match replayed.ending() {
        Ending::Cycle(start) => start as usize,
        _ => usize::MAX,
    };
    replayed.states().skip(start)
}

/// The agents that make one step; none if only the observer moves.
fn movers(moves: &[&Move], fairness: Fairness, interpreter: &Interpreter) -> Vec<Agent> {
    let processes = interpreter.model().processes.len();
    let Some(first) = moves.first().filter(|first| first.process.index() < processes) else { return Vec::new() };
    if fairness == Fairness::StrongTransitions {
        return vec![moves.iter().flat_map(|step| executed(step)).collect()];
    }
    std::iter::once(first.pid).chain(first.others.iter().map(|other| other.pid)).map(|pid| vec![pid.into()]).collect()
}

/// The statements of a move, each with its process.
fn executed(step: &Move) -> Vec<u32> {
    let mut out = vec![u32::from(step.pid), step.process.0, step.edge.0];
    for other in step.partner.iter().chain(&step.others) {
        out.extend([u32::from(other.pid), other.process.0, other.edge.0]);
    }
    out.extend(step.chain.iter().map(|edge| edge.0));
    out
}

/// The agents with a step in a state.
fn enabled_agents(state: &[u8], fairness: Fairness, interpreter: &mut Interpreter) -> BTreeSet<Agent> {
    if fairness == Fairness::StrongTransitions {
        return transitions(state, interpreter);
    }
    let moves = interpreter.moves(&Point::free(state.to_vec()));
    moves.iter().filter(|m| is_step(m)).flat_map(|m| movers(&[m], fairness, interpreter)).collect()
}

/// A poll of a rendezvous channel is reported, but is no step.
fn is_step(step: &Move) -> bool {
    let poll = FindingKind::Fault(Fault::PollRendezvous);
    step.to.is_some() || step.findings.iter().any(|finding| finding.kind != poll)
}

/// The transitions that can be taken in a state: sequences of statements that end where control is given up or blocked.
fn transitions(state: &[u8], interpreter: &mut Interpreter) -> BTreeSet<Agent> {
    let mut out = BTreeSet::new();
    let mut open = vec![(Point::free(state.to_vec()), Agent::new())];
    for _ in 0..MAX_STATEMENTS {
        let Some((point, before)) = open.pop() else { break };
        let moves = match point.control {
            None => interpreter.moves(&point),
            Some(_) => interpreter.moves_in_control(&point),
        };
        if !moves.iter().any(is_step) && !before.is_empty() {
            out.insert(before.clone());
        }
        for step in moves {
            let agent = [before.clone(), executed(&step)].concat();
            match step.to {
                Some(to) if to.control.is_some() => open.push((to, agent)),
                Some(_) => _ = out.insert(agent),
                None => {}
            }
        }
    }
    out
}

#[cfg(test)]
pub(super) mod tests;
