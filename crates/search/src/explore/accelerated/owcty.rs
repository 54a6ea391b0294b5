//! Accepting cycles by OWCTY, one-way-catch-them-young, on the states that a machine has stored.
//!
//! I. Černá and R. Pelánek, "Distributed explicit fair cycle detection (set based approach)", SPIN 2003. A set of states that contains every
//! accepting cycle is made smaller in turn by two steps: states are removed that no accepting state of the set reaches, and states that
//! have no predecessor in the set. If the set is empty, there is no accepting cycle. If it does not change, there is one: each state
//! is then reached by an accepting state of the set, which has a predecessor in the set, and so on.
//!
//! An accepting state on a cycle is then found by searches from one accepting state after the other, through states of the set that no
//! earlier search has visited. The states that a search visits are all that its first state reaches, so whatever leads to a state that is not
//! visited is not visited, either. The states that are not visited are again a set that does not change, and have an accepting
//! cycle. All searches together expand each state of the set at most once.

use kripke_model::trail::Ending;
use kripke_model::{Batch, State, Trail};

use super::super::error_collector::FoundError;
use super::super::trail::{self, PartialTrail, Wanted};
use super::Search;
use crate::accelerator::{AcceleratorFailure, CycleStep};
use crate::budget::Limit;
use crate::outcome::{ErrorKind, Violation};
use crate::store::StateId;

impl Search<'_, '_> {
    /// An accepting state on a cycle, if there is one. All states were expanded.
    pub(super) fn state_on_cycle(&mut self) -> Result<Option<Vec<u8>>, Limit> {
        self.machine.begin_step(CycleStep::Include)?;
        let mut before = self.counts.states;
        loop {
            self.step(CycleStep::Reach)?;
            self.step(CycleStep::Eliminate)?;
            let now = self.machine.inside()?;
            match now {
                0 => return Ok(None),
                _ if now == before => return self.locate().map(Some),
                _ if now > before => return Err(lost("a set of states that only loses states has gained some")),
                _ => before = now,
            }
            self.report(now);
        }
    }

    fn step(&mut self, step: CycleStep) -> Result<(), Limit> {
        self.machine.begin_step(step)?;
        while self.machine.go_on()? {
            self.tell_left()?;
        }
        Ok(())
    }

    /// Tells the successors of states that the machine has left.
    fn tell_left(&mut self) -> Result<(), Limit> {
        let mut left = Batch::new();
        loop {
            self.budget.check(0)?;
            left.clear();
            self.machine.take_left(&mut left)?;
            if left.is_empty() {
                return Ok(());
            }
            let used = self.share(&left, &|worker, range| worker.expand(&left, range));
            for worker in &self.workers[..used] {
                self.machine.tell(&worker.batch)?;
            }
        }
    }

    /// An accepting state on a cycle, after the set has not changed.
    fn locate(&mut self) -> Result<Vec<u8>, Limit> {
        self.machine.begin_step(CycleStep::Rounds)?;
        let mut candidates = Batch::new();
        loop {
            candidates.clear();
            self.machine.candidates(&mut candidates)?;
            if candidates.is_empty() {
                return Err(lost("no state of a set with an accepting cycle is on one"));
            }
            for state in candidates.states() {
                if self.comes_round(state)? {
                    return Ok(state.to_vec());
                }
            }
        }
    }

    fn comes_round(&mut self, state: &State) -> Result<bool, Limit> {
        let mut searches = self.machine.begin_round(state)?;
        while searches && !self.machine.has_come_round() {
            searches = self.machine.go_on()?;
            self.tell_left()?;
        }
        Ok(searches && self.machine.has_come_round())
    }

    /// A shortest run to this state, and a shortest one from it back to it.
    pub(super) fn lasso(&mut self, state: &State) -> Result<Violation, Limit> {
        let is_initial = self.start == state;
        let mut choices = if is_initial { Vec::new() } else { self.path(state)? };
        let ending = Ending::Cycle(choices.len() as u32);
        self.start = state.to_vec();
        choices.extend(self.path(state)?);
        Ok(Violation { error: ErrorKind::Cycle, trail: Trail { choices, ending } })
    }

    /// The choices of a shortest path of at least one transition. The machine searches again.
    fn path(&mut self, to: &State) -> Result<Vec<u32>, Limit> {
        let depth = loop {
            match self.distance(to) {
                // Levels may be larger than those from the initial state.
                Err(Limit::DeviceMemory(_)) if self.grows() => {}
                other => break other?,
            }
        };
        let (error, ending) = (ErrorKind::Cycle, Ending::Cycle(0));
        let found = FoundError { id: StateId::NONE, state: to.to_vec(), decoded: Vec::new(), error, ending };
        let (paths, limit) = self.trails(vec![PartialTrail::new(found, depth)]);
        match (paths.into_iter().next(), limit) {
            (Some(path), _) => Ok(path.trail.choices),
            (None, Some(limit)) => Err(limit),
            (None, None) => Err(lost("a path has no beginning")),
        }
    }

    /// The number of transitions of a shortest path.
    fn distance(&mut self, to: &State) -> Result<u32, Limit> {
        let counts = self.counts;
        self.machine.begin(&self.start)?;
        let mut depth = 0;
        while !self.precedes(depth, to)? {
            let (_, new) = self.expand_levels(depth, depth)?;
            drop(self.take_findings());
            self.budget.check(0)?;
            if new == 0 {
                return Err(lost("a state on a cycle can't be reached"));
            }
            depth += 1;
        }
        self.counts = counts;
        Ok(depth + 1)
    }

    /// Whether a state of the last level, which is at this depth, has this successor.
    fn precedes(&mut self, depth: u32, state: &State) -> Result<bool, Limit> {
        let (mut states, mut before) = (Batch::new(), Batch::new());
        states.push(state);
        if !self.machine.origins(depth, &states, &mut before)? {
            return Err(lost("the last level is not known"));
        }
        let wanted = Wanted::new(states.states());
        Ok(!trail::origins(&wanted, &mut *self.workers[0].successors, before.states()).is_empty())
    }
}

/// The machine has contradicted itself.
fn lost(what: &str) -> Limit {
    AcceleratorFailure::Lost(format!("the device has made a mistake: {what}")).into()
}
