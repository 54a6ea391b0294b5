//! Packed blocks of a depth-first stack: delta compression of adjacent states.
//!
//! Adjacent states of a stack are siblings or parent and child, so they differ in few bytes. A packed state is its
//! difference from the state below it: for each 64 bytes a mask of the words that differ, for each of these a mask of
//! its bytes, and those bytes.

use std::sync::Arc;

use kripke_model::State;

/// The distance to the parent of the initial state.
pub(super) const NO_ORIGIN: u32 = 0;

/// Bytes of a word, and of a group of words.
const WORD: usize = 8;
const GROUP: usize = 8 * WORD;

/// The data of a stack entry besides its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// How many entries below this one the parent is.
    pub distance: u32,
    /// The depth of the state.
    pub depth: u32,
    /// Whether the state is not yet expanded.
    pub is_open: bool,
}

/// A part of the stack that is not packed.
#[derive(Clone, Default, Debug)]
pub(super) struct UnpackedStates {
    slots: Vec<Slot>,
    bytes: Vec<u8>,
}

/// An entry and the position of its state.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The end of the state in `bytes`.
    end: usize,
    depth: u32,
    /// The distance to the parent, and in the lowest bit whether the state is open.
    link: u32,
}

impl Slot {
    #[inline]
    fn new(end: usize, Entry { distance, depth, is_open }: Entry) -> Slot {
        assert!(distance < 1 << 31, "the stack is not that high");
        Slot { end, depth, link: distance << 1 | u32::from(is_open) }
    }

    #[inline]
    fn entry(self) -> Entry {
        Entry { distance: self.link >> 1, depth: self.depth, is_open: self.link & 1 == 1 }
    }
}

impl UnpackedStates {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    #[inline(always)]
    pub fn push(&mut self, state: &State, entry: Entry) {
        append(&mut self.bytes, state);
        self.slots.push(Slot::new(self.bytes.len(), entry));
    }

    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(self.start(len));
        self.slots.truncate(len);
    }

    pub fn last(&self) -> Option<Entry> {
        self.slots.last().map(|slot| slot.entry())
    }

    #[inline]
    pub fn entry(&self, at: usize) -> Entry {
        self.slots[at].entry()
    }

    #[inline]
    pub fn state(&self, at: usize) -> &State {
        &self.bytes[self.start(at)..self.slots[at].end]
    }

    #[inline]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry> + ExactSizeIterator {
        self.slots.iter().map(|slot| slot.entry())
    }

    /// Moves an entry down to position `to`. The entries below `to` are in place; the former entry at `to` is
    /// overwritten.
    #[inline]
    pub fn lower(&mut self, at: usize, to: usize, entry: Entry) {
        let (start, end) = (self.start(to), self.slots[at].end);
        let from = self.start(at);
        if at != to {
            move_down(&mut self.bytes, from..end, start);
        }
        self.slots[to] = Slot::new(start + end - from, entry);
    }

    /// Marks the first `len` entries as not open.
    pub fn close_first(&mut self, len: usize) {
        self.slots[..len].iter_mut().for_each(|slot| slot.link &= !1);
    }

    /// Removes the first `count` entries.
    pub fn drop_first(&mut self, count: usize) {
        let start = self.start(count);
        self.bytes.drain(..start);
        self.slots.drain(..count);
        self.slots.iter_mut().for_each(|slot| slot.end -= start);
    }

    pub fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.slots.capacity() * size_of::<Slot>()) as u64
    }

    #[inline]
    fn start(&self, at: usize) -> usize {
        if at == 0 { 0 } else { self.slots[at - 1].end }
    }
}

/// Appends a state. Copying a number of bytes that is known is much faster, and short states in words are the most frequent.
#[inline(always)]
fn append(bytes: &mut Vec<u8>, state: &State) {
    match state.len() {
        8 => bytes.extend_from_slice(sized::<8>(state)),
        16 => bytes.extend_from_slice(sized::<16>(state)),
        24 => bytes.extend_from_slice(sized::<24>(state)),
        32 => bytes.extend_from_slice(sized::<32>(state)),
        _ => bytes.extend_from_slice(state),
    }
}

/// Moves a state down.
#[inline(always)]
fn move_down(bytes: &mut [u8], from: std::ops::Range<usize>, to: usize) {
    fn sized_move<const N: usize>(bytes: &mut [u8], from: usize, to: usize) {
        let state = *sized::<N>(&bytes[from..from + N]);
        bytes[to..to + N].copy_from_slice(&state);
    }
    match from.len() {
        8 => sized_move::<8>(bytes, from.start, to),
        16 => sized_move::<16>(bytes, from.start, to),
        24 => sized_move::<24>(bytes, from.start, to),
        32 => sized_move::<32>(bytes, from.start, to),
        _ => bytes.copy_within(from, to),
    }
}

#[inline(always)]
fn sized<const N: usize>(state: &State) -> &[u8; N] {
    state.first_chunk().expect("the state has this length")
}

/// A packed part of the stack. Workers that split a stack share the blocks below both parts.
#[derive(Clone, Debug)]
pub(super) struct PackedBlock {
    /// The index of the first entry.
    pub first: u64,
    /// The number of entries.
    pub entries: u32,
    /// The number of open states among them.
    pub waiting: u32,
    bytes: Arc<[u8]>,
}

impl PackedBlock {
    /// Packs the first `count` entries of `states`, whose first entry has the index `first`.
    pub fn pack(states: &UnpackedStates, count: usize, first: u64) -> PackedBlock {
        let mut bytes = Vec::with_capacity(count * 16);
        let (mut before, mut depth): (&State, u32) = (&[], 0);
        let mut waiting = 0;
        for at in 0..count {
            let (entry, state) = (states.entry(at), states.state(at));
            let same = state.len() == before.len();
            put(&mut bytes, u64::from(entry.distance) << 2 | u64::from(same) << 1 | u64::from(entry.is_open));
            if !same {
                put(&mut bytes, state.len() as u64);
            }
            let deeper = i64::from(entry.depth) - i64::from(depth);
            put(&mut bytes, (deeper << 1 ^ deeper >> 63) as u64);
            put_difference(&mut bytes, before, state);
            (before, depth) = (state, entry.depth);
            waiting += u32::from(entry.is_open);
        }
        PackedBlock { first, entries: count as u32, waiting, bytes: bytes.into() }
    }

    /// Appends the entries to `states`.
    pub fn unpack(&self, states: &mut UnpackedStates) {
        let mut from = &self.bytes[..];
        let (mut state, mut depth): (Vec<u8>, i64) = (Vec::new(), 0);
        for _ in 0..self.entries {
            let head = get(&mut from);
            if head & 2 == 0 {
                state.resize(get(&mut from) as usize, 0);
            }
            let deeper = get(&mut from);
            depth += (deeper >> 1) as i64 ^ -((deeper & 1) as i64);
            get_difference(&mut from, &mut state);
            let distance = (head >> 2) as u32;
            states.push(&state, Entry { distance, depth: depth as u32, is_open: head & 1 == 1 });
        }
    }

    pub fn memory(&self) -> u64 {
        (self.bytes.len() + size_of::<PackedBlock>()) as u64
    }
}

/// Writes a number in groups of seven bits, the lowest first. The high bit of the last byte is clear (LEB128).
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn get(from: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = next(from);
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return number;
        }
    }
}

fn next(from: &mut &[u8]) -> u8 {
    let (&byte, rest) = from.split_first().expect("a block contains all its states");
    *from = rest;
    byte
}

/// Writes the difference between `state` and `before`, which is extended with zeros.
fn put_difference(out: &mut Vec<u8>, before: &State, state: &State) {
    for group in (0..state.len()).step_by(GROUP) {
        let words = out.len();
        out.push(0);
        for (bit, at) in (group..state.len().min(group + GROUP)).step_by(WORD).enumerate() {
            let different = (word(before, at, state.len()) ^ word(state, at, state.len())).to_le_bytes();
            if different == [0; WORD] {
                continue;
            }
            out[words] |= 1 << bit;
            let mask = out.len();
            out.push(0);
            for (n, byte) in different.into_iter().enumerate().filter(|(_, byte)| *byte != 0) {
                out[mask] |= 1 << n;
                out.push(byte);
            }
        }
    }
}

/// Applies a difference to a state that already has the new length.
fn get_difference(from: &mut &[u8], state: &mut [u8]) {
    for group in (0..state.len()).step_by(GROUP) {
        for word in bits(next(from)) {
            for byte in bits(next(from)) {
                state[group + word * WORD + byte] ^= next(from);
            }
        }
    }
}

/// The positions of the bits that are set.
fn bits(mut mask: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

/// The word at a position, restricted to bytes inside the state and before `end`.
fn word(state: &State, at: usize, end: usize) -> u64 {
    let rest = state.get(at..state.len().min(end)).unwrap_or_default();
    rest.first_chunk().map_or_else(
        || {
            let mut padded = [0; WORD];
            padded[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(padded)
        },
        |whole| u64::from_le_bytes(*whole),
    )
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::pool::mix;
    use super::*;

    #[test]
    fn unpacking_restores_all_states() {
        let mut states = UnpackedStates::default();
        for n in 0..3000u64 {
            let random = mix(n);
            let length = if n % 50 < 40 { 29 } else { random as usize % 300 };
            let mut state: Vec<u8> = (0..length).map(|at| (at % 7) as u8).collect();
            (0..random % 5).for_each(|k| {
                if length > 0 {
                    state[mix(random ^ k) as usize % length] = mix(n ^ k) as u8;
                }
            });
            let distance =
                if n == 0 || random.is_multiple_of(100) { NO_ORIGIN } else { 1 + (random % n.min(70)) as u32 };
            states.push(
                &state,
                Entry { distance, depth: (random >> 32) as u32 >> (n % 32), is_open: random.is_multiple_of(3) },
            );
        }
        let block = PackedBlock::pack(&states, states.len(), 5000);
        let mut back = UnpackedStates::default();
        block.unpack(&mut back);
        assert!(back.entries().eq(states.entries()));
        assert!((0..3000).all(|at| back.state(at) == states.state(at)));
        let waiting = states.entries().filter(|entry| entry.is_open).count();
        assert_eq!((block.waiting as usize, block.entries), (waiting, 3000));
    }

    #[test]
    fn entries_are_removed_at_both_ends() {
        let mut states = UnpackedStates::default();
        let entry = Entry { distance: NO_ORIGIN, depth: 0, is_open: true };
        (0..10u8).for_each(|n| states.push(&vec![n; n as usize], entry));
        states.drop_first(3);
        states.truncate(5);
        assert!((0..5).all(|at| states.state(at) == vec![3 + at as u8; 3 + at]));
        states.lower(2, 1, entry);
        states.lower(4, 2, entry);
        states.truncate(3);
        assert_eq!((states.state(0), states.state(1), states.state(2)), (&[3; 3][..], &[5; 5][..], &[7; 7][..]));
    }
}
