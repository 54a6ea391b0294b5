//! On-the-fly CTL model checking: only states that the formula depends on are visited.
//!
//! Each operator explores the graph depth-first and evaluates its operands on demand (local model checking, as in the
//! algorithms of Vergauwen and Lewi, 1993, and of Bhat, Cleaveland and Grumberg, 1995). The values of subformulas in
//! states are kept, so that every operator traverses every transition once.
//!
//! If many states matter and several workers are wanted, these explore all states and evaluate every subformula in all of them
//! ([`parallel`]). Evidence is constructed from these values in the same way.

mod evaluate;
mod evidence;
mod formula;
mod parallel;
mod transition_graph;
mod values;

use std::sync::atomic::Ordering;

use kripke_model::Trail;

pub use evidence::{Claim, Evidence, Place, Run};
pub use formula::{CtlFormula, SubformulaId};

use super::error_collector::{Findings, FoundError};
use super::liveness::lasso;
use super::{Factory, Options, Search};
use crate::budget::Limit;
use crate::outcome::{End, ErrorFree, ErrorKind, Outcome, Violation};
use crate::store::{StateId, Store};
use evaluate::Evaluator;

/// The reason why an evaluation has no result.
#[derive(Debug)]
enum Stop {
    Limit(Limit),
    /// The model has an error.
    Error,
    /// Many states matter, and there are several workers.
    Large,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// Evaluates the formula in the initial state.
pub(super) fn check<S: Store>(search: &Search<'_, S>, factory: Factory<'_, '_>, formula: &CtlFormula) -> Outcome {
    let mut evaluator = Evaluator::new(search, factory(), formula);
    let root = match evaluator.worker.begin() {
        Ok(root) => root,
        Err(limit) => return conclude(evaluator, StateId::NONE, Err(Stop::Limit(limit))),
    };
    let mut value = evaluator.evaluate(formula.root(), root);
    evaluator.alone = u64::MAX;
    if matches!(value, Err(Stop::Large)) {
        value = parallel::values(&mut evaluator, factory, root).and_then(|values| {
            evaluator.use_values(values);
            evaluator.evaluate(formula.root(), root)
        });
    }
    let judged = value.and_then(|holds| {
        let evidence = match evaluator.evidence(formula.root(), holds, root) {
            // The formula holds even without evidence.
            Err(Stop::Limit(_)) if holds => None,
            found => Some(found?).filter(|e| !(holds && e.is_empty())),
        };
        Ok((holds, evidence))
    });
    conclude(evaluator, root, judged)
}

/// Whether the findings end the evaluation: there are as many errors as wanted, or the formula has no value.
fn suffice(findings: &Findings<StateId>, options: &Options) -> bool {
    findings.suffice(options) || findings.kept.iter().any(|(found, _)| found.is_of_goal())
}

fn conclude<S: Store>(
    mut evaluator: Evaluator<'_, '_, '_, S>,
    root: StateId,
    judged: Result<(bool, Option<Evidence>), Stop>,
) -> Outcome {
    let search = evaluator.search;
    let mut findings: Findings<StateId> = std::mem::take(&mut evaluator.findings);
    let (mut violations, mut evidence) = (Vec::new(), None);
    let end = match judged {
        Ok((false, shown)) => {
            let trail = shown.as_ref().and_then(|e| e.runs.first()).map(|run| run.trail.clone());
            violations.extend(trail.map(|trail| Violation { error: ErrorKind::Refuted, trail }));
            findings.errors.count(&ErrorKind::Refuted);
            evidence = shown;
            End::Violation
        }
        Ok((true, _)) if findings.errors.total() > 0 => End::Violation,
        Ok((true, shown)) => {
            evidence = shown;
            match search.conclude(findings.errors, None) {
                End::Exhausted(exhausted) => End::Exhausted(exhausted),
                // States that were not visited do not affect the value.
                _ => End::Decided(ErrorFree::new()),
            }
        }
        Err(Stop::Limit(limit)) => End::Stopped(limit),
        Err(Stop::Error | Stop::Large) => End::Violation,
    };
    let mut end = end;
    for (FoundError { error, ending, .. }, at) in std::mem::take(&mut findings.kept) {
        match lasso::stem(&mut evaluator.worker, root, at) {
            Ok(choices) => violations.push(Violation { error, trail: Trail { choices, ending } }),
            Err(limit) => end = End::Stopped(limit),
        }
    }
    let bytes = evaluator.bytes();
    search.depth.store(u64::from(evaluator.depth), Ordering::Relaxed);
    search.report(bytes, 0);
    let statistics = search.statistics(evaluator.depth, findings.errors, bytes);
    Outcome { end, violations, evidence, statistics }
}
