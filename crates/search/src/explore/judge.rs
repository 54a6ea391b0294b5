//! Deciding what is an error, counting errors, and keeping one at each place.

use std::collections::{BTreeMap, HashSet};

use kripke_model::ir::Span;
use kripke_model::trail::Ending;
use kripke_model::{Fault, Finding, FindingKind, Flags, State, Within};

use super::Options;
use crate::outcome::{Errors, Wrong};
use crate::store::StateId;

/// How many errors are kept to be shown. All are counted.
const KEPT: usize = 100;

/// Judges states for one worker. What it keeps of a level depends only on the states of the level, not on their order.
#[derive(Debug)]
pub(super) struct Judge {
    assertions: bool,
    end_states: bool,
    errors: Errors,
    /// The errors of this level at places where there was none before.
    found: BTreeMap<Place, Found>,
    /// Places where there was an error on an earlier level.
    known: HashSet<Place>,
    endless: Option<Finding>,
}

/// An error, and the state in whose expansion it came up.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub id: StateId,
    pub state: Vec<u8>,
    pub wrong: Wrong,
    pub ending: Ending,
}

impl Found {
    /// A fault in the goal: nothing that depends on it can be decided.
    pub fn is_of_goal(&self) -> bool {
        matches!(&self.wrong, Wrong::Finding(finding) if finding.within == Within::Goal)
    }
}

/// What a worker has found on a level.
#[derive(Debug)]
pub(super) struct Haul {
    errors: Errors,
    found: BTreeMap<Place, Found>,
    endless: Option<Finding>,
}

impl Haul {
    pub fn found(&mut self) -> impl Iterator<Item = &mut Found> {
        self.found.values_mut()
    }
}

/// Errors with the same place are the same mistake in the model, as far as one can tell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    Assertion(Span),
    /// With the name of the fault.
    Fault(Span, String),
    InvalidEnd,
    Goal,
    Caught,
}

impl Judge {
    pub fn new(options: &Options) -> Judge {
        Judge {
            assertions: options.assertions,
            end_states: options.end_states,
            errors: Errors::default(),
            found: BTreeMap::new(),
            known: HashSet::new(),
            endless: None,
        }
    }

    /// Whether there is anything to be dealt with before the search goes on.
    #[inline]
    pub fn is_content(&self) -> bool {
        self.found.is_empty() && self.endless.is_none()
    }

    /// Judges a state by its expansion. Whether it may be asked for again, because an error is there.
    #[inline]
    pub fn judge(&mut self, id: StateId, state: &State, flags: Flags, findings: &[Finding]) -> bool {
        (flags.is_bad() || !findings.is_empty()) && self.blame(id, state, flags, findings)
    }

    #[cold]
    fn blame(&mut self, id: StateId, state: &State, flags: Flags, findings: &[Finding]) -> bool {
        let mut kept = false;
        let found = |wrong, ending| Found { id, state: state.to_vec(), wrong, ending };
        for (n, finding) in findings.iter().enumerate() {
            let place = match &finding.kind {
                FindingKind::Assertion if !self.assertions => continue,
                FindingKind::Assertion => {
                    self.errors.assertions += 1;
                    Place::Assertion(finding.span)
                }
                FindingKind::Fault(fault) => {
                    self.errors.faults += 1;
                    let name = format!("{fault:?}").chars().take_while(|c| c.is_alphanumeric()).collect();
                    Place::Fault(finding.span, name)
                }
                FindingKind::EndlessSequence => {
                    self.cut_off(finding);
                    continue;
                }
            };
            let ending = Ending::Finding(u32::try_from(n).expect("fewer than 2^32 findings in one expansion"));
            kept |= self.keep(place, || found(Wrong::Finding(finding.clone()), ending));
        }
        if flags.invalid_end && self.end_states {
            self.errors.invalid_ends += 1;
            kept |= self.keep(Place::InvalidEnd, || found(Wrong::InvalidEnd, Ending::InvalidEnd));
        }
        if flags.goal {
            self.errors.goals += 1;
            kept |= self.keep(Place::Goal, || found(Wrong::Goal, Ending::Goal));
        }
        if flags.caught {
            self.errors.caught += 1;
            kept |= self.keep(Place::Caught, || found(Wrong::Caught, Ending::Caught));
        }
        kept
    }

    fn cut_off(&mut self, finding: &Finding) {
        if self.endless.as_ref().is_none_or(|known| rank(finding) < rank(known)) {
            self.endless = Some(finding.clone());
        }
    }

    fn keep(&mut self, place: Place, found: impl FnOnce() -> Found) -> bool {
        !self.known.contains(&place) && keep_least(&mut self.found, place, found())
    }

    /// What was found on the level that is now done.
    pub fn hand_over(&mut self) -> Option<Haul> {
        if self.is_content() && self.errors == Errors::default() {
            return None;
        }
        self.known.extend(self.found.keys().cloned());
        Some(Haul {
            errors: std::mem::take(&mut self.errors),
            found: std::mem::take(&mut self.found),
            endless: self.endless.take(),
        })
    }
}

/// What all workers have found on all levels that are done.
#[derive(Debug)]
pub(super) struct Findings<W> {
    pub errors: Errors,
    /// With where they are.
    pub kept: Vec<(Found, W)>,
    known: HashSet<Place>,
    /// A sequence that was cut off on the first level that has any.
    pub endless: Option<Finding>,
}

impl<W> Default for Findings<W> {
    fn default() -> Findings<W> {
        Findings::new()
    }
}

impl<W> Findings<W> {
    /// The same, with other news of where errors are.
    pub fn map<V>(self, mut map: impl FnMut(W) -> V) -> Findings<V> {
        let Findings { errors, kept, known, endless } = self;
        let kept = kept.into_iter().map(|(found, place)| (found, map(place))).collect();
        Findings { errors, kept, known, endless }
    }

    pub fn new() -> Findings<W> {
        Findings { errors: Errors::default(), kept: Vec::new(), known: HashSet::new(), endless: None }
    }

    /// Takes what the workers have found on a level.
    pub fn collect(&mut self, hauls: impl IntoIterator<Item = Haul>, level: impl Fn() -> W) {
        self.collect_each(hauls, |_| level());
    }

    /// The same where each error says where it is.
    fn collect_each(&mut self, hauls: impl IntoIterator<Item = Haul>, place_of: impl Fn(&Found) -> W) {
        let mut found = BTreeMap::new();
        let mut endless: Vec<Finding> = Vec::new();
        for haul in hauls {
            self.errors.add(haul.errors);
            endless.extend(haul.endless);
            for (place, more) in haul.found {
                keep_least(&mut found, place, more);
            }
        }
        if self.endless.is_none() {
            self.endless = endless.into_iter().min_by_key(rank);
        }
        for (place, found) in found {
            if self.kept.len() < KEPT && self.known.insert(place) {
                let at = place_of(&found);
                self.kept.push((found, at));
            }
        }
    }

    /// Of all that were found together, the search stops at one: what is wrong in a state comes before a step from it that is.
    /// Polling a rendezvous channel is no step, but may be why no process can move.
    pub fn stop_at_one(&mut self) {
        self.kept.sort_by_key(|(found, _)| match &found.wrong {
            Wrong::Finding(finding) => finding.kind != FindingKind::Fault(Fault::PollRendezvous),
            _ => false,
        });
        self.kept.truncate(1);
        self.errors = Errors::default();
        if let Some((found, _)) = self.kept.first() {
            self.errors.count(&found.wrong);
        }
    }
}

impl Findings<StateId> {
    /// Takes what a worker has found, in whatever states that was.
    pub fn collect_in_states(&mut self, hauls: impl IntoIterator<Item = Haul>) {
        self.collect_each(hauls, |found| found.id);
    }
}

/// Of two errors at the same place, the one with the lesser state is kept: that does not depend on who came first.
/// Whether it is this one.
fn keep_least(all: &mut BTreeMap<Place, Found>, place: Place, found: Found) -> bool {
    let number = |ending| if let Ending::Finding(n) = ending { n } else { u32::MAX };
    let least = |a: &Found, b: &Found| (&a.state, number(a.ending)) <= (&b.state, number(b.ending));
    match all.get_mut(&place) {
        Some(known) if least(known, &found) => return false,
        Some(known) => *known = found,
        None => {
            all.insert(place, found);
        }
    }
    true
}

fn rank(finding: &Finding) -> (Span, u32, u32, u8) {
    (finding.span, finding.process.0, finding.edge.0, finding.pid)
}

#[cfg(test)]
mod tests;
