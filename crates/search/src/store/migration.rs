//! The source of a store migration: the states of an exact store that is being dissolved.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use kripke_model::State;

use super::StateId;
use super::arena::Arena;

/// A visited bit per state.
#[derive(Default, Debug)]
pub(crate) struct VisitedBits(Vec<u64>);

impl VisitedBits {
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        let number = number as usize;
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Sets a bit and returns the number of bytes by which the set grew.
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

/// The states of an exact store without their hash table. They can be fetched, but not looked up.
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

    /// Hands out all states and frees their memory block by block.
    pub fn drain(self) -> StateDrain {
        StateDrain { dissolved: self, next: AtomicUsize::new(0) }
    }
}

/// Hands out each state once, to several workers.
#[derive(Debug)]
pub(crate) struct StateDrain {
    dissolved: DissolvedStore,
    /// The next block that no worker has claimed.
    next: AtomicUsize,
}

impl StateDrain {
    /// Calls `each` with the states of the next block and their visited bits, frees the block, and returns the number
    /// of bytes freed. Returns none if no block is left.
    pub fn next<E>(&self, mut each: impl FnMut(&State, bool) -> Result<(), E>) -> Option<Result<u64, E>> {
        let DissolvedStore { arena, visited, .. } = &self.dissolved;
        let block = self.next.fetch_add(1, Ordering::Relaxed);
        if block >= arena.blocks() {
            return None;
        }
        let done = arena.numbers(block).try_for_each(|number| each(arena.get(number), visited.has(number)));
        // SAFETY: only the worker that claimed the block reads its states, and its references have ended.
        Some(done.map(|()| unsafe { arena.free(block) }))
    }
}
