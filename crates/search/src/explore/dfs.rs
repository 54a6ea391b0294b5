//! Depth-first search over ids: successors are interned when they are generated, and marked when they are visited.

use std::sync::atomic::Ordering;

use super::error_collector::Findings;
use super::worker::Worker;
use super::{Factory, ROUND, Search};
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store};

/// Entry above each state of the current path.
pub(super) const FRAME: StateId = StateId::NONE;

/// How many entries below the top the next state to be looked at is prefetched.
const AHEAD: usize = 6;

/// Maximum number of steps of all kept paths together. The first path is always kept. A search may find a hundred
/// errors at a depth of ten million.
const STEPS: usize = 1 << 24;

/// The current path and, above each of its states, a frame of its successors that are not yet visited. One vector
/// holds all entries, so a path of ten million states is no problem.
#[derive(Debug)]
pub(super) struct Stack {
    pub entries: Vec<StateId>,
    /// Number of frames in `entries`: the depth of the current path.
    frames: u32,
    pub deepest: u32,
    max_depth: u32,
    /// Memory of the stacks of other workers, in bytes.
    pub other_bytes: u64,
}

impl Stack {
    pub fn new(max_depth: u32) -> Stack {
        Stack { entries: Vec::new(), frames: 0, deepest: 0, max_depth, other_bytes: 0 }
    }

    /// Finds the next state to visit. It stays on the stack.
    fn take(&mut self, handle: &mut impl Handle) -> Option<StateId> {
        loop {
            match *self.entries.last()? {
                FRAME => {
                    self.frames -= 1;
                    self.entries.pop();
                    self.entries.pop();
                }
                id if !handle.visit(id) => {
                    self.entries.pop();
                    if let Some(ahead) = self.entries.len().checked_sub(AHEAD) {
                        handle.prefetch_note(self.entries[ahead]);
                    }
                }
                id => {
                    self.deepest = self.deepest.max(self.frames);
                    return Some(id);
                }
            }
        }
    }

    /// Pushes a frame with the successors of the state taken last.
    fn push(&mut self, successors: &[Seen], handle: &impl Handle) {
        let frame = self.entries.len();
        if self.frames < self.max_depth {
            self.entries.push(FRAME);
            let unvisited = successors.iter().rev().filter(|seen| seen.new || !handle.was_visited(**seen));
            self.entries.extend(unvisited.map(|seen| seen.id));
        }
        if self.entries.len() <= frame + 1 {
            self.entries.truncate(frame - 1);
        } else {
            self.frames += 1;
        }
    }

    /// Finds the next state to visit, where no state is on two stacks. It stays on the stack.
    pub fn take_owned(&mut self) -> Option<StateId> {
        while *self.entries.last()? == FRAME {
            self.frames -= 1;
            self.entries.pop();
            self.entries.pop();
        }
        self.deepest = self.deepest.max(self.frames);
        self.entries.last().copied()
    }

    /// Pushes a frame with these states, or removes the state taken last if there are none.
    pub fn push_owned(&mut self, states: &[StateId]) {
        if states.is_empty() {
            self.entries.pop();
            return;
        }
        self.entries.push(FRAME);
        self.entries.extend(states.iter().rev());
        self.frames += 1;
    }

    /// The number of states that are not yet visited.
    pub fn waiting(&self) -> u64 {
        self.entries.len() as u64 - 2 * u64::from(self.frames)
    }

    /// Moves half of the states to another stack that are waiting in the frame nearest to the initial state. Both stacks
    /// have the path to them. Nothing if no state waits beside the path.
    pub fn split(&mut self) -> Option<Stack> {
        let mut path = Vec::new();
        let mut first = 0;
        loop {
            let rest = &self.entries[first..];
            let end = first + rest.iter().position(|id| *id == FRAME)?;
            // The last entry before the frame is on the path.
            let waiting = end - 1 - first;
            if waiting > 0 {
                let given: Vec<StateId> = self.entries.drain(first..first + waiting.div_ceil(2)).collect();
                let frames = path.len() as u32;
                let below = path.into_iter().flat_map(|id| [id, FRAME]);
                let entries = below.chain(given).collect();
                return Some(Stack { entries, frames, ..Stack::new(self.max_depth) });
            }
            path.push(self.entries[end - 1]);
            first = end + 1;
        }
    }

    /// The states from the initial state to the one taken last.
    pub fn path(&self) -> Vec<StateId> {
        let below = self.entries.windows(2).filter(|pair| pair[1] == FRAME).map(|pair| pair[0]);
        below.chain(self.entries.last().copied()).collect()
    }

    pub fn bytes(&self) -> u64 {
        (self.entries.capacity() * size_of::<StateId>()) as u64 + self.other_bytes
    }
}

/// The state of a depth-first search.
pub(super) struct Descent<'a, 'm, S: Store + 'a> {
    pub stack: Stack,
    /// Whether the search has paused.
    pub paused: bool,
    pub findings: Findings<Vec<StateId>>,
    pub stop: Option<Limit>,
    pub worker: Worker<'a, 'm, S>,
}

pub(super) fn run<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    max_depth: u32,
) -> Descent<'a, 'm, S> {
    let mut worker = Worker::new(search, 0, factory());
    let mut stack = Stack::new(max_depth);
    let root = worker.begin();
    stack.entries.extend(root.as_ref().ok());
    resume(search, Descent { stack, paused: false, findings: Findings::new(), stop: root.err(), worker })
}

/// Continues a search that has paused.
pub(super) fn resume<'a, 'm, S: Store>(search: &'a Search<'a, S>, descent: Descent<'a, 'm, S>) -> Descent<'a, 'm, S> {
    let mut descent = Descent { paused: false, ..descent };
    if descent.stop.is_none() {
        descent.stop = descend(search, &mut descent).err();
    }
    let Descent { stack, findings, worker, .. } = &mut descent;
    findings.collect(worker.errors.take_findings(), Vec::new);
    search.depth.store(u64::from(stack.deepest), Ordering::Relaxed);
    search.report(stack.bytes(), stack.entries.len() as u64 - u64::from(stack.frames));
    descent
}

fn descend<S: Store>(search: &Search<'_, S>, descent: &mut Descent<'_, '_, S>) -> Result<(), Limit> {
    let Descent { stack, paused, findings, worker, .. } = descent;
    let mut steps: usize = findings.kept.iter().map(|(_, path)| path.len()).sum();
    let mut successors = Vec::new();
    loop {
        if worker.is_due(ROUND) {
            search.depth.store(u64::from(stack.deepest), Ordering::Relaxed);
            search.check(stack.bytes(), stack.entries.len() as u64 - u64::from(stack.frames));
            if let Some(limit) = search.take_limit() {
                return Err(limit);
            }
            if search.should_pause() {
                *paused = true;
                return Ok(());
            }
        }
        let Some(id) = stack.take(&mut worker.handle) else { return Ok(()) };
        worker.round.work.clear();
        worker.round.work.push(id);
        successors.clear();
        let turned =
            worker.expand_round::<false>(|_, seen, _| successors.push(seen), |handle, id| !handle.is_visited(id));
        if !worker.errors.is_empty() {
            let room = findings.kept.is_empty() || steps + stack.frames as usize <= STEPS;
            findings.collect(worker.errors.take_findings(), || if room { stack.path() } else { Vec::new() });
            steps += stack.frames as usize;
            if !search.options.all_errors || findings.suffice(search.options) {
                return Ok(());
            }
        }
        turned?;
        stack.push(&successors, &worker.handle);
    }
}
