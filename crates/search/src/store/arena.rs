//! An append-only arena of packed states, addressed by number and written by several workers.
//!
//! States are stored in blocks, which never move. A block belongs to the worker that claimed it and contains states
//! of one length. The address of a state is therefore computed from its number, and a state takes no more than its
//! own bytes.
#![allow(unsafe_code)]

use std::ops::{Deref, Range};
use std::ptr;
#[cfg(shuttle)]
use std::sync::atomic::AtomicU8;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use kripke_model::State;

use super::Full;
use super::hardware::prefetch_at;
use super::reserved_memory::FillPattern;

/// State numbers per block, as a power of two.
const BLOCK_BITS: u32 = if cfg!(shuttle) { 4 } else { 16 };
const BLOCK: usize = 1 << BLOCK_BITS;
/// Blocks of an arena. The largest 32-bit number names no state, so that tables can store a number plus one.
const BLOCKS: usize = if cfg!(shuttle) { 64 } else { (1 << (32 - BLOCK_BITS)) - 1 };
/// Memory of a block. A block of very long states contains fewer states than it has numbers.
const BLOCK_BYTES: usize = 1 << 24;
/// For states up to this length, a block contains as many states as it has numbers.
const SHORT: usize = BLOCK_BYTES / BLOCK;
const LINE: usize = 64;

/// Size of the address range that is requested first.
const RANGE: usize = if cfg!(shuttle) { 1 << 20 } else { 1 << 42 };

#[derive(Debug)]
pub(super) struct Arena {
    blocks: Descriptors,
    claimed: AtomicUsize,
    memory: BlockMemory,
    /// Bytes that are assigned to blocks.
    used: AtomicUsize,
}

/// The descriptor of a block.
#[derive(Debug)]
struct Block {
    start: AtomicPtr<u8>,
    /// The length of every state in the block.
    stride: AtomicUsize,
    /// Free positions in the block, as last published by its worker. It is zero for a full block.
    unused: AtomicUsize,
}

/// The descriptors of all blocks. They are mapped, not allocated: an allocator clears recycled memory, while descriptors
/// of a mapping that are never used stay untouched and take no memory.
#[derive(Debug)]
struct Descriptors(#[cfg(not(shuttle))] memmap2::MmapRaw, #[cfg(shuttle)] Box<[Block]>);

impl Descriptors {
    #[cfg(not(shuttle))]
    fn new() -> Descriptors {
        match super::reserved_memory::reserve(BLOCKS * size_of::<Block>(), FillPattern::Dense) {
            Ok(map) => {
                assert!(map.as_ptr().cast::<Block>().is_aligned());
                Descriptors(map)
            }
            Err(error) => super::out_of_memory::out_of_memory("a table", &error),
        }
    }

    #[cfg(shuttle)]
    fn new() -> Descriptors {
        // SAFETY: all bits zero are a null pointer and the number zero.
        Descriptors(unsafe { Box::<[Block]>::new_zeroed_slice(BLOCKS).assume_init() })
    }
}

impl Deref for Descriptors {
    type Target = [Block];

    #[cfg(not(shuttle))]
    #[inline(always)]
    fn deref(&self) -> &[Block] {
        // SAFETY: the mapping is aligned and has this size. Its initial content, all bits zero, is a null pointer and
        // the number zero in each descriptor, and descriptors are changed through atomics only.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), BLOCKS) }
    }

    #[cfg(shuttle)]
    fn deref(&self) -> &[Block] {
        &self.0
    }
}

impl Arena {
    pub fn new(filled: FillPattern) -> Arena {
        let blocks = Descriptors::new();
        Arena { blocks, claimed: AtomicUsize::new(0), memory: BlockMemory::new(filled), used: AtomicUsize::new(0) }
    }

    /// Memory of the arena besides the states, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.claimed.load(Ordering::Relaxed).min(BLOCKS) * size_of::<Block>()) as u64
    }

    /// Reads a state. Its number must come, through a synchronising operation, from the worker that wrote it.
    #[inline]
    pub fn get(&self, number: u32) -> &State {
        let block = &self.blocks[number as usize >> BLOCK_BITS];
        let (start, stride) = (block.start.load(Ordering::Relaxed), block.stride.load(Ordering::Relaxed));
        let index = number as usize & (BLOCK - 1);
        assert!(!start.is_null() && (stride <= SHORT || index < room(stride)), "there is no state {number}");
        // SAFETY: the block exists and has room for that many states of this length. Its bytes were zero at first,
        // and each state is written once, before its number is published.
        unsafe { std::slice::from_raw_parts(start.add(index * stride), stride) }
    }

    /// Reads a state of this length, which has to be a short one, under the same condition.
    ///
    /// # Panics
    /// If the state has another length.
    #[inline(always)]
    pub fn get_as<const LENGTH: usize>(&self, number: u32) -> &[u8; LENGTH] {
        const { assert!(0 < LENGTH && LENGTH <= SHORT) };
        let block = &self.blocks[number as usize >> BLOCK_BITS];
        let (start, stride) = (block.start.load(Ordering::Relaxed), block.stride.load(Ordering::Relaxed));
        assert!(!start.is_null() && stride == LENGTH, "there is no state {number} of {LENGTH} bytes");
        let index = number as usize & (BLOCK - 1);
        // SAFETY: the block exists and has states of this length, as many as it has numbers. Its bytes were zero at first, and each
        // state is written once, before its number is published.
        unsafe { &*start.add(index * LENGTH).cast() }
    }

    /// Prefetches a state of this length; does nothing for a number without a state.
    #[inline(always)]
    pub fn prefetch_as<const LENGTH: usize>(&self, number: u32) {
        let start = self.blocks[number as usize >> BLOCK_BITS].start.load(Ordering::Relaxed);
        let state = start.wrapping_add((number as usize & (BLOCK - 1)) * LENGTH);
        prefetch_at(state);
        // Blocks begin at a line.
        if !LINE.is_multiple_of(LENGTH) {
            prefetch_at(state.wrapping_add(LENGTH - 1));
        }
    }

    /// The address of a state, or where it will be written.
    #[inline(always)]
    pub fn place(&self, number: u32) -> *mut u8 {
        let block = &self.blocks[number as usize >> BLOCK_BITS];
        let (start, stride) = (block.start.load(Ordering::Relaxed), block.stride.load(Ordering::Relaxed));
        start.wrapping_add((number as usize & (BLOCK - 1)) * stride)
    }

    /// Prefetches a state; does nothing for a number without a state.
    #[inline(always)]
    pub fn prefetch(&self, number: u32) {
        let block = &self.blocks[number as usize >> BLOCK_BITS];
        let (start, stride) = (block.start.load(Ordering::Relaxed), block.stride.load(Ordering::Relaxed));
        let state = start.wrapping_add((number as usize & (BLOCK - 1)) * stride);
        // Most states fit into one or two cache lines, and prefetching a line twice is cheaper than a comparison.
        prefetch_at(state);
        prefetch_at(state.wrapping_add(stride.saturating_sub(1)));
        let mut at = LINE;
        while at + 1 < stride {
            prefetch_at(state.wrapping_add(at));
            at += LINE;
        }
    }

    /// The number of claimed blocks.
    pub fn blocks(&self) -> usize {
        self.claimed.load(Ordering::Relaxed).min(BLOCKS)
    }

    /// The numbers of the states in a block, as far as the [writers](ArenaWriter) have published them.
    pub fn numbers(&self, block: usize) -> Range<u32> {
        let first = (block << BLOCK_BITS) as u32;
        let Block { start, stride, unused } = &self.blocks[block];
        let room = if start.load(Ordering::Relaxed).is_null() { 0 } else { room(stride.load(Ordering::Relaxed)) };
        first..first + (room - unused.load(Ordering::Relaxed)) as u32
    }

    /// Frees the memory of a block with its states, and returns the number of bytes freed.
    ///
    /// # Safety
    /// No reference to a state of this block exists or is created during the call.
    pub unsafe fn free(&self, block: usize) -> u64 {
        let states = self.numbers(block).len();
        let Block { start, stride, unused } = &self.blocks[block];
        let stride = stride.load(Ordering::Relaxed);
        unused.store(0, Ordering::Relaxed);
        let at = start.swap(ptr::null_mut(), Ordering::Relaxed);
        if !at.is_null() {
            // SAFETY: the caller guarantees that no reference into the block exists.
            unsafe { self.memory.free(at.addr() - self.memory.start().addr(), room(stride) * stride) };
        }
        (states * stride) as u64
    }

    /// Claims a block for states of this length, and returns the number of its first state.
    fn claim(&self, stride: usize) -> Result<u32, Full> {
        let index = self.claimed.fetch_add(1, Ordering::Relaxed);
        let Some(block) = self.blocks.get(index) else {
            self.claimed.fetch_sub(1, Ordering::Relaxed);
            return Err(Full::States);
        };
        let bytes = (room(stride) * stride).next_multiple_of(LINE);
        let at = self.used.fetch_add(bytes, Ordering::Relaxed);
        if at.checked_add(bytes).is_none_or(|end| end > self.memory.bytes()) {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Full::Memory);
        }
        block.stride.store(stride, Ordering::Relaxed);
        block.start.store(self.memory.start().wrapping_add(at), Ordering::Relaxed);
        Ok((index << BLOCK_BITS) as u32)
    }
}

/// The number of states of this length that a block holds.
#[inline]
fn room(stride: usize) -> usize {
    if stride <= SHORT { BLOCK } else { (BLOCK_BYTES / stride).max(1) }
}

/// The memory of all blocks. It is zero at first.
#[derive(Debug)]
struct BlockMemory(#[cfg(not(shuttle))] Option<memmap2::MmapRaw>, #[cfg(shuttle)] Box<[AtomicU8]>);

impl BlockMemory {
    /// Reserves the largest address range that is available, which may be empty.
    #[cfg(not(shuttle))]
    fn new(filled: FillPattern) -> BlockMemory {
        let mut bytes = RANGE;
        loop {
            match super::reserved_memory::reserve(bytes, filled) {
                Ok(map) => return BlockMemory(Some(map)),
                Err(_) if bytes > BLOCK_BYTES => bytes /= 2,
                Err(_) => return BlockMemory(None),
            }
        }
    }

    #[cfg(shuttle)]
    fn new(_: FillPattern) -> BlockMemory {
        BlockMemory((0..RANGE).map(|_| AtomicU8::new(0)).collect())
    }

    #[cfg(not(shuttle))]
    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, memmap2::MmapRaw::len)
    }

    #[cfg(shuttle)]
    fn bytes(&self) -> usize {
        self.0.len()
    }

    #[cfg(not(shuttle))]
    fn start(&self) -> *mut u8 {
        self.0.as_ref().map_or(ptr::null_mut(), memmap2::MmapRaw::as_mut_ptr)
    }

    #[cfg(shuttle)]
    fn start(&self) -> *mut u8 {
        self.0.as_ptr().cast_mut().cast()
    }

    /// Returns the whole pages of a range to the system, where the system supports that.
    ///
    /// # Safety
    /// No reference into the range exists.
    #[cfg(all(unix, not(shuttle)))]
    unsafe fn free(&self, offset: usize, bytes: usize) {
        const PAGE: usize = 1 << 16;
        let (start, end) = (offset.next_multiple_of(PAGE), (offset + bytes) / PAGE * PAGE);
        if let Some(map) = self.0.as_ref().filter(|_| start < end) {
            // SAFETY: the range belongs to this memory and has no references. From now on it reads as zero, or as
            // before.
            let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, end - start) };
        }
    }

    #[cfg(not(all(unix, not(shuttle))))]
    unsafe fn free(&self, _: usize, _: usize) {}
}

/// The writing position of one worker: its current block for each length of a state.
#[derive(Debug)]
pub(super) struct ArenaWriter<'a> {
    arena: &'a Arena,
    /// The block used last comes first.
    open: Vec<Open>,
}

/// A block that is being filled.
#[derive(Clone, Copy, Debug)]
struct Open {
    stride: usize,
    /// The number of the next state.
    next: u32,
    left: usize,
}

impl Drop for ArenaWriter<'_> {
    fn drop(&mut self) {
        self.publish();
    }
}

impl<'a> ArenaWriter<'a> {
    pub fn new(arena: &'a Arena) -> ArenaWriter<'a> {
        ArenaWriter { arena, open: Vec::new() }
    }

    /// Writes a state and returns its number. The number is not used up until [`ArenaWriter::keep`].
    #[inline]
    pub fn write(&mut self, state: &State) -> Result<u32, Full> {
        let number = self.next(state.len())?;
        // SAFETY: the block belongs to this worker and has room for one more state of this length. The number is not
        // yet published, so no other worker reads this position.
        unsafe { ptr::copy_nonoverlapping(state.as_ptr(), self.arena.place(number), state.len()) };
        Ok(number)
    }

    /// The number of the next state of this length. It is not used up until [`ArenaWriter::keep`].
    #[inline]
    pub fn next(&mut self, stride: usize) -> Result<u32, Full> {
        let open = match self.open.first() {
            Some(open) if open.stride == stride && open.left > 0 => *open,
            _ => self.select_block(stride)?,
        };
        Ok(open.next)
    }

    /// Uses up the number of the state written last.
    #[inline]
    pub fn keep(&mut self) {
        let open = &mut self.open[0];
        open.next += 1;
        open.left -= 1;
    }

    /// Publishes how far the blocks are filled.
    pub fn publish(&self) {
        self.open.iter().for_each(|open| self.publish_block(open));
    }

    fn publish_block(&self, open: &Open) {
        let full = usize::from(open.left == 0);
        if let Some(number) = (open.next as usize).checked_sub(full) {
            self.arena.blocks[number >> BLOCK_BITS].unused.store(open.left, Ordering::Relaxed);
        }
    }

    #[cold]
    fn select_block(&mut self, stride: usize) -> Result<Open, Full> {
        let at = match self.open.iter().position(|open| open.stride == stride) {
            Some(at) => at,
            None => {
                self.open.push(Open { stride, next: 0, left: 0 });
                self.open.len() - 1
            }
        };
        self.open.swap(0, at);
        if self.open[0].left == 0 {
            self.publish_block(&self.open[0]);
            self.open[0].next = self.arena.claim(stride)?;
            self.open[0].left = room(stride);
        }
        Ok(self.open[0])
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    fn check(lengths: impl Iterator<Item = usize>) {
        let arena = Arena::new(FillPattern::Dense);
        let mut writers = [ArenaWriter::new(&arena), ArenaWriter::new(&arena)];
        let states: Vec<Vec<u8>> = lengths.enumerate().map(|(i, n)| vec![(i % 251) as u8; n]).collect();
        let mut numbers = Vec::new();
        for (i, state) in states.iter().enumerate() {
            let writer = &mut writers[i % 3 % 2];
            writer.write(&vec![255; state.len()]).unwrap();
            numbers.push(writer.write(state).unwrap());
            writer.keep();
        }
        for (&number, state) in numbers.iter().zip(&states) {
            arena.prefetch(number);
            assert_eq!(arena.get(number), &state[..], "state {number}");
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), states.len());
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
        check([BLOCK_BYTES, 1, BLOCK_BYTES / 2, BLOCK_BYTES / 2, BLOCK_BYTES / 2, BLOCK_BYTES + 1].into_iter());
    }

    #[test]
    fn every_number_is_listed_once() {
        let arena = Arena::new(FillPattern::Dense);
        let mut writers = [ArenaWriter::new(&arena), ArenaWriter::new(&arena)];
        let mut numbers = Vec::new();
        for i in 0..5 * BLOCK {
            let writer = &mut writers[i % 3 % 2];
            numbers.push(writer.write(&vec![7; 3 + i % 4]).unwrap());
            writer.keep();
            if i % 1000 == 0 {
                writers.iter().for_each(ArenaWriter::publish);
            }
        }
        drop(writers);
        numbers.sort_unstable();
        assert!((0..arena.blocks()).flat_map(|block| arena.numbers(block)).eq(numbers));
        let bytes: usize = (0..5 * BLOCK).map(|i| 3 + i % 4).sum();
        // SAFETY: this test holds no references to states.
        let freed: u64 = (0..arena.blocks()).map(|block| unsafe { arena.free(block) }).sum();
        assert_eq!((freed, arena.numbers(0)), (bytes as u64, 0..0));
    }

    #[test]
    #[should_panic(expected = "there is no state 7")]
    fn missing_states_are_refused() {
        Arena::new(FillPattern::Dense).get(7);
    }
}
