//! How tables grow under the hands of several workers: all stop, grow them together, and go on.
//!
//! Workers hold a [`SharedAccess`] while they use a table. When one finds a table too full it calls a barrier; everybody with a
//! access attends it as soon as they can, at the latest after the states they are just interning. The last to come makes
//! the plan, all carry it out, and nobody leaves before it is done. What this costs a worker that need not resize is
//! one look at a flag now and then.

use crate::sync::{AtomicBool, Monitor, Ordering};

#[derive(Debug)]
pub(super) struct ResizeBarrier {
    requested: AtomicBool,
    state: Monitor<BarrierState>,
}

#[derive(Default, Debug)]
struct BarrierState {
    /// Who has a access.
    working: usize,
    /// Who of them has come to the barrier.
    waiting: usize,
    /// Who has done their part.
    finished: usize,
    /// All have come, and no other may take a access now.
    resizing: bool,
    /// How many meetings there were.
    rounds: u64,
    /// Whether the plan of the last one was refused.
    refused: bool,
}

/// The right to use the tables. Nothing grows as long as somebody has a access and does not resize a barrier.
#[derive(Debug)]
pub(crate) struct SharedAccess<'a> {
    barrier: &'a ResizeBarrier,
}

/// The right to change the tables: all who have a access are in the barrier.
#[derive(Debug)]
pub(crate) struct ExclusiveAccess<'a> {
    _barrier: &'a ResizeBarrier,
}

impl ResizeBarrier {
    pub fn new() -> ResizeBarrier {
        ResizeBarrier { requested: AtomicBool::new(false), state: Monitor::new(BarrierState::default()) }
    }

    pub fn enter(&self) -> SharedAccess<'_> {
        self.state.wait(|state| (!state.resizing).then(|| state.working += 1));
        SharedAccess { barrier: self }
    }
}

impl SharedAccess<'_> {
    pub fn request(&self) {
        self.barrier.requested.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_requested(&self) -> bool {
        self.barrier.requested.load(Ordering::Relaxed)
    }

    /// Waits for all others. One of them makes the plan, then each does the work. Whether a plan could be made, now or,
    /// if the barrier is already over, then.
    pub fn resize(
        &mut self,
        plan: impl FnOnce(&ExclusiveAccess<'_>) -> bool,
        work: impl FnOnce(&ExclusiveAccess<'_>),
    ) -> bool {
        let ResizeBarrier { requested, state } = self.barrier;
        let resizing = ExclusiveAccess { _barrier: self.barrier };
        let came = state.update(|state| {
            let requested = requested.load(Ordering::Relaxed);
            state.waiting += usize::from(requested);
            requested
        });
        if !came {
            return !state.update(|state| state.refused);
        }
        let mut plan = Some(plan);
        state.wait(|state| {
            if !state.resizing && state.waiting == state.working {
                state.refused = !plan.take().expect("a plan is made once")(&resizing);
                state.resizing = true;
            }
            state.resizing.then_some(())
        });
        work(&resizing);
        let rounds = state.update(|state| {
            let rounds = state.rounds;
            state.finished += 1;
            if state.finished == state.waiting {
                requested.store(false, Ordering::Relaxed);
                *state = BarrierState {
                    working: state.working,
                    rounds: rounds + 1,
                    refused: state.refused,
                    ..BarrierState::default()
                };
            }
            rounds
        });
        state.wait(|state| (state.rounds != rounds).then_some(!state.refused))
    }
}

impl Drop for SharedAccess<'_> {
    fn drop(&mut self) {
        self.barrier.state.update(|state| state.working -= 1);
    }
}
