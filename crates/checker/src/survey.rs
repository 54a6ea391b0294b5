//! A survey of a state space: every state of all interleavings in memory, and the characteristics of the graph.
//!
//! The characteristics are those that R. Pelánek measures on state spaces (Typical structural properties of state spaces, 2004), and
//! those of depth-first searches: revisits and loops.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kripke_model::ir::{Model, Type, Var};
use kripke_model::layout::StartError;
use kripke_model::{Batch, Choice, Successors};
use kripke_report::survey::{Collisions, Components, Range, Spread, Survey};
use kripke_search::store::HashFunction;

use crate::load;

/// The states that a survey visits unless it is told otherwise.
pub const MOST_STATES: u64 = 1_000_000;

/// What a survey collects, and when it stops.
#[derive(Clone, Default, Debug)]
pub struct Wanted {
    /// The executions of each edge.
    pub profile: bool,
    /// The ranges of variables.
    pub ranges: bool,
    /// The largest number of states; [`MOST_STATES`] if there is none.
    pub max_states: Option<u64>,
    /// The time to stop at.
    pub deadline: Option<Instant>,
    /// A flag that stops the survey when it is set.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// What a survey has collected.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// The characteristics.
    pub survey: Survey,
    /// The executions of each edge, by `[process][edge]`; empty if they were not wanted.
    pub executions: Vec<Vec<u64>>,
    /// The ranges of variables; empty if they were not wanted.
    pub ranges: Vec<Range>,
}

/// A graph: the targets of all edges, by source.
#[derive(Default)]
struct Graph {
    /// The first edge of each state, and the end of the last.
    first: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    fn targets(&self, state: usize) -> &[u32] {
        &self.targets[self.first[state]..self.first[state + 1]]
    }

    fn reversed(&self) -> Graph {
        let mut first = vec![0; self.len() + 1];
        self.targets.iter().for_each(|target| first[*target as usize + 1] += 1);
        (1..first.len()).for_each(|i| first[i] += first[i - 1]);
        let (mut next, mut targets) = (first.clone(), vec![0; self.targets.len()]);
        for state in 0..self.len() {
            for target in self.targets(state) {
                let at = &mut next[*target as usize];
                targets[*at] = state as u32;
                *at += 1;
            }
        }
        Graph { first, targets }
    }

    /// The distance from a state to each state of its component; `None` for others.
    fn distances(&self, from: usize, component: &[u32]) -> u64 {
        let mut distance: Vec<Option<u64>> = vec![None; self.len()];
        let mut level = vec![from];
        distance[from] = Some(0);
        let mut depth = 0;
        loop {
            let mut next = Vec::new();
            for state in level {
                for target in self.targets(state).iter().map(|target| *target as usize) {
                    if distance[target].is_none() && component[target] == component[from] {
                        distance[target] = Some(depth + 1);
                        next.push(target);
                    }
                }
            }
            if next.is_empty() {
                return depth;
            }
            (level, depth) = (next, depth + 1);
        }
    }
}

/// Surveys the state space of a model.
pub fn survey(model: &Arc<Model>, wanted: &Wanted) -> Result<Surveyed, StartError> {
    let plain = Arc::new(Model { observer: None, goal: None, ..(**model).clone() });
    let mut interpreter = load::interpreter(plain.clone(), true)?;
    let most = wanted.max_states.unwrap_or(MOST_STATES).min(u64::from(u32::MAX)) as usize;
    let mut executions: Vec<Vec<u64>> = plain.processes.iter().map(|p| vec![0; p.edges.len()]).collect();
    let mut ranges = wanted.ranges.then(|| Ranges::new(&plain));
    let mut numbers: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut states: Vec<Box<[u8]>> = vec![interpreter.initial_state().into()];
    numbers.insert(states[0].clone(), 0);
    let (mut graph, mut levels, mut batch) = (Graph { first: vec![0], targets: Vec::new() }, vec![0u32], Batch::new());
    let mut at = 0;
    let mut complete = true;
    while at < states.len() {
        if stops(wanted, at) {
            complete = false;
            break;
        }
        batch.clear();
        interpreter.expand(&states[at], Choice::All, &mut batch);
        for i in 0..batch.len() {
            let state = batch.state(i);
            let number = match numbers.get(state) {
                Some(number) => *number,
                None if states.len() >= most => {
                    complete = false;
                    continue;
                }
                None => {
                    let number = states.len() as u32;
                    numbers.insert(state.into(), number);
                    states.push(state.into());
                    levels.push(levels[at] + 1);
                    number
                }
            };
            graph.targets.push(number);
        }
        graph.first.push(graph.targets.len());
        if wanted.profile {
            interpreter.count_executions(&states[at], &mut executions);
        }
        if let Some(ranges) = &mut ranges {
            ranges.add(&interpreter.layout().view(&states[at]));
        }
        at += 1;
    }
    // States that were not expanded have no edges.
    graph.first.resize(states.len() + 1, graph.targets.len());
    let lengths = Spread::of(states.iter().map(|state| state.len() as u64));
    let memory = states.iter().map(|state| 2 * state.len() as u64 + 40).sum::<u64>() + graph.targets.len() as u64 * 4;
    let collisions = HashFunction::ALL.map(|function| collisions(function, &states)).to_vec();
    let survey = Survey { complete, state_bytes: lengths, memory, collisions, ..characteristics(&graph, &levels) };
    let executions = if wanted.profile { executions } else { Vec::new() };
    Ok(Surveyed { survey, executions, ranges: ranges.map_or_else(Vec::new, Ranges::finish) })
}

/// The states that are not the first with 32 bits of their hash.
fn collisions(function: HashFunction, states: &[Box<[u8]>]) -> Collisions {
    let mut hashes: Vec<u32> = states.iter().map(|state| (function.seeded(state, 0) >> 32) as u32).collect();
    hashes.sort_unstable();
    hashes.dedup();
    Collisions { function: function.word(), collisions: (states.len() - hashes.len()) as u64 }
}

fn stops(wanted: &Wanted, expanded: usize) -> bool {
    let interrupted = || wanted.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    expanded.is_multiple_of(256) && (interrupted() || wanted.deadline.is_some_and(|deadline| Instant::now() > deadline))
}

/// The characteristics of a graph that depend on its edges and levels.
fn characteristics(graph: &Graph, levels: &[u32]) -> Survey {
    let count = graph.len();
    let degrees = (0..count).map(|state| graph.targets(state).len() as u64);
    let mut incoming = vec![0u64; count];
    graph.targets.iter().for_each(|target| incoming[*target as usize] += 1);
    let mut widths = vec![0u64; levels.iter().max().map_or(0, |last| *last as usize + 1)];
    levels.iter().for_each(|level| widths[*level as usize] += 1);
    let back = (0..count).flat_map(|state| {
        graph.targets(state).iter().filter_map(move |target| levels[state].checked_sub(levels[*target as usize]))
    });
    let (mut back_level_edges, mut longest) = (0, 0);
    for by in back {
        (back_level_edges, longest) = (back_level_edges + 1, longest.max(u64::from(by)));
    }
    let walk = Walk::new(graph).run();
    let components = walk.components(graph);
    let transitions = graph.targets.len() as u64;
    Survey {
        unique: count as u64,
        revisits: transitions + 1 - count as u64 - walk.loops,
        loops: walk.loops,
        transitions,
        depth: walk.depth,
        ends: degrees.clone().filter(|degree| *degree == 0).count() as u64,
        out_degree: Spread::of(degrees),
        in_degree: Spread::of(incoming.into_iter()),
        levels: widths.len() as u64,
        width: widths.iter().copied().max().unwrap_or(0),
        back_level_edges,
        longest_back_level_edge: longest,
        diameter: walk.diameter(graph),
        components,
        ..Survey::default()
    }
}

/// A depth-first search with Tarjan's algorithm for strongly connected components.
struct Walk<'g> {
    graph: &'g Graph,
    /// The order of discovery; 0 for states that were not found yet.
    order: Vec<u32>,
    low: Vec<u32>,
    /// The component of each state.
    component: Vec<u32>,
    on_path: Vec<bool>,
    sizes: Vec<u64>,
    loops: u64,
    depth: u64,
}

/// The component of states that have none yet.
const NONE: u32 = u32::MAX;

impl<'g> Walk<'g> {
    fn new(graph: &'g Graph) -> Walk<'g> {
        let count = graph.len();
        Walk {
            graph,
            order: vec![0; count],
            low: vec![0; count],
            component: vec![NONE; count],
            on_path: vec![false; count],
            sizes: Vec::new(),
            loops: 0,
            depth: 0,
        }
    }

    /// All states are reachable from the first.
    fn run(mut self) -> Walk<'g> {
        let mut open: Vec<usize> = Vec::new();
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut found = 0;
        let mut next = (self.graph.len() > 0).then_some(0);
        loop {
            if let Some(state) = next.take() {
                found += 1;
                (self.order[state], self.low[state]) = (found, found);
                self.on_path[state] = true;
                open.push(state);
                path.push((state, 0));
                self.depth = self.depth.max(path.len() as u64 - 1);
            }
            let Some((state, edge)) = path.last_mut() else { return self };
            let state = *state;
            if let Some(target) = self.graph.targets(state).get(*edge).map(|target| *target as usize) {
                *edge += 1;
                if self.order[target] == 0 {
                    next = Some(target);
                } else {
                    self.loops += u64::from(self.on_path[target]);
                    if self.component[target] == NONE {
                        self.low[state] = self.low[state].min(self.order[target]);
                    }
                }
                continue;
            }
            path.pop();
            self.leave(state, path.last().map(|(parent, _)| *parent), &mut open);
        }
    }

    /// A state is left. If it is the root of its component, the component is complete.
    fn leave(&mut self, state: usize, parent: Option<usize>, open: &mut Vec<usize>) {
        self.on_path[state] = false;
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[state]);
        }
        if self.low[state] != self.order[state] {
            return;
        }
        let number = self.sizes.len() as u32;
        self.sizes.push(0);
        while let Some(member) = open.pop() {
            self.component[member] = number;
            self.sizes[number as usize] += 1;
            if member == state {
                break;
            }
        }
    }

    fn components(&self, graph: &Graph) -> Components {
        let mut left = vec![false; self.sizes.len()];
        let mut loops = vec![false; self.sizes.len()];
        for state in 0..graph.len() {
            let own = self.component[state] as usize;
            for target in graph.targets(state) {
                left[own] |= self.component[*target as usize] as usize != own;
                loops[own] |= *target as usize == state;
            }
        }
        let trivial = self.sizes.iter().zip(&loops).filter(|(size, loops)| **size == 1 && !**loops).count();
        Components {
            count: self.sizes.len() as u64,
            trivial: trivial as u64,
            terminal: left.iter().filter(|left| !**left).count() as u64,
            largest: self.sizes.iter().copied().max().unwrap_or(0),
        }
    }

    /// Bounds of the diameter of the largest component: the eccentricities of a state, and their sum.
    fn diameter(&self, graph: &Graph) -> (u64, u64) {
        let largest = self.sizes.iter().enumerate().max_by_key(|(_, size)| **size).map(|(number, _)| number as u32);
        let Some(state) = self.component.iter().position(|component| Some(*component) == largest) else {
            return (0, 0);
        };
        let away = graph.distances(state, &self.component);
        let towards = graph.reversed().distances(state, &self.component);
        (away.max(towards), away + towards)
    }
}

/// The ranges of variables under construction.
struct Ranges {
    globals: Vec<Range>,
    locals: Vec<Vec<Range>>,
}

impl Ranges {
    fn new(model: &Model) -> Ranges {
        let range = |process: Option<&str>, var: &Var| Range {
            process: process.map(String::from),
            name: var.name.clone(),
            least: i32::MAX,
            most: i32::MIN,
            holds: var.range.map_or_else(|| holds(var.ty), |(low, high)| (low.into(), high.into())),
        };
        Ranges {
            globals: model.globals.iter().map(|var| range(None, var)).collect(),
            locals: model
                .processes
                .iter()
                .map(|process| process.locals.iter().map(|var| range(Some(&process.name), var)).collect())
                .collect(),
        }
    }

    fn add(&mut self, view: &kripke_model::layout::View) {
        let note = |range: &mut Range, values: &[i32]| {
            for value in values {
                (range.least, range.most) = (range.least.min(*value), range.most.max(*value));
            }
        };
        self.globals.iter_mut().zip(&view.globals).for_each(|(range, values)| note(range, values));
        for process in &view.processes {
            let ranges = self.locals[process.process.index()].iter_mut();
            ranges.zip(&process.locals).for_each(|(range, values)| note(range, values));
        }
    }

    /// The variables that had a value.
    fn finish(self) -> Vec<Range> {
        let all = self.globals.into_iter().chain(self.locals.into_iter().flatten());
        all.filter(|range| range.least <= range.most).collect()
    }
}

/// The values of a type.
fn holds(ty: Type) -> (i64, i64) {
    let bits = u32::from(ty.bits);
    if ty.signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> Graph {
        let mut graph = Graph { first: vec![0], targets: Vec::new() };
        for targets in edges {
            graph.targets.extend(*targets);
            graph.first.push(graph.targets.len());
        }
        graph
    }

    #[test]
    fn characteristics_of_a_small_graph() {
        // 0 → 1 → 2 → 1, 2 → 3 → 3, 0 → 4.
        let graph = graph(&[&[1, 4], &[2], &[1, 3], &[3], &[]]);
        let survey = characteristics(&graph, &[0, 1, 2, 3, 1]);
        assert_eq!((survey.unique, survey.transitions, survey.revisits, survey.loops), (5, 6, 0, 2));
        assert_eq!((survey.depth, survey.ends, survey.levels, survey.width), (3, 1, 4, 2));
        assert_eq!((survey.back_level_edges, survey.longest_back_level_edge), (2, 1));
        let expected = Components { count: 4, trivial: 2, terminal: 2, largest: 2 };
        assert_eq!(survey.components, expected);
        assert_eq!(survey.diameter, (1, 2));
        assert_eq!(survey.out_degree, Spread { least: 0, mean: 1.2, most: 2 });
    }

    #[test]
    fn distances_are_within_the_component() {
        let cycle = graph(&[&[1], &[2], &[0, 3], &[]]);
        let walk = Walk::new(&cycle).run();
        assert_eq!(walk.diameter(&cycle), (2, 4));
        assert_eq!(cycle.reversed().targets(0), [2]);
    }
}
