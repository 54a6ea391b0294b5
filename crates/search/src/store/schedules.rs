//! Tests of thread interleavings: the shuttle scheduler switches between workers at every access to shared memory,
//! and searches for a schedule in which a state is lost, new twice, or corrupted. Tables are tiny here, so they are
//! resized frequently.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test --release -p kripke-search schedules`

use std::collections::HashMap;
use std::sync::Arc;

use kripke_model::Batch;

use super::{Capacity, ExactStore, Full, Handle, Seen, Store, TreeStore, WordStore};

const SCHEDULES: usize = 10_000;

/// Each worker interns its states in two batches and leaves the store in between.
fn contend<S: Store + Send + 'static>(store: S, work: &[Vec<u8>], state: fn(u8) -> Vec<u8>) {
    let store = Arc::new(store);
    let found: Vec<_> = work
        .iter()
        .map(|numbers| {
            let (store, numbers) = (Arc::clone(&store), numbers.clone());
            shuttle::thread::spawn(move || intern(&*store, &numbers, state))
        })
        .collect();
    let mut ids = HashMap::new();
    let mut new = 0;
    for (number, seen) in found.into_iter().flat_map(|worker| worker.join().unwrap()) {
        assert_eq!(*ids.entry(number).or_insert(seen.id), seen.id, "one state, one id");
        new += usize::from(seen.new);
    }
    assert_eq!((new, store.len()), (ids.len(), ids.len() as u64), "each state is new once");
}

fn intern<S: Store>(store: &S, numbers: &[u8], state: fn(u8) -> Vec<u8>) -> Vec<(u8, Seen)> {
    let mut handle = store.handle();
    let (mut found, mut seen, mut fetched) = (Vec::new(), Vec::new(), Vec::new());
    for part in numbers.chunks(numbers.len().div_ceil(2)) {
        let mut batch = Batch::new();
        part.iter().for_each(|&n| batch.push(&state(n)));
        handle.enter();
        seen.clear();
        assert_eq!(handle.intern(&batch, &[], |found| seen.push(found)), Ok(()));
        handle.leave();
        for (&number, &seen) in part.iter().zip(&seen) {
            handle.fetch(seen.id, &mut fetched);
            assert_eq!(fetched, state(number), "the state was written before its id was published");
            found.push((number, seen));
        }
    }
    found
}

fn state(number: u8) -> Vec<u8> {
    vec![number.wrapping_mul(3), 1, 2, number, 4, 5, 6, 7, number % 4, 9]
}

/// A state of two words. Many are equal in the first.
fn word_pair(number: u8) -> Vec<u8> {
    (u128::from(number) << 100 | u128::from(number % 4)).to_le_bytes().into()
}

/// A state of one word, of 46 bits.
fn word(number: u8) -> Vec<u8> {
    (u64::from(number) << 38 | u64::from(number % 4)).to_le_bytes().into()
}

fn overlapping() -> Vec<Vec<u8>> {
    vec![(0..10).collect(), (0..12).rev().collect(), vec![3, 3, 8, 12, 0, 13]]
}

fn check(test: impl Fn() + Send + Sync + Clone + 'static) {
    shuttle::check_random(test.clone(), SCHEDULES);
    shuttle::check_pct(test, SCHEDULES, 3);
}

#[test]
fn exact() {
    check(|| contend(ExactStore::new(Capacity::UNLIMITED, 3), &overlapping(), state));
}

#[test]
fn tree() {
    check(|| contend(TreeStore::new(Capacity::UNLIMITED, 3), &overlapping(), state));
}

#[test]
fn words() {
    check(|| contend(WordStore::<u64>::new(46, Capacity::UNLIMITED, 3), &overlapping(), word));
}

#[test]
fn two_words() {
    check(|| contend(WordStore::<u128>::new(127, Capacity::UNLIMITED, 3), &overlapping(), word_pair));
}

/// The same with workers that ask for new states only.
fn contend_for_new<S: Store + Send + 'static>(store: S, work: &[Vec<u8>], state: fn(u8) -> Vec<u8>) {
    let store = Arc::new(store);
    let found: Vec<_> = work
        .iter()
        .map(|numbers| {
            let (store, numbers) = (Arc::clone(&store), numbers.clone());
            shuttle::thread::spawn(move || intern_new(&*store, &numbers, state))
        })
        .collect();
    let mut new: Vec<u8> = found.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    let mut all = work.concat();
    new.sort_unstable();
    all.sort_unstable();
    all.dedup();
    assert_eq!((store.len(), new), (all.len() as u64, all), "each state is new once");
}

fn intern_new<S: Store>(store: &S, numbers: &[u8], state: fn(u8) -> Vec<u8>) -> Vec<u8> {
    let mut handle = store.handle();
    let (mut new, mut fetched) = (Vec::new(), Vec::new());
    for part in numbers.chunks(numbers.len().div_ceil(2)) {
        let (mut batch, mut found) = (Batch::new(), Vec::new());
        part.iter().for_each(|&n| batch.push(&state(n)));
        handle.enter();
        let done = handle.intern_new(&batch, &[], |index, seen| found.push((index, seen)));
        assert_eq!(done, (part.len() as u64, Ok(())));
        handle.leave();
        assert!(found.is_sorted_by_key(|(index, _)| *index), "in the order of the batch");
        for (index, seen) in found {
            assert!(seen.new);
            handle.fetch(seen.id, &mut fetched);
            assert_eq!(fetched, state(part[index]), "the index is that of the state");
            new.push(part[index]);
        }
    }
    new
}

#[test]
fn new_words() {
    check(|| contend_for_new(WordStore::<u64>::new(46, Capacity::UNLIMITED, 3), &overlapping(), word));
}

#[test]
fn new_pairs_of_words() {
    check(|| contend_for_new(WordStore::<u128>::new(127, Capacity::UNLIMITED, 3), &overlapping(), word_pair));
}

/// Workers add bits to the notes of states while others intern states and tables grow. No bit is lost, and the first note that is
/// set stays. One more handle looks at the notes at the end.
fn note<S: Store + Send + 'static>(store: S, state: fn(u8) -> Vec<u8>) {
    let store = Arc::new(store);
    let workers: Vec<_> = overlapping()
        .into_iter()
        .zip([1, 2, 4])
        .map(|(numbers, bit)| {
            let store = Arc::clone(&store);
            shuttle::thread::spawn(move || add_to_notes(&*store, &numbers, bit, state))
        })
        .collect();
    let firsts: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
    assert_eq!(firsts.concat().iter().filter(|&&first| first).count(), 14, "one worker is the first at each state");
    let mut handle = store.handle();
    handle.enter();
    for number in 0..14 {
        let having = overlapping().into_iter().zip([1, 2, 4]).filter(|(numbers, _)| numbers.contains(&number));
        let bits = having.fold(0, |bits, (_, bit)| bits | bit);
        let mut batch = Batch::new();
        batch.push(&state(number));
        let mut seen = None;
        assert_eq!(handle.intern(&batch, &[], |found| seen = Some(found)), Ok(()));
        let seen = seen.expect("a result");
        assert_eq!(seen.note, handle.note(seen.id));
        assert_eq!((seen.new, seen.note & 7, seen.note >> 4), (false, bits, 1), "state {number}");
    }
}

/// Interns states one by one and adds a bit to the note of each. Returns for each whether this worker was the first.
fn add_to_notes<S: Store>(store: &S, numbers: &[u8], bit: u32, state: fn(u8) -> Vec<u8>) -> Vec<bool> {
    const FIRST: u32 = 1 << 4;
    let mut handle = store.handle();
    let mut firsts = Vec::new();
    handle.enter();
    for &number in numbers {
        let (mut batch, mut seen) = (Batch::new(), None);
        batch.push(&state(number));
        assert_eq!(handle.intern(&batch, &[], |found| seen = Some(found)), Ok(()));
        let id = seen.expect("a result").id;
        firsts.push(handle.set_first_note(id, FIRST) == 0);
        assert_eq!(handle.add_to_note(id, bit) & FIRST, FIRST, "the first note is there");
        assert_eq!(handle.note(id) & bit, bit);
    }
    handle.leave();
    firsts
}

#[test]
fn notes_of_words() {
    check(|| note(WordStore::<u64, 8>::with_notes(46, Capacity::UNLIMITED, 4), word));
}

#[test]
fn notes_of_two_words() {
    check(|| note(WordStore::<u128, 32>::with_notes(127, Capacity::UNLIMITED, 4), word_pair));
}

#[test]
fn notes_of_trees() {
    check(|| note(TreeStore::<true>::with_notes(Capacity::UNLIMITED, 4), state));
}

/// All workers return, whichever of them reaches the limit.
#[test]
fn refused_growth() {
    check(|| {
        let store = ExactStore::new(Capacity::UNLIMITED, 2);
        let bytes = store.bytes() + 110;
        let store = Arc::new(ExactStore::new(Capacity { bytes, ..Capacity::UNLIMITED }, 2));
        let workers: Vec<_> = (0..2)
            .map(|worker| {
                let store = Arc::clone(&store);
                shuttle::thread::spawn(move || {
                    let mut handle = store.handle();
                    let mut batch = Batch::new();
                    (0..12).for_each(|n| batch.push(&state(n + worker * 6)));
                    handle.enter();
                    handle.intern(&batch, &[], |_| ())
                })
            })
            .collect();
        let ends: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
        assert!(ends.contains(&Err(Full::Memory)), "{ends:?}");
    });
}
