//! A compact hash set of numbers, which stores quotients instead of keys (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984; here with lines of slots instead of probing).
//!
//! A segment with L lines keeps the number q in the line `q mod L`, rotated by a hash of `q div L`, and stores only
//! `q div L` there: two bytes, or four or eight where numbers are large and few. Line and slot together determine the
//! number, so a segment can be rehashed without other data. A number whose line is full is stored in full in a small
//! overflow table. The top bit of a slot is the visited mark of its number. If numbers have notes, these are in an array beside
//! the slots and the overflow table.

use super::Full;
use super::hardware::{Width, prefetch, scan_lanes};
use super::pool::mix;
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{SegmentContent, Segments, UnreportedCounts};
use super::word_table::Added;
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};

const SEGMENT_BITS: u32 = if cfg!(shuttle) { 0 } else { 6 };
/// Lines of the smallest segment after its first growth.
const SPREAD: usize = if cfg!(shuttle) { 2 } else { 24 };
/// The visited mark of an entry of the overflow table.
const VISITED: u64 = 1 << 63;

/// A set of numbers. The segment index supplies some bits of a number; a single segment holds numbers below 2^62.
#[derive(Debug)]
pub(super) struct QuotientSet(Segments<Quotients>);

/// One segment.
#[derive(Debug)]
struct Quotients {
    lines: Box<[Line]>,
    /// 2^64 divided by the number of lines, for a division by multiplication.
    inverse: u64,
    width: Width,
    /// The overflow table: numbers whose line is full, plus one.
    overflow: Box<[AtomicU64]>,
    /// The notes of the slots, and those of the overflow table. Empty if numbers have none.
    notes: Box<[AtomicU32]>,
    blocked: AtomicBool,
    /// The largest number that was added or refused.
    largest: AtomicU64,
}

/// The location of a number, and the position of its note.
struct Location<'a> {
    cell: Cell<'a>,
    note: usize,
}

/// What holds a number.
enum Cell<'a> {
    Lane { word: &'a AtomicU64, shift: u32 },
    Overflow(&'a AtomicU64),
}

impl QuotientSet {
    /// A set of numbers, with or without notes.
    pub fn new(workers: usize, notes: bool) -> QuotientSet {
        QuotientSet(Segments::new(1 << SEGMENT_BITS, workers, |_| Quotients::new(1, Width::W16, notes)))
    }

    pub fn unreported(&self) -> UnreportedCounts {
        self.0.unreported()
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    #[inline]
    pub fn prefetch(&self, number: u64, access: &SharedAccess<'_>) {
        let (segment, q) = split(number);
        let content = self.0.get(segment, access);
        prefetch(&content.lines[content.place(q).0]);
    }

    /// Adds a number. `may` is called before a new number is added.
    #[inline]
    pub fn add(
        &self,
        number: u64,
        access: &SharedAccess<'_>,
        unreported: &mut UnreportedCounts,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<Added, Refusal> {
        let (segment, q) = split(number);
        let content = self.0.get(segment, access);
        let added = content.add(q, self.0.is_private(), may)?;
        if added.is_new() {
            self.0.count(segment, access, unreported);
        }
        Ok(added)
    }

    pub fn is_visited(&self, number: u64, access: &SharedAccess<'_>) -> bool {
        let (segment, q) = split(number);
        let content = self.0.get(segment, access);
        content.is_visited(&content.find(q).expect("the number is in the set").cell)
    }

    /// The note of a number. A note belongs to its number until the set grows.
    pub fn note<'a>(&'a self, number: u64, access: &'a SharedAccess<'_>) -> &'a AtomicU32 {
        let (segment, q) = split(number);
        let content = self.0.get(segment, access);
        &content.notes[content.find(q).expect("the number is in the set").note]
    }

    /// Marks a number as visited. Returns whether it was not before.
    pub fn visit(&self, number: u64, access: &SharedAccess<'_>) -> bool {
        let (segment, q) = split(number);
        self.0.get(segment, access).mark(q)
    }

    /// Calls `each` with all numbers until it fails.
    pub fn each<E>(&self, access: &SharedAccess<'_>, mut each: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
        let mut done = Ok(());
        for segment in 0..1 << SEGMENT_BITS {
            self.0.get(segment, access).all(|rest, _, _| {
                done = each(join(segment, rest));
                done.is_ok()
            });
            if done.is_err() {
                break;
            }
        }
        done
    }

    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.0.plan(exclusive, reserve)
    }

    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.0.grow(exclusive, release);
    }
}

/// The segment of a number, and the remaining bits. Together they determine the number.
#[inline]
fn split(number: u64) -> (usize, u64) {
    let rest = number >> SEGMENT_BITS;
    ((number.wrapping_add(mix(rest))) as usize & ((1 << SEGMENT_BITS) - 1), rest)
}

/// The inverse of [`split`].
fn join(segment: usize, rest: u64) -> u64 {
    rest << SEGMENT_BITS | (segment as u64).wrapping_sub(mix(rest)) & ((1 << SEGMENT_BITS) - 1)
}

impl Quotients {
    fn new(lines: usize, width: Width, notes: bool) -> Quotients {
        let notes = if notes { lines * width.lanes() as usize + overflow(lines, width) } else { 0 };
        Quotients {
            lines: (0..lines).map(|_| Line::default()).collect(),
            inverse: u64::MAX / lines as u64,
            width,
            overflow: (0..overflow(lines, width)).map(|_| AtomicU64::new(0)).collect(),
            notes: (0..notes).map(|_| AtomicU32::new(0)).collect(),
            blocked: AtomicBool::new(false),
            largest: AtomicU64::new(0),
        }
    }

    /// The line of a number, and the value stored there.
    #[inline]
    fn place(&self, q: u64) -> (usize, u64) {
        let lines = self.lines.len() as u64;
        // Both operations round down, so the quotient may be one too small.
        let mut quotient = ((u128::from(q) * u128::from(self.inverse)) >> 64) as u64;
        let mut rest = q - quotient * lines;
        if rest >= lines {
            (quotient, rest) = (quotient + 1, rest - lines);
        }
        let line = rest + rotation(quotient, lines);
        ((if line < lines { line } else { line - lines }) as usize, quotient + 1)
    }

    #[inline]
    fn find(&self, q: u64) -> Option<Location<'_>> {
        let (line, value) = self.place(q);
        if value >= self.width.top() {
            return None;
        }
        let words = &self.lines[line].0;
        let (hits, vacant) = scan_lanes(words, self.width, value);
        if hits != 0 {
            let (word, shift) = self.width.place(hits.trailing_zeros());
            let cell = Cell::Lane { word: &words[word], shift };
            return Some(Location { cell, note: self.note_of(line, hits.trailing_zeros()) });
        }
        if vacant != 0 { None } else { self.find_overflow(q) }
    }

    fn find_overflow(&self, q: u64) -> Option<Location<'_>> {
        for (at, entry) in self.overflow_from(q) {
            match entry.load(Ordering::Relaxed) & !VISITED {
                0 => return None,
                other if other == q + 1 => {
                    return Some(Location { cell: Cell::Overflow(entry), note: self.slots() + at });
                }
                _ => {}
            }
        }
        None
    }

    fn overflow_from(&self, q: u64) -> impl Iterator<Item = (usize, &AtomicU64)> {
        let start = ((u128::from(mix(q)) * self.overflow.len() as u128) >> 64) as usize;
        let entries = || self.overflow.iter().enumerate();
        entries().skip(start).chain(entries().take(start))
    }

    /// The position of the note of a slot.
    #[inline]
    fn note_of(&self, line: usize, lane: u32) -> usize {
        line * self.width.lanes() as usize + lane as usize
    }

    /// A number that was added before, and whether it is visited.
    #[inline]
    fn known(&self, visited: bool, note: usize) -> Added {
        Added::known(visited, self.note_at(note))
    }

    /// The note at a position, if numbers have notes.
    #[inline]
    fn note_at(&self, note: usize) -> u32 {
        self.notes.get(note).map_or(0, |note| note.load(Ordering::Acquire))
    }

    /// Whether the number in a cell is visited.
    #[inline]
    fn is_visited(&self, cell: &Cell<'_>) -> bool {
        match cell {
            Cell::Lane { word, shift } => word.load(Ordering::Relaxed) >> shift & self.width.top() != 0,
            Cell::Overflow(entry) => entry.load(Ordering::Relaxed) & VISITED != 0,
        }
    }

    /// Adds a number. It is not new if another worker has added it first.
    #[inline]
    fn add(&self, q: u64, private: bool, mut may: impl FnMut() -> Result<(), Full>) -> Result<Added, Refusal> {
        let (line, value) = self.place(q);
        if value >= self.width.top() {
            self.largest.fetch_max(q, Ordering::Relaxed);
            self.blocked.store(true, Ordering::Relaxed);
            return Err(Refusal::SegmentFull);
        }
        let words = &self.lines[line].0;
        loop {
            let (hits, vacant) = scan_lanes(words, self.width, value);
            if hits != 0 {
                let (word, shift) = self.width.place(hits.trailing_zeros());
                let visited = self.is_visited(&Cell::Lane { word: &words[word], shift });
                return Ok(self.known(visited, self.note_of(line, hits.trailing_zeros())));
            }
            if vacant == 0 {
                return self.add_overflow(q, may);
            }
            may()?;
            if q > self.largest.load(Ordering::Relaxed) {
                self.largest.fetch_max(q, Ordering::Relaxed);
            }
            let (word, shift) = self.width.place(vacant.trailing_zeros());
            let old = words[word].load(Ordering::Relaxed);
            if private {
                words[word].store(old | value << shift, Ordering::Relaxed);
                return Ok(Added::NEW);
            }
            // Another worker may have filled this lane in the meantime.
            let vacant = old >> shift & (self.width.top() | (self.width.top() - 1)) == 0;
            let new = old | value << shift;
            if vacant && words[word].compare_exchange(old, new, Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok(Added::NEW);
            }
        }
    }

    #[cold]
    fn add_overflow(&self, q: u64, mut may: impl FnMut() -> Result<(), Full>) -> Result<Added, Refusal> {
        if let Some(Location { cell, note }) = self.find_overflow(q) {
            return Ok(self.known(self.is_visited(&cell), note));
        }
        may()?;
        self.largest.fetch_max(q, Ordering::Relaxed);
        for (at, entry) in self.overflow_from(q) {
            let found = match entry.compare_exchange(0, q + 1, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return Ok(Added::NEW),
                Err(found) => found,
            };
            if found & !VISITED == q + 1 {
                return Ok(self.known(found & VISITED != 0, self.slots() + at));
            }
        }
        self.blocked.store(true, Ordering::Relaxed);
        Err(Refusal::SegmentFull)
    }

    /// Adds a number with its mark and its note, without concurrency, and returns whether there was room.
    fn take(&self, q: u64, visited: bool, note: u32) -> bool {
        let added = self.add(q, true, || Ok(())).is_ok();
        if added && visited {
            self.mark(q);
        }
        if added && note != 0 {
            let Location { note: at, .. } = self.find(q).expect("the number was added");
            self.notes[at].store(note, Ordering::Relaxed);
        }
        added
    }

    fn mark(&self, q: u64) -> bool {
        let (word, mark) = match self.find(q).expect("the number is in the set").cell {
            Cell::Lane { word, shift } => (word, self.width.top() << shift),
            Cell::Overflow(entry) => (entry, VISITED),
        };
        word.fetch_or(mark, Ordering::Relaxed) & mark == 0
    }

    /// Calls `each` with all numbers, their visited marks and their notes until it returns false.
    fn all(&self, mut each: impl FnMut(u64, bool, u32) -> bool) -> bool {
        let lines = self.lines.len() as u64;
        for (line, words) in self.lines.iter().enumerate() {
            for lane in 0..self.width.lanes() {
                let (word, shift) = self.width.place(lane);
                let slot = words.0[word].load(Ordering::Relaxed) >> shift & (self.width.top() | (self.width.top() - 1));
                if slot == 0 {
                    break;
                }
                let quotient = (slot & (self.width.top() - 1)) - 1;
                let rotated = rotation(quotient, lines);
                let rest = if line as u64 >= rotated { line as u64 - rotated } else { line as u64 + lines - rotated };
                let note = self.note_at(self.note_of(line, lane));
                if !each(quotient * lines + rest, slot & self.width.top() != 0, note) {
                    return false;
                }
            }
        }
        self.overflow
            .iter()
            .map(|entry| entry.load(Ordering::Relaxed))
            .zip(self.slots()..)
            .filter(|&(entry, _)| entry != 0)
            .all(|(entry, at)| each((entry & !VISITED) - 1, entry & VISITED != 0, self.note_at(at)))
    }

    fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    /// The number of slots after the next growth.
    fn next_slots(&self, part: f64) -> usize {
        let lines = self.lines.len();
        let lines = if lines == 1 { SPREAD + (SPREAD as f64 / 3.0 * part) as usize } else { lines + lines / 3 + 1 };
        lines * self.width.lanes() as usize
    }

    /// The number of lines and their width for so many slots and numbers up to `largest`. The width decreases only
    /// with a margin, so that it does not alternate between two values.
    fn divide(&self, slots: usize, largest: u64) -> (usize, Width) {
        let lines = |width: Width| slots.div_ceil(width.lanes() as usize).max(2);
        let fits = |width: Width| {
            let value = largest / lines(width) as u64 + 2;
            (if width < self.width { value + value / 2 } else { value }) < width.top()
        };
        let width = [Width::W16, Width::W32].into_iter().find(|&width| fits(width)).unwrap_or(Width::W64);
        (lines(width), width)
    }
}

impl SegmentContent for Quotients {
    fn full(&self) -> usize {
        match self.width {
            Width::W16 => self.slots() / 32 * 25,
            Width::W32 => self.slots() / 16 * 11,
            Width::W64 => self.slots() / 8 * 5,
        }
    }

    #[inline]
    fn slots(&self) -> usize {
        self.lines.len() * self.width.lanes() as usize
    }

    fn must_grow(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&*self.lines) + size_of_val(&*self.overflow) + size_of_val(&*self.notes)) as u64
    }

    fn more_bytes(&self, part: f64) -> u64 {
        let (lines, width) = self.divide(self.next_slots(part), self.largest.load(Ordering::Relaxed));
        let (slots, overflow) = (lines * width.lanes() as usize, overflow(lines, width));
        let notes = if self.has_notes() { (slots + overflow) * size_of::<u32>() } else { 0 };
        (lines * size_of::<Line>() + overflow * size_of::<u64>() + notes) as u64
    }

    fn grow(&mut self, part: f64) {
        let largest = self.largest.load(Ordering::Relaxed);
        let mut slots = self.next_slots(part);
        loop {
            let (lines, width) = self.divide(slots, largest);
            let new = Quotients::new(lines, width, self.has_notes());
            if self.all(|q, visited, note| new.take(q, visited, note)) {
                *self = new;
                return;
            }
            slots += slots / 8 + 1;
        }
    }
}

/// The size of the overflow table.
fn overflow(lines: usize, width: Width) -> usize {
    match width {
        Width::W16 => lines / 2 + 4,
        Width::W32 => lines / 3 * 2 + 4,
        Width::W64 => lines + 4,
    }
}

/// The rotation of a quotient.
#[inline]
fn rotation(quotient: u64, lines: u64) -> u64 {
    ((u128::from(mix(quotient)) * u128::from(lines)) >> 64) as u64
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::collections::HashSet;

    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    fn check(numbers: impl Iterator<Item = u64> + Clone) -> f64 {
        check_set(numbers.clone(), true);
        check_set(numbers, false)
    }

    /// Adds numbers and compares with a set. Returns the bytes for each number.
    fn check_set(numbers: impl Iterator<Item = u64>, notes: bool) -> f64 {
        let (barrier, set) = (ResizeBarrier::new(), QuotientSet::new(1, notes));
        let note = |number: u64| mix(number) as u32 | 1;
        let (mut access, mut unreported) = (barrier.enter(), set.unreported());
        let mut all = HashSet::new();
        for number in numbers {
            let new = loop {
                match set.add(number, &access, &mut unreported, || Ok(())) {
                    Ok(added) => break added.is_new(),
                    Err(_) => access.request_resize(),
                }
                access.resize(|exclusive| set.plan(exclusive, |_| true), |exclusive| set.grow(exclusive, |_| ()));
            };
            assert_eq!(new, all.insert(number), "{number}");
            if new && number % 3 == 0 {
                assert!(!set.is_visited(number, &access));
                assert!(set.visit(number, &access) && !set.visit(number, &access));
            }
            if new && notes && number % 5 != 0 {
                assert_eq!(set.note(number, &access).swap(note(number), Ordering::Relaxed), 0);
            }
            if access.resize_is_requested() {
                access.resize(|exclusive| set.plan(exclusive, |_| true), |exclusive| set.grow(exclusive, |_| ()));
            }
        }
        let mut found = HashSet::new();
        let each = |number| if found.insert(number) { Ok(()) } else { Err(number) };
        assert_eq!(set.each(&access, each), Ok(()));
        assert!(found == all);
        for &number in &all {
            assert_eq!(set.is_visited(number, &access), number % 3 == 0);
            let expected = if notes && number % 5 != 0 { note(number) } else { 0 };
            let added = set.add(number, &access, &mut unreported, || panic!("it is there")).unwrap();
            assert_eq!(added, Added::known(number % 3 == 0, expected));
            assert!(!notes || set.note(number, &access).load(Ordering::Relaxed) == expected);
        }
        set.bytes() as f64 / all.len() as f64
    }

    #[test]
    fn remembers_every_number() {
        let dense = check(0..300_000);
        assert!(dense < 4.0, "{dense} bytes for each of a dense set");
        let sparse = check((0..300_000).map(|n| mix(n) >> 36));
        assert!(sparse < 4.0, "{sparse} bytes for one in a thousand");
        let rare = check((0..300_000).map(|n| mix(n) >> 20));
        assert!(rare < 8.0, "{rare} bytes for few among many");
        let lone = check((0..100_000).map(|n| mix(n) >> 2));
        assert!(lone < 18.0, "{lone} bytes for numbers of any size");
        check((0..100_000).map(|n| (n << 30) | (n % 7)));
        check((0..100_000).map(|n| ((n % 1000) << 25) | ((n / 1000) << 3)));
        check((0..50_000).chain((0..50_000).map(|n| mix(n) >> 2)).chain(0..100_000));
    }
}
