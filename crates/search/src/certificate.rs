//! Certificates: how a search outside of this crate proves that it is exhausted.
//!
//! A set of states that contains the initial state and every successor of each of its members contains every reachable state.
//! So a search may visit states in any order, on any machine, with any mistake in it: [`certify`] expands each of the states
//! that it submits once more, and accepts the set only if it is closed.
//!
//! [`certify_acyclic`] accepts a proof that no cycle is accepting: ranks of the states that never increase along a transition.
//! All states of a cycle then have the same rank, so it suffices that the transitions between states of equal rank lack an
//! acceptance mark. Every graph without accepting cycles has such ranks: the number of a strongly connected component in a
//! topological order of the components, ascending from the last one.

use std::fmt;

use kripke_model::{Batch, Choice, FindingKind, Flags, State, Successors};

use crate::explore::{Cycles, Options, mark_of_edge};
use crate::outcome::{Errors, Exhausted};

/// A set of states that a search claims to be closed.
pub trait ClosedSet {
    /// Calls `each` with every state of the set, once.
    fn for_each(&self, each: &mut dyn FnMut(&State));

    /// Whether a state is in the set. The answer must be exact.
    fn contains(&self, state: &State) -> bool;
}

/// A closed set with ranks, for a proof that no cycle is accepting.
pub trait RankedSet: ClosedSet {
    /// The rank of a state of the set. It must be the same whenever it is asked for.
    fn rank(&self, state: &State) -> Rank;
}

/// A rank. It may not increase along a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rank {
    /// The number of the rank.
    pub number: u64,
    /// An acceptance mark that no transition between states of this rank has: one bit of the marks of the [observer](Cycles), or 1 if
    /// acceptance is defined on states.
    pub absent: u32,
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
    /// The ranks do not rule out that this transition is part of an accepting cycle.
    Rank {
        /// The state.
        of: Vec<u8>,
        /// Its successor.
        to: Vec<u8>,
    },
    /// The question is about cycles, and the set has no ranks; or it is a CTL formula, for which there is no certificate.
    Question,
}

impl fmt::Display for NotClosed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotClosed::Initial => "the initial state is missing",
            NotClosed::Successor { .. } => "a successor of a state is missing",
            NotClosed::EndlessSequence { .. } => "an atomic sequence does not end",
            NotClosed::Rank { .. } => "the ranks do not exclude an accepting cycle",
            NotClosed::Question => "the certificate is not about this question",
        })
    }
}

impl std::error::Error for NotClosed {}

/// The result of a check of a certificate.
pub(crate) struct Certified {
    pub exhausted: Exhausted,
    pub states: u64,
    pub transitions: u64,
}

/// Expands every state of a set, checks that the set is closed, and counts the errors in it. The options say which findings
/// are errors. A question about cycles needs [`certify_acyclic`]; CTL formulas have no certificate.
pub fn certify(
    set: &dyn ClosedSet,
    successors: &mut dyn Successors,
    options: &Options,
) -> Result<Exhausted, NotClosed> {
    if options.cycles.is_some() || options.ctl.is_some() {
        return Err(NotClosed::Question);
    }
    check(set, &mut |_, _, _| Ok(()), successors, options).map(|certified| certified.exhausted)
}

/// Checks that a set is closed, as [`certify`] does, and that no cycle in it is accepting. No cycle is then accepting and fair,
/// either. A graph with accepting cycles that are not fair has no certificate.
pub fn certify_acyclic(
    set: &dyn RankedSet,
    successors: &mut dyn Successors,
    options: &Options,
) -> Result<Exhausted, NotClosed> {
    check_ranks(set, successors, options).map(|certified| certified.exhausted)
}

pub(crate) fn check_ranks(
    set: &dyn RankedSet,
    successors: &mut dyn Successors,
    options: &Options,
) -> Result<Certified, NotClosed> {
    // Acceptance marks number all edges of a state, not those of its ample set.
    let fits = |cycles: &Cycles| options.ctl.is_none() && !(options.reduces && cycles.by_edges());
    let Some(cycles) = options.cycles.filter(fits) else { return Err(NotClosed::Question) };
    let mut ranked = |state: &State, marks: &[u32], (flags, batch): (Flags, &Batch)| {
        let from = set.rank(state);
        let bad = batch.states().enumerate().find(|(number, successor)| {
            let label = cycles.marks(flags) | mark_of_edge(marks, *number);
            !excludes(cycles, from, set.rank(successor), label)
        });
        match bad {
            Some((_, to)) => Err(NotClosed::Rank { of: state.to_vec(), to: to.to_vec() }),
            None => Ok(()),
        }
    };
    check(set, &mut ranked, successors, options)
}

/// Whether a transition with these ranks and acceptance marks is part of no accepting cycle.
fn excludes(cycles: Cycles, from: Rank, to: Rank, label: u32) -> bool {
    let lacks_mark = from.absent & cycles.all_marks() != 0 && label & from.absent == 0;
    to.number < from.number || to == from && lacks_mark
}

/// A further condition on a state: its acceptance marks, its flags and its successors.
type Condition<'c> = dyn FnMut(&State, &[u32], (Flags, &Batch)) -> Result<(), NotClosed> + 'c;

/// Expands every state of a set, checks that the set is closed and a further condition, and counts.
fn check<S: ClosedSet + ?Sized>(
    set: &S,
    condition: &mut Condition<'_>,
    successors: &mut dyn Successors,
    options: &Options,
) -> Result<Certified, NotClosed> {
    let (mut batch, mut postponed, mut marks) = (Batch::new(), Batch::new(), Vec::new());
    successors.initial(&mut batch);
    if !batch.states().all(|state| set.contains(state)) {
        return Err(NotClosed::Initial);
    }
    let (mut errors, mut states, mut transitions) = (Errors::default(), 0, 0);
    let mut result = Ok(());
    set.for_each(&mut |state| {
        if result.is_ok() {
            batch.clear();
            marks.clear();
            let flags = expand(successors, options.reduces, state, (&mut batch, &mut postponed));
            if options.cycles.is_some_and(|cycles| cycles.by_edges()) {
                successors.acceptance_marks(state, &mut marks);
            }
            (states, transitions) = (states + 1, transitions + batch.len() as u64);
            errors.goals += u64::from(flags.goal);
            errors.bad_prefixes += u64::from(flags.bad_prefix);
            errors.invalid_ends += u64::from(flags.invalid_end && options.end_states);
            result = closed(set, state, &batch, options, &mut errors);
            result = result.clone().and_then(|()| condition(state, &marks, (flags, &batch)));
        }
    });
    result.map(|()| Certified { exhausted: Exhausted::new(errors), states, transitions })
}

/// Expands a state: its ample set if the search reduces. What the ample set postpones has to be in the set of states, too, so the
/// certificate is one for a cycle proviso that depends on the state alone.
pub(crate) fn expand(
    successors: &mut dyn Successors,
    reduces: bool,
    state: &State,
    (batch, postponed): (&mut Batch, &mut Batch),
) -> Flags {
    if !reduces {
        return successors.expand(state, Choice::All, batch);
    }
    postponed.clear();
    let flags = successors.expand_ample(state, batch, postponed);
    postponed.states().for_each(|successor| batch.push(successor));
    flags
}

/// Checks the successors of one state, and counts the findings on the way to them.
fn closed<S: ClosedSet + ?Sized>(
    set: &S,
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
