//! Many searches with bitstate stores, each with other hashes and another order: what one misses, another may find
//! (Holzmann, Joshi, Groce, *Swarm verification techniques*, 2011).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::lossy_dfs::Bias;
use super::{Factory, Options, Order, Search, last_first};
use crate::budget::{Budget, Limit};
use crate::outcome::{End, Outcome, Statistics, Swarm, Violation, Wrong};
use crate::progress::Progress;
use crate::store::{BitStore, Bits, Census, Sample, spawn};

/// What has come back so far.
#[derive(Default)]
struct Gathered {
    swarm: Swarm,
    census: Census,
    violations: Vec<Violation>,
    /// Of all: sums, or the largest.
    statistics: Statistics,
    /// What ended the first search that was not finished.
    limit: Option<Limit>,
}

/// Runs so many searches, or as many as there is time for, on all threads.
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
        enough: Some(enough.clone()),
        ..budget.clone()
    };
    let (next, gathered) = (AtomicU64::new(0), Mutex::new(Gathered::default()));
    let work = |progress: &Progress| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= searches || budget.check(0).is_err() {
                return;
            }
            let outcome = one(number, size, factory, options, &budget, progress);
            let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
            let cut_short = enough.load(Ordering::Relaxed);
            if gathered.take(outcome, cut_short, options.all_errors) {
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
    gathered.into_inner().unwrap_or_else(PoisonError::into_inner).finish(options)
}

/// One search of the swarm, and a sample of what it has seen.
fn one(
    number: u64,
    size: Bits,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> (Outcome, Sample) {
    let seed = options.seed.wrapping_add(number);
    let bias = match number % 3 {
        0 => Bias::Forward,
        1 => Bias::Backward,
        _ => Bias::Random(seed),
    };
    let options = Options { order: Order::DepthFirst, threads: Some(1), seed, bias, ..options.clone() };
    let store = BitStore::new(size, budget.capacity(), 1).seeded(seed).sampled();
    let outcome = last_first(&Search::new(&store, &options, budget, progress), factory);
    (outcome, store.sample())
}

impl Gathered {
    /// Takes what a search brings. Whether that is all that was wanted.
    fn take(&mut self, (outcome, sample): (Outcome, Sample), cut_short: bool, all_errors: bool) -> bool {
        self.swarm.searches += 1;
        match outcome.end {
            End::Stopped(Limit::LossyStore) => self.swarm.finished += u64::from(!cut_short),
            End::Stopped(limit) => {
                self.limit.get_or_insert(limit);
            }
            End::Violation | End::Exhausted(_) | End::Decided(_) => {}
        }
        self.census.add(&sample);
        let (all, one) = (&mut self.statistics, outcome.statistics);
        all.transitions += one.transitions;
        all.depth = all.depth.max(one.depth);
        all.state_bytes = all.state_bytes.max(one.state_bytes);
        all.store_bytes = all.store_bytes.max(one.store_bytes);
        all.search_bytes = all.search_bytes.max(one.search_bytes);
        if one.errors.total() > all.errors.total() {
            all.errors = one.errors;
        }
        for violation in outcome.violations {
            let known = |old: &Violation| match (&old.wrong, &violation.wrong) {
                (Wrong::Finding(a), Wrong::Finding(b)) => a.span == b.span && a.kind == b.kind,
                (a, b) => a == b,
            };
            match self.violations.iter_mut().find(|old| known(old)) {
                Some(old) if old.trail.choices.len() > violation.trail.choices.len() => *old = violation,
                Some(_) => {}
                None => self.violations.push(violation),
            }
        }
        !all_errors && !self.violations.is_empty()
    }

    fn finish(mut self, options: &Options) -> Outcome {
        self.swarm.coverage = self.census.coverage();
        let statistics = Statistics {
            states: self.census.states(),
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
