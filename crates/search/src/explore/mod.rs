//! Searches: reachability in breadth-first and depth-first order, liveness, CTL, and migration between stores.

mod accelerated;
mod arrivals;
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
mod options;
mod parallel_dfs;
mod part;
mod predecessor_hints;
mod probe;
mod spanning_tree;
mod store_kind;
mod swarm;
mod trail;
mod work_sharing;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use kripke_model::{Finding, Successors, Trail};

use crate::budget::{Budget, Limit};
use crate::outcome::{End, Errors, Exhausted, Outcome, Statistics, Violation};
use crate::peers::Peers;
use crate::progress::{Progress, Snapshot};
use crate::store::{
    BitStore, ExactStore, Filter, HashStore, LinkedOpenSet, LossyStore, MAX_WORD_BITS, Omission, PackedStacks, StateId,
    StateWord, Store, TreeStore, WordStore,
};
pub use accelerated::explore_accelerated;
pub use cached_dfs::CacheSize;
pub use ctl::{Claim, CtlFormula, Evidence, Place, Run, SubformulaId};
pub(crate) use liveness::label as mark_of_edge;
pub use liveness::{Algorithm, Cycles, Fairness};
pub use lossy_dfs::SuccessorOrder;
use open_set_filter::OpenSetFilter;
pub use options::{Options, Order};
pub use part::explore_part;
pub use store_kind::StoreKind;
use trail::PartialTrail;

/// Creates the successor generator of each worker.
pub type Factory<'f, 'm> = &'f (dyn Fn() -> Box<dyn Successors + 'm> + Sync);

/// Explores with the store of the options, [adjusted to the model](Options::fit).
pub fn explore(successors: Factory<'_, '_>, options: &Options, budget: &Budget, progress: &Progress) -> Outcome {
    let hidden_prefix = successors().hidden_prefix();
    let options = &options.clone().fit(hidden_prefix);
    match options.store {
        StoreKind::Auto | StoreKind::Words if let Some(bits) = word_bits(successors, options) => {
            let options = &Options { store: StoreKind::Words, ..options.clone() };
            if options.is_temporal() {
                temporal_in_words(bits, successors, options, budget, progress)
            } else if bits <= <u64 as StateWord>::MAX_BITS {
                let store = || WordStore::<u64>::new(bits, budget.capacity(), options.workers());
                reachability(store, successors, options, budget, progress)
            } else {
                let store = || WordStore::<u128>::new(bits, budget.capacity(), options.workers());
                reachability(store, successors, options, budget, progress)
            }
        }
        StoreKind::Auto | StoreKind::Words if options.is_temporal() || options.store == StoreKind::Words => {
            explore(successors, &Options { store: StoreKind::Exact, ..options.clone() }, budget, progress)
        }
        StoreKind::Auto | StoreKind::Words => migration::explore(successors, options, budget, progress),
        StoreKind::Cache(size) => cached_dfs::explore(successors, options, size, budget, progress),
        StoreKind::Exact => {
            let store = || exact_store(successors, options, budget).with_hidden_prefix(hidden_prefix);
            explore_with(store, successors, options, budget, progress)
        }
        StoreKind::Tree if options.is_temporal() => {
            let store = TreeStore::<true>::with_notes(budget.capacity(), options.workers());
            temporal(&store, successors, options, budget, progress)
        }
        StoreKind::Tree => {
            let bits = successors().word_bits();
            let store = || TreeStore::new(budget.capacity(), options.workers()).with_words(bits);
            reachability(store, successors, options, budget, progress)
        }
        StoreKind::Hash { bits } if options.order == Order::DepthFirst => {
            let store = HashStore::new(bits, budget.capacity(), options.workers())
                .seeded(options.seed)
                .hashed_by(options.hash_function);
            lossy_depth_first(&Search::new(&store, options, budget, progress), successors)
        }
        StoreKind::Hash { bits } => {
            let store = || {
                HashStore::<LinkedOpenSet>::new(bits, budget.capacity(), options.workers())
                    .seeded(options.seed)
                    .hashed_by(options.hash_function)
            };
            explore_with(store, successors, options, budget, progress)
        }
        StoreKind::Bitstate(size) if let Some(searches) = options.swarm => {
            swarm::run(size, searches, successors, options, budget, progress)
        }
        StoreKind::Bitstate(size) if options.order == Order::DepthFirst => {
            let store = BitStore::new(size, budget.capacity(), options.workers())
                .seeded(options.seed)
                .hashed_by(options.hash_function);
            lossy_depth_first(&Search::new(&store, options, budget, progress), successors)
        }
        StoreKind::Bitstate(size) => {
            let store = || {
                BitStore::<LinkedOpenSet>::new(size, budget.capacity(), options.workers())
                    .seeded(options.seed)
                    .hashed_by(options.hash_function)
            };
            explore_with(store, successors, options, budget, progress)
        }
    }
}

/// The number of bits of states, if the word store takes them. It does not migrate to other stores.
fn word_bits(successors: Factory<'_, '_>, options: &Options) -> Option<u32> {
    let bits = successors().word_bits()?;
    let most = match options.store {
        StoreKind::Auto => options.word_store_bits.min(MAX_WORD_BITS),
        _ => MAX_WORD_BITS,
    };
    (bits <= most && !options.lossy && options.migrate_at.is_none()).then_some(bits)
}

/// An exact store for these states.
fn exact_store(successors: Factory<'_, '_>, options: &Options, budget: &Budget) -> ExactStore {
    ExactStore::new(budget.capacity(), options.workers()).with_words(successors().word_bits())
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
    if options.is_temporal() {
        return temporal(&store(), successors, options, budget, progress);
    }
    reachability(store, successors, options, budget, progress)
}

/// Evaluates a CTL formula or searches for accepting cycles. The store numbers its states or has notes.
fn temporal<S: Store>(
    store: &S,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let search = Search::new(store, options, budget, progress);
    match &options.ctl {
        Some(formula) => ctl::check(&search, successors, formula),
        None => liveness::check(&search, successors, options.cycles.unwrap_or_default()),
    }
}

/// The same with states of so many bits. Nested searches need a few bits for each state, the others a number. In slots of two
/// words the difference is small.
fn temporal_in_words(
    bits: u32,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let (capacity, workers) = (budget.capacity(), options.workers());
    let colours = options.ctl.is_none() && matches!(options.algorithm(), Some(Algorithm::Nested | Algorithm::Cndfs));
    match (bits <= <u64 as StateWord>::MAX_BITS, colours) {
        (true, true) => {
            temporal(&WordStore::<u64, 8>::with_notes(bits, capacity, workers), successors, options, budget, progress)
        }
        (true, false) => {
            temporal(&WordStore::<u64, 32>::with_notes(bits, capacity, workers), successors, options, budget, progress)
        }
        (false, _) => {
            temporal(&WordStore::<u128, 32>::with_notes(bits, capacity, workers), successors, options, budget, progress)
        }
    }
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
            // A state that is first found at the limit may have a shorter path.
            if search.threads > 1 && budget.max_depth.is_none() {
                return depth_first(&search, parallel_dfs::run(&search, successors));
            }
            depth_first(&search, dfs::run(&search, successors, max_depth(budget)))
        }
    }
}

/// Number of states expanded before their successors are interned together, where the order permits.
const ROUND: usize = 32;

/// Maximum size in bytes of states that move together to another store. They take memory besides the stores.
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
    /// The other processes, if this search is a part of one.
    peers: Option<&'a dyn Peers>,
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
    /// The transitions that sleep sets have left out.
    asleep: AtomicU64,
    /// States sent to other processes, and received from them.
    sent: AtomicU64,
    received: AtomicU64,
}

impl Tally {
    fn set(&self, [transitions, expanded, asleep]: [u64; 3]) {
        self.transitions.store(transitions, Ordering::Relaxed);
        self.expanded.store(expanded, Ordering::Relaxed);
        self.asleep.store(asleep, Ordering::Relaxed);
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
            peers: None,
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

    fn asleep(&self) -> u64 {
        self.prior.asleep + self.tallies.iter().map(|tally| tally.asleep.load(Ordering::Relaxed)).sum::<u64>()
    }

    fn statistics(&self, depth: u32, errors: Errors, search_bytes: u64) -> Statistics {
        Statistics {
            states: self.store.len(),
            transitions: self.transitions(),
            asleep: self.asleep(),
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
        if findings.suffice(self.options) {
            if !self.options.all_errors {
                findings.keep_first();
            }
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
        let (mut levels, probe) = probe::levels(&search, factory, [u64::MAX; 2]);
        let found = probe.conclude(&search, &mut levels);
        // Ample sets depend on which states are open.
        let is_useful = trail::deepest(&found.1) > 0 && !options.reduces;
        (found, if is_useful { levels.take_first() } else { None })
    };
    // Ample sets depend on which states are new, and with several workers on timing.
    let same = !options.reduces || options.workers() == 1;
    find_trails(found, store, factory, options, budget, same)
}

/// The outcome of a breadth-first search, and the trails of its errors as far as the retained levels reach.
fn conclude_levels<S: Store>(
    search: &Search<'_, S>,
    levels: &mut bfs::Levels<'_, '_, S>,
) -> (Outcome, Vec<PartialTrail>) {
    let end = search.end(levels.stop.take(), &mut levels.findings);
    search.report(levels.bytes(), 0);
    let statistics = search.statistics(levels.depth(), levels.findings.errors, levels.bytes());
    let kept = std::mem::take(&mut levels.findings.kept);
    if S::LINKED {
        let violations = linked_violations(kept, &mut levels.workers[0]);
        return (Outcome::new(end, violations, statistics), Vec::new());
    }
    let mut trails: Vec<PartialTrail> =
        kept.into_iter().map(|(found, depth)| PartialTrail::new(found, depth)).collect();
    let traced = trail::trace(&mut trails, levels, search.peers);
    let end = traced.map_or_else(End::Stopped, |()| end);
    (Outcome::new(end, Vec::new(), statistics), trails)
}

/// An outcome and its trails, which may not be complete, and levels with which another search can begin.
type Untraced<Q> = ((Outcome, Vec<PartialTrail>), Option<bfs::FirstLevels<Q>>);

/// Completes the trails after the store of the search was dropped. If another search would not visit the `same`
/// states, the errors are searched again by one worker, whose search is reproducible. Otherwise another search may begin with the
/// `first` levels.
fn find_trails<S: Store>(
    ((mut outcome, mut trails), first): Untraced<S::Queue>,
    store: impl Fn() -> S,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    same: bool,
) -> Outcome {
    if !same && trail::deepest(&trails) > 0 {
        let alone = Options { threads: Some(1), probe: false, ..options.clone() };
        // A trait object avoids an infinite recursion of types.
        let store: &dyn Fn() -> S = &store;
        let again = breadth_first(store, factory, &alone, budget, &Progress::new());
        if again.violations.is_empty() {
            outcome.end = again.end;
        }
        outcome.violations = again.violations;
        return outcome;
    }
    if let Err(limit) = search_again(&mut trails, first, store, factory, options, budget) {
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
    mut first: Option<bfs::FirstLevels<S::Queue>>,
    store: impl Fn() -> S,
    factory: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
) -> Result<(), Limit> {
    // The first search has already reported these errors.
    let options = Options { all_errors: true, stop_at: None, ..options.clone() };
    while trail::deepest(trails) > 0 {
        let store = store();
        let progress = Progress::new();
        let search = Search::new(&store, &options, budget, &progress);
        let depth = trail::deepest(trails) as u32 - 1;
        let mut levels = match first.take() {
            Some(first) => bfs::run_from(first, &search, factory, depth),
            None => bfs::run(&search, factory, depth, true),
        };
        if let Some(limit) = levels.stop.take() {
            return Err(limit);
        }
        trail::trace(trails, &mut levels, None)?;
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
