//! Trails that the device traces back through many levels; states with more successors than a block has room for; more states than the list
//! for the host has room for.

use std::cmp::Reverse;

use kripke_gpu::ModelText;
use kripke_gpu::emulation::Emulated;
use kripke_model::Batch;
use kripke_model::words::words_of;
use kripke_search::{Accelerator, Bounds, EndStates};

use super::counters::Counters;
use super::{ONE_LEVEL, can_emulate, explore, explorer, explorer_of};

/// The states that have this one as successor.
fn predecessors(model: Counters, state: &[u8], before: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let leads = |from: &&Vec<u8>| {
        let mut successors = Batch::new();
        model.expand(from, &mut successors);
        successors.states().any(|successor| successor == state)
    };
    before.iter().filter(leads).cloned().collect()
}

/// All states of each level, by the host's own expansion.
fn levels_of(model: Counters) -> Vec<Vec<Vec<u8>>> {
    let mut levels = vec![vec![model.initial()]];
    loop {
        let mut next = Batch::new();
        levels[levels.len() - 1].iter().for_each(|state| model.expand(state, &mut next));
        let mut states: Vec<Vec<u8>> = next.states().map(<[u8]>::to_vec).collect();
        states.sort();
        states.dedup();
        if states.is_empty() {
            return levels;
        }
        levels.push(states);
    }
}

/// The device chooses the least predecessor as a number of words, and stops at a level with states that it has left, unless their successors that
/// it knows are the given one.
#[test]
fn long_trails_are_traced_back() {
    if !can_emulate() {
        return;
    }
    for bits in [24, 70, 200] {
        // The initial state is left, and those of level 150; all their successors are known.
        let model = Counters { counters: 3, limit: 61, bits, left: 150 };
        let mut explorer = explorer(model, Emulated::default());
        explore(model, &mut explorer).expect("enough memory");
        let levels = levels_of(model);
        for (depth, expected) in [(149, 149), (183, 32), (120, 0)] {
            let mut state = levels[depth][levels[depth].len() / 2].clone();
            let mut traced = Batch::new();
            explorer.trace(depth as u32, &state, &mut traced).expect("a device");
            assert_eq!(traced.len(), expected, "{bits} bits, from level {depth}");
            for (from, before) in traced.states().zip(levels[..depth].iter().rev()) {
                let number = |state: &Vec<u8>| Reverse(words_of(state).into_iter().rev().collect::<Vec<_>>());
                let least = predecessors(model, &state, before).into_iter().max_by_key(number);
                assert_eq!(Some(from.to_vec()), least, "{bits} bits, level {}", model.sum(from));
                state = from.to_vec();
            }
        }
    }
}

/// A level that the ring no longer has ends the trail.
#[test]
fn overwritten_levels_are_not_traced() {
    if !can_emulate() {
        return;
    }
    let model = Counters { counters: 3, limit: 61, bits: 24, left: 1000 };
    let mut explorer = explorer(model, Emulated { memory: 4_000_000, ..Emulated::default() });
    explore(model, &mut explorer).expect("enough memory");
    let mut traced = Batch::new();
    explorer.trace(183, &levels_of(model)[183][0], &mut traced).expect("a device");
    assert_eq!(traced.len(), 0, "fewer levels are known than are worth a launch");
}

/// A model of one word: the initial state, 0, has this many successors, which have none.
fn fan(successors: u64, result: &str) -> ModelText {
    let text = format!(
        "#define MODEL_WORDS 1\n#define MODEL_BITS 24\n\
         struct State {{ u64 w[MODEL_WORDS]; }};\nenum {{ MODEL_DONE = 0, MODEL_LEFT = 1, MODEL_STUCK = 2 }};\n\
         template <class Em> HD int expand(const State& s, Em& em) {{\n\
         for (u64 i = 1; s.w[0] == 0 && i <= {successors}; i++) {{ State next = s; next.w[0] = i; em(next); }}\n\
         return {result};\n}}\n"
    );
    ModelText { text, words: 1, bits: 24, cycles: false }
}

/// Invalid end states that were counted are not listed, also if the list is too short and the level is expanded again.
#[test]
fn counted_end_states_are_not_left() {
    if !can_emulate() {
        return;
    }
    let model = fan(300, "s.w[0] == 0 ? MODEL_DONE : s.w[0] % 2 == 0 ? MODEL_STUCK : MODEL_LEFT");
    let mut explorer = explorer_of(&model, Emulated { memory: 50_000, ..Emulated::default() });
    assert!(explorer.plan().listed < 150, "the list is too short");
    explorer.begin(&0_u64.to_le_bytes()).expect("a device");
    let bounds = Bounds { ends: EndStates::Count, ..ONE_LEVEL };
    explorer.expand_levels(bounds).expect("a device");
    assert_eq!(explorer.end_level(), Ok(300));
    assert_eq!(explorer.expand_levels(bounds).expect("a device").invalid_ends, 150);
    let mut left = Batch::new();
    loop {
        let known = left.len();
        explorer.take_left(&mut left).expect("a device");
        if left.len() == known {
            break;
        }
    }
    assert!(left.len() == 150 && left.states().all(|state| state[0] % 2 == 1), "{} states are left", left.len());
}

/// The initial state has so many successors.
const MANY: u64 = 5000;

/// A state whose successors have no room is left to the host, which may also find out whether it has a given one.
#[test]
fn states_with_too_many_successors_are_left() {
    if !can_emulate() {
        return;
    }
    let model = fan(MANY, "MODEL_DONE");
    let mut explorer = explorer_of(&model, Emulated::default());
    let state = |number: u64| number.to_le_bytes();
    explorer.begin(&state(0)).expect("a device");
    assert_eq!(explorer.expand_levels(ONE_LEVEL).expect("a device").transitions, 0);
    let (mut left, mut successors, mut given, mut found) = (Batch::new(), Batch::new(), Batch::new(), Batch::new());
    explorer.take_left(&mut left).expect("a device");
    assert_eq!(left.states().collect::<Vec<_>>(), [state(0)]);
    (1..=MANY).for_each(|number| successors.push(&state(number)));
    explorer.add(&successors).expect("a device");
    assert_eq!(explorer.end_level(), Ok(MANY));
    assert_eq!(explorer.expand_levels(ONE_LEVEL).expect("a device").transitions, 0);
    explorer.take_left(&mut left).expect("a device");
    assert_eq!((left.len(), explorer.end_level()), (1, Ok(0)), "the others have no successors");
    given.push(&state(17));
    assert_eq!(explorer.origins(0, &given, &mut found), Ok(true));
    assert_eq!(found.states().collect::<Vec<_>>(), [state(0)]);
}
