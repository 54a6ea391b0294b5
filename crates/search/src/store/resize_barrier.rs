//! The resize barrier: all workers stop, resize the tables together, and continue.
//!
//! A worker holds a [`SharedAccess`] while it uses a table. When a worker finds a table too full, it requests a
//! resize. Every worker with access then comes to the barrier, at the latest after the window of states that it is
//! interning. The last one to arrive plans the resize, all workers execute the plan, and none leaves before it is
//! done. A worker pays for this only one relaxed load of a flag per window.

use crate::sync::{AtomicBool, Monitor, Ordering};

#[derive(Debug)]
pub(super) struct ResizeBarrier {
    requested: AtomicBool,
    state: Monitor<BarrierState>,
}

#[derive(Default, Debug)]
struct BarrierState {
    /// Number of workers with access.
    working: usize,
    /// Number of workers that have arrived at the barrier.
    waiting: usize,
    /// Number of workers that have finished their part.
    finished: usize,
    /// All workers have arrived. No further worker may enter.
    resizing: bool,
    /// Number of completed resizes.
    rounds: u64,
    /// Whether the last plan failed for lack of memory.
    refused: bool,
}

/// The right to use the tables. No table is resized while a worker has access and is not at the barrier.
#[derive(Debug)]
pub(crate) struct SharedAccess<'a> {
    barrier: &'a ResizeBarrier,
}

/// The right to change the tables: all workers with access are at the barrier.
#[derive(Debug)]
pub(crate) struct ExclusiveAccess<'a> {
    _barrier: &'a ResizeBarrier,
}

impl ResizeBarrier {
    pub fn new() -> ResizeBarrier {
        ResizeBarrier { requested: AtomicBool::new(false), state: Monitor::new(BarrierState::default()) }
    }

    /// Gives access to one worker. Waits while a resize is in progress.
    pub fn enter(&self) -> SharedAccess<'_> {
        self.state.wait(|state| (!state.resizing).then(|| state.working += 1));
        SharedAccess { barrier: self }
    }
}

impl SharedAccess<'_> {
    /// Asks all workers to come to the barrier.
    pub fn request_resize(&self) {
        self.barrier.requested.store(true, Ordering::Relaxed);
    }

    /// Whether a resize is requested.
    #[inline]
    pub fn resize_is_requested(&self) -> bool {
        self.barrier.requested.load(Ordering::Relaxed)
    }

    /// Waits for all other workers. The last one to arrive makes the plan, then each worker executes a part of it.
    /// Returns whether a plan could be made, in this round or, if this worker comes too late, in the last one.
    pub fn resize(
        &mut self,
        plan: impl FnOnce(&ExclusiveAccess<'_>) -> bool,
        work: impl FnOnce(&ExclusiveAccess<'_>),
    ) -> bool {
        let ResizeBarrier { requested, state } = self.barrier;
        let exclusive = ExclusiveAccess { _barrier: self.barrier };
        let arrived = state.update(|state| {
            let requested = requested.load(Ordering::Relaxed);
            state.waiting += usize::from(requested);
            requested
        });
        if !arrived {
            return !state.update(|state| state.refused);
        }
        let mut plan = Some(plan);
        state.wait(|state| {
            if !state.resizing && state.waiting == state.working {
                state.refused = !plan.take().expect("one plan per resize")(&exclusive);
                state.resizing = true;
            }
            state.resizing.then_some(())
        });
        work(&exclusive);
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
