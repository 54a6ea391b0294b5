//! Successors of compact states.

use kripke_model::Parts;
use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;

use super::Codec;
use kripke_model::{Batch, Choice, Flags, Movers, State, Successors};

/// A wrapper around any [`Successors`] that takes and gives compact states, in the same order.
#[derive(Debug)]
pub struct Compacted<S> {
    inner: S,
    codec: Codec,
    state: Vec<u8>,
    batch: Batch,
    postponed: Batch,
}

impl<S: Successors> Compacted<S> {
    /// Wraps successors whose states this codec converts.
    pub fn new(inner: S, codec: Codec) -> Compacted<S> {
        Compacted { inner, codec, state: Vec::new(), batch: Batch::new(), postponed: Batch::new() }
    }

    /// Appends the compact forms of the inner successors, and their findings.
    fn encode_successors(&mut self, out: &mut Batch) {
        for state in self.batch.states() {
            let (bytes, ends) = out.parts();
            self.codec.encode_difference(&self.state, state, bytes);
            ends.push(u32::try_from(bytes.len()).expect("a batch holds less than 4 GiB"));
        }
        self.batch.findings().iter().for_each(|finding| out.find(finding.clone()));
    }
}

impl<S: Successors> Successors for Compacted<S> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        let mut compact = Vec::new();
        self.codec.encode(self.batch.state(0), &mut compact);
        out.push(&compact);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.codec.decode(state, &mut self.state);
        self.batch.clear();
        let flags = self.inner.expand(&self.state, choice, &mut self.batch);
        self.encode_successors(out);
        flags
    }
}

impl<S: Successors> Representation for Compacted<S> {
    fn hidden_prefix(&self) -> usize {
        self.inner.hidden_prefix()
    }

    fn word_bits(&self) -> Option<u32> {
        None
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.codec.decode(state, &mut self.state);
        Cow::Owned(self.inner.decode(&self.state).into_owned())
    }
}

impl<S: Successors> StateLabels for Compacted<S> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        self.codec.decode(state, &mut self.state);
        self.inner.state_labels(&self.state)
    }
}

impl<S: Successors> ActionLabels for Compacted<S> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.codec.decode(state, &mut self.state);
        self.inner.action_labels(&self.state, out);
    }
}

impl<S: Successors> AcceptanceMarks for Compacted<S> {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.codec.decode(state, &mut self.state);
        self.inner.acceptance_marks(&self.state, out);
    }
}

impl<S: Successors> ProcessStructure for Compacted<S> {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.codec.decode(state, &mut self.state);
        self.inner.movers(&self.state, out);
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, postponed: &mut Batch) -> Flags {
        self.codec.decode(state, &mut self.state);
        self.batch.clear();
        let mut inner_postponed = std::mem::take(&mut self.postponed);
        inner_postponed.clear();
        let flags = self.inner.expand_ample(&self.state, &mut self.batch, &mut inner_postponed);
        self.encode_successors(out);
        self.postponed = std::mem::replace(&mut self.batch, inner_postponed);
        self.encode_successors(postponed);
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
