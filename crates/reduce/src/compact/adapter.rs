//! Successors of compact states.

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
    fn uncompared(&self) -> usize {
        self.inner.uncompared()
    }

    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.codec.decode(state, &mut self.state);
        self.inner.movers(&self.state, out);
    }

    fn atoms(&mut self, state: &State) -> Option<u64> {
        self.codec.decode(state, &mut self.state);
        self.inner.atoms(&self.state)
    }

    fn steps(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.codec.decode(state, &mut self.state);
        self.inner.steps(&self.state, out);
    }

    fn marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.codec.decode(state, &mut self.state);
        self.inner.marks(&self.state, out);
    }

    fn plain<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.codec.decode(state, &mut self.state);
        Cow::Owned(self.inner.plain(&self.state).into_owned())
    }

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
}
