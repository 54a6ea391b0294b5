//! The time before the first code is made: small models are searched before compiling them would pay.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The time before the first code is made, in which the interpreter expands states.
#[derive(Debug)]
pub(crate) struct WarmUp {
    /// The time that the interpreter has taken, in nanoseconds.
    spent: AtomicU64,
    /// The time after which code is made: about as long as that takes. So a search takes at most about twice as long as if it had
    /// been known before whether compiling pays.
    patience: Duration,
    /// A thread is making the code, or has made it.
    ended: AtomicBool,
}

impl WarmUp {
    pub fn new(edges: usize) -> WarmUp {
        let patience = COMPILING + COMPILING_EDGE * edges as u32;
        WarmUp { spent: AtomicU64::new(0), patience, ended: AtomicBool::new(false) }
    }

    /// Adds time of the interpreter in which it has expanded no states. Code is made when the next state is expanded, if it is due.
    pub fn spend(&self, time: Duration) {
        self.spent.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Adds time of the interpreter. Returns whether the calling thread has to make the code now.
    pub fn add(&self, time: Duration) -> bool {
        let time = time.as_nanos() as u64;
        let spent = self.spent.fetch_add(time, Ordering::Relaxed) + time;
        u128::from(spent) >= self.patience.as_nanos() && !self.ended.swap(true, Ordering::Relaxed)
    }
}

/// The time that compiling takes, at least and for each edge.
const COMPILING: Duration = Duration::from_micros(500);
const COMPILING_EDGE: Duration = Duration::from_micros(20);
