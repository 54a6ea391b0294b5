//! The choice between code for states of the common shape, code for any state, and the interpreter.

use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use kripke_model::layout::Layout;
use kripke_model::words::{load_words, words_of};
use kripke_model::{Arrival, Batch, Choice, Flags, Interpreter, Model, Movers, Parts, State, Successors};

use crate::driver::Driver;
use crate::facts::Facts;
use crate::program::{self, Program};
use crate::shape::{Shape, usual};
use crate::trace::TraceAutomaton;
use crate::transitions::{SharedSteps, TransitionCache};
use crate::type_bytes::TypeBytes;
use crate::warm_up::WarmUp;
use crate::words::Words;
use crate::{Options, PortableCode, Unsupported};

/// Successors by compiled code. Each thread has its own value; threads share the code.
#[derive(Debug)]
pub struct Compiled {
    code: Arc<Code>,
    interpreter: Interpreter,
    special: Option<Driver>,
    general: Option<Driver>,
    /// The number of states that the available code does not cover, until general code is made.
    odd: u32,
    /// The number of states that the interpreter had to expand.
    rare: u64,
    /// The transition cache, for states in words.
    cache: Option<TransitionCache>,
    room: Room,
}

/// Buffers for whole states, if stored states have no type bytes.
#[derive(Default, Debug)]
struct Room {
    whole: Vec<u8>,
    kept: Vec<u8>,
    batch: Batch,
}

/// The part that threads share.
#[derive(Debug)]
struct Code {
    model: Arc<Model>,
    layout: Arc<Layout>,
    options: Options,
    initial: Vec<u8>,
    /// The code for the states of the common shape.
    special: Option<Special>,
    /// The type bytes of this shape.
    type_bytes: Option<TypeBytes>,
    /// The layout of stored states, if they are in words.
    words: Option<Arc<Words>>,
    /// The number of the common shape in that layout, if states with that number have it.
    tag: Option<usize>,
    /// Code for any state, made on demand. `None` if it can't be made.
    general: OnceLock<Option<Arc<Program>>>,
    warm_up: WarmUp,
    /// The steps that transition caches have numbered.
    steps: SharedSteps,
}

/// Code for the states of one shape.
#[derive(Debug)]
struct Special {
    shape: Shape,
    facts: Facts,
    /// The code, once it is made. `None` if it can't be made.
    program: OnceLock<Option<Arc<Program>>>,
}

impl Compiled {
    /// Compiles a model.
    pub fn new(model: Arc<Model>, options: Options) -> Result<Compiled, Unsupported> {
        Compiled::compile(model, options, None)
    }

    /// Compiles a model whose states are stored in words.
    pub fn in_words(model: Arc<Model>, options: Options, words: Arc<Words>) -> Result<Compiled, Unsupported> {
        Compiled::compile(model, Options { omit_types: false, ..options }, Some(words))
    }

    fn compile(model: Arc<Model>, options: Options, words: Option<Arc<Words>>) -> Result<Compiled, Unsupported> {
        let mut interpreter = interpreter(&model, options)?;
        let layout = Arc::new(interpreter.layout().clone());
        let mut batch = Batch::new();
        interpreter.initial(&mut batch);
        let initial = batch.state(0).to_vec();
        let facts = Facts::new(&model, &layout, initial.clone(), true);
        let facts = match facts.varies {
            // A second interpreter finds the shape, since coverage is recorded in the first.
            true => usual(&mut self::interpreter(&model, options)?, facts, options),
            false => Some(facts),
        };
        let mut type_bytes = None;
        let special = facts.map(|mut facts| {
            let shape = || Shape::new(&model, &layout, &facts, &facts.sample);
            let whole = shape();
            // The layout needs a byte in front of the first process.
            if options.omit_types && layout.fixed > 0 && !facts.sites.is_empty() {
                type_bytes = Some(TypeBytes::new(shape(), &facts.sites, facts.sample.len()));
                facts = facts.without_types(&layout);
            }
            Special { shape: whole, facts, program: OnceLock::new() }
        });
        let tag = special.as_ref().and_then(|Special { shape, facts, .. }| {
            let layout = words.as_ref().filter(|_| facts.fixed)?.layout();
            let tag = layout.shape_of(&facts.sample)?;
            shape.all_constant(|at| layout.is_constant(tag, at)).then_some(tag)
        });
        let all = || model.processes.iter().map(|process| process.edges.len()).sum();
        let edges = special.as_ref().map_or_else(all, |special| program::compiled_edges(&model, &special.facts));
        let (warm_up, steps) = (WarmUp::new(edges), SharedSteps::default());
        let general = OnceLock::new();
        let code = Code { model, layout, options, initial, special, type_bytes, words, tag, general, warm_up, steps };
        let made = code.prepare_first()?;
        if let Some(program) = made {
            let _ = code.first().set(Some(Arc::new(program)));
        }
        Ok(Compiled::with(Arc::new(code), interpreter))
    }

    /// A value for another thread.
    pub fn for_thread(&self) -> Compiled {
        let interpreter = interpreter(&self.code.model, self.code.options).expect("it was made before");
        Compiled::with(self.code.clone(), interpreter)
    }

    fn with(code: Arc<Code>, interpreter: Interpreter) -> Compiled {
        let room = Room::default();
        let claims = code.options.claims;
        let words = code.words.as_ref().filter(|_| code.options.cache);
        let cache = words
            .and_then(|words| TransitionCache::new((&code.model, &code.layout), claims, words, code.steps.clone()));
        let mut compiled = Compiled { code, interpreter, special: None, general: None, odd: 0, rare: 0, cache, room };
        compiled.adopt();
        compiled
    }

    /// Whether the transition cache covers the first states, in breadth-first order: states in words are long, and converting them for
    /// code that works on packed states takes more time than it saves.
    pub fn is_covered_by_cache(&self) -> bool {
        const LOOKS: usize = 2000;
        let (mut looking, mut batch) = (self.for_thread(), Batch::new());
        let mut states = vec![self.encode(&self.code.initial)];
        let (mut seen, mut next) = (HashSet::from([states[0].clone()]), 0);
        while next < states.len() && states.len() < LOOKS {
            batch.clear();
            looking.expand(&states[next], Choice::All, &mut batch);
            next += 1;
            states.extend(batch.states().filter(|state| seen.insert(state.to_vec())).map(<[u8]>::to_vec));
        }
        looking.cache.is_some_and(|cache| cache.covers())
    }

    /// Begins to use the code that there is.
    fn adopt(&mut self) {
        let driver = |program: &OnceLock<Option<Arc<Program>>>| program.get().cloned().flatten().map(Driver::new);
        self.special = self.code.special.as_ref().and_then(|special| driver(&special.program));
        self.general = driver(&self.code.general);
    }

    /// Expands with the interpreter, and makes the first code or begins to use it when the time has come.
    #[cold]
    fn warm_up<T>(&mut self, expand: impl FnOnce(&mut Compiled) -> T) -> T {
        let start = Instant::now();
        let expanded = expand(self);
        if self.code.warm_up.add(start.elapsed()) {
            let _ = self.code.first().set(self.code.make_first().ok().map(Arc::new));
        }
        if self.code.first().get().is_some() {
            self.adopt();
        }
        expanded
    }

    /// Whether the interpreter expands states because there is no code yet. Code that another thread has made in the meantime is
    /// used from now on, also if this thread had no state to expand while it was made.
    #[inline]
    fn is_cold(&mut self) -> bool {
        if self.special.is_some() || self.general.is_some() {
            return false;
        }
        self.adopt();
        self.code.first().get().is_none()
    }

    /// The stored form of a state of the interpreter's layout: words, or packed without type bytes if it has the common
    /// shape.
    ///
    /// # Panics
    /// If the state does not fit into the words.
    pub fn encode(&self, whole: &State) -> Vec<u8> {
        let mut out = Vec::new();
        match (&self.code.words, &self.code.type_bytes) {
            (Some(words), _) => {
                let packed = words.encode(whole, 0).expect("a state that fits");
                out.extend(packed.iter().flat_map(|word| word.to_le_bytes()).take(words.layout().bytes()));
            }
            (None, Some(types)) => types.encode(whole, &mut out),
            (None, None) => out.extend_from_slice(whole),
        }
        out
    }

    /// The state in the interpreter's layout, from its stored form.
    pub fn decode(&self, kept: &State) -> Vec<u8> {
        let mut out = Vec::new();
        match (&self.code.words, &self.code.type_bytes) {
            (Some(words), _) => words.decode(&words_of(kept), &mut out),
            (None, Some(types)) => types.decode(kept, &mut out),
            (None, None) => out.extend_from_slice(kept),
        }
        out
    }

    /// Applies a function of the code for the common shape to a state in words, if it has that shape.
    #[inline]
    fn with_special<T>(&mut self, state: &State, run: impl FnOnce(&mut Driver, &State) -> Option<T>) -> Option<T> {
        let (Some(Special { shape, .. }), Some(special)) = (&self.code.special, &mut self.special) else { return None };
        match (&self.code.words, &self.code.type_bytes) {
            (Some(words), _) => {
                let packed = words_of(state);
                words.decode(&packed, &mut self.room.whole);
                let fits = match self.code.tag {
                    Some(tag) => words.layout().tag(&packed) == tag,
                    None => special.functions().words.is_some() && shape.fits(&self.room.whole),
                };
                if !fits {
                    return None;
                }
                special.context.words = packed;
                run(special, &self.room.whole)
            }
            (None, Some(types)) if state.len() == types.len => run(special, state),
            (None, None) if shape.fits(state) => run(special, state),
            _ => None,
        }
    }

    /// Expands states up to one that the code for the common shape does not cover, or that has no successors. Returns the
    /// number of states.
    fn expand_usual(&mut self, states: &[&State], out: &mut Batch, ends: &mut Vec<usize>) -> usize {
        let (Some(Special { shape, .. }), Some(special)) = (&self.code.special, &mut self.special) else { return 0 };
        match (&self.code.words, &self.code.type_bytes) {
            (Some(words), _) => {
                let (Some(tag), whole) = (self.code.tag, &mut self.room.whole) else { return 0 };
                special.expand_all(states, out, ends, |state, context| {
                    // An array that is written in words and copied in longer parts makes the processor wait.
                    load_words(state, &mut context.words);
                    words.decode(&context.words, whole);
                    (words.layout().tag(&context.words) == tag).then_some(whole.as_ptr())
                })
            }
            (None, Some(types)) => {
                special.expand_all(states, out, ends, |state, _| (state.len() == types.len).then_some(state.as_ptr()))
            }
            (None, None) => {
                special.expand_all(states, out, ends, |state, _| shape.fits(state).then_some(state.as_ptr()))
            }
        }
    }

    /// Expands states from the transition cache, up to one that it does not cover, or that has no successors. Returns the number of
    /// states.
    #[inline]
    fn expand_cached(
        &mut self,
        (states, arrivals): (&[&State], &[Arrival]),
        out: &mut Batch,
        ends: &mut Vec<usize>,
    ) -> usize {
        let Some(cache) = &mut self.cache else { return 0 };
        let expanded = cache.expand_all((states, arrivals), out, ends, &mut self.interpreter);
        self.judge_cache();
        expanded
    }

    /// Gives the transition cache up if it does not pay. The code is made the sooner: the interpreter has taken time already.
    #[inline]
    fn judge_cache(&mut self) {
        if let Some(cache) = self.cache.take_if(|cache| !cache.pays()) {
            self.code.warm_up.spend(cache.took());
        }
    }

    /// Expands a state by code or by the interpreter.
    fn expand_uncached(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        let flags = self.with_special(state, |special, state| special.expand(state, choice, out));
        flags.unwrap_or_else(|| self.expand_other(state, choice, out))
    }

    /// Expands a state in the interpreter's layout, of any shape.
    fn expand_whole(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        if let Some(flags) = self.general().and_then(|general| general.expand(state, choice, out)) {
            return flags;
        }
        self.rare += 1;
        self.interpreter.expand(state, choice, out)
    }

    /// Expands a state that the code for the common shape does not cover.
    #[cold]
    fn expand_other(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        if self.is_cold() {
            return self.warm_up(|this| {
                this.with_whole(state, out, |this, state, out| this.interpreter.expand(state, choice, out))
            });
        }
        self.with_whole(state, out, |this, state, out| this.expand_whole(state, choice, out))
    }

    /// Applies a function to a state in the interpreter's layout, and converts the successors to the stored form.
    fn with_whole(
        &mut self,
        state: &State,
        out: &mut Batch,
        expand: impl FnOnce(&mut Compiled, &State, &mut Batch) -> Flags,
    ) -> Flags {
        let code = self.code.clone();
        if code.words.is_none() && code.type_bytes.is_none() {
            return expand(self, state, out);
        }
        let Room { mut whole, mut kept, mut batch } = std::mem::take(&mut self.room);
        batch.clear();
        match (&code.words, &code.type_bytes) {
            (Some(words), _) => words.decode(&words_of(state), &mut whole),
            (None, types) => types.iter().for_each(|types| types.decode(state, &mut whole)),
        }
        let flags = expand(self, &whole, &mut batch);
        match (&code.words, &code.type_bytes) {
            // Most successors have the same processes as the state.
            (Some(words), _) => words.encode_all(&batch, &mut words.layout().tag(&words_of(state)), out),
            (None, types) => types.iter().for_each(|types| {
                for successor in batch.states() {
                    types.encode(successor, &mut kept);
                    out.push(&kept);
                }
            }),
        }
        batch.findings().iter().for_each(|finding| out.find(finding.clone()));
        self.room = Room { whole, kept, batch };
        flags
    }

    fn programs(&self) -> impl Iterator<Item = &Program> {
        let special = self.code.special.iter().filter_map(|special| special.program.get());
        special.chain(self.code.general.get()).flatten().map(|program| &**program)
    }

    /// The code for states of the common shape in words, as C++ text.
    pub fn portable(&self) -> Result<PortableCode, Unsupported> {
        let Code { model, layout, options, special, words, tag, .. } = &*self.code;
        let (Some(Special { facts, .. }), Some(words), Some(_)) = (special, words, tag) else {
            return Err(Unsupported("its states have no common shape in words".to_string()));
        };
        PortableCode::new(model, layout, facts, *options, words)
    }

    /// The compilation time so far.
    pub fn compile_seconds(&self) -> f64 {
        self.programs().map(|program| program.seconds).sum()
    }

    /// The number of bytes of machine code.
    pub fn code_bytes(&self) -> usize {
        self.programs().map(|program| program.bytes).sum()
    }

    /// The number of states expanded by the interpreter so far.
    pub fn fallbacks(&self) -> u64 {
        self.rare
    }

    /// The number of states expanded from the transition cache so far.
    pub fn cached(&self) -> u64 {
        self.cache.as_ref().map_or(0, TransitionCache::expanded)
    }

    /// The edges executed so far: `[process][edge]`. It is complete only with [`Options::coverage`].
    pub fn coverage(&self) -> Vec<Vec<bool>> {
        let mut all = self.interpreter.coverage().to_vec();
        self.special.iter().chain(&self.general).for_each(|driver| driver.cover(&mut all));
        all
    }

    /// The driver for states of any shape. The code is made after a number of such states, by one of the threads.
    fn general(&mut self) -> Option<&mut Driver> {
        if self.general.is_none() && self.code.varies() {
            self.odd = self.odd.saturating_add(1);
            if self.odd > self.code.options.general_after || self.code.general.get().is_some() {
                let program = self.code.general.get_or_init(|| self.code.make_general().ok().map(Arc::new));
                self.general = program.clone().map(Driver::new);
            }
        }
        self.general.as_mut()
    }
}

impl Code {
    fn general_facts(&self) -> Facts {
        Facts::new(&self.model, &self.layout, self.initial.clone(), false)
    }

    fn make_general(&self) -> Result<Program, Unsupported> {
        Program::new(&self.model, &self.layout, self.general_facts(), self.options, None)
    }

    /// The place of the code that is made first: for the common shape, or for any state if there is none.
    fn first(&self) -> &OnceLock<Option<Arc<Program>>> {
        self.special.as_ref().map_or(&self.general, |special| &special.program)
    }

    fn make_first(&self) -> Result<Program, Unsupported> {
        match &self.special {
            Some(Special { facts, .. }) => {
                Program::new(&self.model, &self.layout, facts.clone(), self.options, self.words.as_ref())
            }
            None => self.make_general(),
        }
    }

    /// Checks that code can be made, and makes it unless the interpreter is to begin.
    fn prepare_first(&self) -> Result<Option<Program>, Unsupported> {
        if !self.options.interpret_first {
            return self.make_first().map(Some);
        }
        match &self.special {
            Some(Special { facts, .. }) => program::check(&self.model, &self.layout, facts, self.options)?,
            None => program::check(&self.model, &self.layout, &self.general_facts(), self.options)?,
        };
        TraceAutomaton::new(&self.model, &self.layout).map(|_| None)
    }

    /// Whether there can be states that the special code does not cover.
    fn varies(&self) -> bool {
        self.special.as_ref().is_none_or(|special| special.facts.varies)
    }
}

fn interpreter(model: &Arc<Model>, options: Options) -> Result<Interpreter, Unsupported> {
    let interpreter = Interpreter::new(model.clone()).map_err(|e| Unsupported(e.to_string()))?;
    Ok(if options.claims { interpreter } else { interpreter.without_claims() })
}

impl Successors for Compiled {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&self.encode(&self.code.initial));
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        if choice == Choice::All && self.expand_cached((&[state], &[]), out, &mut Vec::new()) == 1 {
            return Flags::default();
        }
        self.expand_uncached(state, choice, out)
    }

    fn expand_all(&mut self, states: &[&State], out: &mut Batch, ends: &mut Vec<usize>) -> Flags {
        self.expand_awake(states, &[], out, ends)
    }

    fn expand_awake(
        &mut self,
        mut states: &[&State],
        mut arrivals: &[Arrival],
        out: &mut Batch,
        ends: &mut Vec<usize>,
    ) -> Flags {
        loop {
            let expanded = match self.cache {
                Some(_) => self.expand_cached((states, arrivals), out, ends),
                None => self.expand_usual(states, out, ends),
            };
            let Some((&state, rest)) = states[expanded..].split_first() else { return Flags::default() };
            if expanded > 0 && out.is_large() {
                return Flags::default();
            }
            let found = out.findings().len();
            let flags = self.expand_uncached(state, Choice::All, out);
            ends.push(out.len());
            if flags.is_bad() || out.findings().len() > found {
                return flags;
            }
            if out.is_large() {
                return Flags::default();
            }
            states = rest;
            arrivals = arrivals.get(expanded + 1..).unwrap_or(&[]);
        }
    }
}

impl Representation for Compiled {
    fn hidden_prefix(&self) -> usize {
        self.code.layout.hidden
    }

    fn word_bits(&self) -> Option<u32> {
        self.code.words.as_ref().map(|words| words.layout().bits())
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Owned(Compiled::decode(self, state))
    }
}

impl StateLabels for Compiled {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        let whole = Compiled::decode(self, state);
        self.interpreter.state_labels(&whole)
    }
}

impl ActionLabels for Compiled {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        let whole = Compiled::decode(self, state);
        self.interpreter.action_labels(&whole, out);
    }
}

impl AcceptanceMarks for Compiled {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        let whole = Compiled::decode(self, state);
        self.interpreter.acceptance_marks(&whole, out);
    }
}

impl ProcessStructure for Compiled {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        let whole = Compiled::decode(self, state);
        self.interpreter.movers(&whole, out);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        if let Some(cache) = &mut self.cache {
            let expanded = cache.expand_parts(state, out, parts, &mut self.interpreter);
            self.judge_cache();
            if expanded {
                return Flags::default();
            }
        }
        let flags = self.with_special(state, |special, state| special.expand_parts(state, out, parts));
        if let Some(flags) = flags {
            return flags;
        }
        let first = out.len();
        let flags = if self.is_cold() {
            self.warm_up(|this| {
                this.with_whole(state, out, |this, state, out| this.interpreter.expand_parts(state, out, parts))
            })
        } else {
            self.with_whole(state, out, |this, state, out| {
                if let Some(flags) = this.general().and_then(|general| general.expand_parts(state, out, parts)) {
                    return flags;
                }
                this.rare += 1;
                this.interpreter.expand_parts(state, out, parts)
            })
        };
        let shift = first - parts.first;
        parts.first += shift;
        // A successor that does not fit into words is left out; no result of the search is valid then.
        parts.ends.iter_mut().for_each(|(_, end)| *end = (*end + shift).min(out.len()));
        flags
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}
