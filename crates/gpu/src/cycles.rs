//! The steps of a search for accepting cycles on the places of stored states: see `kernel/places.cuh`.
//!
//! Places whose successors are to be told wait in a queue. Those that are queued meanwhile are in a second one, and the two change places when
//! the first is at its end. A place for which the queue has no room stays marked as pending, and is found by a scan when the queue is empty.

use kripke_model::{Batch, State};
use kripke_search::{AcceleratorFailure, CycleStep};

use crate::device::{Device, Kernel, Parameters, Purpose};
use crate::explorer::{Explorer, Left, Level, READ, lost};

/// What a successor is told, and what a scan does: the numbers of `kernel/places.cuh`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(u64)]
enum Step {
    #[default]
    None,
    Accept,
    Reach,
    Eliminate,
    Start,
    ComeRound,
    Include,
    Refill,
    Count,
    Candidates,
}

/// The first of the counters that a step uses, and their number, in the order of `kernel/table.cuh`: full, left, queued, inside, found.
const FIRST: u64 = 3;
const COUNTERS: usize = 5;

/// The counters of a step.
#[derive(Clone, Copy, Default, Debug)]
struct Counted {
    left: u64,
    queued: u64,
    inside: u64,
    found: u64,
}

/// The queue of places.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Queue {
    step: Step,
    /// Places in the first queue, and how many of them were told.
    count: u64,
    told: u64,
    /// Places in the second one, and whether it had no room for others.
    queued: u64,
    has_more: bool,
    /// The place from which a round began.
    target: u64,
    /// Whether the round has come back to it.
    pub has_come_round: bool,
}

impl<D: Device> Explorer<D> {
    /// The parameters of a launch in a step.
    fn step_parameters(&self, step: Step) -> Parameters {
        let places = if self.plan.keys_in_table { self.plan.places() } else { self.level().end() };
        let target = self.queue.target;
        Parameters { step: step as u64, places, target, ..self.parameters(Level::default()) }
    }

    /// Reads the counters of a step.
    fn count(&mut self) -> Result<Counted, AcceleratorFailure> {
        let mut words = [0; COUNTERS];
        self.device.read(self.base.counters + 8 * FIRST, &mut words).map_err(lost)?;
        let [full, left, queued, inside, found] = words;
        self.check_full(full)?;
        Ok(Counted { left, queued, inside, found })
    }

    /// Sets the counters of a step to 0, except that of queued places.
    fn reset(&mut self, queued: u64) -> Result<(), AcceleratorFailure> {
        self.device.write(self.base.counters + 8 * FIRST, &[0, 0, queued, 0, 0]).map_err(lost)
    }

    fn scan(&mut self, step: Step) -> Result<Counted, AcceleratorFailure> {
        self.reset(0)?;
        let parameters = self.step_parameters(step);
        self.device.launch(Kernel::ScanPlaces, parameters.places, &parameters).map_err(lost)?;
        self.count()
    }

    /// Notes how many places the second queue has.
    fn note_queued(&mut self, queued: u64) {
        self.queue.has_more |= queued > self.plan.queued;
        self.queue.queued = queued.min(self.plan.queued);
    }

    /// Gives states of the host to a step.
    fn tell_states(&mut self, states: &Batch, step: Step) -> Result<Counted, AcceleratorFailure> {
        let (mut states, mut counted) = (states.states().peekable(), Counted::default());
        while states.peek().is_some() {
            let given = self.write_given(states.by_ref().take(self.plan.listed as usize))?;
            let parameters = Parameters { given_count: given, ..self.step_parameters(step) };
            self.device.launch(Kernel::TellGiven, given, &parameters).map_err(lost)?;
            counted = self.count()?;
        }
        Ok(counted)
    }

    pub(crate) fn tell_accepting(&mut self, states: &Batch) -> Result<(), AcceleratorFailure> {
        self.tell_states(states, Step::Accept).map(|_| ())
    }

    pub(crate) fn begin_cycle_step(&mut self, step: CycleStep) -> Result<(), AcceleratorFailure> {
        let step = match step {
            CycleStep::Include => Step::Include,
            CycleStep::Reach => Step::Reach,
            CycleStep::Eliminate => Step::Eliminate,
            CycleStep::Rounds => Step::ComeRound,
        };
        self.queue = Queue { step, ..Queue::default() };
        let queued = self.scan(step)?.queued;
        self.note_queued(queued);
        Ok(())
    }

    pub(crate) fn begin_at(&mut self, state: &State) -> Result<bool, AcceleratorFailure> {
        let mut batch = Batch::new();
        batch.push(state);
        self.queue = Queue { step: Step::ComeRound, ..Queue::default() };
        self.reset(0)?;
        let Counted { queued, found, .. } = self.tell_states(&batch, Step::Start)?;
        self.queue.target = found;
        self.note_queued(queued);
        Ok(queued > 0)
    }

    /// Tells the successors of queued places. The list of states that are left has room for all of them.
    pub(crate) fn tell_queued(&mut self) -> Result<bool, AcceleratorFailure> {
        if self.queue.told == self.queue.count && !self.next_queue()? {
            return Ok(false);
        }
        self.reset(self.queue.queued)?;
        let Queue { step, count, told, .. } = self.queue;
        let (part, passes) = ((count - told).min(self.plan.listed), self.plan.passes);
        for pass in 0..passes {
            let (all, purpose) = (self.step_parameters(step), Purpose::Tell as u64);
            let parameters = Parameters { in_begin: told, in_count: part, passes, pass, purpose, ..all };
            self.device.launch(Kernel::ExpandStates, part, &parameters).map_err(lost)?;
        }
        self.queue.told += part;
        let Counted { left, queued, found, .. } = self.count()?;
        self.left = Left::listed(left);
        self.note_told(queued, found);
        Ok(true)
    }

    fn note_told(&mut self, queued: u64, found: u64) {
        self.note_queued(queued);
        self.queue.has_come_round |= found != 0;
    }

    /// Goes on to the second queue, or to places that it had no room for. Returns false if there are none.
    fn next_queue(&mut self) -> Result<bool, AcceleratorFailure> {
        if self.queue.queued == 0 && self.queue.has_more {
            self.queue.has_more = false;
            let queued = self.scan(Step::Refill)?.queued;
            self.note_queued(queued);
        }
        (self.base.queue, self.base.queued) = (self.base.queued, self.base.queue);
        (self.queue.count, self.queue.told, self.queue.queued) = (self.queue.queued, 0, 0);
        Ok(self.queue.count > 0)
    }

    pub(crate) fn tell_batch(&mut self, successors: &Batch) -> Result<(), AcceleratorFailure> {
        if !successors.is_empty() {
            let Counted { queued, found, .. } = self.tell_states(successors, self.queue.step)?;
            self.note_told(queued, found);
        }
        Ok(())
    }

    pub(crate) fn count_inside(&mut self) -> Result<u64, AcceleratorFailure> {
        self.scan(Step::Count).map(|counted| counted.inside)
    }

    pub(crate) fn list_candidates(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        let listed = self.scan(Step::Candidates)?.left.min(self.plan.listed).min(READ);
        self.read_list(0, listed, out)
    }
}
