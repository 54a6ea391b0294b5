//! Parallel breadth-first search, level by level.
//!
//! New states wait in the [queue](crate::store::Queue) of the worker that found them; the leader joins these queues
//! between levels. The depth of a state is that of its level, whichever worker finds it, and a level is completed
//! before an error on it ends the search. Counts and errors therefore do not depend on timing.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread::{Scope, ScopedJoinHandle};

use kripke_model::Arrival;

use super::arrivals::Arrivals;
use super::error_collector::{Findings, LevelFindings};
use super::level_barrier::{Frontier, LevelBarrier, LevelResult};
use super::predecessor_hints::PredecessorHints;
use super::spanning_tree::SpanningTree;
use super::worker::Worker;
use super::{Factory, ROUND, Search, part};
use crate::budget::Limit;
use crate::store::{Handle, Omission, Queue, Seen, Store, spawn};

/// The first levels of a search stay in the queue, up to so many bytes at most.
const KEPT_BYTES: u64 = 16 << 20;

/// The spanning tree does not grow any more when it has more bytes.
const TREE_BYTES: u64 = 8 << 20;

/// The levels up to so many states are searched in full for a trail, so that one worker finds the same as several.
pub(super) const FEW: u64 = 1 << 15;

/// A level with fewer states per worker is searched by the leader alone.
const SHARE: u64 = 64;
/// Maximum number of states in a claim.
pub(super) const CLAIM: u64 = 512;

/// Maximum number of state bytes in a claim.
const CLAIMED_BYTES: u64 = 1 << 16;

/// The state of a breadth-first search.
pub(super) struct Levels<'a, 'm, S: Store + 'a> {
    pub queue: S::Queue,
    pub arrivals: Arrivals,
    /// The end of each level in the queue.
    pub ends: Vec<u64>,
    /// The number of levels at the start that stay in the queue, and the first of those behind a gap.
    pub kept: usize,
    pub first: usize,
    /// Approximate parents of the states in the queue.
    pub hints: PredecessorHints,
    /// Parents and fingerprints of the first states, in a search with one worker whose ids are states.
    pub tree: Option<SpanningTree>,
    pub findings: Findings<u32>,
    pub stop: Option<Limit>,
    /// States of the last level that are not yet expanded, if the search has paused.
    pub remaining: Range<u64>,
    /// Findings of that level so far.
    pub level_findings: Vec<LevelFindings>,
    pub workers: Vec<Worker<'a, 'm, S>>,
}

impl<'a, 'm, S: Store + 'a> Levels<'a, 'm, S> {
    /// The depth of the states expanded last.
    pub fn depth(&self) -> u32 {
        self.ends.len().saturating_sub(1) as u32
    }

    /// Whether a level is still in the queue.
    pub fn has(&self, depth: usize) -> bool {
        depth < self.kept || depth >= self.first
    }

    /// Memory of the queue and the tree, in bytes.
    pub fn bytes(&self) -> u64 {
        self.queue.bytes() + tree_bytes(self.tree.as_ref())
    }

    /// The positions of a level in the queue.
    pub fn level(&self, depth: usize) -> Range<u64> {
        let start = if depth == 0 { 0 } else { self.ends[depth - 1] };
        start..self.ends[depth]
    }
}

/// The number of bytes up to which the first levels stay in the queue: a small part of the memory.
fn kept_bytes<S: Store>(search: &Search<'_, S>) -> u64 {
    search.budget.memory.map_or(KEPT_BYTES, |memory| KEPT_BYTES.min(memory / 1024))
}

/// Whether a search records its spanning tree. With several workers it would depend on timing, and with reductions successors are
/// interned in two passes.
fn has_tree<S: Store>(search: &Search<'_, S>, keep: bool) -> bool {
    let is_ordered = search.threads == 1 && !search.options.reduces && !keep;
    S::IDS_ARE_STATES && is_ordered && kept_bytes(search) >= FEW * size_of::<u64>() as u64
}

fn tree_bytes(tree: Option<&SpanningTree>) -> u64 {
    tree.map_or(0, SpanningTree::bytes)
}

/// The first levels of a search that has ended. Another search to a greater depth can begin with them.
#[derive(Debug)]
pub(super) struct FirstLevels<Q> {
    queue: Q,
    ends: Vec<u64>,
    hints: PredecessorHints,
}

impl<'a, 'm, S: Store + 'a> Levels<'a, 'm, S> {
    /// Takes the first levels, if they are in the queue and their ids are of use to another store.
    pub fn take_first(&mut self) -> Option<FirstLevels<S::Queue>> {
        if !S::IDS_ARE_STATES || self.kept < 2 {
            return None;
        }
        let ends = self.ends[..self.kept].to_vec();
        let (mut queue, mut ids) = (S::Queue::default(), Vec::new());
        for start in (0..ends[self.kept - 1]).step_by(CLAIM as usize) {
            let end = ends[self.kept - 1].min(start + CLAIM);
            ids.clear();
            self.queue.copy(start..end, &mut ids);
            self.queue.forget(0..end);
            ids.iter().for_each(|id| queue.push(*id));
        }
        Some(FirstLevels { queue, ends, hints: std::mem::take(&mut self.hints) })
    }
}

/// The same as [`run`] for a search that begins with the first levels of another. All levels are kept.
pub(super) fn run_from<'a, 'm, S: Store>(
    first: FirstLevels<S::Queue>,
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    max_depth: u32,
) -> Levels<'a, 'm, S> {
    let FirstLevels { queue, ends, hints } = first;
    let mut leader = Worker::new(search, 0, factory());
    let stop = leader.intern_again(&queue).err();
    let last = ends.len() - 1;
    let mut levels = Levels {
        queue,
        arrivals: Arrivals::default(),
        ends,
        kept: 0,
        first: 0,
        hints,
        tree: None,
        findings: Findings::new(),
        stop,
        remaining: 0..0,
        level_findings: Vec::new(),
        workers: vec![leader],
    };
    levels.remaining = levels.level(last);
    resume(search, factory, levels, max_depth, true)
}

/// Searches until the open set is empty or `max_depth` is reached. With `keep` the queue retains the states of all
/// levels, or of the last ones, as far as memory permits.
pub(super) fn run<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    max_depth: u32,
    keep: bool,
) -> Levels<'a, 'm, S> {
    let mut leader = Worker::new(search, 0, factory());
    let mut levels: Levels<'a, 'm, S> = Levels {
        queue: S::Queue::default(),
        arrivals: Arrivals::default(),
        ends: Vec::new(),
        kept: 0,
        first: 0,
        hints: PredecessorHints::default(),
        tree: None,
        findings: Findings::new(),
        stop: None,
        remaining: 0..0,
        level_findings: Vec::new(),
        workers: Vec::new(),
    };
    match leader.begin_part() {
        Ok(root) => {
            levels.tree = has_tree(search, keep).then(|| SpanningTree::new(root));
            root.into_iter().for_each(|root| levels.queue.push(root));
            levels.ends.push(levels.queue.len());
            levels.remaining = 0..levels.queue.len();
        }
        Err(limit) => levels.stop = Some(limit),
    }
    levels.workers.push(leader);
    resume(search, factory, levels, max_depth, keep)
}

/// Continues a search that has paused.
pub(super) fn resume<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    factory: Factory<'_, 'm>,
    mut levels: Levels<'a, 'm, S>,
    max_depth: u32,
    keep: bool,
) -> Levels<'a, 'm, S> {
    let barrier = LevelBarrier::new();
    {
        let mut frontier = barrier.write();
        frontier.queue = std::mem::take(&mut levels.queue);
        frontier.arrivals = std::mem::take(&mut levels.arrivals);
        frontier.level = std::mem::take(&mut levels.remaining);
    }
    let level_findings = levels.level_findings.drain(..).map(Some);
    level_findings.for_each(|findings| {
        let (next, arrivals) = (S::Queue::default(), Arrivals::default());
        barrier.submit(LevelResult { next, arrivals, hints: PredecessorHints::default(), findings })
    });
    let mut workers = std::mem::take(&mut levels.workers).into_iter();
    let mut leader = workers.next().expect("a search has a leader");
    std::thread::scope(|scope| {
        let shutdown_on_drop = barrier.shutdown_on_drop();
        let (idle, helpers) = (workers, Vec::new());
        let mut leading = Leader { search, barrier: &barrier, factory, scope, idle, helpers, max_depth, keep };
        leading.run(&mut levels, &mut leader);
        drop(shutdown_on_drop);
        levels.workers.push(leader);
        for helper in leading.helpers {
            levels.workers.push(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        levels.workers.extend(leading.idle);
        let mut frontier = barrier.write();
        levels.queue = std::mem::take(&mut frontier.queue);
        levels.arrivals = std::mem::take(&mut frontier.arrivals);
        levels
    })
}

/// The data of the leader.
struct Leader<'scope, 'env, 'a, 'm, S: Store + 'a> {
    search: &'a Search<'a, S>,
    barrier: &'env LevelBarrier<S::Queue>,
    factory: Factory<'env, 'm>,
    scope: &'scope Scope<'scope, 'env>,
    /// Workers from before a pause that are not running again.
    idle: std::vec::IntoIter<Worker<'a, 'm, S>>,
    helpers: Vec<ScopedJoinHandle<'scope, Worker<'a, 'm, S>>>,
    max_depth: u32,
    keep: bool,
}

impl<'scope, 'a: 'scope, 'm: 'scope, S: Store> Leader<'scope, '_, 'a, 'm, S> {
    fn run(&mut self, levels: &mut Levels<'a, 'm, S>, leader: &mut Worker<'a, 'm, S>) {
        while levels.stop.is_none() {
            self.level(leader, levels.tree.as_mut().filter(|tree| !tree.is_closed()));
            let done = self.finish(levels, leader);
            if done {
                break;
            }
        }
    }

    /// Expands all states of the level, with helpers if the level is wide enough.
    fn level(&mut self, leader: &mut Worker<'a, 'm, S>, tree: Option<&mut SpanningTree>) {
        let Search { threads, .. } = *self.search;
        let width = {
            let mut frontier = self.barrier.write();
            let width = frontier.level.end - frontier.level.start;
            frontier.claim = (width / (16 * threads as u64)).min(self.claim_limit()).clamp(ROUND as u64, CLAIM);
            width
        };
        self.barrier.start();
        if let Some(peers) = self.search.peers {
            peers.begin_level();
        }
        let shared = threads > 1 && width >= SHARE * threads as u64;
        if shared {
            self.spawn_helpers();
            self.barrier.open();
        }
        work(self.search, self.barrier, leader, tree);
        if shared {
            leader.handle.leave();
            self.barrier.close();
            leader.handle.enter();
        }
    }

    /// Maximum number of states in a claim. A search that pauses completes its claims, so their successors must take
    /// little memory.
    fn claim_limit(&self) -> u64 {
        CLAIMED_BYTES / self.search.store.longest().max(1)
    }

    /// Starts the threads of all helpers.
    fn spawn_helpers(&mut self) {
        for number in 1 + self.helpers.len()..self.search.threads {
            let (search, barrier, factory, idle) = (self.search, self.barrier, self.factory, self.idle.next());
            let worker = move || idle.unwrap_or_else(|| Worker::new(search, number, factory()));
            self.helpers.push(spawn(self.scope, move || run_helper(search, barrier, worker())));
        }
    }

    /// Lets the levels stay that are searched in full for a trail. The tree tells the way from there, until it is too large.
    fn forget_by_tree(&self, levels: &mut Levels<'a, 'm, S>) {
        let last = levels.ends.len() - 1;
        let kept = levels.ends[..last].partition_point(|end| *end <= FEW);
        if kept < last {
            (levels.kept, levels.first) = (kept, last);
        }
        let most = TREE_BYTES.min(kept_bytes(self.search));
        if let Some(tree) = levels.tree.as_mut().filter(|tree| tree.bytes() > most) {
            tree.close();
            // It is of use to errors that are found already.
            levels.tree.take_if(|_| levels.findings.kept.is_empty());
        }
    }

    /// Forgets levels that are expanded. The first ones stay, as many as take little memory, for the trails of errors that
    /// are found early.
    fn forget(&self, levels: &mut Levels<'a, 'm, S>, queue: &mut S::Queue) {
        // All processes have to have the same levels.
        if self.search.peers.is_some() {
            return;
        }
        let last = levels.ends.len() - 1;
        if levels.tree.is_some() {
            self.forget_by_tree(levels);
        } else if self.keep {
            if !self.search.is_tight(queue.bytes()) {
                return;
            }
            (levels.kept, levels.first) = (0, usize::midpoint(levels.first, last));
        } else if levels.first == 0 && queue.bytes() <= kept_bytes(self.search) {
            return;
        } else {
            levels.kept = if levels.first == 0 { last } else { levels.kept };
            levels.first = last;
        }
        let (start, end) = (levels.level(levels.kept).start, levels.level(levels.first).start);
        queue.forget(start..end);
        if levels.kept == 0 {
            levels.hints.forget(end);
        }
    }

    /// Combines the results of the workers. Returns whether the search has ended or paused.
    fn finish(&mut self, levels: &mut Levels<'a, 'm, S>, leader: &mut Worker<'a, 'm, S>) -> bool {
        let mut frontier = self.barrier.write();
        let depth = levels.depth();
        let results = std::mem::take(&mut *self.barrier.results());
        let mut level_findings = Vec::new();
        for mut result in results {
            let Frontier { queue, arrivals, .. } = &mut *frontier;
            levels.hints.append(&result.hints, queue.len());
            arrivals.append(queue.len(), &mut result.arrivals);
            queue.append(&mut result.next);
            level_findings.extend(result.findings);
        }
        let remaining = self.barrier.remaining(&frontier).filter(|_| !self.search.is_stopped());
        if let Some(remaining) = remaining.clone().filter(|remaining| !remaining.is_empty()) {
            (levels.remaining, levels.level_findings) = (remaining, level_findings);
            return true;
        }
        let next = frontier.level.end..frontier.queue.len();
        let mut open = next.end - next.start;
        levels.stop = match self.search.peers {
            None => self.search.take_limit(),
            Some(peers) => match part::agree(self.search, peers, leader, open, level_findings) {
                Ok(agreed) => {
                    (open, level_findings) = (agreed.open, agreed.findings);
                    agreed.limit
                }
                Err(limit) => {
                    levels.stop = Some(limit);
                    return true;
                }
            },
        };
        levels.findings.collect(level_findings, || depth);
        let endless = !self.search.options.all_errors && levels.findings.endless.is_some();
        if levels.stop.is_some() || levels.findings.suffice(self.search.options) || endless {
            return true;
        }
        if open == 0 || depth == self.max_depth {
            // The states that are not expanded may all be those of other processes.
            let cut = self.search.peers.is_some() && open > 0;
            levels.stop = cut.then_some(Limit::Depth(self.max_depth));
            return true;
        }
        levels.ends.push(next.end);
        frontier.arrivals.forget(next.start);
        self.search.open_filter.advance();
        if !S::Queue::KEEPS_ALL {
            self.forget(levels, &mut frontier.queue);
        }
        self.search.depth.store(u64::from(depth) + 1, Ordering::Relaxed);
        if remaining.is_some() {
            levels.remaining = next;
            return true;
        }
        frontier.level = next;
        false
    }
}

/// The loop of a helper: it joins level after level.
fn run_helper<'a, 'm, S: Store>(
    search: &'a Search<'a, S>,
    barrier: &LevelBarrier<S::Queue>,
    mut worker: Worker<'a, 'm, S>,
) -> Worker<'a, 'm, S> {
    let mut last = 0;
    while let Some(guard) = barrier.join_level(&mut last) {
        worker.handle.enter();
        work(search, barrier, &mut worker, None);
        worker.handle.leave();
        drop(guard);
    }
    worker
}

/// Expands claims of the level until none is left.
fn work<S: Store>(
    search: &Search<'_, S>,
    barrier: &LevelBarrier<S::Queue>,
    worker: &mut Worker<'_, '_, S>,
    mut tree: Option<&mut SpanningTree>,
) {
    let (mut next, mut arrivals, mut hints) = (S::Queue::default(), Arrivals::default(), PredecessorHints::default());
    // A lossy store may omit the state by which the others get where a sleeping process would go, and an ample set may leave out
    // their move.
    let sleeps = search.options.sleep_sets && !search.options.reduces && search.store.omission() == Omission::Exact;
    if let Some(peers) = search.peers {
        peers.enter(worker.number());
    }
    {
        let frontier = barrier.read();
        while !search.is_stopped()
            && let Some(claim) = barrier.claim(&frontier)
        {
            if frontier.level.end - frontier.level.start > CLAIM && tree.is_none() {
                hints.record(next.len(), claim.start);
            }
            let mut at = claim.start;
            while at < claim.end && !search.is_stopped() {
                let end = claim.end.min(at + ROUND as u64);
                worker.round.work.clear();
                worker.round.arrivals.clear();
                frontier.queue.copy(at..end, &mut worker.round.work);
                if sleeps {
                    frontier.arrivals.copy(at..end, &mut worker.round.arrivals);
                }
                if let Err(limit) = expand_claimed(
                    search,
                    worker,
                    (&mut next, &mut arrivals),
                    tree.as_deref_mut().map(|tree| (tree, at)),
                ) {
                    search.stop(limit);
                }
                if let Some(peers) = search.peers
                    && let Err(limit) = part::exchange_states(peers, worker, &mut next)
                {
                    search.stop(limit);
                }
                at = end;
                if worker.leads() && worker.is_due(ROUND * search.threads) {
                    let waiting = frontier.level.end - at + next.len();
                    let known = frontier.arrivals.bytes() + arrivals.bytes() + tree_bytes(tree.as_deref());
                    search.check(frontier.queue.bytes() + next.bytes() + known, waiting);
                    if search.should_pause() {
                        barrier.pause();
                    }
                }
            }
        }
    }
    part::end_level(search, worker, &mut next);
    barrier.submit(LevelResult { next, arrivals, hints, findings: worker.errors.take_findings() });
}

/// Expands the states of the round and appends the new states to `next`, also those found before a limit was reached. The tree is
/// given with the position of the first state.
fn expand_claimed<S: Store>(
    search: &Search<'_, S>,
    worker: &mut Worker<'_, '_, S>,
    (next, arrivals): (&mut S::Queue, &mut Arrivals),
    mut tree: Option<(&mut SpanningTree, u64)>,
) -> Result<(), Limit> {
    while !worker.round.work.is_empty() {
        let reducing = worker.is_reducing();
        let each = |index: usize, seen: Seen, arrival: Arrival| {
            if seen.new {
                if let Some((tree, _)) = &mut tree {
                    tree.add(index, seen.id);
                }
                arrivals.put(next.len(), arrival);
                next.push(seen.id);
                if reducing {
                    search.open_filter.insert(seen.id);
                }
            }
        };
        let expanded = worker.expand_round::<true>(each, |_, id| search.open_filter.contains(id));
        let expanded = expanded?;
        if let Some((tree, at)) = &mut tree {
            tree.end_round(*at, &worker.round.ends);
            *at += expanded as u64;
        }
        worker.round.work.drain(..expanded);
        let known = &mut worker.round.arrivals;
        known.drain(..expanded.min(known.len()));
    }
    Ok(())
}
