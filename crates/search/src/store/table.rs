//! From the hash of a state to its number, for several workers at once.
//!
//! Slots of eight bytes: half of the hash, and the number. The other half picks one of many
//! [segments](super::table_segments), each an open table of its own. Slots come in lines, the unit in which memory is
//! fetched. The line of a slot is its half hash scaled to the number of lines, or the next one with room: order is kept
//! when a segment grows, which makes growing one sweep through memory, without looking at any state.
//!
//! A slot is filled once, by one compare-and-swap, after the state itself was written; a line is filled from its first
//! slot to its last. So two workers with the same new state meet at the same slot, and the one that comes second looks
//! again.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::Full;
use super::hardware::{SLOTS, Scan, prefetch};
use super::reserved_memory::{Line, Region, ReservedMemory};
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use super::table_segments::{Content, Segments, UnreportedCounts};
use crate::sync::{AtomicBool, Ordering};

/// Lines of a segment at the start.
const START: usize = if cfg!(shuttle) { 1 } else { 4 };
/// Lines of the smallest segment that has grown once.
const SPREAD: usize = if cfg!(shuttle) { 2 } else { 24 };
const EMPTY: u64 = 0;
/// The tag of an empty slot.
const NO_TAG: u32 = 0;

#[derive(Debug)]
pub(super) struct Table {
    segments: Segments<Lines>,
    memory: ReservedMemory,
    /// How many lines each segment has, all that is needed to find a line, close together.
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

/// Where a state is to be looked for.
#[derive(Clone, Copy)]
struct Search<'a> {
    region: Region,
    count: usize,
    tag: u32,
    home: usize,
    /// Nothing grows meanwhile.
    _access: PhantomData<&'a SharedAccess<'a>>,
}

impl Search<'_> {
    #[inline(always)]
    fn line(&self, at: usize) -> &Line {
        assert!(at < self.count);
        // SAFETY: the table is there, and so is its memory, in which a segment has room for the lines it has.
        unsafe { self.region.line(at) }
    }

    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.count { 0 } else { at + 1 }
    }

    /// Without a branch: whether a state is new can't be predicted.
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

/// What a first look at the line of a state has shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The first state there whose hash looks the same, most likely the state itself.
    candidate: u32,
    found: bool,
    /// The first slot with room.
    slot: u8,
    /// Which line that is, counted from home.
    line: u8,
}

/// A slot that had room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vacancy {
    slot: u8,
    line: u8,
}

/// What came of an attempt to add a state where there was room.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addition {
    /// It is there now.
    Made(u32),
    /// Another one is there whose hash looks the same: the same successor of two states, as a rule.
    Like(u32),
    /// One must look again.
    None,
}

impl Probe {
    /// One must look again.
    pub const VOID: Probe = Probe { candidate: 0, found: false, slot: SLOTS as u8, line: 0 };

    /// The state that is likely to be the same.
    #[inline(always)]
    pub fn candidate(self) -> Option<u32> {
        self.found.then_some(self.candidate)
    }

    /// The candidate, or else any state.
    #[inline(always)]
    pub fn guess(self) -> u32 {
        self.candidate
    }

    /// Nothing looked the same, and there was room.
    #[inline(always)]
    pub fn vacancy(self) -> Option<Vacancy> {
        (!self.found && !self.is_full()).then_some(Vacancy { slot: self.slot, line: self.line })
    }

    #[inline(always)]
    fn is_full(self) -> bool {
        self.slot as usize == SLOTS
    }

    /// The line was full and had nothing that looked the same: the next one may have.
    #[inline(always)]
    pub fn goes_on(self) -> bool {
        !self.found & self.is_full()
    }
}

/// Why a state could not be added.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The segment has no room: it must grow first.
    SegmentFull,
    Full(Full),
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Refusal {
        Refusal::Full(full)
    }
}

impl Table {
    /// The number of segments is a power of two. Each can grow to so many lines.
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

    /// A first look, at memory that was asked for. Asks for the next line if this one is full.
    #[inline(always)]
    pub fn probe(&self, access: &SharedAccess<'_>, hash: u64) -> Probe {
        let search = self.search(access, hash);
        let probe = search.probe(search.home, 0);
        if probe.is_full() {
            prefetch(search.line(search.after(search.home)));
        }
        probe
    }

    /// A look at the next line, for a probe that [goes on](Probe::goes_on).
    #[inline(always)]
    pub fn probe_next(&self, access: &SharedAccess<'_>, hash: u64) -> Probe {
        let search = self.search(access, hash);
        search.probe(search.after(search.home), 1)
    }

    /// Adds the state that `make` writes down where a probe has found room, unless something was added there since. The
    /// table must not have grown in between.
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
        // A line is filled from the first slot to the last: if this one is still empty, the line is as it was; and a
        // line before it that was full then still is.
        let slot = &search.line(line).0[usize::from(vacancy.slot) % SLOTS];
        let there = slot.load(Ordering::Acquire);
        if there != EMPTY {
            return Ok(if tag_in(there) == search.tag { Addition::Like(number_of(there)) } else { Addition::None });
        }
        let number = make()?;
        let made = entry(search.tag, number);
        if self.segments.is_private() {
            slot.store(made, Ordering::Release);
            return Ok(Addition::Made(number));
        }
        let swapped = slot.compare_exchange(EMPTY, made, Ordering::Release, Ordering::Relaxed);
        Ok(swapped.map_or(Addition::None, |_| Addition::Made(number)))
    }

    /// The state with this hash that `is_it`, or else, in its place, the one that `make` writes down; and whether it is
    /// new. `make` is called at most once, and what it has made is not used if another worker comes first.
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
            // If another worker was faster, it may have been with this very state: look again.
            if slot.compare_exchange(EMPTY, entry(tag, number), Ordering::Release, Ordering::Relaxed).is_ok() {
                return Ok((number, true));
            }
        }
        self.segments.get(self.segments.choose(hash), access).segment_full.store(true, Ordering::Relaxed);
        Err(Refusal::SegmentFull)
    }

    /// Takes note of an added state, and calls a barrier when its segment should grow.
    #[inline(always)]
    pub fn count(&self, access: &SharedAccess<'_>, hash: u64, unreported: &mut UnreportedCounts) {
        self.segments.count(self.segments.choose(hash), access, unreported);
    }

    /// Plans growth, if `reserve` has the bytes for it. Whether it had.
    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool {
        self.segments.plan(exclusive, reserve)
    }

    /// Does what is planned.
    pub fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64)) {
        self.segments.grow(exclusive, release);
    }
}

impl Lines {
    fn count(&self) -> usize {
        self.counts[self.segment].load(Ordering::Relaxed) as usize
    }

    /// A small factor keeps tables full: 0.56 to 0.75, so 10.7 to 14.2 bytes per state, and since segments part company
    /// when they first grow, always about the mean of it.
    fn next_count(&self, part: f64) -> usize {
        let count = self.count();
        if count == START { SPREAD + (SPREAD as f64 / 3.0 * part) as usize } else { count + count / 3 + 1 }
    }
}

/// Puts entries into lines that were empty at first, one worker alone.
struct Placing<'a> {
    lines: &'a [&'a Line],
    /// Slots used of each line.
    used: Vec<u8>,
}

impl Placing<'_> {
    /// Puts an entry into the first line from its home on that has room. Not if that is beyond the last line.
    #[inline]
    fn place(&mut self, entry: u64) -> bool {
        let from = home(self.lines.len(), tag_in(entry));
        let Some(ahead) = self.used[from..].iter().position(|&used| usize::from(used) < SLOTS) else { return false };
        self.put(from + ahead, entry);
        true
    }

    /// Begins again at the first line.
    fn place_round(&mut self, entry: u64) {
        if !self.place(entry) {
            let at = self.used.iter().position(|&used| usize::from(used) < SLOTS);
            self.put(at.expect("a table that has grown has room"), entry);
        }
    }

    #[inline]
    fn put(&mut self, line: usize, entry: u64) {
        self.lines[line].0[usize::from(self.used[line]) % SLOTS].store(entry, Ordering::Relaxed);
        self.used[line] += 1;
    }
}

impl Content for Lines {
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

    /// Where they are, from the last line to the first: an entry moves to its own line or a later one, which is empty by
    /// then but for those that have moved there. The few others, because they are far from home or would have to begin
    /// again at the first line, wait until all lines are empty.
    fn grow(&mut self, part: f64) {
        let (old, new) = (self.count(), self.next_count(part));
        assert!(new <= self.region.room());
        self.counts[self.segment].store(u32::try_from(new).expect("fewer than there is room for"), Ordering::Relaxed);
        *self.segment_full.get_mut() = false;
        // SAFETY: a table has its memory as long as its segments, and there is room for so many lines.
        let lines: Vec<&Line> = (0..new).map(|at| unsafe { self.region.line(at) }).collect();
        let mut placing = Placing { lines: &lines, used: vec![0; new] };
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
                if home(new, tag_in(*slot)) < at || !placing.place(*slot) {
                    later.push(*slot);
                }
            }
        }
        later.into_iter().for_each(|entry| placing.place_round(entry));
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
                    Err(Refusal::SegmentFull) => access.request(),
                    other => break other.unwrap(),
                }
                grow(&table, &mut access, &mut reserved);
            };
            assert_eq!(added, (i as u32, true));
            table.count(&access, hash, &mut unreported);
            if access.is_requested() {
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

    /// The worst hashes only cost time: all in one segment, all in the last slots of it, all with the same tag.
    #[test]
    fn survives_bad_hashes() {
        check(&(0..5_000u64).map(|n| n << 32).collect::<Vec<_>>());
        check(&(0..5_000u64).map(|n| (u64::from(u32::MAX) - n % 5) << 32 | (n << 8)).collect::<Vec<_>>());
        check(&(0..5_000).collect::<Vec<u64>>());
    }
}
