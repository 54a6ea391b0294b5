//! Trails: from errors back to the initial state.
//!
//! Exact stores have no parent links. A depth-first search has the path on its stack when it finds an error. A
//! breadth-first search goes back level by level: it expands the states of a level again and finds among their
//! successors those states of the next level that are on a trail, for all errors at once and on all cores. Errors
//! therefore cost at most a second expansion of all states, without interning; parent links would cost four bytes per
//! state in every search. Among several predecessors the least is chosen, so that trails do not depend on timing.
//!
//! A single worker finds every state from the same predecessor each time. The first search has a
//! [spanning tree](super::spanning_tree), which tells these predecessors, as long as it takes little memory. A search that is repeated
//! for trails has [hints](super::predecessor_hints), which locate them approximately: a few hundred states are then expanded again per
//! step.
//!
//! With a lossy store a second search could omit what the first has found. Such a store has parent links between open
//! states and the states on the paths to them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use kripke_model::{Batch, Choice, State, Successors, Trail};

use super::bfs::{CLAIM, FEW, Levels};
use super::error_collector::FoundError;
use super::spanning_tree::SpanningTree;
use super::worker::Worker;
use crate::budget::Limit;
use crate::outcome::Violation;
use crate::peers::{Peers, put, take};
use crate::store::{Handle, Queue, StateId, Store, hash, spawn};

/// Levels with fewer states are searched by one worker.
const SHARE: u64 = 1 << 11;

/// A trail that is constructed from its end.
#[derive(Debug)]
pub(super) struct PartialTrail {
    found: FoundError,
    /// The first state of the known part, and its depth.
    state: Vec<u8>,
    depth: usize,
    /// The position of this state in the queue, if it is known.
    at: Option<u64>,
    /// The choices of the known part, in reverse order.
    choices: Vec<u32>,
}

/// A predecessor in the layout of the interpreter, the number of the successor, and the predecessor as it is stored. The least
/// one is chosen, so the choice does not depend on the form of stored states.
pub(super) type Origin = (Vec<u8>, u32, Vec<u8>);

impl PartialTrail {
    pub fn new(found: FoundError, depth: u32) -> PartialTrail {
        PartialTrail { state: found.state.clone(), found, depth: depth as usize, at: None, choices: Vec::new() }
    }

    /// A trail whose end is known: `choices` lead from `state` to an error at `depth`.
    pub fn after(found: FoundError, state: Vec<u8>, depth: u32, mut choices: Vec<u32>) -> PartialTrail {
        choices.reverse();
        PartialTrail { found, state, depth: depth as usize - choices.len(), at: None, choices }
    }

    pub fn finish(mut self) -> Violation {
        assert!(self.is_done(), "a trail starts at the initial state");
        self.choices.reverse();
        Violation { error: self.found.error, trail: Trail { choices: self.choices, ending: self.found.ending } }
    }

    /// Whether the trail reaches the initial state.
    pub fn is_done(&self) -> bool {
        self.depth == 0
    }

    /// Whether the known part begins at this depth.
    pub fn is_at(&self, depth: u32) -> bool {
        self.depth == depth as usize
    }

    /// The first state of the known part.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Extends the trail by a predecessor of its first state. False if there is none.
    pub fn step_to_origin(&mut self, origins: &BTreeMap<Vec<u8>, Origin>) -> bool {
        let Some((_, choice, state)) = origins.get(&self.state) else { return false };
        self.choices.push(*choice);
        self.state.clone_from(state);
        (self.depth, self.at) = (self.depth - 1, None);
        true
    }

    /// Extends the trail by the first predecessor of its first state. The search had one worker.
    fn step_back<S: Store>(&mut self, levels: &mut Levels<'_, '_, S>) {
        let before = levels.level(self.depth - 1);
        // The end of the last level is not recorded.
        let level = before.end..levels.ends.get(self.depth).copied().unwrap_or(levels.queue.len());
        let worker = &mut levels.workers[0];
        let position = self.at.or_else(|| levels.queue.find(level, worker.id_of(&self.state)?));
        let start = position.and_then(|at| levels.hints.of(at)).filter(|from| before.contains(from));
        let (mut ids, mut state, mut batch) = (Vec::new(), Vec::new(), Batch::new());
        for at in start.unwrap_or(before.start)..before.end {
            ids.clear();
            levels.queue.copy(at..at + 1, &mut ids);
            worker.handle.fetch(ids[0], &mut state);
            batch.clear();
            worker.successors.expand(&state, Choice::All, &mut batch);
            if let Some(choice) = batch.states().position(|successor| *successor == self.state) {
                self.choices.push(number(choice));
                std::mem::swap(&mut self.state, &mut state);
                (self.depth, self.at) = (self.depth - 1, Some(at));
                return;
            }
        }
        unreachable!("every state has a predecessor on the previous level");
    }
}

impl PartialTrail {
    /// Extends the trail back to the level behind the first levels, which are in the queue, by the spanning tree.
    fn follow<S: Store>(&mut self, tree: &SpanningTree, levels: &mut Levels<'_, '_, S>) {
        let Some(steps) = self.depth.checked_sub(levels.kept).filter(|steps| *steps > 0) else { return };
        let level = levels.level(self.depth);
        if level.end > tree.len() {
            return;
        }
        let ends = tree.find(level, &self.state);
        let worker = &mut levels.workers[0];
        for end in ends {
            let path = tree.path(end, steps + 1);
            let (mut ids, mut first) = (Vec::new(), Vec::new());
            levels.queue.copy(path[0]..path[0] + 1, &mut ids);
            worker.handle.fetch(ids[0], &mut first);
            let run = tree.run_along(&path, (first, &self.state), |state, batch| {
                worker.successors.expand(state, Choice::All, batch);
            });
            if let Some([_, second, rest @ ..]) = run.as_deref() {
                self.choices.extend(rest.iter().rev().map(|step| number(step.choice)));
                (self.state, self.depth, self.at) = (second.state.clone(), levels.kept, Some(path[1]));
                return;
            }
        }
        debug_assert!(false, "the tree has every state that was found");
    }
}

/// The number of steps that the longest trail lacks.
pub(super) fn deepest(trails: &[PartialTrail]) -> usize {
    trails.iter().map(|partial| partial.depth).max().unwrap_or(0)
}

/// Extends all trails back as far as levels are retained.
pub(super) fn trace<S: Store>(
    trails: &mut [PartialTrail],
    levels: &mut Levels<'_, '_, S>,
    peers: Option<&dyn Peers>,
) -> Result<(), Limit> {
    if let Some(tree) = levels.tree.take_if(|_| levels.first > 0) {
        trails.iter_mut().for_each(|partial| partial.follow(&tree, levels));
    }
    for depth in (1..=deepest(trails)).rev().filter(|depth| levels.has(depth - 1)).collect::<Vec<_>>() {
        let mut here: Vec<&mut PartialTrail> = trails.iter_mut().filter(|partial| partial.depth == depth).collect();
        if here.is_empty() {
            continue;
        }
        let level = levels.level(depth - 1);
        // Searching the whole level for all errors at once may be cheaper, and costs little in small graphs.
        let worth = level.end > FEW && (here.len() == 1 || here.len() as u64 * CLAIM < level.end - level.start);
        if worth && levels.workers[0].is_alone() && peers.is_none() {
            here.iter_mut().for_each(|partial| partial.step_back(levels));
            continue;
        }
        let wanted = Wanted::new(here.iter().map(|partial| &partial.state[..]));
        let mut origins = search_level(&wanted, &mut levels.workers, &levels.queue, level);
        if let Some(peers) = peers {
            origins = least_of_all(peers, &origins)?;
        }
        for partial in here {
            assert!(partial.step_to_origin(&origins), "every state has a predecessor on the previous level");
        }
    }
    Ok(())
}

/// The least predecessors that any process has found.
fn least_of_all(peers: &dyn Peers, mine: &BTreeMap<Vec<u8>, Origin>) -> Result<BTreeMap<Vec<u8>, Origin>, Limit> {
    let mut bytes = Vec::new();
    for (state, (decoded, choice, stored)) in mine {
        [state, decoded, &choice.to_le_bytes()[..], stored].into_iter().for_each(|part| put(&mut bytes, part));
    }
    let mut origins = BTreeMap::new();
    for contribution in peers.exchange(bytes)? {
        let mut rest = &contribution[..];
        while let (Some(state), Some(decoded), Some(choice), Some(stored)) =
            (take(&mut rest), take(&mut rest), take(&mut rest), take(&mut rest))
        {
            let choice = choice.try_into().map(u32::from_le_bytes).unwrap_or(u32::MAX);
            keep_least(&mut origins, state, (decoded.to_vec(), choice, stored.to_vec()));
        }
    }
    Ok(origins)
}

/// States whose predecessors are searched.
pub(super) struct Wanted<'a> {
    states: HashMap<&'a State, ()>,
    /// A bit set of hashes that excludes most other states.
    filter: u64,
}

impl<'a> Wanted<'a> {
    pub fn new(states: impl Iterator<Item = &'a State>) -> Wanted<'a> {
        let states: HashMap<_, _> = states.map(|state| (state, ())).collect();
        let filter = states.keys().fold(0, |filter, state| filter | 1 << (hash(state) >> 58));
        Wanted { states, filter }
    }

    /// The states, each once.
    pub fn states(&self) -> impl Iterator<Item = &'a State> {
        self.states.keys().copied()
    }

    fn contains(&self, state: &State) -> bool {
        self.filter >> (hash(state) >> 58) & 1 == 1 && self.states.contains_key(state)
    }
}

fn search_level<S: Store>(
    wanted: &Wanted<'_>,
    workers: &mut [Worker<'_, '_, S>],
    queue: &S::Queue,
    level: Range<u64>,
) -> BTreeMap<Vec<u8>, Origin> {
    let share = (level.end - level.start).div_ceil(workers.len() as u64).max(SHARE);
    let mut parts = workers.iter_mut().enumerate().map(|(i, worker)| {
        let start = level.end.min(level.start + share * i as u64);
        (worker, start..level.end.min(start + share))
    });
    let (first, part) = parts.next().expect("a search has a worker");
    if part.end == level.end {
        return search_part(wanted, first, queue, part);
    }
    std::thread::scope(|scope| {
        let others: Vec<_> =
            parts.map(|(worker, part)| spawn(scope, || search_part(wanted, worker, queue, part))).collect();
        let mut origins = search_part(wanted, first, queue, part);
        for other in others {
            let more = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            more.into_iter().for_each(|(state, origin)| keep_least(&mut origins, &state, origin));
        }
        origins
    })
}

fn search_part<S: Store>(
    wanted: &Wanted<'_>,
    worker: &mut Worker<'_, '_, S>,
    queue: &S::Queue,
    part: Range<u64>,
) -> BTreeMap<Vec<u8>, Origin> {
    let mut origins = BTreeMap::new();
    let (mut ids, mut state, mut batch) = (Vec::new(), Vec::new(), Batch::new());
    let mut at = part.start;
    while at < part.end {
        let end = part.end.min(at + SHARE);
        ids.clear();
        queue.copy(at..end, &mut ids);
        at = end;
        for &id in &ids {
            worker.handle.fetch(id, &mut state);
            keep_if_origin(wanted, &mut *worker.successors, &state, &mut batch, &mut origins);
        }
    }
    origins
}

/// The least predecessors among these states.
pub(super) fn origins<'s>(
    wanted: &Wanted<'_>,
    successors: &mut dyn Successors,
    states: impl Iterator<Item = &'s State>,
) -> BTreeMap<Vec<u8>, Origin> {
    let (mut origins, mut batch) = (BTreeMap::new(), Batch::new());
    states.for_each(|state| keep_if_origin(wanted, successors, state, &mut batch, &mut origins));
    origins
}

/// Expands a state, and keeps it as the predecessor of each successor that is wanted.
fn keep_if_origin(
    wanted: &Wanted<'_>,
    successors: &mut dyn Successors,
    state: &State,
    batch: &mut Batch,
    origins: &mut BTreeMap<Vec<u8>, Origin>,
) {
    batch.clear();
    successors.expand(state, Choice::All, batch);
    for (n, successor) in batch.states().enumerate().filter(|(_, successor)| wanted.contains(successor)) {
        let decoded = successors.decode(state).into_owned();
        keep_least(origins, successor, (decoded, number(n), state.to_vec()));
    }
}

fn keep_least(origins: &mut BTreeMap<Vec<u8>, Origin>, state: &State, origin: Origin) {
    match origins.get_mut(state) {
        None => {
            origins.insert(state.to_vec(), origin);
        }
        Some(known) if *known <= origin => {}
        Some(known) => *known = origin,
    }
}

/// The states from the initial state to `end`, by their parent links.
pub(super) fn path(handle: &impl Handle, end: StateId) -> Vec<StateId> {
    let mut path: Vec<StateId> = std::iter::successors(Some(end), |&id| handle.origin(id)).collect();
    path.reverse();
    path
}

/// The numbers of the successors along a path.
pub(super) fn choices<S: Store>(path: &[StateId], worker: &mut Worker<'_, '_, S>) -> Vec<u32> {
    let mut batch = Batch::new();
    let (mut state, mut next) = (Vec::new(), Vec::new());
    path.windows(2)
        .map(|pair| {
            worker.handle.fetch(pair[0], &mut state);
            worker.handle.fetch(pair[1], &mut next);
            batch.clear();
            worker.successors.expand(&state, Choice::All, &mut batch);
            let choice = batch.states().position(|successor| successor == next);
            number(choice.expect("a state has the same successors each time it is expanded"))
        })
        .collect()
}

/// The numbers of the successors along a path of full states.
pub(super) fn choices_along(path: &Batch, successors: &mut dyn Successors) -> Vec<u32> {
    let mut batch = Batch::new();
    (1..path.len())
        .map(|at| {
            batch.clear();
            successors.expand(path.state(at - 1), Choice::All, &mut batch);
            let choice = batch.states().position(|successor| successor == path.state(at));
            number(choice.expect("a state has the same successors each time it is expanded"))
        })
        .collect()
}

fn number(choice: usize) -> u32 {
    u32::try_from(choice).expect("fewer than 2^32 successors of one state")
}
