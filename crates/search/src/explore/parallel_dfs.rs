//! Parallel depth-first search with a store that compares states in full. The order is approximately depth-first: the states
//! found last are expanded first.
//!
//! A state belongs to the worker that has added it to the store, so it is on one stack and is expanded once; no marks are needed.
//! Work stealing: an idle worker receives states of another stack, from the frame that is nearest to the initial state, together
//! with the path to them. Each stack therefore has the path to an error.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::dfs::{Descent, Stack};
use super::error_collector::Findings;
use super::work_sharing::WorkSharing;
use super::worker::Worker;
use super::{Factory, Search};
use crate::store::{Handle, StateId, Store, spawn};

/// States expanded between two checks of the budget, after which a stack may be split.
const CHECK: usize = 128;
/// The least number of waiting states in a stack that is split.
const LEAST: u64 = 8;
/// Maximum number of steps of all kept paths together. The first path is always kept.
const STEPS: usize = 1 << 24;

/// Data that the workers share.
struct SharedWork {
    stacks: WorkSharing<Stack>,
    findings: Mutex<Findings<Vec<StateId>>>,
    /// Memory of the stacks now, and its maximum.
    bytes: AtomicU64,
    most: AtomicU64,
    deepest: AtomicU32,
}

pub(super) fn run<'a, 'm, S: Store>(search: &'a Search<'a, S>, factory: Factory<'_, 'm>) -> Descent<'a, 'm, S> {
    let mut leader = Worker::new(search, 0, factory());
    let mut stack = Stack::new(u32::MAX);
    match leader.begin() {
        Ok(root) => stack.entries.push(root),
        Err(limit) => search.stop(limit),
    }
    let shared = SharedWork {
        stacks: WorkSharing::new(search.threads, Vec::new()),
        findings: Mutex::new(Findings::new()),
        bytes: AtomicU64::new(0),
        most: AtomicU64::new(0),
        deepest: AtomicU32::new(0),
    };
    std::thread::scope(|scope| {
        let shared = &shared;
        for number in 1..search.threads {
            spawn(scope, move || {
                let mut worker = Worker::new(search, number, factory());
                worker.handle.enter();
                shared.descend(search, &mut worker, Stack::new(u32::MAX));
            });
        }
        shared.descend(search, &mut leader, stack);
    });
    leader.handle.enter();
    let mut stack = Stack::new(u32::MAX);
    stack.deepest = shared.deepest.into_inner();
    stack.other_bytes = shared.most.into_inner();
    search.depth.store(u64::from(stack.deepest), Ordering::Relaxed);
    search.report(stack.bytes(), 0);
    let findings = shared.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    Descent { stack, paused: false, findings, stop: search.take_limit(), worker: leader }
}

impl SharedWork {
    /// The loop of a worker, until no worker has work or the search stops.
    fn descend<S: Store>(&self, search: &Search<'_, S>, worker: &mut Worker<'_, '_, S>, mut stack: Stack) {
        let _end = self.stacks.end_on_drop();
        let (mut found, mut reported) = (Vec::new(), 0);
        while !search.is_stopped() {
            let Some(id) = stack.take_owned() else {
                if self.find_work(worker, &mut stack) {
                    continue;
                }
                break;
            };
            worker.round.work.clear();
            worker.round.work.push(id);
            found.clear();
            let expanded =
                worker.expand_round::<true>(|_, seen, _| found.extend(seen.new.then_some(seen.id)), |_, _| false);
            if !worker.errors.is_empty() && self.collect(search, worker, &stack) {
                search.halt();
            }
            if let Err(limit) = expanded {
                search.stop(limit);
            }
            stack.push_owned(&found);
            if worker.is_due(CHECK) {
                self.check(search, worker.leads(), &mut stack, &mut reported);
            }
        }
        worker.handle.leave();
        self.deepest.fetch_max(stack.deepest, Ordering::Relaxed);
        self.collect(search, worker, &stack);
    }

    /// Checks the budget, and offers work.
    fn check<S: Store>(&self, search: &Search<'_, S>, leads: bool, stack: &mut Stack, reported: &mut u64) {
        let more = stack.bytes().wrapping_sub(*reported);
        *reported = stack.bytes();
        let all = self.bytes.fetch_add(more, Ordering::Relaxed).wrapping_add(more);
        self.most.fetch_max(all, Ordering::Relaxed);
        if leads {
            search.depth.fetch_max(u64::from(stack.deepest), Ordering::Relaxed);
        }
        search.check(all, stack.waiting());
        if self.stacks.is_wanted() && stack.waiting() >= LEAST {
            self.stacks.offer(|| stack.split());
        }
    }

    /// Waits until another worker offers work. Returns false when no work is left.
    fn find_work<S: Store>(&self, worker: &mut Worker<'_, '_, S>, stack: &mut Stack) -> bool {
        worker.handle.leave();
        let found = self.stacks.take();
        worker.handle.enter();
        let goes_on = found.is_some();
        if let Some(found) = found {
            let deepest = stack.deepest;
            *stack = found;
            stack.deepest = deepest;
        }
        goes_on
    }

    /// Collects the findings of a worker in the state taken last. Returns whether the search stops because of them.
    fn collect<S: Store>(&self, search: &Search<'_, S>, worker: &mut Worker<'_, '_, S>, stack: &Stack) -> bool {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let steps: usize = findings.kept.iter().map(|(_, path)| path.len()).sum();
        let room = steps < STEPS;
        findings.collect(worker.errors.take_findings(), || if room { stack.path() } else { Vec::new() });
        !findings.kept.is_empty() && (!search.options.all_errors || findings.suffice(search.options))
    }
}
