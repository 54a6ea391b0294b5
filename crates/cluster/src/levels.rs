//! Breadth-first exploration over all ranks, level by level.
//!
//! A level is a phase. The states that a rank finds in it have consecutive numbers, so the next level of a rank is a range of its
//! table. All ranks are at the same level, so the path of first parents to a state is a shortest one.

use kripke_model::Flags;

use crate::partition::hash;
use crate::rank::{Phase, Rank, StateRef, Stop};
use crate::sent_cache::SentCache;
use crate::wire::{Reader, put_number};

/// The first byte of a record with a state and the number of its parent.
const STATE: u8 = 1;

/// What an algorithm notes about each state when it is expanded for the first time.
pub(crate) trait Expanded {
    /// Notes the flags of a state.
    fn note(&mut self, number: u32, flags: Flags);

    /// Notes that another rank leads to a state.
    fn receive(&mut self, _: u32) {}
}

/// The expansion of one level.
struct Level<'e, E> {
    next: u32,
    end: u32,
    sent: &'e mut SentCache,
    record: Vec<u8>,
    expanded: &'e mut E,
}

impl<E: Expanded> Phase for Level<'_, E> {
    fn take(&mut self, rank: &mut Rank<'_>, from: u32, mut record: Reader<'_>) -> Result<(), Stop> {
        if let (Some(STATE), Some(parent)) = (record.byte(), record.number()) {
            let state = record.rest();
            let hash = hash(state);
            let (number, _) = rank.intern(state, hash, StateRef { rank: from, number: parent as u32 })?;
            self.expanded.receive(number);
        }
        Ok(())
    }

    fn work(&mut self, rank: &mut Rank<'_>) -> Result<bool, Stop> {
        if self.next == self.end {
            return Ok(false);
        }
        let number = self.next;
        self.next += 1;
        let (flags, batch) = rank.expand_first(number);
        self.expanded.note(number, flags);
        for state in batch.states() {
            let (owner, hash) = rank.owner(state);
            if owner == rank.net.rank() {
                rank.intern(state, hash, rank.reference(number))?;
            } else if self.sent.is_new(state, hash) {
                self.record.clear();
                self.record.push(STATE);
                put_number(&mut self.record, u64::from(number));
                self.record.extend_from_slice(state);
                rank.net.send(owner, &self.record)?;
            }
        }
        rank.recycle(batch);
        Ok(true)
    }
}

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Explored {
    /// All reachable states are in the tables.
    All,
    /// An error ends the search.
    Error,
    /// The depth limit was reached.
    Depth,
}

/// Explores all states from the initial state on.
pub(crate) fn explore(rank: &mut Rank<'_>, expanded: &mut impl Expanded) -> Result<Explored, Stop> {
    let initial = rank.initial();
    let (owner, hash) = rank.owner(&initial);
    if owner == rank.net.rank() {
        rank.intern(&initial, hash, StateRef::NONE)?;
    }
    let (mut sent, mut next) = (SentCache::new(), 0);
    loop {
        let end = rank.table.len() as u32;
        let mut level = Level { next, end, sent: &mut sent, record: Vec::new(), expanded };
        rank.run(&mut level)?;
        next = end;
        rank.report();
        let new = rank.table.len() as u64 - u64::from(end);
        let found = u64::from(rank.errors.has_found());
        let [found, new, states] = rank.net.sum([found, new, rank.table.len() as u64])?;
        if found > 0 && rank.exchange_errors()? {
            return Ok(Explored::Error);
        }
        if new == 0 {
            return Ok(Explored::All);
        }
        if rank.budget().max_depth.is_some_and(|most| rank.depth >= u64::from(most)) {
            return Ok(Explored::Depth);
        }
        if rank.budget().max_states.is_some_and(|most| states > most) {
            return Err(rank.agree_on_states());
        }
        rank.depth += 1;
    }
}
