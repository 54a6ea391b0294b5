//! Numbers of states that several workers assign: those of the store, or, in a store with notes, notes that the workers set.

use super::pages::Pages;
use crate::store::{Handle, Seen, StateId, Store};
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Numbers that a worker takes at once.
const BLOCK: u32 = if cfg!(shuttle) { 2 } else { 256 };

/// Numbers from 1 on for the states of a store with notes; other stores number their states themselves. The worker that sets
/// the note of a state has assigned its number; numbers of workers that come second remain unused.
pub(in crate::explore) struct Numbering {
    /// The number of blocks that were taken, after numbers that are not available.
    blocks: AtomicU32,
    after: u32,
}

/// The numbers of all states, and the states of all numbers.
pub(in crate::explore) struct StateNumbers {
    numbering: Numbering,
    /// The id of the state with each number.
    ids: Pages<IdCell>,
}

#[derive(Default)]
struct IdCell([AtomicU64; 2]);

/// The numbers that a worker has taken and not yet assigned.
#[derive(Default)]
pub(in crate::explore) struct NumberBlock {
    next: u32,
    left: u32,
}

impl Numbering {
    /// Assigns numbers above `after`: the notes of other states are these numbers.
    pub fn after(after: u32) -> Numbering {
        Numbering { blocks: AtomicU32::new(0), after }
    }

    /// The number of a state that was interned before. `prepare` is called with a number before it is assigned.
    pub fn of<S: Store>(
        &self,
        handle: &S::Handle<'_>,
        seen: Seen,
        block: &mut NumberBlock,
        prepare: impl FnOnce(u32),
    ) -> u32 {
        if !S::NOTES {
            return seen.id.number();
        }
        if seen.note != 0 {
            return seen.note;
        }
        if block.left == 0 {
            let first = self.blocks.fetch_add(1, Ordering::Relaxed).checked_mul(BLOCK);
            let first = first.and_then(|first| first.checked_add(self.after));
            let first = first.filter(|first| first.checked_add(BLOCK).is_some());
            *block = NumberBlock { next: first.expect("fewer than 2^32 numbers are taken") + 1, left: BLOCK };
        }
        prepare(block.next);
        match handle.set_first_note(seen.id, block.next) {
            0 => {
                (block.next, block.left) = (block.next + 1, block.left - 1);
                block.next - 1
            }
            other => other,
        }
    }
}

impl StateNumbers {
    pub fn new() -> StateNumbers {
        StateNumbers { numbering: Numbering::after(0), ids: Pages::new() }
    }

    pub fn bytes(&self) -> u64 {
        self.ids.bytes()
    }

    /// The number of a state that was interned before.
    pub fn of<S: Store>(&self, handle: &S::Handle<'_>, seen: Seen, block: &mut NumberBlock) -> u32 {
        // The id is written before the note that publishes the number.
        self.numbering.of::<S>(handle, seen, block, |number| {
            let IdCell([low, high]) = self.ids.get(number);
            low.store(seen.id.0 as u64, Ordering::Relaxed);
            high.store((seen.id.0 >> 64) as u64, Ordering::Relaxed);
        })
    }

    /// The id of the state with a number.
    pub fn id<S: Store>(&self, number: u32) -> StateId {
        if !S::NOTES {
            return StateId::numbered(number);
        }
        let IdCell([low, high]) = self.ids.get(number);
        StateId(u128::from(low.load(Ordering::Relaxed)) | u128::from(high.load(Ordering::Relaxed)) << 64)
    }
}

#[cfg(all(test, shuttle))]
mod schedules {
    use std::sync::Arc;

    use kripke_model::Batch;

    use super::*;
    use crate::store::{Capacity, WordStore};

    type Words = WordStore<u64, 32>;

    /// Interns states, in an order of its own, and returns the number of each.
    fn number_all(store: &Words, numbers: &StateNumbers, states: &[u64]) -> Vec<(u64, u32)> {
        let (mut handle, mut block) = (store.handle(), NumberBlock::default());
        handle.enter();
        let mut found = Vec::new();
        for &state in states {
            let (mut batch, mut seen) = (Batch::new(), None);
            batch.push(&(state << 38 | state % 4).to_le_bytes());
            assert_eq!(handle.intern(&batch, &[], |interned| seen = Some(interned)), Ok(()));
            let number = numbers.of::<Words>(&handle, seen.expect("a result"), &mut block);
            found.push((state, number));
        }
        handle.leave();
        found
    }

    /// Workers that find the same states give them the same numbers, while the table grows.
    fn contend() {
        let shared = Arc::new((Words::with_notes(46, Capacity::UNLIMITED, 3), StateNumbers::new()));
        let work: [Vec<u64>; 3] = [(0..9).collect(), (0..9).rev().collect(), vec![4, 1, 7, 4, 9]];
        let workers = work.map(|states| {
            let shared = Arc::clone(&shared);
            shuttle::thread::spawn(move || number_all(&shared.0, &shared.1, &states))
        });
        let mut of = std::collections::HashMap::new();
        for (state, number) in workers.into_iter().flat_map(|worker| worker.join().unwrap()) {
            assert_eq!(*of.entry(state).or_insert(number), number, "one state, one number");
            assert_eq!(shared.1.id::<Words>(number).get(), state << 38 | state % 4, "the number leads to the state");
        }
        let distinct: std::collections::HashSet<_> = of.values().collect();
        assert_eq!((of.len(), distinct.len()), (10, 10));
    }

    #[test]
    fn numbers_of_contended_states() {
        shuttle::check_random(contend, 10_000);
        shuttle::check_pct(contend, 10_000, 3);
    }
}
