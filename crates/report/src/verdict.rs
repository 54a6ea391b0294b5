//! Verdicts, as types that can't claim more than was shown.
//!
//! [`Verdict::Holds`] needs the search's proof that it was exhaustive; [`Verdict::Violated`] needs a trail that the
//! reference interpreter has replayed.

use std::fmt;

use kripke_model::interpret::Interpreter;
use kripke_model::trail::{Ending, Replayed, Trail};
use kripke_search::{End, ErrorFree, ErrorKind, Limit, Outcome, Violation};

use crate::number;

/// The result of a check.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds.
    Holds(ErrorFree),
    /// The property is violated.
    Violated(Box<Violated>),
    /// The search gave no answer.
    Inconclusive(Reason),
}

/// At least one counterexample.
#[derive(Clone, Debug)]
pub struct Violated {
    /// The first counterexample.
    pub first: Counterexample,
    /// The other counterexamples, if all errors were searched for.
    pub others: Vec<Counterexample>,
}

/// A violation that the reference interpreter has replayed.
#[derive(Clone, Debug)]
pub struct Counterexample {
    error: ErrorKind,
    trail: Trail,
    replayed: Replayed,
}

/// The reason of an inconclusive verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit ended the search.
    Limit(Limit),
    /// These properties can't be checked by this version.
    Unchecked(Vec<String>),
    /// Errors were counted, but no memory was left for their traces.
    NoTrail,
}

/// A result of the search that the reference interpreter can't confirm: a bug in Kripke.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unconfirmed(pub String);

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a counterexample could not be confirmed: {}", self.0)
    }
}

impl std::error::Error for Unconfirmed {}

impl Verdict {
    /// The verdict for the outcome of a search. `unchecked` names properties of the model that the search ignored.
    pub fn judge(
        outcome: &Outcome,
        interpreter: &mut Interpreter,
        unchecked: &[String],
    ) -> Result<Verdict, Unconfirmed> {
        Verdict::judge_reduced(outcome, interpreter, None, unchecked)
    }

    /// The verdict for the search of a reduced model. Violations are replayed in the original model.
    pub fn judge_reduced(
        outcome: &Outcome,
        interpreter: &mut Interpreter,
        mut reduced: Option<&mut Interpreter>,
        unchecked: &[String],
    ) -> Result<Verdict, Unconfirmed> {
        let mut confirmed = Vec::new();
        for violation in &outcome.violations {
            confirmed.push(Counterexample::confirm(violation, interpreter, reduced.as_deref_mut())?);
        }
        if !confirmed.is_empty() {
            let first = confirmed.remove(0);
            return Ok(Verdict::Violated(Box::new(Violated { first, others: confirmed })));
        }
        if !unchecked.is_empty() {
            return Ok(Verdict::Inconclusive(Reason::Unchecked(unchecked.to_vec())));
        }
        Ok(match &outcome.end {
            End::Exhausted(exhausted) => match exhausted.error_free() {
                Some(proof) => Verdict::Holds(proof),
                None => Verdict::Inconclusive(Reason::NoTrail),
            },
            End::Decided(proof) => Verdict::Holds(proof.clone()),
            End::Stopped(limit) => Verdict::Inconclusive(Reason::Limit(limit.clone())),
            End::Violation => Verdict::Inconclusive(Reason::NoTrail),
        })
    }

    /// The verdict as a key in machine-readable results.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Violated(_) => "violated",
            Verdict::Inconclusive(_) => "inconclusive",
        }
    }
}

impl Counterexample {
    fn confirm(
        violation: &Violation,
        interpreter: &mut Interpreter,
        reduced: Option<&mut Interpreter>,
    ) -> Result<Counterexample, Unconfirmed> {
        let replayed = match reduced {
            None => violation.trail.replay(interpreter).map(|replayed| (violation.trail.clone(), replayed)),
            Some(reduced) => violation.trail.replay_whole(interpreter, reduced),
        };
        let (trail, replayed) = replayed.map_err(|e| Unconfirmed(e.to_string()))?;
        let same = match &violation.error {
            ErrorKind::InvalidEnd => replayed.ending() == Ending::InvalidEnd,
            ErrorKind::Goal => replayed.ending() == Ending::Goal,
            ErrorKind::BadPrefix => replayed.ending() == Ending::BadPrefix,
            ErrorKind::Cycle => replayed.cycle().is_some(),
            ErrorKind::Refuted => matches!(replayed.ending(), Ending::State | Ending::Cycle(_)),
            ErrorKind::Finding(f) => replayed.finding() == Some(f),
        };
        if !same {
            return Err(Unconfirmed("replaying it led to a different error".to_string()));
        }
        Ok(Counterexample { error: violation.error.clone(), trail, replayed })
    }

    /// The kind of error.
    pub fn error(&self) -> &ErrorKind {
        &self.error
    }

    /// The trail.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }

    /// The replayed run.
    pub fn replayed(&self) -> &Replayed {
        &self.replayed
    }
}

impl Reason {
    /// The reason as a key in machine-readable results.
    pub fn word(&self) -> &'static str {
        match self {
            Reason::Limit(Limit::Depth(_)) => "max_depth",
            Reason::Limit(Limit::States(_)) => "max_states",
            Reason::Limit(Limit::Memory(_)) => "memory",
            Reason::Limit(Limit::Time) => "timeout",
            Reason::Limit(Limit::Interrupted) => "interrupted",
            Reason::Limit(Limit::StateNumbers) => "state_numbers",
            Reason::Limit(Limit::EndlessSequence(_)) => "endless_sequence",
            Reason::Limit(Limit::Cache(_)) => "cache_full",
            Reason::Limit(Limit::LossyStore) => "lossy_store",
            Reason::Limit(Limit::LostRank(_)) => "lost_rank",
            Reason::Limit(Limit::DeviceMemory(_)) => "device_memory",
            Reason::Limit(Limit::LostDevice(_)) => "lost_device",
            Reason::Unchecked(_) => "unchecked_properties",
            Reason::NoTrail => "no_trail",
        }
    }

    /// Advice for the user.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Reason::Limit(Limit::Depth(_)) => Some("increase --max-depth"),
            Reason::Limit(Limit::States(_)) => Some("increase --max-states"),
            Reason::Limit(Limit::Memory(_)) => Some("increase --mem, or reduce the model"),
            Reason::Limit(Limit::Cache(_)) => Some("increase --cache-states"),
            Reason::Limit(Limit::DeviceMemory(_)) => Some("leave out --gpu, or reduce the model"),
            Reason::Limit(Limit::LostDevice(_)) => Some("leave out --gpu"),
            Reason::Limit(Limit::Time) => Some("increase --timeout"),
            Reason::Unchecked(_) => Some("--no-claim checks safety alone"),
            Reason::NoTrail => Some("increase --mem to keep counterexamples"),
            Reason::Limit(_) => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Limit(Limit::Depth(n)) => write!(f, "depth limit of {} reached", number::grouped(u64::from(*n))),
            Reason::Limit(Limit::States(n)) => write!(f, "limit of {} reached", number::counted(*n, "state")),
            Reason::Limit(Limit::Memory(n)) => write!(f, "memory limit of {} reached", number::bytes(*n)),
            Reason::Limit(Limit::Cache(slots)) => {
                write!(f, "a cache of {} is too small for the search stack", number::counted(*slots, "state"))
            }
            Reason::Limit(limit) => write!(f, "{limit}"),
            Reason::Unchecked(names) => write!(f, "not checked by this version: {}", names.join(", ")),
            Reason::NoTrail => write!(f, "errors were found, but no memory was left for their traces"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kripke_model::{Model, Successors};
    use kripke_search::{Budget, Options, Progress, explore};

    use super::*;
    use crate::sample;

    fn search(model: Model, options: &Options, budget: &Budget) -> (Outcome, Interpreter) {
        let interpreter = Interpreter::new(Arc::new(model)).unwrap();
        let worker = || -> Box<dyn Successors> { Box::new(interpreter.for_thread()) };
        let outcome = explore(&worker, options, budget, &Progress::new());
        (outcome, interpreter)
    }

    #[test]
    fn a_limit_never_becomes_a_proof() {
        let budget = Budget { max_states: Some(10), ..Budget::default() };
        let (outcome, mut interpreter) = search(sample::mutex(), &Options::default(), &budget);
        let verdict = Verdict::judge(&outcome, &mut interpreter, &[]).unwrap();
        let Verdict::Inconclusive(reason) = verdict else { panic!("{verdict:?}") };
        assert_eq!((reason.word(), reason.to_string().as_str()), ("max_states", "limit of 10 states reached"));
    }

    #[test]
    fn unchecked_properties_leave_it_open() {
        let options = Options { assertions: false, ..Options::default() };
        let (outcome, mut interpreter) = search(sample::mutex(), &options, &Budget::default());
        assert!(matches!(Verdict::judge(&outcome, &mut interpreter, &[]), Ok(Verdict::Holds(_))));
        let open = Verdict::judge(&outcome, &mut interpreter, &["ltl live".to_string()]).unwrap();
        assert!(matches!(&open, Verdict::Inconclusive(r) if r.to_string() == "not checked by this version: ltl live"));
    }

    #[test]
    fn a_trail_that_leads_elsewhere_is_our_bug() {
        let (mut outcome, mut interpreter) = search(sample::mutex(), &Options::default(), &Budget::default());
        outcome.violations[0].trail.ending = Ending::InvalidEnd;
        assert!(Verdict::judge(&outcome, &mut interpreter, &[]).is_err());
        outcome.violations[0].trail.ending = Ending::Finding(0);
        outcome.violations[0].error = ErrorKind::InvalidEnd;
        assert!(Verdict::judge(&outcome, &mut interpreter, &[]).is_err());
    }
}
