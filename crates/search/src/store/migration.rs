//! What is left of an exact store whose states are to be moved to another one.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use kripke_model::State;

use super::StateId;
use super::arena::Arena;

/// Which states are visited: a bit for each.
#[derive(Default, Debug)]
pub(crate) struct VisitedBits(Vec<u64>);

impl VisitedBits {
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        let number = number as usize;
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// How many bytes more that took.
    #[inline]
    pub fn add(&mut self, number: u32) -> u64 {
        let (number, before) = (number as usize, self.0.capacity());
        if number / 64 >= self.0.len() {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
        ((self.0.capacity() - before) * size_of::<u64>()) as u64
    }
}

/// The states of a store that is no more. There is no table: they can be fetched, but not looked up.
#[derive(Debug)]
pub(crate) struct DissolvedStore {
    arena: Arena,
    visited: VisitedBits,
    bytes: u64,
}

impl DissolvedStore {
    pub(super) fn new(arena: Arena, visited: VisitedBits, bytes: u64) -> DissolvedStore {
        DissolvedStore { arena, visited, bytes }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn get(&self, id: StateId) -> &State {
        self.arena.get(id.number())
    }

    /// Hands out all states, and gives their memory back piece by piece.
    pub fn drain(self) -> StateDrain {
        StateDrain { dissolved: self, next: AtomicUsize::new(0) }
    }
}

/// Hands out states, each once. Several workers may take them.
#[derive(Debug)]
pub(crate) struct StateDrain {
    dissolved: DissolvedStore,
    /// The next block that nobody has taken.
    next: AtomicUsize,
}

impl StateDrain {
    /// Calls `each` with all states of the next piece and whether they are visited, and gives their memory back. How much
    /// that was; none if no piece is left.
    pub fn next<E>(&self, mut each: impl FnMut(&State, bool) -> Result<(), E>) -> Option<Result<u64, E>> {
        let DissolvedStore { arena, visited, .. } = &self.dissolved;
        let block = self.next.fetch_add(1, Ordering::Relaxed);
        if block >= arena.blocks() {
            return None;
        }
        let done = arena.numbers(block).try_for_each(|number| each(arena.get(number), visited.has(number)));
        // SAFETY: states of the block are seen only here, by who has claimed it, and references to them are gone.
        Some(done.map(|()| unsafe { arena.free(block) }))
    }
}
