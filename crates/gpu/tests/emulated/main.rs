//! The kernels, compiled for the host: counts of models whose numbers are known, levels, lists that are too short, full tables.
//! Without a C++ compiler the tests are skipped, with `KRIPKE_CI=1` they fail.

mod counters;
mod cycles;
mod graphs;
mod growth;
mod trails;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use counters::Counters;
use kripke_gpu::device::{Device, Kernel, Parameters};
use kripke_gpu::emulation::{Emulated, Emulation, has_compiler};
use kripke_gpu::{Explorer, MemoryPlan, ModelText};
use kripke_model::Batch;
use kripke_search::{Accelerator, AcceleratorFailure, Bounds, EndStates, Expanded};

/// A new directory.
fn directory() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("kripke-gpu-{}-{number}", std::process::id()))
}

/// Whether there is a compiler to test with.
fn can_emulate() -> bool {
    let can = has_compiler();
    assert!(can || std::env::var_os("KRIPKE_CI").is_none(), "the tests need g++");
    can
}

fn explorer(model: Counters, emulated: Emulated) -> Explorer<Emulation> {
    explorer_of(&model.text(), emulated)
}

fn explorer_of(text: &ModelText, emulated: Emulated) -> Explorer<Emulation> {
    let device = Emulation::start(text, emulated, &directory()).expect("a device");
    Explorer::new(device, text, emulated.memory).expect("memory")
}

/// The expansion of one level.
const ONE_LEVEL: Bounds = Bounds { levels: 1, states: u64::MAX, ends: EndStates::Leave };

/// States, transitions, levels, states left, and invalid end states that were counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Counted {
    states: u64,
    transitions: u64,
    levels: u64,
    left: u64,
    ends: u64,
}

fn explore(model: Counters, explorer: &mut dyn Accelerator) -> Result<Counted, AcceleratorFailure> {
    explore_by(model, explorer, u32::MAX, EndStates::Leave)
}

/// Explores with launches of at most so many levels.
fn explore_by(
    model: Counters,
    explorer: &mut dyn Accelerator,
    most: u32,
    ends: EndStates,
) -> Result<Counted, AcceleratorFailure> {
    let mut counted = Counted { states: 1, transitions: 0, levels: 0, left: 0, ends: 0 };
    explorer.begin(&model.initial())?;
    loop {
        let Expanded { transitions, invalid_ends, further } =
            explorer.expand_levels(Bounds { levels: most, ends, ..ONE_LEVEL })?;
        counted.levels += 1 + further.len() as u64;
        counted.states += further.iter().sum::<u64>();
        counted.transitions += transitions;
        counted.ends += invalid_ends;
        loop {
            let (mut left, mut successors) = (Batch::new(), Batch::new());
            explorer.take_left(&mut left)?;
            if left.is_empty() {
                break;
            }
            counted.left += left.len() as u64;
            left.states().for_each(|state| model.expand(state, &mut successors));
            counted.transitions += successors.len() as u64;
            explorer.add(&successors)?;
        }
        match explorer.end_level()? {
            0 => return Ok(counted),
            new => counted.states += new,
        }
    }
}

/// The number of states whose sum of counters is a multiple, or the greatest sum.
fn left(model: Counters) -> u64 {
    let mut sums = vec![1_u64];
    for _ in 0..model.counters {
        let mut next = vec![0; sums.len() + model.limit as usize];
        for (sum, number) in sums.iter().enumerate() {
            next[sum..=sum + model.limit as usize].iter_mut().for_each(|n| *n += number);
        }
        sums = next;
    }
    let last = sums.len() as u64 - 1;
    let is_left = |sum: u64| sum == last || sum.is_multiple_of(model.left);
    sums.iter().zip(0..).filter(|(_, sum)| is_left(*sum)).map(|(number, _)| number).sum()
}

fn expected(model: Counters) -> Counted {
    Counted {
        states: model.states(),
        transitions: model.transitions(),
        levels: model.counters as u64 * model.limit + 1,
        left: left(model),
        ends: 0,
    }
}

const MODEL: Counters = Counters { counters: 3, limit: 20, bits: 24, left: 1000 };

/// Every width of states, also those that fill their words, in every form of the table.
#[test]
fn counts_are_exact() {
    if !can_emulate() {
        return;
    }
    for bits in [24, 63, 64, 70, 127, 128, 190, 192, 255] {
        for swaps_128_bits in if (64..128).contains(&bits) { &[true, false][..] } else { &[true] } {
            let (model, memory) = (Counters { bits, left: 7, ..MODEL }, 1 << 20);
            let emulated = Emulated { memory, swaps_128_bits: *swaps_128_bits };
            let counted = explore(model, &mut explorer(model, emulated));
            assert_eq!(counted, Ok(expected(model)), "{bits} bits, swaps {swaps_128_bits}");
        }
    }
}

/// Levels that are expanded together, with few states that are left and with many. The largest levels have launches of their own.
#[test]
fn small_levels_are_expanded_together() {
    if !can_emulate() {
        return;
    }
    for bits in [32, 127, 200] {
        for left in [1000, 9] {
            let model = Counters { counters: 4, bits, limit: 20, left };
            let mut explorer = explorer(model, Emulated { memory: 64 << 20, ..Emulated::default() });
            for most in [1, 7, u32::MAX] {
                let counted = explore_by(model, &mut explorer, most, EndStates::Leave);
                assert_eq!(counted, Ok(expected(model)), "{bits} bits, {left} left, {most} levels");
            }
            assert_eq!(levels_together(model, &mut explorer), 6, "{bits} bits");
            explore(model, &mut explorer).expect("enough memory");
            let mut found = Batch::new();
            for depth in 0..=3 {
                found.clear();
                assert_eq!(explorer.origins(depth, &Batch::new(), &mut found), Ok(true));
                assert!(
                    found.states().all(|state| model.sum(state) == u64::from(depth)),
                    "the states of level {depth}"
                );
            }
        }
    }
}

/// The number of further levels that a launch for seven levels expands after the initial state, which is left.
fn levels_together(model: Counters, explorer: &mut Explorer<Emulation>) -> usize {
    explorer.begin(&model.initial()).expect("memory");
    assert_eq!(explorer.expand_levels(Bounds { levels: 7, ..ONE_LEVEL }).expect("a device").further, [0; 0]);
    let mut successors = Batch::new();
    model.expand(&model.initial(), &mut successors);
    explorer.add(&successors).expect("memory");
    explorer.end_level().expect("a device");
    explorer.expand_levels(Bounds { levels: 7, ..ONE_LEVEL }).expect("a device").further.len()
}

/// A launch ends soon after the states that it may add: limits on states are observed.
#[test]
fn a_limit_on_states_ends_a_launch() {
    if !can_emulate() {
        return;
    }
    let model = Counters { counters: 4, limit: 20, bits: 32, left: 1000 };
    let mut explorer = explorer(model, Emulated { memory: 64 << 20, ..Emulated::default() });
    explorer.begin(&model.initial()).expect("memory");
    explorer.expand_levels(ONE_LEVEL).expect("memory");
    let mut successors = Batch::new();
    model.expand(&model.initial(), &mut successors);
    explorer.add(&successors).expect("memory");
    explorer.end_level().expect("a device");
    let expanded = explorer.expand_levels(Bounds { levels: 1000, states: 200, ..ONE_LEVEL }).expect("memory");
    let states = expanded.further.iter().sum::<u64>() + explorer.end_level().expect("a device");
    assert!(expanded.further.len() > 1 && (50..400).contains(&states), "{states} states: {expanded:?}");
}

/// A level in several passes, each of which inserts a part of the states.
#[test]
fn passes_do_not_change_counts() {
    if !can_emulate() {
        return;
    }
    for bits in [24, 127, 200] {
        let model = Counters { bits, left: 7, ..MODEL };
        let text = model.text();
        let plan = MemoryPlan { passes: 3, ..MemoryPlan::new(1 << 20, &text, true).expect("enough memory") };
        let device = Emulation::start(&text, Emulated::default(), &directory()).expect("a device");
        let mut explorer = Explorer::with_stages(device, &text, vec![plan]).expect("memory");
        assert_eq!(explore(model, &mut explorer), Ok(expected(model)), "{bits} bits");
    }
}

/// More states are left than the lists have room for.
#[test]
fn every_state_that_is_left_is_given_once() {
    if !can_emulate() {
        return;
    }
    let model = Counters { left: 1, limit: 15, ..MODEL };
    let mut explorer = explorer(model, Emulated { memory: 110_000, ..Emulated::default() });
    assert!(explorer.plan().listed < 256, "{:?}", explorer.plan());
    assert_eq!(explore(model, &mut explorer), Ok(expected(model)));
    assert_eq!(explore(model, &mut explorer), Ok(expected(model)), "a second search");
}

/// A device that is too small says so, whichever part is full, and can begin again.
#[test]
fn full_memory_is_an_error() {
    if !can_emulate() {
        return;
    }
    for bits in [24, 100, 200] {
        let model = Counters { counters: 3, limit: 40, bits, left: 1000 };
        let (mut full, mut complete) = (0, 0);
        for memory in [50_000, 100_000, 500_000, 2_000_000, 4_000_000] {
            let mut explorer = explorer(model, Emulated { memory, ..Emulated::default() });
            for _ in 0..2 {
                match explore(model, &mut explorer) {
                    Ok(counted) => {
                        assert_eq!(counted, expected(model));
                        complete += 1;
                    }
                    Err(failure) => {
                        assert_eq!(failure, AcceleratorFailure::Full(memory));
                        full += 1;
                    }
                }
            }
        }
        assert!(full >= 4 && complete >= 2, "{bits} bits: {full} full, {complete} complete");
    }
}

/// Blocks leave off when the table is full: most states of the level are not expanded.
#[test]
fn a_full_table_ends_the_expansion() {
    if !can_emulate() {
        return;
    }
    let mut device = Emulation::start(&MODEL.text(), Emulated::default(), &directory()).expect("a device");
    let start = device.allocate(1 << 16).expect("memory");
    device.clear(start, 1 << 16).expect("a device");
    // A table of four slots and a level of 100 states, each of which has three successors.
    let (table, ring, left) = (start + 512, start + 1024, start + (1 << 15));
    let level: Vec<u64> = (0..100).map(|n| (1 << 24) + n % 10 + ((n / 10) << 8)).collect();
    device.write(ring, &level).expect("a device");
    let lists = Parameters { counters: start, left, left_room: 100, passes: 1, ..Parameters::default() };
    let levels = Parameters { ring, ring_size: 1000, in_count: 100, out_begin: 100, out_room: 900, ..lists };
    device.launch(Kernel::ExpandStates, 100, &Parameters { table, buckets: 1, ..levels }).expect("a device");
    let mut counters = [0; 5];
    device.read(start, &mut counters).expect("a device");
    let [appended, transitions, _, full, _] = counters;
    assert_eq!((appended, full), (4, 1));
    assert!(transitions < 60, "{transitions} transitions");
}

/// A device that does not have the memory of a larger plan goes on with that of the old one: trails need it.
#[test]
fn memory_that_does_not_grow_is_taken_again() {
    if !can_emulate() {
        return;
    }
    let (model, sizes) = (Counters { limit: 40, ..MODEL }, [500_000, 4_000_000, 5_000_000]);
    let text = model.text();
    let plans = sizes.map(|size| MemoryPlan::new(size, &text, true).expect("enough memory")).to_vec();
    let emulated = Emulated { memory: 1_000_000, ..Emulated::default() };
    let device = Emulation::start(&text, emulated, &directory()).expect("a device");
    let mut explorer = Explorer::with_stages(device, &text, plans).expect("memory");
    assert_eq!(explore(model, &mut explorer), Err(AcceleratorFailure::Full(500_000)));
    let (mut wanted, mut found) = (Batch::new(), Batch::new());
    model.expand(&model.initial(), &mut wanted);
    for _ in 0..2 {
        assert_eq!(explorer.grow(), Ok(false));
        assert_eq!(explorer.origins(0, &wanted, &mut found), Ok(false), "all states are forgotten");
    }
    assert_eq!(explorer.bytes(), 500_000);
    explorer.begin(&model.initial()).expect("memory");
    assert_eq!(explorer.origins(0, &wanted, &mut found), Ok(true));
    assert_eq!(found.states().collect::<Vec<_>>(), [model.initial()]);
    assert_eq!(explore(model, &mut explorer), Err(AcceleratorFailure::Full(500_000)));
}

/// A search that stops inside a level has overwritten older levels with keys of the next one: they don't count as known.
#[test]
fn levels_that_a_stopped_search_has_overwritten_are_not_known() {
    if !can_emulate() {
        return;
    }
    // All states are left, so they are all listed as origins.
    let model = Counters { limit: 40, left: 1, ..MODEL };
    for memory in [380_000, 420_000, 460_000, 500_000] {
        let mut explorer = explorer(model, Emulated { memory, ..Emulated::default() });
        assert_eq!(explore(model, &mut explorer), Err(AcceleratorFailure::Full(memory)));
        let mut known = 0;
        for depth in 0..=120 {
            let mut found = Batch::new();
            if explorer.origins(depth, &Batch::new(), &mut found) == Ok(true) {
                let sums: BTreeSet<u64> = found.states().map(|state| model.sum(state)).collect();
                assert_eq!(sums, BTreeSet::from([depth.into()]), "the states of level {depth}");
                known += 1;
            }
        }
        assert!(known > 0, "the level that was expanded is known");
    }
}

/// The origins of a state are its predecessors and states that were left, as long as their level is in the ring.
#[test]
fn origins_are_found() {
    if !can_emulate() {
        return;
    }
    let model = Counters { left: 11, limit: 30, ..MODEL };
    // The ring holds about a third of the states.
    let mut explorer = explorer(model, Emulated { memory: 700_000, ..Emulated::default() });
    explore(model, &mut explorer).expect("enough memory");
    let state = |counters: [u8; 3]| {
        let [a, b, c] = counters.map(u64::from);
        (a | b << 8 | c << 18).to_le_bytes().to_vec()
    };
    let mut wanted = Batch::new();
    wanted.push(&state([20, 30, 30]));
    wanted.push(&state([30, 25, 25]));
    let mut found = Batch::new();
    assert_eq!(explorer.origins(79, &wanted, &mut found), Ok(true));
    let found: BTreeSet<Vec<u8>> = found.states().map(<[u8]>::to_vec).collect();
    let expected = [[19, 30, 30], [20, 29, 30], [20, 30, 29], [29, 25, 25], [30, 24, 25], [30, 25, 24]];
    assert_eq!(found, expected.into_iter().map(state).collect());
    let mut left = Batch::new();
    assert_eq!(explorer.origins(77, &wanted, &mut left), Ok(true));
    assert_eq!(left.len(), 105, "all states of level 77 were left");
    assert_eq!(explorer.origins(3, &wanted, &mut left), Ok(false), "level 3 was overwritten");
}

/// A device that goes away in the middle is an error, not an answer.
#[test]
fn a_lost_device_is_an_error() {
    if !can_emulate() {
        return;
    }
    let mut explorer = explorer(MODEL, Emulated::default());
    explorer.begin(&MODEL.initial()).expect("a device");
    explorer.device().lose();
    assert!(matches!(explorer.expand_levels(ONE_LEVEL), Err(AcceleratorFailure::Lost(_))));
}
