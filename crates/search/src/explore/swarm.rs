//! Swarm verification: many searches with small bitstate stores, different hash functions and different successor
//! orders; a state that one search omits may be visited by another (Holzmann, Joshi, Groce, *Swarm verification
//! techniques*, 2011).

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::lossy_dfs::SuccessorOrder;
use super::{Factory, Options, Order, Search, lossy_depth_first};
use crate::budget::{Budget, Limit};
use crate::outcome::{End, ErrorKind, Outcome, Statistics, Swarm, Violation};
use crate::progress::Progress;
use crate::store::{BitStore, Bits, CaptureRecapture, Sample, spawn};

/// The combined results of the searches so far.
#[derive(Default)]
struct Combined {
    swarm: Swarm,
    recapture: CaptureRecapture,
    violations: Vec<Violation>,
    /// Sums or maxima over all searches.
    statistics: Statistics,
    /// The limit of the first search that did not finish.
    limit: Option<Limit>,
}

/// Runs so many searches, or as many as the deadline permits, on all threads.
pub(super) fn run(
    size: Bits,
    searches: u64,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let threads = options.workers() as u64;
    let enough = Arc::new(AtomicBool::new(false));
    let budget = Budget {
        memory: budget.memory.map(|memory| budget.taken + memory.saturating_sub(budget.taken) / threads),
        enough: budget.enough.iter().cloned().chain([enough.clone()]).collect(),
        ..budget.clone()
    };
    let (next, combined) = (AtomicU64::new(0), Mutex::new(Combined::default()));
    let work = |progress: &Progress| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= searches || budget.check(0).is_err() {
                return;
            }
            let outcome = run_one(number, size, factory, options, &budget, progress);
            let mut combined = combined.lock().unwrap_or_else(PoisonError::into_inner);
            let cut_short = enough.load(Ordering::Relaxed);
            let stop_at = if options.all_errors { options.stop_at.map(NonZeroU64::get) } else { Some(1) };
            if combined.add(outcome, cut_short)
                && stop_at.is_some_and(|number| combined.violations.len() as u64 >= number)
            {
                enough.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            spawn(scope, || work(&Progress::new()));
        }
        work(progress);
    });
    combined.into_inner().unwrap_or_else(PoisonError::into_inner).finish(options)
}

/// One search of the swarm, and a sample of its states.
fn run_one(
    number: u64,
    size: Bits,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> (Outcome, Sample) {
    let seed = options.seed.wrapping_add(number);
    let successor_order = match number % 3 {
        0 => SuccessorOrder::Forward,
        1 => SuccessorOrder::Backward,
        _ => SuccessorOrder::Random(seed),
    };
    let options = Options { order: Order::DepthFirst, threads: Some(1), seed, successor_order, ..options.clone() };
    let store = BitStore::new(size, budget.capacity(), 1).seeded(seed).hashed_by(options.hash_function).sampled();
    let outcome = lossy_depth_first(&Search::new(&store, &options, budget, progress), factory);
    (outcome, store.sample())
}

impl Combined {
    /// Adds the result of a search. Returns whether any search has found a violation.
    fn add(&mut self, (outcome, sample): (Outcome, Sample), cut_short: bool) -> bool {
        self.swarm.searches += 1;
        match outcome.end {
            End::Stopped(Limit::LossyStore) => self.swarm.finished += u64::from(!cut_short),
            End::Stopped(limit) => {
                self.limit.get_or_insert(limit);
            }
            End::Violation | End::Exhausted(_) | End::Decided(_) => {}
        }
        self.recapture.add(&sample);
        let (all, single) = (&mut self.statistics, outcome.statistics);
        all.transitions += single.transitions;
        all.depth = all.depth.max(single.depth);
        all.state_bytes = all.state_bytes.max(single.state_bytes);
        all.store_bytes = all.store_bytes.max(single.store_bytes);
        all.search_bytes = all.search_bytes.max(single.search_bytes);
        if single.errors.total() > all.errors.total() {
            all.errors = single.errors;
        }
        for violation in outcome.violations {
            let known = |old: &Violation| match (&old.error, &violation.error) {
                (ErrorKind::Finding(a), ErrorKind::Finding(b)) => a.span == b.span && a.kind == b.kind,
                (a, b) => a == b,
            };
            match self.violations.iter_mut().find(|old| known(old)) {
                Some(old) if old.trail.choices.len() > violation.trail.choices.len() => *old = violation,
                Some(_) => {}
                None => self.violations.push(violation),
            }
        }
        !self.violations.is_empty()
    }

    fn finish(mut self, options: &Options) -> Outcome {
        self.swarm.coverage = self.recapture.coverage();
        let statistics = Statistics {
            states: self.recapture.states(),
            store: options.store,
            swarm: Some(self.swarm),
            ..self.statistics
        };
        let end = match self.limit {
            _ if !options.all_errors && !self.violations.is_empty() => End::Violation,
            Some(limit) if limit == Limit::Interrupted || self.swarm.finished == 0 => End::Stopped(limit),
            _ => End::Stopped(Limit::LossyStore),
        };
        if !options.all_errors {
            self.violations.truncate(1);
        }
        Outcome::new(end, self.violations, statistics)
    }
}
