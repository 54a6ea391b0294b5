//! Store migration: a search continues with a smaller store when memory is nearly exhausted.
//!
//! A search starts with the exact store. When that has filled most of the memory, the search pauses. All states are
//! [transferred](transfer) to a tree store, and the search continues at the same point of its level or stack. No
//! state is expanded twice, so all counts equal those of a search without migration.

mod lossy_bfs;
mod lossy_dfs;
mod transfer;

use kripke_model::{Batch, Trail};

use super::bfs::{self, Levels};
use super::dfs::{self, Descent, Stack};
use super::error_collector::{Findings, LevelFindings};
use super::trail::{self, PartialTrail};
use super::worker::Worker;
use super::{
    Factory, MAX_SUCCESSOR_BYTES, Options, Order, Search, StoreKind, conclude_levels, depth_first, exact_store,
    find_trails, max_depth, probe,
};
use crate::budget::{Budget, Limit};
use crate::outcome::{Outcome, Statistics, StoreMigration, Violation};
use crate::progress::Progress;
use crate::store::{Capacity, DissolvedStore, ExactStore, Handle, Queue, Runs, Store, TreeStore};
use lossy_bfs::LossyBfs;
use lossy_dfs::LossyDfs;
use transfer::Transfer;

/// Sampling rate for the size of the states as trees.
const SAMPLE: usize = 16;

/// Counts of the stages before the present store.
#[derive(Clone, Default, Debug)]
pub(super) struct PriorWork {
    pub transitions: u64,
    pub expanded: u64,
    pub asleep: u64,
    pub migrations: Vec<StoreMigration>,
}

/// The counts of a search that has paused. Its store is replaced.
fn prior_work<S: Store>(search: &Search<'_, S>, from: StoreKind) -> PriorWork {
    let mut migrations = search.prior.migrations.clone();
    migrations.push(StoreMigration { from, states: search.store.len() });
    let (transitions, expanded, asleep) = (search.transitions(), search.expanded(), search.asleep());
    PriorWork { transitions, expanded, asleep, migrations }
}

/// Explores with the exact store while memory permits, then with the tree store.
pub(super) fn explore(factory: Factory<'_, '_>, options: &Options, budget: &Budget, progress: &Progress) -> Outcome {
    let with = |store| Options { store, ..options.clone() };
    let (mut exact, tree) = (with(StoreKind::Exact), with(StoreKind::Tree));
    if options.order == Order::DepthFirst {
        exact.threads = Some(1);
    }
    let stages = Stages { exact, tree, factory, budget, progress };
    match options.order {
        Order::BreadthFirst => stages.breadth_first(),
        Order::DepthFirst => stages.depth_first(),
    }
}

/// A search in stages with different stores.
struct Stages<'s, 'f, 'm> {
    exact: Options,
    tree: Options,
    factory: Factory<'f, 'm>,
    budget: &'s Budget,
    progress: &'s Progress,
}

/// The counts of a paused search.
struct PausedSearch {
    prior: PriorWork,
    /// The statistics at the time of the pause.
    statistics: Statistics,
}

/// A paused breadth-first search without its store.
struct PausedLevel {
    /// The open states: the unexpanded states of this level, then those of the next.
    queue: Runs,
    remaining: std::ops::Range<u64>,
    depth: u32,
    findings: Findings<u32>,
    level_findings: Vec<LevelFindings>,
}

impl Stages<'_, '_, '_> {
    /// The number of workers that use the tree store. A depth-first search that can pause has one; it has more when the store is
    /// lossy.
    fn tree_workers(&self) -> usize {
        if self.tree.order == Order::DepthFirst { 1 } else { self.tree.workers() }
    }

    fn exact_store(&self) -> ExactStore {
        exact_store(self.factory, &self.exact, self.budget)
    }

    /// The number of bytes in use at which the search pauses.
    fn tight(&self) -> u64 {
        self.budget.memory.map_or(u64::MAX, |memory| memory / 8 * 5)
    }

    /// The numbers of bytes and states at which a search pauses: at five eighths of the memory. The rest suffices for a
    /// sixteenth of the states as trees, which decide whether to migrate, and then, without the hash table, for the open
    /// states. If omissions are permitted, the search migrates to trees in any case, also where they are larger, and then to a
    /// lossy store, for which there has to be memory beside them: it pauses at three eighths.
    fn pause_limits(&self) -> [u64; 2] {
        let tight = if self.exact.lossy { self.tight() / 5 * 3 } else { self.tight() };
        [tight.max(1), self.exact.migrate_at.map_or(u64::MAX, |states| states.max(1))]
    }

    fn pausing_search<'a>(&'a self, store: &'a ExactStore) -> Search<'a, ExactStore> {
        let search = Search::new(store, &self.exact, self.budget, self.progress);
        let [bytes, states] = self.pause_limits();
        search.pause_at(bytes, states);
        search
    }

    /// Whether states are smaller as trees, judged by a sample; all states together would share more. No worker runs
    /// meanwhile.
    fn trees_are_smaller(&self, store: &ExactStore) -> bool {
        if self.exact.migrate_at.is_some() || self.exact.lossy {
            return true;
        }
        let mut left = self.budget.capacity();
        left.bytes = left.bytes.saturating_sub(store.bytes());
        let trees = self.new_tree_store(left);
        let mut handle = trees.handle();
        handle.enter();
        let (mut batch, mut full, mut first) = (Batch::new(), Ok(()), None);
        store.sample(SAMPLE, |state| {
            batch.push(state);
            if (batch.len() >= transfer::TRANSFER_BATCH || batch.bytes() > MAX_SUCCESSOR_BYTES) && full.is_ok() {
                full = handle.intern(&batch, &[], |_| ());
                first.get_or_insert((trees.bytes(), trees.len()));
                batch.clear();
            }
        });
        let (bytes, states) = first.map_or((0, 0), |(bytes, states)| (trees.bytes() - bytes, trees.len() - states));
        full.is_ok() && u128::from(bytes) * u128::from(store.len()) <= u128::from(store.bytes()) * u128::from(states)
    }

    fn before(&self, search: &Search<'_, ExactStore>, statistics: Statistics) -> PausedSearch {
        PausedSearch { prior: prior_work(search, StoreKind::Exact), statistics }
    }

    /// The tree store that receives the states of a dissolved store.
    fn tree_store(&self, dissolved: &DissolvedStore) -> TreeStore {
        let mut capacity = self.budget.capacity();
        capacity.bytes = capacity.bytes.saturating_sub(dissolved.bytes());
        self.new_tree_store(capacity)
    }

    fn new_tree_store(&self, capacity: Capacity) -> TreeStore {
        TreeStore::new(capacity, self.tree_workers()).with_words((self.factory)().word_bits())
    }

    fn tree_search<'a>(&'a self, trees: &'a TreeStore, before: &PausedSearch) -> Search<'a, TreeStore> {
        let search = Search::new(trees, &self.tree, self.budget, self.progress);
        search.depth.store(before.statistics.depth, std::sync::atomic::Ordering::Relaxed);
        Search { prior: before.prior.clone(), ..search }
    }

    /// Lets the search pause and leave the tree store, if omissions are permitted: at half of the memory, since the lossy store is
    /// filled beside the trees, and open states are moved.
    fn allow_lossy_migration(&self, search: &Search<'_, TreeStore>) {
        if self.tree.lossy {
            let states = self.tree.migrate_at.map_or(u64::MAX, |states| states.saturating_mul(2).max(1));
            search.pause_at((self.tight() / 5 * 4).max(1), states);
        }
    }

    fn breadth_first(&self) -> Outcome {
        let store = self.exact_store();
        let paused = {
            let search = Search::new(&store, &self.exact, self.budget, self.progress);
            let (mut levels, probe) = probe::levels(&search, self.factory, self.pause_limits());
            let probed = probe.is_final(&levels);
            if !levels.remaining.is_empty() && !probed {
                levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
                if !self.trees_are_smaller(&store) {
                    search.pause_at(u64::MAX, u64::MAX);
                    levels.workers[0].handle.enter();
                    levels = bfs::resume(&search, self.factory, levels, max_depth(self.budget), false);
                }
            }
            if levels.remaining.is_empty() || probed {
                Err(probe.conclude(&search, &mut levels))
            } else {
                search.report(levels.queue.bytes(), 0);
                let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.queue.bytes());
                let depth = levels.depth();
                let Levels { queue, remaining, findings, level_findings, .. } = levels;
                Ok((
                    self.before(&search, statistics),
                    PausedLevel { queue, remaining, depth, findings, level_findings },
                ))
            }
        };
        let found = match paused {
            Ok((before, level)) => match self.continue_bfs_with_trees(store, before, level) {
                Ok(found) => found,
                Err(lossy) => lossy.run(self.factory, self.budget, self.progress),
            },
            Err(found) => {
                drop(store);
                found
            }
        };
        let trees = || self.new_tree_store(self.budget.capacity());
        find_trails((found, None), trees, self.factory, &self.tree, self.budget, !self.tree.reduces)
    }

    /// Continues with the tree store, until the search has ended or must leave the tree store.
    fn continue_bfs_with_trees(
        &self,
        store: ExactStore,
        before: PausedSearch,
        level: PausedLevel,
    ) -> Result<(Outcome, Vec<PartialTrail>), Box<LossyBfs>> {
        let dissolved = store.dissolve(Default::default());
        let trees = self.tree_store(&dissolved);
        let search = self.tree_search(&trees, &before);
        let mut workers: Vec<_> =
            (0..search.threads).map(|number| Worker::new(&search, number, (self.factory)())).collect();
        let mut queue = <TreeStore as Store>::Queue::default();
        let mut handles = workers.iter_mut().map(|worker| &mut worker.handle).collect();
        let allow = |bytes| trees.allow(bytes);
        let transfer = Transfer { budget: self.budget, allow: &allow };
        let waiting = level.remaining.start..level.queue.len();
        if let Err(limit) = transfer.queue(dissolved, (&level.queue, waiting), &mut queue, &mut handles) {
            return Ok(stop_paused_level(level, before, limit, &search));
        }
        assert_eq!(trees.len(), before.statistics.states, "all states were moved");
        workers[0].handle.enter();
        let remaining = 0..level.remaining.end - level.remaining.start;
        let mut ends = vec![0; level.depth as usize];
        ends.push(remaining.end);
        let PausedLevel { findings, level_findings, depth, .. } = level;
        let (first, hints) = (depth as usize, Default::default());
        let arrivals = Default::default();
        let levels = Levels {
            queue,
            arrivals,
            ends,
            kept: 0,
            first,
            hints,
            tree: None,
            findings,
            stop: None,
            remaining,
            level_findings,
            workers,
        };
        self.allow_lossy_migration(&search);
        let mut levels = bfs::resume(&search, self.factory, levels, max_depth(self.budget), false);
        if levels.remaining.is_empty() {
            return Ok(conclude_levels(&search, &mut levels));
        }
        levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
        match LossyBfs::new(&search, &mut levels) {
            Ok(lossy) => Err(Box::new(lossy)),
            Err(limit) => {
                let depth = levels.depth();
                levels.findings.collect(levels.level_findings.drain(..), || depth);
                levels.stop = Some(limit);
                Ok(conclude_levels(&search, &mut levels))
            }
        }
    }

    fn depth_first(&self) -> Outcome {
        let store = self.exact_store();
        let (before, stack, findings, early, visited) = {
            let search = self.pausing_search(&store);
            let mut descent = dfs::run(&search, self.factory, max_depth(self.budget));
            if descent.paused {
                descent.worker.handle.leave();
                if !self.trees_are_smaller(&store) {
                    search.pause_at(u64::MAX, u64::MAX);
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
            (self.before(&search, statistics), stack, findings, early, worker.handle.into_visited())
        };
        let dissolved = store.dissolve(visited);
        let mut outcome = match self.continue_dfs_with_trees(dissolved, before, stack, findings) {
            Ok(outcome) => outcome,
            Err((lossy, more)) => {
                let mut outcome = lossy.run(self.factory, self.budget, self.progress);
                outcome.violations.splice(0..0, more);
                outcome
            }
        };
        outcome.violations.splice(0..0, early);
        outcome
    }

    fn continue_dfs_with_trees(
        &self,
        dissolved: DissolvedStore,
        before: PausedSearch,
        mut stack: Stack,
        mut findings: Findings<Vec<crate::store::StateId>>,
    ) -> Result<Outcome, (Box<LossyDfs>, Vec<Violation>)> {
        let trees = self.tree_store(&dissolved);
        let search = self.tree_search(&trees, &before);
        let mut worker = Worker::new(&search, 0, (self.factory)());
        let allow = |bytes| trees.allow(bytes);
        let transfer = Transfer { budget: self.budget, allow: &allow };
        if let Err(limit) = transfer.stack(dissolved, &mut stack.entries, &mut worker.handle) {
            let end = search.end(Some(limit), &mut findings);
            return Ok(Outcome::new(end, Vec::new(), before.statistics));
        }
        assert_eq!(trees.len(), before.statistics.states, "all states were moved");
        worker.handle.enter();
        let descent = Descent { stack, paused: false, findings, stop: None, worker };
        self.allow_lossy_migration(&search);
        let mut descent = dfs::resume(&search, descent);
        if !descent.paused {
            return Ok(depth_first(&search, descent));
        }
        let early = trails_so_far(&mut descent);
        let (depth, errors, bytes) = (descent.stack.deepest, descent.findings.errors, descent.stack.bytes());
        LossyDfs::new(&search, descent).map(|lossy| (Box::new(lossy), early)).map_or_else(
            |limit| {
                let statistics = search.statistics(depth, errors, bytes);
                Ok(Outcome::new(crate::outcome::End::Stopped(limit), Vec::new(), statistics))
            },
            Err,
        )
    }
}

/// The outcome of a search whose states do not fit into the tree store.
fn stop_paused_level(
    mut level: PausedLevel,
    before: PausedSearch,
    limit: Limit,
    search: &Search<'_, TreeStore>,
) -> (Outcome, Vec<PartialTrail>) {
    let depth = level.depth;
    level.findings.collect(level.level_findings, || depth);
    let end = search.end(Some(limit), &mut level.findings);
    let statistics = Statistics { errors: level.findings.errors, ..before.statistics };
    let trails = level.findings.kept.into_iter().map(|(found, depth)| PartialTrail::new(found, depth)).collect();
    (Outcome::new(end, Vec::new(), statistics), trails)
}

/// The trails of the errors found so far, before the ids of their states change.
fn trails_so_far<S: Store>(descent: &mut Descent<'_, '_, S>) -> Vec<Violation> {
    let Descent { findings, worker, .. } = descent;
    let kept = findings.kept.iter_mut().filter(|(_, path)| !path.is_empty());
    kept.map(|(found, path)| {
        let choices = trail::choices(&std::mem::take(path), worker);
        Violation { error: found.error.clone(), trail: Trail { choices, ending: found.ending } }
    })
    .collect()
}
