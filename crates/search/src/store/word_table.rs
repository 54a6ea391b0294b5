//! A compact hash set of numbers of a known number of bits, in the order of their hashes.
//!
//! The hash of a number is a permutation of its bits' values, so it determines the number. A segment holds the numbers whose
//! hashes have the same first bits. It maps the rest of the hash, in order, to its lines: the line tells most of it, and a
//! slot holds only the last bits and the distance from the line where the number belongs (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984). Since the order is kept, a segment grows to any size in one pass over its lines.
//!
//! A slot has a lane of 16, 32 or 64 bits, whose top bit is the visited mark of the number. All lanes of a line are compared
//! at once. In some formats a slot has an upper part too, behind the lanes of the line: it is read only where the lane is
//! equal. A worker that adds a number fills the lane first, and another worker that finds an equal lane waits until the upper
//! part is written, too.

use super::Full;
use super::hardware::{Lanes, SLOTS, Width, prefetch_at};
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{SegmentContent, Segments, UnreportedCounts};
use crate::sync::{AtomicBool, AtomicU64, Ordering, yield_now};

const SEGMENT_BITS: u32 = if cfg!(shuttle) { 0 } else { 6 };
/// The least number of bits of a hash.
const MIN_BITS: u32 = 16;
/// The number of bits of a slot that tell the distance of a number from its line. They are not zero in a slot that is used.
const DISTANCE_BITS: u32 = if cfg!(shuttle) { 2 } else { 3 };
/// The number of distances.
const DISTANCES: usize = (1 << DISTANCE_BITS) - 1;
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

/// The format of the slots of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Format {
    lane: Width,
    /// The number of bits of the upper part of a slot, which may be none. An upper part is never zero once it is written.
    upper: u32,
}

/// A number that a slot holds: its lane and its upper part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    lane: u64,
    upper: u64,
}

/// One segment.
#[derive(Debug)]
struct OrderedLines {
    lines: Box<[Line]>,
    /// The number of lines where numbers belong. Behind them are as many as a number can be distant.
    homes: usize,
    slots: usize,
    /// The last bits of a hash, which slots hold.
    low: u64,
    /// The number of bits of a word before the bits of a hash in this segment.
    shift: u32,
    format: Format,
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
        (segment, self.segments.get(segment, access), hash)
    }

    #[inline(always)]
    pub fn prefetch(&self, hash: WordHash, access: &SharedAccess<'_>) {
        let (_, content, hash) = self.segment(hash, access);
        prefetch_at(content.lines.as_ptr().wrapping_add(content.home(hash)).cast());
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
        let (segment, content, hash) = self.segment(hash, access);
        let new = content.add(hash, self.segments.is_private(), may)?;
        if new {
            self.segments.count(segment, access, unreported);
        }
        Ok(new)
    }

    pub fn is_visited(&self, hash: WordHash, access: &SharedAccess<'_>) -> bool {
        let (_, content, hash) = self.segment(hash, access);
        let (word, mark) = content.find(hash);
        word.load(Ordering::Relaxed) & mark != 0
    }

    pub fn visit(&self, hash: WordHash, access: &SharedAccess<'_>) {
        let (_, content, hash) = self.segment(hash, access);
        let (word, mark) = content.find(hash);
        word.fetch_or(mark, Ordering::Relaxed);
    }

    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.segments.plan(exclusive, reserve)
    }

    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.segments.grow(exclusive, release);
    }
}

impl Format {
    /// All formats, from the most compact one.
    const ALL: [Format; 5] = [
        Format { lane: Width::W16, upper: 0 },
        Format { lane: Width::W32, upper: 0 },
        Format { lane: Width::W32, upper: 8 },
        Format { lane: Width::W32, upper: 16 },
        Format { lane: Width::W64, upper: 0 },
    ];

    /// The number of slots in a line.
    #[inline(always)]
    const fn lanes(self) -> u32 {
        512 / (self.lane.bits() + self.upper)
    }

    /// The number of bits of a number that a slot can hold.
    fn capacity(self) -> u32 {
        self.lane.bits() - 1 + self.upper.saturating_sub(1)
    }

    /// The slot that holds the last bits of a hash, at this distance.
    #[inline(always)]
    fn slot(self, low: u64, distance: usize) -> Slot {
        let bits = low << DISTANCE_BITS | (distance as u64 + 1);
        let upper = if self.upper == 0 { 0 } else { (bits >> (self.lane.bits() - 1)) + 1 };
        Slot { lane: bits & (self.lane.top() - 1), upper }
    }

    /// The inverse of [`slot`](Format::slot).
    #[inline(always)]
    fn parts(self, slot: Slot) -> (u64, usize) {
        let upper = if self.upper == 0 { 0 } else { (slot.upper - 1) << (self.lane.bits() - 1) };
        let bits = slot.lane | upper;
        (bits >> DISTANCE_BITS, (bits & ((1 << DISTANCE_BITS) - 1)) as usize - 1)
    }

    /// The word of the upper part of a slot, and its shift inside the word.
    #[inline(always)]
    fn upper_place(self, slot: u32) -> (usize, u32) {
        let bit = self.lanes() * self.lane.bits() + slot * self.upper;
        ((bit / 64) as usize % SLOTS, bit % 64)
    }

    /// The upper part of a slot, zero if it is not yet written.
    #[inline(always)]
    fn upper(self, words: &[AtomicU64; SLOTS], slot: u32) -> u64 {
        let (word, shift) = self.upper_place(slot);
        words[word].load(Ordering::Acquire) >> shift & ((1 << self.upper) - 1)
    }

    /// The slot of a line that holds a value, or otherwise the first vacant one. None if the line is full.
    #[inline(always)]
    fn search(self, words: &[AtomicU64; SLOTS], wanted: Slot) -> Result<u32, Option<u32>> {
        let lanes = Lanes::new(words);
        let used = u32::MAX >> (32 - self.lanes());
        let mut hits = lanes.hits(self.lane, wanted.lane) & used;
        while hits != 0 {
            let slot = hits.trailing_zeros();
            if self.upper == 0 || self.await_upper(words, slot) == wanted.upper {
                return Ok(slot);
            }
            hits &= hits - 1;
        }
        let vacant = lanes.vacant(self.lane) & used;
        Err((vacant != 0).then(|| vacant.trailing_zeros()))
    }

    /// The upper part of a slot whose lane is filled.
    #[inline(always)]
    fn await_upper(self, words: &[AtomicU64; SLOTS], slot: u32) -> u64 {
        loop {
            match self.upper(words, slot) {
                0 => yield_now(),
                upper => return upper,
            }
        }
    }

    /// Fills a vacant slot without concurrency.
    #[inline(always)]
    fn fill(self, words: &[AtomicU64; SLOTS], slot: u32, value: Slot) {
        let add = |(word, shift): (usize, u32), part: u64| {
            let word: &AtomicU64 = &words[word];
            word.store(word.load(Ordering::Relaxed) | part << shift, Ordering::Relaxed);
        };
        add(self.lane.place(slot), value.lane);
        if self.upper != 0 {
            add(self.upper_place(slot), value.upper);
        }
    }

    /// Fills a slot unless another worker has filled it or changed its word in the meantime. Returns whether it did.
    #[inline(always)]
    fn claim(self, words: &[AtomicU64; SLOTS], slot: u32, value: Slot) -> bool {
        let (word, shift) = self.lane.place(slot);
        let old = words[word].load(Ordering::Relaxed);
        let vacant = old >> shift & self.lane.mask() == 0;
        let new = old | value.lane << shift;
        if !vacant || words[word].compare_exchange(old, new, Ordering::Release, Ordering::Relaxed).is_err() {
            return false;
        }
        if self.upper != 0 {
            let (word, shift) = self.upper_place(slot);
            words[word].fetch_or(value.upper << shift, Ordering::Release);
        }
        true
    }
}

impl OrderedLines {
    fn new(homes: usize, bits: u32) -> OrderedLines {
        let (low, format) = shape(homes, bits);
        OrderedLines {
            lines: (0..homes + DISTANCES - 1).map(|_| Line::default()).collect(),
            homes,
            slots: homes * format.lanes() as usize,
            low: (1 << low) - 1,
            shift: 64 - bits,
            format,
            blocked: AtomicBool::new(false),
        }
    }

    /// The line where a hash belongs. Bits before those of this segment have no influence.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << self.shift) * self.homes as u128) >> 64) as usize
    }

    /// The word of the lane that holds a hash of this segment, and the visited mark in it.
    fn find(&self, hash: u64) -> (&AtomicU64, u64) {
        let home = self.home(hash);
        for distance in 0..DISTANCES {
            let words = &self.lines[home + distance].0;
            match self.format.search(words, self.format.slot(hash & self.low, distance)) {
                Ok(slot) => {
                    let (word, shift) = self.format.lane.place(slot);
                    return (&words[word], self.format.lane.top() << shift);
                }
                Err(None) => {}
                Err(Some(_)) => break,
            }
        }
        panic!("the number is in the set")
    }

    /// Adds a number and returns whether it is new. It is not new if another worker has added it first.
    #[inline(always)]
    fn add(&self, hash: u64, private: bool, may: impl FnMut() -> Result<(), Full>) -> Result<bool, Refusal> {
        let [shortest, short, middle, long, longest] = Format::ALL;
        match (self.format.lane, self.format.upper) {
            (Width::W32, 0) => self.add_as(short, hash, private, may),
            (Width::W32, 8) => self.add_as(middle, hash, private, may),
            (Width::W32, _) => self.add_as(long, hash, private, may),
            (Width::W64, _) => self.add_as(longest, hash, private, may),
            (Width::W16, _) => self.add_as(shortest, hash, private, may),
        }
    }

    /// Adds a number to slots of this format, which is known when the program is compiled.
    #[inline(always)]
    fn add_as(
        &self,
        format: Format,
        hash: u64,
        private: bool,
        mut may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let (home, low) = (self.home(hash), hash & self.low);
        let mut distance = 0;
        loop {
            let words = &self.lines[home + distance].0;
            let value = format.slot(low, distance);
            match format.search(words, value) {
                Ok(_) => return Ok(false),
                Err(None) if distance + 1 == DISTANCES => {
                    self.blocked.store(true, Ordering::Relaxed);
                    return Err(Refusal::SegmentFull);
                }
                Err(None) => distance += 1,
                Err(Some(vacant)) => {
                    may()?;
                    if private {
                        format.fill(words, vacant, value);
                        return Ok(true);
                    }
                    if format.claim(words, vacant, value) {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// Adds a number that is not in this segment, without concurrency. `filled` counts the slots in use of each line. Returns
    /// whether there was room.
    #[inline(always)]
    fn place(&self, hash: u64, visited: bool, filled: &mut [u8]) -> bool {
        let (home, lanes) = (self.home(hash), self.format.lanes() as u8);
        let lines = filled[home..home + DISTANCES].iter_mut();
        let Some((distance, filled)) = lines.enumerate().find(|(_, filled)| **filled < lanes) else { return false };
        let mut value = self.format.slot(hash & self.low, distance);
        value.lane |= if visited { self.format.lane.top() } else { 0 };
        self.format.fill(&self.lines[home + distance].0, u32::from(*filled), value);
        *filled += 1;
        true
    }

    /// Calls `each` with all hashes and their visited marks until it returns false.
    fn all(&self, mut each: impl FnMut(u64, bool) -> bool) -> bool {
        // The least hashes of this line and of those before it.
        let mut firsts = [0; DISTANCES];
        let mut least = LeastHashes::new(self.homes, 64 - self.shift);
        for (line, Line(words)) in self.lines.iter().enumerate() {
            firsts.rotate_right(1);
            if line < self.homes {
                firsts[0] = least.next();
            }
            for slot in 0..self.format.lanes() {
                let (word, shift) = self.format.lane.place(slot);
                let lane = words[word].load(Ordering::Relaxed) >> shift & self.format.lane.mask();
                if lane == 0 {
                    break;
                }
                let top = self.format.lane.top();
                let upper = self.format.upper(words, slot);
                let (low, distance) = self.format.parts(Slot { lane: lane & (top - 1), upper });
                let first = firsts[distance];
                if !each(first + (low.wrapping_sub(first) & self.low), lane & top != 0) {
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
        self.slots
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
            let bits = 64 - self.shift;
            let lanes = |homes| shape(homes, bits).1.lanes() as usize;
            while homes * lanes(homes) <= self.slots {
                homes += homes / 4 + 1;
            }
            let (new, mut filled) = (OrderedLines::new(homes, bits), vec![0; homes + DISTANCES - 1]);
            let moved = self.all(|hash, visited| new.place(hash, visited, &mut filled));
            if moved {
                *self = new;
                return;
            }
            homes += homes / 8 + 1;
        }
    }
}

/// The least hash that belongs to each line, in order: the number of the line times the number of hashes, divided by the
/// number of lines and rounded up. It is computed without a division for each line.
struct LeastHashes {
    homes: u64,
    /// The quotient and the remainder of the number of hashes.
    step: (u64, u64),
    next: (u64, u64),
}

impl LeastHashes {
    fn new(homes: usize, bits: u32) -> LeastHashes {
        let homes = homes as u64;
        LeastHashes { homes, step: ((1 << bits) / homes, (1 << bits) % homes), next: (0, 0) }
    }

    fn next(&mut self) -> u64 {
        let (quotient, remainder) = self.next;
        let sum = remainder + self.step.1;
        let carry = u64::from(sum >= self.homes);
        self.next = (quotient + self.step.0 + carry, sum - carry * self.homes);
        quotient + u64::from(remainder != 0)
    }
}

/// The number of bits of a hash that slots hold, and their format, for hashes of so many bits in so many lines.
fn shape(homes: usize, bits: u32) -> (u32, Format) {
    // The hashes that belong to one line are so many consecutive numbers at most.
    let most = (1u64 << bits).div_ceil(homes as u64);
    let low = 64 - (most - 1).leading_zeros();
    let fits = |format: &Format| low + DISTANCE_BITS <= format.capacity();
    (low, Format::ALL.into_iter().find(fits).expect("numbers fit into words"))
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
