//! A request: everything a user can ask for, as plain data.
//!
//! The program builds one from its arguments, a Rust user through [`Check`](crate::Check), a replay from a trail file. A
//! request decides nothing: [`Plan::resolve`](crate::plan::Plan::resolve) does.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

pub use kripke_lang::Language;
pub use kripke_search::store::{HashFunction, Tolerance};
pub use kripke_search::{Algorithm, Fairness, Order, StoreKind};
use serde::{Deserialize, Serialize};

/// Everything a user can ask for.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Request {
    /// The text of the model.
    pub source: Source,
    /// The properties to check.
    pub questions: Questions,
    /// The violations that count as errors.
    pub errors: Errors,
    /// The reductions to apply.
    pub reductions: Reductions,
    /// The search and its store.
    pub search: Search,
    /// The limits of the search.
    pub limits: Limits,
    /// Whether the edges that were executed are collected.
    pub coverage: bool,
    /// Whether a formula that holds is tested for vacuity.
    pub vacuity: bool,
    /// Whether the first value that is cut is looked for.
    pub overflow_warnings: bool,
}

/// The options that change the meaning of a model's text.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Source {
    /// The language. The ending of the file's name decides if there is none.
    #[serde(with = "language", skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Macros to define: `NAME` or `NAME=TEXT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub define: Vec<String>,
    /// Macros to undefine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undefine: Vec<String>,
    /// Directories of included files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<PathBuf>,
    /// Whether nested `unless` escapes are tried from the inside out.
    #[serde(skip_serializing_if = "is_false")]
    pub reverse_escapes: bool,
    /// Whether a message that is sent to a full channel is lost.
    #[serde(skip_serializing_if = "is_false")]
    pub lossy: bool,
    /// Whether storing a value that a variable does not hold is a fault. Otherwise the value is cut.
    #[serde(skip_serializing_if = "is_false")]
    pub overflow_is_error: bool,
}

/// The properties to check. If nothing in particular is asked for, these are safety and every property that the model
/// states.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Questions {
    /// Assertions, end states and faults, in addition to all others.
    pub safety: bool,
    /// Properties of the model, by name.
    pub properties: Vec<String>,
    /// Formulas of linear temporal logic.
    pub ltl: Vec<String>,
    /// Files with formulas of linear temporal logic.
    pub ltl_files: Vec<PathBuf>,
    /// Files with automata in HOA format that accept the forbidden runs.
    pub hoa: Vec<PathBuf>,
    /// Formulas of computation tree logic.
    pub ctl: Vec<String>,
    /// Conditions on states: can one be reached?
    pub reach: Vec<String>,
    /// Conditions that hold in every state.
    pub invariants: Vec<String>,
    /// Acceptance cycles.
    pub acceptance: bool,
    /// Non-progress cycles.
    pub non_progress: bool,
    /// Whether never claims and formulas that the model states are ignored.
    pub ignore_claims: bool,
    /// The fairness assumption.
    pub fairness: Fairness,
}

/// The violations that count as errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errors {
    /// Failed assertions.
    pub assertions: bool,
    /// Invalid end states.
    pub end_states: bool,
    /// Whether the search counts all errors instead of stopping at the first.
    pub all: bool,
    /// With `all`: the number of errors at which the search stops after all.
    pub stop_at: Option<NonZeroU64>,
}

/// The reductions to apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// No reduction at all, and exclusive-access claims (`xr`, `xs`) are not checked: SPIN's unreduced state space.
    pub raw: bool,
    /// Statement merging.
    pub merging: bool,
    /// Dead-variable analysis.
    pub dead_variables: bool,
    /// Slicing and constant folding.
    pub slicing: bool,
    /// Partial-order reduction.
    pub partial_order: bool,
    /// Sleep sets, where all successors are expanded. They change no numbers; a raw search uses them, too.
    pub sleep_sets: bool,
    /// Symmetry reduction.
    pub symmetry: bool,
    /// The ample sets of one of so many states are audited.
    pub audit: Option<u32>,
}

/// The search and its store.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Search {
    /// The order of states; the store decides if there is none.
    pub order: Option<Order>,
    /// The algorithm that finds accepting cycles.
    pub algorithm: Algorithm,
    /// The store of visited states.
    pub store: Store,
    /// Whether stored states are packed into as few bits as their values need.
    pub compact: bool,
    /// The generator of successors.
    pub engine: Engine,
    /// The number of threads; one for each core if there is none.
    pub threads: Option<u16>,
    /// The number of ranks that search together, if the search is a distributed one.
    pub ranks: Option<u16>,
    /// The distributed algorithm that finds accepting cycles, by its name.
    pub distributed: Option<&'static str>,
    /// Whether a GPU searches.
    pub gpu: Option<Gpu>,
}

/// The use of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gpu {
    /// Where it can search; otherwise the processor does.
    Prefer,
    /// A search that the GPU can't do is refused.
    Require,
}

impl Search {
    /// Whether cycles are certainly found component by component, so that an observer may have several acceptance sets.
    pub fn has_acceptance_sets(&self) -> bool {
        matches!(self.algorithm, Algorithm::Scc | Algorithm::Ufscc)
    }
}

/// The generator of successors.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// Machine code.
    #[default]
    Compile,
    /// The reference interpreter.
    Interpret,
}

/// The store of visited states, and the options of single kinds of stores. An option that the kind does not have is
/// refused.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Store {
    /// The kind; automatic, or bitstate for a swarm, if there is none.
    pub kind: Option<StoreKind>,
    /// Automatic: continue with a lossy store when tree compression does not fit.
    pub lossy: bool,
    /// Automatic: change to tree compression at so many states.
    pub change_at: Option<u64>,
    /// Cache: the number of states.
    pub cache_states: Option<u32>,
    /// Cache: a state is replaced after so many collisions.
    pub cache_collisions: Option<u32>,
    /// Cache: the search gives up after so many collisions.
    pub cache_probes: Option<u32>,
    /// Bitstate: the logarithm of the number of bits.
    pub bits: Option<u8>,
    /// Bitstate: the bits for each state.
    pub hashes: Option<u8>,
    /// Hash compaction: the bits for each state.
    pub hash_bits: Option<u8>,
    /// Lossy stores: the seed of the hash function.
    pub hash_seed: Option<u64>,
    /// Lossy stores: the hash function.
    pub hash_function: Option<HashFunction>,
    /// Swarm: many bitstate searches.
    pub swarm: Option<Swarm>,
}

/// The number of searches of a swarm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swarm {
    /// As many as time allows.
    Timed,
    /// So many.
    Searches(u64),
}

/// The limits of a check.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Steps from the initial state.
    pub max_depth: Option<u32>,
    /// States to store.
    pub max_states: Option<u64>,
    /// Bytes of memory of the whole program; three quarters of the machine's if there is none.
    pub memory: Option<u64>,
    /// Time for each model.
    pub timeout: Option<Duration>,
}

impl Default for Errors {
    fn default() -> Errors {
        Errors { assertions: true, end_states: true, all: false, stop_at: None }
    }
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            raw: false,
            merging: true,
            dead_variables: true,
            slicing: true,
            partial_order: true,
            sleep_sets: true,
            symmetry: false,
            audit: None,
        }
    }
}

impl Questions {
    /// The conditions on states: those of `reach`, then the invariants.
    pub fn conditions(&self) -> Vec<String> {
        self.reach.iter().chain(&self.invariants).cloned().collect()
    }

    /// Whether a property in particular is asked for.
    pub fn is_particular(&self) -> bool {
        !self.properties.is_empty()
            || !self.ltl.is_empty()
            || !self.ltl_files.is_empty()
            || !self.hoa.is_empty()
            || !self.ctl.is_empty()
            || !self.reach.is_empty()
            || !self.invariants.is_empty()
            || self.acceptance
            || self.non_progress
    }

    /// Whether the properties that the model states are looked at.
    pub fn claims(&self) -> bool {
        !self.ignore_claims
    }
}

impl Store {
    /// The kind of store, with the default filled in. Sizes are up to the plan.
    pub fn kind(&self) -> StoreKind {
        let usual = if self.swarm.is_some() { "bitstate" } else { "auto" };
        self.kind.or_else(|| StoreKind::named(usual)).unwrap_or_default()
    }

    /// Whether states may be omitted.
    pub fn is_lossy(&self) -> bool {
        self.kind().is_lossy()
    }

    /// The replacement strategy of a cache.
    pub fn tolerance(&self) -> Tolerance {
        let usual = Tolerance::default();
        Tolerance {
            collisions: self.cache_collisions.unwrap_or(usual.collisions),
            probes: self.cache_probes.unwrap_or(usual.probes),
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

/// A language in a trail file: its name.
mod language {
    use kripke_lang::Language;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(language: &Option<Language>, out: S) -> Result<S::Ok, S::Error> {
        match language {
            Some(language) => out.serialize_str(language.name()),
            None => out.serialize_none(),
        }
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Language>, D::Error> {
        let name: Option<String> = Option::deserialize(from)?;
        let unknown = |name: String| serde::de::Error::custom(format!("unknown language `{name}`"));
        name.map(|name| Language::named(&name).ok_or_else(|| unknown(name))).transpose()
    }
}
