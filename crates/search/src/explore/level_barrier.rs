//! How workers come together on a level and part again.
//!
//! The leader opens a level, works on it like everybody else and closes it when all who came are done. Helpers wait in
//! between; one that wakes up late finds less to do, and nobody waits for it. Levels too narrow to be shared are
//! not opened at all, so a deep and narrow graph is searched by the leader alone, without a word to anybody.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::error_collector::Haul;
use super::predecessor_hints::Origins;
use crate::store::Queue;
use crate::sync::{AtomicU64, Board, Ordering};

/// Positions end long before.
const BEYOND: u64 = u64::MAX / 2;
/// Says that a level was not halted.
const GOING: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct Crew<Q> {
    gate: Board<Gate>,
    frontier: RwLock<Frontier<Q>>,
    /// The next position of the level that nobody has claimed.
    cursor: AtomicU64,
    /// Where the cursor was when the level was [halted](Crew::halt), if it was.
    halted: AtomicU64,
    results: Mutex<Vec<Results<Q>>>,
}

#[derive(Default, Debug)]
struct Gate {
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
pub(super) struct Results<Q> {
    /// States of the next level.
    pub next: Q,
    /// From where these were found.
    pub origins: Origins,
    pub haul: Option<Haul>,
}

impl<Q: Queue> Crew<Q> {
    pub fn new() -> Crew<Q> {
        Crew {
            gate: Board::new(Gate::default()),
            frontier: RwLock::new(Frontier::default()),
            cursor: AtomicU64::new(0),
            halted: AtomicU64::new(GOING),
            results: Mutex::new(Vec::new()),
        }
    }

    /// Lets helpers in. The frontier must not be changed until [`Crew::close`].
    pub fn open(&self) {
        self.gate.change(|gate| {
            gate.open = true;
            gate.opened += 1;
        });
    }

    /// Waits until all helpers who came are out again, and lets no more in.
    pub fn close(&self) {
        self.gate.wait(|gate| (gate.inside == 0).then(|| gate.open = false));
    }

    /// Waits for a level other than the last one this helper was let in to. None when there will be no more.
    pub fn come(&self, last: &mut u64) -> Option<Inside<'_>> {
        let came = self.gate.wait(|gate| {
            if gate.over {
                return Some(false);
            }
            let come = gate.open && gate.opened != *last;
            come.then(|| {
                *last = gate.opened;
                gate.inside += 1;
                true
            })
        });
        // Made only if it came: dropping it says that it is out again.
        came.then(|| Inside { gate: &self.gate })
    }

    /// Sends all helpers home when it is dropped, even by a panic: they would wait for ever.
    pub fn dismissal(&self) -> Dismissal<'_> {
        Dismissal { gate: &self.gate }
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
    pub fn halt(&self) {
        let at = self.cursor.swap(BEYOND, Ordering::Relaxed);
        self.halted.fetch_min(at, Ordering::Relaxed);
    }

    /// If the level was halted: what nobody has claimed of it.
    pub fn rest(&self, frontier: &Frontier<Q>) -> Option<Range<u64>> {
        let at = self.halted.load(Ordering::Relaxed);
        (at != GOING).then(|| at.min(frontier.level.end)..frontier.level.end)
    }

    pub fn bring(&self, results: Results<Q>) {
        self.results().push(results);
    }

    pub fn results(&self) -> MutexGuard<'_, Vec<Results<Q>>> {
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
pub(super) struct Inside<'a> {
    gate: &'a Board<Gate>,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.gate.change(|gate| gate.inside -= 1);
    }
}

#[derive(Debug)]
pub(super) struct Dismissal<'a> {
    gate: &'a Board<Gate>,
}

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.gate.change(|gate| gate.over = true);
    }
}
