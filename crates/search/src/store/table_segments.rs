//! Tables in parts that grow one by one, so that no growth takes long, while all workers are in a
//! [barrier](super::resize_barrier).
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::fmt::Debug;

use super::resize_barrier::{ExclusiveAccess, SharedAccess};
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering};

/// Bytes for each worker to move in one barrier, so that none is kept long.
const MOVED: u64 = 4 << 20;

/// What a segment holds: slots that workers fill.
pub(super) trait Content: Debug {
    /// The number of slots used at which it should grow.
    fn full(&self) -> usize;

    /// All slots.
    fn slots(&self) -> usize;

    /// Whether something could not be added.
    fn must_grow(&self) -> bool;

    fn bytes(&self) -> u64;

    /// About the bytes that are needed to grow. Segments have different sizes, by `part` of all, from the first time
    /// they grow: later on, they do not all grow at once.
    fn more_bytes(&self, part: f64) -> u64;

    /// Makes more room.
    fn grow(&mut self, part: f64);
}

#[derive(Debug)]
pub(super) struct Segments<C> {
    segments: Box<[Segment<C>]>,
    workers: usize,
    bytes: AtomicU64,
    /// What is to be done in this barrier: segments, and the bytes reserved for them.
    plan: Mutex<Vec<(usize, u64)>>,
}

#[derive(Debug)]
#[repr(align(64))]
struct Segment<C> {
    content: UnsafeCell<C>,
    /// Slots used, as far as workers have told.
    used: AtomicUsize,
}

// SAFETY: the content is changed only by who has the right to (`ExclusiveAccess`), each by one worker, while all who have the
// right to look at it (`SharedAccess`) wait; apart from that it is shared as any `Sync` thing is.
unsafe impl<C: Sync + Send> Sync for Segment<C> {}

/// Slots that a worker has filled without telling, by segment.
#[derive(Clone, Debug)]
pub(crate) struct UnreportedCounts(Box<[u32]>);

impl<C: Content> Segments<C> {
    /// So many segments, a power of two.
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

    /// Whether nobody else uses it, ever.
    #[inline]
    pub fn is_private(&self) -> bool {
        self.workers == 1
    }

    /// The last bits of a hash choose a segment.
    #[inline]
    pub fn choose(&self, hash: u64) -> usize {
        hash as usize & (self.segments.len() - 1)
    }

    #[inline]
    pub fn get<'a>(&'a self, segment: usize, _: &'a SharedAccess<'_>) -> &'a C {
        // SAFETY: nobody changes it as long as somebody has a access and does not attend a barrier; attending needs the
        // access for itself, so this reference is gone by then.
        unsafe { &*self.segments[segment].content.get() }
    }

    /// Takes note of a slot that was filled, and calls a barrier when its segment should grow.
    #[inline]
    pub fn count(&self, segment: usize, access: &SharedAccess<'_>, unreported: &mut UnreportedCounts) {
        let added = &mut unreported.0[segment];
        *added += 1;
        let content = self.get(segment, access);
        if *added as usize * 32 * self.workers >= content.slots() {
            let added = std::mem::take(added) as usize;
            let used = self.segments[segment].used.fetch_add(added, Ordering::Relaxed) + added;
            if used >= content.full() {
                access.request();
            }
        }
    }

    /// Plans to grow the fullest segments, if `reserve` has the bytes for them. Whether it had.
    #[cold]
    pub fn plan(&self, exclusive: &ExclusiveAccess<'_>, mut reserve: impl FnMut(u64) -> bool) -> bool {
        let mut full: Vec<(usize, usize)> = (0..self.segments.len())
            .map(|segment| (self.fullness(segment, exclusive), segment))
            .filter(|&(fullness, _)| fullness >= 15)
            .collect();
        full.sort_by_key(|&(fullness, segment)| (usize::MAX - fullness, segment));
        let mut plan = self.plan.lock().expect("no panic while planning");
        let mut moved = 0;
        for (fullness, segment) in full {
            let bytes = self.look(segment, exclusive).more_bytes(self.part(segment));
            moved = u64::saturating_add(moved, bytes);
            if moved > MOVED * self.workers as u64 && !plan.is_empty() {
                break;
            }
            if !reserve(bytes) {
                // What is not yet full can wait; what is full can't.
                return fullness < 16 || !plan.is_empty();
            }
            plan.push((segment, bytes));
        }
        true
    }

    /// Grows segments until all that is planned is done, and gives bytes that were in use or reserved before and are
    /// not any more back to `release`.
    #[cold]
    pub fn grow(&self, _: &ExclusiveAccess<'_>, mut release: impl FnMut(u64)) {
        loop {
            let next = self.plan.lock().expect("no panic while planning").pop();
            let Some((segment, reserved)) = next else { return };
            // SAFETY: all workers that have a access are in this barrier, and no other worker has this entry of the plan.
            let content = unsafe { &mut *self.segments[segment].content.get() };
            let before = content.bytes();
            content.grow(self.part(segment));
            let after = content.bytes();
            self.bytes.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
            release((before + reserved).saturating_sub(after));
        }
    }

    /// In sixteenths of what makes a segment grow.
    fn fullness(&self, segment: usize, exclusive: &ExclusiveAccess<'_>) -> usize {
        let content = self.look(segment, exclusive);
        let used = self.segments[segment].used.load(Ordering::Relaxed);
        if content.must_grow() { usize::MAX } else { used * 16 / content.full() }
    }

    fn part(&self, segment: usize) -> f64 {
        segment as f64 / self.segments.len() as f64
    }

    fn look<'a>(&'a self, segment: usize, _: &'a ExclusiveAccess<'_>) -> &'a C {
        // SAFETY: used in a barrier on segments that nobody is growing: before the work begins, or by who is going to.
        unsafe { &*self.segments[segment].content.get() }
    }
}
