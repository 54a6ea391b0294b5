//! A compact hash set of numbers, which stores quotients instead of keys (Cleary, *Compact hash tables using
//! bidirectional linear probing*, 1984; here with lines of slots instead of probing).
//!
//! A segment with L lines keeps the number q in the line `q mod L`, rotated by a hash of `q div L`, and stores only
//! `q div L` there: two bytes, or four or eight where numbers are large and few. Line and slot together determine the
//! number, so a segment can be rehashed without other data. A number whose line is full is stored in full in a small
//! overflow table. The top bit of a slot is the visited mark of its number.

use super::Full;
use super::hardware::{Width, prefetch, scan_lanes};
use super::pool::mix;
use super::reserved_memory::Line;
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table::Refusal;
use super::table_segments::{SegmentContent, Segments, UnreportedCounts};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

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
    blocked: AtomicBool,
    /// The largest number that was added or refused.
    largest: AtomicU64,
}

/// The location of a number.
enum Location<'a> {
    Lane { word: &'a AtomicU64, shift: u32 },
    Overflow(&'a AtomicU64),
}

impl QuotientSet {
    pub fn new(workers: usize) -> QuotientSet {
        QuotientSet(Segments::new(1 << SEGMENT_BITS, workers, |_| Quotients::new(1, Width::W16)))
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

    /// Adds a number and returns whether it is new. `may` is called before a new number is added.
    #[inline]
    pub fn add(
        &self,
        number: u64,
        access: &SharedAccess<'_>,
        unreported: &mut UnreportedCounts,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal> {
        let (segment, q) = split(number);
        let content = self.0.get(segment, access);
        let new = content.add(q, self.0.is_private(), may)?;
        if new {
            self.0.count(segment, access, unreported);
        }
        Ok(new)
    }

    pub fn is_visited(&self, number: u64, access: &SharedAccess<'_>) -> bool {
        let (segment, q) = split(number);
        let content = self.0.get(segment, access);
        match content.find(q).expect("the number is in the set") {
            Location::Lane { word, shift } => word.load(Ordering::Relaxed) >> shift & content.width.top() != 0,
            Location::Overflow(entry) => entry.load(Ordering::Relaxed) & VISITED != 0,
        }
    }

    pub fn visit(&self, number: u64, access: &SharedAccess<'_>) {
        let (segment, q) = split(number);
        self.0.get(segment, access).mark(q);
    }

    /// Calls `each` with all numbers until it fails.
    pub fn each<E>(&self, access: &SharedAccess<'_>, mut each: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
        let mut done = Ok(());
        for segment in 0..1 << SEGMENT_BITS {
            self.0.get(segment, access).all(|rest, _| {
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
    fn new(lines: usize, width: Width) -> Quotients {
        Quotients {
            lines: (0..lines).map(|_| Line::default()).collect(),
            inverse: u64::MAX / lines as u64,
            width,
            overflow: (0..overflow(lines, width)).map(|_| AtomicU64::new(0)).collect(),
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
            return Some(Location::Lane { word: &words[word], shift });
        }
        if vacant != 0 { None } else { self.find_overflow(q) }
    }

    fn find_overflow(&self, q: u64) -> Option<Location<'_>> {
        for entry in self.overflow_from(q) {
            match entry.load(Ordering::Relaxed) & !VISITED {
                0 => return None,
                other if other == q + 1 => return Some(Location::Overflow(entry)),
                _ => {}
            }
        }
        None
    }

    fn overflow_from(&self, q: u64) -> impl Iterator<Item = &AtomicU64> {
        let start = ((u128::from(mix(q)) * self.overflow.len() as u128) >> 64) as usize;
        self.overflow[start..].iter().chain(&self.overflow[..start])
    }

    /// Adds a number and returns whether it is new. It is not new if another worker has added it first.
    #[inline]
    fn add(&self, q: u64, private: bool, mut may: impl FnMut() -> Result<(), Full>) -> Result<bool, Refusal> {
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
                return Ok(false);
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
                return Ok(true);
            }
            // Another worker may have filled this lane in the meantime.
            let vacant = old >> shift & (self.width.top() | (self.width.top() - 1)) == 0;
            let new = old | value << shift;
            if vacant && words[word].compare_exchange(old, new, Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok(true);
            }
        }
    }

    #[cold]
    fn add_overflow(&self, q: u64, mut may: impl FnMut() -> Result<(), Full>) -> Result<bool, Refusal> {
        if self.find_overflow(q).is_some() {
            return Ok(false);
        }
        may()?;
        self.largest.fetch_max(q, Ordering::Relaxed);
        for entry in self.overflow_from(q) {
            let found = match entry.compare_exchange(0, q + 1, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return Ok(true),
                Err(found) => found,
            };
            if found & !VISITED == q + 1 {
                return Ok(false);
            }
        }
        self.blocked.store(true, Ordering::Relaxed);
        Err(Refusal::SegmentFull)
    }

    /// Adds a number with its mark, without concurrency, and returns whether there was room.
    fn take(&self, q: u64, visited: bool) -> bool {
        let added = self.add(q, true, || Ok(())).is_ok();
        if added && visited {
            self.mark(q);
        }
        added
    }

    fn mark(&self, q: u64) {
        match self.find(q).expect("the number is in the set") {
            Location::Lane { word, shift } => word.fetch_or(self.width.top() << shift, Ordering::Relaxed),
            Location::Overflow(entry) => entry.fetch_or(VISITED, Ordering::Relaxed),
        };
    }

    /// Calls `each` with all numbers and their visited marks until it returns false.
    fn all(&self, mut each: impl FnMut(u64, bool) -> bool) -> bool {
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
                if !each(quotient * lines + rest, slot & self.width.top() != 0) {
                    return false;
                }
            }
        }
        self.overflow
            .iter()
            .map(|entry| entry.load(Ordering::Relaxed))
            .filter(|&entry| entry != 0)
            .all(|entry| each((entry & !VISITED) - 1, entry & VISITED != 0))
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
        (size_of_val(&*self.lines) + size_of_val(&*self.overflow)) as u64
    }

    fn more_bytes(&self, part: f64) -> u64 {
        let (lines, width) = self.divide(self.next_slots(part), self.largest.load(Ordering::Relaxed));
        (lines * size_of::<Line>() + overflow(lines, width) * size_of::<u64>()) as u64
    }

    fn grow(&mut self, part: f64) {
        let largest = self.largest.load(Ordering::Relaxed);
        let mut slots = self.next_slots(part);
        loop {
            let (lines, width) = self.divide(slots, largest);
            let new = Quotients::new(lines, width);
            if self.all(|q, visited| new.take(q, visited)) {
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

    fn check(numbers: impl Iterator<Item = u64>) -> f64 {
        let (barrier, set) = (ResizeBarrier::new(), QuotientSet::new(1));
        let (mut access, mut unreported) = (barrier.enter(), set.unreported());
        let mut all = HashSet::new();
        for number in numbers {
            let new = loop {
                match set.add(number, &access, &mut unreported, || Ok(())) {
                    Ok(new) => break new,
                    Err(_) => access.request_resize(),
                }
                access.resize(|exclusive| set.plan(exclusive, |_| true), |exclusive| set.grow(exclusive, |_| ()));
            };
            assert_eq!(new, all.insert(number), "{number}");
            if new && number % 3 == 0 {
                assert!(!set.is_visited(number, &access));
                set.visit(number, &access);
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
            assert!(!set.add(number, &access, &mut unreported, || panic!("it is there")).unwrap());
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
