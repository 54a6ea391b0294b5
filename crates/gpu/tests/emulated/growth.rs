//! Tables that grow in the middle of a search, and invalid end states that are counted on the device.

use std::collections::BTreeSet;

use kripke_gpu::device::{Address, Device, DeviceError, Kernel, Parameters, Properties, Purpose};
use kripke_gpu::emulation::{Emulated, Emulation};
use kripke_gpu::{Explorer, MemoryPlan};
use kripke_model::Batch;
use kripke_search::{Accelerator, AcceleratorFailure, EndStates};

use crate::counters::Counters;
use crate::{Counted, MODEL, ONE_LEVEL, can_emulate, directory, expected, explore, explore_by, explorer};

/// A device that records what is launched: the kernel, and for what.
#[derive(Debug)]
struct Recorder {
    device: Emulation,
    launched: Vec<(Kernel, Parameters)>,
}

impl Device for Recorder {
    fn properties(&self) -> &Properties {
        self.device.properties()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError> {
        self.device.allocate(bytes)
    }

    fn free(&mut self, at: Address) -> Result<(), DeviceError> {
        self.device.free(at)
    }

    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), DeviceError> {
        self.device.clear(at, bytes)
    }

    fn write(&mut self, at: Address, words: &[u64]) -> Result<(), DeviceError> {
        self.device.write(at, words)
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError> {
        self.device.copy(from, to, bytes)
    }

    fn read(&mut self, at: Address, words: &mut [u64]) -> Result<(), DeviceError> {
        self.device.read(at, words)
    }

    fn launch(&mut self, kernel: Kernel, items: u64, parameters: &Parameters) -> Result<(), DeviceError> {
        self.launched.push((kernel, *parameters));
        self.device.launch(kernel, items, parameters)
    }
}

impl Recorder {
    /// How often keys were moved, and how often a launch of this kernel was repeated with the same work after that.
    fn moved(&self, repeated: Kernel) -> (usize, usize) {
        let work = |parameters: &Parameters| (parameters.in_begin, parameters.in_count, parameters.given_count);
        let is_move = |(kernel, _): &(Kernel, Parameters)| *kernel == Kernel::MoveKeys;
        let is_repeated = |three: &[(Kernel, Parameters)]| {
            let [before, _, after] = three else { return false };
            is_move(&three[1]) && before.0 == repeated && after.0 == repeated && work(&before.1) == work(&after.1)
        };
        let moves = self.launched.iter().filter(|launch| is_move(launch)).count();
        (moves, self.launched.windows(3).filter(|three| is_repeated(three)).count())
    }
}

/// An explorer with these plans.
fn with_plans(model: Counters, plans: Vec<MemoryPlan>, emulated: Emulated) -> Explorer<Recorder> {
    let text = model.text();
    let device = Emulation::start(&text, emulated, &directory()).expect("a device");
    Explorer::with_stages(Recorder { device, launched: Vec::new() }, &text, plans).expect("memory")
}

/// A plan whose first table has so few buckets.
fn plan(model: Counters, bytes: u64, first_buckets: u64, swaps: bool) -> MemoryPlan {
    let plan = MemoryPlan::new(bytes - 8192, &model.text(), swaps).expect("enough memory");
    MemoryPlan { bytes, first_buckets, ..plan }
}

/// Counts, levels and states that are left don't depend on the sizes of tables, for all forms of the table.
#[test]
fn tables_grow_with_their_states() {
    if !can_emulate() {
        return;
    }
    for (bits, swaps_128_bits) in [(24, true), (100, true), (100, false), (200, true)] {
        let model = Counters { limit: 24, left: 7, bits, ..MODEL };
        for first_buckets in [0, 8, 32, 100] {
            let sizes = [50_000, 200_000, 900_000, 4_000_000];
            let plans = sizes.map(|size| plan(model, size, first_buckets, swaps_128_bits)).to_vec();
            let emulated = Emulated { swaps_128_bits, ..Emulated::default() };
            let mut explorer = with_plans(model, plans, emulated);
            let counted = explore(model, &mut explorer);
            let what = format!("{bits} bits, {first_buckets} buckets first");
            assert_eq!(counted, Ok(expected(model)), "{what}");
            assert!(explorer.bytes() >= 200_000, "{what}: {} bytes", explorer.bytes());
            let (moves, _) = explorer.device().moved(Kernel::ExpandStates);
            assert!(moves > usize::from(first_buckets > 0), "{what}: {moves} moves");
            assert_eq!(explore(model, &mut explorer), Ok(expected(model)), "{what}: a second search");
        }
    }
}

/// A level is expanded again after the table was full in the middle of it.
#[test]
fn tables_grow_inside_levels() {
    if !can_emulate() {
        return;
    }
    for (counters, bits, first_buckets) in [(7, 63, 8), (10, 127, 32), (10, 200, 16)] {
        for left in [1000, 3, 1] {
            let model = Counters { counters, limit: 2, bits, left };
            let mut explorer =
                with_plans(model, vec![plan(model, 8_000_000, first_buckets, true)], Emulated::default());
            assert_eq!(explore(model, &mut explorer), Ok(expected(model)), "{bits} bits, one in {left} left");
            assert_eq!(explorer.device().moved(Kernel::ExpandStates), (1, 1), "{bits} bits, one in {left} left");
        }
    }
}

/// States of the host are added again after the table was full, and count once.
#[test]
fn tables_grow_while_states_are_added() {
    if !can_emulate() {
        return;
    }
    for bits in [24, 100, 200] {
        let model = Counters { bits, ..MODEL };
        let mut explorer = with_plans(model, vec![plan(model, 1 << 20, 8, true)], Emulated::default());
        explorer.begin(&model.initial()).expect("memory");
        explorer.expand_levels(ONE_LEVEL).expect("memory");
        let (mut states, mut known) = (Batch::new(), BTreeSet::from([model.initial()]));
        for _ in 0..5 {
            for state in known.clone() {
                model.expand(&state, &mut states);
            }
            known.extend(states.states().map(<[u8]>::to_vec));
        }
        explorer.add(&states).expect("memory");
        assert_eq!(explorer.end_level(), Ok(known.len() as u64 - 1), "{bits} bits");
        assert_eq!(explorer.device().moved(Kernel::AddGiven), (1, 1), "{bits} bits");
    }
}

/// The levels that the ring had are known after it has grown, and others are not.
#[test]
fn levels_are_known_after_growth() {
    if !can_emulate() {
        return;
    }
    for (bits, swaps) in [(24, true), (100, true), (200, true)] {
        // All states are left, so they are all listed as origins.
        let model = Counters { limit: 30, left: 1, bits, ..MODEL };
        let plans = [220_000, 4_000_000].map(|size| plan(model, size, 0, swaps)).to_vec();
        let mut explorer = with_plans(model, plans, Emulated::default());
        assert_eq!(explore(model, &mut explorer), Ok(expected(model)));
        assert_eq!(explorer.bytes(), 4_000_000, "it has grown");
        let mut known = Vec::new();
        for depth in 0..=90 {
            let mut found = Batch::new();
            if explorer.origins(depth, &Batch::new(), &mut found) == Ok(true) {
                assert!(found.states().all(|state| model.sum(state) == u64::from(depth)), "level {depth}");
                assert!(!found.is_empty(), "level {depth}");
                known.push(depth);
            }
        }
        let first = known.first().copied().expect("a level");
        assert_eq!(known, (first..=90).collect::<Vec<_>>(), "{bits} bits");
        // A ring that the table refers to has all levels.
        assert_eq!(first == 0, bits == 200, "{bits} bits: from level {first} on");
    }
}

/// A device without memory for two tables forgets its states, and begins again with a larger one.
#[test]
fn a_search_begins_again_without_memory_for_two_tables() {
    if !can_emulate() {
        return;
    }
    let (model, sizes) = (Counters { limit: 40, ..MODEL }, [50_000, 200_000, 4_000_000]);
    let plans = sizes.map(|size| plan(model, size, 0, true)).to_vec();
    let mut explorer = with_plans(model, plans, Emulated { memory: 4_100_000, ..Emulated::default() });
    assert_eq!(explore(model, &mut explorer), Err(AcceleratorFailure::Full(200_000)));
    assert_eq!(explorer.grow(), Ok(true));
    assert_eq!(explore(model, &mut explorer), Ok(expected(model)));
    assert_eq!((explorer.bytes(), explorer.grow()), (4_000_000, Ok(false)));
}

/// Invalid end states are counted if that is asked for, in levels that are expanded together and in passes, too.
#[test]
fn invalid_end_states_are_counted() {
    if !can_emulate() {
        return;
    }
    for bits in [24, 100, 200] {
        let model = Counters { bits, left: 7, ..MODEL };
        let all = expected(model);
        // The last state is the only one, and is not left for another reason.
        assert!(!(model.limit * model.counters as u64).is_multiple_of(model.left));
        let counted = Counted { left: all.left - 1, ends: 1, ..all };
        let mut explorer = explorer(model, Emulated { memory: 1 << 20, ..Emulated::default() });
        for most in [1, 5, u32::MAX] {
            let found = explore_by(model, &mut explorer, most, EndStates::Count);
            assert_eq!(found, Ok(counted), "{bits} bits, {most} levels");
        }
        let passes = MemoryPlan { passes: 3, ..plan(model, 1 << 20, 0, true) };
        let mut explorer = with_plans(model, vec![passes], Emulated::default());
        assert_eq!(explore_by(model, &mut explorer, u32::MAX, EndStates::Count), Ok(counted), "{bits} bits");
        let expands = |parameters: &Parameters| parameters.purpose == Purpose::Insert as u64;
        assert!(explorer.device().launched.iter().any(|(_, parameters)| expands(parameters) && parameters.pass == 2));
    }
}
