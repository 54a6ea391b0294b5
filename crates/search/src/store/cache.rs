//! State-space caching: a table of fixed size in which new states replace old ones (Geldenhuys, *Efficiency issues in
//! the design of a model checker*, 1999, sections 3.3.1, 4.2 and 5.2).
//!
//! A replaced state is new when it is reached again, which costs time only. States on the stack of the search are
//! never replaced, so that cycles are detected and the search terminates. Slots never become empty again, so a lookup
//! ends at the first empty slot.

use std::collections::HashMap;

use kripke_model::State;

use super::hash;

/// Slots whose tags are adjacent in memory. A probe sequence visits them before the next line.
const LINE: usize = 16;
const EMPTY: u32 = 0;
/// Bit of a tag: the state is on the stack.
const STACKED: u32 = 1;
/// Bit that is set in the tag of every state.
const USED: u32 = 2;

/// Parameters of the probe sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tolerance {
    /// Slots that must be occupied by other states before one of those is replaced.
    pub collisions: u32,
    /// Length of the probe sequence. If all replaceable slots in it belong to states on the stack, the cache is full.
    pub probes: u32,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { collisions: 100, probes: 200 }
    }
}

/// A set of states of bounded size, with replacement.
#[derive(Debug)]
pub(crate) struct Cache {
    /// For each slot, a part of the hash and the stack bit.
    tags: Box<[u32]>,
    lengths: Box<[u32]>,
    /// The states, `stride` bytes each.
    data: Box<[u8]>,
    stride: usize,
    /// States longer than `stride`, by slot.
    long: HashMap<u32, Box<[u8]>>,
    long_bytes: u64,
    tolerance: Tolerance,
    /// No state was ever stored at this position of its probe sequence or later.
    far: u32,
    longest: usize,
    replaced: u64,
}

/// The result of inserting a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Insertion {
    /// The state is new and now marked as on the stack. The value is its slot.
    New(u32),
    /// The state is in the cache.
    Known,
    /// The probe sequence has no slot for the state.
    Full,
}

impl Cache {
    /// Memory of a slot for states of this length, in bytes.
    pub fn slot_bytes(stride: usize) -> u64 {
        (2 * size_of::<u32>() + stride) as u64
    }

    /// A cache of at least so many slots, for states that mostly have at most this length.
    pub fn new(slots: u32, stride: usize, tolerance: Tolerance) -> Cache {
        let slots = prime((slots as usize).div_ceil(LINE)) * LINE;
        Cache {
            tags: vec![EMPTY; slots].into(),
            lengths: vec![0; slots].into(),
            data: vec![0; slots * stride].into(),
            stride,
            long: HashMap::new(),
            long_bytes: 0,
            tolerance,
            far: 0,
            longest: 0,
            replaced: 0,
        }
    }

    pub fn slots(&self) -> u64 {
        self.tags.len() as u64
    }

    /// The number of replaced states.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// The largest number of slots that have to be looked at to find a state.
    pub fn furthest(&self) -> u64 {
        u64::from(self.far)
    }

    /// Length of the longest state, in bytes.
    pub fn longest(&self) -> u64 {
        self.longest as u64
    }

    pub fn bytes(&self) -> u64 {
        self.slots() * Cache::slot_bytes(self.stride) + self.long_bytes
    }

    pub fn get(&self, slot: u32) -> &State {
        let (at, length) = (slot as usize * self.stride, self.lengths[slot as usize] as usize);
        if length > self.stride { &self.long[&slot] } else { &self.data[at..at + length] }
    }

    pub fn contains(&self, state: &State) -> bool {
        let hash = hash(state);
        let tried = self.probes(hash).take(self.far as usize).take_while(|&slot| self.tags[slot as usize] != EMPTY);
        tried.into_iter().any(|slot| self.is(slot, state, tag(hash)))
    }

    /// Inserts a state unless it is present (Figure 5.4). Every slot is compared with the state before it is
    /// considered for replacement.
    pub fn insert(&mut self, state: &State) -> Insertion {
        let hash = hash(state);
        let (tag, Tolerance { collisions, probes }) = (tag(hash), self.tolerance);
        let (mut place, mut tried) = (None, 0);
        for (slot, n) in self.probes(hash).take(probes as usize).zip(0..) {
            // The state itself may be beyond a replaceable slot: that slot may have been on the stack when the state
            // was inserted.
            if place.is_some() && n >= self.far {
                break;
            }
            let found = self.tags[slot as usize];
            if found == EMPTY {
                (place, tried) = (Some(slot), n);
                break;
            }
            if self.is(slot, state, tag) {
                return Insertion::Known;
            }
            if n >= collisions && found & STACKED == 0 && place.is_none() {
                (place, tried) = (Some(slot), n);
            }
        }
        let Some(slot) = place else { return Insertion::Full };
        self.far = self.far.max(tried + 1);
        self.put(slot, state, tag);
        Insertion::New(slot)
    }

    /// Marks the state as no longer on the stack, so that it can be replaced.
    pub fn close(&mut self, slot: u32) {
        self.tags[slot as usize] &= !STACKED;
    }

    fn put(&mut self, slot: u32, state: &State, tag: u32) {
        self.replaced += u64::from(self.tags[slot as usize] != EMPTY);
        self.tags[slot as usize] = tag | STACKED;
        self.longest = self.longest.max(state.len());
        if self.lengths[slot as usize] as usize > self.stride {
            self.long_bytes -= self.long.remove(&slot).map_or(0, |state| long_bytes(&state));
        }
        self.lengths[slot as usize] = u32::try_from(state.len()).expect("a state is shorter than 4 GiB");
        if state.len() > self.stride {
            self.long_bytes += long_bytes(state);
            self.long.insert(slot, state.into());
        } else {
            self.data[slot as usize * self.stride..][..state.len()].copy_from_slice(state);
        }
    }

    #[inline]
    fn is(&self, slot: u32, state: &State, tag: u32) -> bool {
        self.tags[slot as usize] | STACKED == tag | STACKED && self.get(slot) == state
    }

    /// The probe sequence of a hash: every slot once, line by line, with a constant stride between lines.
    fn probes(&self, hash: u64) -> impl Iterator<Item = u32> + use<> {
        let lines = (self.tags.len() / LINE) as u64;
        let mut line = ((u128::from(hash) * u128::from(lines)) >> 64) as u64;
        let step = 1 + (hash & 0xffff_ffff) % (lines - 1).max(1);
        let first = (hash >> 20) as usize % LINE;
        let around = move |line: u64| (0..LINE).map(move |i| line as u32 * LINE as u32 + ((first + i) % LINE) as u32);
        let next = move || {
            let now = line;
            line = (line + step) % lines;
            now
        };
        std::iter::repeat_with(next).take(lines as usize).flat_map(around)
    }
}

/// Memory of a state that is longer than the stride, including the overhead of its allocation.
fn long_bytes(state: &State) -> u64 {
    state.len() as u64 + 64
}

#[inline]
fn tag(hash: u64) -> u32 {
    (hash as u32 & !STACKED) | USED
}

/// The smallest prime number that is not less than `least`. With a prime number of lines every stride reaches every
/// line.
fn prime(least: usize) -> usize {
    let is_prime = |n: usize| n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    (least.max(2)..).find(|&n| is_prime(n)).expect("there are infinitely many primes")
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn state(n: u32) -> Vec<u8> {
        n.to_le_bytes().repeat(1 + n as usize % 4)
    }

    #[test]
    fn primes() {
        assert_eq!([0, 1, 2, 3, 4, 8, 90, 1 << 20].map(prime), [2, 2, 2, 3, 5, 11, 97, 1_048_583]);
    }

    #[test]
    fn every_slot_is_tried_once() {
        let cache = Cache::new(1000, 8, Tolerance::default());
        for n in 0..100 {
            let slots: Vec<u32> = cache.probes(hash(&state(n))).collect();
            assert_eq!(slots.len() as u64, cache.slots());
            assert_eq!(slots.iter().collect::<HashSet<_>>().len(), slots.len());
        }
    }

    #[test]
    fn keeps_all_states_that_fit() {
        let mut cache = Cache::new(5_000, 8, Tolerance::default());
        for n in 0..3_900 {
            assert!(!cache.contains(&state(n)));
            let Insertion::New(slot) = cache.insert(&state(n)) else { panic!("{n} is new") };
            cache.close(slot);
            assert_eq!(cache.get(slot), state(n));
        }
        assert!((0..3_900).all(|n| cache.contains(&state(n)) && cache.insert(&state(n)) == Insertion::Known));
        assert_eq!((cache.replaced(), cache.longest()), (0, 16));
        let needed = |n| {
            let wanted = state(n);
            cache.probes(hash(&wanted)).position(|slot| cache.get(slot) == wanted).map(|at| at as u64 + 1)
        };
        assert_eq!((0..3_900).filter_map(needed).max(), Some(cache.furthest()));
    }

    #[test]
    fn states_on_the_stack_are_not_replaced() {
        let mut cache = Cache::new(1_000, 8, Tolerance { collisions: 20, probes: 200 });
        let stacked: Vec<u32> = (0..400).collect();
        let mut slots = Vec::new();
        for &n in &stacked {
            let Insertion::New(slot) = cache.insert(&state(n)) else { panic!("{n} is new") };
            slots.push(slot);
        }
        for n in 1_000..50_000 {
            if let Insertion::New(slot) = cache.insert(&state(n)) {
                assert!(!slots.contains(&slot));
                cache.close(slot);
            }
            let (known, slot) = (stacked[n as usize % 400], slots[n as usize % 400]);
            assert!(cache.contains(&state(known)) && cache.insert(&state(known)) == Insertion::Known);
            assert_eq!(cache.get(slot), state(known));
        }
        assert!(cache.replaced() > 40_000);
        assert!(cache.bytes() < 1_100 * 80, "{} bytes", cache.bytes());
    }

    #[test]
    fn full_of_stack_states() {
        let mut cache = Cache::new(1_000, 16, Tolerance::default());
        let put = (0..5_000).take_while(|&n| cache.insert(&state(n)) != Insertion::Full).count();
        assert!((900..=cache.slots() as usize).contains(&put), "{put}");
        assert_eq!(cache.replaced(), 0);
        let mut strict = Cache::new(1_000, 16, Tolerance { collisions: 50, probes: 50 });
        let full = (0..5_000).find(|&n| match strict.insert(&state(n)) {
            Insertion::New(slot) => {
                strict.close(slot);
                false
            }
            other => other == Insertion::Full,
        });
        assert!(full.is_some_and(|n| n > 800), "nothing is replaced: {full:?}");
    }
}
