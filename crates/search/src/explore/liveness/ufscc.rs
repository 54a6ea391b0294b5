//! Multi-core strongly connected components (UFSCC: Bloemen, Laarman, van de Pol, *Multi-core on-the-fly SCC
//! decomposition*, 2016).
//!
//! Each worker searches depth-first in its own order. Workers share a [union-find forest](UnionFind) of states that
//! are known to be on common cycles, and the work in each set: a worker in a set expands any of its states that no
//! worker has finished. A set whose states are all finished is a complete component, and no worker enters it again. A
//! worker that reaches a set which it has entered before has closed a cycle: all sets on its path from there on are
//! united.

use kripke_model::{Choice, Flags, Random};

use super::super::Factory;
use super::super::worker::Worker;
use super::numbers::{NumberBlock, StateNumbers};
use super::parallel::{OrEnded, ParallelSearch, WorkerStatus};
use super::union_find::{CYCLE, Claim, UnionFind};
use super::{Cycles, LivenessSearch, fair_cycle, label};
use crate::budget::Limit;
use crate::store::{Handle, Seen, StateId, Store};

/// A set on the path, represented by the state through which it was entered, and the state of it that is being
/// expanded.
struct Frame {
    state: StateId,
    picked: StateId,
    /// The position where its successors begin that are not yet visited.
    first: usize,
    /// The marks of the edge that leads to it.
    label: u32,
}

/// The search of one worker. States are denoted by [numbered ids](StateNumbers).
struct Searcher<'l, 'w, 'm, 's, S: Store + 'w> {
    parallel: &'l ParallelSearch<'s, S>,
    sets: &'l UnionFind,
    numbers: &'l StateNumbers,
    block: NumberBlock,
    /// The successors of the state that was expanded last.
    successors: Vec<Seen>,
    cycles: Cycles,
    worker: &'l mut Worker<'w, 'm, S>,
    number: usize,
    frames: Vec<Frame>,
    /// Successors of all frames, and the marks of the edge to each if acceptance is defined on edges.
    entries: Vec<StateId>,
    labels: Vec<u32>,
    /// The roots of sets on the path that are not known to be united, with the marks of the edge to each.
    roots: Vec<(StateId, u32)>,
    /// The acceptance marks of the edges of the observer.
    marks: Vec<u32>,
    deepest: u32,
    random: Random,
}

pub(super) fn run<S: Store>(
    liveness: &mut LivenessSearch<'_, '_, '_, S>,
    factory: Factory<'_, '_>,
    root: StateId,
) -> Result<(), Limit> {
    let (parallel, sets, cycles) = (ParallelSearch::new(liveness), UnionFind::new(), liveness.cycles);
    let numbers = StateNumbers::new();
    parallel.run_workers(liveness, factory, |worker, number| {
        let mut searcher = Searcher {
            parallel: &parallel,
            sets: &sets,
            numbers: &numbers,
            block: NumberBlock::default(),
            successors: Vec::new(),
            cycles,
            worker,
            number,
            frames: Vec::new(),
            entries: Vec::new(),
            labels: Vec::new(),
            roots: Vec::new(),
            marks: Vec::new(),
            deepest: 0,
            random: Random::new(number as u64),
        };
        let result = searcher.begin(root);
        let deepest = searcher.deepest;
        parallel.finish_worker(result, worker, deepest);
    });
    let bytes = sets.bytes() + numbers.bytes();
    let done = parallel.conclude(liveness, bytes);
    if cycles.by_edges() {
        // The state found is an arbitrary state of the component, which has all marks.
        for id in std::mem::take(&mut liveness.found) {
            let component = fair_cycle::component(&mut liveness.worker, numbers.id::<S>(id))?;
            liveness.check_component(&component)?;
        }
    }
    // The lasso requires an accepting state of the component.
    for found in &mut liveness.found {
        let accepting = sets.marked(*found, cycles.all_marks()).expect("the set was marked by one of its states");
        *found = numbers.id::<S>(accepting);
    }
    done
}

impl<S: Store> Searcher<'_, '_, '_, '_, S> {
    fn begin(&mut self, root: StateId) -> OrEnded {
        let note = if S::NOTES { self.worker.handle.note(root) } else { 0 };
        let seen = Seen { id: root, new: false, visited: false, note };
        let root = self.numbers.of::<S>(&self.worker.handle, seen, &mut self.block);
        self.search(root)
    }

    fn search(&mut self, root: StateId) -> OrEnded {
        self.visit(root)?;
        while let Some(frame) = self.frames.last() {
            if self.entries.len() > frame.first {
                let state = frame.state;
                let next = self.entries.pop().expect("the frame has an entry");
                let label = self.labels.pop().unwrap_or(0);
                self.follow_edge(state, next, label)?;
            } else {
                self.sets.finish(frame.picked);
                self.pick_next()?;
            }
        }
        Ok(())
    }

    /// Enters the set of a state, unless it is complete.
    fn visit(&mut self, id: StateId) -> OrEnded {
        match self.sets.claim(id, self.number) {
            Claim::New => self.enter(id, 0),
            Claim::Known | Claim::Dead => Ok(()),
        }
    }

    fn enter(&mut self, id: StateId, label: u32) -> OrEnded {
        self.roots.push((id, label));
        self.frames.push(Frame { state: id, picked: id, first: self.entries.len(), label });
        self.deepest = self.deepest.max(self.frames.len() as u32);
        self.pick_next()
    }

    /// Continues with the next state of the last set on the path, or leaves the set.
    fn pick_next(&mut self) -> OrEnded {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match self.sets.pick(frame.state) {
            Some(picked) => {
                frame.picked = picked;
                let state = frame.state;
                self.expand(state, picked)
            }
            None => {
                let (state, label) = (frame.state, frame.label);
                self.frames.pop();
                if self.roots.last().is_some_and(|(root, _)| *root == state) {
                    self.roots.pop();
                }
                self.leave(state, label)
            }
        }
    }

    /// The set that was left may have been united with its predecessor by other workers.
    fn leave(&self, state: StateId, label: u32) -> OrEnded {
        match self.frames.last() {
            Some(frame) if label != 0 && self.sets.same(frame.state, state) => {
                self.check_marks(state, self.sets.mark(state, label | CYCLE))
            }
            _ => Ok(()),
        }
    }

    fn expand(&mut self, state: StateId, picked: StateId) -> OrEnded {
        let (first, by_edges, id) = (self.entries.len(), self.cycles.by_edges(), self.numbers.id::<S>(picked));
        if by_edges {
            self.worker.acceptance_marks(id, &mut self.marks);
        }
        let Searcher { worker, successors, .. } = self;
        successors.clear();
        let expanded = match self.sets.first(picked) {
            true => worker.expand(id, |seen| successors.push(seen)),
            false => worker.expand_again(id, Choice::All, |seen| successors.push(seen)),
        };
        let flags: Flags = expanded.map_err(|limit| self.parallel.stop(limit))?;
        for (number, &seen) in self.successors.iter().enumerate() {
            self.entries.push(self.numbers.of::<S>(&self.worker.handle, seen, &mut self.block));
            if by_edges {
                self.labels.push(label(&self.marks, number));
            }
        }
        // Both lists are permuted equally.
        let mut again = self.random.clone();
        self.random.shuffle(&mut self.entries[first..]);
        if by_edges {
            again.shuffle(&mut self.labels[first..]);
        }
        let marks = self.cycles.marks(flags);
        if marks != 0 {
            let marks = self.sets.mark_state(picked, marks);
            self.check_marks(state, marks)?;
        }
        self.check_limits()
    }

    /// Follows the edge to a successor.
    fn follow_edge(&mut self, state: StateId, next: StateId, label: u32) -> OrEnded {
        if self.frames.len() as u32 >= self.parallel.max_depth && !self.sets.has(next, self.number) {
            if !self.sets.is_dead(next) {
                self.parallel.limit_depth();
            }
            return Ok(());
        }
        match self.sets.claim(next, self.number) {
            Claim::Dead => Ok(()),
            Claim::New => self.enter(next, label),
            Claim::Known => {
                let mut marks = label | CYCLE;
                while !self.sets.same(next, state) {
                    let Some((last, label)) = self.roots.pop() else { break };
                    let Some(&(before, _)) = self.roots.last() else { break };
                    self.sets.unite(before, last);
                    marks |= label;
                }
                self.check_marks(state, self.sets.mark(state, marks))
            }
        }
    }

    /// A set with a cycle has a cycle through all its states and edges.
    fn check_marks(&self, state: StateId, marks: u32) -> OrEnded {
        let wanted = CYCLE | self.cycles.all_marks();
        if marks & wanted == wanted { Err(self.parallel.report_cycle(state)) } else { Ok(()) }
    }

    fn check_limits(&mut self) -> OrEnded {
        let Searcher {
            parallel, sets: shared, numbers, worker, number, frames, entries, labels, roots, deepest, ..
        } = self;
        let status = || {
            let stacks = entries.capacity() * size_of::<StateId>() + labels.capacity() * size_of::<u32>();
            let sets = roots.capacity() * size_of::<(StateId, u32)>() + frames.capacity() * size_of::<Frame>();
            let own = (stacks + sets) as u64;
            let waiting = entries.len() as u64;
            WorkerStatus { number: *number, deepest: *deepest, waiting, own, shared: shared.bytes() + numbers.bytes() }
        };
        parallel.check_limits(worker, status)
    }
}
