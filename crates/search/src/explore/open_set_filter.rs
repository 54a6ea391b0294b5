//! The open-set filter: an approximate set of the states that a breadth-first search has found on the current level.
//! They are open.
//!
//! It serves the cycle proviso of partial-order reduction, in the form of the open-set proviso: an ample set is
//! permitted only if one of its successors is expanded later, so that no transition is ignored for ever. The
//! successor need not be new; a state that was found earlier on the level suffices, and where transitions commute,
//! most successors are such states. Forgetting a state is sound: it costs one unnecessary full expansion.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

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

/// A state and the level on which it was found. One worker at a time writes it; what others read meanwhile is ignored.
#[derive(Default, Debug)]
struct Slot {
    /// The number of changes; odd during a change.
    changes: AtomicU32,
    level: AtomicU32,
    id: [AtomicU64; 2],
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

    /// Inserts a state found on the current level, unless another worker uses the slot.
    #[inline]
    pub fn insert(&self, id: StateId) {
        let Some(slot) = self.slots.get(place(id)) else { return };
        let changes = slot.changes.load(Ordering::Relaxed);
        let begin =
            || slot.changes.compare_exchange(changes, changes.wrapping_add(1), Ordering::Acquire, Ordering::Relaxed);
        if changes % 2 == 0 && begin().is_ok() {
            // A reader that sees one of these values sees the odd number of changes, too.
            fence(Ordering::Release);
            slot.id[0].store(id.0 as u64, Ordering::Relaxed);
            slot.id[1].store((id.0 >> 64) as u64, Ordering::Relaxed);
            slot.level.store(self.level.load(Ordering::Relaxed), Ordering::Relaxed);
            slot.changes.store(changes.wrapping_add(2), Ordering::Release);
        }
    }

    /// Whether the state is known to be found on this level.
    #[inline]
    pub fn contains(&self, id: StateId) -> bool {
        let Some(slot) = self.slots.get(place(id)) else { return false };
        let changes = slot.changes.load(Ordering::Acquire);
        let [low, high] = slot.id.each_ref().map(|half| half.load(Ordering::Relaxed));
        let level = slot.level.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let stable = changes % 2 == 0 && slot.changes.load(Ordering::Relaxed) == changes;
        stable && level == self.level.load(Ordering::Relaxed) && u128::from(high) << 64 | u128::from(low) == id.0
    }
}

/// Multiplicative hashing spreads consecutive ids evenly.
fn place(StateId(id): StateId) -> usize {
    let folded = id as u64 ^ ((id >> 64) as u64).rotate_left(32);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_belong_to_one_level() {
        let filter = OpenSetFilter::new(true);
        assert!(!filter.contains(StateId::new(0)));
        (0..1000).for_each(|id| filter.insert(StateId::new(id)));
        assert!((0..1000).all(|id| filter.contains(StateId::new(id))));
        assert!((1000..2000).all(|id| !filter.contains(StateId::new(id))));
        filter.advance();
        assert!((0..1000).all(|id| !filter.contains(StateId::new(id))));
        filter.insert(StateId::new(7));
        assert!(filter.contains(StateId::new(7)) && !filter.contains(StateId::new(8)));
    }

    #[test]
    fn false_negatives_only() {
        let filter = OpenSetFilter::new(true);
        let even = |id: u64| id.is_multiple_of(2);
        (0..1 << 20).filter(|id| even(*id)).for_each(|id| filter.insert(StateId::new(id)));
        let known = (0..1 << 20).filter(|id| filter.contains(StateId::new(*id))).collect::<Vec<u64>>();
        assert!(known.iter().all(|id| even(*id)));
        assert!(known.len() > SLOTS / 2);
        let nothing = OpenSetFilter::new(false);
        nothing.insert(StateId::new(1));
        assert!(!nothing.contains(StateId::new(1)));
    }

    /// Two workers insert states that share a slot and differ in both halves of their ids. A third never finds a mixture of the
    /// two, because that state is not open.
    #[test]
    fn ids_are_not_mixed() {
        let home = place(StateId(0));
        let high = (1..).find(|high| place(StateId(high << 64)) == home).unwrap();
        let shares = |low: u128| [low, high << 64 | low].iter().all(|id| place(StateId(*id)) == home);
        let low = (1..1 << 32).find(|low| shares(*low)).unwrap();
        let (filter, written) = (OpenSetFilter::new(true), [StateId(0), StateId(high << 64 | low)]);
        std::thread::scope(|scope| {
            let filter = &filter;
            let insert = |id| move || (0..2_000_000).for_each(|_| filter.insert(id));
            let writers = written.map(|id| scope.spawn(insert(id)));
            while !writers.iter().all(|writer| writer.is_finished()) {
                assert!(!filter.contains(StateId(high << 64)) && !filter.contains(StateId(low)));
            }
        });
        // Until then a slot that is being written hides both, for as long as its writer has no processor.
        assert_eq!(written.iter().filter(|id| filter.contains(**id)).count(), 1, "one of the states is found");
    }
}
