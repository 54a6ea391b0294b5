//! Progress counters of a running search, read by another thread.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that the search writes about once per batch. Different counters may be from different instants.
#[derive(Default, Debug)]
pub struct Progress {
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
    queue: AtomicU64,
    bytes: AtomicU64,
}

/// The counters of a [`Progress`] at one time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Snapshot {
    /// Stored states.
    pub states: u64,
    /// Transitions between stored states.
    pub transitions: u64,
    /// The depth reached so far.
    pub depth: u64,
    /// Open states: found and not yet expanded. In depth-first order: entries of the stack.
    pub queue: u64,
    /// Memory of the store, the parent links and the open set, in bytes.
    pub bytes: u64,
}

impl Progress {
    /// Counters that are all zero.
    pub fn new() -> Progress {
        Progress::default()
    }

    /// Reads all counters.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            queue: self.queue.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// Writes all counters. A search calls it about once per batch.
    pub fn set(&self, now: Snapshot) {
        self.states.store(now.states, Ordering::Relaxed);
        self.transitions.store(now.transitions, Ordering::Relaxed);
        self.depth.store(now.depth, Ordering::Relaxed);
        self.queue.store(now.queue, Ordering::Relaxed);
        self.bytes.store(now.bytes, Ordering::Relaxed);
    }
}
