//! The exact store against the set of the standard library.

mod graph;

use std::collections::HashMap;

use graph::{Random, STEP};
use kripke_model::Batch;
use kripke_search::store::{Capacity, ExactStore, Full, Omission, Seen, StateId, Store};

fn batch<'a>(states: impl IntoIterator<Item = &'a Vec<u8>>) -> Batch {
    let mut batch = Batch::new();
    states.into_iter().for_each(|state| batch.push(state, STEP));
    batch
}

/// A state of random length: often one that was there before, or a part of one.
fn state(random: &mut Random, kinds: u64, fixed: Option<usize>) -> Vec<u8> {
    let seed = random.below(kinds);
    let mut content = Random(seed);
    let length = fixed.unwrap_or_else(|| content.below(90) as usize);
    (0..length).map(|_| content.below(3) as u8).collect()
}

#[test]
fn agrees_with_a_set() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let fixed = (seed % 2 == 0).then_some(12 + seed as usize);
        let kinds = 1 + random.below(30_000);
        let mut store = ExactStore::default();
        let mut ids: HashMap<Vec<u8>, StateId> = HashMap::new();
        let mut seen = Vec::new();
        while ids.len() < 5_000.min(kinds as usize / 4) {
            let states: Vec<_> = (0..random.below(300)).map(|_| state(&mut random, kinds, fixed)).collect();
            store.intern(&batch(&states), &mut seen).unwrap();
            assert_eq!(seen.len(), states.len());
            for (state, seen) in states.into_iter().zip(&seen) {
                let next = StateId(ids.len() as u32);
                let new = !ids.contains_key(&state);
                assert_eq!(*seen, Seen { id: *ids.entry(state).or_insert(next), new });
            }
        }
        assert_eq!(store.len(), ids.len() as u64);
        let mut fetched = Vec::new();
        for (state, &id) in &ids {
            store.fetch(id, &mut fetched);
            assert_eq!(fetched, *state);
        }
        assert_eq!(store.omission(), Omission::Exact);
    }
}

#[test]
fn grows_without_much_overhead() {
    let mut store = ExactStore::default();
    let mut seen = Vec::new();
    let count = 2_000_000u32;
    for start in (0..count).step_by(1000) {
        let states: Vec<_> = (start..start + 1000).map(|n| n.to_le_bytes().repeat(6)).collect();
        store.intern(&batch(&states), &mut seen).unwrap();
        assert!(seen.iter().all(|seen| seen.new));
    }
    for start in (0..count).step_by(1000) {
        let states: Vec<_> = (start..start + 1000).map(|n| n.to_le_bytes().repeat(6)).collect();
        store.intern(&batch(&states), &mut seen).unwrap();
        assert!(seen.iter().zip(start..).all(|(seen, n)| *seen == Seen { id: StateId(n), new: false }));
    }
    let overhead = store.bytes() as f64 / f64::from(count) - 24.0;
    assert!((8.0..13.0).contains(&overhead), "{overhead} bytes more per state than the state has");
}

#[test]
fn full_of_states() {
    let mut store = ExactStore::new(Capacity { states: 10, bytes: u64::MAX });
    let states: Vec<_> = (0..20u8).map(|n| vec![n]).collect();
    let mut seen = Vec::new();
    assert_eq!(store.intern(&batch(&states), &mut seen), Err(Full::States));
    assert_eq!((seen.len(), store.len()), (10, 10));
    assert_eq!(store.intern(&batch(&states[..10]), &mut seen), Ok(()), "what is there is still found");
    assert!(seen.iter().all(|seen| !seen.new));
    assert_eq!(store.intern(&batch(&states[9..]), &mut seen), Err(Full::States));
    assert_eq!(seen.len(), 1);
}

#[test]
fn full_of_bytes() {
    for kib in [0, 100, 200, 1000] {
        let bytes = kib * 1024;
        let mut store = ExactStore::new(Capacity { bytes, ..Capacity::UNLIMITED });
        let empty = store.bytes();
        let mut seen = Vec::new();
        let mut stored = 0;
        let full = (0..1_000_000u32).find_map(|n| {
            let interned = store.intern(&batch([&n.to_le_bytes().to_vec()]), &mut seen);
            stored = n;
            interned.err()
        });
        assert_eq!(full, Some(Full::Memory));
        assert_eq!(store.len(), u64::from(stored));
        assert!(store.bytes() <= bytes.max(empty) + 1024, "{} of {bytes}", store.bytes());
    }
}

#[test]
fn numbers_are_not_cut_short() {
    assert_eq!(StateId::new(0), Some(StateId(0)));
    assert_eq!(StateId::new(StateId::CAPACITY - 1), Some(StateId(u32::MAX - 1)));
    assert_eq!(StateId::new(StateId::CAPACITY), None);
    assert_eq!(StateId::new(1 << 32), None);
}
