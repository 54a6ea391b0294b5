//! Work that busy workers of a depth-first search offer to idle ones.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::sync::Monitor;

/// The work that is offered. Each piece is a stack.
pub(super) struct WorkSharing<T> {
    offered: Monitor<Offered<T>>,
    /// The number of idle workers, and of all.
    idle: AtomicUsize,
    threads: usize,
}

struct Offered<T> {
    pieces: Vec<T>,
    waiting: usize,
    over: bool,
}

impl<T> WorkSharing<T> {
    /// For so many workers, with pieces that no worker has yet.
    pub fn new(threads: usize, pieces: Vec<T>) -> WorkSharing<T> {
        let offered = Monitor::new(Offered { pieces, waiting: 0, over: false });
        WorkSharing { offered, idle: AtomicUsize::new(0), threads }
    }

    /// Whether a worker waits for work.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Waits until another worker offers work. Nothing when no work is left, or after the [end](WorkSharing::end).
    pub fn take(&self) -> Option<T> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        self.offered.update(|offered| offered.waiting += 1);
        let taken = self.offered.wait(|offered| {
            if offered.over || offered.waiting == self.threads && offered.pieces.is_empty() {
                offered.over = true;
                return Some(None);
            }
            offered.pieces.pop().map(|piece| {
                offered.waiting -= 1;
                Some(piece)
            })
        });
        self.idle.fetch_sub(1, Ordering::Relaxed);
        taken
    }

    /// Offers a piece, unless there is one that no worker has taken yet.
    pub fn offer(&self, piece: impl FnOnce() -> Option<T>) {
        self.offered.update(|offered| {
            if offered.pieces.is_empty() {
                offered.pieces.extend(piece());
            }
        });
    }

    /// Ends the search for all workers when the result is dropped: no work is left, the search has stopped, or the worker has
    /// panicked.
    pub fn end_on_drop(&self) -> EndOnDrop<'_, T> {
        EndOnDrop(self)
    }

    /// The pieces that no worker has taken.
    pub fn rest(&self) -> Vec<T> {
        self.offered.update(|offered| std::mem::take(&mut offered.pieces))
    }
}

pub(super) struct EndOnDrop<'a, T>(&'a WorkSharing<T>);

impl<T> Drop for EndOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.offered.update(|offered| offered.over = true);
    }
}
