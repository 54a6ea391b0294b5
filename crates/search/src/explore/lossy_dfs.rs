//! Parallel depth-first search with a lossy store. The order is approximately depth-first: the states found last are
//! expanded first.
//!
//! Workers take several states from the stack at once, so that the memory accesses of all their successors overlap.
//! Each worker has its own [stack](PackedStack). Work stealing: an idle worker receives half of another stack, from
//! the end that is nearest to the initial state.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use kripke_model::Random;

use super::error_collector::Findings;
use super::work_sharing::WorkSharing;
use super::worker::Worker;
use super::{Factory, Options, Search, trail};
use crate::budget::Limit;
use crate::store::{Filter, Handle, LossyStore, PackedStack, PackedStacks, spawn};

/// States taken at once. More hide the latency no better and enlarge the open set.
const BATCH: usize = 16;
/// States expanded between two checks of the budget.
const CHECK: usize = 256;

/// The order in which the successors of a state are visited.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SuccessorOrder {
    /// The first successor is visited first.
    #[default]
    Forward,
    /// The last successor is visited first.
    Backward,
    /// The order is random with this seed.
    Random(u64),
}

/// Maximum number of steps of all kept trails together. The first trail is always kept.
const STEPS: usize = 1 << 24;

/// The choices that lead to an error, if there was room for them.
pub(super) type Choices = Option<Vec<u32>>;

/// The state of a lossy depth-first search.
#[derive(Default)]
pub(super) struct Descent {
    pub depth: u32,
    /// Maximum memory of the stacks, in bytes.
    pub bytes: u64,
    pub findings: Findings<Choices>,
    pub stop: Option<Limit>,
    /// The stacks that are left when the search pauses or stops.
    pub stacks: Vec<PackedStack>,
}

/// Data that the workers share.
struct SharedWork {
    spares: WorkSharing<PackedStack>,
    findings: Mutex<Findings<Choices>>,
    /// Memory of the stacks now, and its maximum.
    bytes: AtomicU64,
    most: AtomicU64,
    deepest: AtomicU32,
}

/// A store with a stack per worker.
type StackedStore<F> = LossyStore<F, PackedStacks>;

pub(super) fn run<F: Filter>(
    search: &Search<'_, StackedStore<F>>,
    factory: Factory<'_, '_>,
    max_depth: u32,
) -> Descent {
    let mut leader = Worker::new(search, 0, factory());
    match leader.begin() {
        Ok(_) => leader.handle.open_set.push_found(max_depth, |_| ()),
        Err(limit) => search.stop(limit),
    }
    work(search, factory, leader, Descent::default(), max_depth)
}

/// Continues a search that has paused.
pub(super) fn resume<F: Filter>(
    search: &Search<'_, StackedStore<F>>,
    factory: Factory<'_, '_>,
    mut descent: Descent,
    max_depth: u32,
) -> Descent {
    let mut leader = Worker::new(search, 0, factory());
    leader.handle.enter();
    leader.handle.open_set = descent.stacks.pop().unwrap_or_default();
    work(search, factory, leader, descent, max_depth)
}

/// Runs all workers. The leader has a stack; each helper starts with one of the others, if there is one.
fn work<'a, F: Filter>(
    search: &'a Search<'a, StackedStore<F>>,
    factory: Factory<'_, '_>,
    mut leader: Worker<'a, '_, StackedStore<F>>,
    mut before: Descent,
    max_depth: u32,
) -> Descent {
    let mut stacks = std::mem::take(&mut before.stacks);
    let shared = SharedWork {
        spares: WorkSharing::new(search.threads, stacks.split_off(stacks.len().min(search.threads - 1))),
        findings: Mutex::new(before.findings),
        bytes: AtomicU64::new(0),
        most: AtomicU64::new(before.bytes),
        deepest: AtomicU32::new(before.depth),
    };
    let mut stacks = std::thread::scope(|scope| {
        let shared = &shared;
        let help = |number, stack: Option<PackedStack>| {
            move || {
                let mut worker = Worker::new(search, number, factory());
                worker.handle.open_set = stack.unwrap_or_default();
                worker.handle.enter();
                descend(search, shared, &mut worker, max_depth);
                std::mem::take(&mut worker.handle.open_set)
            }
        };
        let mut stacks = stacks.into_iter();
        let helpers: Vec<_> = (1..search.threads).map(|number| spawn(scope, help(number, stacks.next()))).collect();
        descend(search, shared, &mut leader, max_depth);
        let own = std::iter::once(std::mem::take(&mut leader.handle.open_set));
        let others = helpers.into_iter().map(|h| h.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        own.chain(others).collect::<Vec<_>>()
    });
    stacks.extend(shared.spares.rest());
    stacks.retain(|stack| stack.waiting() > 0);
    let (depth, bytes) = (shared.deepest.into_inner(), shared.most.into_inner());
    search.depth.store(u64::from(depth), Ordering::Relaxed);
    search.report(bytes, stacks.iter().map(PackedStack::waiting).sum());
    let findings = shared.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    Descent { depth, bytes, findings, stop: search.take_limit(), stacks }
}

/// The loop of a worker, until no worker has work or the search stops.
fn descend<F: Filter>(
    search: &Search<'_, StackedStore<F>>,
    shared: &SharedWork,
    worker: &mut Worker<'_, '_, StackedStore<F>>,
    max_depth: u32,
) {
    let _end = shared.spares.end_on_drop();
    let mut random = Random::new(match search.options.successor_order {
        SuccessorOrder::Random(seed) => seed,
        SuccessorOrder::Forward | SuccessorOrder::Backward => 0,
    });
    let (mut deepest, mut reported) = (0, 0);
    let goes_on = || !search.is_stopped() && !search.should_pause();
    while goes_on() && (worker.handle.open_set.waiting() > 0 || shared.find_work(search, worker)) {
        if let Err(limit) = expand_top(worker, &mut deepest) {
            search.stop(limit);
        }
        if !worker.errors.is_empty() && shared.collect(worker, search.options) {
            search.halt();
        }
        let stack = &mut worker.handle.open_set;
        stack.push_found(max_depth, |fresh| match search.options.successor_order {
            SuccessorOrder::Forward => fresh.reverse(),
            SuccessorOrder::Backward => {}
            SuccessorOrder::Random(_) => random.shuffle(fresh),
        });
        if shared.spares.is_wanted() && stack.waiting() > 2 * BATCH as u64 {
            shared.spares.offer(|| stack.split());
        }
        if worker.is_due(CHECK) {
            let stack = &worker.handle.open_set;
            let bytes = shared.report_bytes(stack.bytes(), &mut reported);
            search.depth.fetch_max(u64::from(deepest), Ordering::Relaxed);
            search.check(bytes, stack.waiting());
        }
    }
    shared.report_bytes(worker.handle.open_set.bytes(), &mut reported);
    shared.deepest.fetch_max(deepest, Ordering::Relaxed);
    worker.handle.leave();
    shared.collect(worker, search.options);
}

/// Expands the states on top of the stack.
fn expand_top<F: Filter>(worker: &mut Worker<'_, '_, StackedStore<F>>, deepest: &mut u32) -> Result<(), Limit> {
    worker.round.work.clear();
    worker.handle.open_set.take(BATCH, &mut worker.round.work);
    for &id in &worker.round.work {
        *deepest = (*deepest).max(worker.handle.open_set.depth(id));
    }
    while !worker.round.work.is_empty() {
        let expanded = worker.expand_round::<true>(|_, _, _| (), |_, _| false)?;
        worker.round.work.drain(..expanded);
    }
    Ok(())
}

impl SharedWork {
    /// Waits until another worker offers work. Returns false when no work is left.
    fn find_work<F: Filter>(
        &self,
        search: &Search<'_, StackedStore<F>>,
        worker: &mut Worker<'_, '_, StackedStore<F>>,
    ) -> bool {
        if search.threads == 1 {
            return false;
        }
        worker.handle.leave();
        let stack = self.spares.take();
        worker.handle.enter();
        let found = stack.is_some();
        worker.handle.open_set = stack.unwrap_or_default();
        found
    }

    /// Reports the memory of one stack, and returns that of all stacks.
    fn report_bytes(&self, bytes: u64, reported: &mut u64) -> u64 {
        let more = bytes.wrapping_sub(*reported);
        *reported = bytes;
        let all = self.bytes.fetch_add(more, Ordering::Relaxed).wrapping_add(more);
        self.most.fetch_max(all, Ordering::Relaxed);
        all
    }

    /// Collects the findings of a worker, with the choices for each new error. The states on the paths are still in
    /// its stack. Returns whether the search stops because of them.
    fn collect<F: Filter>(&self, worker: &mut Worker<'_, '_, StackedStore<F>>, options: &Options) -> bool {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let known = findings.kept.len();
        findings.collect(worker.errors.take_findings(), || None);
        for at in known..findings.kept.len() {
            let path = worker.handle.open_set.path(findings.kept[at].0.id);
            let steps = findings.kept.iter().filter_map(|(_, choices)| choices.as_ref()).map(Vec::len).sum::<usize>();
            if at == 0 || steps + path.len() <= STEPS {
                findings.kept[at].1 = Some(trail::choices_along(&path, &mut *worker.successors));
            }
        }
        !options.all_errors || findings.suffice(options)
    }
}
