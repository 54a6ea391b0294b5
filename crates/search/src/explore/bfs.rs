//! Breadth-first order: the store's numbers, in order, are the queue.

use super::{Frontier, ROUND};
use crate::store::{Seen, StateId};

/// Level by level. A round never spans two levels, so the depth of a state is that of its level.
#[derive(Debug)]
pub(super) struct Levels {
    next: u32,
    /// Where the current level ends.
    end: u32,
    /// How many states are known: where the next level ends so far.
    known: u32,
    depth: u32,
    max_depth: u32,
}

impl Levels {
    pub fn new(max_depth: u32) -> Levels {
        Levels { next: 0, end: 0, known: 0, depth: 0, max_depth }
    }
}

impl Frontier for Levels {
    fn start(&mut self, root: StateId) {
        assert_eq!(root, StateId(0), "states are numbered in the order in which they come");
        (self.end, self.known) = (1, 1);
    }

    fn take(&mut self, work: &mut Vec<StateId>) {
        if self.next == self.end {
            if self.end == self.known || self.depth == self.max_depth {
                return;
            }
            self.depth += 1;
            self.end = self.known;
        }
        let to = self.end.min(self.next.saturating_add(ROUND as u32));
        work.extend((self.next..to).map(StateId));
        self.next = to;
    }

    fn push(&mut self, parent: StateId, successors: &[Seen], parents: &mut Vec<StateId>) {
        for seen in successors.iter().filter(|seen| seen.new) {
            debug_assert_eq!(seen.id.0, self.known, "states are numbered in the order in which they come");
            self.known += 1;
            parents.push(parent);
        }
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn waiting(&self) -> u64 {
        u64::from(self.known - self.next)
    }

    fn bytes(&self) -> u64 {
        0
    }
}
