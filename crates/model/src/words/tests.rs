//! Layouts against the states that they are made for.

use super::*;
use crate::Random;

/// A random shape of this length: constant bytes, and fields between them.
fn shape(len: usize, random: &mut Random) -> (Vec<u8>, Vec<Field>) {
    let template = (0..len).map(|_| random.next_u64() as u8).collect();
    let (mut fields, mut offset) = (Vec::new(), 0);
    while offset < len {
        let bytes = random.one_of(&[1, 1, 2, 4]);
        if offset + bytes > len {
            break;
        }
        let most = 1u64 << (8 * bytes);
        let count = random.one_of(&[1, 2, 3, 5, 6, 16, 200, most]).min(most);
        let any = random.next_u64() as i32;
        let base = random.one_of(&[0, 0, -1, 3, 250, -128, any]);
        if !random.one_in(4) {
            fields.push(Field { offset, bytes, base, count });
        }
        offset += bytes;
    }
    (template, fields)
}

fn set(state: &mut [u8], field: &Field, above: u64) {
    let value = (field.base as u32).wrapping_add(above as u32);
    state[field.offset..field.offset + field.bytes].copy_from_slice(&value.to_le_bytes()[..field.bytes]);
}

#[test]
fn states_come_back_and_others_are_refused() {
    let (random, mut compared) = (&mut Random::new(1), [0; MAX_WORDS]);
    for round in 0..3000 {
        let len = 1 + random.below(220);
        let shapes: Vec<_> = (0..1 + round % 3).map(|more| shape(len + more, random)).collect();
        let Some(layout) = WordLayout::new(&shapes) else { continue };
        compared[layout.word_count() - 1] += 1;
        let mut recent = 0;
        for (template, fields) in &shapes {
            let mut state = template.clone();
            fields.iter().for_each(|field| set(&mut state, field, random.below_u64(field.count)));
            let words = layout.encode::<ByShifts>(&state, &mut recent).expect("the state fits");
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take(layout.bytes()).collect();
            assert_eq!(words_of(&bytes), words, "no bits behind the last byte");
            let mut back = vec![7; 3];
            layout.decode::<ByShifts>(&words, &mut back);
            assert_eq!(back, state, "{layout:?}");
            fields.iter().for_each(|field| check_position(&layout, recent, &words, field, &state));
            let single =
                |at: usize| fields.iter().all(|f| !(f.offset..f.offset + f.bytes).contains(&at) || f.count == 1);
            (0..state.len())
                .filter(|at| !single(*at))
                .for_each(|at| check_constant(&layout, recent, at, fields, &state));
            // A constant byte with another value.
            let inside = |at: &usize| fields.iter().any(|f| (f.offset..f.offset + f.bytes).contains(at));
            if let Some(at) = (0..state.len()).find(|at| !inside(at)) {
                state[at] ^= 1 << random.below(8);
                assert_eq!(layout.encode::<ByShifts>(&state, &mut recent), None, "byte {at} of {layout:?}");
            }
        }
    }
    assert!(compared.iter().all(|layouts| *layouts > 50), "{compared:?} layouts of one to {MAX_WORDS} words");
}

/// A byte that has two values is not constant.
fn check_constant(layout: &WordLayout, shape: usize, at: usize, fields: &[Field], state: &[u8]) {
    let Some(field) = fields.iter().find(|f| (f.offset..f.offset + f.bytes).contains(&at)) else { return };
    let mut other = state.to_vec();
    for above in [0, field.count - 1] {
        set(&mut other, field, above);
        assert!(other[at] == state[at] || !layout.is_constant(shape, at), "byte {at} of {layout:?}");
    }
}

/// The bits at the position of a field are its value, and can be set.
fn check_position(layout: &WordLayout, shape: usize, words: &[u64; MAX_WORDS], field: &Field, state: &[u8]) {
    let Some(position) = layout.position(shape, field.offset) else { return };
    let Position { bytes, least, bits, first } = position;
    let bit = |n: u32| words[n as usize / 64] >> (n % 64) & 1;
    let relative = (0..bits).fold(0, |value, n| value | bit(first + n) << n) as u32;
    let value = relative.wrapping_add(least);
    assert_eq!(value.to_le_bytes()[..bytes], state[field.offset..field.offset + bytes], "{field:?} {layout:?}");
    let mut stored: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    position.set(least, &mut stored);
    position.set(value, &mut stored);
    assert_eq!(words_of(&stored), *words);
}

#[test]
fn more_than_the_most_words_are_refused() {
    let bytes = 8 * MAX_WORDS;
    let layout = |bytes: usize| {
        let field = |offset| Field { offset, bytes: 1, base: 0, count: 256 };
        WordLayout::new(&[(vec![0; bytes], (0..bytes).map(field).collect())])
    };
    let full = layout(bytes).expect("it is just short enough");
    assert_eq!((full.bits() as usize, full.word_count()), (64 * MAX_WORDS, MAX_WORDS));
    let state: Vec<u8> = (0..bytes as u8).map(|n| n ^ 0xa5).collect();
    let (words, mut back) = (full.encode::<ByShifts>(&state, &mut 0).expect("every state fits"), Vec::new());
    full.decode::<ByShifts>(&words, &mut back);
    assert_eq!((words_of(&state), back), (words, state));
    assert_eq!(layout(bytes + 1), None);
}

#[test]
fn a_wrapped_set_takes_few_bits() {
    // A byte with the values 255 and 0 to 4, and one with the values 8 to 11.
    let fields = [Field { offset: 0, bytes: 1, base: 255, count: 6 }, Field { offset: 1, bytes: 1, base: 8, count: 4 }];
    let layout = WordLayout::new(&[(vec![0; 2], fields.to_vec())]).expect("few bits");
    assert_eq!(layout.bits(), 3 + 2);
    let encode = |state: [u8; 2]| layout.encode::<ByShifts>(&state, &mut 0).map(|words| words[0]);
    assert_eq!([encode([255, 8]), encode([4, 11]), encode([6, 8])], [Some(0), Some(0b11101), Some(0b00111)]);
    assert_eq!([encode([7, 8]), encode([0, 12]), encode([0, 7])], [None; 3]);
}
