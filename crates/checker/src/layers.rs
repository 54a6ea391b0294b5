//! The system that a search explores: an engine and the reductions around it, layer by layer.

use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kripke_engine::{Compiled, InWords, Options, PortableCode, Words};
use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Arrival, Batch, Choice, Flags, Interpreter, Model, Movers, State, Successors};
use kripke_reduce::compact::{Codec, Compacted};
use kripke_reduce::por::{AmpleSuccessors, Audit, Independence, Record};
use kripke_reduce::state_values::StateValues;
use kripke_reduce::symmetry::{Permutations, Symmetric};
use kripke_reduce::words::word_layout_of;
use kripke_report::json;

use crate::load;
use crate::plan::MOST_WORD_BITS;
use crate::request::{Engine, Request};

/// Makes the successor generator of each thread, and collects the edges that they have executed.
#[derive(Debug)]
pub struct Layers {
    interpreter: Interpreter,
    /// Machine code, which each thread copies.
    compiled: Option<Mutex<Compiled>>,
    /// The state codec, if the search stores compact states.
    codec: Option<Codec>,
    /// The values that states can have, if a form of states needed them.
    values: Option<Arc<StateValues>>,
    /// The layout of states in words, if the search stores those.
    words: Option<Arc<Words>>,
    /// `[process][edge]`: whether a finished worker has executed the edge.
    covered: Mutex<Vec<Vec<bool>>>,
    /// The propositions that label states.
    conditions: Vec<Expr>,
    /// The dependence relation, for partial-order reduction.
    independence: Option<Arc<Independence>>,
    /// The permutations of processes, for symmetry reduction.
    permutations: Option<Arc<Permutations>>,
    /// The audit of ample sets, and its record.
    audit: Option<(Mutex<Audit>, Arc<Record>)>,
}

/// What is around the engine.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The dependence relation, for partial-order reduction.
    pub independence: Option<Arc<Independence>>,
    /// The permutations of processes, for symmetry reduction.
    pub permutations: Option<Arc<Permutations>>,
    /// States of at most so many bits are stored in words.
    pub word_bits: Option<u32>,
    /// Processes send each other states, which must have the same form in all of them. The shape whose type bytes are omitted is found by
    /// sampling for a limited time, so it may differ.
    pub distributed: bool,
}

/// States of at most so many bits are searched by a GPU.
pub(crate) const MOST_PORTABLE_BITS: u32 = 255;

/// The layout of states in words, if they have at most so many bits.
fn words(interpreter: &Interpreter, values: &StateValues, most: u32) -> Option<Arc<Words>> {
    let layout = word_layout_of(interpreter, values).filter(|layout| layout.bits() <= most)?;
    Some(Words::new(layout)).filter(|words| words.holds(interpreter.initial_state())).map(Arc::new)
}

impl Layers {
    /// Compiles the model if the request wants that. Also gives the reason if the model can't be compiled.
    pub fn new(model: &Arc<Model>, request: &Request, parts: Parts) -> Result<(Layers, Option<String>), StartError> {
        let interpreter = load::interpreter(model.clone(), request.reductions.raw)?;
        let covered = Mutex::new(interpreter.coverage().to_vec());
        let Parts { independence, permutations, word_bits, distributed } = parts;
        let needs_values = request.search.compact || word_bits.is_some() && interpreter.layout().hidden == 0;
        let values = needs_values.then(|| Arc::new(StateValues::new(&interpreter)));
        let words = word_bits.zip(values.as_deref()).and_then(|(most, values)| words(&interpreter, values, most));
        let reduces = independence.is_some();
        let wanted = request.search.engine == Engine::Compile;
        let compile = |words: Option<&Arc<Words>>| {
            let options = Options {
                coverage: request.coverage,
                parts: reduces,
                claims: !request.reductions.raw,
                // The codec and the permutations work on whole states.
                omit_types: !distributed && !request.search.compact && words.is_none() && permutations.is_none(),
                cache: true,
                interpret_first: true,
                ..Options::default()
            };
            match words.filter(|_| permutations.is_none()) {
                Some(words) => Compiled::in_words(model.clone(), options, words.clone()),
                None => Compiled::new(model.clone(), options),
            }
        };
        // Long states are in words where that pays, unless they have to be.
        let is_open = |words: &Arc<Words>| word_bits == Some(MOST_WORD_BITS) && words.layout().bits() > u64::BITS;
        let may_be_packed = words.as_ref().is_some_and(is_open);
        let (words, compiled) = match wanted.then(|| compile(words.as_ref())) {
            Some(Ok(compiled)) if may_be_packed && !compiled.is_covered_by_cache() => (None, Some(compile(None))),
            None if may_be_packed => (None, None),
            compiled => (words, compiled),
        };
        let (compiled, why) = match compiled {
            None => (None, None),
            Some(Ok(compiled)) => (Some(Mutex::new(compiled)), None),
            Some(Err(why)) => (None, Some(format!("{why}; the interpreter runs it instead"))),
        };
        let audit = match request.reductions.audit.filter(|_| reduces) {
            Some(every) => {
                let record = Arc::new(Record::default());
                Some((Mutex::new(Audit::new(model, every, record.clone())?), record))
            }
            None => None,
        };
        let codec = values.clone().filter(|_| request.search.compact).map(Codec::with);
        let conditions = Vec::new();
        Ok((
            Layers {
                interpreter,
                compiled,
                codec,
                values,
                words,
                covered,
                conditions,
                independence,
                permutations,
                audit,
            },
            why,
        ))
    }

    /// Labels states with these propositions.
    pub fn asking(self, conditions: &[Expr]) -> Layers {
        Layers { conditions: conditions.to_vec(), ..self }
    }

    /// The interpreter of the searched model.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// The record of the audit, if there is one.
    pub fn record(&self) -> Option<&Arc<Record>> {
        self.audit.as_ref().map(|(_, record)| record)
    }

    /// Whether an ample set has left out a move so far.
    pub fn has_left_out(&self) -> bool {
        self.independence.as_ref().is_some_and(|independence| independence.has_reduced())
    }

    /// Whether states are stored in words.
    pub fn is_in_words(&self) -> bool {
        self.words.is_some()
    }

    /// Whether a state did not fit into the words. No result of the search is valid then.
    pub fn has_escaped(&self) -> bool {
        self.words.as_ref().is_some_and(|words| words.has_escaped())
    }

    /// The flag that is set when a state does not fit into the words: the search need not go on.
    pub fn escape_flag(&self) -> Option<Arc<AtomicBool>> {
        self.words.as_ref().map(|words| words.escape_flag())
    }

    /// The code of the model for another processor, or why there is none.
    pub fn portable(&self) -> Result<PortableCode, String> {
        if self.words.as_ref().is_none_or(|words| words.layout().bits() > MOST_PORTABLE_BITS) {
            return Err(format!("states of this model have no form in words of at most {MOST_PORTABLE_BITS} bits"));
        }
        let compiled = self.compiled.as_ref().ok_or("the model is not compiled")?;
        let compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.portable().map_err(|why| why.to_string())
    }

    /// The time in which code was generated.
    pub fn compiling(&self) -> Duration {
        let seconds =
            |compiled: &Mutex<Compiled>| compiled.lock().unwrap_or_else(PoisonError::into_inner).compile_seconds();
        self.compiled.as_ref().map_or(Duration::ZERO, |compiled| Duration::from_secs_f64(seconds(compiled)))
    }

    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        if self.compiled.is_some() { "compile" } else { "interpret" }
    }

    /// The bytes at the start of a state that are not compared: hidden variables.
    pub fn hidden_prefix(&self) -> usize {
        self.interpreter.hidden_prefix()
    }

    /// The successor generator of one thread: the engine, then partial order, symmetry, codec around it.
    pub fn worker(&self) -> Box<dyn Successors + '_> {
        match &self.compiled {
            Some(compiled) => {
                let compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner).for_thread();
                self.reduced(self.work(compiled))
            }
            None => self.reduced(self.work(self.interpreter.for_thread())),
        }
    }

    fn reduced<'e>(&self, worker: impl Successors + 'e) -> Box<dyn Successors + 'e> {
        match &self.independence {
            Some(independence) => {
                let audit = self.audit.as_ref().map(|(audit, _)| audit.lock().unwrap_or_else(PoisonError::into_inner));
                let reduced = AmpleSuccessors::new(worker, independence.clone());
                self.permuted(reduced.with_audit(audit.map(|audit| audit.for_thread())))
            }
            None => self.permuted(worker),
        }
    }

    fn permuted<'e>(&self, worker: impl Successors + 'e) -> Box<dyn Successors + 'e> {
        match &self.permutations {
            Some(permutations) => self.compacted(Symmetric::new(worker, permutations.clone())),
            None => self.compacted(worker),
        }
    }

    fn compacted<'e>(&self, worker: impl Successors + 'e) -> Box<dyn Successors + 'e> {
        match (&self.codec, &self.words) {
            (Some(codec), _) => Box::new(Compacted::new(worker, codec.clone())),
            (None, Some(words)) if worker.word_bits().is_none() => Box::new(InWords::new(worker, words.clone())),
            (None, _) => Box::new(worker),
        }
    }

    fn work<S: Covers>(&self, successors: S) -> Worker<'_, S> {
        Worker { successors, layers: self, judge: self.interpreter.for_thread() }
    }

    /// The values that states can have, if a form of states needed them.
    pub fn values(&self) -> Option<Arc<StateValues>> {
        self.values.clone()
    }

    /// The interpreter of the searched model, and the executed edges.
    pub fn finish(self) -> (Interpreter, Vec<Vec<bool>>) {
        (self.interpreter, self.covered.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn gather(&self, executed: &[Vec<bool>]) {
        let mut all = self.covered.lock().unwrap_or_else(PoisonError::into_inner);
        for (edge, executed) in all.iter_mut().flatten().zip(executed.iter().flatten()) {
            *edge |= executed;
        }
    }
}

/// The number of bits of a state. Computing it takes time, most of all if the values of states are not known: ask only where it is
/// shown.
pub fn state_bits(interpreter: &Interpreter, values: Option<&Arc<StateValues>>) -> json::StateBits {
    let values = values.map_or_else(|| Arc::new(StateValues::new(interpreter)), Arc::clone);
    let words = word_layout_of(interpreter, &values).map_or(0, |layout| layout.bits().into());
    let codec = Codec::with(values);
    json::StateBits { packed: codec.packed_bits(), compact: codec.bits(), words }
}

/// An engine that records the edges it has executed.
trait Covers: Successors {
    fn covered(&self) -> Vec<Vec<bool>>;
}

impl Covers for Interpreter {
    fn covered(&self) -> Vec<Vec<bool>> {
        self.coverage().to_vec()
    }
}

impl Covers for Compiled {
    fn covered(&self) -> Vec<Vec<bool>> {
        self.coverage()
    }
}

/// Reports the executed edges to the system when it is dropped.
struct Worker<'e, S: Covers> {
    successors: S,
    layers: &'e Layers,
    /// Evaluates propositions.
    judge: Interpreter,
}

impl<S: Covers> Successors for Worker<'_, S> {
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

impl<S: Covers> Representation for Worker<'_, S> {
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

impl<S: Covers> StateLabels for Worker<'_, S> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        let state = self.successors.decode(state);
        let mut conditions = self.layers.conditions.iter().enumerate();
        conditions.try_fold(0, |atoms, (bit, c)| Some(atoms | u64::from(self.judge.holds(c, &state)?) << bit))
    }
}

impl<S: Covers> ActionLabels for Worker<'_, S> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.successors.action_labels(state, out);
    }
}

impl<S: Covers> AcceptanceMarks for Worker<'_, S> {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.successors.acceptance_marks(state, out);
    }
}

impl<S: Covers> ProcessStructure for Worker<'_, S> {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.successors.movers(state, out);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut kripke_model::Parts) -> Flags {
        self.successors.expand_parts(state, out, parts)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}

impl<S: Covers> Drop for Worker<'_, S> {
    fn drop(&mut self) {
        self.layers.gather(&self.successors.covered());
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::files::Texts;
    use crate::request::{Language, Source};

    fn initial(distributed: bool) -> (Vec<u8>, Vec<u8>) {
        let text = "byte x; active [2] proctype P() { do :: x = 1 - x od }";
        let files = Texts([(PathBuf::from("model"), text.to_string())].into());
        let source = Source { language: Some(Language::PROMELA), ..Source::default() };
        let model = Arc::new(load::load(Path::new("model"), &source, &[], &files).unwrap().model);
        let parts = Parts { independence: None, permutations: None, word_bits: None, distributed };
        let (layers, _) = Layers::new(&model, &Request::default(), parts).unwrap();
        let mut batch = Batch::new();
        layers.worker().initial(&mut batch);
        (batch.state(0).to_vec(), layers.interpreter.initial_state().to_vec())
    }

    /// Processes need not have found the same common shape, whose type bytes are omitted.
    #[test]
    fn states_that_processes_send_are_whole() {
        let (kept, whole) = initial(false);
        assert_eq!(kept.len() + 2, whole.len());
        let (kept, whole) = initial(true);
        assert_eq!(kept, whole);
    }
}
