//! The lock-free hash table of the exact store: it maps the hash of a state to its number.
//!
//! A slot has eight bytes: a tag, which is half of the hash, and the number of the state. The other half selects one
//! of many [segments](super::table_segments), each of which is an open-addressing table. Slots form cache lines. The
//! home line of a slot is its tag scaled to the number of lines; a full line overflows into the next. The order of
//! slots is preserved when a segment grows, so that growing is one pass over memory and needs no state.
//!
//! A slot is filled once, by one compare-and-swap, after the state was written; a line is filled from its first slot
//! to its last. Two workers with the same new state therefore compete for the same slot, and the loser looks again.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::Full;
use super::hardware::{SLOTS, Scan, prefetch};
use super::reserved_memory::{Line, Region, ReservedMemory};
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table_segments::{SegmentContent, Segments, UnreportedCounts};
use crate::sync::{AtomicBool, Ordering};

/// Initial lines of a segment.
const START: usize = if cfg!(shuttle) { 1 } else { 4 };
/// Lines of the smallest segment after its first growth.
const SPREAD: usize = if cfg!(shuttle) { 2 } else { 24 };
const EMPTY: u64 = 0;
/// The tag of an empty slot.
const NO_TAG: u32 = 0;

#[derive(Debug)]
pub(super) struct Table {
    segments: Segments<Lines>,
    memory: ReservedMemory,
    /// Lines of each segment, close together in memory. Finding a line needs nothing else.
    counts: Arc<[AtomicU32]>,
}

/// One segment.
#[derive(Debug)]
struct Lines {
    region: Region,
    segment: usize,
    counts: Arc<[AtomicU32]>,
    segment_full: AtomicBool,
}

/// A lookup: the segment of a hash, its tag and home line.
#[derive(Clone, Copy)]
struct Search<'a> {
    region: Region,
    count: usize,
    tag: u32,
    home: usize,
    /// The segment does not grow during the lookup.
    _access: PhantomData<&'a SharedAccess<'a>>,
}

impl Search<'_> {
    #[inline(always)]
    fn line(&self, at: usize) -> &Line {
        assert!(at < self.count);
        // SAFETY: the table and its memory exist, and a segment has room for its lines.
        unsafe { self.region.line(at) }
    }

    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.count { 0 } else { at + 1 }
    }

    /// Branch-free, because whether a state is new cannot be predicted.
    #[inline(always)]
    fn probe(&self, at: usize, line: u8) -> Probe {
        let slots = &self.line(at).0;
        let scan = Scan::new(slots);
        let hits = scan.hits(self.tag);
        let found = hits != 0;
        let entry = slots[hits.trailing_zeros() as usize % SLOTS].load(Ordering::Relaxed);
        let candidate = number_of(entry) & u32::from(found).wrapping_neg();
        Probe { candidate, found, slot: scan.vacant().trailing_zeros().min(SLOTS as u32) as u8, line }
    }
}

/// The result of a first look at a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The first state in the line with the same tag, most likely the state itself.
    candidate: u32,
    found: bool,
    /// The first empty slot.
    slot: u8,
    /// The distance of the line from the home line.
    line: u8,
}

/// A slot that was empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vacancy {
    slot: u8,
    line: u8,
}

/// The result of an attempt to fill an empty slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addition {
    /// The state was added.
    Added(u32),
    /// The slot now contains a state with the same tag: usually the same successor of two states.
    SameTag(u32),
    /// The lookup must be repeated.
    None,
}

impl Probe {
    /// A probe that requires a full lookup.
    pub const VOID: Probe = Probe { candidate: 0, found: false, slot: SLOTS as u8, line: 0 };

    /// The state that is probably equal.
    #[inline(always)]
    pub fn candidate(self) -> Option<u32> {
        self.found.then_some(self.candidate)
    }

    /// The candidate, or an arbitrary state.
    #[inline(always)]
    pub fn guess(self) -> u32 {
        self.candidate
    }

    /// The empty slot, if no state has the same tag.
    #[inline(always)]
    pub fn vacancy(self) -> Option<Vacancy> {
        (!self.found && !self.is_full()).then_some(Vacancy { slot: self.slot, line: self.line })
    }

    #[inline(always)]
    fn is_full(self) -> bool {
        self.slot as usize == SLOTS
    }

    /// The line was full and no state has the same tag, so the next line must be probed.
    #[inline(always)]
    pub fn continues(self) -> bool {
        !self.found & self.is_full()
    }
}

/// The reason why a state was not added.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The segment has no room and must grow first.
    SegmentFull,
    /// The store is full.
    Full(Full),
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Refusal {
        Refusal::Full(full)
    }
}

impl Table {
    /// A table of `segments` segments, a power of two, which can grow to `room` lines each.
    pub fn new(segments: usize, room: usize, workers: usize) -> Table {
        let memory = ReservedMemory::new(segments, room, workers);
        let counts: Arc<[AtomicU32]> = (0..segments).map(|_| AtomicU32::new(START as u32)).collect();
        let lines = |segment| {
            let (region, counts) = (memory.segment(segment), counts.clone());
            Lines { region, segment, counts, segment_full: AtomicBool::new(false) }
        };
        Table { segments: Segments::new(segments, workers, lines), memory, counts }
    }

    pub fn unreported(&self) -> UnreportedCounts {
        self.segments.unreported()
    }

    pub fn bytes(&self) -> u64 {
        self.segments.bytes()
    }

    #[inline(always)]
    fn search<'a>(&'a self, _: &'a SharedAccess<'_>, hash: u64) -> Search<'a> {
        let segment = self.segments.choose(hash);
        let count = self.counts[segment].load(Ordering::Relaxed) as usize;
        let tag = tag_of(hash);
        Search { region: self.memory.segment(segment), count, tag, home: home(count, tag), _access: PhantomData }
    }

    #[inline(always)]
    pub fn prefetch(&self, access: &SharedAccess<'_>, hash: u64) {
        let search = self.search(access, hash);
        prefetch(search.line(search.home));
    }

    /// A first look at a line that was prefetched. Prefetches the next line if this one is full.
    #[inline(always)]
    pub fn probe(&self, access: &SharedAccess<'_>, hash: u64) -> Probe {
        let search = self.search(access, hash);
        let probe = search.probe(search.home, 0);
        if probe.is_full() {
            prefetch(search.line(search.after(search.home)));
        }
        probe
    }

    /// A look at the next line, for a probe that [continues](Probe::continues).
    #[inline(always)]
    pub fn probe_next(&self, access: &SharedAccess<'_>, hash: u64) -> Probe {
        let search = self.search(access, hash);
        search.probe(search.after(search.home), 1)
    }

    /// Adds the state that `make` writes, at a slot that a probe has found empty, unless the slot was filled since.
    /// The table must not have been resized in between.
    #[inline(always)]
    pub fn add_at(
        &self,
        access: &SharedAccess<'_>,
        hash: u64,
        vacancy: Vacancy,
        make: impl FnOnce() -> Result<u32, Full>,
    ) -> Result<Addition, Full> {
        let search = self.search(access, hash);
        let line = if vacancy.line == 0 { search.home } else { search.after(search.home) };
        // A line is filled from the first slot to the last. If this slot is still empty, the line is unchanged, and a
        // line before it that was full is still full.
        let slot = &search.line(line).0[usize::from(vacancy.slot) % SLOTS];
        let there = slot.load(Ordering::Acquire);
        if there != EMPTY {
            return Ok(if tag_in(there) == search.tag { Addition::SameTag(number_of(there)) } else { Addition::None });
        }
        let number = make()?;
        let made = entry(search.tag, number);
        if self.segments.is_private() {
            slot.store(made, Ordering::Release);
            return Ok(Addition::Added(number));
        }
        let swapped = slot.compare_exchange(EMPTY, made, Ordering::Release, Ordering::Relaxed);
        Ok(swapped.map_or(Addition::None, |_| Addition::Added(number)))
    }

    /// Finds the state with this hash for which `is_it` holds, or adds the one that `make` writes. Returns its number
    /// and whether it is new. `make` is called at most once, and its state is not used if another worker adds the
    /// same state first.
    #[inline]
    pub fn find_or_add(
        &self,
        access: &SharedAccess<'_>,
        hash: u64,
        is_it: impl Fn(u32) -> bool,
        mut make: impl FnMut() -> Result<u32, Full>,
    ) -> Result<(u32, bool), Refusal> {
        let search = self.search(access, hash);
        let tag = search.tag;
        let mut at = search.home;
        let mut made = None;
        let mut visited = 0;
        while visited < search.count {
            let slots = &search.line(at).0;
            let scan = Scan::new(slots);
            let mut hits = scan.hits(tag);
            while hits != 0 {
                let number = number_of(slots[hits.trailing_zeros() as usize % SLOTS].load(Ordering::Relaxed));
                if is_it(number) {
                    return Ok((number, false));
                }
                hits &= hits - 1;
            }
            let vacant = scan.vacant();
            if vacant == 0 {
                at = search.after(at);
                visited += 1;
                continue;
            }
            let number = match made {
                Some(number) => number,
                None => *made.insert(make()?),
            };
            let slot = &slots[vacant.trailing_zeros() as usize % SLOTS];
            if self.segments.is_private() {
                slot.store(entry(tag, number), Ordering::Release);
                return Ok((number, true));
            }
            // If another worker has filled the slot first, it may have added the same state: look again.
            if slot.compare_exchange(EMPTY, entry(tag, number), Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok((number, true));
            }
        }
        self.segments.get(self.segments.choose(hash), access).segment_full.store(true, Ordering::Relaxed);
        Err(Refusal::SegmentFull)
    }

    /// Counts an added state, and requests a resize when its segment should grow.
    #[inline(always)]
    pub fn count(&self, access: &SharedAccess<'_>, hash: u64, unreported: &mut UnreportedCounts) {
        self.segments.count(self.segments.choose(hash), access, unreported);
    }

    /// Plans growth within the bytes that `reserve` grants. False if it granted too few.
    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.segments.plan(exclusive, reserve)
    }

    /// Executes the plan.
    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.segments.grow(exclusive, release);
    }
}

impl Lines {
    fn count(&self) -> usize {
        self.counts[self.segment].load(Ordering::Relaxed) as usize
    }

    /// A small growth factor keeps the load between 0.56 and 0.75, which is 10.7 to 14.2 bytes per state. Segments
    /// have different sizes after their first growth, so the average over the table is always about the mean of
    /// these.
    fn next_count(&self, part: f64) -> usize {
        let count = self.count();
        if count == START { SPREAD + (SPREAD as f64 / 3.0 * part) as usize } else { count + count / 3 + 1 }
    }
}

/// Fills lines that were empty at first, without concurrency.
struct Rehash<'a> {
    lines: &'a [&'a Line],
    /// The number of used slots in each line.
    used: Vec<u8>,
}

impl Rehash<'_> {
    /// Puts an entry into the first line with room, from its home line on. Fails beyond the last line.
    #[inline]
    fn place(&mut self, entry: u64) -> bool {
        let from = home(self.lines.len(), tag_in(entry));
        let Some(ahead) = self.used[from..].iter().position(|&used| usize::from(used) < SLOTS) else { return false };
        self.put(from + ahead, entry);
        true
    }

    /// Puts an entry like [`Rehash::place`], and wraps around at the last line.
    fn place_wrapping(&mut self, entry: u64) {
        if !self.place(entry) {
            let at = self.used.iter().position(|&used| usize::from(used) < SLOTS);
            self.put(at.expect("a table has room after growing"), entry);
        }
    }

    #[inline]
    fn put(&mut self, line: usize, entry: u64) {
        self.lines[line].0[usize::from(self.used[line]) % SLOTS].store(entry, Ordering::Relaxed);
        self.used[line] += 1;
    }
}

impl SegmentContent for Lines {
    fn full(&self) -> usize {
        self.slots() / 4 * 3
    }

    #[inline]
    fn slots(&self) -> usize {
        self.count() * SLOTS
    }

    fn must_grow(&self) -> bool {
        self.segment_full.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        (self.count() * size_of::<Line>()) as u64
    }

    fn more_bytes(&self, part: f64) -> u64 {
        let next = self.next_count(part);
        if next > self.region.room() { u64::MAX } else { ((next - self.count()) * size_of::<Line>()) as u64 }
    }

    /// Rehashes in place, from the last line to the first. An entry moves to its new home line or a later one, which
    /// by then contains only entries that have moved. The few entries that are displaced from their home line or wrap
    /// around are placed after all lines are empty.
    fn grow(&mut self, part: f64) {
        let (old, new) = (self.count(), self.next_count(part));
        assert!(new <= self.region.room());
        self.counts[self.segment]
            .store(u32::try_from(new).expect("the count fits into the reserved lines"), Ordering::Relaxed);
        *self.segment_full.get_mut() = false;
        // SAFETY: the memory of a table lives as long as its segments, and has room for so many lines.
        let lines: Vec<&Line> = (0..new).map(|at| unsafe { self.region.line(at) }).collect();
        let mut rehash = Rehash { lines: &lines, used: vec![0; new] };
        let mut later = Vec::new();
        for at in (0..old).rev() {
            for slot in &lines[at].0.each_ref().map(|slot| {
                let entry = slot.load(Ordering::Relaxed);
                slot.store(EMPTY, Ordering::Relaxed);
                entry
            }) {
                if *slot == EMPTY {
                    break;
                }
                if home(new, tag_in(*slot)) < at || !rehash.place(*slot) {
                    later.push(*slot);
                }
            }
        }
        later.into_iter().for_each(|entry| rehash.place_wrapping(entry));
    }
}

#[inline(always)]
fn home(lines: usize, tag: u32) -> usize {
    ((u64::from(tag) * lines as u64) >> 32) as usize
}

#[inline(always)]
fn tag_of(hash: u64) -> u32 {
    ((hash >> 32) as u32).max(NO_TAG + 1)
}

#[inline(always)]
fn entry(tag: u32, number: u32) -> u64 {
    (u64::from(tag) << 32) | u64::from(number + 1)
}

#[inline(always)]
fn tag_in(entry: u64) -> u32 {
    (entry >> 32) as u32
}

#[inline(always)]
fn number_of(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::resize_barrier::ResizeBarrier;
    use super::*;

    fn check(hashes: &[u64]) {
        let barrier = ResizeBarrier::new();
        let table = Table::new(256, 1 << 12, 1);
        let mut unreported = table.unreported();
        let mut access = barrier.enter();
        let mut reserved = table.bytes();
        for (i, &hash) in hashes.iter().enumerate() {
            let is_it = |n: u32| hashes[n as usize] == hash;
            let added = loop {
                match table.find_or_add(&access, hash, is_it, || Ok(i as u32)) {
                    Err(Refusal::SegmentFull) => access.request_resize(),
                    other => break other.unwrap(),
                }
                grow(&table, &mut access, &mut reserved);
            };
            assert_eq!(added, (i as u32, true));
            table.count(&access, hash, &mut unreported);
            if access.resize_is_requested() {
                grow(&table, &mut access, &mut reserved);
            }
            assert_eq!(table.bytes(), reserved);
        }
        for (i, &hash) in hashes.iter().enumerate() {
            let is_it = |n: u32| hashes[n as usize] == hash;
            let found = table.find_or_add(&access, hash, is_it, || panic!("it is there")).unwrap();
            assert_eq!(found, (i as u32, false));
            assert!(table.probe(&access, hash).vacancy().is_none());
        }
    }

    fn grow(table: &Table, access: &mut SharedAccess<'_>, reserved: &mut u64) {
        let (mut more, mut less) = (0, 0);
        let reserve = |bytes| {
            more += bytes;
            true
        };
        let planned = |exclusive: &ExclusiveAccess<'_>| table.plan(exclusive, reserve);
        assert!(access.resize(planned, |exclusive| table.grow(exclusive, |bytes| less += bytes)));
        *reserved += more - less;
    }

    #[test]
    fn finds_all_after_growing() {
        check(&(0..100_000u64).map(|n| super::super::hash(&n.to_le_bytes())).collect::<Vec<_>>());
    }

    /// Bad hashes cost time only: all in one segment, all at its end, all with the same tag.
    #[test]
    fn survives_bad_hashes() {
        check(&(0..5_000u64).map(|n| n << 32).collect::<Vec<_>>());
        check(&(0..5_000u64).map(|n| (u64::from(u32::MAX) - n % 5) << 32 | (n << 8)).collect::<Vec<_>>());
        check(&(0..5_000).collect::<Vec<u64>>());
    }
}
