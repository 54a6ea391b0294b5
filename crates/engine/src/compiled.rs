//! Running compiled code.

use std::sync::Arc;

use kripke_model::layout::ProcessAt;
use kripke_model::{Batch, Choice, Flags, Interpreter, Model, State, Successors};

use crate::context::{Context, Counts, Pending, SLACK, status};
use crate::jit::Code;
use crate::{Options, Unsupported};

/// Buffers do not grow beyond this; what needs more is left to the interpreter.
const MAX_ROOM: usize = 1 << 28;

/// Successors by compiled code. One per thread; threads share the code.
#[derive(Debug)]
pub struct Compiled {
    pub(crate) code: Arc<Code>,
    interpreter: Interpreter,
    /// The length of every state; 0 where it varies.
    pub(crate) size: usize,
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
    /// How many bytes of successors, and of points inside atomic sequences, there is room for, and for how many
    /// successors.
    wanted: usize,
    entries: usize,
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
        let size = if facts.fixed() { facts.initial.len() } else { 0 };
        let rooms = Rooms {
            wanted: 4 * facts.initial.len() + 4096,
            entries: 0,
            root: Vec::new(),
            half: Vec::new(),
            current: Vec::new(),
            inner: Vec::new(),
            pending: Vec::new(),
            points: Vec::new(),
        };
        let mut compiled =
            Compiled { code, interpreter, size, context: Context::new(), rooms, covered: vec![0; edges], rare: 0 };
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
        context.covered = self.covered.as_mut_ptr();
        context.functions = &raw const self.code.functions;
    }

    /// Makes more room, and tells the code where it is.
    #[cold]
    fn grow(&mut self) {
        // Behind the place where a state begins or, where states differ in length, ends.
        let keep = SLACK + self.size;
        // States of no length at all are few: as many as there are edges.
        let shortest = self.size.max(self.code.layout.fixed).max(1);
        let rooms = &mut self.rooms;
        rooms.wanted *= 2;
        rooms.entries = rooms.wanted / shortest + self.covered.len();
        rooms.inner.resize(rooms.wanted, 0);
        rooms.half.resize(rooms.wanted, 0);
        rooms.current.resize(rooms.wanted, 0);
        rooms.pending.reserve(rooms.wanted / 32);
        let context = &mut *self.context;
        context.half = rooms.half.as_mut_ptr();
        context.half_limit = context.half.wrapping_add(rooms.wanted - keep);
        context.inner_start = rooms.inner.as_mut_ptr();
        context.inner_limit = context.inner_start.wrapping_add(rooms.wanted - keep);
        context.pending_start = rooms.pending.as_mut_ptr();
        context.pending_limit = context.pending_start.wrapping_add(rooms.pending.capacity());
        self.clear_inner();
    }

    /// Nothing is put aside.
    fn clear_inner(&mut self) {
        let context = &mut *self.context;
        context.inner = context.inner_start;
        context.pending = context.pending_start;
        context.branches = 0;
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

    #[inline]
    fn attempt(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Outcome {
        let Some(root) = self.load(state) else { return Outcome::Rare };
        let (bytes, ends) = out.parts();
        if !self.reserve(bytes, ends) {
            return Outcome::Rare;
        }
        let mut answer = match choice {
            Choice::All => self.all(root),
            Choice::One(pid) => self.one(root, usize::from(pid)),
        };
        if self.context.pending != self.context.pending_start {
            if answer == status::DONE {
                answer = self.run_inner();
            }
            self.clear_inner();
        }
        match answer {
            status::DONE => self.take(bytes, ends),
            status::FULL => Outcome::Full,
            _ => Outcome::Rare,
        }
    }

    /// Makes room in the batch, and tells the code about it.
    #[inline]
    fn reserve(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<u32>) -> bool {
        let Rooms { wanted, entries, .. } = self.rooms;
        if bytes.capacity() - bytes.len() < wanted || ends.capacity() - ends.len() < entries {
            // Ends are counted in 32 bits, and capacities may double.
            if bytes.len() + wanted > u32::MAX as usize / 2 {
                return false;
            }
            bytes.reserve(wanted);
            ends.reserve(entries);
        }
        let context = &mut *self.context;
        context.out_start = bytes.as_mut_ptr();
        context.out = context.out_start.wrapping_add(bytes.len());
        context.out_limit = context.out.wrapping_add(wanted - SLACK - self.size);
        context.ends = ends.as_mut_ptr().wrapping_add(ends.len());
        true
    }

    /// Takes the successors over into the batch.
    #[inline]
    fn take(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<u32>) -> Outcome {
        // SAFETY: both pointers are into the same reserved memory, of which everything between them was written.
        let len = unsafe { self.context.out.offset_from(self.context.out_start) as usize };
        let first = ends.len();
        if self.size > 0 {
            ends.extend((bytes.len()..len).step_by(self.size).map(|start| (start + self.size) as u32));
        } else {
            // SAFETY: likewise.
            unsafe { ends.set_len(self.context.ends.offset_from(ends.as_ptr()) as usize) };
        }
        // SAFETY: see above.
        unsafe { bytes.set_len(len) };
        if ends.len() == first { Outcome::Still } else { Outcome::Moved }
    }

    /// The state to expand, with room behind where the code wants that, and the tables of its processes and channels.
    /// None if it is no state of this model.
    #[inline]
    fn load(&mut self, state: &State) -> Option<*mut u8> {
        if self.size > 0 {
            return (state.len() == self.size).then_some(state.as_ptr().cast_mut());
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
        if self.size > 0 {
            return len == self.size;
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

    /// Makes every move from a state.
    #[inline]
    fn all(&mut self, root: *mut u8) -> i32 {
        let (all, context) = (self.code.functions.all, &raw mut *self.context);
        // SAFETY: the tables describe this state, and the context's pointers are into memory that stays where it is.
        unsafe { all(context, root, 0, 0) }
    }

    /// Makes the moves of one process, if it is there.
    fn one(&mut self, root: *mut u8, pid: usize) -> i32 {
        self.context.timeout = 0;
        if pid >= self.context.counts.processes as usize {
            return status::DONE;
        }
        let (out, ends) = (self.context.out, self.context.ends);
        let answer = self.moves(root, pid);
        let still = (out, ends, 0) == (self.context.out, self.context.ends, self.points_made());
        if answer == status::DONE && still && self.code.functions.model.uses_timeout {
            self.context.timeout = 1;
            return self.moves(root, pid);
        }
        answer
    }

    /// Makes the moves of a process.
    pub(crate) fn moves(&mut self, root: *mut u8, pid: usize) -> i32 {
        let base = self.context.processes[pid];
        let functions = &self.code.functions;
        // SAFETY: the process begins there.
        let process = if functions.per_process { 0 } else { unsafe { *root.add(base as usize) } };
        let Some(moves) = functions.pick(&functions.moves, pid, process) else { return status::RARE };
        let context = &raw mut *self.context;
        // SAFETY: the function was compiled for a process of this type, the tables describe this state, and the
        // context's pointers are into memory that stays where it is.
        unsafe { moves(context, root, u64::from(base), pid as u64) }
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
