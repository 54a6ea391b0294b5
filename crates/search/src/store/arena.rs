//! Packed states, one after the other, found by number.
//!
//! States live in blocks, which never move: growing copies nothing. While all states of a block have the same length,
//! their places are computed; the first state of another length gives its block a list of ends.

use kripke_model::State;

use super::StateId;
use super::hardware::prefetch;

const BLOCK_BITS: u32 = 14;
const BLOCK: usize = 1 << BLOCK_BITS;
const LINE: usize = 64;

#[derive(Default, Debug)]
pub(super) struct Arena {
    blocks: Vec<Block>,
    states: u64,
    bytes: u64,
    longest: usize,
}

#[derive(Default, Debug)]
struct Block {
    bytes: Vec<u8>,
    /// The length of every state, as long as `ends` is empty.
    stride: usize,
    ends: Vec<u32>,
    states: usize,
}

impl Arena {
    pub fn len(&self) -> u64 {
        self.states
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn longest(&self) -> u64 {
        self.longest as u64
    }

    #[inline]
    pub fn get(&self, id: StateId) -> &State {
        let block = &self.blocks[id.index() >> BLOCK_BITS];
        let (start, end) = block.range(id.index() & (BLOCK - 1));
        &block.bytes[start..end]
    }

    /// Prefetches the state if its place is known without a further memory access.
    #[inline]
    pub fn prefetch(&self, id: StateId) {
        let block = &self.blocks[id.index() >> BLOCK_BITS];
        let (start, end) = block.range(id.index() & (BLOCK - 1));
        prefetch(&block.bytes, start);
        let mut at = start | (LINE - 1);
        while at + 1 < end {
            prefetch(&block.bytes, at + 1);
            at += LINE;
        }
    }

    /// Appends a state; its number is the length before.
    pub fn push(&mut self, state: &State) {
        if self.states.is_multiple_of(BLOCK as u64) {
            let room = self.blocks.last().map_or(0, |full| full.bytes.len());
            self.blocks.push(Block { bytes: Vec::with_capacity(room), stride: state.len(), ..Block::default() });
            self.bytes += size_of::<Block>() as u64;
        }
        let block = self.blocks.last_mut().expect("a block was added for the first state");
        let before = block.ends.len();
        block.push(state);
        self.bytes += (state.len() + (block.ends.len() - before) * size_of::<u32>()) as u64;
        self.states += 1;
        self.longest = self.longest.max(state.len());
    }
}

impl Block {
    #[inline]
    fn range(&self, index: usize) -> (usize, usize) {
        if self.ends.is_empty() {
            return (index * self.stride, (index + 1) * self.stride);
        }
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        (start, self.ends[index] as usize)
    }

    #[inline]
    fn push(&mut self, state: &State) {
        if state.len() != self.stride && self.ends.is_empty() {
            self.ends.extend((1..=self.states).map(|n| end(n * self.stride)));
        }
        self.bytes.extend_from_slice(state);
        self.states += 1;
        if !self.ends.is_empty() || state.len() != self.stride {
            self.ends.push(end(self.bytes.len()));
        }
    }
}

/// A block of states of different lengths holds at most 4 GiB: a quarter of a megabyte for each state.
fn end(at: usize) -> u32 {
    u32::try_from(at).expect("a block of states holds less than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lengths: impl Iterator<Item = usize>) {
        let mut arena = Arena::default();
        let states: Vec<Vec<u8>> = lengths.enumerate().map(|(i, n)| vec![(i % 251) as u8; n]).collect();
        for state in &states {
            arena.push(state);
        }
        assert_eq!(arena.len(), states.len() as u64);
        for (i, state) in states.iter().enumerate() {
            let id = StateId(i as u32);
            arena.prefetch(id);
            assert_eq!(arena.get(id), &state[..], "state {i}");
        }
    }

    #[test]
    fn states_come_back_whatever_their_lengths() {
        let many = 3 * BLOCK + 5;
        check((0..many).map(|_| 24));
        check((0..many).map(|_| 0));
        check((0..many).map(|i| i % 7));
        check((0..many).map(|i| usize::from(i == BLOCK + 3)));
        check((0..many).map(|i| if i < BLOCK { 0 } else { 130 }));
        check((0..many).map(|i| usize::from(i % BLOCK == BLOCK - 1) * 200 + 3));
    }

    #[test]
    fn equal_lengths_cost_nothing_extra() {
        let mut arena = Arena::default();
        for _ in 0..BLOCK {
            arena.push(&[1, 2, 3]);
        }
        assert_eq!(arena.bytes(), 3 * BLOCK as u64 + size_of::<Block>() as u64);
    }
}
