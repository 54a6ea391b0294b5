//! From the hash of a state to its number.
//!
//! Slots of eight bytes: half of the hash, and the number. The other half picks one of many segments, each an open
//! table of its own that grows on its own, so no growth takes long; segments have different sizes, so they do not
//! all grow at once. Slots come in lines, the unit in which memory is fetched. The line of a slot is its half hash
//! scaled to the number of lines, or the next one with room: order is kept when a segment grows, which makes growing
//! one sweep through memory, without looking at any state.

use super::StateId;
use super::hardware::{SLOTS, matches, prefetch};

const SEGMENTS: usize = 256;
/// Lines of a segment at the start.
const START: usize = 4;
/// Lines of the smallest segment that has grown once.
const SPREAD: usize = 24;
const EMPTY: u64 = 0;
/// The tag of an empty slot.
const NO_TAG: u32 = 0;

#[derive(Debug)]
pub(super) struct Table {
    segments: Vec<Segment>,
    lines: u64,
}

#[derive(Debug)]
struct Segment {
    lines: Box<[Line]>,
    used: usize,
    /// The number of slots used at which it grows.
    full: usize,
}

/// Slots, filled from the first to the last, as large as a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u64; SLOTS]);

/// Where a state that was not found belongs. Void after any other change of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vacancy {
    hash: u64,
    line: usize,
}

impl Table {
    pub fn new() -> Table {
        let segments = (0..SEGMENTS).map(|_| Segment::new(START)).collect();
        Table { segments, lines: (SEGMENTS * START) as u64 }
    }

    pub fn bytes(&self) -> u64 {
        self.lines * size_of::<Line>() as u64 + (SEGMENTS * size_of::<Segment>()) as u64
    }

    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let segment = &self.segments[segment_of(hash)];
        prefetch(&segment.lines, segment.home(tag_of(hash)));
    }

    /// The first state whose hash looks the same: most likely the state itself, if it is there.
    #[inline]
    pub fn candidate(&self, hash: u64) -> Option<StateId> {
        self.find(hash, |_| true).ok()
    }

    /// The state with this hash that `is_it`.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl Fn(StateId) -> bool) -> Result<StateId, Vacancy> {
        let segment = &self.segments[segment_of(hash)];
        let tag = tag_of(hash);
        let mut line = segment.home(tag);
        loop {
            let slots = &segment.lines[line].0;
            let mut hits = matches(slots, tag);
            while hits != 0 {
                let entry = slots[hits.trailing_zeros() as usize % SLOTS];
                if is_it(id_of(entry)) {
                    return Ok(id_of(entry));
                }
                hits &= hits - 1;
            }
            if slots[SLOTS - 1] == EMPTY {
                return Err(Vacancy { hash, line });
            }
            line = segment.after(line);
        }
    }

    /// How many bytes more the table needs before it can take this one: none, most of the time.
    #[inline]
    pub fn growth(&self, at: Vacancy) -> u64 {
        let segment = &self.segments[segment_of(at.hash)];
        if segment.used < segment.full {
            return 0;
        }
        ((grown(segment_of(at.hash), segment.lines.len()) - segment.lines.len()) * size_of::<Line>()) as u64
    }

    #[inline]
    pub fn insert(&mut self, at: Vacancy, id: StateId) {
        let segment = &mut self.segments[segment_of(at.hash)];
        let entry = (u64::from(tag_of(at.hash)) << 32) | u64::from(id.0 + 1);
        if segment.used < segment.full {
            segment.place(entry, at.line);
        } else {
            let size = grown(segment_of(at.hash), segment.lines.len());
            self.lines += (size - segment.lines.len()) as u64;
            segment.grow(size);
            segment.place(entry, segment.home(tag_of(at.hash)));
        }
        segment.used += 1;
    }
}

impl Segment {
    fn new(lines: usize) -> Segment {
        Segment { lines: vec![Line([EMPTY; SLOTS]); lines].into_boxed_slice(), used: 0, full: lines * SLOTS / 4 * 3 }
    }

    #[inline]
    fn home(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.lines.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, line: usize) -> usize {
        if line + 1 == self.lines.len() { 0 } else { line + 1 }
    }

    #[cold]
    fn grow(&mut self, lines: usize) {
        let old = std::mem::replace(self, Segment::new(lines));
        self.used = old.used;
        for &entry in old.lines.iter().flat_map(|line| &line.0).filter(|&&entry| entry != EMPTY) {
            self.place(entry, self.home((entry >> 32) as u32));
        }
    }

    /// Puts an entry that is not there yet into the first line with room.
    #[inline]
    fn place(&mut self, entry: u64, mut line: usize) {
        while self.lines[line].0[SLOTS - 1] != EMPTY {
            line = self.after(line);
        }
        let slots = &mut self.lines[line].0;
        let vacant = matches(slots, NO_TAG).trailing_zeros() as usize;
        slots[vacant % SLOTS] = entry;
    }
}

/// The next size of a segment. A small factor keeps tables full: 0.56 to 0.75, so 10.7 to 14.2 bytes per state, and
/// since segments part company when they first grow, always about the mean of it.
fn grown(segment: usize, lines: usize) -> usize {
    if lines == START { SPREAD + SPREAD / 3 * segment / SEGMENTS } else { lines + lines / 3 }
}

#[inline]
fn segment_of(hash: u64) -> usize {
    hash as usize % SEGMENTS
}

#[inline]
fn tag_of(hash: u64) -> u32 {
    ((hash >> 32) as u32).max(NO_TAG + 1)
}

#[inline]
fn id_of(entry: u64) -> StateId {
    StateId(entry as u32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hashes: &[u64]) {
        let mut table = Table::new();
        for (i, &hash) in hashes.iter().enumerate() {
            let vacancy = table.find(hash, |id| hashes[id.index()] == hash).expect_err("not there yet");
            let before = table.bytes();
            let growth = table.growth(vacancy);
            table.insert(vacancy, StateId(i as u32));
            assert_eq!(table.bytes(), before + growth);
        }
        for (i, &hash) in hashes.iter().enumerate() {
            assert_eq!(table.find(hash, |id| hashes[id.index()] == hash).ok(), Some(StateId(i as u32)));
        }
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
