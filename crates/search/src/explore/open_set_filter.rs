//! Which states a breadth-first search contains found on the level it is at, as far as it remembers: these will be expanded yet.
//!
//! Partial-order reduction may leave a move out if one of those it takes leads to a state that is expanded later, so that
//! nothing is put off for ever. It need not be a new one: one that another state of the level contains led to before will do,
//! and where moves commute, most are. To forget a state costs an expansion that was not needed, and no more.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::store::StateId;

/// A power of two.
const SLOTS: usize = 1 << 14;

/// Shared by all workers.
#[derive(Debug)]
pub(super) struct OpenSetFilter {
    /// Which level it is; counted from 1.
    level: AtomicU32,
    slots: Box<[Slot]>,
}

/// A state and the level it was found on. All that workers write into a slot on one level was found on that, so it does not
/// matter whose state is seen, once the level is.
#[derive(Default, Debug)]
struct Slot {
    level: AtomicU32,
    id: AtomicU64,
}

impl OpenSetFilter {
    /// Remembers nothing unless it is enabled.
    pub fn new(enabled: bool) -> OpenSetFilter {
        let slots = if enabled { SLOTS } else { 0 };
        OpenSetFilter { level: AtomicU32::new(1), slots: (0..slots).map(|_| Slot::default()).collect() }
    }

    /// All states found so far are expanded, or on the level that is expanded next. To be called between two levels.
    pub fn advance(&self) {
        self.level.fetch_add(1, Ordering::Relaxed);
    }

    #[inline]
    pub fn insert(&self, StateId(id): StateId) {
        if let Some(slot) = self.slots.get(place(id)) {
            slot.id.store(id, Ordering::Relaxed);
            slot.level.store(self.level.load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Whether the state was surely found on this level.
    #[inline]
    pub fn contains(&self, StateId(id): StateId) -> bool {
        self.slots.get(place(id)).is_some_and(|slot| {
            slot.level.load(Ordering::Acquire) == self.level.load(Ordering::Relaxed)
                && slot.id.load(Ordering::Relaxed) == id
        })
    }
}

/// Ids that follow each other are spread evenly.
fn place(id: u64) -> usize {
    (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_is_one_for_a_level() {
        let filter = OpenSetFilter::new(true);
        assert!(!filter.contains(StateId(0)));
        (0..1000).for_each(|id| filter.insert(StateId(id)));
        assert!((0..1000).all(|id| filter.contains(StateId(id))));
        assert!((1000..2000).all(|id| !filter.contains(StateId(id))));
        filter.advance();
        assert!((0..1000).all(|id| !filter.contains(StateId(id))));
        filter.insert(StateId(7));
        assert!(filter.contains(StateId(7)) && !filter.contains(StateId(8)));
    }

    #[test]
    fn forgets_but_never_invents() {
        let filter = OpenSetFilter::new(true);
        let even = |id: u64| id.is_multiple_of(2);
        (0..1 << 20).filter(|id| even(*id)).for_each(|id| filter.insert(StateId(id)));
        let known = (0..1 << 20).filter(|id| filter.contains(StateId(*id))).collect::<Vec<u64>>();
        assert!(known.iter().all(|id| even(*id)));
        assert!(known.len() > SLOTS / 2);
        let nothing = OpenSetFilter::new(false);
        nothing.insert(StateId(1));
        assert!(!nothing.contains(StateId(1)));
    }
}
