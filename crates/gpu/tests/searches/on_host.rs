//! A machine without kernels: a set of states and the engine's own successors. It judges the search that uses machines.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

use kripke_model::{Batch, Choice, Flags, State, Successors};
use kripke_search::{Accelerator, AcceleratorFailure, Bounds, CycleStep, EndStates, Expanded};

use crate::cycle_steps::CycleSteps;

/// The machine.
pub struct OnHost<'m> {
    successors: Box<dyn Successors + 'm>,
    known: HashSet<Vec<u8>>,
    levels: Vec<Vec<Vec<u8>>>,
    next: Vec<Vec<u8>>,
    left: Vec<Vec<u8>>,
    /// It leaves one state in so many, besides those that it has to leave.
    leaves: u64,
    /// The number of levels that it keeps.
    keeps: usize,
    /// The most states.
    pub most: usize,
    random: RandomState,
    /// How often it has taken more memory.
    grown: usize,
    /// How many invalid end states it has counted.
    pub counted: u64,
    /// How many steps of trails it has traced by itself.
    pub traced: u64,
    steps: CycleSteps,
}

impl<'m> OnHost<'m> {
    pub fn new(successors: Box<dyn Successors + 'm>, leaves: u64, keeps: usize) -> OnHost<'m> {
        let (known, levels, next, left) = Default::default();
        let random = RandomState::new();
        let steps = CycleSteps::default();
        let (most, grown, counted, traced) = (usize::MAX, 0, 0, 0);
        OnHost { successors, known, levels, next, left, leaves, keeps, most, random, grown, counted, traced, steps }
    }

    fn store(&mut self, state: &State) -> Result<(), AcceleratorFailure> {
        if self.known.insert(state.to_vec()) {
            self.next.push(state.to_vec());
        }
        if self.known.len() > self.most { Err(AcceleratorFailure::Full(7)) } else { Ok(()) }
    }

    /// Expands the last level. Returns the number of transitions, and of invalid end states that were counted.
    fn expand_level(&mut self, ends: EndStates) -> Result<(u64, u64), AcceleratorFailure> {
        let (mut transitions, mut counted, mut batch) = (0, 0, Batch::new());
        for state in self.levels.last().cloned().unwrap_or_default() {
            if ends == EndStates::Count && self.is_invalid_end(&state, &mut batch) {
                counted += 1;
                continue;
            }
            let (is_left, accepting) = self.look(&state, &mut batch);
            if accepting {
                self.steps.accepting.insert(state.clone());
            }
            // Some successors of states that are left are stored all the same.
            let stored = if is_left { batch.len() / 2 } else { batch.len() };
            if is_left {
                self.left.push(state);
            } else {
                transitions += batch.len() as u64;
            }
            for at in 0..stored {
                self.store(batch.state(at))?;
            }
        }
        Ok((transitions, counted))
    }

    /// Whether a state is an invalid end state and nothing else, and the machine knows that.
    fn is_invalid_end(&mut self, state: &State, batch: &mut Batch) -> bool {
        batch.clear();
        let flags = self.successors.expand(state, Choice::All, batch);
        let only = Flags { invalid_end: true, ..Flags::default() };
        flags == only && batch.is_empty() && batch.findings().is_empty() && !self.leaves(state)
    }

    /// Expands a state. Returns whether it is left, and whether the machine knows that it is accepting.
    fn look(&mut self, state: &State, batch: &mut Batch) -> (bool, bool) {
        batch.clear();
        let flags = self.successors.expand(state, Choice::All, batch);
        let is_left = flags.is_bad() || !batch.findings().is_empty() || batch.is_empty() || self.leaves(state);
        (is_left, flags.accepting && !is_left)
    }

    fn leaves(&self, state: &State) -> bool {
        let mut hasher = self.random.build_hasher();
        hasher.write(state);
        hasher.finish().is_multiple_of(self.leaves)
    }
}

impl Accelerator for OnHost<'_> {
    fn name(&self) -> String {
        "the host".to_string()
    }

    fn begin(&mut self, initial: &State) -> Result<(), AcceleratorFailure> {
        self.known.clear();
        self.levels.clear();
        self.next.clear();
        self.steps = CycleSteps::default();
        self.store(initial)?;
        self.end_level().map(|_| ())
    }

    fn expand_levels(&mut self, bounds: Bounds) -> Result<Expanded, AcceleratorFailure> {
        let Bounds { levels, ends, .. } = bounds;
        let (transitions, invalid_ends) = self.expand_level(ends)?;
        let mut expanded = Expanded { transitions, invalid_ends, further: Vec::new() };
        // It goes on by itself for a few levels.
        while self.left.is_empty() && !self.next.is_empty() && expanded.further.len() + 1 < levels.min(4) as usize {
            expanded.further.push(self.end_level()?);
            let (transitions, invalid_ends) = self.expand_level(ends)?;
            expanded.transitions += transitions;
            expanded.invalid_ends += invalid_ends;
        }
        self.counted += expanded.invalid_ends;
        Ok(expanded)
    }

    fn take_left(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        let some = self.left.len().saturating_sub(3000);
        self.left.drain(some..).for_each(|state| out.push(&state));
        Ok(())
    }

    fn add(&mut self, states: &Batch) -> Result<(), AcceleratorFailure> {
        states.states().try_for_each(|state| self.store(state))
    }

    fn end_level(&mut self) -> Result<u64, AcceleratorFailure> {
        assert!(self.left.is_empty(), "all states that are left are taken");
        self.levels.push(std::mem::take(&mut self.next));
        let last = self.levels.len() - 1;
        if let Some(old) = self.levels.len().checked_sub(self.keeps + 1) {
            self.levels[old].clear();
        }
        Ok(self.levels[last].len() as u64)
    }

    fn origins(&mut self, depth: u32, states: &Batch, out: &mut Batch) -> Result<bool, AcceleratorFailure> {
        let depth = depth as usize;
        if depth + self.keeps < self.levels.len() || depth >= self.levels.len() {
            return Ok(false);
        }
        let wanted: HashSet<&State> = states.states().collect();
        let mut batch = Batch::new();
        for state in &self.levels[depth] {
            batch.clear();
            self.successors.expand(state, Choice::All, &mut batch);
            if batch.states().any(|successor| wanted.contains(successor)) || self.leaves(state) {
                out.push(state);
            }
        }
        Ok(true)
    }

    fn trace(&mut self, depth: u32, state: &State, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        // It traces a few levels by itself, as far as it has left none of the states on the way.
        let (mut end, mut batch) = (state.to_vec(), Batch::new());
        for at in (0..depth as usize).rev().take(3).take_while(|at| at + self.keeps >= self.levels.len()) {
            let mut least: Option<(Vec<u8>, Vec<u8>)> = None;
            for state in &self.levels[at] {
                batch.clear();
                self.successors.expand(state, Choice::All, &mut batch);
                if batch.states().any(|successor| *successor == end[..]) {
                    let found = (self.successors.decode(state).into_owned(), state.clone());
                    least = Some(least.map_or(found.clone(), |least| least.min(found)));
                }
            }
            let Some((_, state)) = least.filter(|(_, state)| !self.leaves(state)) else { break };
            out.push(&state);
            self.traced += 1;
            end = state;
        }
        Ok(())
    }

    fn accept(&mut self, states: &Batch) -> Result<(), AcceleratorFailure> {
        self.steps.accepting.extend(states.states().map(<[u8]>::to_vec));
        Ok(())
    }

    fn begin_step(&mut self, step: CycleStep) -> Result<(), AcceleratorFailure> {
        self.steps.begin(step, &self.known);
        Ok(())
    }

    fn begin_round(&mut self, state: &State) -> Result<bool, AcceleratorFailure> {
        Ok(self.steps.begin_round(state))
    }

    fn go_on(&mut self) -> Result<bool, AcceleratorFailure> {
        let (some, mut batch) = (self.steps.queue.len().saturating_sub(3), Batch::new());
        let part: Vec<Vec<u8>> = self.steps.queue.drain(some..).collect();
        for state in &part {
            match self.look(state, &mut batch) {
                (true, _) => self.left.push(state.clone()),
                (false, _) => batch.states().for_each(|successor| self.steps.tell(successor)),
            }
        }
        Ok(!part.is_empty())
    }

    fn tell(&mut self, successors: &Batch) -> Result<(), AcceleratorFailure> {
        successors.states().for_each(|successor| self.steps.tell(successor));
        Ok(())
    }

    fn inside(&mut self) -> Result<u64, AcceleratorFailure> {
        Ok(self.steps.inside.len() as u64)
    }

    fn candidates(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        self.steps.candidates().take(2).for_each(|state| out.push(state));
        Ok(())
    }

    fn has_come_round(&self) -> bool {
        self.steps.has_come_round
    }

    fn grow(&mut self) -> Result<bool, AcceleratorFailure> {
        self.most = self.most.saturating_mul(2);
        self.levels.clear();
        self.left.clear();
        self.grown += 1;
        Ok(self.grown < 4)
    }

    fn bytes(&self) -> u64 {
        1000
    }
}
