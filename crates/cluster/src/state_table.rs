//! The states of one rank: each once, in full, with a number in the order of arrival.
//!
//! Numbers have no gaps, so what an algorithm knows about states is in vectors beside the table.

use kripke_model::State;

/// The slot of no state.
const FREE: u32 = u32::MAX;

/// An exact set of states with numbers.
#[derive(Clone, Default, Debug)]
pub struct StateTable {
    /// The states end to end.
    bytes: Vec<u8>,
    /// Where each state ends.
    ends: Vec<u64>,
    /// Part of the hash of each state, to compare first.
    tags: Vec<u32>,
    /// Open addressing: the numbers of states; at most half of the slots are in use.
    slots: Vec<u32>,
}

impl StateTable {
    /// A table without states.
    pub fn new() -> StateTable {
        StateTable { slots: vec![FREE; 64], ..StateTable::default() }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Memory in use, in bytes.
    pub fn memory(&self) -> u64 {
        (self.bytes.capacity() + 8 * self.ends.capacity() + 4 * self.tags.capacity() + 4 * self.slots.capacity()) as u64
    }

    /// The length of the longest state, in bytes.
    pub fn longest(&self) -> u64 {
        let starts = std::iter::once(&0).chain(&self.ends);
        self.ends.iter().zip(starts).map(|(end, start)| end - start).max().unwrap_or(0)
    }

    /// The state with this number.
    pub fn get(&self, number: u32) -> &State {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.bytes[start..self.ends[number] as usize]
    }

    /// The number of a state with this hash, if it is in the table.
    pub fn find(&self, state: &State, hash: u64) -> Option<u32> {
        self.slot(state, hash).ok()
    }

    /// The number of a state with this hash, and whether it is new. None if there are no numbers left.
    pub fn intern(&mut self, state: &State, hash: u64) -> Option<(u32, bool)> {
        let slot = match self.slot(state, hash) {
            Ok(number) => return Some((number, false)),
            Err(slot) => slot,
        };
        let number = u32::try_from(self.len()).ok().filter(|number| *number < FREE)?;
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len() as u64);
        self.tags.push(hash as u32);
        self.slots[slot] = number;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some((number, true))
    }

    /// The number of a state, or the free slot for it.
    fn slot(&self, state: &State, hash: u64) -> Result<u32, usize> {
        let mut slot = self.home(hash as u32);
        loop {
            let number = self.slots[slot];
            if number == FREE {
                return Err(slot);
            }
            if self.tags[number as usize] == hash as u32 && self.get(number) == state {
                return Ok(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The first slot for a tag. The owner of a state depends on the upper bits of its hash, the tag on the lower ones.
    fn home(&self, tag: u32) -> usize {
        let spread = u64::from(tag).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 16) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; self.slots.len() * 2];
        for number in 0..self.len() {
            let mut slot = self.home(self.tags[number]);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use kripke_model::Random;

    use super::*;
    use crate::partition::hash;

    #[test]
    fn every_state_has_one_number() {
        let (mut random, mut table, mut known) = (Random::new(3), StateTable::new(), HashMap::new());
        for _ in 0..20_000 {
            let state: Vec<u8> = (0..random.below(4)).map(|_| random.below(20) as u8).collect();
            let next = known.len() as u32;
            let expected = *known.entry(state.clone()).or_insert(next);
            assert_eq!(table.find(&state, hash(&state)), (expected < next).then_some(expected));
            assert_eq!(table.intern(&state, hash(&state)), Some((expected, expected == next)));
        }
        assert!(table.len() == known.len() && known.len() > 4_000, "{}", known.len());
        assert!(known.iter().all(|(state, number)| table.get(*number) == &state[..]));
    }

    #[test]
    fn equal_hashes_are_compared() {
        let mut table = StateTable::new();
        for n in 0..100_u8 {
            assert_eq!(table.intern(&[n], 7), Some((u32::from(n), true)));
        }
        assert_eq!((table.find(&[99], 7), table.find(&[100], 7)), (Some(99), None));
    }
}
