//! The last resort, if it is allowed: when even trees do not fit, a search in levels goes on with a bitstate store.
//!
//! From then on states may be missed, so nothing is proved any more. Errors are found with a way back to a state that
//! waited when the store was changed; the rest of the way is looked for as in a search with trees, which had room for all
//! states up to there.

use kripke_model::Batch;

use super::bfs::{self, Levels};
use super::change::Past;
use super::judge::{Findings, Found, Haul};
use super::removal::CROWD;
use super::trail::{self, Thread};
use super::worker::Worker;
use super::{Factory, Options, Search, StoreKind, max_depth};
use crate::budget::{Budget, Limit};
use crate::outcome::{Change, Outcome};
use crate::progress::Progress;
use crate::store::{BitStore, Bits, Full, Handle, Pieces, Queue, StateId, Store, TreeStore};

/// A search that has paused, and all its states in another store.
pub(super) struct Resort {
    options: Options,
    past: Past,
    bits: BitStore,
    queue: Pieces,
    /// So many of those that wait are of the level that is under way.
    rest: u64,
    depth: u32,
    findings: Findings<u32>,
    hauls: Vec<Haul>,
}

impl Resort {
    /// Takes over what a search with trees has seen.
    pub fn new(search: &Search<'_, TreeStore>, levels: &mut Levels<'_, '_, TreeStore>) -> Result<Resort, Limit> {
        let Search { budget, options, store, .. } = *search;
        let quarter = budget.memory.map_or(1 << 30, |memory| memory / 4);
        let size = Bits::within(quarter, Bits::HASHES);
        // One more worker, who moves states.
        let bits = BitStore::new(size, budget.capacity(), options.workers() + 1).seeded(options.seed);
        let (mut queue, mut rest) = (Pieces::default(), 0);
        let mut handle = bits.handle();
        let (mut ids, mut state) = (Vec::new(), Vec::new());
        let fetcher = &mut levels.workers[0].handle;
        let mut moving = Moving { batch: Batch::new(), handle: &mut handle, ids: Vec::new() };
        let moved = (levels.rest.start..levels.queue.len()).step_by(CROWD).try_for_each(|at| {
            ids.clear();
            let end = levels.queue.len().min(at + CROWD as u64);
            levels.queue.copy(at..end, &mut ids);
            for &id in &ids {
                fetcher.fetch(id, &mut state);
                moving.batch.push(&state);
            }
            moving.deliver()?;
            for (&id, position) in moving.ids.iter().zip(at..).filter(|(id, _)| **id != StateId::NONE) {
                queue.push(id);
                rest += u64::from(position < levels.rest.end);
            }
            Ok(())
        });
        levels.workers.iter_mut().for_each(|worker| worker.handle.leave());
        moved
            .and_then(|()| {
                store.each(|state| {
                    moving.batch.push(state);
                    if moving.batch.len() < CROWD { Ok(()) } else { moving.forget() }
                })
            })
            .and_then(|()| moving.forget())
            .map_err(|full| budget.limit(full))?;
        drop(handle);
        let mut past = search.past.clone();
        past.changes.push(Change { from: StoreKind::Tree, states: store.len() });
        past.transitions = search.transitions();
        past.expanded = bits.len() - queue.len();
        let depth = levels.depth();
        let mut findings = std::mem::replace(&mut levels.findings, Findings::new());
        let mut hauls = std::mem::take(&mut levels.hauls);
        // Ids mean nothing any more.
        findings.kept.iter_mut().for_each(|(found, _)| found.id = StateId::NONE);
        hauls.iter_mut().flat_map(Haul::found).for_each(|found| found.id = StateId::NONE);
        let options = Options { store: StoreKind::Bitstate(size), ..options.clone() };
        Ok(Resort { options, past, bits, queue, rest, depth, findings, hauls })
    }

    pub fn run(self, factory: Factory<'_, '_>, budget: &Budget, progress: &Progress) -> (Outcome, Vec<Thread>) {
        let Resort { options, past, bits, queue, rest, depth, findings, hauls } = self;
        let search = Search { past, ..Search::new(&bits, &options, budget, progress) };
        search.depth.store(u64::from(depth), std::sync::atomic::Ordering::Relaxed);
        let mut leader = Worker::new(&search, 0, factory());
        leader.handle.enter();
        let mut ends = vec![0; depth as usize];
        ends.push(rest);
        let (rest, workers) = (0..rest, vec![leader]);
        let levels = Levels { queue, ends, first: depth as usize, findings, stop: None, rest, hauls, workers };
        let mut levels = bfs::resume(&search, factory, levels, max_depth(budget), false);
        let end = search.end(levels.stop.take(), &mut levels.findings);
        search.report(levels.queue.bytes(), 0);
        let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.queue.bytes());
        let kept = std::mem::take(&mut levels.findings.kept);
        let worker = &mut levels.workers[0];
        let threads = kept.into_iter().map(|(found, depth)| thread(found, depth, worker)).collect();
        (Outcome::new(end, Vec::new(), statistics), threads)
    }
}

/// States on their way.
struct Moving<'h, H> {
    batch: Batch,
    handle: &'h mut H,
    /// What those delivered last are now, where they were not taken for others.
    ids: Vec<StateId>,
}

impl<H: Handle> Moving<'_, H> {
    fn deliver(&mut self) -> Result<(), Full> {
        self.ids.clear();
        let ids = &mut self.ids;
        self.handle.enter();
        let done = self.handle.intern(&self.batch, &[], |seen| {
            ids.push(if seen.new { seen.id } else { StateId::NONE });
        });
        self.handle.leave();
        self.batch.clear();
        done
    }

    /// Delivers states that nobody will ask for.
    fn forget(&mut self) -> Result<(), Full> {
        self.deliver()?;
        self.ids.iter().filter(|id| **id != StateId::NONE).for_each(|&id| self.handle.release(id));
        Ok(())
    }
}

/// The way to an error, as far as the store knows it.
fn thread(found: Found, depth: u32, worker: &mut Worker<'_, '_, BitStore>) -> Thread {
    if found.id == StateId::NONE {
        return Thread::new(found, depth);
    }
    let path = trail::path(&worker.handle, found.id);
    let choices = trail::choices(&path, worker);
    let mut first = Vec::new();
    worker.handle.fetch(path[0], &mut first);
    Thread::after(found, first, depth, choices)
}
