//! Depth-first order over numbers: successors are interned when generated and coloured when visited.

use super::Frontier;
use crate::store::{Seen, StateId};

/// Below the entries of each frame in the stack. No state has this number.
const FRAME: StateId = StateId(u32::MAX);

/// The successors still to be visited of every state on the current path. All frames lie in one vector, so a path of
/// ten million states is nothing special.
#[derive(Debug)]
pub(super) struct Stack {
    entries: Vec<StateId>,
    visited: Vec<u64>,
    /// Frames in `entries`: how deep the current path is.
    frames: u32,
    deepest: u32,
    max_depth: u32,
}

impl Stack {
    pub fn new(max_depth: u32) -> Stack {
        Stack { entries: Vec::new(), visited: Vec::new(), frames: 0, deepest: 0, max_depth }
    }

    #[inline]
    fn is_visited(&self, id: StateId) -> bool {
        self.visited.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    fn visit(&mut self, id: StateId) {
        let word = id.index() / 64;
        if word >= self.visited.len() {
            self.visited.resize(word + 1, 0);
        }
        self.visited[word] |= 1 << (id.index() % 64);
    }
}

impl Frontier for Stack {
    fn start(&mut self, root: StateId) {
        self.entries.push(root);
    }

    fn take(&mut self, work: &mut Vec<StateId>) {
        while let Some(id) = self.entries.pop() {
            if id == FRAME {
                self.frames -= 1;
            } else if !self.is_visited(id) {
                self.visit(id);
                self.deepest = self.deepest.max(self.frames);
                work.push(id);
                return;
            }
        }
    }

    /// A state is linked to where it was first seen from. That need not be the path on which it is visited, but it is
    /// one on which it has exactly the bytes that were stored.
    fn push(&mut self, parent: StateId, successors: &[Seen], parents: &mut Vec<StateId>) {
        parents.extend(successors.iter().filter(|seen| seen.new).map(|_| parent));
        if self.frames == self.max_depth {
            return;
        }
        let frame = self.entries.len();
        self.entries.push(FRAME);
        for seen in successors.iter().rev() {
            if seen.new || !self.is_visited(seen.id) {
                self.entries.push(seen.id);
            }
        }
        if self.entries.len() == frame + 1 {
            self.entries.pop();
        } else {
            self.frames += 1;
        }
    }

    fn depth(&self) -> u32 {
        self.deepest
    }

    fn waiting(&self) -> u64 {
        self.entries.len() as u64 - u64::from(self.frames)
    }

    fn bytes(&self) -> u64 {
        (self.entries.len() * size_of::<StateId>() + self.visited.len() * size_of::<u64>()) as u64
    }
}
