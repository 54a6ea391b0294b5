//! The options of a search.

use std::num::NonZeroU64;

use super::ctl::CtlFormula;
use super::liveness::{self, Algorithm, Cycles, Fairness};
use super::lossy_dfs::SuccessorOrder;
use super::store_kind::StoreKind;
use crate::store::{HashFunction, MAX_WORD_BITS};

/// The question, the order, the store and the reductions of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The order of the search.
    pub order: Order,
    /// Counts all errors instead of stopping at the first.
    pub all_errors: bool,
    /// With [`all_errors`](Options::all_errors): the number of errors at which the search stops after all. A breadth-first
    /// search completes the level.
    pub stop_at: Option<NonZeroU64>,
    /// Whether a failed assertion is an error.
    pub assertions: bool,
    /// Whether an invalid end state is an error. With an observer, it is one only while the observer can move.
    pub end_states: bool,
    /// The store.
    pub store: StoreKind,
    /// With [`StoreKind::Auto`]: states in words of at most so many bits are kept in the word store, longer ones in the exact store.
    pub word_store_bits: u32,
    /// With [`StoreKind::Auto`]: migrates to the tree store at about this number of states, whether or not memory is
    /// exhausted.
    pub migrate_at: Option<u64>,
    /// With [`StoreKind::Auto`]: migrates to hash compaction and bitstate hashing when the tree store does not fit
    /// either.
    pub lossy: bool,
    /// Number of threads. None means one per core, and one for a depth-first search with an exact store.
    pub threads: Option<usize>,
    /// Searches for accepting cycles instead of invalid end states.
    pub cycles: Option<Cycles>,
    /// The successor order of a depth-first search with a lossy store.
    pub successor_order: SuccessorOrder,
    /// Seed of the hash function. Lossy stores with different seeds omit different states.
    pub seed: u64,
    /// The hash function of lossy stores.
    pub hash_function: HashFunction,
    /// Runs a swarm of so many searches with bitstate stores.
    pub swarm: Option<u64>,
    /// A breadth-first search that finds no error soon is accompanied by a short depth-first search. An error that only the
    /// latter finds has a trail that is not shortest.
    pub probe: bool,
    /// Evaluates this CTL formula in the initial state, on the fly.
    pub ctl: Option<CtlFormula>,
    /// With [`ctl`](Options::ctl) and several threads: the number of states after which the threads explore all states instead.
    pub on_the_fly: u64,
    /// Lets a breadth-first search that expands all successors leave out those in [sleep sets](kripke_model::Arrival), which it
    /// counts and does not look up. States, depths and transitions are the same with them.
    pub sleep_sets: bool,
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
            stop_at: None,
            assertions: true,
            end_states: true,
            store: StoreKind::Auto,
            word_store_bits: MAX_WORD_BITS,
            migrate_at: None,
            lossy: false,
            threads: None,
            cycles: None,
            successor_order: SuccessorOrder::Forward,
            seed: 0,
            hash_function: HashFunction::default(),
            swarm: None,
            probe: false,
            ctl: None,
            on_the_fly: 1 << 17,
            sleep_sets: true,
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

    /// Whether the search is one for cycles or evaluates a CTL formula.
    pub fn is_temporal(&self) -> bool {
        self.cycles.is_some() || self.ctl.is_some()
    }

    /// Whether a depth-first search has several workers: if they are asked for, because its counterexamples depend on timing
    /// then. A search that may migrate to another store, and a cache, have one.
    fn descends_in_parallel(&self) -> bool {
        self.threads.is_some() && matches!(self.store, StoreKind::Words | StoreKind::Exact | StoreKind::Tree)
    }

    /// Whether a CTL formula is evaluated by several workers: if they are asked for, because they may explore states that the
    /// formula does not depend on. Fair paths are searched by one.
    fn evaluates_in_parallel(&self, formula: &CtlFormula) -> bool {
        self.threads.is_some() && formula.fairness() == Fairness::None
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        let wanted = self.wanted_threads();
        if let Some(formula) = &self.ctl {
            return if self.evaluates_in_parallel(formula) { wanted } else { 1 };
        }
        match (self.algorithm(), self.order) {
            (Some(Algorithm::Cndfs), _) => wanted,
            (Some(Algorithm::Ufscc), _) => wanted.min(liveness::union_find::MOST_WORKERS),
            (None, Order::DepthFirst) if self.store.is_lossy() => wanted,
            (None, Order::DepthFirst) if self.descends_in_parallel() => wanted,
            (Some(_), _) | (None, Order::DepthFirst) => 1,
            (None, Order::BreadthFirst) => wanted,
        }
    }

    /// The options that the search uses for a model with a [hidden prefix](kripke_model::Representation::hidden_prefix) of this length. The stored prefix
    /// depends on which predecessor comes first, so only one worker in a fixed order gives reproducible results. A
    /// path of stored states is a run of the model only if each state follows its first predecessor, as in a
    /// level-by-level search. Searches for cycles and CTL need every state.
    #[must_use]
    pub fn fit(self, hidden_prefix: usize) -> Options {
        if hidden_prefix == 0 {
            let order = if matches!(self.store, StoreKind::Cache(_)) { Order::DepthFirst } else { self.order };
            let store = match self.store {
                StoreKind::Cache(_) | StoreKind::Hash { .. } | StoreKind::Bitstate(_) if self.is_temporal() => {
                    StoreKind::Exact
                }
                store => store,
            };
            return Options { order, store, ..self };
        }
        Options { order: Order::BreadthFirst, store: StoreKind::Exact, threads: Some(1), probe: false, ..self }
    }
}
