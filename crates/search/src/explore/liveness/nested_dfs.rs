//! Nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis, 1992; Holzmann, Peled, Yannakakis, 1996), with
//! the colours and early detection of Schwoon and Esparza (*A note on on-the-fly verification algorithms*, 2005).
//! States on the path of the first (blue) search are cyan; an edge of either search to a cyan state closes a cycle. A
//! state whose successors are all red is red without a search of its own.

use super::LivenessSearch;
use super::notes::StateNotes;
use crate::budget::Limit;
use crate::store::{Handle, StateId, Store};

/// The number of states of the path between the one that is completed and the one whose note is prefetched.
const AHEAD: usize = 4;

/// Entry above each state of the current path.
const FRAME: StateId = StateId::NONE;

/// The colour of a state: the first two bits of its note.
const COLOUR: u8 = 3;
const WHITE: u8 = 0;
const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;
/// The state is accepting.
const ACCEPTING: u8 = 4;

/// The current path, with frames of successors that are not yet visited.
#[derive(Debug, Default)]
struct Stack {
    entries: Vec<StateId>,
    /// The states that have frames.
    path: Vec<PathState>,
}

/// A state of the path.
#[derive(Clone, Copy, Debug)]
struct PathState {
    id: StateId,
    accepting: bool,
    /// Whether all successors so far are red.
    all_red: bool,
}

impl Stack {
    /// Opens a frame for the state on top. Its successors follow.
    fn push_frame(&mut self, owner: StateId) -> usize {
        self.entries.push(FRAME);
        self.path.push(PathState { id: owner, accepting: false, all_red: true });
        self.entries.len()
    }

    /// Removes a completed state and its frame.
    fn pop_frame(&mut self) -> Option<PathState> {
        self.entries.pop();
        self.entries.pop();
        self.path.pop()
    }

    /// The state whose successors are being visited.
    fn owner(&mut self) -> Option<&mut PathState> {
        self.path.last_mut()
    }

    fn depth(&self) -> u32 {
        self.path.len() as u32
    }
}

/// The search: the notes of the states and the stacks of both searches.
#[derive(Debug, Default)]
struct Nested {
    notes: StateNotes<u8>,
    blue: Stack,
    red: Stack,
    deepest: u32,
}

pub(super) fn run<S: Store>(liveness: &mut LivenessSearch<'_, '_, '_, S>, root: StateId) -> Result<(), Limit> {
    let mut nested = Nested::default();
    nested.blue.entries.push(root);
    let done = nested.search(liveness);
    liveness.depth = nested.deepest;
    liveness.bytes = nested.bytes();
    done
}

impl Nested {
    fn bytes(&self) -> u64 {
        let of = |stack: &Stack| {
            stack.entries.capacity() * size_of::<StateId>() + stack.path.capacity() * size_of::<PathState>()
        };
        self.notes.bytes() + (of(&self.blue) + of(&self.red)) as u64
    }

    fn note<S: Store>(&self, liveness: &LivenessSearch<'_, '_, '_, S>, id: StateId) -> u8 {
        self.notes.get::<S>(&liveness.worker.handle, id)
    }

    fn set_note<S: Store>(&mut self, liveness: &mut LivenessSearch<'_, '_, '_, S>, id: StateId, note: u8) {
        self.notes.set::<S>(&mut liveness.worker.handle, id, note);
    }

    fn search<S: Store>(&mut self, liveness: &mut LivenessSearch<'_, '_, '_, S>) -> Result<(), Limit> {
        while let Some(&top) = self.blue.entries.last() {
            if top == FRAME {
                let Some(state) = self.blue.pop_frame() else { break };
                if self.finish(liveness, state)? {
                    return Ok(());
                }
                continue;
            }
            let note = self.enter(liveness, top);
            match note & COLOUR {
                WHITE if self.blue.depth() >= liveness.max_depth => {
                    liveness.depth_limited = true;
                    self.blue.entries.pop();
                    if let Some(owner) = self.blue.owner() {
                        owner.all_red = false;
                    }
                }
                WHITE => {
                    if self.visit(liveness, top)? {
                        return Ok(());
                    }
                }
                colour => {
                    self.blue.entries.pop();
                    let Some(owner) = self.blue.owner() else { continue };
                    if colour == CYAN && (note & ACCEPTING != 0 || owner.accepting) {
                        liveness.found.push(if note & ACCEPTING != 0 { top } else { owner.id });
                        return Ok(());
                    }
                    owner.all_red &= colour == RED;
                }
            }
        }
        Ok(())
    }

    /// Expands the state on top of the stack of the blue search. Returns whether the search has ended.
    fn visit<S: Store>(&mut self, liveness: &mut LivenessSearch<'_, '_, '_, S>, id: StateId) -> Result<bool, Limit> {
        let first = self.blue.push_frame(id);
        self.deepest = self.deepest.max(self.blue.depth());
        let Nested { notes, blue, .. } = self;
        // The filter runs during interning, where memory accesses overlap.
        let flags = liveness.worker.expand(id, |seen| {
            if seen.new || notes.of_seen::<S>(seen) & COLOUR != RED {
                blue.entries.push(seen.id);
            }
        })?;
        self.blue.entries[first..].reverse();
        if flags.accepting {
            self.set_note(liveness, id, CYAN | ACCEPTING);
            self.blue.owner().expect("the state has a frame").accepting = true;
        }
        let waiting = self.blue.entries.len() as u64;
        liveness.check_limits(self.deepest, || self.bytes(), waiting)
    }

    /// The note of a state. A white state becomes cyan, unless the path is too long.
    fn enter<S: Store>(&mut self, liveness: &mut LivenessSearch<'_, '_, '_, S>, id: StateId) -> u8 {
        if self.blue.depth() >= liveness.max_depth {
            return self.note(liveness, id);
        }
        self.notes.set_first::<S>(&mut liveness.worker.handle, id, CYAN)
    }

    /// Completes a state of the blue search. Returns whether a cycle was found.
    fn finish<S: Store>(
        &mut self,
        liveness: &mut LivenessSearch<'_, '_, '_, S>,
        PathState { id, accepting, all_red }: PathState,
    ) -> Result<bool, Limit> {
        if !all_red
            && accepting
            && let Some(found) = self.search_red(liveness, id)?
        {
            liveness.found.push(found);
            return Ok(true);
        }
        let colour = if all_red || accepting { RED } else { BLUE };
        if let Some(ahead) = self.blue.path.len().checked_sub(AHEAD) {
            liveness.worker.handle.prefetch_note(self.blue.path[ahead].id);
        }
        self.set_note(liveness, id, colour);
        if let Some(owner) = self.blue.owner() {
            owner.all_red &= colour == RED;
        }
        Ok(false)
    }

    /// The red search: from an accepting state over blue states. Returns the seed if it reaches a cyan state.
    fn search_red<S: Store>(
        &mut self,
        liveness: &mut LivenessSearch<'_, '_, '_, S>,
        seed: StateId,
    ) -> Result<Option<StateId>, Limit> {
        self.red.entries.clear();
        self.red.path.clear();
        self.red.entries.push(seed);
        let mut first = true;
        while let Some(&top) = self.red.entries.last() {
            if top == FRAME {
                self.red.pop_frame();
                continue;
            }
            match self.note(liveness, top) & COLOUR {
                // The seed itself is still cyan.
                CYAN if !first => return Ok(Some(seed)),
                BLUE | CYAN => {
                    if !first {
                        self.set_note(liveness, top, RED);
                    }
                    first = false;
                    let start = self.red.push_frame(top);
                    let entries = &mut self.red.entries;
                    liveness.worker.expand_again(top, kripke_model::Choice::All, |seen| entries.push(seen.id))?;
                    self.red.entries[start..].reverse();
                }
                _ => {
                    self.red.entries.pop();
                }
            }
        }
        Ok(None)
    }
}
