//! Successors of compact states.

use super::Codec;
use crate::successors::{Batch, Choice, Flags, State, Successors};

/// The same successors in the same order, as compact states.
#[derive(Debug)]
pub struct Compacted<S> {
    inner: S,
    codec: Codec,
    state: Vec<u8>,
    batch: Batch,
}

impl<S: Successors> Compacted<S> {
    pub fn new(inner: S, codec: Codec) -> Compacted<S> {
        Compacted { inner, codec, state: Vec::new(), batch: Batch::new() }
    }

    fn hand_over(&mut self, out: &mut Batch) {
        for state in self.batch.states() {
            let (bytes, ends) = out.parts();
            let start = bytes.len();
            self.codec.encode(state, bytes);
            ends.push(u32::try_from(bytes.len()).expect("a batch holds less than 4 GiB"));
            if cfg!(debug_assertions) {
                self.codec.decode(&bytes[start..], &mut self.state);
                assert_eq!(self.state, state, "a compact state says what the state says");
            }
        }
        self.batch.findings().iter().for_each(|finding| out.find(finding.clone()));
    }
}

impl<S: Successors> Successors for Compacted<S> {
    fn uncompared(&self) -> usize {
        self.inner.uncompared()
    }

    fn processes(&mut self, state: &State) -> u8 {
        self.codec.decode(state, &mut self.state);
        self.inner.processes(&self.state)
    }

    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        self.hand_over(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.codec.decode(state, &mut self.state);
        self.batch.clear();
        let flags = self.inner.expand(&self.state, choice, &mut self.batch);
        self.hand_over(out);
        flags
    }
}
