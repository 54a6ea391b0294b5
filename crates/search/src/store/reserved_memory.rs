//! Reserved address ranges: tables grow in place, and only touched pages take memory.
#![allow(unsafe_code)]

use super::hardware::SLOTS;
use crate::sync::AtomicU64;

/// Size up to which a range uses small pages.
#[cfg(all(target_os = "linux", not(shuttle)))]
const SMALL: usize = 8 << 20;
/// Number of workers at which page faults on small pages become a bottleneck.
#[cfg(not(shuttle))]
pub(super) const MANY_WORKERS: usize = 3;

/// How a range is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FillPattern {
    /// From its start, without gaps.
    Dense,
    /// With gaps, for which huge pages would waste memory, or by few workers, for whom their first touch takes longer than they
    /// save. Huge pages are used only if enough workers benefit.
    Sparse { workers: usize },
}

/// Reserves an address range.
#[cfg(not(shuttle))]
pub(super) fn reserve(bytes: usize, filled: FillPattern) -> std::io::Result<memmap2::MmapRaw> {
    let map = memmap2::MmapRaw::from(memmap2::MmapOptions::new().len(bytes).no_reserve_swap().map_anon()?);
    #[cfg(target_os = "linux")]
    if bytes > SMALL && !matches!(filled, FillPattern::Sparse { workers: ..MANY_WORKERS }) {
        // Huge pages are optional.
        let _ = map.advise_range(memmap2::Advice::HugePage, SMALL, bytes - SMALL);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = filled;
    Ok(map)
}

/// A cache line of slots, which are filled from the first to the last.
#[derive(Default, Debug)]
#[repr(align(64))]
pub(super) struct Line(pub [AtomicU64; SLOTS]);

/// Lines per page of a segment. Pages of different segments alternate, so that a table is compact although its
/// segments grow one by one. That saves address translations.
const PAGE: usize = if cfg!(shuttle) { 4 } else { 64 };

/// The lines of all segments of a table. They are zero at first.
#[derive(Debug)]
pub(super) struct ReservedMemory {
    #[cfg(not(shuttle))]
    map: memmap2::MmapRaw,
    #[cfg(shuttle)]
    lines: Box<[Line]>,
    segments: usize,
    /// Lines reserved for each segment.
    room: usize,
}

impl ReservedMemory {
    /// Reserves `room` lines for each segment (a multiple of a page), or fewer if the system refuses.
    #[cfg(not(shuttle))]
    pub fn new(segments: usize, mut room: usize, workers: usize) -> ReservedMemory {
        loop {
            let bytes = segments * room * size_of::<Line>();
            match reserve(bytes, FillPattern::Sparse { workers }) {
                Ok(map) => {
                    assert!(map.as_ptr().cast::<Line>().is_aligned());
                    return ReservedMemory { map, segments, room };
                }
                Err(_) if room > PAGE => room = (room / 2).next_multiple_of(PAGE),
                Err(error) => super::out_of_memory::out_of_memory("a table", &error),
            }
        }
    }

    #[cfg(shuttle)]
    pub fn new(segments: usize, _: usize, _: usize) -> ReservedMemory {
        let room = 64;
        ReservedMemory { lines: (0..segments * room).map(|_| Line::default()).collect(), segments, room }
    }

    /// Requests huge pages for the whole range. It suits a table that is used evenly from the start.
    pub fn with_huge_pages(self) -> ReservedMemory {
        #[cfg(all(target_os = "linux", not(shuttle)))]
        let _ = self.map.advise(memmap2::Advice::HugePage);
        self
    }

    #[inline(always)]
    pub fn segment(&self, segment: usize) -> Region {
        #[cfg(not(shuttle))]
        let start = self.map.as_ptr().cast::<Line>();
        #[cfg(shuttle)]
        let start = self.lines.as_ptr();
        Region { start: start.wrapping_add(segment * PAGE), skip: self.segments * PAGE, room: self.room }
    }
}

/// The lines of one segment. It must not be used after the memory is dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    start: *const Line,
    /// Distance from one page of the segment to the next, in lines.
    skip: usize,
    room: usize,
}

// SAFETY: it points to shared memory that consists of atomics.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// The number of reserved lines.
    pub fn room(self) -> usize {
        self.room
    }

    /// The line at position `at`.
    ///
    /// # Safety
    /// The memory exists, and `at` is less than the number of reserved lines.
    #[inline(always)]
    pub unsafe fn line<'a>(self, at: usize) -> &'a Line {
        // SAFETY: the caller guarantees the bounds. All bits zero, the initial content of the memory, are valid
        // slots.
        unsafe { &*self.start.add(at / PAGE * self.skip + at % PAGE) }
    }

    /// The `N` numbers from the start of line `at` on, in memory that has one segment.
    ///
    /// # Safety
    /// The memory exists, and all of these numbers are in reserved lines.
    #[inline(always)]
    pub unsafe fn numbers<'a, const N: usize>(self, at: usize) -> &'a [AtomicU64; N] {
        debug_assert_eq!(self.skip, PAGE, "lines of one segment lie end to end");
        // SAFETY: the caller guarantees the bounds; a line consists of numbers, and lines lie end to end.
        unsafe { &*self.start.add(at).cast() }
    }
}
