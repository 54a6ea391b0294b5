//! The error collector: it decides which findings are errors, counts them, and keeps one error per site.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use kripke_model::ir::Span;
use kripke_model::trail::Ending;
use kripke_model::{Fault, Finding, FindingKind, Flags, State, Within};

use super::Options;
use crate::outcome::{ErrorKind, Errors};
use crate::store::StateId;

/// Maximum number of kept errors. All errors are counted.
const KEPT: usize = 100;

/// The error collector of one worker. What it keeps of a level depends only on the states of the level, not on their
/// order.
#[derive(Debug)]
pub(super) struct ErrorCollector {
    assertions: bool,
    end_states: bool,
    /// Every error counts, also one at a known site.
    counting: bool,
    errors: Errors,
    /// Errors of this level at new sites.
    found: BTreeMap<ErrorSite, FoundError>,
    /// Sites of errors on earlier levels.
    known: HashSet<ErrorSite>,
    /// An endless sequence, and the state where it begins.
    endless: Option<(Finding, Vec<u8>)>,
}

/// An error and the state whose expansion found it.
#[derive(Clone, Debug)]
pub(super) struct FoundError {
    pub id: StateId,
    pub state: Vec<u8>,
    /// The state in the layout of the interpreter. Of several errors the least in this order is reported, whatever the form
    /// of stored states.
    pub decoded: Vec<u8>,
    pub error: ErrorKind,
    pub ending: Ending,
}

impl FoundError {
    /// Whether the error is a fault in the goal, so that the goal has no value.
    pub fn is_of_goal(&self) -> bool {
        matches!(&self.error, ErrorKind::Finding(finding) if finding.within == Within::Goal)
    }
}

/// The findings of one worker on a level.
#[derive(Debug)]
pub(super) struct LevelFindings {
    errors: Errors,
    found: BTreeMap<ErrorSite, FoundError>,
    endless: Option<(Finding, Vec<u8>)>,
}

impl LevelFindings {
    /// The number of errors, and the states of those that are kept.
    pub fn into_states(self) -> (Errors, Vec<Vec<u8>>) {
        let endless = self.endless.into_iter().map(|(_, state)| state);
        (self.errors, self.found.into_values().map(|found| found.state).chain(endless).collect())
    }

    /// So many errors, of which these are kept.
    pub fn counted(errors: Errors, kept: Option<LevelFindings>) -> LevelFindings {
        let (found, endless) = kept.map_or_else(Default::default, |level| (level.found, level.endless));
        LevelFindings { errors, found, endless }
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether there is an invalid end state.
    pub fn has_invalid_end(&self) -> bool {
        self.errors.invalid_ends > 0
    }

    pub fn found(&mut self) -> impl Iterator<Item = &mut FoundError> {
        self.found.values_mut()
    }
}

/// The location of an error in the model. Errors with equal sites are reported once.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ErrorSite {
    Assertion(Span),
    /// The span, and the name of the fault.
    Fault(Span, String),
    InvalidEnd,
    Goal,
    BadPrefix,
}

impl ErrorCollector {
    pub fn new(options: &Options) -> ErrorCollector {
        ErrorCollector {
            assertions: options.assertions,
            end_states: options.end_states,
            counting: options.stop_at.is_some(),
            errors: Errors::default(),
            found: BTreeMap::new(),
            known: HashSet::new(),
            endless: None,
        }
    }

    /// Whether no error at a new site and no endless sequence was found since the last call of
    /// [`ErrorCollector::take_findings`]. If errors are counted up to a number, those at known sites are found, too.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.endless.is_none() && !(self.counting && self.errors != Errors::default())
    }

    /// Inspects an expanded state. Returns whether the state must stay available because an error in it is kept.
    #[inline]
    pub fn inspect<'s>(
        &mut self,
        (id, state): (StateId, &'s State),
        flags: Flags,
        findings: &[Finding],
        decode: impl FnOnce() -> Cow<'s, State>,
    ) -> bool {
        (flags.is_bad() || !findings.is_empty()) && self.record((id, state), flags, findings, &decode())
    }

    #[cold]
    fn record(&mut self, (id, state): (StateId, &State), flags: Flags, findings: &[Finding], decoded: &State) -> bool {
        let mut kept = false;
        let found = |error, ending| FoundError { id, state: state.to_vec(), decoded: decoded.to_vec(), error, ending };
        for (n, finding) in findings.iter().enumerate() {
            let site = match &finding.kind {
                FindingKind::Assertion if !self.assertions => continue,
                FindingKind::Assertion => {
                    self.errors.assertions += 1;
                    ErrorSite::Assertion(finding.span)
                }
                FindingKind::Fault(fault) => {
                    self.errors.faults += 1;
                    let name = format!("{fault:?}").chars().take_while(|c| c.is_alphanumeric()).collect();
                    ErrorSite::Fault(finding.span, name)
                }
                FindingKind::EndlessSequence => {
                    self.record_endless(finding, state);
                    continue;
                }
            };
            let ending = Ending::Finding(u32::try_from(n).expect("fewer than 2^32 findings in one expansion"));
            kept |= self.keep(site, || found(ErrorKind::Finding(finding.clone()), ending));
        }
        if flags.invalid_end && self.end_states {
            self.errors.invalid_ends += 1;
            kept |= self.keep(ErrorSite::InvalidEnd, || found(ErrorKind::InvalidEnd, Ending::InvalidEnd));
        }
        if flags.goal {
            self.errors.goals += 1;
            kept |= self.keep(ErrorSite::Goal, || found(ErrorKind::Goal, Ending::Goal));
        }
        if flags.bad_prefix {
            self.errors.bad_prefixes += 1;
            kept |= self.keep(ErrorSite::BadPrefix, || found(ErrorKind::BadPrefix, Ending::BadPrefix));
        }
        kept
    }

    fn record_endless(&mut self, finding: &Finding, state: &State) {
        if self.endless.as_ref().is_none_or(|(known, _)| rank(finding) < rank(known)) {
            self.endless = Some((finding.clone(), state.to_vec()));
        }
    }

    fn keep(&mut self, site: ErrorSite, found: impl FnOnce() -> FoundError) -> bool {
        !self.known.contains(&site) && keep_least(&mut self.found, site, found())
    }

    /// The findings of the level that has ended.
    pub fn take_findings(&mut self) -> Option<LevelFindings> {
        if self.is_empty() && self.errors == Errors::default() {
            return None;
        }
        self.known.extend(self.found.keys().cloned());
        Some(LevelFindings {
            errors: std::mem::take(&mut self.errors),
            found: std::mem::take(&mut self.found),
            endless: self.endless.take(),
        })
    }
}

/// The findings of all workers on all completed levels.
#[derive(Debug)]
pub(super) struct Findings<W> {
    pub errors: Errors,
    /// The kept errors, each with data that locates it.
    pub kept: Vec<(FoundError, W)>,
    known: HashSet<ErrorSite>,
    /// A sequence that was cut off, on the first level that has one.
    pub endless: Option<Finding>,
}

impl<W> Default for Findings<W> {
    fn default() -> Findings<W> {
        Findings::new()
    }
}

impl<W> Findings<W> {
    /// Replaces the data that locate the errors.
    pub fn map<V>(self, mut map: impl FnMut(W) -> V) -> Findings<V> {
        let Findings { errors, kept, known, endless } = self;
        let kept = kept.into_iter().map(|(found, site)| (found, map(site))).collect();
        Findings { errors, kept, known, endless }
    }

    pub fn new() -> Findings<W> {
        Findings { errors: Errors::default(), kept: Vec::new(), known: HashSet::new(), endless: None }
    }

    /// Adds the findings of a level. `level` gives the data that locate them.
    pub fn collect(&mut self, levels: impl IntoIterator<Item = LevelFindings>, level: impl Fn() -> W) {
        self.collect_each(levels, |_| level());
    }

    /// Adds findings whose location depends on the error.
    fn collect_each(
        &mut self,
        levels: impl IntoIterator<Item = LevelFindings>,
        location_of: impl Fn(&FoundError) -> W,
    ) {
        let mut found = BTreeMap::new();
        let mut endless: Vec<Finding> = Vec::new();
        for level in levels {
            self.errors.add(level.errors);
            endless.extend(level.endless.map(|(finding, _)| finding));
            for (site, more) in level.found {
                keep_least(&mut found, site, more);
            }
        }
        if self.endless.is_none() {
            self.endless = endless.into_iter().min_by_key(rank);
        }
        for (site, found) in found {
            if self.kept.len() < KEPT && self.known.insert(site) {
                let at = location_of(&found);
                self.kept.push((found, at));
            }
        }
    }

    /// Whether the search stops because of these errors.
    pub fn suffice(&self, options: &Options) -> bool {
        match options.stop_at {
            _ if !options.all_errors => !self.kept.is_empty(),
            Some(number) => self.errors.total() >= number.get(),
            None => false,
        }
    }

    /// Reduces errors that were found together to the one that the search reports. Errors of a state precede errors
    /// of a transition from it. Polling a rendezvous channel is not a transition, but may explain why no process can
    /// move.
    pub fn keep_first(&mut self) {
        self.kept.sort_by_key(|(found, _)| match &found.error {
            ErrorKind::Finding(finding) => finding.kind != FindingKind::Fault(Fault::PollRendezvous),
            _ => false,
        });
        self.kept.truncate(1);
        self.errors = Errors::default();
        if let Some((found, _)) = self.kept.first() {
            self.errors.count(&found.error);
        }
    }
}

impl Findings<StateId> {
    /// Adds findings that are located by their state.
    pub fn collect_in_states(&mut self, levels: impl IntoIterator<Item = LevelFindings>) {
        self.collect_each(levels, |found| found.id);
    }
}

/// Keeps, of two errors at the same site, the one with the lesser state, so that the result does not depend on
/// timing. Returns whether that is the new one.
fn keep_least(all: &mut BTreeMap<ErrorSite, FoundError>, site: ErrorSite, found: FoundError) -> bool {
    let number = |ending| if let Ending::Finding(n) = ending { n } else { u32::MAX };
    let least = |a: &FoundError, b: &FoundError| (&a.decoded, number(a.ending)) <= (&b.decoded, number(b.ending));
    match all.get_mut(&site) {
        Some(known) if least(known, &found) => return false,
        Some(known) => *known = found,
        None => {
            all.insert(site, found);
        }
    }
    true
}

fn rank(finding: &Finding) -> (Span, u32, u32, u8) {
    (finding.span, finding.process.0, finding.edge.0, finding.pid)
}

#[cfg(test)]
mod tests;
