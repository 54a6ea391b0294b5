//! The explorer: it divides the memory of a device, launches kernels level by level, and keeps the levels for trails.
//!
//! The keys of all levels lie end to end in a ring. A level that is expanded must stay; older ones are overwritten when the ring is full. If
//! the table refers to the ring, no level is overwritten.

use kripke_model::words::words_of;
use kripke_model::{Batch, State};
use kripke_search::{Accelerator, AcceleratorFailure, CycleStep, Expanded};

use crate::cycles::Queue;
use crate::device::{Address, Device, DeviceError, Kernel, Parameters, Purpose};
use crate::memory_plan::{BUCKET, COUNTER_BYTES, MemoryPlan};
use crate::source::ModelText;

/// Levels of at most so many states are expanded together in one launch, as in `kernel/levels.cuh`.
const SMALL_LEVEL: u64 = 4096;

/// The most levels of such a launch.
const MOST_LEVELS: u64 = 1024;

/// The counter of levels that a launch has ended, as in `kernel/table.cuh`.
const LEVELS: u64 = 8;

/// States that are read from a device at a time.
pub(crate) const READ: u64 = 1 << 16;

/// The counters that a launch without error leaves.
#[derive(Clone, Copy, Default, Debug)]
struct Counters {
    appended: u64,
    transitions: u64,
    holes: u64,
    left: u64,
}

/// The number of counters, in the order of `kernel/table.cuh`: appended, transitions, holes, full, left.
const COUNTERS: usize = 5;

/// The bit of the counter of full parts that means that a stored state has a successor that is not stored.
const NOT_STORED: u64 = 8;

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
    listed: u64,
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
    larger: Vec<MemoryPlan>,
    words: usize,
    /// The word of a key and its bit that is set in every key.
    flag: (usize, u64),
    pub(crate) base: Parameters,
    levels: Vec<Level>,
    /// The end of the positions that may have been written, those of the level in progress too.
    written: u64,
    counters: Counters,
    pub(crate) left: Left,
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
        let base = lay_out(&plan, device.allocate(plan.bytes)?);
        let flag = (model.bits as usize / 64, 1 << (model.bits % 64));
        let (levels, written, words) = (Vec::new(), 0, model.words);
        let (counters, left, queue) = (Counters::default(), Left::default(), Queue::default());
        Ok(Explorer { device, plan, larger: stages, words, flag, base, levels, written, counters, left, queue })
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
    fn room(&self) -> u64 {
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

    fn read_counters(&mut self) -> Result<(), AcceleratorFailure> {
        let mut words = [0; COUNTERS];
        self.device.read(self.base.counters, &mut words).map_err(lost)?;
        let [appended, transitions, holes, full, left] = words;
        self.counters = Counters { appended, transitions, holes, left };
        self.check_full(full)
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
    fn list(&mut self, part: Level, given: u64) -> Result<u64, AcceleratorFailure> {
        let at = self.base.counters + 8 * (COUNTERS as u64 - 1);
        self.device.write(at, &[0]).map_err(lost)?;
        let purpose = Purpose::Compare as u64;
        let parameters = Parameters { given_count: given, purpose, ..self.parameters(part) };
        self.device.launch(Kernel::ExpandStates, part.places, &parameters).map_err(lost)?;
        let mut listed = [0];
        self.device.read(at, &mut listed).map_err(lost)?;
        Ok(listed[0])
    }

    /// Appends states of the list.
    pub(crate) fn read_list(&mut self, first: u64, count: u64, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        let (key_words, at) = (self.plan.key_words, self.base.left + first * self.plan.key_bytes());
        let mut words = vec![0; count as usize * key_words];
        self.device.read(at, &mut words).map_err(lost)?;
        let mut state = Vec::with_capacity(8 * self.words);
        for key in words.chunks_mut(key_words) {
            let (word, bit) = self.flag;
            key[word] &= !bit;
            state.clear();
            state.extend(key.iter().take(self.words).flat_map(|word| word.to_le_bytes()));
            out.push(&state);
        }
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
        self.base = lay_out(&self.plan, self.device.allocate(self.plan.bytes).map_err(lost)?);
        Ok(())
    }

    /// Expands the last level.
    fn launch_level(&mut self) -> Result<(), AcceleratorFailure> {
        let (level, passes) = (self.level(), self.plan.passes);
        self.written = level.end() + self.room();
        for pass in 0..passes {
            let parameters = Parameters { passes, pass, ..self.parameters(level) };
            self.device.launch(Kernel::ExpandStates, level.places, &parameters).map_err(lost)?;
        }
        self.read_counters()
    }

    /// Expands small levels, the last one first. Returns the number of states of each further level.
    fn launch_levels(&mut self, most_levels: u64) -> Result<Vec<u64>, AcceleratorFailure> {
        let level = self.level();
        self.written = level.end() + self.room() + most_levels * SMALL_LEVEL;
        let parameters = Parameters { most_levels, sizes: self.base.given, ..self.parameters(level) };
        self.device.launch(Kernel::ExpandStates, SMALL_LEVEL, &parameters).map_err(lost)?;
        let mut ended = [0];
        self.device.read(self.base.counters + 8 * LEVELS, &mut ended).map_err(lost)?;
        let mut sizes = vec![0; 2 * ended[0] as usize];
        self.device.read(self.base.given, &mut sizes).map_err(lost)?;
        let mut further = Vec::new();
        for size in sizes.chunks(2) {
            self.levels.push(Level { begin: self.level().end(), places: size[0] });
            further.push(size[0] - size[1]);
        }
        self.written = self.level().end() + self.room();
        self.read_counters().map(|()| further)
    }

    /// Whether the places of a level still have its keys.
    fn is_retained(&self, level: Level) -> bool {
        self.written <= level.begin + self.plan.ring_size
    }
}

/// The addresses of the parts of the memory.
fn lay_out(plan: &MemoryPlan, start: Address) -> Parameters {
    let after = |at: Address, bytes: u64| (at + bytes).next_multiple_of(256);
    let table = after(start, COUNTER_BYTES);
    let ring = after(table, plan.buckets * BUCKET);
    let left = after(ring, plan.ring_size * plan.key_bytes());
    let given = after(left, plan.listed * plan.key_bytes());
    let marks = after(given, plan.listed * plan.key_bytes());
    let queue = after(marks, plan.mark_bytes());
    let queued = after(queue, plan.queue_bytes());
    Parameters {
        counters: start,
        table,
        buckets: plan.buckets,
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
        self.written = 0;
        self.left = Left::default();
        self.device.clear(self.base.table, self.plan.buckets * BUCKET).map_err(lost)?;
        self.device.clear(self.base.counters, COUNTER_BYTES).map_err(lost)?;
        if self.plan.queued > 0 {
            self.device.clear(self.base.marks, self.plan.mark_bytes()).map_err(lost)?;
        }
        let mut batch = Batch::new();
        batch.push(initial);
        self.add(&batch)?;
        self.end_level().map(|_| ())
    }

    fn expand_levels(&mut self, most: u32) -> Result<Expanded, AcceleratorFailure> {
        self.device.clear(self.base.counters, COUNTER_BYTES).map_err(lost)?;
        // Two words of the list of the host for each level.
        let most = u64::from(most).min(MOST_LEVELS).min(self.plan.listed * self.plan.key_bytes() / 16);
        let further = match self.level().places <= SMALL_LEVEL && most > 1 {
            true => self.launch_levels(most)?,
            false => self.launch_level().map(|()| Vec::new())?,
        };
        let (listed, level) = (self.counters.left, self.level());
        self.left = match listed <= self.plan.listed {
            true => Left::listed(listed),
            false => Left { rest: level, ..Left::default() },
        };
        Ok(Expanded { transitions: self.counters.transitions, further })
    }

    fn take_left(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        // A part of a level that is not longer than the list fits into it.
        while self.left.taken == self.left.listed && self.left.rest.places > 0 {
            let Level { begin, places } = self.left.rest;
            let part = Level { begin, places: places.min(self.plan.listed) };
            let rest = Level { begin: part.end(), places: places - part.places };
            let listed = self.list(part, 0)?;
            self.left = Left { listed, taken: 0, rest };
        }
        let count = (self.left.listed - self.left.taken).min(READ);
        self.read_list(self.left.taken, count, out)?;
        self.left.taken += count;
        Ok(())
    }

    fn add(&mut self, states: &Batch) -> Result<(), AcceleratorFailure> {
        let mut states = states.states().peekable();
        while states.peek().is_some() {
            let given = self.write_given(states.by_ref().take(self.plan.listed as usize))?;
            let parameters = Parameters { given_count: given, ..self.parameters(Level::default()) };
            self.device.launch(Kernel::AddGiven, given, &parameters).map_err(lost)?;
            self.read_counters()?;
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
            let listed = self.list(part, given)?;
            self.read_list(0, listed, out)?;
        }
        Ok(true)
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
        let plan = self.larger.remove(0);
        match self.device.allocate(plan.bytes) {
            Ok(start) => {
                self.base = lay_out(&plan, start);
                self.plan = plan;
                Ok(true)
            }
            Err(DeviceError::OutOfMemory(_)) => self.take_memory_again().map(|()| false),
            Err(error) => Err(lost(error)),
        }
    }

    fn bytes(&self) -> u64 {
        self.plan.bytes
    }
}
