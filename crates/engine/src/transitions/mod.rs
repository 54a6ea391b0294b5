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
mod sleep;
mod source;
mod table;
mod visit;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kripke_model::ir::Scheduling;
use kripke_model::layout::Layout;
use kripke_model::{Arrival, Batch, Interpreter, Model, Parts, State};

use crate::facts::Facts;
use crate::words::Words;
use cache::Cache;
pub(crate) use sleep::SharedSteps;
use source::Source;

/// The transition cache of a thread.
pub(crate) struct TransitionCache {
    of_width: Box<dyn OfWidth>,
    source: Source,
    /// The end of the successors of a single state.
    ends: Vec<usize>,
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
    /// The transitions by which they were discovered, in a search that uses sleep sets.
    arrivals: &'a [Arrival],
    out: &'a mut Batch,
    ends: &'a mut Vec<usize>,
    source: &'a mut Source,
    interpreter: &'a mut Interpreter,
    /// A state was left out because of its moves.
    left: bool,
}

impl TransitionCache {
    /// A cache for a model. Nothing if its moves depend on more than footprints can tell.
    pub fn new(
        (model, layout): (&Arc<Model>, &Arc<Layout>),
        claims: bool,
        words: &Arc<Words>,
        steps: SharedSteps,
    ) -> Option<TransitionCache> {
        let claims = claims && model.processes.iter().any(|process| !process.claims.is_empty());
        let committed = model.processes.iter().flat_map(|process| &process.locations).any(|at| at.committed);
        let watched = model.observer.is_some() || model.goal.is_some() || model.trace.is_some();
        let ordered = model.uses_last || model.uses_priorities || model.scheduling != Scheduling::Interleaved;
        let is_long = words.layout().lengths().any(|length| length > MOST_BYTES);
        if claims || committed || watched || ordered || layout.hidden > 0 || is_long {
            return None;
        }
        let facts = Arc::new(Facts::new(model, layout, Vec::new(), false));
        let (model, layout, words) = (model.clone(), layout.clone(), words.clone());
        let of_width: Box<dyn OfWidth> = match words.layout().word_count() {
            1 => Box::new(Cache::<1>::new(steps)),
            2 => Box::new(Cache::<2>::new(steps)),
            3 => Box::new(Cache::<3>::new(steps)),
            4 => Box::new(Cache::<4>::new(steps)),
            5 => Box::new(Cache::<5>::new(steps)),
            6 => Box::new(Cache::<6>::new(steps)),
            7 => Box::new(Cache::<7>::new(steps)),
            8 => Box::new(Cache::<8>::new(steps)),
            _ => return None,
        };
        let source = Source::new(model, layout, facts, words);
        Some(TransitionCache { of_width, source, ends: Vec::new(), expanded: 0, left: 0 })
    }

    /// Appends the successors of states, and to `ends` the number of states in the batch after each, up to a state that has
    /// none or that is left to others. Returns the number of expanded states. Successors in sleep
    /// sets are left out if `arrivals` has a transition for each state.
    pub fn expand_all(
        &mut self,
        (states, arrivals): (&[&State], &[Arrival]),
        out: &mut Batch,
        ends: &mut Vec<usize>,
        interpreter: &mut Interpreter,
    ) -> usize {
        let mut task = Task { states, arrivals, out, ends, source: &mut self.source, interpreter, left: false };
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
        self.ends.clear();
        let mut task = Task {
            states: &[state],
            arrivals: &[],
            out,
            ends: &mut self.ends,
            source: &mut self.source,
            interpreter,
            left: false,
        };
        let expanded = self.of_width.expand_parts(&mut task, parts);
        self.left += u64::from(task.left);
        self.expanded += u64::from(expanded);
        expanded
    }

    /// The number of states expanded so far.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// The time in which the interpreter has made results.
    pub fn took(&self) -> Duration {
        self.source.took
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
        let worth = PATIENCE + Duration::from_nanos(states * NANOSECONDS_PER_STATE);
        self.left < FEW_LEFT + states / 2
            && self.source.took < worth
            && self.source.asked < FEW_ASKED + states / STATES_PER_RESULT
    }
}

/// The most bytes of packed states: each analysis of moves takes time for all of them.
const MOST_BYTES: usize = 1 << 12;
/// After so many states, results should be used again.
const MANY: u64 = 1000;
/// A cache may leave so many states to others before it is judged.
const FEW_LEFT: u64 = 1 << 12;
/// It may make so many results, and one for so many states, since those of long keys are hardly ever used again.
const FEW_ASKED: u64 = 1 << 14;
const STATES_PER_RESULT: u64 = 64;
/// Making them may take so much time, and so much for each expanded state: some tenths of what expanding it takes.
/// Whatever it takes, the results are the same.
const PATIENCE: Duration = Duration::from_millis(8);
const NANOSECONDS_PER_STATE: u64 = 20;

impl fmt::Debug for TransitionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransitionCache").field("took", &self.source.took).finish_non_exhaustive()
    }
}
