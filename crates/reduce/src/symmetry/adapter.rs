//! Successors of which one stands for all that are like it.

use std::borrow::Cow;
use std::sync::Arc;

use super::permutation::{Action, Room};
use kripke_model::{Batch, Choice, Flags, Movers, State, Successors};

/// Successors in a form that is the same for many states that differ only in who is who.
#[derive(Debug)]
pub struct Symmetric<S> {
    inner: S,
    action: Arc<Action>,
    room: Room,
    copy: Vec<u8>,
}

impl<S: Successors> Symmetric<S> {
    /// The states must be as the [layout](kripke_model::layout) packs them.
    pub fn new(inner: S, action: Arc<Action>) -> Symmetric<S> {
        Symmetric { inner, action, room: Room::default(), copy: Vec::new() }
    }

    /// Changes all states of the batch from this one on.
    fn canonical(&mut self, batch: &mut Batch, first: usize) {
        let (bytes, ends) = batch.parts();
        let mut start = first.checked_sub(1).map_or(0, |last| ends[last] as usize);
        for end in &ends[first..] {
            self.action.canonical(&mut bytes[start..*end as usize], &mut self.room, &mut self.copy);
            start = *end as usize;
        }
    }
}

impl<S: Successors> Successors for Symmetric<S> {
    fn uncompared(&self) -> usize {
        self.inner.uncompared()
    }

    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.inner.movers(state, out);
    }

    fn atoms(&mut self, state: &State) -> Option<u64> {
        self.inner.atoms(state)
    }

    fn steps(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.inner.steps(state, out);
    }

    fn marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.inner.marks(state, out);
    }

    fn plain<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.inner.plain(state)
    }

    fn initial(&mut self, out: &mut Batch) {
        let first = out.len();
        self.inner.initial(out);
        self.canonical(out, first);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        let first = out.len();
        let flags = self.inner.expand(state, choice, out);
        self.canonical(out, first);
        flags
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, rest: &mut Batch) -> Flags {
        let firsts = (out.len(), rest.len());
        let flags = self.inner.expand_ample(state, out, rest);
        self.canonical(out, firsts.0);
        self.canonical(rest, firsts.1);
        flags
    }
}
