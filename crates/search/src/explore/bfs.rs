//! Breadth-first order on all cores, level by level.
//!
//! New states of a level wait in the [queue](crate::store::Queue) of the worker that found them; between levels the
//! leader puts these together. The depth of a state is that of its level, whoever finds it, and a level is finished
//! before an error on it ends the search: so what is counted, and which errors are kept, does not depend on timing.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread::{Scope, ScopedJoinHandle};

use super::error_collector::{Findings, Haul};
use super::level_barrier::{Crew, Results};
use super::predecessor_hints::Origins;
use super::worker::Worker;
use super::{Factory, ROUND, Search};
use crate::budget::Limit;
use crate::store::{Handle, Queue, Seen, Store, spawn};

/// A level with fewer states per worker is left to the leader.
const SHARE: u64 = 64;
/// The most states to be claimed at once.
pub(super) const CLAIM: u64 = 512;

/// The most bytes of states to be claimed at once.
const CLAIMED_BYTES: u64 = 1 << 16;

/// How far a search got.
pub(super) struct Levels<'a, 'm, S: Store + 'a> {
    pub queue: S::Queue,
    /// Where each level ends in the queue.
    pub ends: Vec<u64>,
    /// The first level that the queue remembers.
    pub first: usize,
    pub origins: Origins,
    pub findings: Findings<u32>,
    pub stop: Option<Limit>,
    /// States of the last level that are still to be expanded, where the search was to pause.
    pub rest: Range<u64>,
    /// What was found on that level so far.
    pub hauls: Vec<Haul>,
    pub workers: Vec<Worker<'a, 'm, S>>,
}

impl<'a, 'm, S: Store + 'a> Levels<'a, 'm, S> {
    /// The depth of the states expanded last.
    pub fn depth(&self) -> u32 {
        self.ends.len().saturating_sub(1) as u32
    }

    /// Where the states of a level are in the queue.
    pub fn level(&self, depth: usize) -> Range<u64> {
        let start = if depth == 0 { 0 } else { self.ends[depth - 1] };
        start..self.ends[depth]
    }
}

/// Searches until there are no more states, or no deeper than `max_depth`. With `keep` the queue remembers the states
/// of all levels, or of the last ones, as far as memory allows.
pub(super) fn run<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    max_depth: u32,
    keep: bool,
) -> Levels<'a, 'm, S> {
    let mut leader = Worker::new(search, 0, factory());
    let mut levels: Levels<'a, 'm, S> = Levels {
        queue: S::Queue::default(),
        ends: Vec::new(),
        first: 0,
        origins: Origins::default(),
        findings: Findings::new(),
        stop: None,
        rest: 0..0,
        hauls: Vec::new(),
        workers: Vec::new(),
    };
    match leader.begin() {
        Ok(root) => {
            levels.queue.push(root);
            levels.ends.push(1);
            levels.rest = 0..1;
        }
        Err(limit) => levels.stop = Some(limit),
    }
    levels.workers.push(leader);
    resume(search, factory, levels, max_depth, keep)
}

/// Goes on where a search has paused.
pub(super) fn resume<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    mut levels: Levels<'a, 'm, S>,
    max_depth: u32,
    keep: bool,
) -> Levels<'a, 'm, S> {
    let crew = Crew::new();
    {
        let mut frontier = crew.write();
        frontier.queue = std::mem::take(&mut levels.queue);
        frontier.level = std::mem::take(&mut levels.rest);
    }
    let hauls = levels.hauls.drain(..).map(Some);
    hauls.for_each(|haul| crew.bring(Results { next: S::Queue::default(), origins: Origins::default(), haul }));
    let mut workers = std::mem::take(&mut levels.workers).into_iter();
    let mut leader = workers.next().expect("a search has a leader");
    std::thread::scope(|scope| {
        let dismissal = crew.dismissal();
        let (idle, helpers) = (workers, Vec::new());
        let mut lead = Lead { search, crew: &crew, factory, scope, idle, helpers, max_depth, keep };
        lead.run(&mut levels, &mut leader);
        drop(dismissal);
        levels.workers.push(leader);
        for helper in lead.helpers {
            levels.workers.push(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        levels.workers.extend(lead.idle);
        levels.queue = std::mem::take(&mut crew.write().queue);
        levels
    })
}

/// The leader's view.
struct Lead<'scope, 'env, 'a, 'm, S: Store + 'a> {
    search: &'a Search<'a, S>,
    crew: &'env Crew<S::Queue>,
    factory: Factory<'env, 'm>,
    scope: &'scope Scope<'scope, 'env>,
    /// Workers from before a pause that have not been hired again.
    idle: std::vec::IntoIter<Worker<'a, 'm, S>>,
    helpers: Vec<ScopedJoinHandle<'scope, Worker<'a, 'm, S>>>,
    max_depth: u32,
    keep: bool,
}

impl<'scope, 'a: 'scope, 'm: 'scope, S: Store> Lead<'scope, '_, 'a, 'm, S> {
    fn run(&mut self, levels: &mut Levels<'a, 'm, S>, leader: &mut Worker<'a, 'm, S>) {
        while levels.stop.is_none() {
            self.level(leader);
            let done = self.finish(levels);
            if done {
                break;
            }
        }
    }

    /// Expands all states of the level, with helpers if it is worth it.
    fn level(&mut self, leader: &mut Worker<'a, 'm, S>) {
        let Search { threads, .. } = *self.search;
        let width = {
            let mut frontier = self.crew.write();
            let width = frontier.level.end - frontier.level.start;
            frontier.claim = (width / (16 * threads as u64)).min(self.most()).clamp(ROUND as u64, CLAIM);
            width
        };
        self.crew.start();
        let shared = threads > 1 && width >= SHARE * threads as u64;
        if shared {
            self.hire();
            self.crew.open();
        }
        work(self.search, self.crew, leader);
        if shared {
            leader.handle.leave();
            self.crew.close();
            leader.handle.enter();
        }
    }

    /// So many states may be claimed at once: a search that is to pause goes on to the end of what is claimed, so the successors of
    /// these must be small beside any memory.
    fn most(&self) -> u64 {
        CLAIMED_BYTES / self.search.store.longest().max(1)
    }

    fn hire(&mut self) {
        for number in 1 + self.helpers.len()..self.search.threads {
            let (search, crew, factory, idle) = (self.search, self.crew, self.factory, self.idle.next());
            let worker = move || idle.unwrap_or_else(|| Worker::new(search, number, factory()));
            self.helpers.push(spawn(self.scope, move || help(search, crew, worker())));
        }
    }

    /// Puts together what the workers bring. Whether the search is over.
    fn finish(&mut self, levels: &mut Levels<'a, 'm, S>) -> bool {
        let mut frontier = self.crew.write();
        let depth = levels.depth();
        let results = std::mem::take(&mut *self.crew.results());
        let mut hauls = Vec::new();
        for mut result in results {
            levels.origins.append(&result.origins, frontier.queue.len());
            frontier.queue.append(&mut result.next);
            hauls.extend(result.haul);
        }
        let rest = self.crew.rest(&frontier).filter(|_| !self.search.is_stopped());
        if let Some(rest) = rest.clone().filter(|rest| !rest.is_empty()) {
            (levels.rest, levels.hauls) = (rest, hauls);
            return true;
        }
        levels.findings.collect(hauls, || depth);
        levels.stop = self.search.take_limit();
        let Findings { kept, endless, .. } = &levels.findings;
        if levels.stop.is_some() || !self.search.options.all_errors && (!kept.is_empty() || endless.is_some()) {
            return true;
        }
        let next = frontier.level.end..frontier.queue.len();
        if next.is_empty() || depth == self.max_depth {
            return true;
        }
        levels.ends.push(next.end);
        self.search.newcomers.advance();
        if !S::Queue::LASTING {
            let last = levels.ends.len() - 1;
            if !self.keep {
                levels.first = last;
            } else if self.search.is_tight(frontier.queue.bytes()) {
                levels.first = usize::midpoint(levels.first, last);
            }
            let start = levels.level(levels.first).start;
            frontier.queue.forget(start);
            levels.origins.forget(start);
        }
        self.search.depth.store(u64::from(depth) + 1, Ordering::Relaxed);
        if rest.is_some() {
            levels.rest = next;
            return true;
        }
        frontier.level = next;
        false
    }
}

fn help<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    crew: &Crew<S::Queue>,
    mut worker: Worker<'a, 'm, S>,
) -> Worker<'a, 'm, S> {
    let mut last = 0;
    while let Some(inside) = crew.come(&mut last) {
        worker.handle.enter();
        work(search, crew, &mut worker);
        worker.handle.leave();
        drop(inside);
    }
    worker
}

/// A worker's part of a level.
fn work<S: Store>(search: &Search<'_, S>, crew: &Crew<S::Queue>, worker: &mut Worker<'_, '_, S>) {
    let (mut next, mut origins) = (S::Queue::default(), Origins::default());
    {
        let frontier = crew.read();
        while !search.is_stopped()
            && let Some(claim) = crew.claim(&frontier)
        {
            if frontier.level.end - frontier.level.start > CLAIM {
                origins.note(next.len(), claim.start);
            }
            let mut at = claim.start;
            while at < claim.end && !search.is_stopped() {
                let end = claim.end.min(at + ROUND as u64);
                worker.round.work.clear();
                frontier.queue.copy(at..end, &mut worker.round.work);
                if let Err(limit) = turns(search, worker, &mut next) {
                    search.stop(limit);
                }
                at = end;
                if worker.leads() && worker.is_due(ROUND * search.threads) {
                    let waiting = frontier.level.end - at + next.len();
                    search.check(frontier.queue.bytes() + next.bytes(), waiting);
                    if search.is_to_pause() {
                        crew.halt();
                    }
                }
            }
        }
    }
    crew.bring(Results { next, origins, haul: worker.judge.hand_over() });
}

/// Expands the states of the round. New ones are put into `next`, even those found before a limit was met.
fn turns<S: Store>(search: &Search<'_, S>, worker: &mut Worker<'_, '_, S>, next: &mut S::Queue) -> Result<(), Limit> {
    while !worker.round.work.is_empty() {
        let ordering = worker.is_ordering();
        let each = |seen: Seen| {
            if seen.new {
                next.push(seen.id);
                if ordering {
                    search.newcomers.note(seen.id);
                }
            }
        };
        let turned = worker.turn(each, |_, id| search.newcomers.has(id));
        worker.round.work.drain(..turned?);
    }
    Ok(())
}
