//! Migration of a breadth-first search to lossy stores, if it is permitted: when the tree store does not fit either,
//! the search continues with hash compaction, if fingerprints are much smaller, and then with bitstate hashing.
//!
//! From then on states may be omitted, and the search proves nothing. The parent links of the lossy store lead from
//! an error back to a state that was open at the migration. The rest of the trail is found as for the tree store,
//! which had room for all states up to there.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::super::bfs::{self, Levels};
use super::super::error_collector::{Findings, FoundError, LevelFindings};
use super::super::trail::{self, PartialTrail};
use super::super::worker::Worker;
use super::super::{Factory, Options, Search, StoreKind, max_depth};
use super::transfer::TRANSFER_BATCH;
use super::{PriorWork, prior_work};
use crate::budget::{Budget, Limit};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::store::{
    BitStore, Bits, Filter, Full, Handle, HashStore, LinkedOpenSet, LossyHandle, LossyStore, OpenSet, Pieces, Queue,
    StateId, Store, TreeStore,
};

/// Approximate bytes per state of a fingerprint set while it grows.
const HASH: u64 = 8;

/// The store after the tree store: hash compaction if the fingerprints are far smaller than the trees, bitstate
/// hashing otherwise.
pub(super) fn lossy_store_kind(search: &Search<'_, TreeStore>) -> StoreKind {
    let fits = |memory: u64| search.store.len().saturating_mul(HASH) <= memory / 4;
    if search.budget.memory.is_none_or(fits) {
        StoreKind::Hash { bits: HashStore::BITS }
    } else {
        StoreKind::Bitstate(bitstate_size(search.budget, search.store.bytes()))
    }
}

/// The size of the bitstate store: a quarter of the memory, or most of what the store before it has left, which is released only
/// after its states have moved.
pub(super) fn bitstate_size(budget: &Budget, used: u64) -> Bits {
    let left = |memory: u64| memory.saturating_sub(budget.taken + used);
    Bits::within(budget.memory.map_or(1 << 30, |memory| (memory / 4).min(left(memory) / 2)), Bits::HASHES)
}

/// Lets the search pause when memory is nearly exhausted again, if another store can follow.
pub(super) fn pause_when_tight<S: Store>(search: &Search<'_, S>) {
    let memory = search.budget.memory.map_or(u64::MAX, |memory| memory / 8 * 5);
    let states = search.options.migrate_at.map_or(u64::MAX, |states| states.saturating_mul(3).max(1));
    search.pause_at(memory.max(1), states);
}

/// A paused breadth-first search whose states are in a lossy store.
pub(super) struct LossyBfs {
    paused: Paused,
    store: LossyStage,
}

/// The lossy store of the next stage.
enum LossyStage {
    Hashes(HashStore),
    Bits(BitStore),
}

/// The search without its store.
struct Paused {
    options: Options,
    prior: PriorWork,
    queue: Pieces,
    /// Unexpanded states of the current level.
    remaining: Range<u64>,
    depth: u32,
    findings: Findings<u32>,
    level_findings: Vec<LevelFindings>,
}

impl LossyBfs {
    /// Moves all states of a search with a tree store.
    pub fn new(search: &Search<'_, TreeStore>, levels: &mut Levels<'_, '_, TreeStore>) -> Result<LossyBfs, Limit> {
        let options = Options { store: lossy_store_kind(search), ..search.options.clone() };
        let mut capacity = search.budget.capacity();
        capacity.states = capacity.states.saturating_sub(search.store.len());
        // One more worker moves the states.
        let workers = options.workers() + 1;
        let mut queue = Pieces::default();
        let store = match options.store {
            StoreKind::Bitstate(size) => {
                let store =
                    BitStore::new(size, capacity, workers).seeded(options.seed).hashed_by(options.hash_function);
                LossyStage::Bits(fill(store, search, levels, &mut queue)?)
            }
            _ => {
                let store = HashStore::new(HashStore::BITS, capacity, workers)
                    .seeded(options.seed)
                    .hashed_by(options.hash_function);
                LossyStage::Hashes(fill(store, search, levels, &mut queue)?)
            }
        };
        let prior = prior_work(search, StoreKind::Tree);
        let mut findings = std::mem::take(&mut levels.findings);
        let mut level_findings = std::mem::take(&mut levels.level_findings);
        // Ids of the tree store are no longer valid.
        findings.kept.iter_mut().for_each(|(found, _)| found.id = StateId::NONE);
        level_findings.iter_mut().flat_map(LevelFindings::found).for_each(|found| found.id = StateId::NONE);
        let (remaining, depth) = (0..levels.remaining.end - levels.remaining.start, levels.depth());
        Ok(LossyBfs { paused: Paused { options, prior, queue, remaining, depth, findings, level_findings }, store })
    }

    pub fn run(self, factory: Factory<'_, '_>, budget: &Budget, progress: &Progress) -> (Outcome, Vec<PartialTrail>) {
        let (paused, store) = match self.store {
            LossyStage::Bits(store) => (self.paused, store),
            LossyStage::Hashes(store) => match self.paused.search(&store, true, factory, budget, progress) {
                Ok(over) => return over,
                Err(mut paused) => {
                    let size = bitstate_size(budget, store.bytes());
                    paused.options.store = StoreKind::Bitstate(size);
                    let workers = paused.options.workers();
                    (*paused, BitStore::replacing(store, size, budget.capacity(), workers))
                }
            },
        };
        let over = paused.search(&store, false, factory, budget, progress);
        over.unwrap_or_else(|_| unreachable!("this search does not pause"))
    }
}

/// Moves all states into a lossy store. Open states go to its open set, even if the filter omits them.
fn fill<F: Filter>(
    mut store: LossyStore<F, LinkedOpenSet>,
    search: &Search<'_, TreeStore>,
    levels: &mut Levels<'_, '_, TreeStore>,
    queue: &mut Pieces,
) -> Result<LossyStore<F, LinkedOpenSet>, Limit> {
    let mut handle = store.handle();
    let (mut ids, mut state) = (Vec::new(), Vec::new());
    let fetcher = &mut levels.workers[0].handle;
    let all = levels.remaining.start..levels.queue.len();
    let mut admit = || {
        for at in all.clone().step_by(TRANSFER_BATCH) {
            ids.clear();
            levels.queue.copy(at..all.end.min(at + TRANSFER_BATCH as u64), &mut ids);
            for &id in &ids {
                fetcher.fetch(id, &mut state);
                queue.push(handle.push_open(&state)?);
            }
        }
        insert_all_known(&mut handle, search.store)
    };
    admit().map_err(|full| search.budget.limit(full))?;
    drop(handle);
    store.mark_exact(search.store.len() - (all.end - all.start));
    Ok(store)
}

/// Inserts all states of the tree store into the filter of a lossy store.
pub(super) fn insert_all_known<F: Filter, W: OpenSet>(
    handle: &mut LossyHandle<'_, F, W>,
    trees: &TreeStore,
) -> Result<(), Full> {
    handle.enter();
    let known = trees.each(|state| handle.insert_known(state));
    handle.leave();
    known
}

impl Paused {
    /// Continues until the search has ended or, with `may_pause`, pauses again.
    fn search<F: Filter>(
        self,
        store: &LossyStore<F, LinkedOpenSet>,
        may_pause: bool,
        factory: Factory<'_, '_>,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<(Outcome, Vec<PartialTrail>), Box<Paused>> {
        let Paused { options, prior, queue, remaining, depth, findings, level_findings } = self;
        let kind = options.store;
        let search = Search { prior, ..Search::new(store, &options, budget, progress) };
        search.depth.store(u64::from(depth), Ordering::Relaxed);
        if may_pause {
            pause_when_tight(&search);
        }
        let mut leader = Worker::new(&search, 0, factory());
        leader.handle.enter();
        let mut ends = vec![0; depth as usize];
        ends.push(remaining.end);
        let workers = vec![leader];
        let (first, hints, arrivals) = (depth as usize, Default::default(), Default::default());
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
        let mut levels = bfs::resume(&search, factory, levels, max_depth(budget), false);
        if levels.remaining.is_empty() {
            return Ok(conclude(&search, levels));
        }
        levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
        let (prior, depth) = (prior_work(&search, kind), levels.depth());
        let Levels { queue, remaining, findings, level_findings, .. } = levels;
        Err(Box::new(Paused { options: options.clone(), prior, queue, remaining, depth, findings, level_findings }))
    }
}

fn conclude<F: Filter>(
    search: &Search<'_, LossyStore<F, LinkedOpenSet>>,
    mut levels: Levels<'_, '_, LossyStore<F, LinkedOpenSet>>,
) -> (Outcome, Vec<PartialTrail>) {
    let end = search.end(levels.stop.take(), &mut levels.findings);
    search.report(levels.queue.bytes(), 0);
    let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.queue.bytes());
    let kept = std::mem::take(&mut levels.findings.kept);
    let worker = &mut levels.workers[0];
    let trails = kept.into_iter().map(|(found, depth)| partial_trail(found, depth, worker)).collect();
    (Outcome::new(end, Vec::new(), statistics), trails)
}

/// The part of a trail that the parent links of the store give.
fn partial_trail<F: Filter>(
    found: FoundError,
    depth: u32,
    worker: &mut Worker<'_, '_, LossyStore<F, LinkedOpenSet>>,
) -> PartialTrail {
    if found.id == StateId::NONE {
        return PartialTrail::new(found, depth);
    }
    let path = trail::path(&worker.handle, found.id);
    let choices = trail::choices(&path, worker);
    let mut first = Vec::new();
    worker.handle.fetch(path[0], &mut first);
    PartialTrail::after(found, first, depth, choices)
}
