//! The last resort for limits: ends the program where the phase it is in does not obey them by itself.
//!
//! Searches check deadline, memory and interrupts themselves and report what they have seen. Reading a model, preparing it,
//! confirming a counterexample or writing it may take long, too, and not all of that code can poll. So a thread of its own
//! looks at the clock, at the signals and at the memory that the program really has. It gives the phase some time to answer;
//! then it says why the check is inconclusive and in which phase, removes temporary files and ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kripke::memory;
pub use kripke::monitor::Phase;
use kripke_search::{Limit, Progress};

use crate::exit::Status;
use crate::{cluster, files, output};

/// The time that a phase has to obey a limit by itself.
const GRACE: Duration = Duration::from_millis(500);
/// The time that another rank has to report a limit before this one does.
const REPORT: Duration = Duration::from_secs(2);
/// The bounds of the polling interval.
const LONGEST: Duration = Duration::from_millis(50);
const SHORTEST: Duration = Duration::from_millis(1);
/// Bytes that a program can allocate and fill in a second.
const SPEED: u64 = 4 << 30;
/// The minimum of the memory limit, documented on the guide's page on limits.
pub const LEAST: u64 = 64 << 20;

/// A running check: its limits, and the report of its end.
pub struct Watched {
    pub deadline: Option<Instant>,
    pub memory: Option<u64>,
    pub interrupt: Arc<AtomicBool>,
    /// Reports the end of the check, and gives the status.
    pub report: Box<dyn Fn(&Stop) -> Status + Send>,
}

/// The end of a check by the watchdog.
pub struct Stop {
    pub limit: Limit,
    /// Whether an allocation failed.
    pub refused: bool,
    pub phase: Phase,
    /// The progress of the search, if there was one.
    pub progress: Option<Arc<Progress>>,
}

struct Current {
    watched: Watched,
    phase: Phase,
    progress: Option<Arc<Progress>>,
    /// The time of the interrupt.
    interrupted: Option<Instant>,
}

static CURRENT: Mutex<Option<Current>> = Mutex::new(None);
/// Set while the program has more memory than it may have.
static FULL: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

fn current() -> MutexGuard<'static, Option<Current>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to watch a check. Dropping the value ends that, so that printed results are not cut off.
pub fn watch(watched: Watched) -> Watching {
    let first = current().replace(Current { watched, phase: Phase::Reading, progress: None, interrupted: None });
    full();
    static STARTED: AtomicBool = AtomicBool::new(false);
    if first.is_none() && !STARTED.swap(true, Ordering::Relaxed) {
        // Without the thread, limits hold as far as the phases check them.
        let _ = thread::Builder::new().name("watchdog".to_string()).spawn(watch_loop);
    }
    Watching(())
}

pub struct Watching(());

impl Drop for Watching {
    fn drop(&mut self) {
        *current() = None;
    }
}

/// Records the phase of the check.
pub fn phase(phase: Phase) {
    if let Some(current) = &mut *current() {
        current.phase = phase;
    }
}

/// Records the start of a search.
pub fn search(progress: &Arc<Progress>) {
    if let Some(current) = &mut *current() {
        (current.phase, current.progress) = (Phase::Searching, Some(progress.clone()));
    }
}

/// A flag that is set while the program has more memory than it may have, whatever searches think they use.
pub fn full() -> Arc<AtomicBool> {
    FULL.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().clone()
}

/// Ends the running check because an allocation failed. The check is locked for moments only, unless the failed allocation was made
/// under the lock.
pub fn out_of_memory() {
    for _ in 0..GRACE.as_millis() {
        if let Ok(mut current) = CURRENT.try_lock() {
            if let Some(current) = current.take() {
                let memory = current.watched.memory.unwrap_or(0);
                end(current, Limit::Memory(memory), true);
            }
            return;
        }
        thread::sleep(SHORTEST);
    }
}

fn watch_loop() {
    let full = full();
    let mut pause = SHORTEST;
    loop {
        thread::sleep(pause);
        // An allocation that fails reports the check, so this one is made before the check is locked.
        let now = memory::now();
        let mut checked = current();
        let Some(check) = &mut *checked else {
            full.store(false, Ordering::Relaxed);
            pause = LONGEST;
            continue;
        };
        let most = check.watched.memory.map_or(u64::MAX, |memory| memory.max(LEAST));
        // Slightly early, because a search needs time to notice.
        full.store(now > most - most / 64, Ordering::Relaxed);
        if let Some(limit) = check.passed(now, most)
            && let Some(current) = checked.take()
        {
            end(current, limit, false);
        }
        // The time in which the remaining memory can be filled.
        let left = most.saturating_sub(now).min(SPEED);
        pause = Duration::from_nanos(left * 1_000_000_000 / SPEED).clamp(SHORTEST, LONGEST);
    }
}

impl Current {
    /// The limit that was exceeded for longer than the grace period.
    fn passed(&mut self, memory: u64, most: u64) -> Option<Limit> {
        if memory > most.saturating_add(most / 64) {
            return Some(Limit::Memory(self.watched.memory.unwrap_or(most)));
        }
        if self.watched.interrupt.load(Ordering::Relaxed) {
            let since = *self.interrupted.get_or_insert_with(Instant::now);
            if since.elapsed() > GRACE {
                return Some(Limit::Interrupted);
            }
        }
        let late = |deadline: Instant| Instant::now().checked_duration_since(deadline).is_some_and(|late| late > GRACE);
        self.watched.deadline.is_some_and(late).then_some(Limit::Time)
    }
}

fn end(current: Current, limit: Limit, refused: bool) {
    let Current { watched, phase, progress, .. } = current;
    files::remove_temporary();
    if output::is_muted() {
        // The rank that reports has reached the limit, too, or this one has to report.
        thread::sleep(REPORT);
        output::unmute();
    }
    let status = (watched.report)(&Stop { limit, refused, phase, progress });
    cluster::exit(status);
}
