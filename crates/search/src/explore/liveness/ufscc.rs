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
/// expanded. States are denoted by [numbers](StateNumbers).
struct Frame {
    state: u32,
    picked: u32,
    /// The position where its edges begin that are not yet followed.
    first: usize,
    /// The marks of the edge that leads to it.
    label: u32,
}

/// An edge to a state, with its marks if acceptance is defined on edges.
#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    label: u32,
}

/// The search of one worker.
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
    /// Edges of all frames that are not yet followed.
    edges: Vec<Edge>,
    /// Edges to states that workers have expanded.
    deferred: Vec<Edge>,
    /// The roots of sets on the path that are not known to be united, with the marks of the edge to each.
    roots: Vec<Edge>,
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
            edges: Vec::new(),
            deferred: Vec::new(),
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
            let component = fair_cycle::component(&mut liveness.worker, numbers.id::<S>(id.number()))?;
            liveness.check_component(&component)?;
        }
    }
    // The lasso requires an accepting state of the component.
    for found in &mut liveness.found {
        let accepting =
            sets.marked(found.number(), cycles.all_marks()).expect("the set was marked by one of its states");
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

    fn search(&mut self, root: u32) -> OrEnded {
        if self.sets.claim(root, self.number) == Claim::New {
            self.enter(Edge { to: root, label: 0 })?;
        }
        while let Some(frame) = self.frames.last() {
            if self.edges.len() > frame.first {
                let state = frame.state;
                let edge = self.edges.pop().expect("the frame has an edge");
                self.follow_edge(state, edge)?;
            } else {
                self.sets.finish(frame.picked);
                self.pick_next()?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, edge: Edge) -> OrEnded {
        let Edge { to, label } = edge;
        self.roots.push(edge);
        self.frames.push(Frame { state: to, picked: to, first: self.edges.len(), label });
        self.deepest = self.deepest.max(self.frames.len() as u32);
        self.pick_next()
    }

    /// Continues with the next state of the last set on the path, or leaves the set. If the frame before is in the same set, the
    /// edges of that frame come first: otherwise this worker would expand the states of its own path again.
    fn pick_next(&mut self) -> OrEnded {
        let [.., before, frame] = &self.frames[..] else { return self.pick_or_leave() };
        if self.sets.same(before.state, frame.state) { self.leave() } else { self.pick_or_leave() }
    }

    fn pick_or_leave(&mut self) -> OrEnded {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match self.sets.pick(frame.picked) {
            Some(picked) => {
                frame.picked = picked;
                let state = frame.state;
                self.expand(state, picked)
            }
            None => self.leave(),
        }
    }

    /// Removes the last set from the path. Other workers may have united it with its predecessor.
    fn leave(&mut self) -> OrEnded {
        let Some(Frame { state, label, .. }) = self.frames.pop() else { return Ok(()) };
        if self.roots.last().is_some_and(|root| root.to == state) {
            self.roots.pop();
        }
        match self.frames.last() {
            Some(frame) if label != 0 && self.sets.same(frame.state, state) => {
                self.check_marks(state, self.sets.mark(state, label | CYCLE))
            }
            _ => Ok(()),
        }
    }

    fn expand(&mut self, state: u32, picked: u32) -> OrEnded {
        let id = self.numbers.id::<S>(picked);
        if self.cycles.by_edges() {
            self.worker.acceptance_marks(id, &mut self.marks);
        }
        let Searcher { worker, successors, .. } = self;
        successors.clear();
        let expanded = match self.sets.first(picked) {
            true => worker.expand(id, |seen| successors.push(seen)),
            false => worker.expand_again(id, Choice::All, |seen| successors.push(seen)),
        };
        let flags: Flags = expanded.map_err(|limit| self.parallel.stop(limit))?;
        self.push_edges();
        let marks = self.cycles.marks(flags);
        if marks != 0 {
            let marks = self.sets.mark_state(picked, marks);
            self.check_marks(state, marks)?;
        }
        self.check_limits()
    }

    /// Pushes the edges to the successors in the order of this worker. The last edge is followed first. Workers that follow each
    /// other would repeat the same work. Each worker therefore prefers states that no worker has expanded.
    fn push_edges(&mut self) {
        let first = self.edges.len();
        for (number, &seen) in self.successors.iter().enumerate() {
            let to = self.numbers.of::<S>(&self.worker.handle, seen, &mut self.block);
            let edge = Edge { to, label: label(&self.marks, number) };
            let edges = if self.sets.is_expanded(to) { &mut self.deferred } else { &mut self.edges };
            edges.push(edge);
        }
        self.random.shuffle(&mut self.edges[first..]);
        self.random.shuffle(&mut self.deferred);
        self.edges.splice(first..first, self.deferred.drain(..));
    }

    /// Follows an edge from a set to a state.
    fn follow_edge(&mut self, state: u32, edge: Edge) -> OrEnded {
        let next = edge.to;
        if self.frames.len() as u32 >= self.parallel.max_depth && !self.sets.has(next, self.number) {
            if !self.sets.is_dead(next) {
                self.parallel.limit_depth();
            }
            return Ok(());
        }
        match self.sets.claim(next, self.number) {
            Claim::Dead => Ok(()),
            Claim::New => self.enter(edge),
            Claim::Known => {
                let mut marks = edge.label | CYCLE;
                while !self.sets.same(next, state) {
                    let Some(last) = self.roots.pop() else { break };
                    let Some(before) = self.roots.last() else { break };
                    self.sets.unite(before.to, last.to);
                    marks |= last.label;
                }
                self.check_marks(state, self.sets.mark(state, marks))
            }
        }
    }

    /// A set with a cycle has a cycle through all its states and edges.
    fn check_marks(&self, state: u32, marks: u32) -> OrEnded {
        let wanted = CYCLE | self.cycles.all_marks();
        let is_accepting = marks & wanted == wanted;
        if is_accepting { Err(self.parallel.report_cycle(StateId::numbered(state))) } else { Ok(()) }
    }

    fn check_limits(&mut self) -> OrEnded {
        let Searcher { parallel, sets: shared, numbers, worker, number, frames, edges, roots, deepest, .. } = self;
        let status = || {
            let edge_bytes = (edges.capacity() + roots.capacity()) * size_of::<Edge>();
            let own = (edge_bytes + frames.capacity() * size_of::<Frame>()) as u64;
            let waiting = edges.len() as u64;
            WorkerStatus { number: *number, deepest: *deepest, waiting, own, shared: shared.bytes() + numbers.bytes() }
        };
        parallel.check_limits(worker, status)
    }
}
