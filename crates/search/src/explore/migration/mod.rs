//! Going on with another store when memory gets tight.
//!
//! A search begins with states in full. When they have filled a good part of the memory it pauses; all states are
//! [moved](transfer) into a tree store, and the search goes on where it was: the same level half done, or the same
//! stack. Nothing is expanded twice, so all counts are those of a search that never paused.

mod lossy_bfs;
mod lossy_dfs;
mod transfer;

use kripke_model::{Batch, Trail};

use super::bfs::{self, Levels};
use super::dfs::{self, Descent, Stack};
use super::error_collector::{Findings, Haul};
use super::trail::{self, Thread};
use super::worker::Worker;
use super::{
    CROWD_BYTES, Factory, Options, Order, Search, StoreKind, conclude_levels, depth_first, find_trails, max_depth,
};
use crate::budget::{Budget, Limit};
use crate::outcome::{Change, Outcome, Statistics, Violation};
use crate::progress::Progress;
use crate::store::{ExactStore, Handle, Queue, Remains, Runs, Store, TreeStore};
use lossy_bfs::Resort;
use lossy_dfs::Plunge;
use transfer::Removal;

/// Of so many states one is tried before all are moved.
const SAMPLE: usize = 16;

/// What was done with stores before this one.
#[derive(Clone, Default, Debug)]
pub(super) struct Past {
    pub transitions: u64,
    pub expanded: u64,
    pub changes: Vec<Change>,
}

/// Explores with an exact store as long as memory allows, then with trees.
pub(super) fn explore(factory: Factory<'_, '_>, options: &Options, budget: &Budget, progress: &Progress) -> Outcome {
    let with = |store| Options { store, ..options.clone() };
    let (exact, tree) = (with(StoreKind::Exact), with(StoreKind::Tree));
    let stages = Stages { exact, tree, factory, budget, progress };
    match options.order {
        Order::BreadthFirst => stages.breadth_first(),
        Order::DepthFirst => stages.depth_first(),
    }
}

/// A search with one store after the other.
struct Stages<'s, 'f, 'm> {
    exact: Options,
    tree: Options,
    factory: Factory<'f, 'm>,
    budget: &'s Budget,
    progress: &'s Progress,
}

/// What is known of a search that has paused, whatever its order.
struct Before {
    past: Past,
    /// As they were then.
    statistics: Statistics,
}

/// A search in levels that has paused, without its store.
struct Level {
    /// Where the states are that wait: those of this level that are still to be expanded, then those of the next.
    queue: Runs,
    rest: std::ops::Range<u64>,
    depth: u32,
    findings: Findings<u32>,
    hauls: Vec<Haul>,
}

impl Stages<'_, '_, '_> {
    fn exact_store(&self) -> ExactStore {
        ExactStore::new(self.budget.capacity(), self.exact.workers())
    }

    /// The bytes in use at which memory is tight.
    fn tight(&self) -> u64 {
        self.budget.memory.map_or(u64::MAX, |memory| memory / 8 * 5)
    }

    /// A search that pauses when five eighths of the memory are used: enough is left then for a sixteenth of the states
    /// as trees, to try, and after that, without the table, for those that wait.
    fn patient<'a>(&'a self, store: &'a ExactStore) -> Search<'a, ExactStore> {
        let search = Search::new(store, &self.exact, self.budget, self.progress);
        search.be_patient(self.tight().max(1), self.exact.change_at.map_or(u64::MAX, |states| states.max(1)));
        search
    }

    /// Whether states are smaller as trees, as far as some of them tell: all together would share more. Nobody is at
    /// work meanwhile.
    fn is_worth_it(&self, store: &ExactStore) -> bool {
        if self.exact.change_at.is_some() || self.exact.lossy {
            return true;
        }
        let mut left = self.budget.capacity();
        left.bytes = left.bytes.saturating_sub(store.bytes());
        let trees = TreeStore::new(left, self.tree.workers());
        let mut handle = trees.handle();
        handle.enter();
        let (mut batch, mut full, mut first) = (Batch::new(), Ok(()), None);
        store.sample(SAMPLE, |state| {
            batch.push(state);
            if (batch.len() >= transfer::CROWD || batch.bytes() > CROWD_BYTES) && full.is_ok() {
                full = handle.intern(&batch, &[], |_| ());
                first.get_or_insert((trees.bytes(), trees.len()));
                batch.clear();
            }
        });
        let (bytes, states) = first.map_or((0, 0), |(bytes, states)| (trees.bytes() - bytes, trees.len() - states));
        full.is_ok() && u128::from(bytes) * u128::from(store.len()) <= u128::from(store.bytes()) * u128::from(states)
    }

    fn before(&self, search: &Search<'_, ExactStore>, statistics: Statistics) -> Before {
        let change = Change { from: StoreKind::Exact, states: statistics.states };
        let past = Past { transitions: search.transitions(), expanded: search.expanded(), changes: vec![change] };
        Before { past, statistics }
    }

    /// For states that are still elsewhere.
    fn trees(&self, remains: &Remains) -> TreeStore {
        let mut capacity = self.budget.capacity();
        capacity.bytes = capacity.bytes.saturating_sub(remains.bytes());
        TreeStore::new(capacity, self.tree.workers())
    }

    fn search_trees<'a>(&'a self, trees: &'a TreeStore, before: &Before) -> Search<'a, TreeStore> {
        let search = Search::new(trees, &self.tree, self.budget, self.progress);
        search.depth.store(before.statistics.depth, std::sync::atomic::Ordering::Relaxed);
        Search { past: before.past.clone(), ..search }
    }

    /// Trees are given up when memory is tight again, if states may be missed.
    fn last_for_trees(&self, search: &Search<'_, TreeStore>) {
        if self.tree.lossy {
            let states = self.tree.change_at.map_or(u64::MAX, |states| states.saturating_mul(2).max(1));
            search.be_patient(self.tight().max(1), states);
        }
    }

    fn breadth_first(&self) -> Outcome {
        let store = self.exact_store();
        let paused = {
            let search = self.patient(&store);
            let mut levels = bfs::run(&search, self.factory, max_depth(self.budget), false);
            if !levels.rest.is_empty() {
                levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
                if !self.is_worth_it(&store) {
                    search.be_patient(u64::MAX, u64::MAX);
                    levels.workers[0].handle.enter();
                    levels = bfs::resume(&search, self.factory, levels, max_depth(self.budget), false);
                }
            }
            if levels.rest.is_empty() {
                Err(conclude_levels(&search, levels))
            } else {
                search.report(levels.queue.bytes(), 0);
                let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.queue.bytes());
                let depth = levels.depth();
                let Levels { queue, rest, findings, hauls, .. } = levels;
                Ok((self.before(&search, statistics), Level { queue, rest, depth, findings, hauls }))
            }
        };
        let found = match paused {
            Ok((before, level)) => match self.levels_in_trees(store, before, level) {
                Ok(found) => found,
                Err(resort) => resort.run(self.factory, self.budget, self.progress),
            },
            Err(found) => {
                drop(store);
                found
            }
        };
        let trees = || TreeStore::new(self.budget.capacity(), self.tree.workers());
        find_trails(found, trees, self.factory, &self.tree, self.budget, !self.tree.reduces)
    }

    /// Goes on with trees, until the search is over or has to go on without them.
    fn levels_in_trees(
        &self,
        store: ExactStore,
        before: Before,
        level: Level,
    ) -> Result<(Outcome, Vec<Thread>), Box<Resort>> {
        let remains = store.dissolve(Default::default());
        let trees = self.trees(&remains);
        let search = self.search_trees(&trees, &before);
        let mut workers: Vec<_> =
            (0..search.threads).map(|number| Worker::new(&search, number, (self.factory)())).collect();
        let mut queue = <TreeStore as Store>::Queue::default();
        let mut handles = workers.iter_mut().map(|worker| &mut worker.handle).collect();
        let allow = |bytes| trees.allow(bytes);
        let removal = Removal { budget: self.budget, allow: &allow };
        let waiting = level.rest.start..level.queue.len();
        if let Err(limit) = removal.queue(remains, (&level.queue, waiting), &mut queue, &mut handles) {
            return Ok(stop_level(level, before, limit, &search));
        }
        assert_eq!(trees.len(), before.statistics.states, "every state was moved");
        workers[0].handle.enter();
        let rest = 0..level.rest.end - level.rest.start;
        let mut ends = vec![0; level.depth as usize];
        ends.push(rest.end);
        let Level { findings, hauls, depth, .. } = level;
        let (first, origins) = (depth as usize, Default::default());
        let levels = Levels { queue, ends, first, origins, findings, stop: None, rest, hauls, workers };
        self.last_for_trees(&search);
        let mut levels = bfs::resume(&search, self.factory, levels, max_depth(self.budget), false);
        if levels.rest.is_empty() {
            return Ok(conclude_levels(&search, levels));
        }
        levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
        match Resort::new(&search, &mut levels) {
            Ok(resort) => Err(Box::new(resort)),
            Err(limit) => {
                let depth = levels.depth();
                levels.findings.collect(levels.hauls.drain(..), || depth);
                levels.stop = Some(limit);
                Ok(conclude_levels(&search, levels))
            }
        }
    }

    fn depth_first(&self) -> Outcome {
        let store = self.exact_store();
        let (before, stack, findings, early, marks) = {
            let search = self.patient(&store);
            let mut descent = dfs::run(&search, self.factory, max_depth(self.budget));
            if descent.paused {
                descent.worker.handle.leave();
                if !self.is_worth_it(&store) {
                    search.be_patient(u64::MAX, u64::MAX);
                    descent.worker.handle.enter();
                    descent = dfs::resume(&search, descent);
                }
            }
            if !descent.paused {
                return depth_first(&search, descent);
            }
            let early = trails_so_far(&mut descent);
            let Descent { stack, findings, worker, .. } = descent;
            let statistics = search.statistics(stack.deepest, findings.errors, stack.bytes());
            (self.before(&search, statistics), stack, findings, early, worker.handle.into_marks())
        };
        let remains = store.dissolve(marks);
        let mut outcome = match self.stack_in_trees(remains, before, stack, findings) {
            Ok(outcome) => outcome,
            Err((plunge, more)) => {
                let mut outcome = plunge.run(self.factory, self.budget, self.progress);
                outcome.violations.splice(0..0, more);
                outcome
            }
        };
        outcome.violations.splice(0..0, early);
        outcome
    }

    fn stack_in_trees(
        &self,
        remains: Remains,
        before: Before,
        mut stack: Stack,
        mut findings: Findings<Vec<crate::store::StateId>>,
    ) -> Result<Outcome, (Box<Plunge>, Vec<Violation>)> {
        let trees = self.trees(&remains);
        let search = self.search_trees(&trees, &before);
        let mut worker = Worker::new(&search, 0, (self.factory)());
        let allow = |bytes| trees.allow(bytes);
        let removal = Removal { budget: self.budget, allow: &allow };
        if let Err(limit) = removal.stack(remains, &mut stack.entries, &mut worker.handle) {
            let end = search.end(Some(limit), &mut findings);
            return Ok(Outcome::new(end, Vec::new(), before.statistics));
        }
        assert_eq!(trees.len(), before.statistics.states, "every state was moved");
        worker.handle.enter();
        let descent = Descent { stack, paused: false, findings, stop: None, worker };
        self.last_for_trees(&search);
        let mut descent = dfs::resume(&search, descent);
        if !descent.paused {
            return Ok(depth_first(&search, descent));
        }
        let early = trails_so_far(&mut descent);
        let (depth, errors, bytes) = (descent.stack.deepest, descent.findings.errors, descent.stack.bytes());
        Plunge::new(&search, descent).map(|plunge| (Box::new(plunge), early)).map_or_else(
            |limit| {
                let statistics = search.statistics(depth, errors, bytes);
                Ok(Outcome::new(crate::outcome::End::Stopped(limit), Vec::new(), statistics))
            },
            Err,
        )
    }
}

/// A search that could not go on with trees.
fn stop_level(
    mut level: Level,
    before: Before,
    limit: Limit,
    search: &Search<'_, TreeStore>,
) -> (Outcome, Vec<Thread>) {
    let depth = level.depth;
    level.findings.collect(level.hauls, || depth);
    let end = search.end(Some(limit), &mut level.findings);
    let statistics = Statistics { errors: level.findings.errors, ..before.statistics };
    let threads = level.findings.kept.into_iter().map(|(found, depth)| Thread::new(found, depth)).collect();
    (Outcome::new(end, Vec::new(), statistics), threads)
}

/// The trails of the errors found so far, whose states will have other ids.
fn trails_so_far<S: Store>(descent: &mut Descent<'_, '_, S>) -> Vec<Violation> {
    let Descent { findings, worker, .. } = descent;
    let kept = findings.kept.iter_mut().filter(|(_, path)| !path.is_empty());
    kept.map(|(found, path)| {
        let choices = trail::choices(&std::mem::take(path), worker);
        Violation { wrong: found.wrong.clone(), trail: Trail { choices, ending: found.ending } }
    })
    .collect()
}
