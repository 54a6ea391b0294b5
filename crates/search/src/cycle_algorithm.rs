//! Searches for accepting cycles that another crate adds: on a cluster, on a GPU.
//!
//! The algorithms of this crate are those of [`Algorithm`](crate::Algorithm); they share the stores and the workers of this
//! crate. An algorithm of another crate has its own states, threads and machines. It implements [`CycleAlgorithm`], and
//! [`explore_cycles`] turns its answer into an [`Outcome`]. This crate trusts no part of the answer: a certificate is checked here,
//! and the checker replays a lasso before it reports a violation.

use kripke_model::Trail;
use kripke_model::trail::Ending;

use crate::budget::{Budget, Limit};
use crate::certificate::{NotClosed, RankedSet, check_ranks};
use crate::explore::{Factory, Options, StoreKind};
use crate::outcome::{End, ErrorKind, Outcome, Statistics, Violation};
use crate::progress::{Progress, Snapshot};

/// A search for accepting cycles.
///
/// # Contract
///
/// * States are those that the successor generators give; each thread makes its own generator. A cycle is accepting if it has all
///   acceptance marks, or an accepting state if there are none.
/// * [`Answer::Lasso`] is a trail from the initial state that ends in [`Ending::Cycle`]. Under a
///   [fairness](crate::Cycles::fairness) assumption the cycle must be fair.
/// * [`Answer::NoCycle`] is the set of all reachable states, with [ranks](crate::Rank) that exclude accepting cycles.
/// * An error that is no cycle ends the search, too: a failed assertion if the [options](Options::assertions) say so, an invalid end
///   state if they do, a fault, a bad prefix.
/// * The search observes the budget: [`Budget::check`] names the limit that ends it. It reports its progress.
pub trait CycleAlgorithm {
    /// The name of the algorithm, as a user writes it.
    fn name(&self) -> &'static str;

    /// Searches for an accepting cycle.
    fn search(&self, successors: Factory<'_, '_>, options: &Options, budget: &Budget, progress: &Progress) -> Answer;
}

/// The answer of a search for accepting cycles.
#[allow(missing_debug_implementations)]
pub enum Answer {
    /// A run into an accepting cycle and around it.
    Lasso(Trail),
    /// An error that is no cycle.
    Error(Violation),
    /// There is no accepting cycle.
    NoCycle(Box<dyn RankedSet>),
    /// The search is incomplete.
    Stopped(Limit),
}

/// Why the answer of an algorithm is no result. Each is an error of the algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// The certificate is none.
    Certificate(NotClosed),
    /// The trail of a lasso does not end in a cycle.
    NoLasso,
    /// The options do not ask for cycles.
    NoCycles,
}

/// Searches for accepting cycles with an algorithm of another crate. A certificate is [checked](crate::certify_acyclic) here.
pub fn explore_cycles(
    algorithm: &dyn CycleAlgorithm,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Result<Outcome, Unproved> {
    options.cycles.ok_or(Unproved::NoCycles)?;
    let answer = algorithm.search(successors, options, budget, progress);
    let Snapshot { states, transitions, depth, bytes, .. } = progress.snapshot();
    let mut statistics = Statistics { states, transitions, depth, store_bytes: bytes, ..Statistics::default() };
    statistics.store = StoreKind::Exact;
    let (end, violations) = match answer {
        Answer::Stopped(limit) => (End::Stopped(limit), Vec::new()),
        Answer::Lasso(trail) if matches!(trail.ending, Ending::Cycle(_)) => {
            statistics.errors.cycles = 1;
            (End::Violation, vec![Violation { error: ErrorKind::Cycle, trail }])
        }
        Answer::Lasso(_) => return Err(Unproved::NoLasso),
        Answer::Error(violation) => {
            statistics.errors.count(&violation.error);
            (End::Violation, vec![violation])
        }
        Answer::NoCycle(set) => {
            let certified = check_ranks(&*set, &mut *successors(), options).map_err(Unproved::Certificate)?;
            (statistics.states, statistics.transitions) = (certified.states, certified.transitions);
            statistics.errors = certified.exhausted.errors();
            (End::Exhausted(certified.exhausted), Vec::new())
        }
    };
    Ok(Outcome::new(end, violations, statistics))
}
