//! Parallel searches for accepting cycles: shared data, limits and findings.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::error_collector::Findings;
use super::super::worker::Worker;
use super::super::{Factory, ROUND, Search};
use super::LivenessSearch;
use crate::budget::Limit;
use crate::store::{Handle, StateId, Store, spawn};

/// The search has ended for this worker.
pub(super) struct Ended;

/// A result of a worker whose search may end.
pub(super) type OrEnded<T = ()> = Result<T, Ended>;

/// Data that the workers share.
pub(super) struct ParallelSearch<'s, S> {
    pub search: &'s Search<'s, S>,
    pub max_depth: u32,
    found: Mutex<Vec<StateId>>,
    findings: Mutex<Findings<StateId>>,
    /// A cycle or an error was found, or a limit was reached.
    over: AtomicBool,
    /// Worker 0 has nothing left to do, so the others observe the limits.
    leader_is_done: AtomicBool,
    /// A worker has skipped a state because of the depth limit, so the search is incomplete.
    depth_limited: AtomicBool,
    depth: AtomicU32,
    /// Memory of each worker, in bytes.
    bytes: Vec<AtomicU64>,
}

/// The progress of a worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkerStatus {
    pub number: usize,
    pub deepest: u32,
    pub waiting: u64,
    /// Memory of the worker, and memory that all workers share.
    pub own: u64,
    pub shared: u64,
}

impl<'s, S: Store> ParallelSearch<'s, S> {
    pub fn new(liveness: &LivenessSearch<'_, '_, 's, S>) -> Self {
        ParallelSearch {
            search: liveness.search,
            max_depth: liveness.max_depth,
            found: Mutex::default(),
            findings: Mutex::new(Findings::new()),
            over: AtomicBool::new(false),
            leader_is_done: AtomicBool::new(false),
            depth_limited: AtomicBool::new(false),
            depth: AtomicU32::new(0),
            bytes: (0..liveness.search.threads).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Runs `part` in all workers. Worker 0 runs in this thread.
    pub fn run_workers(
        &self,
        liveness: &mut LivenessSearch<'_, '_, 's, S>,
        factory: Factory<'_, '_>,
        part: impl Fn(&mut Worker<'_, '_, S>, usize) + Sync,
    ) {
        let (search, part) = (self.search, &part);
        std::thread::scope(|scope| {
            for number in 1..search.threads {
                spawn(scope, move || {
                    let mut worker = Worker::new(search, number, factory());
                    worker.handle.enter();
                    part(&mut worker, number);
                    worker.handle.leave();
                });
            }
            part(&mut liveness.worker, 0);
            self.leader_is_done.store(true, Ordering::Relaxed);
            liveness.worker.handle.leave();
        });
        liveness.worker.handle.enter();
    }

    /// Collects the findings of a worker that has finished or given up.
    pub fn finish_worker(&self, result: OrEnded, worker: &mut Worker<'_, '_, S>, deepest: u32) {
        if result.is_err() {
            self.over.store(true, Ordering::Relaxed);
        }
        self.depth.fetch_max(deepest, Ordering::Relaxed);
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.collect_in_states(worker.errors.take_findings());
    }

    /// Reports a state on an accepting cycle.
    pub fn report_cycle(&self, id: StateId) -> Ended {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Ended
    }

    pub fn stop(&self, limit: Limit) -> Ended {
        self.search.stop(limit);
        Ended
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// The depth limit cuts off an edge to a state that is not visited.
    pub fn limit_depth(&self) {
        self.depth_limited.store(true, Ordering::Relaxed);
    }

    pub fn is_depth_limited(&self) -> bool {
        self.depth_limited.load(Ordering::Relaxed)
    }

    /// Memory of all workers.
    fn own_bytes(&self) -> u64 {
        self.bytes.iter().map(|b| b.load(Ordering::Relaxed)).sum()
    }

    /// Checks limits and findings.
    pub fn check_limits(&self, worker: &mut Worker<'_, '_, S>, status: impl FnOnce() -> WorkerStatus) -> OrEnded {
        if worker.is_due(ROUND) {
            let WorkerStatus { number, deepest, waiting, own, shared } = status();
            self.bytes[number].store(own, Ordering::Relaxed);
            // Only the leader writes shared counters, as long as it works, to avoid contention.
            if worker.leads() || self.leader_is_done.load(Ordering::Relaxed) {
                self.depth.fetch_max(deepest, Ordering::Relaxed);
                self.search.depth.store(u64::from(self.depth.load(Ordering::Relaxed)), Ordering::Relaxed);
                self.search.check(shared + self.own_bytes(), waiting);
            }
            if self.search.is_stopped() || self.is_over() {
                return Err(Ended);
            }
        }
        if !worker.errors.is_empty() {
            let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.collect_in_states(worker.errors.take_findings());
            if !findings.kept.is_empty() {
                return Err(Ended);
            }
        }
        Ok(())
    }

    /// Observes the limits while a worker waits for others.
    pub fn check_limits_in_wait(&self, shared: u64) {
        self.search.check(shared + self.own_bytes(), 0);
    }

    /// Moves the first finding to the data of the liveness search.
    pub fn conclude(self, liveness: &mut LivenessSearch<'_, '_, '_, S>, shared: u64) -> Result<(), Limit> {
        liveness.depth = self.depth.load(Ordering::Relaxed);
        liveness.depth_limited = self.is_depth_limited();
        liveness.bytes = shared + self.own_bytes();
        liveness.found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        liveness.found.truncate(1);
        liveness.findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        match self.search.take_limit() {
            Some(limit) if liveness.found.is_empty() && liveness.findings.kept.is_empty() => Err(limit),
            _ => Ok(()),
        }
    }
}
