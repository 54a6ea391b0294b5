//! Running compiled code.

use std::mem::size_of;
use std::sync::Arc;

use kripke_model::layout::ProcessAt;
use kripke_model::{Batch, Choice, Flags, Interpreter, Model, State, Step, Successors};

use crate::context::{Context, Counts, Pending, SLACK, status};
use crate::jit::Code;
use crate::runtime::{Function, Functions};
use crate::{Options, Unsupported};

/// Buffers do not grow beyond this; what needs more is left to the interpreter.
const MAX_ROOM: usize = 1 << 28;

/// Successors by compiled code. One per thread; threads share the code.
#[derive(Debug)]
pub struct Compiled {
    pub(crate) code: Arc<Code>,
    interpreter: Interpreter,
    pub(crate) context: Box<Context>,
    pub(crate) rooms: Rooms,
    covered: Vec<u8>,
    /// How many states the interpreter had to expand.
    rare: u64,
}

// SAFETY: the pointers in the context are into buffers on the heap that belong to this value, or are set anew whenever a
// state is expanded and only used until that is done.
unsafe impl Send for Compiled {}

/// Room to work in.
#[derive(Debug)]
pub(crate) struct Rooms {
    /// How many bytes of successors, and of points inside atomic sequences, there must be room for, and how many
    /// successors.
    wanted: usize,
    entries: usize,
    /// No state is shorter.
    shortest: usize,
    root: Vec<u8>,
    half: Vec<u8>,
    /// The point inside an atomic sequence that is being expanded.
    pub(crate) current: Vec<u8>,
    inner: Vec<u8>,
    pending: Vec<Pending>,
    /// Points still to be expanded: ranges of entries of `pending`.
    pub(crate) points: Vec<(usize, usize)>,
}

/// How an attempt at expanding a state ended.
pub(crate) enum Outcome {
    Moved,
    Still,
    Rare,
    Full,
}

impl Compiled {
    /// Compiles a model.
    pub fn new(model: Arc<Model>, options: Options) -> Result<Compiled, Unsupported> {
        let mut interpreter = interpreter(&model, options)?;
        let mut batch = Batch::new();
        interpreter.initial(&mut batch);
        let code = Code::new(&model, interpreter.layout().clone(), batch.state(0).to_vec(), options)?;
        Ok(Compiled::with(Arc::new(code), interpreter))
    }

    /// Another one, for another thread.
    pub fn for_thread(&self) -> Compiled {
        let mut interpreter = Interpreter::new(self.interpreter.model().clone()).expect("it was made before");
        if !self.code.claims {
            interpreter = interpreter.without_claims();
        }
        Compiled::with(self.code.clone(), interpreter)
    }

    fn with(code: Arc<Code>, interpreter: Interpreter) -> Compiled {
        let facts = &code.facts;
        let edges = facts.first_edge.last().map_or(0, |n| *n as usize);
        let shortest = if facts.fixed() { facts.initial.len() } else { code.layout.fixed };
        let rooms = Rooms {
            wanted: 4 * facts.initial.len() + 4096,
            entries: 0,
            shortest: shortest.max(1),
            root: Vec::new(),
            half: Vec::new(),
            current: Vec::new(),
            inner: Vec::new(),
            pending: Vec::new(),
            points: Vec::new(),
        };
        let mut compiled =
            Compiled { code, interpreter, context: Context::new(), rooms, covered: vec![0; edges], rare: 0 };
        compiled.prepare();
        compiled.grow();
        compiled
    }

    /// What stays the same from state to state.
    fn prepare(&mut self) {
        let facts = &self.code.facts;
        let context = &mut *self.context;
        for (base, site) in context.processes.iter_mut().zip(&facts.sites) {
            *base = site.base;
        }
        for (entry, channel) in context.channels.iter_mut().zip(&facts.channels) {
            *entry = *channel;
        }
        context.counts = Counts {
            len: facts.initial.len() as u64,
            processes: facts.sites.len() as u64,
            channels: facts.channels.len() as u64,
        };
        context.half_counts = context.counts;
        context.covered = self.covered.as_mut_ptr();
        context.functions = &raw const self.code.functions;
    }

    /// Makes more room, and tells the code where it is.
    #[cold]
    fn grow(&mut self) {
        let keep = self.keep();
        let rooms = &mut self.rooms;
        rooms.wanted *= 2;
        rooms.entries = rooms.wanted / rooms.shortest + self.covered.len() + 16;
        rooms.inner.resize(rooms.wanted, 0);
        rooms.half.resize(rooms.wanted, 0);
        rooms.current.resize(rooms.wanted, 0);
        rooms.pending.reserve(rooms.wanted / 32);
        let context = &mut *self.context;
        context.half = rooms.half.as_mut_ptr();
        context.half_limit = context.half.wrapping_add(rooms.half.len().saturating_sub(keep));
        context.inner_start = rooms.inner.as_mut_ptr();
        context.inner_limit = context.inner_start.wrapping_add(rooms.inner.len().saturating_sub(keep));
        context.pending_start = rooms.pending.as_mut_ptr();
        context.pending_limit = context.pending_start.wrapping_add(rooms.pending.capacity());
    }

    /// How much room there must be behind the place where a state begins (or, where states differ in length, ends).
    fn keep(&self) -> usize {
        SLACK + if self.code.facts.fixed() { self.code.facts.initial.len() } else { 0 }
    }

    /// How long compilation took.
    pub fn compile_seconds(&self) -> f64 {
        self.code.seconds
    }

    /// How many bytes of machine code there are.
    pub fn code_bytes(&self) -> usize {
        self.code.bytes
    }

    /// How many states were left to the interpreter so far.
    pub fn rare(&self) -> u64 {
        self.rare
    }

    /// The edges executed so far: `[process][edge]`. Complete only if [`Options::coverage`] was asked for.
    pub fn coverage(&self) -> Vec<Vec<bool>> {
        let mut all = self.interpreter.coverage().to_vec();
        for (process, edges) in all.iter_mut().enumerate() {
            let first = self.code.facts.first_edge[process] as usize;
            for (edge, covered) in edges.iter_mut().zip(&self.covered[first..]) {
                *edge |= *covered != 0;
            }
        }
        all
    }

    fn attempt(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Outcome {
        let Some(root) = self.load(state) else { return Outcome::Rare };
        let (bytes, ends, steps) = out.parts();
        let first = self.reserve(bytes, ends, steps);
        let outcome = self.run(root, choice);
        if let Outcome::Moved = outcome {
            // SAFETY: both pointers are into the same reserved memory, of which everything up to the first was written.
            unsafe {
                let count = self.context.steps.offset_from(first) as usize;
                steps.set_len(steps.len() + count);
                if self.code.facts.fixed() {
                    let (size, first) = (self.code.facts.initial.len(), bytes.len());
                    ends.extend((1..=count).map(|i| (first + i * size) as u32));
                } else {
                    ends.set_len(ends.len() + count);
                }
                bytes.set_len(self.context.out.offset_from(self.context.out_start) as usize);
            }
        }
        outcome
    }

    /// The state to expand, with room behind where the code wants that, and the tables of its processes and channels.
    /// None if it is no state of this model.
    #[inline]
    fn load(&mut self, state: &State) -> Option<*mut u8> {
        let facts = &self.code.facts;
        if facts.fixed() {
            return (state.len() == facts.initial.len()).then_some(state.as_ptr().cast_mut());
        }
        let len = state.len();
        let root = &mut self.rooms.root;
        if root.len() < len + SLACK {
            root.resize(2 * len + SLACK, 0);
        }
        root[..len].copy_from_slice(state);
        let root = root.as_mut_ptr();
        // SAFETY: so many bytes were just written.
        let ok = unsafe { self.survey(root, len) };
        ok.then_some(root)
    }

    /// Fills the tables for a state; false if it is no state of this model.
    ///
    /// # Safety
    /// `root` must point to `len` bytes.
    pub(crate) unsafe fn survey(&mut self, root: *const u8, len: usize) -> bool {
        let (facts, layout) = (&self.code.facts, &self.code.layout);
        if facts.fixed() {
            return len == facts.initial.len();
        }
        // SAFETY: as the caller promises.
        let bytes = unsafe { std::slice::from_raw_parts(root, len) };
        let context = &mut *self.context;
        let mut at = layout.fixed;
        let (mut processes, mut channels) = (0, layout.global_channels.len());
        while at < len {
            let Some(frame) = layout.frames.get(usize::from(bytes[at])) else { return false };
            if processes >= kripke_model::layout::MAX_ALIVE || at + frame.size > len {
                return false;
            }
            context.processes[processes] = at as u32;
            for channel in &frame.channels {
                let Some(entry) = context.channels.get_mut(channels) else { return false };
                entry.declaration = channel.declaration;
                entry.offset = channel.offset + at as u32;
                channels += 1;
            }
            processes += 1;
            at += frame.size;
        }
        context.counts = Counts { len: len as u64, processes: processes as u64, channels: channels as u64 };
        facts.runs || processes <= facts.sites.len()
    }

    /// Makes room in the batch, and tells the code about it.
    #[inline]
    fn reserve(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<u32>, steps: &mut Vec<Step>) -> *mut Step {
        let rooms = &self.rooms;
        bytes.reserve(rooms.wanted);
        ends.reserve(rooms.entries);
        steps.reserve(rooms.entries);
        // States of no length at all are few: as many as there are edges.
        let spare = (ends.capacity() - ends.len()).min(steps.capacity() - steps.len()) - self.covered.len();
        let end = (bytes.len() + rooms.shortest * spare).min(bytes.capacity()).min(u32::MAX as usize);
        let keep = self.keep();
        let context = &mut *self.context;
        context.out_start = bytes.as_mut_ptr();
        context.out = context.out_start.wrapping_add(bytes.len());
        context.out_limit = context.out_start.wrapping_add(end.saturating_sub(keep));
        context.ends = ends.as_mut_ptr().wrapping_add(ends.len());
        context.steps = steps.as_mut_ptr().wrapping_add(steps.len());
        context.inner = context.inner_start;
        context.pending = context.pending_start;
        context.steps
    }

    #[inline]
    fn run(&mut self, root: *mut u8, choice: Choice) -> Outcome {
        let first = self.context.steps;
        let processes = self.context.counts.processes as usize;
        let who = match choice {
            Choice::All => 0..processes,
            Choice::One(pid) => usize::from(pid).min(processes)..(usize::from(pid) + 1).min(processes),
        };
        self.context.timeout = 0;
        loop {
            for pid in who.clone().rev() {
                match self.call(root, pid, |f| &f.moves) {
                    status::DONE => {}
                    status::FULL => return Outcome::Full,
                    _ => return Outcome::Rare,
                }
            }
            if self.context.pending != self.context.pending_start {
                return self.run_inner();
            }
            if self.context.steps != first {
                return Outcome::Moved;
            }
            if self.context.timeout == 1 || !self.code.functions.model.uses_timeout {
                return Outcome::Still;
            }
            self.context.timeout = 1;
        }
    }

    /// Calls the function of a process; where there is none, nothing can be said.
    #[inline]
    pub(crate) fn call(&mut self, root: *mut u8, pid: usize, kind: impl Fn(&Functions) -> &[Option<Function>]) -> i32 {
        let base = self.context.processes[pid];
        let functions = &self.code.functions;
        // SAFETY: the process begins there.
        let process = if functions.per_process { 0 } else { unsafe { *root.add(base as usize) } };
        let Some(function) = functions.pick(kind(functions), pid, process) else { return status::BRANCH };
        let context = &raw mut *self.context;
        // SAFETY: the function was compiled for a process of this type, the tables describe this state, and the
        // context's pointers are into memory that stays where it is.
        unsafe { function(context, root, u64::from(base), pid as u64) }
    }

    /// Nobody can move: is every process at a place where it may rest for ever?
    fn may_end(&self, state: &State) -> bool {
        let (layout, model) = (&self.code.layout, &self.code.functions.model);
        self.context.processes[..self.context.counts.processes as usize].iter().all(|&offset| {
            let process = u32::from(state[offset as usize]);
            let location = layout.location(state, ProcessAt { process, offset });
            model.processes[process as usize].locations[location.index()].end
        })
    }
}

fn interpreter(model: &Arc<Model>, options: Options) -> Result<Interpreter, Unsupported> {
    let interpreter = Interpreter::new(model.clone()).map_err(|e| Unsupported(e.to_string()))?;
    Ok(if options.claims { interpreter } else { interpreter.without_claims() })
}

impl Successors for Compiled {
    fn initial(&mut self, out: &mut Batch) {
        self.interpreter.initial(out);
    }

    fn uncompared(&self) -> usize {
        self.code.layout.hidden
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        loop {
            match self.attempt(state, choice, out) {
                Outcome::Moved => return Flags::default(),
                Outcome::Still if self.code.functions.watch.is_none() || choice != Choice::All => {
                    return Flags { invalid_end: choice == Choice::All && !self.may_end(state) };
                }
                Outcome::Full if self.rooms.wanted < MAX_ROOM => self.grow(),
                Outcome::Still | Outcome::Rare | Outcome::Full => break,
            }
        }
        self.rare += 1;
        self.interpreter.expand(state, choice, out)
    }
}

const _: () = assert!(size_of::<Step>() == 12);
