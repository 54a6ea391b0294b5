//! Interleavings of workers that add numbers whose lanes are equal, while the format of the slots changes.

use std::sync::Arc;

use super::super::resize_barrier::ResizeBarrier;
use super::*;

/// Bits that all workers add to the note of each number.
const NOTES: [u32; 3] = [1, 2, 4];

/// Adds numbers, marks them and adds bits to their notes. Returns how many were new.
fn add_all<W: Word>(shared: &Shared<W>, hashes: &[WordHash<W::Rest>], bits: u32) -> usize {
    let (barrier, table) = shared;
    let (mut access, mut unreported) = (barrier.enter(), table.unreported());
    let mut added = 0;
    for &hash in hashes {
        loop {
            match table.add::<Lanes>(hash, table.home(hash, &access), &access, &mut unreported, || Ok(())) {
                Ok(result) => {
                    added += usize::from(result.is_new());
                    break;
                }
                Err(_) => access.request_resize(),
            }
            access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
        }
        table.visit(hash, &access);
        assert_eq!(table.add_to_note(hash, bits, &access) & !7, 0, "notes of others");
        assert_eq!(table.note(hash, &access) & bits, bits, "the note was added to");
        if access.resize_is_requested() {
            access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
        }
    }
    added
}

/// The table of the workers.
type Shared<W> = (ResizeBarrier, WordTable<W, 8>);

/// Workers that add these numbers to an empty table. Returns how many were new, and the table.
fn run<W: Word + 'static>(
    bits: u32,
    work: [Vec<u64>; 3],
    hash: impl Fn(u64) -> WordHash<W::Rest>,
) -> (usize, Arc<Shared<W>>) {
    let shared = Arc::new((ResizeBarrier::new(), WordTable::<W, 8>::new(bits, 3)));
    let workers = [0, 1, 2].map(|worker| {
        let (shared, note) = (Arc::clone(&shared), NOTES[worker]);
        let hashes: Vec<_> = work[worker].iter().copied().map(&hash).collect();
        shuttle::thread::spawn(move || add_all(&shared, &hashes, note))
    });
    (workers.into_iter().map(|worker| worker.join().unwrap()).sum(), shared)
}

/// `bits` determines the first format, `shift` the parts of the slots in which the hashes differ.
fn contend(bits: u32, shift: u32) {
    let first = format!("{:?}", Shape::new(1, bits, 0, 8).format);
    assert_ne!(first, format!("{:?}", Shape::new(4, bits, 0, 8).format), "the format changes");
    let hash =
        |k: u64| WordHash { order: (k * 37) << shift & ((1 << bits) - 1) | 5, rest: super::super::word_hash::NoRest };
    let work = [(0..12).collect::<Vec<u64>>(), (0..14).rev().collect(), vec![3, 3, 13, 0, 14]];
    let (added, shared) = run::<u64>(bits, work.clone(), hash);
    assert_eq!(added, 15, "each number is new once");
    let (barrier, table) = &*shared;
    let access = barrier.enter();
    assert!((0..15).all(|k| table.is_visited(hash(k), &access)), "no number is lost");
    for k in 0..15 {
        let workers = (0..3).filter(|&worker| work[worker].contains(&k));
        let note = workers.fold(0, |note, worker| note | NOTES[worker]);
        assert_eq!(table.note(hash(k), &access), note, "no bit of a note is lost");
    }
    assert!(format!("{:?}", table.segments.get(0, &access).shape.format) != first, "the table has grown");
}

fn check(bits: u32, shift: u32) {
    shuttle::check_random(move || contend(bits, shift), 5_000);
    shuttle::check_pct(move || contend(bits, shift), 5_000, 3);
}

#[test]
fn upper_parts_of_eight_bits() {
    check(38, 29);
}

#[test]
fn upper_parts_of_sixteen_bits() {
    check(46, 37);
}

#[test]
fn lanes_alone() {
    check(31, 22);
}

/// Numbers whose lanes are equal and whose upper parts, of 64 bits, differ.
fn contend_long() {
    let hash = |k: u64| WordHash { order: 5, rest: Rest(k << 60 | 1) };
    let work = [vec![0, 1, 2], vec![2, 1, 0], vec![1, 3]];
    let (added, _) = run::<u128>(127, work, hash);
    assert_eq!(added, 4, "each number is new once");
}

#[test]
fn numbers_of_two_words() {
    shuttle::check_random(contend_long, 5_000);
    shuttle::check_pct(contend_long, 5_000, 3);
}
