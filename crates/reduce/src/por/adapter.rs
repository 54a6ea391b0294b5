//! Successors restricted to the ample set of each state.

use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::sync::Arc;

use super::ample::EnabledProcesses;
use super::{Audit, Independence, Preserve};
use kripke_model::{Batch, Choice, FindingKind, Flags, Parts, State, Successors};

/// A wrapper around any [`Successors`] that implements [`expand_ample`](kripke_model::ProcessStructure::expand_ample).
#[derive(Debug)]
pub struct AmpleSuccessors<S> {
    successors: S,
    independence: Arc<Independence>,
    parts: Parts,
    enabled: EnabledProcesses,
    /// Decides whether to compute ample sets.
    backoff: Backoff,
    /// Decides whether to evaluate guards for them.
    guard_backoff: Backoff,
    audit: Option<Audit>,
}

/// Skips a computation for a number of states if it saved too little. The number doubles each time, between two
/// bounds.
#[derive(Debug)]
struct Backoff {
    /// The attempts left until the savings are judged.
    attempts: u32,
    /// The transitions since the last judgement.
    transitions: usize,
    /// Those of them that were left out.
    saved: usize,
    /// The states still to be skipped.
    pause: u32,
    /// The states that were skipped last time.
    last_pause: u32,
}

impl Backoff {
    /// The number of attempts between two judgements.
    const ATTEMPTS: u32 = 1 << 8;
    /// One transition of this number must be saved.
    const WORTH: usize = 16;
    /// The shortest and the longest pause, in states.
    const PAUSE_BOUNDS: (u32, u32) = (16 * Backoff::ATTEMPTS, 256 * Backoff::ATTEMPTS);

    /// Judges for the first time after this many attempts.
    fn after(attempts: u32) -> Backoff {
        Backoff { attempts, transitions: 0, saved: 0, pause: 0, last_pause: 0 }
    }

    /// True if the computation is to be attempted in this state.
    fn attempt(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.attempts == 0 {
            let worth = self.saved * Backoff::WORTH >= self.transitions;
            let (least, most) = Backoff::PAUSE_BOUNDS;
            let pause = if worth { 0 } else { (2 * self.last_pause).clamp(least, most) };
            *self = Backoff { pause, last_pause: pause, ..Backoff::after(Backoff::ATTEMPTS) };
            return pause == 0;
        }
        self.attempts -= 1;
        true
    }
}

impl<S> AmpleSuccessors<S> {
    /// Wraps the successors of a model of which this independence is known.
    pub fn new(successors: S, independence: Arc<Independence>) -> AmpleSuccessors<S> {
        let (parts, enabled) = (Parts::default(), EnabledProcesses::default());
        // Small models are reduced throughout. Guards cost more, so they are judged earlier.
        let (backoff, guard_backoff) = (Backoff::after(1 << 12), Backoff::after(1 << 9));
        AmpleSuccessors { successors, independence, parts, enabled, backoff, guard_backoff, audit: None }
    }

    /// Audits some of the ample sets.
    #[must_use]
    pub fn with_audit(self, audit: Option<Audit>) -> AmpleSuccessors<S> {
        AmpleSuccessors { audit, ..self }
    }
}

impl<S: Successors> Successors for AmpleSuccessors<S> {
    fn initial(&mut self, out: &mut Batch) {
        self.successors.initial(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.successors.expand(state, choice, out)
    }
}

impl<S: Successors> Representation for AmpleSuccessors<S> {
    fn hidden_prefix(&self) -> usize {
        self.successors.hidden_prefix()
    }

    fn word_bits(&self) -> Option<u32> {
        self.successors.word_bits()
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.successors.decode(state)
    }
}

impl<S: Successors> StateLabels for AmpleSuccessors<S> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        self.successors.state_labels(state)
    }
}

impl<S: Successors> ActionLabels for AmpleSuccessors<S> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.successors.action_labels(state, out);
    }
}

impl<S: Successors> AcceptanceMarks for AmpleSuccessors<S> {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.successors.acceptance_marks(state, out);
    }
}

impl<S: Successors> ProcessStructure for AmpleSuccessors<S> {
    fn movers(&mut self, state: &State, out: &mut kripke_model::Movers) {
        self.successors.movers(state, out);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        self.successors.expand_parts(state, out, parts)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, postponed: &mut Batch) -> Flags {
        let AmpleSuccessors { successors, independence, parts, enabled, backoff, guard_backoff, audit } = self;
        // For LTL the choice must depend on the state alone.
        let always = independence.preserve == Preserve::StutterLtl;
        if !always && !backoff.attempt() {
            return successors.expand(state, Choice::All, out);
        }
        let findings = out.findings().len();
        let flags = successors.expand_parts(state, out, parts);
        // A step that ends in a fault has no successor, so the enabled processes are not known.
        if out.findings()[findings..].iter().any(|finding| finding.kind != FindingKind::Assertion) {
            return flags;
        }
        let (first, all) = (parts.first, out.len());
        let mut used_guards = false;
        // Guards are evaluated on packed states.
        let packed = if successors.word_bits().is_some() { successors.decode(state) } else { Cow::Borrowed(state) };
        let ample = independence.ample(&packed, parts, enabled, || {
            used_guards = always || guard_backoff.attempt();
            used_guards
        });
        if let Some(ample) = ample {
            independence.note_reduction();
            if let Some(audit) = audit {
                audit.check(&successors.decode(state), ample.processes);
            }
            parts.keep(ample.processes, out, ample.needs_proviso.then_some(postponed));
            guard_backoff.saved += ample.saved_by_guards;
        }
        guard_backoff.transitions += if used_guards { all - first } else { 0 };
        backoff.transitions += all - first;
        backoff.saved += all - out.len();
        flags
    }
}
