//! Segments of a table. They grow one by one, so that no resize takes long, while all workers are at the [resize
//! barrier](super::resize_barrier).
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::fmt::Debug;

use super::reserved_memory::Line;
#[cfg(not(shuttle))]
use super::reserved_memory::{FillPattern, MANY_WORKERS, reserve};
use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

/// Bytes that each worker moves in one resize, which bounds its duration to some ten milliseconds.
const MOVED: u64 = 64 << 20;

/// The load, in sixteenths of the load at which a segment should grow, from which it grows in a resize that another segment has
/// requested: for one worker, and for several, who all wait for each other in a resize.
const NEARLY_FULL: [usize; 2] = [15, 12];

/// Size of a huge page.
#[cfg(not(shuttle))]
const HUGE_PAGE: usize = 2 << 20;

/// Size of a small page, and the least number of bytes that are given memory in advance.
#[cfg(not(shuttle))]
const SMALL_PAGE: usize = 4 << 10;
#[cfg(not(shuttle))]
const POPULATED: usize = 16 * SMALL_PAGE;

/// Size up to which lines are in small pages: for few workers, and for many, to whom page faults are a bottleneck. A huge page that
/// is not filled takes too much memory, and on virtual machines its first touch can take longer than those of all small pages.
#[cfg(not(shuttle))]
const SMALL: [usize; 2] = [64 * HUGE_PAGE, HUGE_PAGE / 2];

/// Size of the address range that lines are given first. Only touched pages take memory.
#[cfg(not(shuttle))]
const RANGE: usize = 1 << 37;

/// Lines that are zero at first, and more of them when they [grow](GrowingLines::extend). They move once, to a range of huge
/// pages, which save most of the address translations that lookups wait for.
#[derive(Debug)]
pub(super) struct GrowingLines {
    #[cfg(not(shuttle))]
    map: memmap2::MmapRaw,
    /// The range of huge pages, until the lines move there.
    #[cfg(not(shuttle))]
    huge: Option<memmap2::MmapRaw>,
    /// The size up to which they are in small pages.
    #[cfg(not(shuttle))]
    small: usize,
    #[cfg(not(shuttle))]
    room: usize,
    #[cfg(not(shuttle))]
    length: usize,
    #[cfg(shuttle)]
    lines: Vec<Line>,
}

#[cfg(not(shuttle))]
impl GrowingLines {
    /// So many lines, for so many workers.
    pub fn new(length: usize, workers: usize) -> GrowingLines {
        let small = SMALL[usize::from(workers >= MANY_WORKERS)];
        let mut bytes = RANGE;
        let huge = loop {
            match reserve(bytes, FillPattern::Sparse { workers: 1 }) {
                Ok(map) => break map,
                Err(_) if bytes / 2 >= small.max(length * size_of::<Line>()) => bytes /= 2,
                Err(error) => super::out_of_memory::out_of_memory("a table", &error),
            }
        };
        let map = match reserve(small, FillPattern::Sparse { workers: 1 }) {
            Ok(map) => map,
            Err(error) => super::out_of_memory::out_of_memory("a table", &error),
        };
        assert!(map.as_ptr().cast::<Line>().is_aligned() && huge.as_ptr().cast::<Line>().is_aligned());
        let mut lines = GrowingLines { map, small, room: huge.len() / size_of::<Line>(), huge: Some(huge), length: 0 };
        lines.extend(length);
        lines
    }

    /// The most lines.
    pub fn room(&self) -> usize {
        self.room
    }

    /// The memory of so many of them, in bytes.
    pub fn bytes(&self, length: usize) -> usize {
        let bytes = length * size_of::<Line>();
        if bytes <= self.small { bytes } else { bytes.next_multiple_of(HUGE_PAGE) }
    }

    /// Makes them so many lines.
    pub fn extend(&mut self, length: usize) {
        assert!(self.length <= length && length <= self.room);
        if length * size_of::<Line>() > self.small
            && let Some(huge) = self.huge.take()
        {
            // Huge pages are optional.
            #[cfg(target_os = "linux")]
            let _ = huge.advise(memmap2::Advice::HugePage);
            // SAFETY: both ranges have room for the lines there are, and no other thread can use the lines meanwhile.
            unsafe {
                huge.as_mut_ptr().cast::<Line>().copy_from_nonoverlapping(self.map.as_ptr().cast(), self.length);
            }
            self.map = huge;
        }
        self.populate(length);
        self.length = length;
    }

    /// Gives memory to the lines from the present length up to this one. A page that is read before it is written would take two page
    /// faults: the second one replaces the common page of zeros, and interrupts the other workers.
    fn populate(&self, length: usize) {
        let [first, end] = [self.length, length].map(|lines| (lines * size_of::<Line>()).next_multiple_of(SMALL_PAGE));
        if end - first.min(end) < POPULATED {
            return;
        }
        // It is optional, and old systems do not have it.
        #[cfg(target_os = "linux")]
        let _ = self.map.advise_range(memmap2::Advice::PopulateWrite, first, end - first);
    }
}

#[cfg(not(shuttle))]
impl std::ops::Deref for GrowingLines {
    type Target = [Line];

    #[inline(always)]
    fn deref(&self) -> &[Line] {
        // SAFETY: the mapping has room for so many lines. All bits zero, its initial content, are valid lines, which consist of
        // atomics.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
}

#[cfg(shuttle)]
impl GrowingLines {
    pub fn new(length: usize, _: usize) -> GrowingLines {
        GrowingLines { lines: (0..length).map(|_| Line::default()).collect() }
    }

    pub fn room(&self) -> usize {
        usize::MAX
    }

    pub fn bytes(&self, length: usize) -> usize {
        length * size_of::<Line>()
    }

    pub fn extend(&mut self, length: usize) {
        self.lines.resize_with(length, Line::default);
    }
}

#[cfg(shuttle)]
impl std::ops::Deref for GrowingLines {
    type Target = [Line];

    fn deref(&self) -> &[Line] {
        &self.lines
    }
}

/// The content of a segment: slots that workers fill.
pub(super) trait SegmentContent: Debug {
    /// The number of used slots at which the segment should grow.
    fn full(&self) -> usize;

    /// The number of slots.
    fn slots(&self) -> usize;

    /// Whether an insertion has failed.
    fn must_grow(&self) -> bool;

    /// Memory of the segment, in bytes.
    fn bytes(&self) -> u64;

    /// The approximate number of bytes that growing needs. After its first growth, the size of a segment depends on
    /// `part`, its relative position, so that segments do not all grow at the same time.
    fn more_bytes(&self, part: f64) -> u64;

    /// Grows the segment.
    fn grow(&mut self, part: f64);
}

/// The segments of a table.
#[derive(Debug)]
pub(super) struct Segments<C> {
    segments: Box<[Segment<C>]>,
    workers: usize,
    bytes: AtomicU64,
    /// The segments to grow in this resize, and the bytes reserved for them.
    plan: Mutex<Vec<(usize, u64)>>,
}

#[derive(Debug)]
#[repr(align(64))]
struct Segment<C> {
    content: UnsafeCell<C>,
    /// Used slots, as far as workers have reported them.
    used: AtomicUsize,
}

// SAFETY: the content is changed only under `ExclusiveAccess`, each segment by one worker, while all workers with
// `SharedAccess` wait at the barrier. Otherwise it is shared like any `Sync` value.
unsafe impl<C: Sync + Send> Sync for Segment<C> {}

/// Slots that a worker has filled and not yet reported, by segment.
#[derive(Clone, Debug)]
pub(crate) struct UnreportedCounts(Box<[u32]>);

impl<C: SegmentContent> Segments<C> {
    /// A table of `segments` segments, a power of two.
    pub fn new(segments: usize, workers: usize, content: impl Fn(usize) -> C) -> Segments<C> {
        assert!(segments.is_power_of_two() && workers > 0);
        let segment = |n| Segment { content: UnsafeCell::new(content(n)), used: AtomicUsize::new(0) };
        let bytes = segments as u64 * (content(0).bytes() + size_of::<Segment<C>>() as u64);
        Segments {
            segments: (0..segments).map(segment).collect(),
            workers,
            bytes: AtomicU64::new(bytes),
            plan: Mutex::new(Vec::new()),
        }
    }

    pub fn unreported(&self) -> UnreportedCounts {
        UnreportedCounts(vec![0; self.segments.len()].into())
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether only one worker uses the table.
    #[inline]
    pub fn is_private(&self) -> bool {
        self.workers == 1
    }

    /// The segment of a hash: its last bits.
    #[inline]
    pub fn choose(&self, hash: u64) -> usize {
        hash as usize & (self.segments.len() - 1)
    }

    #[inline]
    pub fn get<'a>(&'a self, segment: usize, _: &'a SharedAccess<'_>) -> &'a C {
        // SAFETY: no worker changes the content while another has access and is not at the barrier. Coming to the
        // barrier requires a mutable borrow of the access, so this reference has ended by then.
        unsafe { &*self.segments[segment].content.get() }
    }

    /// All segments.
    pub fn all<'a>(&'a self, access: &'a SharedAccess<'_>) -> impl Iterator<Item = &'a C> {
        (0..self.segments.len()).map(move |segment| self.get(segment, access))
    }

    /// Counts a filled slot, and requests a resize when its segment should grow.
    #[inline]
    pub fn count(&self, segment: usize, access: &SharedAccess<'_>, unreported: &mut UnreportedCounts) {
        let added = &mut unreported.0[segment];
        *added += 1;
        let content = self.get(segment, access);
        if *added as usize * 32 * self.workers >= content.slots() {
            let added = std::mem::take(added) as usize;
            let used = self.segments[segment].used.fetch_add(added, Ordering::Relaxed) + added;
            if used >= content.full() {
                access.request_resize();
            }
        }
    }

    /// Plans to grow the fullest segments within the bytes that `reserve` grants. False if it granted too few.
    #[cold]
    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, mut reserve: impl FnMut(u64) -> bool) -> bool {
        let mut full: Vec<(usize, usize)> = (0..self.segments.len())
            .map(|segment| (self.fullness(segment, exclusive), segment))
            .filter(|&(fullness, _)| fullness >= NEARLY_FULL[usize::from(self.workers > 1)])
            .collect();
        full.sort_by_key(|&(fullness, segment)| (usize::MAX - fullness, segment));
        let mut plan = self.plan.lock().expect("planning does not panic");
        let mut moved = 0;
        for (fullness, segment) in full {
            let bytes = self.look(segment, exclusive).more_bytes(self.part(segment));
            moved = u64::saturating_add(moved, bytes);
            if moved > MOVED * self.workers as u64 && !plan.is_empty() {
                break;
            }
            if !reserve(bytes) {
                // A segment that is not yet full can grow later; a full one cannot wait.
                return fullness < 16 || !plan.is_empty();
            }
            plan.push((segment, bytes));
        }
        true
    }

    /// Grows segments until the plan is done. `release` receives the bytes that are no longer used or reserved.
    #[cold]
    pub fn grow(&self, _: &ExclusiveAccess<'_>, mut release: impl FnMut(u64)) {
        loop {
            let next = self.plan.lock().expect("planning does not panic").pop();
            let Some((segment, reserved)) = next else { return };
            // SAFETY: all workers with access are at the barrier, and no other worker has this entry of the plan.
            let content = unsafe { &mut *self.segments[segment].content.get() };
            let before = content.bytes();
            content.grow(self.part(segment));
            let after = content.bytes();
            self.bytes.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
            release((before + reserved).saturating_sub(after));
        }
    }

    /// The load of a segment in sixteenths of the load at which it should grow.
    fn fullness(&self, segment: usize, exclusive: &ExclusiveAccess<'_>) -> usize {
        let content = self.look(segment, exclusive);
        let used = self.segments[segment].used.load(Ordering::Relaxed);
        if content.must_grow() { usize::MAX } else { used * 16 / content.full() }
    }

    /// The relative position of a segment. With several workers all segments have the same size and grow together, because each
    /// resize makes all workers wait.
    fn part(&self, segment: usize) -> f64 {
        if self.workers > 1 { 0.0 } else { segment as f64 / self.segments.len() as f64 }
    }

    fn look<'a>(&'a self, segment: usize, _: &'a ExclusiveAccess<'_>) -> &'a C {
        // SAFETY: called at the barrier on segments that no other worker is growing: during planning, or by the
        // worker that grows the segment.
        unsafe { &*self.segments[segment].content.get() }
    }
}
