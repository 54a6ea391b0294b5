//! One rank of a search: its states, its successor generator, its network, and the loop that runs a phase.

use std::sync::atomic::{AtomicU64, Ordering};

use kripke_model::{Batch, Choice, Flags, State, Successors};
use kripke_search::{Budget, Limit, Options, Progress, Snapshot};

use crate::components::{Component, Components};
use crate::findings::ErrorCollector;
use crate::network::Network;
use crate::partition::{hash, owner};
use crate::state_table::StateTable;
use crate::transport::Failure;
#[cfg(feature = "mpi")]
use crate::transport::mpi::World;
use crate::wire::{Reader, put_number};

/// Pieces of work between two looks at the network.
const ROUND: usize = 16;

/// Pieces of work between two looks at the limits.
const PIECES: usize = 256;

/// The first byte of a record that tells all ranks to stop because of a limit. Algorithms use others.
const STOP: u8 = 0;

/// The first byte of a record that tells all ranks to end the phase because the answer is known.
const DONE: u8 = u8::MAX;

/// A state anywhere: its owner and its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateRef {
    /// The rank that owns the state.
    pub rank: u32,
    /// The number of the state in the table of this rank.
    pub number: u32,
}

impl StateRef {
    /// The reference to no state. The initial state has it as its parent.
    pub const NONE: StateRef = StateRef { rank: u32::MAX, number: u32::MAX };

    /// The reference as one number; references are ordered like these numbers.
    pub fn to_number(self) -> u64 {
        u64::from(self.rank) << 32 | u64::from(self.number)
    }

    /// The inverse of [`StateRef::to_number`].
    pub fn from_number(number: u64) -> StateRef {
        StateRef { rank: (number >> 32) as u32, number: number as u32 }
    }
}

impl Default for StateRef {
    fn default() -> StateRef {
        StateRef::NONE
    }
}

/// Why a rank stops before the search has an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The ranks can't go on together.
    Failure(Failure),
    /// A rank has reached a limit. [`Rank::limit`] tells which one.
    Limit,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

/// Counters of all ranks of this process.
#[derive(Debug)]
pub(crate) struct Tallies<'p> {
    progress: &'p Progress,
    /// States, transitions and bytes of each rank.
    ranks: Vec<[AtomicU64; 3]>,
}

impl<'p> Tallies<'p> {
    pub fn new(progress: &'p Progress, ranks: usize) -> Tallies<'p> {
        Tallies { progress, ranks: (0..ranks).map(|_| Default::default()).collect() }
    }

    fn store(&self, rank: usize, counts: [u64; 3]) {
        self.ranks[rank].iter().zip(counts).for_each(|(counter, count)| counter.store(count, Ordering::Relaxed));
    }

    pub fn set(&self, rank: usize, counts: [u64; 3], depth: u64) {
        self.store(rank, counts);
        #[cfg(feature = "mpi")]
        if let Some(world) = World::get() {
            // Of the other processes, the counters are known that their signs of life carry.
            world.set_counters(counts);
            (0..world.ranks())
                .filter(|other| *other != rank)
                .for_each(|other| self.store(other, world.counters(other)));
        }
        let sum = |which: usize| self.ranks.iter().map(|rank| rank[which].load(Ordering::Relaxed)).sum();
        let queue = self.progress.snapshot().queue;
        let now = Snapshot { states: sum(0), transitions: sum(1), depth, queue, bytes: sum(2) };
        self.progress.set(now);
    }

    /// The states of all ranks of this process. Those of other processes are not known for certain during a phase.
    fn states_here(&self, rank: usize) -> u64 {
        let states = |rank: &[AtomicU64; 3]| rank[0].load(Ordering::Relaxed);
        #[cfg(feature = "mpi")]
        if World::get().is_some() {
            return states(&self.ranks[rank]);
        }
        let _ = rank;
        self.ranks.iter().map(states).sum()
    }
}

/// The work of a rank in one phase.
pub(crate) trait Phase {
    /// Takes a record that a rank has sent. It may send records.
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, record: Reader<'_>) -> Result<(), Stop>;

    /// Does a small piece of work. Returns false if there is none.
    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop>;
}

/// One rank of a search.
#[allow(missing_debug_implementations)]
pub(crate) struct Rank<'m> {
    pub net: Network,
    pub table: StateTable,
    /// The state from which each state was reached first.
    pub parents: Vec<StateRef>,
    pub errors: ErrorCollector,
    pub transitions: u64,
    pub depth: u64,
    successors: Box<dyn Successors + 'm>,
    batch: Batch,
    postponed: Batch,
    options: &'m Options,
    budget: Budget,
    tallies: &'m Tallies<'m>,
    components: Option<&'m Components>,
    /// Whether each component with accepting states belongs to one rank.
    partitions_components: bool,
    /// Bytes of what an algorithm knows about states, besides the table.
    pub appendix_bytes: u64,
    limit: Option<Limit>,
    is_stopping: bool,
    is_done: bool,
    record: Vec<u8>,
    /// Pieces of work since the last look at the limits.
    pieces: usize,
}

impl<'m> Rank<'m> {
    pub fn new(
        net: Network,
        successors: Box<dyn Successors + 'm>,
        options: &'m Options,
        budget: &Budget,
        tallies: &'m Tallies<'m>,
    ) -> Rank<'m> {
        Rank {
            net,
            table: StateTable::new(),
            parents: Vec::new(),
            errors: ErrorCollector::new(options),
            transitions: 0,
            depth: 0,
            successors,
            batch: Batch::new(),
            postponed: Batch::new(),
            options,
            budget: budget.clone(),
            tallies,
            components: None,
            partitions_components: false,
            appendix_bytes: 0,
            limit: None,
            is_stopping: false,
            is_done: false,
            record: Vec::new(),
            pieces: 0,
        }
    }

    /// Tells the components of the property automaton, and whether states are partitioned by them.
    pub fn set_components(&mut self, components: &'m Components, partitions: bool) {
        (self.components, self.partitions_components) = (Some(components), partitions);
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn number(&self) -> u32 {
        self.net.rank() as u32
    }

    pub fn reference(&self, number: u32) -> StateRef {
        StateRef { rank: self.number(), number }
    }

    /// The owner of a state, and its hash.
    pub fn owner(&mut self, state: &State) -> (usize, u64) {
        let (hash, ranks) = (hash(state), self.net.ranks());
        if !self.partitions_components {
            return (owner(hash, ranks), hash);
        }
        let component = self.component(state).filter(|component| component.is_accepting);
        (component.map_or_else(|| owner(hash, ranks), |component| component.number as usize % ranks), hash)
    }

    /// The component of the property automaton that a state belongs to, if the components are known.
    pub fn component(&mut self, state: &State) -> Option<Component> {
        let components = self.components?;
        Some(components.component(&self.successors.decode(state)))
    }

    /// The number of a state that this rank owns, and whether it is new.
    pub fn intern(&mut self, state: &State, hash: u64, parent: StateRef) -> Result<(u32, bool), Stop> {
        match self.table.intern(state, hash) {
            Some((number, new)) => {
                if new {
                    self.parents.push(parent);
                }
                Ok((number, new))
            }
            None => Err(self.stop(Limit::StateNumbers)?),
        }
    }

    /// The initial state.
    pub fn initial(&mut self) -> Vec<u8> {
        let mut batch = Batch::new();
        self.successors.initial(&mut batch);
        batch.state(0).to_vec()
    }

    /// Expands a state of this rank: its ample set if the search reduces. The batch is to be given back with [`Rank::recycle`].
    pub fn expand(&mut self, number: u32) -> (Flags, Batch) {
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let state = self.table.get(number);
        if !self.options.reduces {
            return (self.successors.expand(state, Choice::All, &mut batch), batch);
        }
        // A cycle proviso that depends on the state alone postpones nothing.
        self.postponed.clear();
        let flags = self.successors.expand_ample(state, &mut batch, &mut self.postponed);
        self.postponed.states().for_each(|successor| batch.push(successor));
        (flags, batch)
    }

    /// Expands a state for the first time: counts its transitions and its errors.
    pub fn expand_first(&mut self, number: u32) -> (Flags, Batch) {
        let (flags, batch) = self.expand(number);
        self.transitions += batch.len() as u64;
        if flags.is_bad() || !batch.findings().is_empty() {
            let at = self.reference(number);
            let decoded = self.successors.decode(self.table.get(number));
            self.errors.inspect(at, flags, batch.findings(), &decoded);
        }
        (flags, batch)
    }

    /// Expands a state for the first time, in a phase that explores all states. An error ends the phase: the search could reach a limit
    /// before the end of it.
    pub fn expand_until_error(&mut self, number: u32) -> Result<(Flags, Batch), Failure> {
        let expanded = self.expand_first(number);
        if self.errors.has_found() {
            self.end_phase()?;
        }
        Ok(expanded)
    }

    /// Expands any state completely, as trails require.
    pub fn expand_state(&mut self, state: &State) -> (Flags, Batch) {
        let mut batch = Batch::new();
        let flags = self.successors.expand(state, Choice::All, &mut batch);
        (flags, batch)
    }

    pub fn recycle(&mut self, batch: Batch) {
        self.batch = batch;
    }

    /// The limit that this rank has reached.
    pub fn limit(&self) -> Option<&Limit> {
        self.limit.as_ref()
    }

    pub fn set_limit(&mut self, limit: Limit) {
        self.limit.get_or_insert(limit);
    }

    /// Tells all ranks to stop.
    pub fn stop(&mut self, limit: Limit) -> Result<Stop, Failure> {
        self.limit.get_or_insert(limit);
        self.is_stopping = true;
        self.tell_others(&[STOP])?;
        Ok(Stop::Limit)
    }

    /// Ends the phase early on all ranks: the answer is known.
    pub fn end_phase(&mut self) -> Result<(), Failure> {
        self.is_done = true;
        self.tell_others(&[DONE])
    }

    fn tell_others(&mut self, record: &[u8]) -> Result<(), Failure> {
        let own = self.net.rank();
        (0..self.net.ranks()).filter(|to| *to != own).try_for_each(|to| self.net.send_urgently(to, record))
    }

    /// Sends a record with a state to its owner.
    pub fn send_state(&mut self, tag: u8, numbers: &[u64], state: &State) -> Result<(), Failure> {
        self.record.clear();
        self.record.push(tag);
        numbers.iter().for_each(|number| put_number(&mut self.record, *number));
        self.record.extend_from_slice(state);
        let (owner, _) = self.owner(state);
        self.net.send(owner, &self.record)
    }

    /// Sends a record about a state that its owner knows by number. The number comes last.
    pub fn send_number(&mut self, tag: u8, numbers: &[u64], to: StateRef) -> Result<(), Failure> {
        self.record.clear();
        self.record.push(tag);
        numbers.iter().for_each(|number| put_number(&mut self.record, *number));
        put_number(&mut self.record, u64::from(to.number));
        self.net.send(to.rank as usize, &self.record)
    }

    /// Sends a record to the owner of each successor of a state.
    pub fn send_to_successors(&mut self, number: u32, tag: u8, numbers: &[u64]) -> Result<(), Failure> {
        let (_, batch) = self.expand(number);
        let sent = batch.states().try_for_each(|state| self.send_state(tag, numbers, state));
        self.recycle(batch);
        sent
    }

    /// Runs a phase to its end, on all ranks. If one has reached a limit, all stop. Returns whether a rank has
    /// [ended](Rank::end_phase) the phase early.
    pub fn run(&mut self, phase: &mut impl Phase) -> Result<bool, Stop> {
        loop {
            while let Some(batch) = self.net.receive()? {
                for record in batch.records() {
                    self.take(phase, batch.from, record)?;
                }
            }
            match self.round(phase)? {
                true if self.net.is_congested() => self.net.pause()?,
                true => {}
                false if self.net.is_phase_over()? => break,
                false => {}
            }
        }
        let is_done = std::mem::take(&mut self.is_done);
        if self.is_stopping { Err(Stop::Limit) } else { Ok(is_done) }
    }

    /// Whether there is work. Some of it is done unless a receiver is too slow.
    fn round(&mut self, phase: &mut impl Phase) -> Result<bool, Stop> {
        if self.is_stopping || self.is_done {
            return Ok(false);
        }
        if self.net.is_congested() {
            return Ok(true);
        }
        let mut has_work = true;
        for _ in 0..ROUND {
            has_work = match phase.work(self) {
                Ok(has_work) => has_work && !self.is_done,
                Err(Stop::Limit) => false,
                Err(failure) => return Err(failure),
            };
            if !has_work {
                break;
            }
            self.pieces += 1;
        }
        // A rank that has told that it has no work must not send, so it does not look at the limits, either.
        self.observe_limits()?;
        Ok(has_work && !self.is_stopping)
    }

    fn take(&mut self, phase: &mut impl Phase, from: usize, record: &[u8]) -> Result<(), Stop> {
        match record.first() {
            Some(&STOP) => self.is_stopping = true,
            Some(&DONE) => self.is_done = true,
            _ => {}
        }
        if self.is_stopping || self.is_done {
            return Ok(());
        }
        match phase.take(self, from as u32, Reader::new(record)) {
            Err(Stop::Limit) => Ok(()),
            other => other,
        }
    }

    /// Looks at the limits after some pieces of work, in however many rounds they were done.
    fn observe_limits(&mut self) -> Result<(), Stop> {
        if self.pieces < PIECES || self.is_stopping || self.is_done {
            return Ok(());
        }
        self.pieces = 0;
        self.report();
        let reached = self.budget.check(self.memory()).err();
        let states = self.tallies.states_here(self.net.rank());
        let full = self.budget.max_states.filter(|most| states > *most).map(Limit::States);
        if let Some(limit) = reached.or(full) {
            self.stop(limit)?;
        }
        Ok(())
    }

    /// Memory in use, in bytes.
    pub fn memory(&self) -> u64 {
        self.table.memory() + 8 * self.parents.capacity() as u64 + self.appendix_bytes
    }

    /// Writes the counters of this rank.
    pub fn report(&self) {
        let counts = [self.table.len() as u64, self.transitions, self.memory()];
        self.tallies.set(self.net.rank(), counts, self.depth);
    }

    /// Exchanges errors if there are new ones. Returns whether the search ends because of them.
    pub fn has_errors(&mut self) -> Result<bool, Failure> {
        let [found] = self.net.sum([u64::from(self.errors.has_found())])?;
        Ok(found > 0 && self.exchange_errors()?)
    }

    /// Stops if all ranks together have too many states. All ranks call it, between phases.
    pub fn observe_states(&mut self) -> Result<(), Stop> {
        let Some(most) = self.budget.max_states else { return Ok(()) };
        let [states] = self.net.sum([self.table.len() as u64])?;
        if states > most { Err(self.agree_on_states()) } else { Ok(()) }
    }

    /// The least of the references that ranks have found. All ranks get the same.
    pub fn least(&mut self, mine: Option<StateRef>) -> Result<Option<StateRef>, Failure> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, mine.unwrap_or(StateRef::NONE).to_number());
        let all = self.net.gather(bytes)?;
        let least = all.iter().filter_map(|bytes| Reader::new(bytes).number()).min().unwrap_or(u64::MAX);
        Ok(Some(StateRef::from_number(least)).filter(|least| *least != StateRef::NONE))
    }

    /// Gives all ranks the errors of all, and returns whether the search ends because of them.
    pub fn exchange_errors(&mut self) -> Result<bool, Failure> {
        let mine = self.errors.take_found();
        let all = self.net.gather(mine)?;
        self.errors.choose(&all);
        Ok(!self.options.all_errors && (!self.errors.kept.is_empty() || self.errors.endless.is_some()))
    }
}
