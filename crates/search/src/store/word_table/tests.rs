//! The table against a set of numbers.

use std::collections::HashSet;

use super::super::located::{LocatedNumbers, Window};
use super::super::resize_barrier::ResizeBarrier;
use super::*;

/// Checks tables with and without notes. Returns the bytes per number of those without.
fn check<W: Word + Into<u128> + Eq + std::hash::Hash>(bits: u32, numbers: impl Iterator<Item = W> + Clone) -> f64 {
    check_with_notes::<W, 8>(bits, numbers.clone());
    check_with_notes::<W, 32>(bits, numbers.clone());
    check_with_notes::<W, 0>(bits, numbers)
}

/// Adds numbers and compares with a set; returns the bytes per number.
fn check_with_notes<W: Word + Into<u128> + Eq + std::hash::Hash, const NOTE: u32>(
    bits: u32,
    numbers: impl Iterator<Item = W>,
) -> f64 {
    let (barrier, table) = (ResizeBarrier::new(), WordTable::<W, NOTE>::new(bits, 1));
    let third = |number: W| number.into() % 3 == 0;
    let note = |number: W| (number.into() % 0xffff_fff1) as u32 & (u64::MAX.unbounded_shr(64 - NOTE) as u32);
    let (mut access, mut unreported) = (barrier.enter(), table.unreported());
    let mut all = HashSet::new();
    for number in numbers {
        let hash = table.hash(number);
        let new = loop {
            match table.add::<Lanes>(hash, table.home(hash, &access), &access, &mut unreported, || Ok(())) {
                Ok(added) => break added.is_new(),
                Err(_) => access.request_resize(),
            }
            access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
        };
        assert_eq!(new, all.insert(number), "{}", number.into());
        if new && third(number) {
            assert!(!table.is_visited(hash, &access));
            assert!(table.visit(hash, &access) && !table.visit(hash, &access));
        }
        if new && NOTE > 0 {
            assert_eq!(table.add_to_note(hash, note(number) & 5, &access), 0, "{}", number.into());
            assert_eq!(table.note(hash, &access), note(number) & 5, "{}", number.into());
            table.set_note(hash, note(number), &access);
        }
        if access.resize_is_requested() {
            access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
        }
    }
    for &number in &all {
        let hash = table.hash(number);
        let expected = Added::known(third(number), note(number));
        assert_eq!(table.is_visited(hash, &access), third(number), "{}", number.into());
        assert_eq!(
            table.add::<Lanes>(hash, table.home(hash, &access), &access, &mut unreported, || Ok(())).ok(),
            Some(expected),
            "{}",
            number.into()
        );
        assert!(NOTE == 0 || table.note(hash, &access) == note(number), "{}", number.into());
    }
    table.bytes() as f64 / all.len() as f64
}

#[test]
fn holds_exactly_the_numbers_that_were_added() {
    check(1, [0, 1, 1, 0u64].into_iter());
    check(16, (0..1 << 16).chain(0..1u64 << 16));
    check(20, (0..300_000).map(|n: u64| n * 7 % (1 << 20)));
    check(38, (0..200_000).map(|n: u64| n.wrapping_mul(n) % (1 << 38)));
    check(63, (0..100_000).map(|n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 1));
    check(63, (0..50_000).map(|n: u64| (1 << 63) - 1 - (n << 40)));
    for bits in 17..=64 {
        check(bits, (0..20_000).map(|n: u64| n.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - bits)));
    }
}

#[test]
fn holds_exactly_the_numbers_of_more_than_one_word() {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_2545_f491_4f6c_dd1d;
    for bits in (65..=127).step_by(3).chain([127]) {
        check(bits, (0..20_000).map(|n: u128| n.wrapping_mul(ODD) >> (128 - bits)));
    }
    // Numbers that differ in the first word only, in the second word only, or in some bits of both.
    check(127, (0..100_000).map(|n: u128| n << 5));
    check(127, (0..100_000).map(|n: u128| n << 64));
    check(127, (0..100_000).map(|n: u128| (n % 300) << 100 | (n / 300) << 20));
    check(127, (0..100_000).map(|n: u128| (1 << 127) - 1 - (n << 60)));
}

#[test]
fn every_format_holds_every_number() {
    Format::ALL.into_iter().for_each(check_format::<0>);
}

#[test]
fn every_format_has_room_for_notes() {
    Format::ALL.into_iter().for_each(check_format::<8>);
    Format::ALL.into_iter().for_each(check_format::<32>);
}

/// Numbers whose slots differ only in the upper part, only in the lane, or in both.
fn check_format<const NOTE: u32>(format: Format) {
    let format = format.with_note(NOTE);
    let bits = (format.capacity() - FEWEST_DISTANCE_BITS + 2).min(60);
    let rest_bits = (format.capacity() - FEWEST_DISTANCE_BITS + 2).saturating_sub(60);
    let mut lines = OrderedLines::<NOTE>::new(Shape::new(4, bits, rest_bits, NOTE), 1);
    assert_eq!(lines.shape.format, format);
    let slots = lines.shape.slots;
    let step = 1u64 << (bits - 6);
    let rest = |n: u64| Rest(if rest_bits < 4 { n % (1 << rest_bits) } else { ((n % 5) << (rest_bits - 3)) | (n % 2) });
    let hash = |n: u64| WordHash { order: n % 8 * (step * 7) + n / 8, rest: rest(n) };
    let hashes = || (0..slots as u64).map(hash);
    let note = |n: usize| if NOTE == 0 { 0 } else { [1, 0, 0xff, 0x7e][n % 4] << (NOTE - 8) };
    for (n, hash) in hashes().enumerate() {
        assert!(
            lines.add::<Lanes>(hash, lines.shape.home(hash.order), n % 2 == 0, || Ok(())).unwrap().is_new(),
            "{format:?} {hash:?}"
        );
        assert!(
            !lines
                .add::<Lanes>(hash, lines.shape.home(hash.order), n % 2 == 1, || panic!("it is there"))
                .unwrap()
                .is_new(),
            "{format:?} {hash:?}"
        );
        if n % 3 == 0 {
            assert!(lines.visit(hash, n % 2 == 0) && !lines.visit(hash, n % 2 == 1), "{format:?} {hash:?}");
        }
        let Place { words, slot } = lines.find(format, hash);
        format.set_note(words, slot, note(n));
    }
    let check = |lines: &OrderedLines<NOTE>| {
        for (n, hash) in hashes().enumerate() {
            assert_eq!(lines.is_visited(hash), n % 3 == 0, "{format:?} {hash:?}");
            let Place { words, slot } = lines.find(lines.shape.format, hash);
            assert_eq!(lines.shape.format.note(words, slot), note(n), "{format:?} {hash:?}");
        }
    };
    check(&lines);
    assert!(lines.rehash(lines.shape.with_homes(9), Vec::new()).is_empty());
    check(&lines);
}

#[test]
fn numbers_of_few_bits_take_few_bytes() {
    assert!(check(38, (0..400_000).map(|n: u64| n << 10)) < 8.0);
}

/// The places that a worker copies are those of the table, while it grows.
fn check_places<W: Word + std::fmt::Debug>(bits: u32, workers: usize, numbers: &[W]) {
    let (barrier, table) = (ResizeBarrier::new(), WordTable::<W, 0>::new(bits, workers));
    let (mut access, mut unreported) = (barrier.enter(), table.unreported());
    let (mut places, mut located, mut compared) = (Places::default(), LocatedNumbers::default(), 0);
    for some in numbers.chunks(1000) {
        table.set_places(&mut places, &access);
        located.clear();
        located.locate(numbers.iter().copied(), &places);
        for one in located.windows(64).flat_map(Window::iter) {
            let hash = table.hash(one.number);
            let home = table.home(hash, &access);
            let shape = &table.segments.get(home.segment(), &access).shape;
            let expected = (home, shape.bits(hash.whole(), 0).first);
            assert_eq!((one.home, one.first), expected, "{:?}, {bits} bits, {workers} workers", one.number);
            compared += 1;
        }
        for &number in some {
            let hash = table.hash(number);
            let add = |home, unreported: &mut _| table.add::<Lanes>(hash, home, &access, unreported, || Ok(()));
            let full = add(table.home(hash, &access), &mut unreported).is_err();
            if full || access.resize_is_requested() {
                access.request_resize();
                access.resize(|exclusive| table.plan(exclusive, |_| true), |exclusive| table.grow(exclusive, |_| ()));
            }
        }
    }
    assert_eq!(compared, numbers.len() * numbers.len().div_ceil(1000));
}

#[test]
fn copied_places_are_those_of_the_table() {
    let random = &mut kripke_model::Random::new(8);
    let words: Vec<u64> = (0..8005).map(|_| random.next_u64()).collect();
    for workers in [1, 2, 3, 16] {
        for bits in [16, 38, 64] {
            let numbers: Vec<u64> = words.iter().map(|word| word >> (64 - bits)).collect();
            check_places(bits, workers, &numbers);
        }
        let wide: Vec<u128> = words.iter().map(|word| u128::from(*word) << 63 | u128::from(word >> 7)).collect();
        check_places(127, workers, &wide);
    }
}
