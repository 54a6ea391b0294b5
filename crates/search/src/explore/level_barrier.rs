//! How workers join_level together on a level and part again.
//!
//! The leader opens a level, works on it like everybody else and closes it when all who came are done. Helpers wait in
//! between; one that wakes up late finds less to do, and nobody waits for it. Levels too narrow to be shared are
//! not opened at all, so a deep and narrow graph is searched by the leader alone, without a word to anybody.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::error_collector::LevelFindings;
use super::predecessor_hints::PredecessorHints;
use crate::store::Queue;
use crate::sync::{AtomicU64, Monitor, Ordering};

/// Positions end long before.
const BEYOND: u64 = u64::MAX / 2;
/// Says that a level was not paused_at.
const NOT_PAUSED: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct LevelBarrier<Q> {
    state: Monitor<BarrierState>,
    frontier: RwLock<Frontier<Q>>,
    /// The next position of the level that nobody has claimed.
    cursor: AtomicU64,
    /// Where the cursor was when the level was [paused_at](LevelBarrier::pause), if it was.
    paused_at: AtomicU64,
    results: Mutex<Vec<LevelResult<Q>>>,
}

#[derive(Default, Debug)]
struct BarrierState {
    open: bool,
    /// How many levels were opened.
    opened: u64,
    inside: usize,
    over: bool,
}

/// All states known, by their level, and the level that is worked on.
#[derive(Default, Debug)]
pub(super) struct Frontier<Q> {
    pub queue: Q,
    pub level: Range<u64>,
    /// How many states are claimed at once.
    pub claim: u64,
}

/// What a worker brings back from a level.
#[derive(Debug)]
pub(super) struct LevelResult<Q> {
    /// States of the next level.
    pub next: Q,
    /// From where these were found.
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

    /// Lets helpers in. The frontier must not be changed until [`LevelBarrier::close`].
    pub fn open(&self) {
        self.state.update(|state| {
            state.open = true;
            state.opened += 1;
        });
    }

    /// Waits until all helpers who came are out again, and lets no more in.
    pub fn close(&self) {
        self.state.wait(|state| (state.inside == 0).then(|| state.open = false));
    }

    /// Waits for a level other than the last one this helper was let in to. None when there will be no more.
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
        // Made only if it came: dropping it says that it is out again.
        came.then(|| LevelGuard { state: &self.state })
    }

    /// Sends all helpers home when it is dropped, even by a panic: they would wait for ever.
    pub fn shutdown_on_drop(&self) -> ShutdownGuard<'_> {
        ShutdownGuard { state: &self.state }
    }

    /// Starts the level that is set in the frontier.
    pub fn start(&self) {
        let start = self.read().level.start;
        self.cursor.store(start, Ordering::Relaxed);
    }

    pub fn claim(&self, frontier: &Frontier<Q>) -> Option<Range<u64>> {
        let start = self.cursor.fetch_add(frontier.claim, Ordering::Relaxed);
        (start < frontier.level.end).then(|| start..frontier.level.end.min(start + frontier.claim))
    }

    /// Lets nobody claim more of this level. To be called by the leader.
    pub fn pause(&self) {
        let at = self.cursor.swap(BEYOND, Ordering::Relaxed);
        self.paused_at.fetch_min(at, Ordering::Relaxed);
    }

    /// If the level was paused_at: what nobody has claimed of it.
    pub fn remaining(&self, frontier: &Frontier<Q>) -> Option<Range<u64>> {
        let at = self.paused_at.load(Ordering::Relaxed);
        (at != NOT_PAUSED).then(|| at.min(frontier.level.end)..frontier.level.end)
    }

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

/// A helper on a level.
#[derive(Debug)]
pub(super) struct LevelGuard<'a> {
    state: &'a Monitor<BarrierState>,
}

impl Drop for LevelGuard<'_> {
    fn drop(&mut self) {
        self.state.update(|state| state.inside -= 1);
    }
}

#[derive(Debug)]
pub(super) struct ShutdownGuard<'a> {
    state: &'a Monitor<BarrierState>,
}

impl Drop for ShutdownGuard<'_> {
    fn drop(&mut self) {
        self.state.update(|state| state.over = true);
    }
}
