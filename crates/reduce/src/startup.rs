//! The beginning: the states from which processes can still be created.
//!
//! After it, the processes are always the same ones. Reductions that know processes by their numbers begin there.

use std::collections::{HashSet, VecDeque};

use kripke_model::interpret::Interpreter;
use kripke_model::ir::{Edge, Effect, LocId, Process};
use kripke_model::layout::View;
use kripke_model::{Batch, Choice, Successors};

/// How many states the beginning may have.
const MOST: usize = 1000;

/// How many states may be looked at to see that all ways to begin lead from one to the others.
const NEAR: usize = 50_000;

/// The first states after the beginning, all with the same processes and channels.
#[derive(Debug)]
pub(crate) struct Beginning {
    pub states: Vec<Vec<u8>>,
    pub views: Vec<View>,
    /// `[process type][location]`: can the process still create others?
    pub creating: Vec<Vec<bool>>,
}

impl Beginning {
    /// The reason, if it can't be known, or if processes end in it and may not.
    pub fn of(interpreter: &Interpreter, may_end: bool) -> Result<Beginning, &'static str> {
        let creating: Vec<Vec<bool>> = interpreter.model().processes.iter().map(creating).collect();
        let mut begun = Beginning { states: Vec::new(), views: Vec::new(), creating };
        // By another interpreter, since this one remembers what it has executed.
        let mut walker = interpreter.for_thread();
        let mut batch = Batch::new();
        let mut seen = HashSet::from([interpreter.initial_state().to_vec()]);
        let mut todo: Vec<Vec<u8>> = seen.iter().cloned().collect();
        while let Some(state) = todo.pop() {
            let view = interpreter.layout().view(&state);
            if !view.processes.iter().any(|p| begun.creating[p.process.index()][p.location.index()]) {
                begun.add(state, view)?;
                continue;
            }
            batch.clear();
            walker.expand(&state, Choice::All, &mut batch);
            for next in batch.states() {
                if !may_end && next.len() < state.len() {
                    return Err("a process ends while others are still to be created");
                }
                if seen.insert(next.to_vec()) {
                    todo.push(next.to_vec());
                }
            }
            if seen.len() > MOST {
                return Err("processes are created all the time, or in too many ways");
            }
        }
        if begun.states.is_empty() { Err("the beginning has no end") } else { Ok(begun) }
    }

    fn add(&mut self, state: Vec<u8>, view: View) -> Result<(), &'static str> {
        let known = self.views.first().unwrap_or(&view);
        let channels = view.channels.iter().map(|c| c.declaration);
        let same = known.processes.iter().map(|p| p.process).eq(view.processes.iter().map(|p| p.process))
            && known.channels.iter().map(|c| c.declaration).eq(channels);
        if !same {
            return Err("there are several ways to begin, with different processes");
        }
        self.states.push(state);
        self.views.push(view);
        Ok(())
    }

    /// Whether all ways to begin can be reached from these.
    pub fn leads_everywhere(&self, from: &[usize], interpreter: &Interpreter) -> bool {
        let mut missing: HashSet<&[u8]> = self.states.iter().map(Vec::as_slice).collect();
        let mut seen: HashSet<Vec<u8>> = from.iter().map(|n| self.states[*n].clone()).collect();
        seen.iter().for_each(|state| {
            missing.remove(&**state);
        });
        let mut todo: VecDeque<Vec<u8>> = seen.iter().cloned().collect();
        let mut walker = interpreter.for_thread();
        let mut batch = Batch::new();
        while let Some(state) = todo.pop_front().filter(|_| !missing.is_empty() && seen.len() < NEAR) {
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

/// From which locations can the process still create others?
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

/// The edges that leave these locations.
pub(crate) fn edges_at<'p>(process: &'p Process, reached: &'p [bool]) -> impl Iterator<Item = &'p Edge> {
    let locations = process.locations.iter().zip(reached).filter(|(_, reached)| **reached);
    locations.flat_map(|(location, _)| &location.edges).map(|id| &process.edges[id.index()])
}

/// Adds the locations that can be reached from one, itself too.
pub(crate) fn reach(process: &Process, from: LocId, reached: &mut [bool]) {
    let mut stack = vec![from];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at.index()], true) {
            let edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
            stack.extend(edges.map(|edge| edge.chain.unwrap_or(edge.target)));
        }
    }
}
