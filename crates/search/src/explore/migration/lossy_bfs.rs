//! The last resorts, if they are allowed: when even trees do not fit, a search in levels goes on with hashes, where these are
//! much smaller, and then with bits.
//!
//! From then on states may be missed, so nothing is proved any more. Errors are found with a way back to a state that
//! waited when trees were given up; the rest of the way is looked for as in a search with trees, which had room for all
//! states up to there.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::super::bfs::{self, Levels};
use super::super::error_collector::{Findings, Found, Haul};
use super::super::trail::{self, Thread};
use super::super::worker::Worker;
use super::super::{Factory, Options, Search, StoreKind, max_depth};
use super::Past;
use super::transfer::CROWD;
use crate::budget::{Budget, Limit};
use crate::outcome::{Change, Outcome};
use crate::progress::Progress;
use crate::store::{
    BitStore, Bits, Filter, Full, Handle, HashStore, LossyHandle, LossyStore, Pieces, Queue, StateId, Store, TreeStore,
    Waiting, Yard,
};

/// About what a state takes in a table of hashes, when that is growing.
const HASH: u64 = 8;

/// The store to go on with when trees are given up: hashes, if there are far more bytes in the trees.
pub(super) fn refuge(search: &Search<'_, TreeStore>) -> StoreKind {
    let fits = |memory: u64| search.store.len().saturating_mul(HASH) <= memory / 4;
    if search.budget.memory.is_none_or(fits) {
        StoreKind::Hash { bits: HashStore::BITS }
    } else {
        StoreKind::Bitstate(bits(search.budget))
    }
}

/// The one after that: bits, in a quarter of the memory.
pub(super) fn bits(budget: &Budget) -> Bits {
    Bits::within(budget.memory.map_or(1 << 30, |memory| memory / 4), Bits::HASHES)
}

/// The search is to pause when memory is tight again, where there is another store to go on with.
pub(super) fn be_patient<S: Store>(search: &Search<'_, S>) {
    let memory = search.budget.memory.map_or(u64::MAX, |memory| memory / 8 * 5);
    let states = search.options.change_at.map_or(u64::MAX, |states| states.saturating_mul(3).max(1));
    search.be_patient(memory.max(1), states);
}

/// A search in levels that has paused, and all its states in another store.
pub(super) struct Resort {
    paused: Paused,
    store: Refuge,
}

enum Refuge {
    Hashes(HashStore),
    Bits(BitStore),
}

/// The search without its store.
struct Paused {
    options: Options,
    past: Past,
    queue: Pieces,
    /// Of the level that is under way.
    rest: Range<u64>,
    depth: u32,
    findings: Findings<u32>,
    hauls: Vec<Haul>,
}

impl Resort {
    /// Takes over what a search with trees has seen.
    pub fn new(search: &Search<'_, TreeStore>, levels: &mut Levels<'_, '_, TreeStore>) -> Result<Resort, Limit> {
        let options = Options { store: refuge(search), ..search.options.clone() };
        let mut capacity = search.budget.capacity();
        capacity.states = capacity.states.saturating_sub(search.store.len());
        // One more worker, who moves states.
        let workers = options.workers() + 1;
        let mut queue = Pieces::default();
        let store = match options.store {
            StoreKind::Bitstate(size) => {
                let store = BitStore::new(size, capacity, workers).seeded(options.seed);
                Refuge::Bits(enter(store, search, levels, &mut queue)?)
            }
            _ => {
                let store = HashStore::new(HashStore::BITS, capacity, workers).seeded(options.seed);
                Refuge::Hashes(enter(store, search, levels, &mut queue)?)
            }
        };
        let past = past(search, StoreKind::Tree);
        let mut findings = std::mem::take(&mut levels.findings);
        let mut hauls = std::mem::take(&mut levels.hauls);
        // Ids mean nothing any more.
        findings.kept.iter_mut().for_each(|(found, _)| found.id = StateId::NONE);
        hauls.iter_mut().flat_map(Haul::found).for_each(|found| found.id = StateId::NONE);
        let (rest, depth) = (0..levels.rest.end - levels.rest.start, levels.depth());
        Ok(Resort { paused: Paused { options, past, queue, rest, depth, findings, hauls }, store })
    }

    pub fn run(self, factory: Factory<'_, '_>, budget: &Budget, progress: &Progress) -> (Outcome, Vec<Thread>) {
        let (paused, store) = match self.store {
            Refuge::Bits(store) => (self.paused, store),
            Refuge::Hashes(store) => match self.paused.search(&store, true, factory, budget, progress) {
                Ok(over) => return over,
                Err(mut paused) => {
                    let size = bits(budget);
                    paused.options.store = StoreKind::Bitstate(size);
                    let workers = paused.options.workers();
                    (*paused, BitStore::instead_of(store, size, budget.capacity(), workers))
                }
            },
        };
        let over = paused.search(&store, false, factory, budget, progress);
        over.unwrap_or_else(|_| unreachable!("a search pauses only where it was told to"))
    }
}

/// What was done so far by a search that has paused.
pub(super) fn past<S: Store>(search: &Search<'_, S>, from: StoreKind) -> Past {
    let mut changes = search.past.changes.clone();
    changes.push(Change { from, states: search.store.len() });
    Past { transitions: search.transitions(), expanded: search.expanded(), changes }
}

/// Moves all states into a lossy store. Those that wait do so there, whatever they are taken for.
fn enter<F: Filter>(
    mut store: LossyStore<F, Yard>,
    search: &Search<'_, TreeStore>,
    levels: &mut Levels<'_, '_, TreeStore>,
    queue: &mut Pieces,
) -> Result<LossyStore<F, Yard>, Limit> {
    let mut handle = store.handle();
    let (mut ids, mut state) = (Vec::new(), Vec::new());
    let fetcher = &mut levels.workers[0].handle;
    let all = levels.rest.start..levels.queue.len();
    let mut admit = || {
        for at in all.clone().step_by(CROWD) {
            ids.clear();
            levels.queue.copy(at..all.end.min(at + CROWD as u64), &mut ids);
            for &id in &ids {
                fetcher.fetch(id, &mut state);
                queue.push(handle.admit(&state)?);
            }
        }
        know(&mut handle, search.store)
    };
    admit().map_err(|full| search.budget.limit(full))?;
    drop(handle);
    store.vouch(search.store.len() - (all.end - all.start));
    Ok(store)
}

/// All states of a store are known to another one.
pub(super) fn know<F: Filter, W: Waiting>(handle: &mut LossyHandle<'_, F, W>, trees: &TreeStore) -> Result<(), Full> {
    handle.enter();
    let known = trees.each(|state| handle.know(state));
    handle.leave();
    known
}

impl Paused {
    /// Goes on, until the search is over or, if it is patient, has to pause again.
    fn search<F: Filter>(
        self,
        store: &LossyStore<F, Yard>,
        patient: bool,
        factory: Factory<'_, '_>,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<(Outcome, Vec<Thread>), Box<Paused>> {
        let Paused { options, past, queue, rest, depth, findings, hauls } = self;
        let kind = options.store;
        let search = Search { past, ..Search::new(store, &options, budget, progress) };
        search.depth.store(u64::from(depth), Ordering::Relaxed);
        if patient {
            be_patient(&search);
        }
        let mut leader = Worker::new(&search, 0, factory());
        leader.handle.enter();
        let mut ends = vec![0; depth as usize];
        ends.push(rest.end);
        let workers = vec![leader];
        let (first, origins) = (depth as usize, Default::default());
        let levels = Levels { queue, ends, first, origins, findings, stop: None, rest, hauls, workers };
        let mut levels = bfs::resume(&search, factory, levels, max_depth(budget), false);
        if levels.rest.is_empty() {
            return Ok(conclude(&search, levels));
        }
        levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
        let (past, depth) = (self::past(&search, kind), levels.depth());
        let Levels { queue, rest, findings, hauls, .. } = levels;
        Err(Box::new(Paused { options: options.clone(), past, queue, rest, depth, findings, hauls }))
    }
}

fn conclude<F: Filter>(
    search: &Search<'_, LossyStore<F, Yard>>,
    mut levels: Levels<'_, '_, LossyStore<F, Yard>>,
) -> (Outcome, Vec<Thread>) {
    let end = search.end(levels.stop.take(), &mut levels.findings);
    search.report(levels.queue.bytes(), 0);
    let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.queue.bytes());
    let kept = std::mem::take(&mut levels.findings.kept);
    let worker = &mut levels.workers[0];
    let threads = kept.into_iter().map(|(found, depth)| thread(found, depth, worker)).collect();
    (Outcome::new(end, Vec::new(), statistics), threads)
}

/// The way to an error, as far as the store knows it.
fn thread<F: Filter>(found: Found, depth: u32, worker: &mut Worker<'_, '_, LossyStore<F, Yard>>) -> Thread {
    if found.id == StateId::NONE {
        return Thread::new(found, depth);
    }
    let path = trail::path(&worker.handle, found.id);
    let choices = trail::choices(&path, worker);
    let mut first = Vec::new();
    worker.handle.fetch(path[0], &mut first);
    Thread::after(found, first, depth, choices)
}
