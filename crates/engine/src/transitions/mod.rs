//! Transition caching: the moves of a process depend on few bits of the state, so they are computed once for each value of
//! these bits and then taken from a table (Blom, van de Pol and Weber, *LTSmin: distributed and symbolic reachability*, 2010).
//!
//! States are in words. A [footprint](footprint) says which bits decide about the moves of a process at a location. The
//! [table] has the successors for each value of these bits, as differences from the state: a successor takes one instruction
//! for each word. The interpreter makes the results, when a state first needs them. What has no footprint, and every state
//! with an error or without successors, is left to the code and the interpreter.

mod cache;
mod codes;
mod evaluate;
mod footprint;
mod knowledge;
mod output;
mod results;
mod select;
mod sites;
mod source;
mod table;
mod visit;

use std::fmt;
use std::sync::Arc;

use kripke_model::ir::Scheduling;
use kripke_model::layout::Layout;
use kripke_model::{Batch, Interpreter, Model, Parts, State};

use crate::facts::Facts;
use crate::words::Words;
use cache::Cache;
use source::Source;

/// The transition cache of a thread.
pub(crate) struct TransitionCache {
    of_width: Box<dyn OfWidth>,
    source: Source,
    /// The numbers of states expanded, and left to others because of their moves.
    expanded: u64,
    left: u64,
}

/// A cache for states of some number of words.
trait OfWidth: Send {
    fn expand_all(&mut self, task: &mut Task<'_, '_>) -> usize;
    fn expand_parts(&mut self, task: &mut Task<'_, '_>, parts: &mut Parts) -> bool;
    /// Whether most keys are short.
    fn has_short_keys(&self) -> bool;
}

/// States to expand, and the place for their successors.
struct Task<'a, 's> {
    states: &'a [&'s State],
    out: &'a mut Batch,
    ends: &'a mut Vec<usize>,
    source: &'a mut Source,
    interpreter: &'a mut Interpreter,
    /// A state was left out because of its moves.
    left: bool,
}

impl TransitionCache {
    /// A cache for a model. Nothing if its moves depend on more than footprints can tell.
    pub fn new(model: &Arc<Model>, layout: &Arc<Layout>, claims: bool, words: &Arc<Words>) -> Option<TransitionCache> {
        let claims = claims && model.processes.iter().any(|process| !process.claims.is_empty());
        let committed = model.processes.iter().flat_map(|process| &process.locations).any(|at| at.committed);
        let watched = model.observer.is_some() || model.goal.is_some() || model.trace.is_some();
        let ordered = model.uses_last || model.uses_priorities || model.scheduling != Scheduling::Interleaved;
        if claims || committed || watched || ordered || layout.hidden > 0 {
            return None;
        }
        let facts = Arc::new(Facts::new(model, layout, Vec::new(), false));
        let (model, layout, words) = (model.clone(), layout.clone(), words.clone());
        let of_width: Box<dyn OfWidth> = match words.layout().word_count() {
            1 => Box::new(Cache::<1>::new()),
            2 => Box::new(Cache::<2>::new()),
            3 => Box::new(Cache::<3>::new()),
            4 => Box::new(Cache::<4>::new()),
            5 => Box::new(Cache::<5>::new()),
            6 => Box::new(Cache::<6>::new()),
            7 => Box::new(Cache::<7>::new()),
            8 => Box::new(Cache::<8>::new()),
            _ => return None,
        };
        let source = Source::new(model, layout, facts, words);
        Some(TransitionCache { of_width, source, expanded: 0, left: 0 })
    }

    /// Appends the successors of states, and to `ends` the number of states in the batch after each, up to a state that has
    /// none or that is left to others. Returns the number of expanded states.
    pub fn expand_all(
        &mut self,
        states: &[&State],
        out: &mut Batch,
        ends: &mut Vec<usize>,
        interpreter: &mut Interpreter,
    ) -> usize {
        let mut task = Task { states, out, ends, source: &mut self.source, interpreter, left: false };
        let expanded = self.of_width.expand_all(&mut task);
        self.left += u64::from(task.left);
        self.expanded += expanded as u64;
        expanded
    }

    /// Appends the successors of a state, and tells which process has which. False if the state has none, or is left to others.
    pub fn expand_parts(
        &mut self,
        state: &State,
        out: &mut Batch,
        parts: &mut Parts,
        interpreter: &mut Interpreter,
    ) -> bool {
        let mut ends = Vec::new();
        let mut task =
            Task { states: &[state], out, ends: &mut ends, source: &mut self.source, interpreter, left: false };
        let expanded = self.of_width.expand_parts(&mut task, parts);
        self.left += u64::from(task.left);
        self.expanded += u64::from(expanded);
        expanded
    }

    /// The number of states expanded so far.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Whether the cache covers a model of which these are the first states: few of them were left to others, and results depend on few
    /// bits, so that they will be used often.
    pub fn covers(&self) -> bool {
        let is_used = self.expanded < MANY || 4 * self.source.asked < 3 * self.expanded;
        self.left < self.expanded / 4 && is_used && self.of_width.has_short_keys()
    }

    /// Whether the cache saves work: few states are left to others, and results are used often.
    pub fn pays(&self) -> bool {
        let states = self.expanded + self.left;
        self.left < PATIENCE + states / 2 && self.source.asked < PATIENCE + states / 64
    }
}

/// After so many states, results should be used again.
const MANY: u64 = 1000;

/// A cache may leave so many states to others, and ask the interpreter so often, before it is judged.
const PATIENCE: u64 = 1 << 12;

impl fmt::Debug for TransitionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransitionCache").field("asked", &self.source.asked).finish_non_exhaustive()
    }
}
