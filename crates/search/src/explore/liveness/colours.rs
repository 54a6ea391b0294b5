//! Colours of states: a byte per state that all workers share, and bit sets of single workers.

use std::sync::atomic::{AtomicU8, Ordering};

use super::pages::Pages;
use crate::store::StateId;

/// A byte of monotonic bits per state.
pub(super) struct Colours(Pages<AtomicU8>);

impl Colours {
    pub fn new() -> Colours {
        Colours(Pages::new())
    }

    pub fn get(&self, id: StateId) -> u8 {
        self.0.get(id.number()).load(Ordering::Acquire)
    }

    /// Sets bits and returns the previous value.
    pub fn set(&self, id: StateId, bits: u8) -> u8 {
        self.0.get(id.number()).fetch_or(bits, Ordering::AcqRel)
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// A set of states of one worker.
#[derive(Default)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub fn contains(&self, id: StateId) -> bool {
        let at = id.number() as usize;
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    pub fn insert(&mut self, id: StateId) {
        let at = id.number() as usize;
        if at / 64 >= self.0.len() {
            self.0.resize((at / 64 + 1).next_power_of_two(), 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub fn remove(&mut self, id: StateId) {
        let at = id.number() as usize;
        if let Some(word) = self.0.get_mut(at / 64) {
            *word &= !(1 << (at % 64));
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<u64>()) as u64
    }
}
