//! Which states a breadth-first search has found on the level it is at, as far as it remembers: these will be expanded yet.
//!
//! Partial-order reduction may leave a move out if one of those it takes leads to a state that is expanded later, so that
//! nothing is put off for ever. It need not be a new one: one that another state of the level has led to before will do,
//! and where moves commute, most are. To forget a state costs an expansion that was not needed, and no more.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::store::StateId;

/// A power of two.
const SLOTS: usize = 1 << 14;

/// Shared by all workers.
#[derive(Debug)]
pub(super) struct Newcomers {
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

impl Newcomers {
    /// Remembers nothing unless it is wanted.
    pub fn new(wanted: bool) -> Newcomers {
        let slots = if wanted { SLOTS } else { 0 };
        Newcomers { level: AtomicU32::new(1), slots: (0..slots).map(|_| Slot::default()).collect() }
    }

    /// All states found so far are expanded, or on the level that is expanded next. To be called between two levels.
    pub fn advance(&self) {
        self.level.fetch_add(1, Ordering::Relaxed);
    }

    #[inline]
    pub fn note(&self, StateId(id): StateId) {
        if let Some(slot) = self.slots.get(place(id)) {
            slot.id.store(id, Ordering::Relaxed);
            slot.level.store(self.level.load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Whether the state was surely found on this level.
    #[inline]
    pub fn has(&self, StateId(id): StateId) -> bool {
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
        let newcomers = Newcomers::new(true);
        assert!(!newcomers.has(StateId(0)));
        (0..1000).for_each(|id| newcomers.note(StateId(id)));
        assert!((0..1000).all(|id| newcomers.has(StateId(id))));
        assert!((1000..2000).all(|id| !newcomers.has(StateId(id))));
        newcomers.advance();
        assert!((0..1000).all(|id| !newcomers.has(StateId(id))));
        newcomers.note(StateId(7));
        assert!(newcomers.has(StateId(7)) && !newcomers.has(StateId(8)));
    }

    #[test]
    fn forgets_but_never_invents() {
        let newcomers = Newcomers::new(true);
        let even = |id: u64| id.is_multiple_of(2);
        (0..1 << 20).filter(|id| even(*id)).for_each(|id| newcomers.note(StateId(id)));
        let known = (0..1 << 20).filter(|id| newcomers.has(StateId(*id))).collect::<Vec<u64>>();
        assert!(known.iter().all(|id| even(*id)));
        assert!(known.len() > SLOTS / 2);
        let nothing = Newcomers::new(false);
        nothing.note(StateId(1));
        assert!(!nothing.has(StateId(1)));
    }
}
