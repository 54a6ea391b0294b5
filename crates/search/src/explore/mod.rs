//! Searches: reachability in breadth-first and depth-first order, liveness, CTL, and migration between stores.

mod bfs;
mod cached_dfs;
mod ctl;
mod dfs;
mod error_collector;
mod level_barrier;
mod liveness;
mod lossy_dfs;
mod migration;
mod open_set_filter;
mod predecessor_hints;
mod probe;
mod store_kind;
mod swarm;
mod trail;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use kripke_model::{Finding, Successors, Trail};

use crate::budget::{Budget, Limit};
use crate::outcome::{End, Errors, Exhausted, Outcome, Statistics, Violation};
use crate::progress::{Progress, Snapshot};
use crate::store::{
    BitStore, ExactStore, Filter, HashStore, LinkedOpenSet, LossyStore, MAX_WORD_BITS, Omission, PackedStacks, Queue,
    StateId, StateWord, Store, TreeStore, WordStore,
};
pub use cached_dfs::CacheSize;
pub use ctl::{Claim, CtlFormula, Evidence, Place, Run, SubformulaId};
pub(crate) use liveness::label as mark_of_edge;
pub use liveness::{Algorithm, Cycles, Fairness};
pub use lossy_dfs::SuccessorOrder;
use open_set_filter::OpenSetFilter;
pub use store_kind::StoreKind;
use trail::PartialTrail;

/// The question, the order, the store and the reductions of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The order of the search.
    pub order: Order,
    /// Counts all errors instead of stopping at the first.
    pub all_errors: bool,
    /// Whether a failed assertion is an error.
    pub assertions: bool,
    /// Whether an invalid end state is an error. With an observer, it is one only while the observer can move.
    pub end_states: bool,
    /// The store.
    pub store: StoreKind,
    /// With [`StoreKind::Auto`]: migrates to the tree store at about this number of states, whether or not memory is
    /// exhausted.
    pub migrate_at: Option<u64>,
    /// With [`StoreKind::Auto`]: migrates to hash compaction and bitstate hashing when the tree store does not fit
    /// either.
    pub lossy: bool,
    /// Number of threads. None means one per core. A depth-first search with an exact store uses one.
    pub threads: Option<usize>,
    /// Searches for accepting cycles instead of invalid end states.
    pub cycles: Option<Cycles>,
    /// The successor order of a depth-first search with a lossy store.
    pub successor_order: SuccessorOrder,
    /// Seed of the hash function. Lossy stores with different seeds omit different states.
    pub seed: u64,
    /// Runs a swarm of so many searches with bitstate stores.
    pub swarm: Option<u64>,
    /// A breadth-first search that finds no error soon is accompanied by a short depth-first search. An error that only the
    /// latter finds has a trail that is not shortest.
    pub probe: bool,
    /// Evaluates this CTL formula in the initial state, on the fly.
    pub ctl: Option<CtlFormula>,
    /// Applies partial-order reduction: expands [ample sets](kripke_model::ProcessStructure::expand_ample).
    pub reduces: bool,
}

/// The order in which states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// In order of depth. The first violation has a shortest trail.
    BreadthFirst,
    /// Successors before siblings.
    DepthFirst,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            order: Order::BreadthFirst,
            all_errors: false,
            assertions: true,
            end_states: true,
            store: StoreKind::Auto,
            migrate_at: None,
            lossy: false,
            threads: None,
            cycles: None,
            successor_order: SuccessorOrder::Forward,
            seed: 0,
            swarm: None,
            probe: false,
            ctl: None,
            reduces: false,
        }
    }
}

/// The processors that the system allows. They are counted once: the system answers from several files.
fn processors() -> usize {
    static COUNT: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Options {
    /// The number of threads that are wanted, whether or not the search can use them.
    fn wanted_threads(&self) -> usize {
        match self.threads {
            Some(threads) => threads.max(1),
            None => processors(),
        }
    }

    /// The algorithm that searches for accepting cycles, if the search is one for cycles.
    pub fn algorithm(&self) -> Option<Algorithm> {
        self.cycles.map(|cycles| cycles.algorithm(self.wanted_threads(), self.all_errors))
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        let wanted = self.wanted_threads();
        match (self.algorithm(), self.order) {
            (Some(Algorithm::Cndfs), _) => wanted,
            (Some(Algorithm::Ufscc), _) => wanted.min(liveness::union_find::MOST_WORKERS),
            (None, Order::DepthFirst) if self.store.is_lossy() => wanted,
            (Some(_), _) | (None, Order::DepthFirst) => 1,
            _ if self.ctl.is_some() => 1,
            (None, Order::BreadthFirst) => wanted,
        }
    }

    /// The options that the search uses for a model with a [hidden prefix](kripke_model::Representation::hidden_prefix) of this length. The stored prefix
    /// depends on which predecessor comes first, so only one worker in a fixed order gives reproducible results. A
    /// path of stored states is a run of the model only if each state follows its first predecessor, as in a
    /// level-by-level search. Searches for cycles and CTL store states in full.
    #[must_use]
    pub fn fit(self, hidden_prefix: usize) -> Options {
        if hidden_prefix == 0 {
            let order = if matches!(self.store, StoreKind::Cache(_)) { Order::DepthFirst } else { self.order };
            let temporal = self.cycles.is_some() || self.ctl.is_some();
            let store = if temporal { StoreKind::Exact } else { self.store };
            return Options { order, store, ..self };
        }
        Options { order: Order::BreadthFirst, store: StoreKind::Exact, threads: Some(1), probe: false, ..self }
    }
}

/// Creates the successor generator of each worker.
pub type Factory<'f, 'm> = &'f (dyn Fn() -> Box<dyn Successors + 'm> + Sync);

/// Explores with the store of the options, [adjusted to the model](Options::fit).
pub fn explore(successors: Factory<'_, '_>, options: &Options, budget: &Budget, progress: &Progress) -> Outcome {
    let hidden_prefix = successors().hidden_prefix();
    let options = &options.clone().fit(hidden_prefix);
    match options.store {
        StoreKind::Auto | StoreKind::Words if let Some(bits) = word_bits(successors, options) => {
            let options = &Options { store: StoreKind::Words, ..options.clone() };
            if bits <= <u64 as StateWord>::MAX_BITS {
                let store = || WordStore::<u64>::new(bits, budget.capacity(), options.workers());
                reachability(store, successors, options, budget, progress)
            } else {
                let store = || WordStore::<u128>::new(bits, budget.capacity(), options.workers());
                reachability(store, successors, options, budget, progress)
            }
        }
        StoreKind::Words => {
            explore(successors, &Options { store: StoreKind::Exact, ..options.clone() }, budget, progress)
        }
        StoreKind::Auto => migration::explore(successors, options, budget, progress),
        StoreKind::Cache(size) => cached_dfs::explore(successors, options, size, budget, progress),
        StoreKind::Exact => {
            let store = || ExactStore::new(budget.capacity(), options.workers()).with_hidden_prefix(hidden_prefix);
            explore_with(store, successors, options, budget, progress)
        }
        StoreKind::Tree => {
            let store = || TreeStore::new(budget.capacity(), options.workers());
            explore_with(store, successors, options, budget, progress)
        }
        StoreKind::Hash { bits } if options.order == Order::DepthFirst => {
            let store = HashStore::new(bits, budget.capacity(), options.workers()).seeded(options.seed);
            lossy_depth_first(&Search::new(&store, options, budget, progress), successors)
        }
        StoreKind::Hash { bits } => {
            let store =
                || HashStore::<LinkedOpenSet>::new(bits, budget.capacity(), options.workers()).seeded(options.seed);
            explore_with(store, successors, options, budget, progress)
        }
        StoreKind::Bitstate(size) if let Some(searches) = options.swarm => {
            swarm::run(size, searches, successors, options, budget, progress)
        }
        StoreKind::Bitstate(size) if options.order == Order::DepthFirst => {
            let store = BitStore::new(size, budget.capacity(), options.workers()).seeded(options.seed);
            lossy_depth_first(&Search::new(&store, options, budget, progress), successors)
        }
        StoreKind::Bitstate(size) => {
            let store =
                || BitStore::<LinkedOpenSet>::new(size, budget.capacity(), options.workers()).seeded(options.seed);
            explore_with(store, successors, options, budget, progress)
        }
    }
}

/// The number of bits of states, if the word store takes them. It does not migrate to other stores.
fn word_bits(successors: Factory<'_, '_>, options: &Options) -> Option<u32> {
    let bits = successors().word_bits()?;
    (bits <= MAX_WORD_BITS && !options.lossy && options.migrate_at.is_none()).then_some(bits)
}

/// Explores with stores of the caller, which must support so many [workers](Options::workers) and observe
/// [`Budget::capacity`]. A second store is created if a trail requires another search.
pub fn explore_with<S: Store>(
    store: impl Fn() -> S,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    if let Some(formula) = &options.ctl {
        let store = store();
        return ctl::check(&Search::new(&store, options, budget, progress), successors, formula);
    }
    if let Some(cycles) = options.cycles {
        let store = store();
        return liveness::check(&Search::new(&store, options, budget, progress), successors, cycles);
    }
    reachability(store, successors, options, budget, progress)
}

/// Explores for errors in states and transitions.
fn reachability<S: Store>(
    store: impl Fn() -> S,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    match options.order {
        Order::BreadthFirst => breadth_first(store, successors, options, budget, progress),
        Order::DepthFirst => {
            let store = store();
            let search = Search::new(&store, options, budget, progress);
            depth_first(&search, dfs::run(&search, successors, max_depth(budget)))
        }
    }
}

/// Number of states expanded before their successors are interned together, where the order permits.
const ROUND: usize = 32;

/// Maximum number of successors interned together.
const MAX_SUCCESSORS: usize = 1 << 12;

/// Maximum size of these in bytes. They take memory besides the store.
const MAX_SUCCESSOR_BYTES: usize = 1 << 20;

/// Data that the workers of a search share.
struct Search<'a, S> {
    store: &'a S,
    options: &'a Options,
    budget: &'a Budget,
    progress: &'a Progress,
    threads: usize,
    /// Counts of the search with previous stores.
    prior: migration::PriorWork,
    tallies: Box<[Tally]>,
    depth: AtomicU64,
    open_filter: OpenSetFilter,
    stopped: AtomicBool,
    /// Bytes in use, and states, at which the search pauses.
    pause_limits: [AtomicU64; 2],
    limit: Mutex<Option<Limit>>,
}

/// Counts of one worker. Only this worker writes them.
#[derive(Default, Debug)]
#[repr(align(128))]
struct Tally {
    transitions: AtomicU64,
    expanded: AtomicU64,
}

impl Tally {
    fn set(&self, transitions: u64, expanded: u64) {
        self.transitions.store(transitions, Ordering::Relaxed);
        self.expanded.store(expanded, Ordering::Relaxed);
    }
}

impl<'a, S: Store> Search<'a, S> {
    fn new(store: &'a S, options: &'a Options, budget: &'a Budget, progress: &'a Progress) -> Search<'a, S> {
        let threads = options.workers();
        Search {
            store,
            options,
            budget,
            progress,
            threads,
            prior: migration::PriorWork::default(),
            tallies: (0..threads).map(|_| Tally::default()).collect(),
            depth: AtomicU64::new(0),
            open_filter: OpenSetFilter::new(options.reduces),
            stopped: AtomicBool::new(false),
            pause_limits: [const { AtomicU64::new(u64::MAX) }; 2],
            limit: Mutex::new(None),
        }
    }

    /// Stops the search at a limit. The first limit wins.
    fn stop(&self, limit: Limit) {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(limit);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Stops the search because it has found an error.
    fn halt(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn take_limit(&self) -> Option<Limit> {
        if self.is_stopped() { self.limit.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None }
    }

    /// Checks the budget, including the memory of the open set, and reports progress.
    fn check(&self, bytes: u64, waiting: u64) {
        self.report(bytes, waiting);
        let bytes = self.store.bytes() + bytes;
        if let Err(limit) = self.budget.check(bytes) {
            self.stop(limit);
        }
        let [most_bytes, most_states] = &self.pause_limits;
        let over = |now: u64, most: &AtomicU64| now >= most.load(Ordering::Relaxed);
        if over(self.budget.taken + bytes, most_bytes) || over(self.store.len(), most_states) {
            self.pause_at(0, 0);
        }
    }

    /// Sets the numbers of bytes and states at which the search pauses.
    fn pause_at(&self, bytes: u64, states: u64) {
        self.pause_limits[0].store(bytes, Ordering::Relaxed);
        self.pause_limits[1].store(states, Ordering::Relaxed);
    }

    /// Whether a check has decided to pause.
    fn should_pause(&self) -> bool {
        self.pause_limits[0].load(Ordering::Relaxed) == 0
    }

    /// Whether most of the permitted memory is in use.
    fn is_tight(&self, bytes: u64) -> bool {
        self.budget.memory.is_some_and(|memory| self.budget.taken + self.store.bytes() + bytes > memory / 8 * 7)
    }

    fn report(&self, bytes: u64, waiting: u64) {
        self.progress.set(Snapshot {
            states: self.store.len(),
            transitions: self.transitions(),
            depth: self.depth.load(Ordering::Relaxed),
            queue: waiting,
            bytes: self.store.bytes() + bytes,
        });
    }

    fn transitions(&self) -> u64 {
        self.prior.transitions + self.tallies.iter().map(|tally| tally.transitions.load(Ordering::Relaxed)).sum::<u64>()
    }

    fn expanded(&self) -> u64 {
        self.prior.expanded + self.tallies.iter().map(|tally| tally.expanded.load(Ordering::Relaxed)).sum::<u64>()
    }

    fn statistics(&self, depth: u32, errors: Errors, search_bytes: u64) -> Statistics {
        Statistics {
            states: self.store.len(),
            transitions: self.transitions(),
            depth: u64::from(depth),
            errors,
            store: self.options.store,
            migrations: self.prior.migrations.clone(),
            cache: None,
            state_bytes: self.store.longest(),
            store_bytes: self.store.bytes(),
            search_bytes,
            omissions: self.store.omissions(),
            swarm: None,
            probe: None,
        }
    }

    /// The end of a search whose open set is empty. The search is complete if all stored states were expanded, the
    /// store is exact, and no atomic sequence was cut off.
    fn conclude(&self, errors: Errors, endless: Option<Finding>) -> End {
        if let Some(finding) = endless {
            End::Stopped(Limit::EndlessSequence(finding))
        } else if self.expanded() != self.store.len() {
            End::Stopped(Limit::Depth(self.budget.max_depth.unwrap_or(u32::MAX)))
        } else if self.store.omission() != Omission::Exact {
            End::Stopped(Limit::LossyStore)
        } else {
            End::Exhausted(Exhausted::new(errors))
        }
    }

    /// The end of a search, given the limit that stopped it, if any, and its findings.
    fn end(&self, stop: Option<Limit>, findings: &mut error_collector::Findings<impl Sized>) -> End {
        if !self.options.all_errors && !findings.kept.is_empty() {
            findings.keep_first();
            return End::Violation;
        }
        match stop {
            Some(limit) => End::Stopped(limit),
            None => self.conclude(findings.errors, findings.endless.take()),
        }
    }
}

fn breadth_first<S: Store>(
    store: impl Fn() -> S,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let found = {
        let store = store();
        let search = Search::new(&store, options, budget, progress);
        let (levels, probe) = probe::levels(&search, factory, [u64::MAX; 2]);
        probe.conclude(&search, levels)
    };
    // Ample sets depend on which states are new, and with several workers on timing.
    let same = !options.reduces || options.workers() == 1;
    find_trails(found, store, factory, options, budget, same)
}

/// The outcome of a breadth-first search, and the trails of its errors as far as the retained levels reach.
fn conclude_levels<S: Store>(
    search: &Search<'_, S>,
    mut levels: bfs::Levels<'_, '_, S>,
) -> (Outcome, Vec<PartialTrail>) {
    let end = search.end(levels.stop.take(), &mut levels.findings);
    search.report(levels.queue.bytes(), 0);
    let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.queue.bytes());
    let kept = std::mem::take(&mut levels.findings.kept);
    if S::LINKED {
        let violations = linked_violations(kept, &mut levels.workers[0]);
        return (Outcome::new(end, violations, statistics), Vec::new());
    }
    let mut trails: Vec<PartialTrail> =
        kept.into_iter().map(|(found, depth)| PartialTrail::new(found, depth)).collect();
    trail::trace(&mut trails, &mut levels);
    (Outcome::new(end, Vec::new(), statistics), trails)
}

/// Completes the trails after the store of the search was dropped. If another search would not visit the `same`
/// states, the errors are searched again by one worker, whose search is reproducible.
fn find_trails<S: Store>(
    (mut outcome, mut trails): (Outcome, Vec<PartialTrail>),
    store: impl Fn() -> S,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    same: bool,
) -> Outcome {
    if !same && trail::deepest(&trails) > 0 {
        let alone = Options { threads: Some(1), ..options.clone() };
        // A trait object avoids an infinite recursion of types.
        let store: &dyn Fn() -> S = &store;
        let again = breadth_first(store, factory, &alone, budget, &Progress::new());
        if again.violations.is_empty() {
            outcome.end = again.end;
        }
        outcome.violations = again.violations;
        return outcome;
    }
    if let Err(limit) = search_again(&mut trails, store, factory, options, budget) {
        trails.retain(PartialTrail::is_done);
        if trails.is_empty() {
            outcome.end = End::Stopped(limit);
        }
    }
    outcome.violations.extend(trails.into_iter().map(PartialTrail::finish));
    outcome
}

/// Extends trails whose remaining levels are not in memory: it repeats the search up to that depth, retains as many
/// levels as fit, and iterates until all trails are complete.
fn search_again<S: Store>(
    trails: &mut [PartialTrail],
    store: impl Fn() -> S,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
) -> Result<(), Limit> {
    // The first search has already reported these errors.
    let options = Options { all_errors: true, ..options.clone() };
    while trail::deepest(trails) > 0 {
        let store = store();
        let progress = Progress::new();
        let search = Search::new(&store, &options, budget, &progress);
        let mut levels = bfs::run(&search, factory, trail::deepest(trails) as u32 - 1, true);
        if let Some(limit) = levels.stop.take() {
            return Err(limit);
        }
        trail::trace(trails, &mut levels);
    }
    Ok(())
}

fn depth_first<'a, S: Store>(search: &Search<'a, S>, mut descent: dfs::Descent<'a, '_, S>) -> Outcome {
    let end = search.end(descent.stop.take(), &mut descent.findings);
    let statistics = search.statistics(descent.stack.deepest, descent.findings.errors, descent.stack.bytes());
    let kept = std::mem::take(&mut descent.findings.kept);
    let kept = kept.into_iter().filter(|(_, path)| !path.is_empty());
    let violations = kept.map(|(found, path)| violation(found, &path, &mut descent.worker));
    Outcome::new(end, violations.collect(), statistics)
}

fn max_depth(budget: &Budget) -> u32 {
    budget.max_depth.unwrap_or(u32::MAX)
}

fn lossy_depth_first<F: Filter>(search: &Search<'_, LossyStore<F, PackedStacks>>, factory: Factory<'_, '_>) -> Outcome {
    conclude_descent(search, lossy_dfs::run(search, factory, max_depth(search.budget)))
}

fn conclude_descent<F: Filter>(
    search: &Search<'_, LossyStore<F, PackedStacks>>,
    mut descent: lossy_dfs::Descent,
) -> Outcome {
    let end = search.end(descent.stop.take(), &mut descent.findings);
    let statistics = search.statistics(descent.depth, descent.findings.errors, descent.bytes);
    let violation = |(found, choices): (error_collector::FoundError, lossy_dfs::Choices)| {
        let trail = Trail { choices: choices?, ending: found.ending };
        Some(Violation { error: found.error, trail })
    };
    let violations = descent.findings.kept.into_iter().filter_map(violation).collect();
    Outcome::new(end, violations, statistics)
}

/// The violations of a linked store, by the parent links of their states.
fn linked_violations<S: Store, W>(
    kept: Vec<(error_collector::FoundError, W)>,
    worker: &mut worker::Worker<'_, '_, S>,
) -> Vec<Violation> {
    let trace = |(found, _): (error_collector::FoundError, W)| {
        let path = trail::path(&worker.handle, found.id);
        violation(found, &path, worker)
    };
    kept.into_iter().map(trace).collect()
}

fn violation<S: Store>(
    found: error_collector::FoundError,
    path: &[StateId],
    worker: &mut worker::Worker<'_, '_, S>,
) -> Violation {
    let choices = trail::choices(path, worker);
    Violation { error: found.error, trail: Trail { choices, ending: found.ending } }
}
