//! How a search ended and what it saw.

use kripke_model::{Finding, FindingKind, Trail};

use crate::budget::Limit;
use crate::explore::{Evidence, StoreKind};
use crate::store::OmissionEstimate;

/// The result of a search.
#[derive(Debug)]
pub struct Outcome {
    pub end: End,
    /// One violation; with [`all_errors`](crate::Options::all_errors) one at each place, as far as there is room for
    /// their trails. In breadth-first order, of those nearest to the initial state.
    pub violations: Vec<Violation>,
    /// Why a formula about branching is true or false, if runs show any of that.
    pub evidence: Option<Evidence>,
    pub statistics: Statistics,
}

impl Outcome {
    /// Of no search at all.
    pub fn nothing() -> Outcome {
        Outcome::new(End::Stopped(Limit::Interrupted), Vec::new(), Statistics::default())
    }

    pub(crate) fn new(end: End, violations: Vec<Violation>, statistics: Statistics) -> Outcome {
        Outcome { end, violations, evidence: None, statistics }
    }
}

/// The one way in which a search ended.
#[derive(Debug)]
pub enum End {
    /// Every reachable state was expanded.
    Exhausted(Exhausted),
    /// What was asked is so, whatever is in the states that were not expanded.
    Decided(ErrorFree),
    /// Stopped at the first violation.
    Violation,
    Stopped(Limit),
}

/// Says that every reachable state was expanded. Only a search with an exact store whose frontier ran empty makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exhausted {
    errors: Errors,
}

/// Says that every reachable state was expanded, or every one that the question is about, and nothing wrong was found: the
/// stuff of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorFree(());

/// What is wrong, and how to get there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub wrong: Wrong,
    pub trail: Trail,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// An assertion or a fault.
    Finding(Finding),
    InvalidEnd,
    /// The model's goal was reached.
    Goal,
    /// The observer has seen what must not be.
    Caught,
    /// A run that meets accepting states for ever.
    Cycle,
    /// A formula about branching is false at the start. The run is the first of the [`Evidence`] for it.
    Refuted,
}

/// What was counted.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Statistics {
    pub states: u64,
    /// Edges between stored states; parallel ones count separately.
    pub transitions: u64,
    /// The longest distance of a state expanded from the initial one: in breadth-first order the shortest way there,
    /// in depth-first order the way taken.
    pub depth: u64,
    pub errors: Errors,
    /// How states were kept, in the end.
    pub store: StoreKind,
    /// How they were kept before, from the first to the last.
    pub migrations: Vec<StoreMigration>,
    /// With a cache: what became of it. States that were visited again count again, and so do errors there.
    pub cache: Option<CacheUse>,
    /// The length of the longest state.
    pub state_bytes: u64,
    /// Memory of the store.
    pub store_bytes: u64,
    /// Memory of the frontier at the end; of the stacks of a depth-first search with a lossy store, the most they had.
    pub search_bytes: u64,
    /// What a lossy store has probably omissions.
    pub omissions: Option<OmissionEstimate>,
    /// Of several searches: then the number of states is an estimate of how many different ones they have seen.
    pub swarm: Option<Swarm>,
}

/// What several searches have done together.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Swarm {
    pub searches: u64,
    /// Those that have come to an end.
    pub finished: u64,
    /// About the part of all states that was seen.
    pub coverage: f64,
}

/// What became of a cache of states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheUse {
    /// How many states it had room for.
    pub slots: u64,
    /// How many states were replaced by others. If none was, each was visited once.
    pub replaced: u64,
    /// How many times a state came up that was there.
    pub revisits: u64,
}

/// A search that went on with another store, because memory got tight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreMigration {
    /// The store it began with, or changed to before.
    pub from: StoreKind,
    /// How many states there were then.
    pub states: u64,
}

/// How often something was wrong: assertions and faults each time they are executed, invalid end states once each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Errors {
    pub assertions: u64,
    pub faults: u64,
    pub invalid_ends: u64,
    /// States in which the model's goal holds.
    pub goals: u64,
    /// States in which the observer has seen what must not be.
    pub caught: u64,
    /// Cycles with accepting states, one for each place where they were found.
    pub cycles: u64,
}

impl Errors {
    pub fn total(&self) -> u64 {
        self.assertions + self.faults + self.invalid_ends + self.goals + self.caught + self.cycles
    }

    pub(crate) fn add(&mut self, more: Errors) {
        self.assertions += more.assertions;
        self.faults += more.faults;
        self.invalid_ends += more.invalid_ends;
        self.goals += more.goals;
        self.caught += more.caught;
        self.cycles += more.cycles;
    }

    pub(crate) fn count(&mut self, wrong: &Wrong) {
        match wrong {
            Wrong::InvalidEnd => self.invalid_ends += 1,
            Wrong::Goal => self.goals += 1,
            Wrong::Caught | Wrong::Refuted => self.caught += 1,
            Wrong::Cycle => self.cycles += 1,
            Wrong::Finding(Finding { kind: FindingKind::Assertion, .. }) => self.assertions += 1,
            Wrong::Finding(_) => self.faults += 1,
        }
    }
}

impl ErrorFree {
    /// To be called only where nothing that was left out could make a difference.
    pub(crate) fn new() -> ErrorFree {
        ErrorFree(())
    }
}

impl Exhausted {
    /// To be called only when all is expanded, by the one place that can tell.
    pub(crate) fn new(errors: Errors) -> Exhausted {
        Exhausted { errors }
    }

    pub fn errors(&self) -> Errors {
        self.errors
    }

    pub fn error_free(&self) -> Option<ErrorFree> {
        (self.errors.total() == 0).then(ErrorFree::new)
    }
}
