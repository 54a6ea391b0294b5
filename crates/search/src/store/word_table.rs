//! A compact hash set of numbers of a known number of bits, in the order of their hashes.
//!
//! Numbers have up to 64 or up to 128 bits. In a longer number, the first 64 bits are hashed together with the others, and
//! the others are stored in full: what follows is about the hash of the first 64.
//!
//! The hash of a number is a permutation of its bits' values, so it determines the number. A segment holds the numbers whose
//! hashes have the same first bits. It maps the rest of the hash, in order, to its lines: the line tells most of it, and a
//! slot holds only the last bits and the distance from the line where the number belongs (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984). Since the order is kept, a segment grows to any size in one pass over its lines.

mod growth;

use std::marker::PhantomData;

use super::hardware::{Lanes, LineLanes, SLOTS};
use super::located::{Home, Located, Places, SegmentPlace};
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{GrowingLines, Segments, UnreportedCounts};
use super::word_format::{Format, NO_SLOT, Slot, SlotBits, Undecided, with_known};
use super::word_hash::{Rest, Word, WordHash};
use super::{Full, Seen, StateId};
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

/// A line with so few slots is often full before the table grows: a fifth of those with 16 slots, if hashes are random. The next line is
/// not in the cache then.
const FEW_LANES: u32 = 16;

/// Lines up to which the size of a segment is doubled. Larger ones grow by half.
const SMALL: usize = 1 << 14;

/// A set of numbers, with a note of so many bits for each: none, 8 or 32.
#[derive(Debug)]
pub(super) struct WordTable<W, const NOTE: u32> {
    segments: Segments<OrderedLines<NOTE>>,
    /// The number of bits of a number, at least [`MIN_BITS`], and of those of a hash after the number of the segment.
    bits: u32,
    segment_bits: u32,
    numbers: PhantomData<fn(W)>,
}

/// The result of adding a number: whether it is new, whether it is visited, and its note. It is one number and so stays in a
/// register: a struct inside a `Result` is written and read in parts of different sizes, and the processor waits for that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Added(u64);

impl Added {
    /// A number that is new.
    pub const NEW: Added = Added(1);

    /// A number that was there before.
    #[inline(always)]
    pub fn known(visited: bool, note: u32) -> Added {
        Added(u64::from(visited) << 1 | u64::from(note) << 2)
    }

    #[inline(always)]
    pub fn is_new(self) -> bool {
        self.0 & 1 != 0
    }

    /// The result for the state with this id.
    #[inline(always)]
    pub fn seen(self, id: StateId) -> Seen {
        Seen { id, new: self.is_new(), visited: self.0 & 2 != 0, note: (self.0 >> 2) as u32 }
    }
}

/// What there is of a number in the line where it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look {
    Known(Added),
    /// It is new, and this slot is vacant.
    Vacant(u32),
    /// Nothing, but it may be in another line.
    Elsewhere,
}

/// The slot of a number.
struct Place<'a> {
    words: &'a [AtomicU64; SLOTS],
    slot: u32,
}

/// One segment.
#[derive(Debug)]
struct OrderedLines<const NOTE: u32> {
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
    /// Lines have so few slots that many are full and their numbers in the next one.
    overflows: bool,
    /// The number of slots of the lines where numbers belong.
    slots: usize,
}

/// Lines of the smallest segment.
fn fewest(bits: u32) -> usize {
    FEWEST[usize::from(bits > 64)]
}

impl<W: Word, const NOTE: u32> WordTable<W, NOTE> {
    /// A set of numbers of so many bits, at most as many as the type has.
    pub fn new(bits: u32, workers: usize) -> WordTable<W, NOTE> {
        let bits = bits.max(MIN_BITS);
        let segments = (SEGMENTS_PER_WORKER * workers).ilog2().clamp(SEGMENT_BITS[0], SEGMENT_BITS[1]);
        let segment_bits = bits.min(64) - segments;
        let segment =
            |_| OrderedLines::new(Shape::new(fewest(bits), segment_bits, bits.saturating_sub(64), NOTE), workers);
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
    fn segment<'a>(&'a self, hash: WordHash<W::Rest>, access: &'a SharedAccess<'_>) -> (usize, &'a OrderedLines<NOTE>) {
        // Without segments there are no bits before those of a segment, and one shift would be by too many.
        let segment = (hash.order >> 1 >> (self.segment_bits - 1)) as usize;
        (segment, self.segments.get(segment, access))
    }

    /// The place where a number belongs.
    #[inline(always)]
    pub fn home(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) -> Home {
        let (segment, content) = self.segment(hash, access);
        Home::new(segment, content.shape.home(hash.order))
    }

    /// Sets where numbers belong in each segment.
    pub fn set_places(&self, places: &mut Places, access: &SharedAccess<'_>) {
        let segment = |content: &'_ OrderedLines<NOTE>| {
            let Shape { homes, low, distance_bits, overflows, .. } = content.shape;
            SegmentPlace { address: content.lines.as_ptr().addr(), homes, low, distance_bits, overflows }
        };
        places.set([self.bits.min(64), self.segment_bits], self.segments.all(access).map(segment));
    }

    /// Adds a number to the place where it belongs. `may` is called before a new number is added.
    #[inline(always)]
    pub fn add<L: LineLanes>(
        &self,
        hash: WordHash<W::Rest>,
        home: Home,
        access: &SharedAccess<'_>,
        unreported: &mut UnreportedCounts,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<Added, Refusal> {
        let (segment, line) = (home.segment(), home.line());
        let content = self.segments.get(segment, access);
        debug_assert_eq!(home, self.home(hash, access), "the table has not grown since");
        let added = content.add::<L>(hash.whole(), line, self.segments.is_private(), may)?;
        if added.is_new() {
            self.segments.count(segment, access, unreported);
        }
        Ok(added)
    }

    /// The number of the format of the slots at a place.
    #[inline(always)]
    pub fn format_at(&self, home: Home, access: &SharedAccess<'_>) -> u8 {
        self.segments.get(home.segment(), access).shape.format.number()
    }

    /// Looks a number up in the line where it belongs, if the slots there have this format. Most numbers are found or added
    /// here, and this is little code.
    #[inline(always)]
    pub fn look<L: LineLanes, const FORMAT: usize>(&self, located: &Located<W>, access: &SharedAccess<'_>) -> Look {
        let home = located.home;
        let content = self.segments.get(home.segment(), access);
        let format = const { Format::ALL[FORMAT].with_note(NOTE) };
        if content.shape.format.number() != FORMAT as u8 {
            return Look::Elsewhere;
        }
        let words = &content.lines[home.line()].0;
        let lanes = L::new(words);
        match format.search(&lanes, words, format.slot(content.shape.bits_of(located))) {
            Ok(slot) => Look::Known(Added::known(lanes.marked(format.lane) >> slot & 1 != 0, format.note(words, slot))),
            Err(Some(vacant)) => Look::Vacant(vacant),
            Err(None) => Look::Elsewhere,
        }
    }

    /// Looks a number up in the line where it belongs, if the slots there have this format, without a branch that depends on the result.
    /// Returns whether it may be new, and the vacant slot to put it into, or [`NO_SLOT`] if it has to be looked for.
    #[inline(always)]
    pub fn glance<L: LineLanes, const FORMAT: usize>(
        &self,
        located: &Located<W>,
        access: &SharedAccess<'_>,
    ) -> (bool, u8) {
        let home = located.home;
        let content = self.segments.get(home.segment(), access);
        let format = const { Format::ALL[FORMAT].with_note(NOTE) };
        if content.shape.format.number() != FORMAT as u8 {
            return (true, NO_SLOT);
        }
        let words = &content.lines[home.line()].0;
        format.glance(&L::new(words), words, content.shape.bits_of(located))
    }

    /// Adds a number to a vacant slot of the line where it belongs. Returns false if another worker has changed that slot or its
    /// neighbours in the meantime.
    #[inline(always)]
    pub fn fill<const FORMAT: usize>(
        &self,
        (located, vacant): (&Located<W>, u32),
        access: &SharedAccess<'_>,
        unreported: &mut UnreportedCounts,
    ) -> bool {
        let home = located.home;
        let content = self.segments.get(home.segment(), access);
        let format = const { Format::ALL[FORMAT].with_note(NOTE) };
        let value = format.slot(content.shape.bits_of(located));
        let words = &content.lines[home.line()].0;
        if self.segments.is_private() {
            format.fill(words, vacant, value);
        } else if !format.claim(words, vacant, value) {
            return false;
        }
        self.segments.count(home.segment(), access, unreported);
        true
    }

    /// Looks a number up in the line where it belongs and in those behind it while lines are full, if the slots there have this format,
    /// and adds it if it is new. Returns whether it was added, which is not counted yet. Nothing if that takes more than one
    /// comparison for a line. Only one worker may use the table.
    ///
    /// Whether a number is known can't be predicted, so no branch depends on it: where it is known, something is written to
    /// `elsewhere`.
    #[inline(always)]
    pub fn look_or_fill<L: LineLanes, const FORMAT: usize>(
        &self,
        located: &Located<W>,
        access: &SharedAccess<'_>,
        elsewhere: &AtomicU64,
    ) -> Option<bool> {
        let home = located.home;
        let content = self.segments.get(home.segment(), access);
        let format = const { Format::ALL[FORMAT].with_note(NOTE) };
        if content.shape.format.number() != FORMAT as u8 {
            return None;
        }
        let (mut line, mut bits) = (home.line(), content.shape.bits_of(located));
        loop {
            let words = &content.lines[line].0;
            match format.look_or_fill(&L::new(words), words, bits, elsewhere) {
                Ok(is_new) => return Some(is_new),
                Err(Undecided::Unclear) => return None,
                Err(Undecided::Full) => line += 1,
            }
            if line == home.line() + content.shape.distances() {
                return None;
            }
            // The distance is in the last bits.
            bits.first += 1;
        }
    }

    /// Counts a number that was added to the line where it belongs or behind it.
    #[inline(always)]
    pub fn count(&self, located: &Located<W>, access: &SharedAccess<'_>, unreported: &mut UnreportedCounts) {
        self.segments.count(located.home.segment(), access, unreported);
    }

    /// Whether only one worker uses the table.
    #[inline(always)]
    pub fn is_private(&self) -> bool {
        self.segments.is_private()
    }

    #[inline]
    pub fn is_visited(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) -> bool {
        let (_, content) = self.segment(hash, access);
        content.is_visited(hash.whole())
    }

    /// Marks a number as visited. Returns whether it was not before.
    #[inline]
    pub fn visit(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) -> bool {
        let (_, content) = self.segment(hash, access);
        content.visit(hash.whole(), self.segments.is_private())
    }

    /// The note of a number.
    #[inline]
    pub fn note(&self, hash: WordHash<W::Rest>, access: &SharedAccess<'_>) -> u32 {
        let (_, content) = self.segment(hash, access);
        with_known!(content.shape.format, NOTE, format => {
            let Place { words, slot } = content.find(format, hash.whole());
            format.note(words, slot)
        })
    }

    /// Replaces the note of a number. Only one worker may use the table.
    #[inline]
    pub fn set_note(&self, hash: WordHash<W::Rest>, note: u32, access: &SharedAccess<'_>) {
        assert!(self.segments.is_private(), "notes of several workers are added to");
        let (_, content) = self.segment(hash, access);
        with_known!(content.shape.format, NOTE, format => {
            let Place { words, slot } = content.find(format, hash.whole());
            format.set_note(words, slot, note);
        });
    }

    /// Adds bits to the note of a number, and returns the note before.
    #[inline]
    pub fn add_to_note(&self, hash: WordHash<W::Rest>, bits: u32, access: &SharedAccess<'_>) -> u32 {
        let (_, content) = self.segment(hash, access);
        with_known!(content.shape.format, NOTE, format => {
            let Place { words, slot } = content.find(format, hash.whole());
            format.add_to_note(words, slot, bits)
        })
    }

    /// Replaces the note of a number if it is zero. Returns the note before.
    #[inline]
    pub fn set_first_note(&self, hash: WordHash<W::Rest>, note: u32, access: &SharedAccess<'_>) -> u32 {
        let (_, content) = self.segment(hash, access);
        with_known!(content.shape.format, NOTE, format => {
            let Place { words, slot } = content.find(format, hash.whole());
            format.set_first_note(words, slot, note, self.segments.is_private())
        })
    }

    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.segments.plan(exclusive, reserve)
    }

    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.segments.grow(exclusive, release);
    }
}

impl Shape {
    /// The shape for hashes of so many bits, and numbers of `rest_bits` more, in so many lines, with notes of `note` bits.
    fn new(homes: usize, bits: u32, rest_bits: u32, note: u32) -> Shape {
        // The hashes that belong to one line are so many consecutive numbers at most.
        let most = (1u128 << bits).div_ceil(homes as u128);
        let low = 128 - (most - 1).leading_zeros();
        let fits = |format: &Format| low + FEWEST_DISTANCE_BITS + rest_bits <= format.capacity();
        let format = Format::ALL.into_iter().find(fits).expect("numbers fit into words").with_note(note);
        let distance_bits = (format.capacity() - low - rest_bits).min(MOST_DISTANCE_BITS);
        let (low, width) = ((1 << low) - 1, low + distance_bits);
        let slots = homes * format.lanes() as usize;
        let overflows = format.lanes() <= FEW_LANES;
        Shape { homes, shift: 64 - bits, low, distance_bits, width, rest_bits, format, overflows, slots }
    }

    /// The same kind of numbers in so many lines.
    fn with_homes(self, homes: usize) -> Shape {
        Shape::new(homes, 64 - self.shift, self.rest_bits, self.format.note)
    }

    fn lines(self) -> usize {
        self.homes + self.distances() - 1
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

    /// What a slot at the place of a number has to hold.
    #[inline(always)]
    fn bits_of<W: Word>(&self, located: &Located<W>) -> SlotBits {
        let Rest(second) = located.number.rest().into();
        SlotBits { first: located.first, width: self.width, second }
    }

    /// The bits of a slot that holds a hash at this distance.
    #[inline(always)]
    fn bits(&self, hash: WordHash<Rest>, distance: usize) -> SlotBits {
        let first = (hash.order & self.low) << self.distance_bits | (distance as u64 + 1);
        SlotBits { first, width: self.width, second: hash.rest.0 }
    }
}

impl<const NOTE: u32> OrderedLines<NOTE> {
    fn new(shape: Shape, workers: usize) -> OrderedLines<NOTE> {
        OrderedLines { lines: GrowingLines::new(shape.lines(), workers), shape, blocked: AtomicBool::new(false) }
    }

    /// The slot that holds a hash of this segment, in slots of this format.
    #[inline(always)]
    fn find(&self, format: Format, hash: WordHash<Rest>) -> Place<'_> {
        let home = self.shape.home(hash.order);
        for distance in 0..self.shape.distances() {
            let words = &self.lines[home + distance].0;
            match format.search(&Lanes::new(words), words, format.slot(self.shape.bits(hash, distance))) {
                Ok(slot) => return Place { words, slot },
                Err(None) => {}
                Err(Some(_)) => break,
            }
        }
        panic!("the number is in the set")
    }

    #[inline(always)]
    fn is_visited(&self, hash: WordHash<Rest>) -> bool {
        with_known!(self.shape.format, NOTE, format => {
            let Place { words, slot } = self.find(format, hash);
            format.is_visited(words, slot)
        })
    }

    #[inline(always)]
    fn visit(&self, hash: WordHash<Rest>, private: bool) -> bool {
        with_known!(self.shape.format, NOTE, format => {
            let Place { words, slot } = self.find(format, hash);
            let (word, shift) = format.lane.place(slot);
            let (word, mark): (&AtomicU64, u64) = (&words[word], format.lane.top() << shift);
            let before = word.load(Ordering::Relaxed);
            if before & mark != 0 {
                return false;
            }
            if private {
                word.store(before | mark, Ordering::Relaxed);
                return true;
            }
            word.fetch_or(mark, Ordering::Relaxed) & mark == 0
        })
    }

    /// Adds a number. It is not new if another worker has added it first.
    #[inline(always)]
    fn add<L: LineLanes>(
        &self,
        hash: WordHash<Rest>,
        home: usize,
        private: bool,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<Added, Refusal> {
        with_known!(self.shape.format, NOTE, format => self.add_as::<L>(format, hash, home, private, may))
    }

    /// Adds a number to slots of this format.
    #[inline(always)]
    fn add_as<L: LineLanes>(
        &self,
        format: Format,
        hash: WordHash<Rest>,
        home: usize,
        private: bool,
        mut may: impl FnMut() -> Result<(), Full>,
    ) -> Result<Added, Refusal> {
        let mut distance = 0;
        loop {
            let words = &self.lines[home + distance].0;
            let value = format.slot(self.shape.bits(hash, distance));
            match format.search(&L::new(words), words, value) {
                Ok(slot) => {
                    let visited = format.is_visited(words, slot);
                    return Ok(Added::known(visited, format.note(words, slot)));
                }
                Err(None) if distance + 1 == self.shape.distances() => {
                    self.blocked.store(true, Ordering::Relaxed);
                    return Err(Refusal::SegmentFull);
                }
                Err(None) => distance += 1,
                Err(Some(vacant)) => {
                    may()?;
                    if private {
                        format.fill(words, vacant, value);
                        return Ok(Added::NEW);
                    }
                    if format.claim(words, vacant, value) {
                        return Ok(Added::NEW);
                    }
                }
            }
        }
    }
}

#[cfg(all(test, shuttle))]
mod schedules;
#[cfg(all(test, not(shuttle)))]
mod tests;
