//! The level barrier of the breadth-first search: workers start and end a BFS level together.
//!
//! The leader opens a level, works on it like a helper, and closes it when all helpers that joined have finished.
//! Helpers wait between levels. A helper that wakes up late finds less work, and the leader does not wait for it.
//! Levels that are too narrow are not opened, so the leader searches a deep and narrow graph alone and without
//! synchronisation.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::arrivals::Arrivals;
use super::error_collector::LevelFindings;
use super::predecessor_hints::PredecessorHints;
use crate::store::Queue;
use crate::sync::{AtomicU64, Monitor, Ordering};

/// A position after all positions of the queue.
const BEYOND: u64 = u64::MAX / 2;
/// Value of `paused_at` for a level that was not paused.
const NOT_PAUSED: u64 = u64::MAX;

/// The barrier and the data of the current level.
#[derive(Debug)]
pub(super) struct LevelBarrier<Q> {
    state: Monitor<BarrierState>,
    frontier: RwLock<Frontier<Q>>,
    /// The first position of the level that is not claimed.
    cursor: AtomicU64,
    /// The cursor at the time when the level was [paused](LevelBarrier::pause).
    paused_at: AtomicU64,
    results: Mutex<Vec<LevelResult<Q>>>,
}

#[derive(Default, Debug)]
struct BarrierState {
    open: bool,
    /// Number of levels opened so far.
    opened: u64,
    inside: usize,
    over: bool,
}

/// The queue of all known states by level, and the current level.
#[derive(Default, Debug)]
pub(super) struct Frontier<Q> {
    pub queue: Q,
    pub arrivals: Arrivals,
    pub level: Range<u64>,
    /// Number of states in a claim.
    pub claim: u64,
}

/// The result of one worker on a level.
#[derive(Debug)]
pub(super) struct LevelResult<Q> {
    /// New states, which form the next level.
    pub next: Q,
    pub arrivals: Arrivals,
    /// Approximate parents of these states.
    pub hints: PredecessorHints,
    pub findings: Option<LevelFindings>,
}

impl<Q: Queue> LevelBarrier<Q> {
    pub fn new() -> LevelBarrier<Q> {
        LevelBarrier {
            state: Monitor::new(BarrierState::default()),
            frontier: RwLock::new(Frontier::default()),
            cursor: AtomicU64::new(0),
            paused_at: AtomicU64::new(NOT_PAUSED),
            results: Mutex::new(Vec::new()),
        }
    }

    /// Opens the level for helpers. The frontier must not change before [`LevelBarrier::close`].
    pub fn open(&self) {
        self.state.update(|state| {
            state.open = true;
            state.opened += 1;
        });
    }

    /// Closes the level and waits until all helpers have left it.
    pub fn close(&self) {
        self.state.wait(|state| (state.inside == 0).then(|| state.open = false));
    }

    /// Waits for a level that this helper has not joined. Returns none when there are no further levels.
    pub fn join_level(&self, last: &mut u64) -> Option<LevelGuard<'_>> {
        let came = self.state.wait(|state| {
            if state.over {
                return Some(false);
            }
            let join_level = state.open && state.opened != *last;
            join_level.then(|| {
                *last = state.opened;
                state.inside += 1;
                true
            })
        });
        // The guard exists only for a helper that has joined, because dropping it leaves the level.
        came.then(|| LevelGuard { state: &self.state })
    }

    /// Ends the wait of all helpers when the guard is dropped, also by a panic.
    pub fn shutdown_on_drop(&self) -> ShutdownGuard<'_> {
        ShutdownGuard { state: &self.state }
    }

    /// Starts the level that is set in the frontier.
    pub fn start(&self) {
        let start = self.read().level.start;
        self.cursor.store(start, Ordering::Relaxed);
    }

    /// Claims the next states of the level.
    pub fn claim(&self, frontier: &Frontier<Q>) -> Option<Range<u64>> {
        let start = self.cursor.fetch_add(frontier.claim, Ordering::Relaxed);
        (start < frontier.level.end).then(|| start..frontier.level.end.min(start + frontier.claim))
    }

    /// Stops further claims of this level. The leader calls it.
    pub fn pause(&self) {
        let at = self.cursor.swap(BEYOND, Ordering::Relaxed);
        self.paused_at.fetch_min(at, Ordering::Relaxed);
    }

    /// The unclaimed positions of a level that was paused.
    pub fn remaining(&self, frontier: &Frontier<Q>) -> Option<Range<u64>> {
        let at = self.paused_at.load(Ordering::Relaxed);
        (at != NOT_PAUSED).then(|| at.min(frontier.level.end)..frontier.level.end)
    }

    /// Submits the result of one worker.
    pub fn submit(&self, results: LevelResult<Q>) {
        self.results().push(results);
    }

    pub fn results(&self) -> MutexGuard<'_, Vec<LevelResult<Q>>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn read(&self) -> RwLockReadGuard<'_, Frontier<Q>> {
        self.frontier.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, Frontier<Q>> {
        self.frontier.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Membership of a helper in a level. Dropping it leaves the level.
#[derive(Debug)]
pub(super) struct LevelGuard<'a> {
    state: &'a Monitor<BarrierState>,
}

impl Drop for LevelGuard<'_> {
    fn drop(&mut self) {
        self.state.update(|state| state.inside -= 1);
    }
}

/// Ends the wait of all helpers when it is dropped.
#[derive(Debug)]
pub(super) struct ShutdownGuard<'a> {
    state: &'a Monitor<BarrierState>,
}

impl Drop for ShutdownGuard<'_> {
    fn drop(&mut self) {
        self.state.update(|state| state.over = true);
    }
}
