//! The exact stores, compared with the hash set of the standard library.

use std::collections::{HashMap, HashSet};
use std::sync::Barrier;

use crate::graph::Random;
use kripke_model::Batch;
use kripke_search::store::{Capacity, ExactStore, Full, Handle, Omission, Seen, StateId, Store, TreeStore, WordStore};

fn batch<'a>(states: impl IntoIterator<Item = &'a Vec<u8>>) -> Batch {
    let mut batch = Batch::new();
    states.into_iter().for_each(|state| batch.push(state));
    batch
}

fn intern(handle: &mut impl Handle, batch: &Batch, seen: &mut Vec<Seen>) -> Result<(), Full> {
    seen.clear();
    handle.intern(batch, &[], |found| seen.push(found))
}

/// A state of random length: often equal to an earlier one, or a prefix of one.
fn state(random: &mut Random, kinds: u64, fixed: Option<usize>) -> Vec<u8> {
    let seed = random.below_u64(kinds);
    let mut content = Random::new(seed);
    let length = fixed.unwrap_or_else(|| content.below_u64(90) as usize);
    (0..length).map(|_| content.below_u64(3) as u8).collect()
}

fn agree<S: Store>(store: &S, seed: u64) {
    agree_on(store, seed, seed.is_multiple_of(2).then_some(12 + seed as usize));
}

/// The store agrees with a set, on states of this length or of any.
fn agree_on<S: Store>(store: &S, seed: u64, fixed: Option<usize>) {
    let mut random = Random::new(seed);
    let kinds = 1 + random.below_u64(30_000);
    let mut handle = store.handle();
    handle.enter();
    let mut ids: HashMap<Vec<u8>, StateId> = HashMap::new();
    let mut seen = Vec::new();
    while ids.len() < 5_000.min(kinds as usize / 4) {
        let states: Vec<_> = (0..random.below_u64(300)).map(|_| state(&mut random, kinds, fixed)).collect();
        intern(&mut handle, &batch(&states), &mut seen).unwrap();
        assert_eq!(seen.len(), states.len());
        for (state, &Seen { id, new, .. }) in states.into_iter().zip(&seen) {
            assert_eq!(new, !ids.contains_key(&state));
            assert_eq!(*ids.entry(state).or_insert(id), id);
        }
    }
    assert_eq!(store.len(), ids.len() as u64);
    assert_eq!(ids.values().collect::<HashSet<_>>().len(), ids.len(), "each has its own");
    let mut fetched = Vec::new();
    for (i, (state, &id)) in ids.iter().enumerate() {
        handle.fetch(id, &mut fetched);
        assert_eq!(fetched, *state);
        assert!(!handle.is_visited(id));
        if i % 2 == 0 {
            assert!(handle.visit(id) && !handle.visit(id), "it is visited for the first time once");
        }
    }
    for (i, &id) in ids.values().enumerate() {
        assert_eq!(handle.is_visited(id), i % 2 == 0);
    }
    intern(&mut handle, &batch(ids.keys()), &mut seen).unwrap();
    for (i, (&seen, &id)) in seen.iter().zip(ids.values()).enumerate() {
        assert_eq!((seen.id, seen.new, handle.was_visited(seen)), (id, false, i % 2 == 0));
    }
    assert_eq!(store.longest(), ids.keys().map(Vec::len).max().unwrap_or(0) as u64);
    assert_eq!(store.omission(), Omission::Exact);
}

#[test]
fn agrees_with_a_set() {
    for seed in 0..60 {
        agree(&ExactStore::new(Capacity::UNLIMITED, 1), seed);
        agree(&TreeStore::new(Capacity::UNLIMITED, 1), seed);
    }
}

#[test]
fn states_in_words_agree_with_a_set() {
    for seed in 0..5 {
        for words in 1..=8 {
            let bits = 64 * words as u32 - seed as u32;
            let store = ExactStore::new(Capacity::UNLIMITED, 1).with_words(Some(bits));
            agree_on(&store, seed, Some(8 * words));
        }
    }
}

#[test]
fn states_may_have_any_number_of_lengths() {
    let states: Vec<Vec<u8>> = (0..900).map(|n| (0..n * 7 % 1000).map(|at| (at * n % 251) as u8).collect()).collect();
    let store = TreeStore::new(Capacity::UNLIMITED, 1);
    let (mut handle, mut seen, mut again, mut fetched) = (store.handle(), Vec::new(), Vec::new(), Vec::new());
    handle.enter();
    intern(&mut handle, &batch(&states), &mut seen).unwrap();
    intern(&mut handle, &batch(&states), &mut again).unwrap();
    for ((state, seen), again) in states.iter().zip(&seen).zip(&again) {
        assert!(seen.new && !again.new && seen.id == again.id, "length {}", state.len());
        handle.fetch(seen.id, &mut fetched);
        assert_eq!(fetched, *state);
    }
}

/// Several workers add the same states in different orders. Each state is new to exactly one of them.
fn contend<S: Store>(store: &S, workers: usize, seed: u64, fixed: Option<usize>) {
    let kinds = 20_000;
    let all: Vec<Vec<u8>> = {
        let mut random = Random::new(seed);
        (0..30_000).map(|_| state(&mut random, kinds, fixed)).collect()
    };
    let start = Barrier::new(workers);
    let found: Vec<Vec<(usize, Seen)>> = std::thread::scope(|scope| {
        let worker = |n: usize| {
            let (all, start) = (&all, &start);
            move || {
                let mut handle = store.handle();
                let mut random = Random::new(seed * 100 + n as u64);
                let (mut found, mut seen) = (Vec::new(), Vec::new());
                start.wait();
                handle.enter();
                for turn in 0..300 {
                    let at = random.below_u64(all.len() as u64 - 200) as usize;
                    let at = if turn < 150 { turn * 199 } else { at };
                    intern(&mut handle, &batch(&all[at..at + 1 + random.below_u64(199) as usize]), &mut seen).unwrap();
                    found.extend(seen.iter().enumerate().map(|(i, &seen)| (at + i, seen)));
                    if random.below_u64(20) == 0 {
                        handle.leave();
                        std::thread::yield_now();
                        handle.enter();
                    }
                }
                handle.leave();
                found
            }
        };
        let threads: Vec<_> = (0..workers).map(|n| scope.spawn(worker(n))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut ids: HashMap<&Vec<u8>, StateId> = HashMap::new();
    let mut new = 0;
    for &(at, seen) in found.iter().flatten() {
        assert_eq!(*ids.entry(&all[at]).or_insert(seen.id), seen.id);
        new += usize::from(seen.new);
    }
    assert_eq!((new, store.len()), (ids.len(), ids.len() as u64));
    assert_eq!(ids.values().collect::<HashSet<_>>().len(), ids.len());
}

#[test]
fn each_state_is_new_once() {
    for seed in 0..8 {
        for workers in [2, 4] {
            let fixed = (seed % 2 == 0).then_some(10 + seed as usize);
            contend(&ExactStore::new(Capacity::UNLIMITED, workers), workers, seed, fixed);
            let words = 3 + seed % 6;
            let in_words = ExactStore::new(Capacity::UNLIMITED, workers).with_words(Some(64 * words as u32));
            contend(&in_words, workers, seed, Some(8 * words as usize));
            contend(&TreeStore::new(Capacity::UNLIMITED, workers), workers, seed, fixed);
            contend(&WordStore::<u64>::new(64, Capacity::UNLIMITED, workers), workers, seed, Some(8));
            contend(&WordStore::<u128>::new(127, Capacity::UNLIMITED, workers), workers, seed, Some(16));
        }
    }
}

/// Bytes per state besides the state itself, for two million states.
fn overhead<S: Store>(store: &S) -> f64 {
    let mut handle = store.handle();
    handle.enter();
    let (mut seen, mut ids) = (Vec::new(), Vec::new());
    let count = 2_000_000u32;
    for start in (0..count).step_by(1000) {
        let states: Vec<_> = (start..start + 1000).map(|n| n.to_le_bytes().repeat(6)).collect();
        intern(&mut handle, &batch(&states), &mut seen).unwrap();
        assert!(seen.iter().all(|seen| seen.new));
        ids.extend(seen.iter().map(|seen| seen.id));
    }
    for start in (0..count).step_by(1000) {
        let states: Vec<_> = (start..start + 1000).map(|n| n.to_le_bytes().repeat(6)).collect();
        intern(&mut handle, &batch(&states), &mut seen).unwrap();
        assert!(seen.iter().zip(start..).all(|(seen, n)| *seen == Seen::plain(ids[n as usize], false)));
    }
    store.bytes() as f64 / f64::from(count) - 24.0
}

#[test]
fn grows_without_much_overhead() {
    let overhead = overhead(&ExactStore::new(Capacity::UNLIMITED, 1));
    assert!((8.0..13.0).contains(&overhead), "{overhead} bytes more per state than the state has");
}

#[test]
fn full_of_states() {
    let store = ExactStore::new(Capacity { states: 10, bytes: u64::MAX }, 1);
    let mut handle = store.handle();
    handle.enter();
    let states: Vec<_> = (0..20u8).map(|n| vec![n]).collect();
    let mut seen = Vec::new();
    assert_eq!(intern(&mut handle, &batch(&states), &mut seen), Err(Full::States));
    assert_eq!((seen.len(), store.len()), (10, 10));
    assert_eq!(intern(&mut handle, &batch(&states[..10]), &mut seen), Ok(()), "what is there is still found");
    assert!(seen.iter().all(|seen| !seen.new));
    assert_eq!(intern(&mut handle, &batch(&states[9..]), &mut seen), Err(Full::States));
    assert_eq!(seen.len(), 1);
}

#[test]
fn full_of_bytes() {
    for kib in [0, 100, 200, 1000] {
        let bytes = kib * 1024;
        let store = ExactStore::new(Capacity { bytes, ..Capacity::UNLIMITED }, 1);
        let mut handle = store.handle();
        handle.enter();
        let empty = store.bytes();
        let mut seen = Vec::new();
        let mut stored = 0;
        let full = (0..1_000_000u32).find_map(|n| {
            let interned = intern(&mut handle, &batch([&n.to_le_bytes().to_vec()]), &mut seen);
            stored = n;
            interned.err()
        });
        assert_eq!(full, Some(Full::Memory));
        assert_eq!(store.len(), u64::from(stored));
        assert!(store.bytes() <= bytes.max(empty) + 1024, "{} of {bytes}", store.bytes());
    }
}
