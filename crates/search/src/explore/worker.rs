//! What each worker does with states, whatever the order: expand, judge, intern.

use kripke_model::{Batch, Choice, Flags, Successors};

use super::judge::Judge;
use super::{CROWD, Search};
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store};

pub(super) struct Worker<'a, 'm, S: Store + 'a> {
    search: &'a Search<'a, S>,
    /// Workers are numbered; the first leads.
    number: usize,
    pub successors: Box<dyn Successors + 'm>,
    pub handle: S::Handle<'a>,
    pub judge: Judge,
    pub round: Round,
    transitions: u64,
    expanded: u64,
    /// States expanded since the budget was checked.
    unchecked: usize,
}

/// What one turn of the loop works on. Reused from turn to turn.
#[derive(Default)]
pub(super) struct Round {
    /// Still to be expanded.
    pub work: Vec<StateId>,
    batch: Batch,
    /// Where the successors of each state expanded end in the batch.
    ends: Vec<usize>,
    state: Vec<u8>,
}

/// The successors of a state in order, and who moved for each (nobody, where the observer went on alone).
pub(super) struct Movers {
    pub successors: Vec<StateId>,
    pub movers: Vec<Option<u8>>,
    pub processes: usize,
}

impl<'a, 'm, S: Store> Worker<'a, 'm, S> {
    pub fn new(search: &'a Search<'a, S>, number: usize, successors: Box<dyn Successors + 'm>) -> Self {
        Worker {
            search,
            number,
            successors,
            handle: search.store.handle(),
            judge: Judge::new(search.options),
            round: Round::default(),
            transitions: 0,
            expanded: 0,
            unchecked: 0,
        }
    }

    /// Interns the initial state.
    pub fn begin(&mut self) -> Result<StateId, Limit> {
        self.handle.enter();
        self.round.batch.clear();
        self.successors.initial(&mut self.round.batch);
        assert_eq!(self.round.batch.len(), 1, "a model has one initial state");
        let mut root = StateId::NONE;
        self.intern(|seen| root = seen.id)?;
        // Not the end of an edge.
        self.transitions = 0;
        Ok(root)
    }

    /// Expands the first states of the round, judges them and interns their successors, calling `each` with every one.
    /// How many states that were; all of them, unless they have very many successors.
    pub fn turn(&mut self, each: impl FnMut(Seen)) -> Result<usize, Limit> {
        let Round { work, batch, ends, state, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        for &id in &*work {
            if batch.len() > CROWD {
                break;
            }
            let findings = batch.findings().len();
            let state = self.handle.open(id, state);
            let flags = self.successors.expand(state, Choice::All, batch);
            ends.push(batch.len());
            if self.judge.judge(id, state, flags, &batch.findings()[findings..]) {
                self.handle.hold(id);
            }
            self.handle.expect(batch);
        }
        let count = ends.len();
        self.expanded += count as u64;
        self.unchecked += count;
        let interned = self.intern(each);
        self.search.tallies[self.number].set(self.transitions, self.expanded);
        interned?;
        for &id in &self.round.work[..count] {
            self.handle.release(id);
        }
        Ok(count)
    }

    /// Expands one state and interns its successors.
    pub fn expand(&mut self, id: StateId, each: impl FnMut(Seen)) -> Result<Flags, Limit> {
        let Round { batch, ends, state, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        let state = self.handle.open(id, state);
        let flags = self.successors.expand(state, Choice::All, batch);
        ends.push(batch.len());
        self.judge.judge(id, state, flags, batch.findings());
        self.expanded += 1;
        self.unchecked += 1;
        let interned = self.intern(each);
        self.search.tallies[self.number].set(self.transitions, self.expanded);
        interned.map(|()| flags)
    }

    /// Expands a state once more, or a part of it, without counting anything.
    pub fn expand_again(&mut self, id: StateId, choice: Choice, mut each: impl FnMut(Seen)) -> Result<Flags, Limit> {
        let Round { batch, ends, state, .. } = &mut self.round;
        batch.clear();
        ends.clear();
        let state = self.handle.open(id, state);
        let flags = self.successors.expand(state, choice, batch);
        ends.push(batch.len());
        self.handle.expect(batch);
        let interned = self.handle.intern(batch, ends, &mut each);
        interned.map_err(|full| self.search.budget.limit(full)).map(|()| flags)
    }

    /// What is true of a state.
    pub fn atoms(&mut self, id: StateId) -> u64 {
        self.successors.atoms(self.handle.open(id, &mut self.round.state))
    }

    /// Who moves to which successor, if that is wanted.
    pub fn movers(&mut self, id: StateId, wanted: bool) -> Result<Movers, Limit> {
        let mut successors = Vec::new();
        self.expand_again(id, Choice::All, |seen| successors.push(seen.id))?;
        let mut movers = vec![None; successors.len()];
        if !wanted {
            return Ok(Movers { successors, movers, processes: 0 });
        }
        let Round { batch, state, .. } = &mut self.round;
        self.handle.fetch(id, state);
        let (processes, mut own, mut at) = (self.successors.processes(state), Batch::new(), 0);
        // The youngest comes first. Moves that a process could only make if nobody else could are not among all.
        for process in (0..processes).rev() {
            own.clear();
            self.successors.expand(state, Choice::One(process), &mut own);
            let same = own.len() <= batch.len() - at && own.states().zip(batch.states_from(at)).all(|(a, b)| a == b);
            if same {
                movers[at..at + own.len()].fill(Some(process));
                at += own.len();
            }
        }
        Ok(Movers { successors, movers, processes: usize::from(processes) })
    }

    fn intern(&mut self, mut each: impl FnMut(Seen)) -> Result<(), Limit> {
        let Round { batch, ends, .. } = &mut self.round;
        let mut count = 0;
        let interned = self.handle.intern(batch, ends, |seen| {
            count += 1;
            each(seen);
        });
        self.transitions += count;
        interned.map_err(|full| self.search.budget.limit(full))
    }

    pub fn leads(&self) -> bool {
        self.number == 0
    }

    /// Whether so many states were expanded that the budget should be checked.
    pub fn is_due(&mut self, every: usize) -> bool {
        let due = self.unchecked >= every;
        if due {
            self.unchecked = 0;
        }
        due
    }
}
