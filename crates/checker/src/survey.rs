//! A survey of a state space: every state of all interleavings in memory, and the characteristics of the graph.
//!
//! The characteristics are those that R. Pelánek measures on state spaces (Typical structural properties of state spaces, 2004), and
//! those of depth-first searches: revisits and loops.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kripke_model::ir::{Model, Type, Var};
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, State};
use kripke_report::survey::{Components, Hashing, Range, SizeClass, Spread, Survey};
use kripke_search::graph::{self, Adjacency, Space, space};
use kripke_search::store::HashFunction;

use crate::error::Error;
use crate::files::Files;
use crate::request::{Algorithm, Fairness, Request};
use crate::{load, replay};

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

/// Surveys the state space of a model, without its claims.
pub fn survey(model: &Arc<Model>, wanted: &Wanted) -> Result<Surveyed, StartError> {
    let plain = Arc::new(Model { observer: None, goal: None, ..(**model).clone() });
    Ok(survey_of(&mut load::interpreter(plain, true)?, wanted))
}

/// Surveys the state space that the first question of a request is about: that of the model, or of its product with an observer,
/// with all interleavings.
pub fn survey_question(file: &Path, request: &Request, wanted: &Wanted, files: &dyn Files) -> Result<Surveyed, Error> {
    let mut request = request.clone();
    request.reductions.raw = true;
    // Fairness is a condition on cycles, not on states. With one acceptance set, a flag says whether a state is accepting.
    request.questions.fairness = Fairness::None;
    request.search.algorithm = Algorithm::Nested;
    let mut prepared = replay::prepare(file, &request, &[], files)?;
    Ok(survey_of(&mut prepared.searched, wanted))
}

fn survey_of(interpreter: &mut Interpreter, wanted: &Wanted) -> Surveyed {
    let model = interpreter.model().clone();
    let mut executions: Vec<Vec<u64>> = model.processes.iter().map(|p| vec![0; p.edges.len()]).collect();
    let mut ranges = wanted.ranges.then(|| Ranges::new(&model));
    let most = usize::try_from(wanted.max_states.unwrap_or(MOST_STATES)).unwrap_or(usize::MAX);
    let mut expanded = 0;
    let space = space(interpreter, most, |interpreter, state| {
        if stops(wanted, expanded) {
            return false;
        }
        expanded += 1;
        if wanted.profile {
            interpreter.count_executions(state, &mut executions);
        }
        if let Some(ranges) = &mut ranges {
            ranges.add(&interpreter.layout().view(state));
        }
        true
    });
    Surveyed {
        survey: characteristics(&space, model.observer.is_some()),
        executions: if wanted.profile { executions } else { Vec::new() },
        ranges: ranges.map_or_else(Vec::new, Ranges::finish),
    }
}

fn stops(wanted: &Wanted, expanded: usize) -> bool {
    let interrupted = || wanted.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    expanded.is_multiple_of(256) && (interrupted() || wanted.deadline.is_some_and(|deadline| Instant::now() > deadline))
}

fn characteristics(space: &Space, product: bool) -> Survey {
    let (count, transitions) = (space.states.len(), space.edges.edges() as u64);
    let degrees = (0..count).map(|state| space.edges.targets(state).len() as u64);
    let mut widths = vec![0u64; space.levels.iter().max().map_or(0, |last| *last as usize + 1)];
    space.levels.iter().for_each(|level| widths[*level as usize] += 1);
    let (back_level_edges, longest_back_level_edge) = back_level_edges(space);
    let (walk, components) = (space.edges.depth_first(), space.edges.components());
    let bytes = || space.states.iter().map(|state| state.len() as u64);
    Survey {
        complete: space.complete,
        product,
        unique: count as u64,
        revisits: (transitions + 1).saturating_sub(count as u64 + walk.loops),
        loops: walk.loops,
        transitions,
        depth: walk.depth,
        ends: degrees.clone().filter(|degree| *degree == 0).count() as u64,
        out_degree: Spread::of(degrees),
        in_degree: Spread::of(space.edges.in_degrees().into_iter()),
        levels: widths.len() as u64,
        width: widths.iter().copied().max().unwrap_or(0),
        back_level_edges,
        longest_back_level_edge,
        components: by_kind(space, &components),
        diameter: diameter(&space.edges, &components),
        hashing: HashFunction::ALL.map(|function| hashing(function, &space.states)).to_vec(),
        state_bytes: Spread::of(bytes()),
        memory: bytes().map(|bytes| 2 * bytes + 40).sum::<u64>() + transitions * 4,
    }
}

/// The number of transitions to a level that is not deeper, and the largest number of levels that one goes back.
fn back_level_edges(space: &Space) -> (u64, u64) {
    let (mut count, mut longest) = (0, 0);
    for (state, level) in space.levels.iter().enumerate() {
        for target in space.edges.targets(state) {
            if let Some(by) = level.checked_sub(space.levels[*target as usize]) {
                (count, longest) = (count + 1, longest.max(u64::from(by)));
            }
        }
    }
    (count, longest)
}

/// The components by kind and by size.
fn by_kind(space: &Space, components: &graph::Components) -> Components {
    let sizes = &components.sizes;
    let flags = || vec![false; sizes.len()];
    let (mut left, mut cyclic) = (flags(), sizes.iter().map(|size| *size > 1).collect::<Vec<_>>());
    let mut accepting = vec![0u64; sizes.len()];
    for (state, own) in components.of.iter().map(|own| *own as usize).enumerate() {
        accepting[own] += u64::from(space.accepting[state]);
        for target in space.edges.targets(state) {
            left[own] |= components.of[*target as usize] as usize != own;
            cyclic[own] |= *target as usize == state;
        }
    }
    let count = |of: &dyn Fn(usize) -> bool| (0..sizes.len()).filter(|c| of(*c)).count() as u64;
    Components {
        count: sizes.len() as u64,
        trivial: count(&|c| !cyclic[c]),
        terminal: count(&|c| !left[c]),
        accepting: count(&|c| cyclic[c] && accepting[c] > 0),
        fully_accepting: count(&|c| cyclic[c] && accepting[c] == sizes[c]),
        largest: sizes.iter().copied().max().unwrap_or(0),
        sizes: SizeClass::of(sizes),
    }
}

/// Bounds of the diameter of the largest component: the eccentricities of a state, and their sum.
fn diameter(edges: &Adjacency, components: &graph::Components) -> (u64, u64) {
    let largest = components.sizes.iter().enumerate().max_by_key(|(_, size)| **size).map(|(number, _)| number as u32);
    let Some(state) = components.of.iter().position(|component| Some(*component) == largest) else {
        return (0, 0);
    };
    let away = edges.eccentricity(state, &components.of);
    let towards = edges.reversed().eccentricity(state, &components.of);
    (away.max(towards), away + towards)
}

/// Enters all states into a table with double hashing, at most half full, and counts.
fn hashing(function: HashFunction, states: &[Box<State>]) -> Hashing {
    let slots = (2 * states.len()).next_power_of_two();
    let mut table = vec![false; slots];
    let mut probes = Vec::with_capacity(states.len());
    let mut hashes = Vec::with_capacity(states.len());
    for state in states {
        let hash = function.seeded(state, 0);
        hashes.push((hash >> 32) as u32);
        // An odd step visits every slot of a table whose size is a power of two.
        let (mut at, step) = ((hash >> 32) as usize % slots, hash as u32 as usize | 1);
        let mut count = 1;
        while std::mem::replace(&mut table[at], true) {
            (at, count) = ((at + step) % slots, count + 1);
        }
        probes.push(count);
    }
    hashes.sort_unstable();
    hashes.dedup();
    let collisions = (states.len() - hashes.len()) as u64;
    Hashing { function: function.word(), collisions, probes: Spread::of(probes.into_iter()) }
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

    #[test]
    fn characteristics_of_a_small_graph() {
        // 0 → 1 → 2 → 1, 2 → 3 → 3, 0 → 4.
        let mut edges = Adjacency::default();
        [&[1, 4][..], &[2], &[1, 3], &[3], &[]].iter().for_each(|targets| edges.push(targets.iter().copied()));
        let space = Space {
            states: (0..5u8).map(|n| Box::from([n])).collect(),
            accepting: vec![true, false, true, true, true],
            levels: vec![0, 1, 2, 3, 1],
            edges,
            complete: true,
        };
        let survey = characteristics(&space, true);
        assert_eq!((survey.unique, survey.transitions, survey.revisits, survey.loops), (5, 6, 0, 2));
        assert_eq!((survey.depth, survey.ends, survey.levels, survey.width), (3, 1, 4, 2));
        assert_eq!((survey.back_level_edges, survey.longest_back_level_edge), (2, 1));
        let components = &survey.components;
        assert_eq!((components.count, components.trivial, components.terminal, components.largest), (4, 2, 2, 2));
        assert_eq!((components.accepting, components.fully_accepting), (2, 1));
        assert_eq!(survey.diameter, (1, 2));
        assert_eq!(survey.out_degree, Spread { least: 0, mean: 1.2, most: 2 });
    }

    #[test]
    fn each_state_has_a_slot_of_its_own() {
        let states: Vec<Box<State>> = (0..1000u32).map(|n| Box::from(n.to_le_bytes())).collect();
        for function in HashFunction::ALL {
            let Hashing { probes, .. } = hashing(function, &states);
            assert!(probes.least == 1 && probes.mean < 2.5, "{function:?}: {probes:?}");
        }
    }
}
