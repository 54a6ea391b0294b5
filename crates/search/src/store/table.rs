//! From the hash of a state to its number, for several workers at once.
//!
//! Slots of eight bytes: half of the hash, and the number. The other half picks one of many
//! [segments](super::segments), each an open table of its own. Slots come in lines, the unit in which memory is
//! fetched. The line of a slot is its half hash scaled to the number of lines, or the next one with room: order is kept
//! when a segment grows, which makes growing one sweep through memory, without looking at any state.
//!
//! A slot is filled once, by one compare-and-swap, after the state itself was written; a line is filled from its first
//! slot to its last. So two workers with the same new state meet at the same slot, and the one that comes second looks
//! again.

use super::Full;
use super::hardware::{SLOTS, prefetch, scan};
use super::meeting::{Seat, Sitting};
use super::segments::{Content, Segments, Untold};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Lines of a segment at the start.
const START: usize = if cfg!(shuttle) { 1 } else { 4 };
/// Lines of the smallest segment that has grown once.
const SPREAD: usize = if cfg!(shuttle) { 2 } else { 24 };
const EMPTY: u64 = 0;
/// The tag of an empty slot.
const NO_TAG: u32 = 0;

#[derive(Debug)]
pub(super) struct Table(Segments<Lines>);

#[derive(Debug)]
struct Lines {
    lines: Box<[Line]>,
    crowded: AtomicBool,
}

/// Slots, filled from the first to the last, as large as a line of the cache.
#[derive(Default, Debug)]
#[repr(align(64))]
struct Line([AtomicU64; SLOTS]);

/// Why a state could not be added.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The segment has no room: it must grow first.
    Crowded,
    Full(Full),
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Refusal {
        Refusal::Full(full)
    }
}

impl Table {
    /// The number of segments is a power of two.
    pub fn new(segments: usize, workers: usize) -> Table {
        Table(Segments::new(segments, workers, || Lines::new(START)))
    }

    pub fn untold(&self) -> Untold {
        self.0.untold()
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    #[inline]
    pub fn prefetch(&self, seat: &Seat<'_>, hash: u64) {
        let lines = &self.0.get(self.0.choose(hash), seat).lines;
        prefetch(lines, home(lines, tag_of(hash)));
    }

    /// The first state whose hash looks the same: most likely the state itself, if it is there.
    #[inline]
    pub fn candidate(&self, seat: &Seat<'_>, hash: u64) -> Option<u32> {
        let lines = &self.0.get(self.0.choose(hash), seat).lines;
        let tag = tag_of(hash);
        let mut at = home(lines, tag);
        for _ in 0..lines.len() {
            let slots = &lines[at].0;
            let (hits, vacant) = scan(slots, tag);
            if hits != 0 {
                return Some(number_of(slots[hits.trailing_zeros() as usize % SLOTS].load(Ordering::Relaxed)));
            }
            if vacant != 0 {
                return None;
            }
            at = after(lines, at);
        }
        None
    }

    /// The state with this hash that `is_it`, or else, in its place, the one that `make` writes down; and whether it is
    /// new. `make` is called at most once, and what it has made is not used if another worker comes first.
    #[inline]
    pub fn find_or_add(
        &self,
        seat: &Seat<'_>,
        hash: u64,
        is_it: impl Fn(u32) -> bool,
        mut make: impl FnMut() -> Result<u32, Full>,
    ) -> Result<(u32, bool), Refusal> {
        let Lines { lines, crowded } = self.0.get(self.0.choose(hash), seat);
        let tag = tag_of(hash);
        let mut made = None;
        let mut at = home(lines, tag);
        let mut visited = 0;
        while visited < lines.len() {
            let slots = &lines[at].0;
            let (mut hits, vacant) = scan(slots, tag);
            while hits != 0 {
                let number = number_of(slots[hits.trailing_zeros() as usize % SLOTS].load(Ordering::Relaxed));
                if is_it(number) {
                    return Ok((number, false));
                }
                hits &= hits - 1;
            }
            if vacant == 0 {
                at = after(lines, at);
                visited += 1;
                continue;
            }
            let number = match made {
                Some(number) => number,
                None => *made.insert(make()?),
            };
            let entry = (u64::from(tag) << 32) | u64::from(number + 1);
            let slot = &slots[vacant.trailing_zeros() as usize % SLOTS];
            if self.0.is_private() {
                slot.store(entry, Ordering::Release);
                return Ok((number, true));
            }
            // If another worker was faster, it may have been with this very state: look again.
            if slot.compare_exchange(EMPTY, entry, Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok((number, true));
            }
        }
        crowded.store(true, Ordering::Relaxed);
        Err(Refusal::Crowded)
    }

    /// Takes note of an added state, and calls a meeting when its segment should grow.
    #[inline]
    pub fn count(&self, seat: &Seat<'_>, hash: u64, untold: &mut Untold) {
        self.0.count(self.0.choose(hash), seat, untold);
    }

    /// Plans growth, if `reserve` has the bytes for it. Whether it had.
    pub fn plan(&self, sitting: &Sitting<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.0.plan(sitting, reserve)
    }

    /// Does what is planned.
    pub fn grow(&self, sitting: &Sitting<'_>, release: impl FnMut(u64)) {
        self.0.grow(sitting, release);
    }
}

impl Lines {
    fn new(lines: usize) -> Lines {
        Lines { lines: (0..lines).map(|_| Line::default()).collect(), crowded: AtomicBool::new(false) }
    }

    /// A small factor keeps tables full: 0.56 to 0.75, so 10.7 to 14.2 bytes per state, and since segments part company
    /// when they first grow, always about the mean of it.
    fn next_size(&self, part: f64) -> usize {
        let lines = self.lines.len();
        if lines == START { SPREAD + (SPREAD as f64 / 3.0 * part) as usize } else { lines + lines / 3 + 1 }
    }

    /// Puts an entry that is not there yet into the first line with room.
    #[inline]
    fn place(&self, entry: u64) {
        let mut at = home(&self.lines, (entry >> 32) as u32);
        loop {
            let slots = &self.lines[at].0;
            let (_, vacant) = scan(slots, NO_TAG);
            if vacant != 0 {
                return slots[vacant.trailing_zeros() as usize % SLOTS].store(entry, Ordering::Relaxed);
            }
            at = after(&self.lines, at);
        }
    }
}

impl Content for Lines {
    fn full(&self) -> usize {
        self.slots() / 4 * 3
    }

    #[inline]
    fn slots(&self) -> usize {
        self.lines.len() * SLOTS
    }

    fn must_grow(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    fn grown_bytes(&self, part: f64) -> u64 {
        (self.next_size(part) * size_of::<Line>()) as u64
    }

    fn grown(&self, part: f64) -> Lines {
        let new = Lines::new(self.next_size(part));
        for slot in self.lines.iter().flat_map(|line| &line.0) {
            let entry = slot.load(Ordering::Relaxed);
            if entry != EMPTY {
                new.place(entry);
            }
        }
        new
    }
}

#[inline]
fn home(lines: &[Line], tag: u32) -> usize {
    ((u64::from(tag) * lines.len() as u64) >> 32) as usize
}

#[inline]
fn after(lines: &[Line], at: usize) -> usize {
    if at + 1 == lines.len() { 0 } else { at + 1 }
}

#[inline]
fn tag_of(hash: u64) -> u32 {
    ((hash >> 32) as u32).max(NO_TAG + 1)
}

#[inline]
fn number_of(entry: u64) -> u32 {
    entry as u32 - 1
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::meeting::Meeting;
    use super::*;

    fn check(hashes: &[u64]) {
        let meeting = Meeting::new();
        let table = Table::new(256, 1);
        let mut untold = table.untold();
        let mut seat = meeting.enter();
        let mut reserved = table.bytes();
        for (i, &hash) in hashes.iter().enumerate() {
            let is_it = |n: u32| hashes[n as usize] == hash;
            let added = loop {
                match table.find_or_add(&seat, hash, is_it, || Ok(i as u32)) {
                    Err(Refusal::Crowded) => seat.call(),
                    other => break other.unwrap(),
                }
                grow(&table, &mut seat, &mut reserved);
            };
            assert_eq!(added, (i as u32, true));
            table.count(&seat, hash, &mut untold);
            if seat.is_called() {
                grow(&table, &mut seat, &mut reserved);
            }
            assert_eq!(table.bytes(), reserved);
        }
        for (i, &hash) in hashes.iter().enumerate() {
            let is_it = |n: u32| hashes[n as usize] == hash;
            let found = table.find_or_add(&seat, hash, is_it, || panic!("it is there")).unwrap();
            assert_eq!(found, (i as u32, false));
            assert!(table.candidate(&seat, hash).is_some());
        }
    }

    fn grow(table: &Table, seat: &mut Seat<'_>, reserved: &mut u64) {
        let (mut more, mut less) = (0, 0);
        let reserve = |bytes| {
            more += bytes;
            true
        };
        let planned = |sitting: &Sitting<'_>| table.plan(sitting, reserve);
        assert!(seat.attend(planned, |sitting| table.grow(sitting, |bytes| less += bytes)));
        *reserved += more - less;
    }

    #[test]
    fn finds_all_after_growing() {
        check(&(0..100_000u64).map(|n| super::super::hash(&n.to_le_bytes())).collect::<Vec<_>>());
    }

    /// The worst hashes only cost time: all in one segment, all in the last slots of it, all with the same tag.
    #[test]
    fn survives_bad_hashes() {
        check(&(0..5_000u64).map(|n| n << 32).collect::<Vec<_>>());
        check(&(0..5_000u64).map(|n| (u64::from(u32::MAX) - n % 5) << 32 | (n << 8)).collect::<Vec<_>>());
        check(&(0..5_000).collect::<Vec<u64>>());
    }
}
