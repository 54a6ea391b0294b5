//! A compact hash set of numbers of a known number of bits, in the order of their hashes.
//!
//! Numbers have up to 64 or up to 128 bits. In a longer number, the first 64 bits are hashed together with the others, and
//! the others are stored in full: what follows is about the hash of the first 64.
//!
//! The hash of a number is a permutation of its bits' values, so it determines the number. A segment holds the numbers whose
//! hashes have the same first bits. It maps the rest of the hash, in order, to its lines: the line tells most of it, and a
//! slot holds only the last bits and the distance from the line where the number belongs (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984). Since the order is kept, a segment grows to any size in one pass over its lines.

use std::marker::PhantomData;

use super::Full;
use super::hardware::{Width, prefetch_at};
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{GrowingLines, SegmentContent, Segments, UnreportedCounts};
use super::word_format::{Format, Slot, SlotBits, with_known};
use super::word_hash::{LeastHashes, Rest, Word, WordHash};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Segments for each worker: with few segments, they are soon large enough for huge pages.
const SEGMENTS_PER_WORKER: usize = 4;
/// The least and the most bits of a hash that tell the segment.
const SEGMENT_BITS: [u32; 2] = if cfg!(shuttle) { [0, 0] } else { [2, 6] };
/// The least number of bits of a hash.
const MIN_BITS: u32 = 16;
/// The fewest and the most bits of a slot that tell the distance of a number from the line where it belongs. They are not zero
/// in a slot that is used.
const FEWEST_DISTANCE_BITS: u32 = if cfg!(shuttle) { 2 } else { 3 };
const MOST_DISTANCE_BITS: u32 = if cfg!(shuttle) { 2 } else { 5 };
/// Lines of the smallest segment, for short numbers and for those of more than 64 bits.
const FEWEST: [usize; 2] = if cfg!(shuttle) { [1, 16] } else { [4, 16] };

/// Lines up to which the size of a segment is doubled. Larger ones grow by half.
const SMALL: usize = 1024;

/// A set of numbers.
#[derive(Debug)]
pub(super) struct WordTable<W> {
    segments: Segments<OrderedLines>,
    /// The number of bits of a number, at least [`MIN_BITS`], and of those of a hash after the number of the segment.
    bits: u32,
    segment_bits: u32,
    numbers: PhantomData<fn(W)>,
}

/// A hash, and whether its number is visited.
#[derive(Clone, Copy)]
struct MarkedHash {
    hash: WordHash<Rest>,
    visited: bool,
}

/// One segment.
#[derive(Debug)]
struct OrderedLines {
    lines: GrowingLines,
    shape: Shape,
    blocked: AtomicBool,
}

/// The size of a segment, and what its slots hold.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The number of lines where numbers belong. Behind them are as many as a number can be distant.
    homes: usize,
    /// The number of bits of a word before the bits of a hash in this segment.
    shift: u32,
    /// The last bits of a hash, which slots hold.
    low: u64,
    /// The number of bits that tell a distance. A number is put into the first line with a vacant slot: segments would have to
    /// grow early if only few full lines in a row were permitted.
    distance_bits: u32,
    /// The number of bits in a slot that tell a hash and a distance, and the number of those that are stored in full.
    width: u32,
    rest_bits: u32,
    format: Format,
}

/// Lines of the smallest segment.
fn fewest(bits: u32) -> usize {
    FEWEST[usize::from(bits > 64)]
}

impl<W: Word> WordTable<W> {
    /// A set of numbers of so many bits, at most as many as the type has.
    pub fn new(bits: u32, workers: usize) -> WordTable<W> {
        let bits = bits.max(MIN_BITS);
        let segments = (SEGMENTS_PER_WORKER * workers).ilog2().clamp(SEGMENT_BITS[0], SEGMENT_BITS[1]);
        let segment_bits = bits.min(64) - segments;
        let segment = |_| OrderedLines::new(Shape::new(fewest(bits), segment_bits, bits.saturating_sub(64)));
        WordTable { segments: Segments::new(1 << segments, workers, segment), bits, segment_bits, numbers: PhantomData }
    }

    pub fn unreported(&self) -> UnreportedCounts {
        self.segments.unreported()
    }

    pub fn bytes(&self) -> u64 {
        self.segments.bytes()
    }

    #[inline(always)]
    pub fn hash(&self, number: W) -> WordHash<W::Rest> {
        number.hash(self.bits)
    }

    #[inline(always)]
    fn segment<'a>(&'a self, hash: WordHash<W::Rest>, access: &'a SharedAccess<'_>) -> (usize, &'a OrderedLines) {
        // Without segments there are no bits before those of a segment, and one shift would be by too many.
        let segment = (hash.order >> 1 >> (self.segment_bits - 1)) as usize;
        (segment, self.segments.get(segment, access))
    }

    #[inline(always)]
    pub fn prefetch(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) {
        let (_, content) = self.segment(hash, access);
        prefetch_at(content.lines.as_ptr().wrapping_add(content.shape.home(hash.order)).cast());
    }

    /// Adds a number and returns whether it is new. `may` is called before a new number is added.
    #[inline(always)]
    pub fn add(
        &self,
        hash: WordHash<W::Rest>,
        access: &SharedAccess<'_>,
        unreported: &mut UnreportedCounts,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let (segment, content) = self.segment(hash, access);
        let new = content.add(hash.whole(), self.segments.is_private(), may)?;
        if new {
            self.segments.count(segment, access, unreported);
        }
        Ok(new)
    }

    pub fn is_visited(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) -> bool {
        let (_, content) = self.segment(hash, access);
        let (word, mark) = content.find(hash.whole());
        word.load(Ordering::Relaxed) & mark != 0
    }

    pub fn visit(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) {
        let (_, content) = self.segment(hash, access);
        let (word, mark) = content.find(hash.whole());
        word.fetch_or(mark, Ordering::Relaxed);
    }

    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.segments.plan(exclusive, reserve)
    }

    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.segments.grow(exclusive, release);
    }
}

impl Shape {
    /// The shape for hashes of so many bits, and numbers of `rest_bits` more, in so many lines.
    fn new(homes: usize, bits: u32, rest_bits: u32) -> Shape {
        // The hashes that belong to one line are so many consecutive numbers at most.
        let most = (1u128 << bits).div_ceil(homes as u128);
        let low = 128 - (most - 1).leading_zeros();
        let fits = |format: &Format| low + FEWEST_DISTANCE_BITS + rest_bits <= format.capacity();
        let format = Format::ALL.into_iter().find(fits).expect("numbers fit into words");
        let distance_bits = (format.capacity() - low - rest_bits).min(MOST_DISTANCE_BITS);
        let (low, width) = ((1 << low) - 1, low + distance_bits);
        Shape { homes, shift: 64 - bits, low, distance_bits, width, rest_bits, format }
    }

    /// The same kind of numbers in so many lines.
    fn with_homes(self, homes: usize) -> Shape {
        Shape::new(homes, 64 - self.shift, self.rest_bits)
    }

    fn lines(self) -> usize {
        self.homes + self.distances() - 1
    }

    #[inline]
    fn slots(self) -> usize {
        self.homes * self.format.lanes() as usize
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
    fn bits(&self, hash: WordHash<Rest>, distance: usize) -> SlotBits {
        let first = (hash.order & self.low) << self.distance_bits | (distance as u64 + 1);
        SlotBits { first, width: self.width, second: hash.rest.0 }
    }

    /// Removes the hashes of a line. `leasts` has the least hashes that belong to this line and to those before it.
    #[inline(always)]
    fn take(&self, format: Format, number: usize, line: &Line, leasts: &Leasts, hashes: &mut Vec<MarkedHash>) {
        let Line(words) = line;
        hashes.clear();
        for slot in 0..format.lanes() {
            let (word, shift) = format.lane.place(slot);
            let (lane, top) = (words[word].load(Ordering::Relaxed) >> shift & format.lane.mask(), format.lane.top());
            if lane == 0 {
                break;
            }
            let upper = format.upper(words, slot);
            let bits = format.bits(Slot { lane: lane & (top - 1), upper }, self.width);
            let distance = (bits.first as usize & self.distances()) - 1;
            let least = leasts[number.wrapping_sub(distance) % leasts.len()];
            let order = least + ((bits.first >> self.distance_bits).wrapping_sub(least) & self.low);
            hashes.push(MarkedHash { hash: WordHash { order, rest: Rest(bits.second) }, visited: lane & top != 0 });
        }
        words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Adds a number that is not in these lines, without concurrency. `filled` counts the slots in use of each line. Returns
    /// whether there was room.
    #[inline(always)]
    fn place(&self, format: Format, marked: MarkedHash, lines: &[Line], filled: &mut [u8]) -> bool {
        let MarkedHash { hash, visited } = marked;
        let home = self.home(hash.order);
        let mut line = home;
        while u32::from(filled[line]) == format.lanes() {
            line += 1;
            if line == home + self.distances() {
                return false;
            }
        }
        let mut value = format.slot(self.bits(hash, line - home));
        value.lane |= if visited { format.lane.top() } else { 0 };
        format.fill(&lines[line].0, u32::from(filled[line]), value);
        filled[line] += 1;
        true
    }
}

impl OrderedLines {
    fn new(shape: Shape) -> OrderedLines {
        OrderedLines { lines: GrowingLines::new(shape.lines()), shape, blocked: AtomicBool::new(false) }
    }

    /// The word of the lane that holds a hash of this segment, and the visited mark in it.
    fn find(&self, hash: WordHash<Rest>) -> (&AtomicU64, u64) {
        let (shape, format) = (&self.shape, self.shape.format);
        let home = shape.home(hash.order);
        for distance in 0..shape.distances() {
            let words = &self.lines[home + distance].0;
            match format.search(words, format.slot(shape.bits(hash, distance))) {
                Ok(slot) => {
                    let (word, shift) = format.lane.place(slot);
                    return (&words[word], format.lane.top() << shift);
                }
                Err(None) => {}
                Err(Some(_)) => break,
            }
        }
        panic!("the number is in the set")
    }

    /// Adds a number and returns whether it is new. It is not new if another worker has added it first.
    #[inline(always)]
    fn add(&self, hash: WordHash<Rest>, private: bool, may: impl FnMut() -> Result<(), Full>) -> Result<bool, Refusal> {
        with_known!(self.shape.format, format => self.add_as(format, hash, private, may))
    }

    /// Adds a number to slots of this format.
    #[inline(always)]
    fn add_as(
        &self,
        format: Format,
        hash: WordHash<Rest>,
        private: bool,
        mut may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let (home, mut distance) = (self.shape.home(hash.order), 0);
        loop {
            let words = &self.lines[home + distance].0;
            let value = format.slot(self.shape.bits(hash, distance));
            match format.search(words, value) {
                Ok(_) => return Ok(false),
                Err(None) if distance + 1 == self.shape.distances() => {
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

    /// Moves all numbers to their places in a larger shape, and adds `more`. Returns the numbers for which there was no room.
    ///
    /// Lines are emptied from the last to the first. A number moves to the line where it belongs now or to a later one, and
    /// these contain only numbers that have moved. The few that belong before the line they were in are placed at the end.
    fn rehash(&mut self, new: Shape, more: Vec<MarkedHash>) -> Vec<MarkedHash> {
        let (old, used) = (std::mem::replace(&mut self.shape, new), self.lines.len());
        self.lines.extend(new.lines().max(used));
        let (lines, mut filled) = (&*self.lines, vec![0; self.lines.len()]);
        let (mut later, mut hashes) = (more, Vec::with_capacity(32));
        let (mut leasts, mut least) =
            (Leasts::default(), (0..old.homes).rev().zip(LeastHashes::new(old.homes, 64 - old.shift)).peekable());
        for (number, line) in lines[..used].iter().enumerate().rev() {
            while let Some((home, hash)) = least.next_if(|(home, _)| home + leasts.len() > number) {
                leasts[home % leasts.len()] = hash;
            }
            with_known!(old.format, format => old.take(format, number, line, &leasts, &mut hashes));
            with_known!(new.format, format => for &marked in &hashes {
                if new.home(marked.hash.order) < number || !new.place(format, marked, lines, &mut filled) {
                    later.push(marked);
                }
            });
        }
        later.retain(|&marked| !new.place(new.format, marked, lines, &mut filled));
        later
    }

    /// The number of homes after the next growth. Segments grow for the first time to different sizes, so that they do not
    /// all grow at the same time later.
    fn next_homes(&self, part: f64) -> usize {
        let homes = self.shape.homes;
        if FEWEST.contains(&homes) {
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
        self.shape.slots() * 13 / 16
    }

    #[inline]
    fn slots(&self) -> usize {
        self.shape.slots()
    }

    fn must_grow(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    fn more_bytes(&self, part: f64) -> u64 {
        let lines = self.shape.with_homes(self.next_homes(part)).lines();
        // Twice as many are needed where a growth finds no room for some numbers.
        if lines > self.lines.room() / 2 {
            u64::MAX
        } else {
            (lines.saturating_sub(self.lines.len()) * size_of::<Line>()) as u64
        }
    }

    fn grow(&mut self, part: f64) {
        *self.blocked.get_mut() = false;
        let mut left = self.rehash(self.shape.with_homes(self.next_homes(part)), Vec::new());
        while !left.is_empty() {
            let homes = self.shape.homes;
            left = self.rehash(self.shape.with_homes(homes + homes / 8 + 1), left);
        }
    }
}

/// The least hashes of a line and of those before it, by the number of the line.
type Leasts = [u64; 1 << MOST_DISTANCE_BITS];

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::collections::HashSet;

    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    /// Adds numbers and compares with a set; returns the bytes per number.
    fn check<W: Word + Into<u128> + Eq + std::hash::Hash>(bits: u32, numbers: impl Iterator<Item = W>) -> f64 {
        let (barrier, table) = (ResizeBarrier::new(), WordTable::<W>::new(bits, 1));
        let third = |number: W| number.into() % 3 == 0;
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
            assert_eq!(new, all.insert(number), "{}", number.into());
            if new && third(number) {
                assert!(!table.is_visited(hash, &access));
                table.visit(hash, &access);
            }
            if access.resize_is_requested() {
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
        }
        for &number in &all {
            let hash = table.hash(number);
            assert_eq!(table.is_visited(hash, &access), third(number), "{}", number.into());
            assert!(matches!(table.add(hash, &access, &mut unreported, || Ok(())), Ok(false)), "{}", number.into());
        }
        table.bytes() as f64 / all.len() as f64
    }

    #[test]
    fn holds_exactly_the_numbers_that_were_added() {
        check(1, [0, 1, 1, 0u64].into_iter());
        check(16, (0..1 << 16).chain(0..1u64 << 16));
        check(20, (0..300_000).map(|n: u64| n * 7 % (1 << 20)));
        check(38, (0..200_000).map(|n: u64| n.wrapping_mul(n) % (1 << 38)));
        check(63, (0..100_000).map(|n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 1));
        check(63, (0..50_000).map(|n: u64| (1 << 63) - 1 - (n << 40)));
        for bits in 17..=64 {
            check(bits, (0..20_000).map(|n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - bits)));
        }
    }

    #[test]
    fn holds_exactly_the_numbers_of_more_than_one_word() {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15_2545_f491_4f6c_dd1d;
        for bits in (65..=127).step_by(3).chain([127]) {
            check(bits, (0..20_000).map(|n: u128| n.wrapping_mul(ODD) >> (128 - bits)));
        }
        // Numbers that differ in the first word only, in the second word only, or in some bits of both.
        check(127, (0..100_000).map(|n: u128| n << 5));
        check(127, (0..100_000).map(|n: u128| n << 64));
        check(127, (0..100_000).map(|n: u128| (n % 300) << 100 | (n / 300) << 20));
        check(127, (0..100_000).map(|n: u128| (1 << 127) - 1 - (n << 60)));
    }

    /// Numbers whose slots differ only in the upper part, only in the lane, or in both.
    #[test]
    fn every_format_holds_every_number() {
        for format in Format::ALL {
            let bits = (format.capacity() - FEWEST_DISTANCE_BITS + 2).min(60);
            let rest_bits = (format.capacity() - FEWEST_DISTANCE_BITS + 2).saturating_sub(60);
            let mut lines = OrderedLines::new(Shape::new(4, bits, rest_bits));
            assert_eq!(lines.shape.format, format);
            let slots = lines.shape.slots();
            let step = 1u64 << (bits - 6);
            let rest = |n: u64| {
                Rest(if rest_bits < 4 { n % (1 << rest_bits) } else { ((n % 5) << (rest_bits - 3)) | (n % 2) })
            };
            let hash = |n: u64| WordHash { order: n % 8 * (step * 7) + n / 8, rest: rest(n) };
            let hashes = || (0..slots as u64).map(hash);
            for (n, hash) in hashes().enumerate() {
                assert!(lines.add(hash, n % 2 == 0, || Ok(())).unwrap(), "{format:?} {hash:?}");
                assert!(!lines.add(hash, n % 2 == 1, || panic!("it is there")).unwrap(), "{format:?} {hash:?}");
                let (word, mark) = lines.find(hash);
                word.fetch_or(if n % 3 == 0 { mark } else { 0 }, Ordering::Relaxed);
            }
            assert!(lines.rehash(lines.shape.with_homes(9), Vec::new()).is_empty());
            for (n, hash) in hashes().enumerate() {
                let (word, mark) = lines.find(hash);
                assert_eq!(word.load(Ordering::Relaxed) & mark != 0, n % 3 == 0, "{format:?} {hash:?}");
            }
        }
    }

    #[test]
    fn numbers_of_few_bits_take_few_bytes() {
        assert!(check(38, (0..400_000).map(|n: u64| n << 10)) < 8.0);
    }
}

/// Interleavings of workers that add numbers whose lanes are equal, while the format of the slots changes.
#[cfg(all(test, shuttle))]
mod schedules {
    use std::sync::Arc;

    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    fn add_all<W: Word>(barrier: &ResizeBarrier, table: &WordTable<W>, hashes: &[WordHash<W::Rest>]) -> usize {
        let (mut access, mut unreported) = (barrier.enter(), table.unreported());
        let mut added = 0;
        for &hash in hashes {
            loop {
                match table.add(hash, &access, &mut unreported, || Ok(())) {
                    Ok(new) => {
                        added += usize::from(new);
                        break;
                    }
                    Err(_) => access.request_resize(),
                }
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
            table.visit(hash, &access);
            if access.resize_is_requested() {
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
        }
        added
    }

    /// Workers that add these numbers to an empty table. Returns how many were new, and the table.
    fn run<W: Word + 'static>(
        bits: u32,
        work: [Vec<u64>; 3],
        hash: impl Fn(u64) -> WordHash<W::Rest>,
    ) -> (usize, Arc<(ResizeBarrier, WordTable<W>)>) {
        let shared = Arc::new((ResizeBarrier::new(), WordTable::<W>::new(bits, 3)));
        let workers = work.map(|numbers| {
            let shared = Arc::clone(&shared);
            let hashes: Vec<_> = numbers.into_iter().map(&hash).collect();
            shuttle::thread::spawn(move || add_all(&shared.0, &shared.1, &hashes))
        });
        (workers.into_iter().map(|worker| worker.join().unwrap()).sum(), shared)
    }

    /// `bits` determines the first format, `shift` the parts of the slots in which the hashes differ.
    fn contend(bits: u32, shift: u32) {
        let first = format!("{:?}", Shape::new(1, bits, 0).format);
        assert_ne!(first, format!("{:?}", Shape::new(4, bits, 0).format), "the format changes");
        let hash = |k: u64| WordHash {
            order: (k * 37) << shift & ((1 << bits) - 1) | 5,
            rest: super::super::word_hash::NoRest,
        };
        let work = [(0..12).collect::<Vec<u64>>(), (0..14).rev().collect(), vec![3, 3, 13, 0, 14]];
        let (added, shared) = run::<u64>(bits, work, hash);
        assert_eq!(added, 15, "each number is new once");
        let (barrier, table) = &*shared;
        let access = barrier.enter();
        assert!((0..15).all(|k| table.is_visited(hash(k), &access)), "no number is lost");
        assert!(format!("{:?}", table.segments.get(0, &access).shape.format) != first, "the table has grown");
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

    /// Numbers whose lanes are equal and whose upper parts, of 64 bits, differ.
    fn contend_long() {
        let hash = |k: u64| WordHash { order: 5, rest: Rest(k << 60 | 1) };
        let work = [vec![0, 1, 2], vec![2, 1, 0], vec![1, 3]];
        let (added, _) = run::<u128>(127, work, hash);
        assert_eq!(added, 4, "each number is new once");
    }

    #[test]
    fn numbers_of_two_words() {
        shuttle::check_random(contend_long, 5_000);
        shuttle::check_pct(contend_long, 5_000, 3);
    }
}
