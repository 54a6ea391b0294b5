//! The startup phase: the states in which processes can still be created.
//!
//! After it the set of processes is fixed. Reductions that know processes by number apply from there on.

use std::collections::{HashSet, VecDeque};

use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Edge, Effect, LocId, Process};
use kripke_model::layout::View;
use kripke_model::{Batch, Choice, Successors};

/// The most states of a startup phase.
const MAX_STATES: usize = 1000;

/// The most states that are searched for paths between the final states of the phase.
const MAX_SEARCHED: usize = 50_000;

/// The final states of the startup phase, all with the same processes and channels.
#[derive(Debug)]
pub(crate) struct Startup {
    pub states: Vec<Vec<u8>>,
    pub views: Vec<View>,
    /// All states of the phase, the final ones included.
    pub visited: Vec<Vec<u8>>,
    /// `[process type][location]`: the process can still create processes from there.
    pub creating: Vec<Vec<bool>>,
}

impl Startup {
    /// Executes the startup phase. The reason, if it does not end soon, ends with different processes, or if
    /// processes end in it and `may_end` is false.
    pub fn of(interpreter: &Interpreter, may_end: bool) -> Result<Startup, &'static str> {
        let creating: Vec<Vec<bool>> = interpreter.model().processes.iter().map(creating).collect();
        let mut startup = Startup { states: Vec::new(), views: Vec::new(), visited: Vec::new(), creating };
        // A copy, since an interpreter records the edges that it executes.
        let mut walker = interpreter.for_thread();
        let mut batch = Batch::new();
        let mut seen = HashSet::from([interpreter.initial_state().to_vec()]);
        let mut todo: Vec<Vec<u8>> = seen.iter().cloned().collect();
        while let Some(state) = todo.pop() {
            let view = interpreter.layout().view(&state);
            if !view.processes.iter().any(|p| startup.creating[p.process.index()][p.location.index()]) {
                startup.add(state, view)?;
                continue;
            }
            batch.clear();
            walker.expand(&state, Choice::All, &mut batch);
            for next in batch.states() {
                if !may_end && next.len() < state.len() {
                    return Err("a process ends in the startup phase");
                }
                if seen.insert(next.to_vec()) {
                    todo.push(next.to_vec());
                }
            }
            if seen.len() > MAX_STATES {
                return Err("the startup phase has too many states");
            }
        }
        startup.visited = seen.into_iter().collect();
        if startup.states.is_empty() { Err("the startup phase does not end") } else { Ok(startup) }
    }

    fn add(&mut self, state: Vec<u8>, view: View) -> Result<(), &'static str> {
        let known = self.views.first().unwrap_or(&view);
        let channels = view.channels.iter().map(|c| c.declaration);
        let same = known.processes.iter().map(|p| p.process).eq(view.processes.iter().map(|p| p.process))
            && known.channels.iter().map(|c| c.declaration).eq(channels);
        if !same {
            return Err("the startup phase ends with different processes");
        }
        self.states.push(state);
        self.views.push(view);
        Ok(())
    }

    /// True if all final states are reachable from these.
    pub fn reaches_all_from(&self, from: &[usize], interpreter: &Interpreter) -> bool {
        let mut missing: HashSet<&[u8]> = self.states.iter().map(Vec::as_slice).collect();
        let mut seen: HashSet<Vec<u8>> = from.iter().map(|n| self.states[*n].clone()).collect();
        seen.iter().for_each(|state| {
            missing.remove(&**state);
        });
        let mut todo: VecDeque<Vec<u8>> = seen.iter().cloned().collect();
        let mut walker = interpreter.for_thread();
        let mut batch = Batch::new();
        while let Some(state) = todo.pop_front().filter(|_| !missing.is_empty() && seen.len() < MAX_SEARCHED) {
            batch.clear();
            walker.expand(&state, Choice::All, &mut batch);
            for next in batch.states() {
                if seen.insert(next.to_vec()) {
                    missing.remove(next);
                    todo.push_back(next.to_vec());
                }
            }
        }
        missing.is_empty()
    }
}

/// For each location whether the process can create processes from there.
fn creating(process: &Process) -> Vec<bool> {
    let runs = |edge: &Edge| edge.effects.iter().any(|e| matches!(e, Effect::Run { .. }));
    let any = process.edges.iter().any(runs);
    let creates = |at: usize| {
        let mut reached = vec![false; process.locations.len()];
        reach(process, LocId(at as u32), &mut reached);
        edges_at(process, &reached).any(runs)
    };
    (0..process.locations.len()).map(|at| any && creates(at)).collect()
}

/// The edges of these locations.
pub(crate) fn edges_at<'p>(process: &'p Process, reached: &'p [bool]) -> impl Iterator<Item = &'p Edge> {
    let locations = process.locations.iter().zip(reached).filter(|(_, reached)| **reached);
    locations.flat_map(|(location, _)| &location.edges).map(|id| &process.edges[id.index()])
}

/// Adds the locations reachable from one, including it.
pub(crate) fn reach(process: &Process, from: LocId, reached: &mut [bool]) {
    let mut stack = vec![from];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at.index()], true) {
            let edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
            stack.extend(edges.map(|edge| edge.chain.unwrap_or(edge.target)));
        }
    }
}
