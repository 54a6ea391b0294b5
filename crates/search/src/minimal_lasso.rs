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
    explore(system, bounds)?.shortest_lasso(bounds.length, bounds.work)
}

/// An explored part of a state graph.
#[derive(Debug, Default)]
struct Graph {
    /// The successors of each state, in their order.
    next: Vec<Vec<u32>>,
    /// The predecessors of each state, each with the number of the successor.
    before: Vec<Vec<(u32, u32)>>,
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
            graph.next[at].push(id);
            graph.before[id as usize].push((at as u32, n as u32));
        }
        at += 1;
    }
    Some(graph)
}

/// Distances from or to one state, with the transition that each distance begins or ends with.
struct Distances {
    found: HashMap<u32, (u32, (u32, u32))>,
    /// The shortest closed walk through the state: its length and its last or first transition.
    closed: Option<(u32, (u32, u32))>,
}

impl Graph {
    fn add(&mut self, depth: u32, parent: (u32, u32)) {
        self.next.push(Vec::new());
        self.before.push(Vec::new());
        self.accepting.push(false);
        self.depth.push(depth);
        self.parent.push(parent);
    }

    /// A shortest lasso of at most this length.
    fn shortest_lasso(&self, length: usize, work: u64) -> Option<Lasso> {
        let known = u32::try_from(length).unwrap_or(u32::MAX).saturating_add(1);
        let (mut best, mut left) = (None::<(u32, u32, u32)>, work);
        // States are numbered in the order of their depth.
        for a in (0..self.next.len() as u32).filter(|a| self.accepting[*a as usize]) {
            let most = best.map_or(known, |(total, ..)| total);
            if self.depth[a as usize].saturating_add(1) >= most || left == 0 {
                break;
            }
            if let Some((total, entry)) = self.through(a, most, &mut left) {
                best = Some((total, a, entry));
            }
        }
        let (total, a, entry) = best?;
        Some(self.lasso(a, entry, total, left > 0))
    }

    /// The shortest lasso through `a` that is shorter than `most`: its length and the first state of its cycle.
    fn through(&self, a: u32, most: u32, left: &mut u64) -> Option<(u32, u32)> {
        let depth = self.depth[a as usize];
        let forward = self.forward(a, most.saturating_sub(depth), left);
        let (round, _) = forward.closed?;
        let mut best = (depth.saturating_add(round) < most).then_some((depth + round, a));
        let backward = self.backward(a, most, left);
        let mut entries: Vec<u32> = backward.found.keys().copied().collect();
        entries.sort_unstable();
        for s in entries {
            let (Some((to, _)), Some((from, _))) = (backward.found.get(&s), forward.found.get(&s)) else { continue };
            let total = self.depth[s as usize].saturating_add(*to).saturating_add(*from);
            if total < best.map_or(most, |(total, _)| total) {
                best = Some((total, s));
            }
        }
        best
    }

    /// Distances from `a`, below `most`.
    fn forward(&self, a: u32, most: u32, left: &mut u64) -> Distances {
        let mut out = Distances { found: HashMap::new(), closed: None };
        let mut queue = VecDeque::from([(a, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for (n, next) in self.next[at as usize].iter().enumerate().filter(|_| distance + 1 < most) {
                *left = left.saturating_sub(1);
                let step = (distance + 1, (at, n as u32));
                if *next == a {
                    out.closed = out.closed.or(Some(step));
                } else if !out.found.contains_key(next) {
                    out.found.insert(*next, step);
                    queue.push_back((*next, distance + 1));
                }
            }
        }
        out
    }

    /// Distances to `a` from states that are near enough to the initial state.
    fn backward(&self, a: u32, most: u32, left: &mut u64) -> Distances {
        let mut out = Distances { found: HashMap::new(), closed: None };
        let mut queue = VecDeque::from([(a, 0)]);
        while let Some((at, distance)) = queue.pop_front() {
            for (before, n) in &self.before[at as usize] {
                *left = left.saturating_sub(1);
                let near = self.depth[*before as usize].saturating_add(distance + 1) < most;
                if near && *before != a && !out.found.contains_key(before) {
                    out.found.insert(*before, (distance + 1, (at, *n)));
                    queue.push_back((*before, distance + 1));
                }
            }
        }
        out
    }

    /// The lasso that enters its cycle at `entry` and goes through `a`.
    fn lasso(&self, a: u32, entry: u32, total: u32, shortest: bool) -> Lasso {
        let mut unlimited = u64::MAX;
        let (mut stem, mut at) = (Vec::new(), entry);
        while at != 0 {
            let (before, n) = self.parent[at as usize];
            stem.push(n);
            at = before;
        }
        stem.reverse();
        let forward = self.forward(a, total + 1, &mut unlimited);
        let mut cycle = Vec::new();
        if entry != a {
            let backward = self.backward(a, total + 1, &mut unlimited);
            let mut at = entry;
            while at != a {
                let Some((_, (next, n))) = backward.found.get(&at) else { break };
                cycle.push(*n);
                at = *next;
            }
        }
        let mut rest = Vec::new();
        let mut step = if entry == a { forward.closed } else { forward.found.get(&entry).copied() };
        while let Some((_, (before, n))) = step {
            rest.push(n);
            step = if before == a { None } else { forward.found.get(&before).copied() };
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
            for (n, to) in next[state].iter().enumerate() {
                let known = number.len() as u32;
                let id = *number.entry(*to).or_insert(known);
                if id == known {
                    order.push(*to);
                    out.add(out.depth[at] + 1, (at as u32, n as u32));
                }
                out.next[at].push(id);
                out.before[id as usize].push((at as u32, n as u32));
            }
            at += 1;
        }
        out
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
                Some((*graph.next[at as usize].get(*n as usize)?, accepts))
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
