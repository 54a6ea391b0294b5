//! Deciding what is an error, counting errors, and keeping one at each site.

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
pub(super) struct ErrorCollector {
    assertions: bool,
    end_states: bool,
    errors: Errors,
    /// The errors of this level at places where there was none before.
    found: BTreeMap<ErrorSite, FoundError>,
    /// Places where there was an error on an earlier level.
    known: HashSet<ErrorSite>,
    endless: Option<Finding>,
}

/// An error, and the state in whose expansion it came up.
#[derive(Clone, Debug)]
pub(super) struct FoundError {
    pub id: StateId,
    pub state: Vec<u8>,
    pub wrong: Wrong,
    pub ending: Ending,
}

impl FoundError {
    /// A fault in the goal: nothing that depends on it can be decided.
    pub fn is_of_goal(&self) -> bool {
        matches!(&self.wrong, Wrong::Finding(finding) if finding.within == Within::Goal)
    }
}

/// What a worker has found on a level.
#[derive(Debug)]
pub(super) struct LevelFindings {
    errors: Errors,
    found: BTreeMap<ErrorSite, FoundError>,
    endless: Option<Finding>,
}

impl LevelFindings {
    pub fn found(&mut self) -> impl Iterator<Item = &mut FoundError> {
        self.found.values_mut()
    }
}

/// Errors with the same site are the same mistake in the model, as far as one can tell.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ErrorSite {
    Assertion(Span),
    /// With the name of the fault.
    Fault(Span, String),
    InvalidEnd,
    Goal,
    Caught,
}

impl ErrorCollector {
    pub fn new(options: &Options) -> ErrorCollector {
        ErrorCollector {
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
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.endless.is_none()
    }

    /// Judges a state by its expansion. Whether it may be asked for again, because an error is there.
    #[inline]
    pub fn inspect(&mut self, id: StateId, state: &State, flags: Flags, findings: &[Finding]) -> bool {
        (flags.is_bad() || !findings.is_empty()) && self.record(id, state, flags, findings)
    }

    #[cold]
    fn record(&mut self, id: StateId, state: &State, flags: Flags, findings: &[Finding]) -> bool {
        let mut kept = false;
        let found = |wrong, ending| FoundError { id, state: state.to_vec(), wrong, ending };
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
                    self.cut_off(finding);
                    continue;
                }
            };
            let ending = Ending::Finding(u32::try_from(n).expect("fewer than 2^32 findings in one expansion"));
            kept |= self.keep(site, || found(Wrong::Finding(finding.clone()), ending));
        }
        if flags.invalid_end && self.end_states {
            self.errors.invalid_ends += 1;
            kept |= self.keep(ErrorSite::InvalidEnd, || found(Wrong::InvalidEnd, Ending::InvalidEnd));
        }
        if flags.goal {
            self.errors.goals += 1;
            kept |= self.keep(ErrorSite::Goal, || found(Wrong::Goal, Ending::Goal));
        }
        if flags.caught {
            self.errors.caught += 1;
            kept |= self.keep(ErrorSite::Caught, || found(Wrong::Caught, Ending::Caught));
        }
        kept
    }

    fn cut_off(&mut self, finding: &Finding) {
        if self.endless.as_ref().is_none_or(|known| rank(finding) < rank(known)) {
            self.endless = Some(finding.clone());
        }
    }

    fn keep(&mut self, site: ErrorSite, found: impl FnOnce() -> FoundError) -> bool {
        !self.known.contains(&site) && keep_least(&mut self.found, site, found())
    }

    /// What was found on the level that is now done.
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

/// What all workers have found on all levels that are done.
#[derive(Debug)]
pub(super) struct Findings<W> {
    pub errors: Errors,
    /// With where they are.
    pub kept: Vec<(FoundError, W)>,
    known: HashSet<ErrorSite>,
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
        let kept = kept.into_iter().map(|(found, site)| (found, map(site))).collect();
        Findings { errors, kept, known, endless }
    }

    pub fn new() -> Findings<W> {
        Findings { errors: Errors::default(), kept: Vec::new(), known: HashSet::new(), endless: None }
    }

    /// Takes what the workers have found on a level.
    pub fn collect(&mut self, levels: impl IntoIterator<Item = LevelFindings>, level: impl Fn() -> W) {
        self.collect_each(levels, |_| level());
    }

    /// The same where each error says where it is.
    fn collect_each(
        &mut self,
        levels: impl IntoIterator<Item = LevelFindings>,
        location_of: impl Fn(&FoundError) -> W,
    ) {
        let mut found = BTreeMap::new();
        let mut endless: Vec<Finding> = Vec::new();
        for level in levels {
            self.errors.add(level.errors);
            endless.extend(level.endless);
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

    /// Of all that were found together, the search stops at one: what is wrong in a state comes before a step from it that is.
    /// Polling a rendezvous channel is no step, but may be why no process can move.
    pub fn keep_first(&mut self) {
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
    pub fn collect_in_states(&mut self, levels: impl IntoIterator<Item = LevelFindings>) {
        self.collect_each(levels, |found| found.id);
    }
}

/// Of two errors at the same site, the one with the lesser state is kept: that does not depend on who came first.
/// Whether it is this one.
fn keep_least(all: &mut BTreeMap<ErrorSite, FoundError>, site: ErrorSite, found: FoundError) -> bool {
    let number = |ending| if let Ending::Finding(n) = ending { n } else { u32::MAX };
    let least = |a: &FoundError, b: &FoundError| (&a.state, number(a.ending)) <= (&b.state, number(b.ending));
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
