//! Several workers who look for cycles, and what they share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::error_collector::Findings;
use super::super::worker::Worker;
use super::super::{Factory, ROUND, Search};
use super::Live;
use crate::budget::Limit;
use crate::store::{Handle, StateId, Store, spawn};

/// The search is over for this worker.
pub(super) struct Over;

pub(super) type Going<T = ()> = Result<T, Over>;

pub(super) struct Team<'s, S> {
    pub search: &'s Search<'s, S>,
    pub max_depth: u32,
    found: Mutex<Vec<StateId>>,
    findings: Mutex<Findings<StateId>>,
    /// A cycle or an error was found, or a limit met.
    over: AtomicBool,
    depth: AtomicU32,
    /// Memory of each worker.
    bytes: Vec<AtomicU64>,
}

/// How far a worker is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub number: usize,
    pub deepest: u32,
    pub waiting: u64,
    /// Memory of its own, and what all share.
    pub own: u64,
    pub shared: u64,
}

/// Any order will do; the same in every run with one worker.
pub(super) fn shuffle<T>(list: &mut [T], random: &mut u64) {
    for i in (1..list.len()).rev() {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(i, ((*random >> 33) % (i as u64 + 1)) as usize);
    }
}

impl<'s, S: Store> Team<'s, S> {
    pub fn new(live: &Live<'_, '_, 's, S>) -> Self {
        Team {
            search: live.search,
            max_depth: live.max_depth,
            found: Mutex::default(),
            findings: Mutex::new(Findings::new()),
            over: AtomicBool::new(false),
            depth: AtomicU32::new(0),
            bytes: (0..live.search.threads).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Lets every worker do its part, the first of them this thread's.
    pub fn work(
        &self,
        live: &mut Live<'_, '_, 's, S>,
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
            part(&mut live.worker, 0);
            live.worker.handle.leave();
        });
        live.worker.handle.enter();
    }

    /// A worker is done, or gives up.
    pub fn part(&self, going: Going, worker: &mut Worker<'_, '_, S>, deepest: u32) {
        if going.is_err() {
            self.over.store(true, Ordering::Relaxed);
        }
        self.depth.fetch_max(deepest, Ordering::Relaxed);
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.collect_in_states(worker.judge.hand_over());
    }

    pub fn find(&self, id: StateId) -> Over {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Over
    }

    pub fn stop(&self, limit: Limit) -> Over {
        self.search.stop(limit);
        Over
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Of all workers together.
    fn own_bytes(&self) -> u64 {
        self.bytes.iter().map(|b| b.load(Ordering::Relaxed)).sum()
    }

    /// Looks at limits and at what was found on the way.
    pub fn look_around(&self, worker: &mut Worker<'_, '_, S>, standing: impl FnOnce() -> Standing) -> Going {
        if worker.is_due(ROUND) {
            let Standing { number, deepest, waiting, own, shared } = standing();
            self.bytes[number].store(own, Ordering::Relaxed);
            // Not more often: it is one place in memory for all.
            if worker.leads() {
                self.depth.fetch_max(deepest, Ordering::Relaxed);
                self.search.depth.store(u64::from(self.depth.load(Ordering::Relaxed)), Ordering::Relaxed);
                self.search.check(shared + self.own_bytes(), waiting);
            }
            if self.search.is_stopped() || self.is_over() {
                return Err(Over);
            }
        }
        if !worker.judge.is_content() {
            let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.collect_in_states(worker.judge.hand_over());
            if !findings.kept.is_empty() {
                return Err(Over);
            }
        }
        Ok(())
    }

    /// What was found goes to where all algorithms have it: the first of it.
    pub fn conclude(self, live: &mut Live<'_, '_, '_, S>, shared: u64) -> Result<(), Limit> {
        live.depth = self.depth.load(Ordering::Relaxed);
        live.bytes = shared + self.own_bytes();
        live.found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        live.found.truncate(1);
        live.findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        match self.search.take_limit() {
            Some(limit) if live.found.is_empty() && live.findings.kept.is_empty() => Err(limit),
            _ => Ok(()),
        }
    }
}
