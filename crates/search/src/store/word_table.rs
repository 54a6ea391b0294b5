//! A compact hash set of numbers of a known number of bits, in the order of their hashes.
//!
//! The hash of a number is a permutation of its bits' values, so it determines the number. A segment holds the numbers whose
//! hashes have the same first bits. It maps the rest of the hash, in order, to its lines: the line tells most of it, and a
//! slot holds only the last bits and the distance from the line where the number belongs (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984). Since the order is kept, a segment grows to any size in one pass over its lines.

use super::Full;
use super::hardware::{Width, prefetch_at};
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{SegmentContent, Segments, UnreportedCounts, ZeroedLines};
use super::word_format::{Format, Slot, with_known};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// With this few segments, those of a table of 32 MB are large enough for huge pages.
const SEGMENT_BITS: u32 = if cfg!(shuttle) { 0 } else { 4 };
/// The least number of bits of a hash.
const MIN_BITS: u32 = 16;
/// The fewest and the most bits of a slot that tell the distance of a number from the line where it belongs. They are not zero
/// in a slot that is used.
const FEWEST_DISTANCE_BITS: u32 = if cfg!(shuttle) { 2 } else { 3 };
const MOST_DISTANCE_BITS: u32 = if cfg!(shuttle) { 2 } else { 5 };
/// Lines of the smallest segment.
const FEWEST: usize = if cfg!(shuttle) { 1 } else { 4 };

/// Lines up to which the size of a segment is doubled. Larger ones grow by half.
const SMALL: usize = 1024;

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

/// A hash, and whether its number is visited.
#[derive(Clone, Copy)]
struct MarkedHash {
    hash: u64,
    visited: bool,
}

/// One segment.
#[derive(Debug)]
struct OrderedLines {
    lines: ZeroedLines,
    /// The number of lines where numbers belong. Behind them are as many as a number can be distant.
    homes: usize,
    slots: usize,
    /// The last bits of a hash, which slots hold.
    low: u64,
    /// The number of bits that tell a distance. A number is put into the first line with a vacant slot: segments would have to
    /// grow early if only few full lines in a row were permitted.
    distance_bits: u32,
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

impl OrderedLines {
    fn new(homes: usize, bits: u32) -> OrderedLines {
        let (low, format) = shape(homes, bits);
        let distance_bits = (format.capacity() - low).min(MOST_DISTANCE_BITS);
        OrderedLines {
            lines: ZeroedLines::new(homes + (1 << distance_bits) - 2),
            homes,
            slots: homes * format.lanes() as usize,
            low: (1 << low) - 1,
            distance_bits,
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

    /// The number of distances.
    #[inline(always)]
    fn distances(&self) -> usize {
        (1 << self.distance_bits) - 1
    }

    /// The bits of a slot that holds a hash at this distance.
    #[inline(always)]
    fn bits(&self, hash: u64, distance: usize) -> u64 {
        (hash & self.low) << self.distance_bits | (distance as u64 + 1)
    }

    /// The word of the lane that holds a hash of this segment, and the visited mark in it.
    fn find(&self, hash: u64) -> (&AtomicU64, u64) {
        let home = self.home(hash);
        for distance in 0..self.distances() {
            let words = &self.lines[home + distance].0;
            match self.format.search(words, self.format.slot(self.bits(hash, distance))) {
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
        with_known!(self.format, format => self.add_as(format, hash, private, may))
    }

    /// Adds a number to slots of this format.
    #[inline(always)]
    fn add_as(
        &self,
        format: Format,
        hash: u64,
        private: bool,
        mut may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let (home, mut distance) = (self.home(hash), 0);
        loop {
            let words = &self.lines[home + distance].0;
            let value = format.slot(self.bits(hash, distance));
            match format.search(words, value) {
                Ok(_) => return Ok(false),
                Err(None) if distance + 1 == self.distances() => {
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

    /// Adds numbers that are not in this segment, without concurrency. `filled` counts the slots in use of each line. Returns
    /// whether there was room.
    #[inline(always)]
    fn place(&self, format: Format, hashes: &[MarkedHash], filled: &mut [u8]) -> bool {
        hashes.iter().all(|&MarkedHash { hash, visited }| {
            let mut line = self.home(hash);
            let home = line;
            while u32::from(filled[line]) == format.lanes() {
                line += 1;
                if line == home + self.distances() {
                    return false;
                }
            }
            let mut value = format.slot(self.bits(hash, line - home));
            value.lane |= if visited { format.lane.top() } else { 0 };
            format.fill(&self.lines[line].0, u32::from(filled[line]), value);
            filled[line] += 1;
            true
        })
    }

    /// The hashes in a line. `firsts` has the least hashes that belong to this line and to those before it.
    #[inline(always)]
    fn decode(&self, format: Format, line: usize, firsts: &LastOnes, hashes: &mut Vec<MarkedHash>) {
        let Line(words) = &self.lines[line];
        hashes.clear();
        for slot in 0..format.lanes() {
            let (word, shift) = format.lane.place(slot);
            let (lane, top) = (words[word].load(Ordering::Relaxed) >> shift & format.lane.mask(), format.lane.top());
            if lane == 0 {
                break;
            }
            let upper = format.upper(words, slot);
            let bits = format.bits(Slot { lane: lane & (top - 1), upper });
            let distance = (bits as usize & self.distances()) - 1;
            let first = firsts[line.wrapping_sub(distance) % firsts.len()];
            let hash = first + ((bits >> self.distance_bits).wrapping_sub(first) & self.low);
            hashes.push(MarkedHash { hash, visited: lane & top != 0 });
        }
    }

    /// Copies all numbers to an empty segment. Returns whether there was room.
    fn copy_to(&self, new: &OrderedLines) -> bool {
        let (mut firsts, mut least) = (LastOnes::default(), LeastHashes::new(self.homes, 64 - self.shift));
        let (mut filled, mut hashes) = (vec![0; new.lines.len()], Vec::with_capacity(32));
        (0..self.lines.len()).all(|line| {
            if line < self.homes {
                firsts[line % firsts.len()] = least.next();
            }
            with_known!(self.format, format => self.decode(format, line, &firsts, &mut hashes));
            with_known!(new.format, format => new.place(format, &hashes, &mut filled))
        })
    }

    /// The number of homes after the next growth. Segments grow for the first time to different sizes, so that they do not
    /// all grow at the same time later.
    fn next_homes(&self, part: f64) -> usize {
        let homes = self.homes;
        if homes == FEWEST {
            homes * 4 + (homes as f64 * 4.0 * part) as usize
        } else if homes <= SMALL {
            homes * 2
        } else {
            homes + homes / 2
        }
    }
}

impl SegmentContent for OrderedLines {
    fn full(&self) -> usize {
        self.slots * 13 / 16
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
            let new = OrderedLines::new(homes, bits);
            if self.copy_to(&new) {
                *self = new;
                return;
            }
            homes += homes / 8 + 1;
        }
    }
}

/// The least hashes of a line and of those before it, by the number of the line.
type LastOnes = [u64; 1 << MOST_DISTANCE_BITS];

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
    let fits = |format: &Format| low + FEWEST_DISTANCE_BITS <= format.capacity();
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
        for bits in 17..63 {
            check(bits, (0..20_000).map(|n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - bits)));
        }
    }

    /// Numbers whose slots differ only in the upper part, only in the lane, or in both.
    #[test]
    fn every_format_holds_every_number() {
        for format in Format::ALL {
            let bits = (format.capacity() - FEWEST_DISTANCE_BITS + 2).min(63 - SEGMENT_BITS);
            let lines = OrderedLines::new(4, bits);
            assert_eq!(lines.format, format);
            let step = 1u64 << (bits - 6);
            let hashes = || (0..lines.slots as u64).map(|n| n % 8 * (step * 7) + n / 8);
            for (n, hash) in hashes().enumerate() {
                assert!(lines.add(hash, n % 2 == 0, || Ok(())).unwrap(), "{format:?} {hash}");
                assert!(!lines.add(hash, n % 2 == 1, || panic!("it is there")).unwrap(), "{format:?} {hash}");
                let (word, mark) = lines.find(hash);
                word.fetch_or(if n % 3 == 0 { mark } else { 0 }, Ordering::Relaxed);
            }
            let larger = OrderedLines::new(9, bits);
            assert!(lines.copy_to(&larger));
            for (n, hash) in hashes().enumerate() {
                let (word, mark) = larger.find(hash);
                assert_eq!(word.load(Ordering::Relaxed) & mark != 0, n % 3 == 0, "{format:?} {hash}");
            }
        }
    }

    #[test]
    fn numbers_of_few_bits_take_few_bytes() {
        assert!(check(38, (0..400_000).map(|n| n << 10)) < 8.0);
    }
}

/// Interleavings of workers that add numbers whose lanes are equal, while the format of the slots changes.
#[cfg(all(test, shuttle))]
mod schedules {
    use std::sync::Arc;

    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    fn add_all(barrier: &ResizeBarrier, table: &WordTable, hashes: &[u64]) -> usize {
        let (mut access, mut unreported) = (barrier.enter(), table.unreported());
        let mut added = 0;
        for &hash in hashes {
            loop {
                match table.add(WordHash(hash), &access, &mut unreported, || Ok(())) {
                    Ok(new) => {
                        added += usize::from(new);
                        break;
                    }
                    Err(_) => access.request_resize(),
                }
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
            table.visit(WordHash(hash), &access);
            if access.resize_is_requested() {
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
        }
        added
    }

    /// `bits` determines the first format, `shift` the parts of the slots in which the hashes differ.
    fn contend(bits: u32, shift: u32) {
        let shared = Arc::new((ResizeBarrier::new(), WordTable::new(bits, 3)));
        let first = format!("{:?}", shape(1, bits).1);
        assert_ne!(first, format!("{:?}", shape(4, bits).1), "the format changes");
        let hash = |k: u64| (k * 37) << shift & ((1 << bits) - 1) | 5;
        let work = [(0..12).collect::<Vec<u64>>(), (0..14).rev().collect(), vec![3, 3, 13, 0, 14]];
        let workers: Vec<_> = work
            .into_iter()
            .map(|numbers| {
                let shared = Arc::clone(&shared);
                let hashes: Vec<u64> = numbers.into_iter().map(hash).collect();
                shuttle::thread::spawn(move || add_all(&shared.0, &shared.1, &hashes))
            })
            .collect();
        let added: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        assert_eq!(added, 15, "each number is new once");
        let (barrier, table) = &*shared;
        let access = barrier.enter();
        assert!((0..15).all(|k| table.is_visited(WordHash(hash(k)), &access)), "no number is lost");
        assert!(format!("{:?}", table.segments.get(0, &access).format) != first, "the table has grown");
    }

    fn check(bits: u32, shift: u32) {
        shuttle::check_random(move || contend(bits, shift), 5_000);
        shuttle::check_pct(move || contend(bits, shift), 5_000, 3);
    }

    #[test]
    fn upper_parts_of_eight_bits() {
        check(38, 29);
    }

    #[test]
    fn upper_parts_of_sixteen_bits() {
        check(46, 37);
    }

    #[test]
    fn lanes_alone() {
        check(31, 22);
    }
}
