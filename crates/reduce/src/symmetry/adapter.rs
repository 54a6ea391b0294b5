//! Successors that are representatives of their orbits.

use kripke_model::Parts;
use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::sync::Arc;

use super::canonical::Scratch;
use super::permutation::Permutations;
use kripke_model::{Batch, Choice, Flags, Movers, State, Successors};

/// A wrapper around any [`Successors`] that canonicalises every successor.
#[derive(Debug)]
pub struct Symmetric<S> {
    inner: S,
    permutations: Arc<Permutations>,
    scratch: Scratch,
}

impl<S: Successors> Symmetric<S> {
    /// Wraps successors whose states are packed as the [layout](kripke_model::layout) says.
    pub fn new(inner: S, permutations: Arc<Permutations>) -> Symmetric<S> {
        Symmetric { inner, permutations, scratch: Scratch::default() }
    }

    /// Canonicalises the states of a batch from this one on.
    fn canonicalise(&mut self, batch: &mut Batch, first: usize) {
        let (bytes, ends) = batch.parts();
        let mut start = first.checked_sub(1).map_or(0, |last| ends[last] as usize);
        for end in &ends[first..] {
            self.permutations.canonicalise(&mut bytes[start..*end as usize], &mut self.scratch);
            start = *end as usize;
        }
    }
}

impl<S: Successors> Successors for Symmetric<S> {
    fn initial(&mut self, out: &mut Batch) {
        let first = out.len();
        self.inner.initial(out);
        self.canonicalise(out, first);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        let first = out.len();
        let flags = self.inner.expand(state, choice, out);
        self.canonicalise(out, first);
        flags
    }
}

impl<S: Successors> Representation for Symmetric<S> {
    fn hidden_prefix(&self) -> usize {
        self.inner.hidden_prefix()
    }

    fn word_bits(&self) -> Option<u32> {
        self.inner.word_bits()
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.inner.decode(state)
    }
}

impl<S: Successors> StateLabels for Symmetric<S> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        self.inner.state_labels(state)
    }
}

impl<S: Successors> ActionLabels for Symmetric<S> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.inner.action_labels(state, out);
    }
}

impl<S: Successors> AcceptanceMarks for Symmetric<S> {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.inner.acceptance_marks(state, out);
    }
}

impl<S: Successors> ProcessStructure for Symmetric<S> {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.inner.movers(state, out);
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, postponed: &mut Batch) -> Flags {
        let firsts = (out.len(), postponed.len());
        let flags = self.inner.expand_ample(state, out, postponed);
        self.canonicalise(out, firsts.0);
        self.canonicalise(postponed, firsts.1);
        flags
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        self.inner.full_expansions(most)
    }

    fn note_explored(&mut self, postponed: usize) {
        self.inner.note_explored(postponed);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        parts.ends.clear();
        self.expand(state, Choice::All, out)
    }
}
