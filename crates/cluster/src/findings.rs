//! Errors that ranks find, and the choice of those that are reported.
//!
//! The rules are those of the searches of one process: of all errors of a level at the same place in the model the one with the least
//! state is kept, so the choice does not depend on which rank found which error first. Every rank gets all candidates of a level and
//! makes the same choice.

use std::collections::BTreeSet;

use kripke_model::ir::Span;
use kripke_model::trail::Ending;
use kripke_model::{Fault, Finding, FindingKind, Flags, State};
use kripke_search::{Errors, Options};

use crate::rank::StateRef;
use crate::wire::{Reader, put_bytes, put_number};

/// The number of errors that are kept. All are counted.
const KEPT: usize = 100;

/// The place of an error in the model, as bytes: errors with equal places are reported once, and the least place first.
type Site = Vec<u8>;

/// An error that may be reported.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Candidate {
    pub site: Site,
    /// The state in the layout of the interpreter.
    decoded: Vec<u8>,
    /// The kind of the ending, and the number of a finding.
    ending: (u8, u32),
    /// Errors of states precede those of steps.
    is_of_step: bool,
    /// The sequence does not end, so this is a limit and no error.
    pub is_endless: bool,
    pub at: StateRef,
}

const FINDING: u8 = 0;

impl Candidate {
    pub fn ending(&self) -> Ending {
        match self.ending.0 {
            FINDING => Ending::Finding(self.ending.1),
            1 => Ending::InvalidEnd,
            2 => Ending::Goal,
            _ => Ending::BadPrefix,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.site);
        put_bytes(out, &self.decoded);
        let at = [self.at.rank, self.at.number];
        let marks = u32::from(self.is_of_step) | u32::from(self.is_endless) << 1;
        let numbers = [u32::from(self.ending.0), self.ending.1, marks, at[0], at[1]];
        numbers.iter().for_each(|number| put_number(out, u64::from(*number)));
    }

    fn read(from: &mut Reader<'_>) -> Option<Candidate> {
        let (site, decoded) = (from.bytes()?.to_vec(), from.bytes()?.to_vec());
        let mut number = || u32::try_from(from.number()?).ok();
        let (kind, finding, marks) = (number()?, number()?, number()?);
        let at = StateRef { rank: number()?, number: number()? };
        let ending = (u8::try_from(kind).ok()?, finding);
        Some(Candidate { site, decoded, ending, is_of_step: marks & 1 == 1, is_endless: marks & 2 == 2, at })
    }
}

/// The errors that one rank has found.
#[derive(Clone, Default, Debug)]
pub(crate) struct ErrorCollector {
    assertions: bool,
    end_states: bool,
    pub errors: Errors,
    /// Errors since the last exchange.
    found: Vec<Candidate>,
    known: BTreeSet<Site>,
    /// What is reported, in the order of the levels.
    pub kept: Vec<Candidate>,
    pub endless: Option<Candidate>,
}

impl ErrorCollector {
    pub fn new(options: &Options) -> ErrorCollector {
        ErrorCollector { assertions: options.assertions, end_states: options.end_states, ..ErrorCollector::default() }
    }

    /// Whether errors were found since the last exchange.
    pub fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Inspects an expanded state.
    pub fn inspect(&mut self, at: StateRef, flags: Flags, findings: &[Finding], decoded: &State) {
        for (number, finding) in findings.iter().enumerate() {
            self.inspect_finding(at, (number as u32, finding), decoded);
        }
        let ends = flags.invalid_end && self.end_states;
        self.errors.invalid_ends += u64::from(ends);
        self.errors.goals += u64::from(flags.goal);
        self.errors.bad_prefixes += u64::from(flags.bad_prefix);
        for (kind, is_error) in [(1, ends), (2, flags.goal), (3, flags.bad_prefix)] {
            if is_error {
                self.keep(vec![1 + kind], decoded, (kind, u32::MAX), [false, false], at);
            }
        }
    }

    fn inspect_finding(&mut self, at: StateRef, (number, finding): (u32, &Finding), decoded: &State) {
        let mut site = vec![0];
        let (is_step, is_endless) = match &finding.kind {
            FindingKind::Assertion if !self.assertions => return,
            FindingKind::Assertion => {
                self.errors.assertions += 1;
                put_span(&mut site, finding.span);
                (true, false)
            }
            FindingKind::Fault(fault) => {
                self.errors.faults += 1;
                site[0] = 1;
                put_span(&mut site, finding.span);
                site.extend(format!("{fault:?}").bytes().take_while(u8::is_ascii_alphanumeric));
                (*fault != Fault::PollRendezvous, false)
            }
            FindingKind::EndlessSequence => {
                put_span(&mut site, finding.span);
                let place = [finding.process.0, finding.edge.0, u32::from(finding.pid)];
                place.iter().for_each(|n| site.extend_from_slice(&n.to_be_bytes()));
                (true, true)
            }
        };
        self.keep(site, decoded, (FINDING, number), [is_step, is_endless], at);
    }

    /// Keeps the least error at a site.
    fn keep(
        &mut self,
        site: Site,
        decoded: &State,
        ending: (u8, u32),
        [is_of_step, is_endless]: [bool; 2],
        at: StateRef,
    ) {
        if !is_endless && self.known.contains(&site) {
            return;
        }
        let new = Candidate { site, decoded: decoded.to_vec(), ending, is_of_step, is_endless, at };
        match self.found.iter_mut().find(|old| old.site == new.site && old.is_endless == is_endless) {
            Some(old) if *old <= new => {}
            Some(old) => *old = new,
            None => self.found.push(new),
        }
    }

    /// The errors since the last exchange, as bytes for all ranks.
    pub fn take_found(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.found.drain(..).for_each(|candidate| candidate.write(&mut out));
        out
    }

    /// Takes the errors of all ranks. Every rank gets the same, and chooses the same.
    pub fn choose(&mut self, all: &[Vec<u8>]) {
        let mut candidates = Vec::new();
        for bytes in all {
            let mut reader = Reader::new(bytes);
            candidates.extend(std::iter::from_fn(|| Candidate::read(&mut reader)));
        }
        candidates.sort();
        let (endless, errors): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.is_endless);
        self.endless = self.endless.take().or(endless.into_iter().next());
        for error in errors {
            if self.kept.len() < KEPT && self.known.insert(error.site.clone()) {
                self.kept.push(error);
            }
        }
    }

    /// Keeps the one error that a search reports which stops at the first: errors of a state precede those of a step from it.
    pub fn keep_first(&mut self) {
        self.kept.sort_by_key(|candidate| candidate.is_of_step);
        self.kept.truncate(1);
    }
}

fn put_span(out: &mut Vec<u8>, span: Span) {
    [span.file.0, span.start, span.end].iter().for_each(|number| out.extend_from_slice(&number.to_be_bytes()));
}
