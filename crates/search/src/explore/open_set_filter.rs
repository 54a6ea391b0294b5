//! The open-set filter: an approximate set of the states that a breadth-first search has found on the current level.
//! They are open.
//!
//! It serves the cycle proviso of partial-order reduction, in the form of the open-set proviso: an ample set is
//! permitted only if one of its successors is expanded later, so that no transition is ignored for ever. The
//! successor need not be new; a state that was found earlier on the level suffices, and where transitions commute,
//! most successors are such states. Forgetting a state is sound: it costs one unnecessary full expansion.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::store::StateId;

/// Number of slots, a power of two.
const SLOTS: usize = 1 << 14;

/// The filter. All workers share it.
#[derive(Debug)]
pub(super) struct OpenSetFilter {
    /// The current level, counted from 1.
    level: AtomicU32,
    slots: Box<[Slot]>,
}

/// A state and the level on which it was found. All states that are written to a slot during a level were found on
/// it, so any of them may be read once the level matches.
#[derive(Default, Debug)]
struct Slot {
    level: AtomicU32,
    id: AtomicU64,
}

impl OpenSetFilter {
    /// Creates a filter that stays empty unless `enabled`.
    pub fn new(enabled: bool) -> OpenSetFilter {
        let slots = if enabled { SLOTS } else { 0 };
        OpenSetFilter { level: AtomicU32::new(1), slots: (0..slots).map(|_| Slot::default()).collect() }
    }

    /// Starts the next level: the filter becomes empty. It is called between two levels.
    pub fn advance(&self) {
        self.level.fetch_add(1, Ordering::Relaxed);
    }

    /// Inserts a state found on the current level.
    #[inline]
    pub fn insert(&self, StateId(id): StateId) {
        if let Some(slot) = self.slots.get(place(id)) {
            slot.id.store(id, Ordering::Relaxed);
            slot.level.store(self.level.load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Whether the state is known to be found on this level.
    #[inline]
    pub fn contains(&self, StateId(id): StateId) -> bool {
        self.slots.get(place(id)).is_some_and(|slot| {
            slot.level.load(Ordering::Acquire) == self.level.load(Ordering::Relaxed)
                && slot.id.load(Ordering::Relaxed) == id
        })
    }
}

/// Multiplicative hashing spreads consecutive ids evenly.
fn place(id: u64) -> usize {
    (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_belong_to_one_level() {
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
    fn false_negatives_only() {
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
