//! Successors restricted to the ample set of each state.

use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::sync::Arc;

use super::ample::EnabledProcesses;
use super::governor::{Effort, FOUND_OTHERWISE, Governor};
use super::{Audit, Independence, Preserve};
use kripke_model::{Arrival, Batch, Choice, FindingKind, Flags, Parts, State, Successors};

/// A wrapper around any [`Successors`] that implements [`expand_ample`](kripke_model::ProcessStructure::expand_ample).
#[derive(Debug)]
pub struct AmpleSuccessors<S> {
    successors: S,
    independence: Arc<Independence>,
    parts: Parts,
    enabled: EnabledProcesses,
    /// Decide whether to choose an ample set in a state, and whether to evaluate guards for it. None for LTL: the choice
    /// must depend on the state alone.
    governors: Option<Governors>,
    audit: Option<Audit>,
}

#[derive(Debug)]
struct Governors {
    choice: Governor,
    guards: Governor,
}

impl Governors {
    /// Small models are reduced throughout. Guards cost more, so they are judged earlier.
    fn new() -> Governors {
        Governors { choice: Governor::after(8, FOUND_OTHERWISE), guards: Governor::after(2, 1) }
    }

    /// Records the choice in a state: its effort, the number of successors in the ample set and of those outside, and how
    /// many of the latter are left out only because guards are false.
    #[inline]
    fn record(&mut self, effort: &Effort, ample: usize, left_out: usize, by_guards: usize) {
        self.choice.record(effort.of_choice(), ample, left_out);
        if effort.used_guards {
            self.guards.record(effort.of_guards(), ample, by_guards);
        }
    }
}

impl<S> AmpleSuccessors<S> {
    /// Wraps the successors of a model of which this independence is known.
    pub fn new(successors: S, independence: Arc<Independence>) -> AmpleSuccessors<S> {
        let (parts, enabled) = (Parts::default(), EnabledProcesses::default());
        let governors = (independence.preserve == Preserve::Safety).then(Governors::new);
        AmpleSuccessors { successors, independence, parts, enabled, governors, audit: None }
    }

    /// Audits some of the ample sets.
    #[must_use]
    pub fn with_audit(self, audit: Option<Audit>) -> AmpleSuccessors<S> {
        AmpleSuccessors { audit, ..self }
    }

    /// Chooses an ample set in every state, whether that pays or not.
    #[must_use]
    pub fn without_governor(self) -> AmpleSuccessors<S> {
        AmpleSuccessors { governors: None, ..self }
    }

    /// Computes every choice anew.
    #[must_use]
    pub fn without_memo(self) -> AmpleSuccessors<S> {
        AmpleSuccessors { enabled: self.enabled.without_memo(), ..self }
    }
}

impl<S: Successors> Successors for AmpleSuccessors<S> {
    fn initial(&mut self, out: &mut Batch) {
        self.successors.initial(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.successors.expand(state, choice, out)
    }

    fn expand_all(&mut self, states: &[&State], out: &mut Batch, ends: &mut Vec<usize>) -> Flags {
        self.successors.expand_all(states, out, ends)
    }

    fn expand_awake(
        &mut self,
        states: &[&State],
        arrivals: &[Arrival],
        out: &mut Batch,
        ends: &mut Vec<usize>,
    ) -> Flags {
        self.successors.expand_awake(states, arrivals, out, ends)
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
        let AmpleSuccessors { successors, independence, parts, enabled, governors, audit } = self;
        if governors.as_mut().is_some_and(|governors| !governors.choice.attempt()) {
            return successors.expand(state, Choice::All, out);
        }
        let findings = out.findings().len();
        let flags = successors.expand_parts(state, out, parts);
        // A step that ends in a fault has no successor, so the enabled processes are not known.
        if out.findings()[findings..].iter().any(|finding| finding.kind != FindingKind::Assertion) {
            return flags;
        }
        let all = out.len();
        let for_guards = || {
            let attempted = governors.as_mut().is_none_or(|governors| governors.guards.attempt());
            let in_words = successors.word_bits().is_some();
            attempted.then(|| if in_words { successors.decode(state) } else { Cow::Borrowed(state) })
        };
        let ample = independence.ample(parts, enabled, for_guards);
        let mut saved_by_guards = 0;
        if let Some(ample) = ample {
            independence.note_reduction();
            if let Some(audit) = audit {
                audit.check(&successors.decode(state), ample.processes);
            }
            parts.keep(ample.processes, out, ample.needs_proviso.then_some(postponed));
            saved_by_guards = ample.saved_by_guards;
        }
        if let Some(governors) = governors {
            governors.record(&enabled.effort, out.len() - parts.first, all - out.len(), saved_by_guards);
        }
        flags
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        self.governors.as_mut().map_or(0, |governors| governors.choice.pause(most))
    }

    fn note_explored(&mut self, postponed: usize) {
        if let Some(governors) = &mut self.governors {
            governors.choice.note_explored(postponed);
        }
    }
}
