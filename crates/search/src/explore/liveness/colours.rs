//! Colours of states: a byte per state that all workers share, and bit sets of single workers.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::store::StateId;

const PAGE_BITS: u32 = 16;
const PAGES: usize = 1 << (32 - PAGE_BITS);

/// A byte of monotonic bits per state.
pub(super) struct Colours {
    pages: Box<[OnceLock<Box<[AtomicU8]>>]>,
    bytes: AtomicU64,
}

impl Colours {
    pub fn new() -> Colours {
        Colours { pages: (0..PAGES).map(|_| OnceLock::new()).collect(), bytes: AtomicU64::new(0) }
    }

    fn of(&self, id: StateId) -> &AtomicU8 {
        let number = id.number();
        let page = self.pages[(number >> PAGE_BITS) as usize].get_or_init(|| {
            self.bytes.fetch_add(1 << PAGE_BITS, Ordering::Relaxed);
            (0..1 << PAGE_BITS).map(|_| AtomicU8::new(0)).collect()
        });
        &page[(number & ((1 << PAGE_BITS) - 1)) as usize]
    }

    pub fn get(&self, id: StateId) -> u8 {
        self.of(id).load(Ordering::Acquire)
    }

    /// Sets bits and returns the previous value.
    pub fn set(&self, id: StateId, bits: u8) -> u8 {
        self.of(id).fetch_or(bits, Ordering::AcqRel)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
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
