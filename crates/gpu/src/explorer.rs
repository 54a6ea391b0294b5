//! The explorer: it divides the memory of a device, launches kernels level by level, and keeps the levels for trails.
//!
//! The keys of all levels lie end to end in a ring. A level that is expanded must stay; older ones are overwritten when the ring is full. If
//! the table refers to the ring, no level is overwritten. [`crate::growth`] has the change to a larger table.

use kripke_model::words::words_of;
use kripke_model::{Batch, State};
use kripke_search::{Accelerator, AcceleratorFailure, Bounds, CycleStep, EndStates, Expanded};

use crate::cycles::Queue;
use crate::device::{Address, Device, DeviceError, Kernel, Parameters, Purpose};
use crate::memory_plan::{BUCKET, COUNTER_BYTES, MemoryPlan};
use crate::source::ModelText;

/// The blocks that expand levels of a size together: few wait for each other for a shorter time than many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier {
    /// A launch ends before levels with fewer places, or more.
    pub least: u64,
    pub most: u64,
    /// The items for which the device has that many blocks.
    pub items: u64,
}

const SMALL: Tier = Tier { least: 0, most: 4096, items: 4096 };
const LARGE: Tier = Tier { least: 2048, most: u64::MAX, items: u64::MAX };

impl Tier {
    /// The blocks for a level of this size.
    pub fn of(places: u64) -> Tier {
        if places <= SMALL.most { SMALL } else { LARGE }
    }
}

/// The most levels of a launch, and the words that it tells about each, as in `kernel/levels.cuh`.
pub(crate) const MOST_LEVELS: u64 = 1024;
const SIZES: usize = 2;

/// A launch ends when it has appended so many keys: limits are observed then, and progress is shown.
const MOST_APPENDED: u64 = 1 << 26;

/// The keys of the list that are read together with their number.
const READ_AT_ONCE: u64 = 64;

/// States that are read from a device at a time.
pub(crate) const READ: u64 = 1 << 16;

/// The counters that a launch leaves.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counters {
    pub appended: u64,
    transitions: u64,
    pub holes: u64,
    pub full: u64,
    left: u64,
    pub levels: u64,
    ends: u64,
}

/// The number of counters that are read, and the number of the one of states that are left, in the order of `kernel/table.cuh`.
const COUNTERS: usize = 10;
const LEFT: usize = 4;

/// Bits of the counter of full parts: the ring has no room, or a stored state has a successor that is not stored.
pub(crate) const RING_FULL: u64 = 2;
pub(crate) const NOT_STORED: u64 = 8;

/// A level: the position of its first key, as if the ring had no end, and the number of places, some of which may be holes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Level {
    pub begin: u64,
    pub places: u64,
}

impl Level {
    pub fn end(self) -> u64 {
        self.begin + self.places
    }
}

/// The states of a level that are left to the host, as far as the host has not taken them.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Left {
    /// Keys in the list, and how many of them were taken.
    pub listed: u64,
    taken: u64,
    /// The part of the level that is not listed.
    rest: Level,
}

impl Left {
    /// So many states in the list.
    pub fn listed(listed: u64) -> Left {
        Left { listed, ..Left::default() }
    }
}

/// A search on a device. See [`Accelerator`].
#[derive(Debug)]
pub struct Explorer<D> {
    pub(crate) device: D,
    pub(crate) plan: MemoryPlan,
    /// Plans with more memory.
    pub(crate) larger: Vec<MemoryPlan>,
    /// The memory of the plan.
    pub(crate) memory: Address,
    /// False if the device did not have the memory of the next plan besides that of this one.
    pub(crate) has_more_memory: bool,
    words: usize,
    /// The word of a key and its bit that is set in every key.
    flag: (usize, u64),
    pub(crate) base: Parameters,
    pub(crate) levels: Vec<Level>,
    /// The end of the positions that may have been written, those of the level in progress too.
    pub(crate) written: u64,
    /// Keys before this position are not in the ring, since it was smaller.
    pub(crate) oldest: u64,
    pub(crate) counters: Counters,
    pub(crate) left: Left,
    /// Whether the invalid end states of the last level were counted.
    counts_ends: u64,
    /// The queue of a search for cycles.
    pub(crate) queue: Queue,
}

impl<D: Device> Explorer<D> {
    /// A search on a device that has the kernels for this model, with at most so much of its memory.
    pub fn new(device: D, model: &ModelText, memory: u64) -> Result<Explorer<D>, DeviceError> {
        let swaps = device.properties().swaps_128_bits;
        let stages = MemoryPlan::stages(memory, model, swaps);
        if stages.is_empty() {
            return Err(DeviceError::OutOfMemory(memory));
        }
        Explorer::with_stages(device, model, stages)
    }

    /// A search whose memory is divided as the first of these plans says, and the next one when that is full.
    ///
    /// # Panics
    /// If there is no plan.
    pub fn with_stages(
        mut device: D,
        model: &ModelText,
        mut stages: Vec<MemoryPlan>,
    ) -> Result<Explorer<D>, DeviceError> {
        let plan = stages.remove(0);
        let memory = device.allocate(plan.bytes)?;
        Ok(Explorer {
            device,
            plan,
            larger: stages,
            memory,
            has_more_memory: true,
            words: model.words,
            flag: (model.bits as usize / 64, 1 << (model.bits % 64)),
            base: lay_out(&plan, memory),
            levels: Vec::new(),
            written: 0,
            oldest: 0,
            counters: Counters::default(),
            left: Left::default(),
            counts_ends: 0,
            queue: Queue::default(),
        })
    }

    /// How the memory is divided.
    pub fn plan(&self) -> &MemoryPlan {
        &self.plan
    }

    /// The device.
    pub fn device(&mut self) -> &mut D {
        &mut self.device
    }

    pub(crate) fn level(&self) -> Level {
        self.levels.last().copied().unwrap_or_default()
    }

    /// The number of keys that the ring has room for after the last level. They may overwrite older levels if the table has the keys.
    pub(crate) fn room(&self) -> u64 {
        let (last, size) = (self.level(), self.plan.ring_size);
        if self.plan.keys_in_table { size - last.places } else { size - last.end() }
    }

    /// The parameters of a launch for places of the last level, or of an earlier one.
    pub(crate) fn parameters(&self, places: Level) -> Parameters {
        let (last, size) = (self.level(), self.plan.ring_size);
        Parameters {
            in_begin: places.begin % size,
            in_count: places.places,
            out_begin: last.end() % size,
            out_room: self.room(),
            passes: 1,
            ..self.base
        }
    }

    pub(crate) fn read_counters(&mut self) -> Result<(), AcceleratorFailure> {
        let mut words = [0; COUNTERS];
        self.device.read(self.base.counters, &mut words).map_err(lost)?;
        let [appended, transitions, holes, full, left, _, _, _, levels, ends] = words;
        self.counters = Counters { appended, transitions, holes, full, left, levels, ends };
        Ok(())
    }

    /// What the counter of full parts means.
    pub(crate) fn check_full(&self, full: u64) -> Result<(), AcceleratorFailure> {
        match full {
            0 => Ok(()),
            NOT_STORED.. => Err(AcceleratorFailure::Lost("a successor of a stored state is not stored".to_string())),
            _ => Err(AcceleratorFailure::Full(self.plan.bytes)),
        }
    }

    /// Lists states of a part of a level: those that are left, and those with one of the given states as successor. The list has room for all.
    /// Returns their number, and the first keys.
    fn list(&mut self, part: Level, given: u64) -> Result<(u64, Vec<u64>), AcceleratorFailure> {
        let at = self.base.counters + 8 * LEFT as u64;
        self.device.clear(at, 8).map_err(lost)?;
        let (purpose, counts_ends) = (Purpose::Compare as u64, self.counts_ends);
        let parameters = Parameters { given_count: given, purpose, counts_ends, ..self.parameters(part) };
        self.device.launch(Kernel::ExpandStates, part.places, &parameters).map_err(lost)?;
        // The list is behind the counters.
        let keys = READ_AT_ONCE.min(self.plan.listed) as usize * self.plan.key_words;
        let (before, mut words) = ((self.base.left - at) as usize / 8, Vec::new());
        words.resize(before + keys, 0);
        self.device.read(at, &mut words).map_err(lost)?;
        Ok((words[0], words.split_off(before)))
    }

    /// Appends all states of the list, of which the first keys are known.
    fn take_list(&mut self, listed: u64, first: &[u64], out: &mut Batch) -> Result<(), AcceleratorFailure> {
        let known = listed.min((first.len() / self.plan.key_words) as u64);
        self.push_states(&mut first[..known as usize * self.plan.key_words].to_vec(), out);
        self.read_list(known, listed - known, out)
    }

    /// Appends states, given their keys.
    fn push_states(&self, words: &mut [u64], out: &mut Batch) {
        let mut state = Vec::with_capacity(8 * self.words);
        for key in words.chunks_mut(self.plan.key_words) {
            let (word, bit) = self.flag;
            key[word] &= !bit;
            state.clear();
            state.extend(key.iter().take(self.words).flat_map(|word| word.to_le_bytes()));
            out.push(&state);
        }
    }

    /// Appends states of the list.
    pub(crate) fn read_list(&mut self, first: u64, count: u64, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        let (key_words, at) = (self.plan.key_words, self.base.left + first * self.plan.key_bytes());
        let mut words = vec![0; count as usize * key_words];
        self.device.read(at, &mut words).map_err(lost)?;
        self.push_states(&mut words, out);
        Ok(())
    }

    /// Writes states to the list of the host.
    pub(crate) fn write_given<'s>(
        &mut self,
        states: impl Iterator<Item = &'s State>,
    ) -> Result<u64, AcceleratorFailure> {
        let (key_words, (word, bit)) = (self.plan.key_words, self.flag);
        let mut words = Vec::new();
        for state in states {
            let mut key = words_of(state);
            key[word] |= bit;
            words.extend_from_slice(&key[..key_words]);
        }
        self.device.write(self.base.given, &words).map_err(lost)?;
        Ok((words.len() / key_words) as u64)
    }

    /// Takes the memory of the plan again after the device did not have more: another program may use it. No larger plan is tried again.
    fn take_memory_again(&mut self) -> Result<(), AcceleratorFailure> {
        self.larger.clear();
        self.take_memory(self.plan).map_err(lost)
    }

    /// Takes the memory of a plan. There is no other memory.
    fn take_memory(&mut self, plan: MemoryPlan) -> Result<(), DeviceError> {
        self.memory = self.device.allocate(plan.bytes)?;
        self.base = lay_out(&plan, self.memory);
        self.plan = plan;
        self.has_more_memory = true;
        Ok(())
    }

    /// Sets the counters of a level. Keys of the next one may have been appended before.
    pub(crate) fn reset_counters(&mut self, appended: u64, holes: u64) -> Result<(), AcceleratorFailure> {
        if appended == 0 {
            return self.device.clear(self.base.counters, COUNTER_BYTES).map_err(lost);
        }
        let mut words = [0; COUNTER_BYTES as usize / 8];
        (words[0], words[2]) = (appended, holes);
        self.device.write(self.base.counters, &words).map_err(lost)
    }

    /// Expands the last level, and others if a launch can go on.
    fn launch_levels(&mut self, most: u64, bounds: Bounds) -> Result<(), AcceleratorFailure> {
        let (level, passes, counts_ends) = (self.level(), self.plan.passes, u64::from(bounds.ends == EndStates::Count));
        self.counts_ends = counts_ends;
        self.written = u64::MAX;
        if passes > 1 || most <= 1 {
            for pass in 0..passes {
                let parameters = Parameters { passes, pass, counts_ends, ..self.parameters(level) };
                self.device.launch(Kernel::ExpandStates, level.places, &parameters).map_err(lost)?;
            }
            return self.read_counters();
        }
        let tier = Tier::of(level.places);
        let parameters = Parameters {
            most_levels: most,
            sizes: self.base.given,
            most_places: tier.most.min(self.places_before_growth()),
            least_places: tier.least,
            most_appended: self.room_before_growth().min(MOST_APPENDED).min(bounds.states),
            counts_ends,
            ..self.parameters(level)
        };
        self.device.launch(Kernel::ExpandStates, tier.items, &parameters).map_err(lost)?;
        self.read_counters()
    }

    /// Notes the levels that a launch has ended.
    fn note_levels(&mut self, expanded: &mut Expanded) -> Result<(), AcceleratorFailure> {
        // What a launch has counted belongs to the levels that have ended, unless it has expanded one level in full.
        if self.counters.full == 0 || self.counters.levels > 0 {
            expanded.transitions += self.counters.transitions;
            expanded.invalid_ends += self.counters.ends;
        }
        let mut sizes = vec![0; SIZES * self.counters.levels as usize];
        self.device.read(self.base.given, &mut sizes).map_err(lost)?;
        for size in sizes.chunks(SIZES) {
            self.levels.push(Level { begin: self.level().end(), places: size[0] });
            expanded.further.push(size[0] - size[1]);
        }
        self.note_written();
        Ok(())
    }

    /// Notes the end of what was written. Keys for which the ring had no room were not.
    fn note_written(&mut self) {
        self.written = self.level().end() + self.counters.appended.min(self.room());
    }

    /// Whether the places of a level still have its keys.
    pub(crate) fn is_retained(&self, level: Level) -> bool {
        level.begin >= self.oldest && self.written <= level.begin.saturating_add(self.plan.ring_size)
    }
}

/// The addresses of the parts of the memory. The first table is the table, if there is one.
pub(crate) fn lay_out(plan: &MemoryPlan, start: Address) -> Parameters {
    let after = |at: Address, bytes: u64| (at + bytes).next_multiple_of(256);
    let left = after(start, COUNTER_BYTES);
    let first = after(left, plan.listed * plan.key_bytes());
    let table = after(first, plan.first_buckets * BUCKET);
    let ring = after(table, plan.buckets * BUCKET);
    let given = after(ring, plan.ring_size * plan.key_bytes());
    let marks = after(given, plan.listed * plan.key_bytes());
    let queue = after(marks, plan.mark_bytes());
    let queued = after(queue, plan.queue_bytes());
    Parameters {
        counters: start,
        table: if plan.first_buckets > 0 { first } else { table },
        buckets: if plan.first_buckets > 0 { plan.first_buckets } else { plan.buckets },
        ring,
        ring_size: plan.ring_size,
        left,
        left_room: plan.listed,
        given,
        marks,
        queue,
        queued,
        queue_room: plan.queued,
        ..Parameters::default()
    }
}

pub(crate) fn lost(error: DeviceError) -> AcceleratorFailure {
    match error {
        DeviceError::OutOfMemory(bytes) => AcceleratorFailure::Full(bytes),
        DeviceError::Failed(how) => AcceleratorFailure::Lost(how),
    }
}

impl<D: Device> Accelerator for Explorer<D> {
    fn name(&self) -> String {
        self.device.properties().name.clone()
    }

    fn begin(&mut self, initial: &State) -> Result<(), AcceleratorFailure> {
        self.levels.clear();
        (self.written, self.oldest) = (0, 0);
        self.left = Left::default();
        self.base = lay_out(&self.plan, self.memory);
        self.device.clear(self.base.table, self.base.buckets * BUCKET).map_err(lost)?;
        self.device.clear(self.base.counters, COUNTER_BYTES).map_err(lost)?;
        if self.plan.queued > 0 {
            self.device.clear(self.base.marks, self.plan.mark_bytes()).map_err(lost)?;
        }
        let mut batch = Batch::new();
        batch.push(initial);
        self.add(&batch)?;
        self.end_level().map(|_| ())
    }

    fn expand_levels(&mut self, bounds: Bounds) -> Result<Expanded, AcceleratorFailure> {
        self.make_room()?;
        self.reset_counters(0, 0)?;
        // The list of the host has room for what is told about levels.
        let most = u64::from(bounds.levels)
            .min(MOST_LEVELS)
            .min(self.plan.listed * self.plan.key_bytes() / (8 * SIZES as u64));
        let mut expanded = Expanded::default();
        loop {
            self.launch_levels(most - expanded.further.len() as u64, bounds)?;
            self.note_levels(&mut expanded)?;
            if self.counters.full == 0 {
                break;
            }
            // The last level is expanded again: the keys that it has appended are known then.
            self.grow_in_level()?;
        }
        let (listed, level) = (self.counters.left, self.level());
        self.left = match listed <= self.plan.listed {
            true => Left::listed(listed),
            false => Left { rest: level, ..Left::default() },
        };
        Ok(expanded)
    }

    fn take_left(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        // A part of a level that is not longer than the list fits into it.
        while self.left.taken == self.left.listed && self.left.rest.places > 0 {
            let Level { begin, places } = self.left.rest;
            let part = Level { begin, places: places.min(self.plan.listed) };
            let rest = Level { begin: part.end(), places: places - part.places };
            let (listed, _) = self.list(part, 0)?;
            self.left = Left { listed, taken: 0, rest };
        }
        let count = (self.left.listed - self.left.taken).min(READ);
        self.read_list(self.left.taken, count, out)?;
        self.left.taken += count;
        Ok(())
    }

    fn add(&mut self, states: &Batch) -> Result<(), AcceleratorFailure> {
        let mut first = 0;
        while first < states.len() {
            let part = states.states().skip(first).take(self.plan.listed as usize);
            let given = self.write_given(part)?;
            let parameters = Parameters { given_count: given, ..self.parameters(Level::default()) };
            self.written = u64::MAX;
            self.device.launch(Kernel::AddGiven, given, &parameters).map_err(lost)?;
            self.read_counters()?;
            self.note_written();
            match self.counters.full {
                0 => first += given as usize,
                // The same states are added again: those that are stored already are not new.
                _ => self.grow_in_level()?,
            }
        }
        Ok(())
    }

    fn end_level(&mut self) -> Result<u64, AcceleratorFailure> {
        let next = Level { begin: self.level().end(), places: self.counters.appended };
        self.levels.push(next);
        self.written = next.end();
        Ok(next.places - self.counters.holes)
    }

    fn origins(&mut self, depth: u32, states: &Batch, out: &mut Batch) -> Result<bool, AcceleratorFailure> {
        let Some(level) = self.levels.get(depth as usize).copied().filter(|level| self.is_retained(*level)) else {
            return Ok(false);
        };
        let given = self.write_given(states.states())?;
        let mut rest = level;
        while rest.places > 0 {
            let part = Level { begin: rest.begin, places: rest.places.min(self.plan.listed) };
            rest = Level { begin: part.end(), places: rest.places - part.places };
            let (listed, first) = self.list(part, given)?;
            self.take_list(listed, &first, out)?;
        }
        Ok(true)
    }

    fn trace(&mut self, depth: u32, state: &State, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        self.trace_back(depth, state, out)
    }

    fn accept(&mut self, states: &Batch) -> Result<(), AcceleratorFailure> {
        self.tell_accepting(states)
    }

    fn begin_step(&mut self, step: CycleStep) -> Result<(), AcceleratorFailure> {
        self.begin_cycle_step(step)
    }

    fn begin_round(&mut self, state: &State) -> Result<bool, AcceleratorFailure> {
        self.begin_at(state)
    }

    fn go_on(&mut self) -> Result<bool, AcceleratorFailure> {
        self.tell_queued()
    }

    fn tell(&mut self, successors: &Batch) -> Result<(), AcceleratorFailure> {
        self.tell_batch(successors)
    }

    fn inside(&mut self) -> Result<u64, AcceleratorFailure> {
        self.count_inside()
    }

    fn candidates(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        self.list_candidates(out)
    }

    fn has_come_round(&self) -> bool {
        self.queue.has_come_round
    }

    fn grow(&mut self) -> Result<bool, AcceleratorFailure> {
        if self.larger.is_empty() {
            return Ok(false);
        }
        self.levels.clear();
        self.device.free(self.memory).map_err(lost)?;
        let plan = self.larger.remove(0);
        match self.take_memory(plan) {
            Ok(()) => Ok(true),
            Err(DeviceError::OutOfMemory(_)) => self.take_memory_again().map(|()| false),
            Err(error) => Err(lost(error)),
        }
    }

    fn bytes(&self) -> u64 {
        self.plan.bytes
    }
}
