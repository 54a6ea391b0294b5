//! Strongly connected components in one pass (Tarjan, with a stack of roots as in Gabow, 2000, and Couvreur, 1999).
//!
//! Each state is expanded once. A component is known to have an accepting cycle as soon as an edge closes one. Only
//! fairness requires complete components.

use super::notes::StateNotes;
use super::{LivenessSearch, label};
use crate::budget::Limit;
use crate::store::{Handle, StateId, Store};

/// Values of [`Path::order`]: not yet visited, and in a complete component.
const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

/// The number of states between the one whose note is changed and the one whose note is prefetched.
const AHEAD: usize = 8;

/// Entry above each state of the current path.
const FRAME: StateId = StateId::NONE;

/// A partial component: the number of its first state, and its acceptance marks.
#[derive(Clone, Copy, Debug)]
struct Root {
    order: u32,
    marks: u32,
    /// The marks of the edge that leads to it.
    entry: u32,
}

/// The stacks of the search.
#[derive(Debug, Default)]
struct Path {
    /// The visiting number of each state, counted from 1. Numbers are reused.
    order: StateNotes<u32>,
    /// States of components that are not complete, with their marks.
    open: Vec<(StateId, u32)>,
    roots: Vec<Root>,
    /// The current path, with frames of successors that are not yet visited.
    entries: Vec<StateId>,
    /// The marks of the edge to each entry, if acceptance is defined on edges.
    labels: Vec<u32>,
    /// The visiting numbers of the states of the current path.
    numbers: Vec<u32>,
    deepest: u32,
}

impl Path {
    fn bytes(&self) -> u64 {
        let Path { order, open, roots, entries, labels, numbers, .. } = self;
        let stacks = open.capacity() * size_of::<(StateId, u32)>()
            + roots.capacity() * size_of::<Root>()
            + entries.capacity() * size_of::<StateId>()
            + (labels.capacity() + numbers.capacity()) * size_of::<u32>();
        order.bytes() + stacks as u64
    }

    /// Merges all components from an open state on, because an edge leads back to it. Returns the marks.
    fn merge(&mut self, order: u32, label: u32) -> u32 {
        let mut marks = label;
        while let Some(root) = self.roots.pop() {
            marks |= root.marks;
            if root.order <= order {
                self.roots.push(Root { marks, ..root });
                break;
            }
            marks |= root.entry;
        }
        marks
    }

    /// Removes the states from a visiting number on, whose component is complete.
    fn close<S: Store>(&mut self, handle: &mut S::Handle<'_>, order: u32) {
        let first = order as usize - 1;
        for at in first..self.open.len() {
            if let Some((ahead, _)) = self.open.get(at + AHEAD) {
                handle.prefetch_note(*ahead);
            }
            self.order.set::<S>(handle, self.open[at].0, DONE);
        }
        self.open.truncate(first);
    }

    fn depth(&self) -> u32 {
        self.numbers.len() as u32
    }

    /// The visiting number of the state that is visited next.
    fn next_order(&self) -> u32 {
        self.open.len() as u32 + 1
    }

    /// The visiting number of a state. One that is not yet visited gets the next number, unless the path is too long.
    fn enter<S: Store>(&mut self, handle: &mut S::Handle<'_>, id: StateId, max_depth: u32) -> u32 {
        if self.depth() >= max_depth {
            return self.order.get::<S>(handle, id);
        }
        let next = self.next_order();
        self.order.set_first::<S>(handle, id, next)
    }

    /// Removes the last entry, and returns the marks of the edge to it.
    fn pop(&mut self) -> u32 {
        self.entries.pop();
        self.labels.pop().unwrap_or(0)
    }

    /// The states of the youngest component.
    fn youngest(&self) -> &[(StateId, u32)] {
        let first = self.roots.last().map_or(1, |root| root.order);
        &self.open[first as usize - 1..]
    }
}

pub(super) fn run<S: Store>(liveness: &mut LivenessSearch<'_, '_, '_, S>, root: StateId) -> Result<(), Limit> {
    let mut path = Path::default();
    path.entries.push(root);
    if liveness.cycles.by_edges() {
        path.labels.push(0);
    }
    let done = descend(liveness, &mut path);
    liveness.depth = path.deepest;
    liveness.bytes = path.bytes();
    done
}

fn descend<S: Store>(liveness: &mut LivenessSearch<'_, '_, '_, S>, path: &mut Path) -> Result<(), Limit> {
    while let Some(&top) = path.entries.last() {
        if top == FRAME {
            path.pop();
            path.pop();
            let Some(order) = path.numbers.pop() else { break };
            if finish(liveness, path, order)? {
                return Ok(());
            }
            continue;
        }
        match path.enter::<S>(&mut liveness.worker.handle, top, liveness.max_depth) {
            UNSEEN if path.depth() >= liveness.max_depth => {
                liveness.depth_limited = true;
                path.pop();
            }
            UNSEEN => {
                if visit(liveness, path, top)? {
                    return Ok(());
                }
            }
            DONE => {
                path.pop();
            }
            order => {
                let label = path.pop();
                if path.merge(order, label) == liveness.cycles.all_marks() && liveness.stops_early() {
                    if liveness.cycles.by_edges() {
                        liveness.check_component(path.youngest())?;
                    } else {
                        let found = path.youngest().iter().find(|(_, marks)| *marks != 0);
                        liveness.found.extend(found.map(|(id, _)| *id));
                    }
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Expands the state on top of the stack. Returns whether the search has ended.
fn visit<S: Store>(liveness: &mut LivenessSearch<'_, '_, '_, S>, path: &mut Path, id: StateId) -> Result<bool, Limit> {
    let order = path.next_order();
    let entry = path.labels.last().copied().unwrap_or(0);
    let (by_edges, mut number, mut edges) = (liveness.cycles.by_edges(), 0, Vec::new());
    if by_edges {
        liveness.worker.acceptance_marks(id, &mut edges);
        path.labels.push(0);
    }
    path.entries.push(FRAME);
    path.numbers.push(order);
    path.deepest = path.deepest.max(path.depth());
    let first = path.entries.len();
    let Path { entries, labels, order: orders, .. } = path;
    // The filter runs during interning, where memory accesses overlap.
    let flags = liveness.worker.expand(id, |seen| {
        if seen.new || orders.of_seen::<S>(seen) != DONE {
            entries.push(seen.id);
            if by_edges {
                labels.push(label(&edges, number));
            }
        }
        number += 1;
    })?;
    path.entries[first..].reverse();
    if by_edges {
        path.labels[first..].reverse();
    }
    let marks = liveness.cycles.marks(flags);
    path.open.push((id, marks));
    path.roots.push(Root { order, marks, entry });
    liveness.check_limits(path.deepest, || path.bytes(), path.entries.len() as u64)
}

/// Completes the state with this visiting number. Returns whether the search has ended. It has ended with the component of the
/// initial state, too: no state of it is looked at any more.
fn finish<S: Store>(liveness: &mut LivenessSearch<'_, '_, '_, S>, path: &mut Path, order: u32) -> Result<bool, Limit> {
    let Some(root) = path.roots.last().copied().filter(|root| root.order == order) else { return Ok(false) };
    let over = root.marks == liveness.cycles.all_marks()
        && !liveness.stops_early()
        && liveness.check_component(path.youngest())?;
    path.roots.pop();
    if order > 1 {
        path.close::<S>(&mut liveness.worker.handle, order);
    }
    Ok(over)
}
