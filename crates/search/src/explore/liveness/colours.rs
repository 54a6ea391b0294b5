//! Colours of states: a few bits per state that all workers share, and sets of single workers.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU8, Ordering};

use super::pages::Pages;
use crate::store::{Handle, Seen, StateId, Store};

/// A byte of monotonic bits per state: the notes of the store, if it has them.
pub(super) struct Colours(Pages<AtomicU8>);

impl Colours {
    pub fn new() -> Colours {
        Colours(Pages::new())
    }

    pub fn get<S: Store>(&self, handle: &S::Handle<'_>, id: StateId) -> u8 {
        if S::NOTES { handle.note(id) as u8 } else { self.of_number(id) }
    }

    /// The colours of a state that was interned just now.
    pub fn of_seen<S: Store>(&self, seen: Seen) -> u8 {
        if S::NOTES { seen.note as u8 } else { self.of_number(seen.id) }
    }

    /// Sets bits and returns the previous value.
    pub fn set<S: Store>(&self, handle: &S::Handle<'_>, id: StateId, bits: u8) -> u8 {
        if S::NOTES {
            return handle.add_to_note(id, u32::from(bits)) as u8;
        }
        self.0.get(id.number()).fetch_or(bits, Ordering::AcqRel)
    }

    fn of_number(&self, id: StateId) -> u8 {
        self.0.get(id.number()).load(Ordering::Acquire)
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// A set of states of one worker.
pub(super) enum Set {
    /// Bits by the numbers of states, in stores that number them.
    Bits(Vec<u64>),
    Ids(HashSet<StateId, BuildHasherDefault<IdHasher>>),
}

impl Set {
    pub fn new<S: Store>() -> Set {
        if S::NOTES { Set::Ids(HashSet::default()) } else { Set::Bits(Vec::new()) }
    }

    pub fn contains(&self, id: StateId) -> bool {
        match self {
            Set::Ids(ids) => ids.contains(&id),
            Set::Bits(bits) => {
                let at = id.number() as usize;
                bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
            }
        }
    }

    pub fn insert(&mut self, id: StateId) {
        match self {
            Set::Ids(ids) => {
                ids.insert(id);
            }
            Set::Bits(bits) => {
                let at = id.number() as usize;
                if at / 64 >= bits.len() {
                    bits.resize((at / 64 + 1).next_power_of_two(), 0);
                }
                bits[at / 64] |= 1 << (at % 64);
            }
        }
    }

    pub fn remove(&mut self, id: StateId) {
        match self {
            Set::Ids(ids) => {
                ids.remove(&id);
            }
            Set::Bits(bits) => {
                let at = id.number() as usize;
                if let Some(word) = bits.get_mut(at / 64) {
                    *word &= !(1 << (at % 64));
                }
            }
        }
    }

    /// Memory in bytes. A hash set has a byte and an id for each slot, and more slots than ids.
    pub fn bytes(&self) -> u64 {
        let bytes = match self {
            Set::Ids(ids) => ids.capacity() * 8 / 7 * (size_of::<StateId>() + 1),
            Set::Bits(bits) => bits.capacity() * size_of::<u64>(),
        };
        bytes as u64
    }
}

/// Hashes ids by one multiplication. They are words of states, or numbers.
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u128(u128::from(*byte)));
    }

    fn write_u128(&mut self, id: u128) {
        let mixed = u128::from(self.0 ^ id as u64 ^ (id >> 64) as u64) * 0x9e37_79b9_7f4a_7c15;
        self.0 = mixed as u64 ^ (mixed >> 64) as u64;
    }
}
