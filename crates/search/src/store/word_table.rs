//! A compact hash set of numbers of a known number of bits, in the order of their hashes.
//!
//! The hash of a number is a permutation of its bits' values, so it determines the number. A segment holds the numbers whose
//! hashes have the same first bits. It maps the rest of the hash, in order, to its lines: the line tells most of it, and a
//! slot holds only the last bits and the distance from the line where the number belongs (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984). Since the order is kept, a segment grows to any size in one pass over its lines.
//! The top bit of a slot is the visited mark of its number.

use super::Full;
use super::hardware::{Lanes, Width, prefetch, scan_lanes};
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{SegmentContent, Segments, UnreportedCounts};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

const SEGMENT_BITS: u32 = if cfg!(shuttle) { 0 } else { 6 };
/// The least number of bits of a hash.
const MIN_BITS: u32 = 16;
/// The largest distance of a number from its line, as a number of bits.
const DISTANCE_BITS: u32 = if cfg!(shuttle) { 1 } else { 3 };
const DISTANCES: u64 = 1 << DISTANCE_BITS;
/// Lines of the smallest segment.
const FEWEST: usize = if cfg!(shuttle) { 1 } else { 4 };

/// A set of numbers.
#[derive(Debug)]
pub(super) struct WordTable {
    segments: Segments<OrderedLines>,
    /// The number of bits of a number, at least [`MIN_BITS`].
    bits: u32,
}

/// The hash of a number: the same number of bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct WordHash(u64);

/// One segment.
#[derive(Debug)]
struct OrderedLines {
    lines: Box<[Line]>,
    /// The number of lines where numbers belong. Behind them are as many as a number can be distant.
    homes: usize,
    /// The number of bits of a hash in this segment.
    bits: u32,
    /// The number of its last bits that slots hold.
    low: u32,
    width: Width,
    blocked: AtomicBool,
}

impl WordTable {
    /// A set of numbers of so many bits.
    ///
    /// # Panics
    /// If the number of bits is more than 63.
    pub fn new(bits: u32, workers: usize) -> WordTable {
        assert!(bits < 64, "a number and a mark fit into a word");
        let bits = bits.max(MIN_BITS);
        let segment = |_| OrderedLines::new(FEWEST, bits - SEGMENT_BITS);
        WordTable { segments: Segments::new(1 << SEGMENT_BITS, workers, segment), bits }
    }

    pub fn unreported(&self) -> UnreportedCounts {
        self.segments.unreported()
    }

    pub fn bytes(&self) -> u64 {
        self.segments.bytes()
    }

    /// The hash of a number. Multiplications by odd numbers and these shifts are permutations.
    #[inline(always)]
    pub fn hash(&self, number: u64) -> WordHash {
        let (mask, half) = (u64::MAX >> (64 - self.bits), self.bits / 2);
        let mut hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
        hash ^= hash >> half;
        hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
        WordHash(hash ^ hash >> half)
    }

    #[inline(always)]
    fn segment<'a>(&'a self, WordHash(hash): WordHash, access: &'a SharedAccess<'_>) -> (usize, &'a OrderedLines, u64) {
        let bits = self.bits - SEGMENT_BITS;
        let segment = (hash >> bits) as usize;
        (segment, self.segments.get(segment, access), hash & (u64::MAX >> (64 - bits)))
    }

    #[inline(always)]
    pub fn prefetch(&self, hash: WordHash, access: &SharedAccess<'_>) {
        let (_, content, rest) = self.segment(hash, access);
        prefetch(&content.lines[content.home(rest)]);
    }

    /// Adds a number and returns whether it is new. `may` is called before a new number is added.
    #[inline(always)]
    pub fn add(
        &self,
        hash: WordHash,
        access: &SharedAccess<'_>,
        unreported: &mut UnreportedCounts,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let (segment, content, rest) = self.segment(hash, access);
        let new = content.add(rest, self.segments.is_private(), may)?;
        if new {
            self.segments.count(segment, access, unreported);
        }
        Ok(new)
    }

    pub fn is_visited(&self, hash: WordHash, access: &SharedAccess<'_>) -> bool {
        let (_, content, rest) = self.segment(hash, access);
        let (slot, shift) = content.find(rest).expect("the number is in the set");
        slot.load(Ordering::Relaxed) >> shift & content.width.top() != 0
    }

    pub fn visit(&self, hash: WordHash, access: &SharedAccess<'_>) {
        let (_, content, rest) = self.segment(hash, access);
        content.mark(rest);
    }

    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.segments.plan(exclusive, reserve)
    }

    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.segments.grow(exclusive, release);
    }
}

impl OrderedLines {
    fn new(homes: usize, bits: u32) -> OrderedLines {
        let (low, width) = shape(homes, bits);
        let lines = (0..homes + DISTANCES as usize - 1).map(|_| Line::default()).collect();
        OrderedLines { lines, homes, bits, low, width, blocked: AtomicBool::new(false) }
    }

    /// The line where a hash belongs.
    #[inline(always)]
    fn home(&self, rest: u64) -> usize {
        ((u128::from(rest << (64 - self.bits)) * self.homes as u128) >> 64) as usize
    }

    /// The value of a slot that holds a hash, at this distance from its home.
    #[inline(always)]
    fn value(&self, rest: u64, distance: u64) -> u64 {
        ((rest & ((1 << self.low) - 1)) << DISTANCE_BITS | distance) + 1
    }

    /// The least hash that belongs to a line.
    fn first(&self, home: usize) -> u64 {
        ((home as u128) << self.bits).div_ceil(self.homes as u128) as u64
    }

    /// The inverse of [`value`](OrderedLines::value), from the least hash that belongs to the same line.
    #[inline(always)]
    fn rest(&self, first: u64, value: u64) -> u64 {
        let low = (value - 1) >> DISTANCE_BITS;
        first + (low.wrapping_sub(first) & ((1 << self.low) - 1))
    }

    fn find(&self, rest: u64) -> Option<(&AtomicU64, u32)> {
        let home = self.home(rest);
        for distance in 0..DISTANCES {
            let words = &self.lines[home + distance as usize].0;
            let (hits, vacant) = scan_lanes(words, self.width, self.value(rest, distance));
            if hits != 0 {
                let (word, shift) = self.width.place(hits.trailing_zeros());
                return Some((&words[word], shift));
            }
            if vacant != 0 {
                return None;
            }
        }
        None
    }

    /// Adds a number and returns whether it is new. It is not new if another worker has added it first.
    #[inline(always)]
    fn add(&self, rest: u64, private: bool, may: impl FnMut() -> Result<(), Full>) -> Result<bool, Refusal> {
        match self.width {
            Width::W32 => self.add_to(Width::W32, rest, private, may),
            Width::W64 => self.add_to(Width::W64, rest, private, may),
            Width::W16 => self.add_to(Width::W16, rest, private, may),
        }
    }

    #[inline(always)]
    fn add_to(
        &self,
        width: Width,
        rest: u64,
        private: bool,
        mut may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let home = self.home(rest);
        let mut distance = 0;
        loop {
            let words = &self.lines[home + distance as usize].0;
            let value = self.value(rest, distance);
            let lanes = Lanes::new(words);
            if lanes.hits(width, value) != 0 {
                return Ok(false);
            }
            let vacant = lanes.vacant(width);
            if vacant == 0 {
                distance += 1;
                if distance == DISTANCES {
                    self.blocked.store(true, Ordering::Relaxed);
                    return Err(Refusal::SegmentFull);
                }
                continue;
            }
            may()?;
            let (word, shift) = width.place(vacant.trailing_zeros());
            let old = words[word].load(Ordering::Relaxed);
            if private {
                words[word].store(old | value << shift, Ordering::Relaxed);
                return Ok(true);
            }
            // Another worker may have filled this lane in the meantime.
            let vacant = old >> shift & (width.top() | (width.top() - 1)) == 0;
            let new = old | value << shift;
            if vacant && words[word].compare_exchange(old, new, Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok(true);
            }
        }
    }

    /// Adds a number that is not in this segment, without concurrency. `filled` counts the slots in use of each line. Returns
    /// whether there was room.
    #[inline(always)]
    fn place(&self, rest: u64, visited: bool, filled: &mut [u8]) -> bool {
        let (home, lanes) = (self.home(rest), self.width.lanes() as u8);
        let lines = filled[home..home + DISTANCES as usize].iter_mut();
        let Some((distance, filled)) = lines.enumerate().find(|(_, filled)| **filled < lanes) else { return false };
        let mark = if visited { self.width.top() } else { 0 };
        let (word, shift) = self.width.place(u32::from(*filled));
        let slot = &self.lines[home + distance].0[word];
        let new = slot.load(Ordering::Relaxed) | (self.value(rest, distance as u64) | mark) << shift;
        slot.store(new, Ordering::Relaxed);
        *filled += 1;
        true
    }

    fn mark(&self, rest: u64) {
        let (word, shift) = self.find(rest).expect("the number is in the set");
        word.fetch_or(self.width.top() << shift, Ordering::Relaxed);
    }

    /// Calls `each` with all hashes and their visited marks until it returns false.
    fn all(&self, mut each: impl FnMut(u64, bool) -> bool) -> bool {
        // The least hashes of this line and of those before it.
        let mut firsts = [0; DISTANCES as usize];
        for (line, words) in self.lines.iter().enumerate() {
            firsts.rotate_right(1);
            firsts[0] = self.first(line.min(self.homes));
            for lane in 0..self.width.lanes() {
                let (word, shift) = self.width.place(lane);
                let slot = words.0[word].load(Ordering::Relaxed) >> shift & (self.width.top() | (self.width.top() - 1));
                if slot == 0 {
                    break;
                }
                let value = slot & (self.width.top() - 1);
                let first = firsts[((value - 1) & (DISTANCES - 1)) as usize];
                if !each(self.rest(first, value), slot & self.width.top() != 0) {
                    return false;
                }
            }
        }
        true
    }

    /// The number of homes after the next growth. Segments grow for the first time to different sizes, so that they do not
    /// all grow at the same time later.
    fn next_homes(&self, part: f64) -> usize {
        let homes = self.homes;
        if homes == FEWEST { homes * 2 + (homes as f64 * 2.0 * part) as usize } else { homes + homes / 2 }
    }
}

impl SegmentContent for OrderedLines {
    fn full(&self) -> usize {
        self.slots() / 4 * 3
    }

    #[inline]
    fn slots(&self) -> usize {
        self.homes * self.width.lanes() as usize
    }

    fn must_grow(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    fn more_bytes(&self, part: f64) -> u64 {
        (self.next_homes(part) * size_of::<Line>()) as u64
    }

    fn grow(&mut self, part: f64) {
        let mut homes = self.next_homes(part);
        loop {
            // Wider slots need more lines.
            let lanes = |homes| shape(homes, self.bits).1.lanes() as usize;
            while homes * lanes(homes) <= self.slots() {
                homes += homes / 4 + 1;
            }
            let (new, mut filled) = (OrderedLines::new(homes, self.bits), vec![0; homes + DISTANCES as usize - 1]);
            let moved = self.all(|rest, visited| new.place(rest, visited, &mut filled));
            if moved {
                *self = new;
                return;
            }
            homes += homes / 8 + 1;
        }
    }
}

/// The number of bits of a hash that slots hold, and the width of the slots, for hashes of so many bits in so many lines.
fn shape(homes: usize, bits: u32) -> (u32, Width) {
    // The hashes that belong to one line are so many consecutive numbers at most.
    let most = (1u64 << bits) / homes as u64 + 1;
    let low = 64 - (most - 1).leading_zeros();
    let width = [Width::W16, Width::W32].into_iter().find(|width| 1 << (low + DISTANCE_BITS) < width.top());
    (low, width.unwrap_or(Width::W64))
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::collections::HashSet;

    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    /// Adds numbers and compares with a set; returns the bytes per number.
    fn check(bits: u32, numbers: impl Iterator<Item = u64>) -> f64 {
        let (barrier, table) = (ResizeBarrier::new(), WordTable::new(bits, 1));
        let (mut access, mut unreported) = (barrier.enter(), table.unreported());
        let mut all = HashSet::new();
        for number in numbers {
            let hash = table.hash(number);
            let new = loop {
                match table.add(hash, &access, &mut unreported, || Ok(())) {
                    Ok(new) => break new,
                    Err(_) => access.request_resize(),
                }
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            };
            assert_eq!(new, all.insert(number), "{number}");
            if new && number % 3 == 0 {
                assert!(!table.is_visited(hash, &access));
                table.visit(hash, &access);
            }
            if access.resize_is_requested() {
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
        }
        for &number in &all {
            let hash = table.hash(number);
            assert_eq!(table.is_visited(hash, &access), number % 3 == 0, "{number}");
            assert!(matches!(table.add(hash, &access, &mut unreported, || Ok(())), Ok(false)), "{number}");
        }
        table.bytes() as f64 / all.len() as f64
    }

    #[test]
    fn holds_exactly_the_numbers_that_were_added() {
        check(1, [0, 1, 1, 0].into_iter());
        check(16, (0..1 << 16).chain(0..1 << 16));
        check(20, (0..300_000).map(|n| n * 7 % (1 << 20)));
        check(38, (0..200_000).map(|n: u64| n.wrapping_mul(n) % (1 << 38)));
        check(63, (0..100_000).map(|n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 1));
        check(63, (0..50_000).map(|n| (1 << 63) - 1 - (n << 40)));
    }

    #[test]
    fn numbers_of_few_bits_take_few_bytes() {
        assert!(check(38, (0..400_000).map(|n| n << 10)) < 8.0);
    }
}
#[cfg(all(test, not(shuttle)))]
mod timing {
    use super::super::resize_barrier::ResizeBarrier;
    use super::*;
    #[test]
    #[ignore]
    fn timing() {
        for (bits, distinct) in [(48u32, 531_440u64), (36, 531_440), (38, 8_717_688)] {
            let (barrier, table) = (ResizeBarrier::new(), WordTable::new(bits, 1));
            let (mut access, mut unreported) = (barrier.enter(), table.unreported());
            let (mut x, mut hashes, mut count) = (1u64, Vec::new(), 0u64);
            let start = std::time::Instant::now();
            let mut grow = std::time::Duration::ZERO;
            let ops = distinct * 4;
            let mut n = 0u64;
            let mut pre = std::time::Duration::ZERO;
            while n < ops {
                hashes.clear();
                let t = std::time::Instant::now();
                for _ in 0..256 {
                    n += 1;
                    x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    // new with probability 1/4
                    let v = if n % 4 == 0 { n / 4 } else { (x >> 33) % (n / 4 + 1) };
                    let w = v.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
                    let h = table.hash(w);
                    table.prefetch(h, &access);
                    hashes.push((w, h));
                }
                pre += t.elapsed();
                for &(_, h) in &hashes {
                    loop {
                        match table.add(h, &access, &mut unreported, || Ok(())) {
                            Ok(new) => { count += u64::from(new); break }
                            Err(_) => access.request_resize(),
                        }
                        access.resize(|e| table.plan(e, |_| true), |e| table.grow(e, |_| ()));
                    }
                }
                if access.resize_is_requested() {
                    let t = std::time::Instant::now();
                    access.resize(|e| table.plan(e, |_| true), |e| table.grow(e, |_| ()));
                    grow += t.elapsed();
                }
            }
            let all = start.elapsed();
            println!("{bits} bits {count} states: {:.1} ns/op, of these prefetch stage {:.1}, grow {:.1}, {:.2} B/state", all.as_secs_f64() * 1e9 / ops as f64, pre.as_secs_f64()*1e9/ops as f64, grow.as_secs_f64() * 1e9 / ops as f64, table.bytes() as f64 / count as f64);
        }
    }
}
