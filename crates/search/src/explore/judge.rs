//! Deciding what is an error, counting errors, and keeping the first at each place.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use kripke_model::ir::Span;
use kripke_model::trail::Ending;
use kripke_model::{Fault, Finding, FindingKind, Flags};

use super::{Options, Stop};
use crate::budget::Limit;
use crate::outcome::{Errors, Wrong};
use crate::store::StateId;

/// How many errors are kept to be shown. All are counted.
const KEPT: usize = 100;

#[derive(Debug)]
pub(super) struct Judge {
    assertions: bool,
    end_states: bool,
    all_errors: bool,
    errors: Errors,
    found: Vec<Found>,
    places: HashSet<Place>,
    endless: Option<Finding>,
}

/// An error, and the state in whose expansion it came up.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub wrong: Wrong,
    pub at: StateId,
    pub ending: Ending,
}

/// Errors with the same place are the same mistake in the model, as far as one can tell.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Place {
    Assertion(Span),
    Fault(Discriminant<Fault>, Span),
    InvalidEnd,
}

impl Judge {
    pub fn new(options: &Options) -> Judge {
        Judge {
            assertions: options.assertions,
            end_states: options.end_states,
            all_errors: options.all_errors,
            errors: Errors::default(),
            found: Vec::new(),
            places: HashSet::new(),
            endless: None,
        }
    }

    pub fn errors(&self) -> Errors {
        self.errors
    }

    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The first sequence that was cut off, if any.
    pub fn take_endless(&mut self) -> Option<Finding> {
        self.endless.take()
    }

    /// Judges a state by its expansion.
    #[inline]
    pub fn judge(&mut self, at: StateId, flags: Flags, findings: &[Finding]) -> Result<(), Stop> {
        if flags.invalid_end || !findings.is_empty() { self.blame(at, flags, findings) } else { Ok(()) }
    }

    #[cold]
    fn blame(&mut self, at: StateId, flags: Flags, findings: &[Finding]) -> Result<(), Stop> {
        for (n, finding) in findings.iter().enumerate() {
            let place = match &finding.kind {
                FindingKind::Assertion if !self.assertions => continue,
                FindingKind::Assertion => {
                    self.errors.assertions += 1;
                    Place::Assertion(finding.span)
                }
                FindingKind::Fault(fault) => {
                    self.errors.faults += 1;
                    Place::Fault(discriminant(fault), finding.span)
                }
                FindingKind::EndlessSequence => {
                    self.cut_off(finding)?;
                    continue;
                }
            };
            let ending = Ending::Finding(u32::try_from(n).expect("fewer than 2^32 findings in one expansion"));
            self.keep(place, || Found { wrong: Wrong::Finding(finding.clone()), at, ending })?;
        }
        if flags.invalid_end && self.end_states {
            self.errors.invalid_ends += 1;
            self.keep(Place::InvalidEnd, || Found { wrong: Wrong::InvalidEnd, at, ending: Ending::InvalidEnd })?;
        }
        Ok(())
    }

    fn cut_off(&mut self, finding: &Finding) -> Result<(), Stop> {
        if !self.all_errors {
            return Err(Stop::Limit(Limit::EndlessSequence(finding.clone())));
        }
        self.endless.get_or_insert_with(|| finding.clone());
        Ok(())
    }

    fn keep(&mut self, place: Place, found: impl FnOnce() -> Found) -> Result<(), Stop> {
        if self.found.len() < KEPT && self.places.insert(place) {
            self.found.push(found());
        }
        if self.all_errors { Ok(()) } else { Err(Stop::Violation) }
    }
}
