//! How far a search has got, for another thread to watch.

use std::sync::atomic::{AtomicU64, Ordering};

/// Written by the search about once per batch, read by whoever shows it. The figures are not from the same instant.
#[derive(Default, Debug)]
pub struct Progress {
    states: AtomicU64,
    transitions: AtomicU64,
    depth: AtomicU64,
    queue: AtomicU64,
    bytes: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Snapshot {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// States found and not yet expanded; in depth-first order, entries of the stack.
    pub queue: u64,
    /// Memory of store, links and frontier.
    pub bytes: u64,
}

impl Progress {
    pub fn new() -> Progress {
        Progress::default()
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            queue: self.queue.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn set(&self, now: Snapshot) {
        self.states.store(now.states, Ordering::Relaxed);
        self.transitions.store(now.transitions, Ordering::Relaxed);
        self.depth.store(now.depth, Ordering::Relaxed);
        self.queue.store(now.queue, Ordering::Relaxed);
        self.bytes.store(now.bytes, Ordering::Relaxed);
    }
}
