//! The result of a search: how it ended, the violations, the statistics.

use kripke_model::{Finding, FindingKind, Trail};

use crate::budget::Limit;
use crate::explore::{Evidence, StoreKind};
use crate::store::OmissionEstimate;

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    /// How the search ended.
    pub end: End,
    /// The violations found: one, or with [`all_errors`](crate::Options::all_errors) one per error site, as long as
    /// there is room for their trails. Breadth-first order gives those nearest to the initial state.
    pub violations: Vec<Violation>,
    /// Witnesses or counterexamples of a CTL formula, where runs can show its value.
    pub evidence: Option<Evidence>,
    /// The counters of the search.
    pub statistics: Statistics,
}

impl Outcome {
    /// The outcome of a search that did not run.
    pub fn nothing() -> Outcome {
        Outcome::new(End::Stopped(Limit::Interrupted), Vec::new(), Statistics::default())
    }

    pub(crate) fn new(end: End, violations: Vec<Violation>, statistics: Statistics) -> Outcome {
        Outcome { end, violations, evidence: None, statistics }
    }
}

/// How a search ended.
#[derive(Debug)]
pub enum End {
    /// Every reachable state was expanded.
    Exhausted(Exhausted),
    /// The question is answered without expanding every reachable state.
    Decided(ErrorFree),
    /// The search stopped at its first violation.
    Violation,
    /// The search is incomplete because of this limit.
    Stopped(Limit),
}

/// Evidence that every reachable state was expanded. A search with an exact store whose open set became empty constructs one,
/// and [`certify`](crate::certify) does for a set of states that it finds closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exhausted {
    errors: Errors,
}

/// Evidence that no error exists: every state that the question depends on was expanded, and none is an error. A
/// proof needs one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorFree(());

/// An error and a trail to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The kind of error.
    pub error: ErrorKind,
    /// The run that leads to it.
    pub trail: Trail,
}

/// The kinds of errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// A failed assertion or a fault.
    Finding(Finding),
    /// An invalid end state (deadlock).
    InvalidEnd,
    /// A state in which the goal of the model holds.
    Goal,
    /// A bad prefix: the observer (never claim or trace automaton) has reached an end location.
    BadPrefix,
    /// An accepting cycle: a run that visits accepting states infinitely often.
    Cycle,
    /// A CTL formula is false in the initial state. The trail is the first run of the [`Evidence`].
    Refuted,
}

/// Counters of a search.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Statistics {
    /// Stored states.
    pub states: u64,
    /// Transitions between stored states. Parallel transitions count separately.
    pub transitions: u64,
    /// Those of them that sleep sets have left out: they are counted, and their targets are not looked up.
    pub asleep: u64,
    /// The largest depth of an expanded state: in breadth-first order its shortest distance from the initial state,
    /// in depth-first order the length of the path taken.
    pub depth: u64,
    /// Errors by kind.
    pub errors: Errors,
    /// The store at the end of the search.
    pub store: StoreKind,
    /// The stores before it, in order of use.
    pub migrations: Vec<StoreMigration>,
    /// Use of the cache, if the store is one. States and errors that are revisited count again.
    pub cache: Option<CacheUse>,
    /// Length of the longest state, in bytes.
    pub state_bytes: u64,
    /// Memory of the store, in bytes.
    pub store_bytes: u64,
    /// Memory of the open set at the end, in bytes; for a depth-first search with a lossy store, the maximum over the
    /// search.
    pub search_bytes: u64,
    /// Estimate of the states that a lossy store has omitted.
    pub omissions: Option<OmissionEstimate>,
    /// Counters of a swarm. The number of states is then an estimate of the distinct states that all searches
    /// together have visited.
    pub swarm: Option<Swarm>,
    /// The depth-first probe of a breadth-first search, if there was one. Its states do not count above.
    pub probe: Option<ProbeUse>,
}

/// A depth-first probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbeUse {
    /// The states that it has stored.
    pub states: u64,
    /// Whether the error is one that only the probe has found: its trail may not be a shortest one.
    pub is_used: bool,
}

/// Counters of a swarm of searches.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Swarm {
    /// Searches started.
    pub searches: u64,
    /// Searches that came to an end.
    pub finished: u64,
    /// Estimated fraction of the reachable states that the swarm has visited.
    pub coverage: f64,
}

/// Use of a state cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheUse {
    /// Number of slots.
    pub slots: u64,
    /// Number of replaced states. If it is zero, each state was visited once.
    pub replaced: u64,
    /// Number of successors that were found in the cache.
    pub revisits: u64,
    /// Largest number of slots that have to be looked at to find a state.
    pub probes: u64,
}

/// A change to another store because memory was nearly exhausted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreMigration {
    /// The store before the change.
    pub from: StoreKind,
    /// Number of states at the time of the change.
    pub states: u64,
}

/// Number of errors by kind. Assertions and faults count once per execution, invalid end states once per state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Errors {
    /// Failed assertions.
    pub assertions: u64,
    /// Faults.
    pub faults: u64,
    /// Invalid end states.
    pub invalid_ends: u64,
    /// States in which the model's goal holds.
    pub goals: u64,
    /// States at the end of a bad prefix of the property; false CTL formulas also count here.
    pub bad_prefixes: u64,
    /// Accepting cycles, one per state or component in which one was found.
    pub cycles: u64,
}

impl Errors {
    /// The number of all errors.
    pub fn total(&self) -> u64 {
        self.assertions + self.faults + self.invalid_ends + self.goals + self.bad_prefixes + self.cycles
    }

    pub(crate) fn add(&mut self, more: Errors) {
        self.assertions += more.assertions;
        self.faults += more.faults;
        self.invalid_ends += more.invalid_ends;
        self.goals += more.goals;
        self.bad_prefixes += more.bad_prefixes;
        self.cycles += more.cycles;
    }

    pub(crate) fn count(&mut self, error: &ErrorKind) {
        match error {
            ErrorKind::InvalidEnd => self.invalid_ends += 1,
            ErrorKind::Goal => self.goals += 1,
            ErrorKind::BadPrefix | ErrorKind::Refuted => self.bad_prefixes += 1,
            ErrorKind::Cycle => self.cycles += 1,
            ErrorKind::Finding(Finding { kind: FindingKind::Assertion, .. }) => self.assertions += 1,
            ErrorKind::Finding(_) => self.faults += 1,
        }
    }
}

impl ErrorFree {
    /// The caller guarantees that states which were not expanded cannot change the answer.
    pub(crate) fn new() -> ErrorFree {
        ErrorFree(())
    }
}

impl Exhausted {
    /// The caller guarantees that every reachable state was expanded.
    pub(crate) fn new(errors: Errors) -> Exhausted {
        Exhausted { errors }
    }

    /// The errors that the search has counted.
    pub fn errors(&self) -> Errors {
        self.errors
    }

    /// The evidence for a proof, if no error was counted.
    pub fn error_free(&self) -> Option<ErrorFree> {
        (self.errors.total() == 0).then(ErrorFree::new)
    }
}
