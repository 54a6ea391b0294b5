//! Certificates: how a search outside of this crate proves that it is exhausted.
//!
//! A set of states that contains the initial state and every successor of each of its members contains every reachable state.
//! So a search may visit states in any order, on any machine, with any mistake in it: [`certify`] expands each of the states
//! that it submits once more, and accepts the set only if it is closed.

use std::fmt;

use kripke_model::{Batch, Choice, FindingKind, State, Successors};

use crate::explore::Options;
use crate::outcome::{Errors, Exhausted};

/// A set of states that a search claims to be closed.
pub trait ClosedSet {
    /// Calls `each` with every state of the set.
    fn for_each(&self, each: &mut dyn FnMut(&State));

    /// Whether a state is in the set. The answer must be exact.
    fn contains(&self, state: &State) -> bool;
}

/// Why a set of states is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotClosed {
    /// The initial state is not in the set.
    Initial,
    /// A successor of a state is not in the set.
    Successor {
        /// The state.
        of: Vec<u8>,
        /// Its successor that is missing.
        missing: Vec<u8>,
    },
    /// An atomic sequence does not end, so the successors of this state are not known.
    EndlessSequence {
        /// The state.
        of: Vec<u8>,
    },
}

impl fmt::Display for NotClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotClosed::Initial => "the initial state is missing",
            NotClosed::Successor { .. } => "a successor of a state is missing",
            NotClosed::EndlessSequence { .. } => "an atomic sequence does not end",
        })
    }
}

impl std::error::Error for NotClosed {}

/// Expands every state of a set, checks that the set is closed, and counts the errors in it. The options say which findings
/// are errors; the certificate is about states and steps, not about cycles or CTL.
pub fn certify(
    set: &dyn ClosedSet,
    successors: &mut dyn Successors,
    options: &Options,
) -> Result<Exhausted, NotClosed> {
    let mut batch = Batch::new();
    successors.initial(&mut batch);
    if !batch.states().all(|state| set.contains(state)) {
        return Err(NotClosed::Initial);
    }
    let mut errors = Errors::default();
    let mut result = Ok(());
    set.for_each(&mut |state| {
        if result.is_ok() {
            batch.clear();
            let flags = successors.expand(state, Choice::All, &mut batch);
            errors.goals += u64::from(flags.goal);
            errors.bad_prefixes += u64::from(flags.bad_prefix);
            errors.invalid_ends += u64::from(flags.invalid_end && options.end_states);
            result = closed(set, state, &batch, options, &mut errors);
        }
    });
    result.map(|()| Exhausted::new(errors))
}

/// Checks the successors of one state, and counts the findings on the way to them.
fn closed(
    set: &dyn ClosedSet,
    state: &State,
    batch: &Batch,
    options: &Options,
    errors: &mut Errors,
) -> Result<(), NotClosed> {
    for finding in batch.findings() {
        match finding.kind {
            FindingKind::Assertion => errors.assertions += u64::from(options.assertions),
            FindingKind::Fault(_) => errors.faults += 1,
            FindingKind::EndlessSequence => return Err(NotClosed::EndlessSequence { of: state.to_vec() }),
        }
    }
    match batch.states().find(|successor| !set.contains(successor)) {
        Some(missing) => Err(NotClosed::Successor { of: state.to_vec(), missing: missing.to_vec() }),
        None => Ok(()),
    }
}
