//! Memory that can grow where it is: a range of addresses for all that may ever be needed, of which only what was touched
//! costs anything.
#![allow(unsafe_code)]

use super::hardware::SLOTS;
use crate::sync::AtomicU64;

/// Where huge pages begin: what is small stays small.
#[cfg(all(target_os = "linux", not(shuttle)))]
const SMALL: usize = 8 << 20;
/// So many workers wait for each other when memory is handed out in small pages.
#[cfg(all(target_os = "linux", not(shuttle)))]
const MANY_WORKERS: usize = 3;

/// How a range of addresses is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FillPattern {
    /// From its start, without gaps.
    Dense,
    /// With gaps, that would cost memory if pages were large. So they are only where so many workers gain by it.
    Sparse { workers: usize },
}

/// A range of addresses, if there is one.
#[cfg(not(shuttle))]
pub(super) fn reserve(bytes: usize, filled: FillPattern) -> std::io::Result<memmap2::MmapRaw> {
    let map = memmap2::MmapRaw::from(memmap2::MmapOptions::new().len(bytes).no_reserve_swap().map_anon()?);
    #[cfg(target_os = "linux")]
    if bytes > SMALL && !matches!(filled, FillPattern::Sparse { workers: ..MANY_WORKERS }) {
        // Where there are none, it does without.
        let _ = map.advise_range(memmap2::Advice::HugePage, SMALL, bytes - SMALL);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = filled;
    Ok(map)
}

/// Slots, filled from the first to the last, as large as a line of the cache.
#[derive(Default, Debug)]
#[repr(align(64))]
pub(super) struct Line(pub [AtomicU64; SLOTS]);

/// Lines of a segment that lie together: a page. Pages of different segments alternate, so that a table is compact, for
/// the processor's sake that must translate addresses, though its segments grow one by one.
const PAGE: usize = if cfg!(shuttle) { 4 } else { 64 };

/// Lines for the segments of a table, all zero.
#[derive(Debug)]
pub(super) struct ReservedMemory {
    #[cfg(not(shuttle))]
    map: memmap2::MmapRaw,
    #[cfg(shuttle)]
    lines: Box<[Line]>,
    segments: usize,
    /// Lines of each segment.
    room: usize,
}

impl ReservedMemory {
    /// Room for so many lines in each segment (a multiple of a page), or for fewer if that can't be had.
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
                Err(error) => super::allocator::out_of_memory("a table", &error),
            }
        }
    }

    #[cfg(shuttle)]
    pub fn new(segments: usize, _: usize, _: usize) -> ReservedMemory {
        let room = 64;
        ReservedMemory { lines: (0..segments * room).map(|_| Line::default()).collect(), segments, room }
    }

    /// All of it will be used, here and there: so pages should be huge from the first on.
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

/// The lines of one segment. Must not be used when the memory is gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    start: *const Line,
    /// From one page to the next, in lines.
    skip: usize,
    room: usize,
}

// SAFETY: what it points to is shared, and made of atomics.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// How many lines there could be.
    pub fn room(self) -> usize {
        self.room
    }

    /// # Safety
    /// The memory must still be there, and have room for more than so many lines.
    #[inline(always)]
    pub unsafe fn line<'a>(self, at: usize) -> &'a Line {
        // SAFETY: as the caller promises; all bits zero, as the memory was at first, are valid slots.
        unsafe { &*self.start.add(at / PAGE * self.skip + at % PAGE) }
    }
}
