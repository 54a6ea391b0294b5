//! The system that a search explores: an engine and the reductions around it, layer by layer.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use kripke_engine::{Compiled, Options};
use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Batch, Choice, Flags, Interpreter, Model, Movers, Parts, State, Successors};
use kripke_reduce::compact::{Codec, Compacted};
use kripke_reduce::por::{Audit, Independence, Record, Reduced};
use kripke_reduce::symmetry::{Action, Symmetric};
use kripke_report::json;

use crate::load;
use crate::request::{Engine, Request};

/// Makes the successor generator of each thread, and collects the edges that they have executed.
#[derive(Debug)]
pub struct System {
    interpreter: Interpreter,
    /// Only to be copied for each thread.
    compiled: Option<Mutex<Compiled>>,
    /// Where the search sees compact states.
    codec: Option<Codec>,
    /// `[process][edge]`: executed by a worker that has finished.
    covered: Mutex<Vec<Vec<bool>>>,
    /// What states are asked about, beside their successors.
    conditions: Vec<Expr>,
    /// Who gets into whose way, if some moves are left out.
    independence: Option<Arc<Independence>>,
    /// Who can take whose place, if one state stands for all that differ only in that.
    action: Option<Arc<Action>>,
    /// Tries out some of that, and writes down what it finds.
    audit: Option<(Mutex<Audit>, Arc<Record>)>,
}

impl System {
    /// Compiles the model if that is wanted. Also gives the reason if it is wanted and can't be done.
    pub fn new(
        model: &Arc<Model>,
        request: &Request,
        independence: Option<Independence>,
        action: Option<Arc<Action>>,
    ) -> Result<(System, Option<String>), StartError> {
        let interpreter = load::interpreter(model.clone(), request.reductions.raw)?;
        let covered = Mutex::new(interpreter.coverage().to_vec());
        let reduces = independence.is_some();
        let wanted = request.search.engine == Engine::Compile;
        let options = Options {
            coverage: request.coverage,
            parts: reduces,
            claims: !request.reductions.raw,
            // Whole states are made compact, and have their processes exchanged.
            omit_types: !request.search.compact && action.is_none(),
            ..Options::default()
        };
        let (compiled, why) = match wanted.then(|| Compiled::new(model.clone(), options)) {
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
        let codec = request.search.compact.then(|| Codec::of(&interpreter));
        let (conditions, independence) = (Vec::new(), independence.map(Arc::new));
        Ok((System { interpreter, compiled, codec, covered, conditions, independence, action, audit }, why))
    }

    /// Makes these the atoms of states.
    pub fn asking(self, conditions: &[Expr]) -> System {
        System { conditions: conditions.to_vec(), ..self }
    }

    /// What audits have found, if there are any.
    pub fn record(&self) -> Option<&Arc<Record>> {
        self.audit.as_ref().map(|(_, record)| record)
    }

    /// Whether any move was left out so far.
    pub fn has_left_out(&self) -> bool {
        self.independence.as_ref().is_some_and(|independence| independence.has_served())
    }

    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        if self.compiled.is_some() { "compile" } else { "interpret" }
    }

    /// How many bytes of a state do not count.
    pub fn uncompared(&self) -> usize {
        self.interpreter.uncompared()
    }

    /// For one thread.
    pub fn worker(&self) -> Box<dyn Successors + '_> {
        match &self.compiled {
            Some(compiled) => {
                let compiled = compiled.lock().unwrap_or_else(PoisonError::into_inner).for_thread();
                self.boxed(self.work(compiled))
            }
            None => self.boxed(self.work(self.interpreter.for_thread())),
        }
    }

    fn boxed<'e>(&self, worker: impl Successors + 'e) -> Box<dyn Successors + 'e> {
        match &self.independence {
            Some(independence) => {
                let audit = self.audit.as_ref().map(|(audit, _)| audit.lock().unwrap_or_else(PoisonError::into_inner));
                let reduced = Reduced::new(worker, independence.clone());
                self.exchanged(reduced.auditing(audit.map(|audit| audit.for_thread())))
            }
            None => self.exchanged(worker),
        }
    }

    fn exchanged<'e>(&self, worker: impl Successors + 'e) -> Box<dyn Successors + 'e> {
        match &self.action {
            Some(action) => self.compacted(Symmetric::new(worker, action.clone())),
            None => self.compacted(worker),
        }
    }

    fn compacted<'e>(&self, worker: impl Successors + 'e) -> Box<dyn Successors + 'e> {
        match &self.codec {
            Some(codec) => Box::new(Compacted::new(worker, codec.clone())),
            None => Box::new(worker),
        }
    }

    fn work<S: Covers>(&self, successors: S) -> Worker<'_, S> {
        Worker { successors, system: self, judge: self.interpreter.for_thread() }
    }

    /// The interpreter, to judge and to show, and what was executed.
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

/// How many bits a state takes. Finding that out takes time, so only whoever tells somebody should ask.
pub fn state_bits(interpreter: &Interpreter) -> json::StateBits {
    let codec = Codec::of(interpreter);
    json::StateBits { packed: codec.packed_bits(), compact: codec.bits() }
}

/// Knows which edges it has executed.
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
    system: &'e System,
    /// Judges conditions.
    judge: Interpreter,
}

impl<S: Covers> Successors for Worker<'_, S> {
    fn uncompared(&self) -> usize {
        self.successors.uncompared()
    }

    fn movers(&mut self, state: &State, out: &mut Movers) {
        self.successors.movers(state, out);
    }

    fn atoms(&mut self, state: &State) -> Option<u64> {
        let state = self.successors.plain(state);
        let mut conditions = self.system.conditions.iter().enumerate();
        conditions.try_fold(0, |atoms, (bit, c)| Some(atoms | u64::from(self.judge.holds(c, &state)?) << bit))
    }

    fn steps(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.successors.steps(state, out);
    }

    fn marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.successors.marks(state, out);
    }

    fn plain<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.successors.plain(state)
    }

    fn initial(&mut self, out: &mut Batch) {
        self.successors.initial(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.successors.expand(state, choice, out)
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        self.successors.expand_parts(state, out, parts)
    }
}

impl<S: Covers> Drop for Worker<'_, S> {
    fn drop(&mut self) {
        self.system.gather(&self.successors.covered());
    }
}
