//! Shortest lassos: of all runs that reach an accepting cycle, one with the fewest transitions in stem and cycle together.
//!
//! The state graph is explored breadth-first by one thread up to the length of a known lasso, so the result does not depend on how
//! that one was found. For each accepting state, nearest first, two breadth-first searches find the shortest closed walk through
//! it and the best place to enter the walk.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kripke_model::{Batch, Choice, Successors};

use crate::graph::Adjacency;

/// What a search for a shortest lasso may take.
#[derive(Clone, Debug)]
pub struct LassoBounds {
    /// The number of transitions of a known lasso.
    pub length: usize,
    /// The number of states.
    pub states: usize,
    /// The bytes of all states together.
    pub bytes: usize,
    /// The number of transitions that are followed after the exploration.
    pub work: u64,
    /// A request to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The time to stop.
    pub deadline: Option<Instant>,
}

/// A lasso, as the numbers of the successors that are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The transitions before the cycle.
    pub stem: Vec<u32>,
    /// The transitions of the cycle.
    pub cycle: Vec<u32>,
    /// Whether no lasso is shorter.
    pub shortest: bool,
}

/// A shortest lasso through an accepting state. None if the graph is too large, or if there is no lasso within its length.
pub fn minimal_lasso(system: &mut dyn Successors, bounds: &LassoBounds) -> Option<Lasso> {
    explore(system, bounds)?.finished().shortest_lasso(bounds.length, bounds.work)
}

/// An explored part of a state graph.
#[derive(Debug, Default)]
struct Graph {
    /// The successors of each state, in their order.
    next: Adjacency,
    /// The predecessors of each state, in ascending order.
    before: Adjacency,
    accepting: Vec<bool>,
    /// The number of transitions from the initial state.
    depth: Vec<u32>,
    /// The state from which each state was found, and the number of the successor.
    parent: Vec<(u32, u32)>,
}

/// The states that are nearer than the length of the known lasso, with their transitions.
fn explore(system: &mut dyn Successors, bounds: &LassoBounds) -> Option<Graph> {
    let mut batch = Batch::new();
    system.initial(&mut batch);
    let first = batch.state(0).to_vec();
    let (mut graph, mut bytes) = (Graph::default(), first.len());
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::from([(first.clone(), 0)]);
    let mut states = vec![first];
    graph.add(0, (0, 0));
    let mut at = 0;
    while at < states.len() {
        if graph.depth[at] as usize >= bounds.length {
            break;
        }
        let interrupted = bounds.interrupt.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        let late = at % 1024 == 0 && bounds.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if interrupted || late || states.len() > bounds.states || bytes > bounds.bytes {
            return None;
        }
        batch.clear();
        let state = std::mem::take(&mut states[at]);
        graph.accepting[at] = system.expand(&state, Choice::All, &mut batch).accepting;
        let mut targets = Vec::with_capacity(batch.len());
        for n in 0..batch.len() {
            let next = batch.state(n);
            let id = match numbers.get(next) {
                Some(id) => *id,
                None => {
                    let id = u32::try_from(states.len()).ok()?;
                    bytes += next.len();
                    numbers.insert(next.to_vec(), id);
                    states.push(next.to_vec());
                    graph.add(graph.depth[at] + 1, (at as u32, n as u32));
                    id
                }
            };
            targets.push(id);
        }
        graph.next.push(targets);
        at += 1;
    }
    Some(graph)
}

/// Distances from or to one state, with the state before or after it on a shortest way.
#[derive(Default)]
struct Distances {
    /// The distance of each state, and its neighbour.
    found: Vec<Option<(u32, u32)>>,
    /// The states with a distance.
    list: Vec<u32>,
    /// The shortest closed walk through the state: its length and the last state before it is closed.
    closed: Option<(u32, u32)>,
}

impl Distances {
    /// No distances; the memory is kept.
    fn clear(&mut self, states: usize) {
        self.list.drain(..).for_each(|state| self.found[state as usize] = None);
        self.found.resize(states, None);
        self.closed = None;
    }

    /// Notes a distance, unless there is one.
    fn note(&mut self, state: u32, distance: u32, neighbour: u32) -> bool {
        let place = &mut self.found[state as usize];
        let new = place.is_none();
        if new {
            *place = Some((distance, neighbour));
            self.list.push(state);
        }
        new
    }

    fn get(&self, state: u32) -> Option<(u32, u32)> {
        self.found.get(state as usize).copied().flatten()
    }
}

impl Graph {
    /// The graph with the transitions of all states: those that were not expanded have none.
    fn finished(mut self) -> Graph {
        self.next.pad(self.depth.len());
        self.before = self.next.reversed();
        self
    }

    /// The number of the first successor of a state that is this one.
    fn number(&self, from: u32, to: u32) -> u32 {
        self.next.targets(from as usize).iter().position(|next| *next == to).unwrap_or(0) as u32
    }

    fn add(&mut self, depth: u32, parent: (u32, u32)) {
        self.accepting.push(false);
        self.depth.push(depth);
        self.parent.push(parent);
    }

    /// A shortest lasso of at most this length.
    fn shortest_lasso(&self, length: usize, work: u64) -> Option<Lasso> {
        let known = u32::try_from(length).unwrap_or(u32::MAX).saturating_add(1);
        let (mut best, mut left) = (None::<(u32, u32, u32)>, work);
        let mut ways = [Distances::default(), Distances::default()];
        // States are numbered in the order of their depth.
        for a in (0..self.depth.len() as u32).filter(|a| self.accepting[*a as usize]) {
            let most = best.map_or(known, |(total, ..)| total);
            if self.depth[a as usize].saturating_add(1) >= most || left == 0 {
                break;
            }
            if let Some((total, entry)) = self.through(a, most, &mut ways, &mut left) {
                best = Some((total, a, entry));
            }
        }
        let (total, a, entry) = best?;
        Some(self.lasso(a, entry, total, left > 0))
    }

    /// The shortest lasso through `a` that is shorter than `most`: its length and the first state of its cycle.
    fn through(&self, a: u32, most: u32, ways: &mut [Distances; 2], left: &mut u64) -> Option<(u32, u32)> {
        let depth = self.depth[a as usize];
        let [forward, backward] = ways;
        self.forward(a, most.saturating_sub(depth), forward, left);
        let (round, _) = forward.closed?;
        let mut best = (depth.saturating_add(round) < most).then_some((depth + round, a));
        self.backward(a, most, backward, left);
        let mut entries = backward.list.clone();
        entries.sort_unstable();
        for s in entries {
            let (Some((to, _)), Some((from, _))) = (backward.get(s), forward.get(s)) else { continue };
            let total = self.depth[s as usize].saturating_add(to).saturating_add(from);
            if total < best.map_or(most, |(total, _)| total) {
                best = Some((total, s));
            }
        }
        best
    }

    /// Distances from `a`, below `most`.
    fn forward(&self, a: u32, most: u32, out: &mut Distances, left: &mut u64) {
        out.clear(self.depth.len());
        let mut queue = VecDeque::from([(a, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for next in self.next.targets(at as usize).iter().filter(|_| distance + 1 < most) {
                *left = left.saturating_sub(1);
                if *next == a {
                    out.closed = out.closed.or(Some((distance + 1, at)));
                } else if out.note(*next, distance + 1, at) {
                    queue.push_back((*next, distance + 1));
                }
            }
        }
    }

    /// Distances to `a` from states that are near enough to the initial state.
    fn backward(&self, a: u32, most: u32, out: &mut Distances, left: &mut u64) {
        out.clear(self.depth.len());
        let mut queue = VecDeque::from([(a, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for before in self.before.targets(at as usize) {
                *left = left.saturating_sub(1);
                let near = self.depth[*before as usize].saturating_add(distance + 1) < most;
                if near && *before != a && out.note(*before, distance + 1, at) {
                    queue.push_back((*before, distance + 1));
                }
            }
        }
    }

    /// The lasso that enters its cycle at `entry` and goes through `a`.
    fn lasso(&self, a: u32, entry: u32, total: u32, shortest: bool) -> Lasso {
        let (mut stem, mut at) = (Vec::new(), entry);
        while at != 0 {
            let (before, n) = self.parent[at as usize];
            stem.push(n);
            at = before;
        }
        stem.reverse();
        let (mut forward, mut backward, mut unlimited) = (Distances::default(), Distances::default(), u64::MAX);
        self.forward(a, total + 1, &mut forward, &mut unlimited);
        self.backward(a, total + 1, &mut backward, &mut unlimited);
        let mut cycle = Vec::new();
        let mut at = entry;
        while let Some((_, next)) = backward.get(at).filter(|_| at != a) {
            cycle.push(self.number(at, next));
            at = next;
        }
        let (mut rest, mut to) = (Vec::new(), entry);
        let mut step = if entry == a { forward.closed } else { forward.get(entry) };
        while let Some((_, before)) = step {
            rest.push(self.number(before, to));
            to = before;
            step = if before == a { None } else { forward.get(before) };
        }
        cycle.extend(rest.into_iter().rev());
        Lasso { stem, cycle, shortest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph from lists of successors, numbered in breadth-first order from state 0.
    fn graph(next: &[Vec<u32>], accepting: &[bool]) -> Graph {
        let (mut order, mut number) = (vec![0u32], HashMap::from([(0u32, 0u32)]));
        let mut out = Graph::default();
        out.add(0, (0, 0));
        let mut at = 0;
        while at < order.len() {
            let state = order[at] as usize;
            out.accepting[at] = accepting[state];
            let mut targets = Vec::new();
            for (n, to) in next[state].iter().enumerate() {
                let known = number.len() as u32;
                let id = *number.entry(*to).or_insert(known);
                if id == known {
                    order.push(*to);
                    out.add(out.depth[at] + 1, (at as u32, n as u32));
                }
                targets.push(id);
            }
            out.next.push(targets);
            at += 1;
        }
        out.finished()
    }

    /// The length of a shortest accepting lasso, by trying all walks of each length.
    fn by_definition(next: &[Vec<u32>], accepting: &[bool]) -> Option<usize> {
        // A walk: its states so far. A state may occur at most twice on a shortest one, so lengths are bounded.
        let mut walks = vec![vec![0u32]];
        for length in 1..=2 * next.len() + 1 {
            let mut longer = Vec::new();
            for walk in &walks {
                for to in &next[*walk.last()? as usize] {
                    for (start, state) in walk.iter().enumerate() {
                        if state == to && walk[start..].iter().any(|s| accepting[*s as usize]) {
                            return Some(length);
                        }
                    }
                    if walk.iter().filter(|s| *s == to).count() < 2 && longer.len() < 200_000 {
                        longer.push([&walk[..], &[*to]].concat());
                    }
                }
            }
            walks = longer;
        }
        None
    }

    /// Whether the choices are a lasso through an accepting state.
    fn is_lasso(graph: &Graph, lasso: &Lasso) -> bool {
        let follow = |from: u32, choices: &[u32]| {
            choices.iter().try_fold((from, false), |(at, accepts), n| {
                let accepts = accepts || graph.accepting[at as usize];
                Some((*graph.next.targets(at as usize).get(*n as usize)?, accepts))
            })
        };
        let Some((entry, _)) = follow(0, &lasso.stem) else { return false };
        !lasso.cycle.is_empty() && follow(entry, &lasso.cycle) == Some((entry, true))
    }

    #[test]
    fn random_graphs_have_the_lassos_of_the_definition() {
        let mut random = kripke_model::Random::new(7);
        let mut found = 0;
        for _ in 0..400 {
            let states = 2 + random.below(5);
            let mut next = vec![Vec::new(); states];
            for list in &mut next {
                for _ in 0..random.below(3) {
                    list.push(random.below(states) as u32);
                }
            }
            let accepting: Vec<bool> = (0..states).map(|_| random.below(3) == 0).collect();
            let graph = graph(&next, &accepting);
            let lasso = graph.shortest_lasso(usize::MAX, u64::MAX);
            let length = lasso.as_ref().map(|lasso| lasso.stem.len() + lasso.cycle.len());
            assert_eq!(length, by_definition(&next, &accepting), "{next:?} {accepting:?} {lasso:?}");
            if let Some(lasso) = lasso {
                assert!(lasso.shortest && is_lasso(&graph, &lasso), "{next:?} {accepting:?} {lasso:?}");
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }
}
