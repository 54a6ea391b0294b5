//! Execution of compiled programs.

use std::sync::Arc;

use kripke_model::layout::{Layout, ProcessAt};
use kripke_model::{Batch, Choice, Flags, State};

use crate::context::{Context, Counts, Pending, SLACK, status};
use crate::program::Program;
use crate::runtime::Functions;

/// The maximal size of buffers. A larger expansion is left to the interpreter.
const MAX_ROOM: usize = 1 << 28;

/// The driver of a program, for one thread.
#[derive(Debug)]
pub(crate) struct Driver {
    program: Arc<Program>,
    /// The length of all states; 0 if it varies.
    pub size: usize,
    /// The length of all successors; 0 if it varies.
    pub stored: usize,
    /// The context of the compiled code.
    pub context: Box<Context>,
    /// The buffers.
    pub buffers: Buffers,
    /// One byte per edge of the model, not 0 if it was executed.
    covered: Vec<u8>,
}

// SAFETY: the pointers in the context are into buffers on the heap that belong to this value, or are set anew whenever a
// state is expanded and only used until that is done.
unsafe impl Send for Driver {}

/// The working memory.
#[derive(Debug)]
pub(crate) struct Buffers {
    /// The capacity in bytes for successors and for points inside atomic sequences.
    wanted: usize,
    entries: usize,
    root: Vec<u8>,
    half: Vec<u8>,
    /// The packed copy of a successor that is stored in words.
    scratch: Vec<u8>,
    /// The point inside an atomic sequence that is being expanded.
    pub(crate) current: Vec<u8>,
    inner: Vec<u8>,
    pending: Vec<Pending>,
    /// The points still to be expanded: ranges of entries of `pending`.
    pub(crate) points: Vec<(usize, usize)>,
}

/// The result of expanding several states: their number, and whether the next one is left to others.
struct Expanded {
    states: usize,
    is_last: bool,
}

/// The result of an attempt to expand a state.
pub(crate) enum Outcome {
    Moved,
    Still,
    Rare,
    Full,
}

impl Driver {
    pub(crate) fn new(program: Arc<Program>) -> Driver {
        let facts = &program.facts;
        let edges = facts.first_edge.last().map_or(0, |n| *n as usize);
        let size = if facts.fixed { facts.sample.len() } else { 0 };
        let buffers = Buffers {
            wanted: 4 * facts.sample.len() + 4096,
            entries: 0,
            root: Vec::new(),
            half: Vec::new(),
            scratch: Vec::new(),
            current: Vec::new(),
            inner: Vec::new(),
            pending: Vec::new(),
            points: Vec::new(),
        };
        let stored = program.functions.words.as_ref().map_or(size, |words| words.layout().bytes());
        let mut driver = Driver { program, size, stored, context: Context::new(), buffers, covered: vec![0; edges] };
        driver.prepare();
        driver.grow();
        driver
    }

    pub(crate) fn functions(&self) -> &Functions {
        &self.program.functions
    }

    fn layout(&self) -> &Layout {
        &self.program.functions.layout
    }

    /// Sets the executed edges to true: `[process][edge]`.
    pub(crate) fn cover(&self, all: &mut [Vec<bool>]) {
        for (process, edges) in all.iter_mut().enumerate() {
            let first = self.program.facts.first_edge[process] as usize;
            for (edge, covered) in edges.iter_mut().zip(&self.covered[first..]) {
                *edge |= *covered != 0;
            }
        }
    }

    /// Appends every successor of a state. `None` if the program can't.
    #[inline]
    pub(crate) fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Option<Flags> {
        if self.program.functions.observe.is_some() {
            return self.expand_watched(state, choice, out);
        }
        self.expand_system(state, choice, out)
    }

    /// Appends the successors of states, and to `ends` the number of states in the batch after each, up to a state that has none or
    /// that the program can't expand. `load` gives the address of a state, or nothing if the program is not for it. Returns
    /// the number of expanded states. States must have one length, and there must be no observer; otherwise it expands none.
    #[inline]
    pub(crate) fn expand_all<'s>(
        &mut self,
        states: &[&'s State],
        out: &mut Batch,
        ends: &mut Vec<usize>,
        mut load: impl FnMut(&'s State, &mut Context) -> Option<*const u8>,
    ) -> usize {
        if self.size == 0 || self.program.functions.observe.is_some() {
            return 0;
        }
        let mut expanded = 0;
        while expanded < states.len() && !out.is_large() {
            let more = self.expand_some(&states[expanded..], out, ends, &mut load);
            expanded += more.states;
            if more.is_last {
                break;
            }
        }
        expanded
    }

    /// Expands states as far as the reserved memory of the batch suffices, at least one unless it is the last.
    #[inline]
    fn expand_some<'s>(
        &mut self,
        states: &[&'s State],
        out: &mut Batch,
        ends: &mut Vec<usize>,
        load: &mut impl FnMut(&'s State, &mut Context) -> Option<*const u8>,
    ) -> Expanded {
        let (bytes, batch_ends) = out.parts();
        if !self.reserve(bytes, batch_ends) {
            return Expanded { states: 0, is_last: true };
        }
        let (first, before) = (self.context.out, batch_ends.len());
        // A state may begin here at the latest.
        let room = bytes.spare_capacity_mut().len();
        let last = first.wrapping_add(room - self.buffers.wanted);
        self.context.out_limit = first.wrapping_add(room - SLACK - self.size);
        let (mut expanded, mut is_last) = (0, false);
        for &state in states {
            let start = self.context.out;
            if start > last {
                break;
            }
            let answer = load(state, &mut self.context).map_or(status::RARE, |root| self.all_points(root.cast_mut()));
            if answer != status::DONE || self.context.out == start {
                (self.context.out, is_last) = (start, true);
                break;
            }
            ends.push(before + self.states_in(self.context.out.addr() - first.addr()));
            expanded += 1;
        }
        self.take(bytes, batch_ends);
        Expanded { states: expanded, is_last }
    }

    /// The number of successors in so many bytes. Most are one word, for which this is a shift.
    #[inline(always)]
    fn states_in(&self, bytes: usize) -> usize {
        if self.stored == 8 { bytes / 8 } else { bytes / self.stored }
    }

    /// Makes every move from a state, also those that go on from points inside atomic sequences.
    #[inline]
    fn all_points(&mut self, root: *mut u8) -> i32 {
        let answer = self.all(root);
        if self.context.pending == self.context.pending_start {
            return answer;
        }
        let answer = if answer == status::DONE { self.run_inner() } else { answer };
        self.clear_inner();
        answer
    }

    /// Appends every successor of a state without the observer. `None` if the program can't.
    #[inline]
    pub(crate) fn expand_system(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Option<Flags> {
        loop {
            match self.attempt(state, choice, out) {
                Outcome::Moved => return Some(Flags::default()),
                Outcome::Still if self.program.functions.watch.is_none() || choice != Choice::All => {
                    let invalid_end = choice == Choice::All && !self.may_end(state);
                    return Some(Flags { invalid_end, ..Flags::default() });
                }
                Outcome::Full if self.can_grow() => self.grow(),
                Outcome::Still | Outcome::Rare | Outcome::Full => return None,
            }
        }
    }

    /// Sets the constant parts of the context.
    fn prepare(&mut self) {
        let facts = &self.program.facts;
        let context = &mut *self.context;
        for (base, site) in context.processes.iter_mut().zip(&facts.sites) {
            *base = site.base;
        }
        for (entry, channel) in context.channels.iter_mut().zip(&facts.channels) {
            *entry = *channel;
        }
        context.counts = Counts {
            len: facts.sample.len() as u64,
            processes: facts.sites.len() as u64,
            channels: facts.channels.len() as u64,
        };
        context.asked = context.counts;
        context.covered = self.covered.as_mut_ptr();
        context.functions = &raw const self.program.functions;
    }

    pub(crate) fn can_grow(&self) -> bool {
        self.buffers.wanted < MAX_ROOM
    }

    /// Enlarges the buffers and updates the context.
    #[cold]
    pub(crate) fn grow(&mut self) {
        // The space after the start of a state or, for varying lengths, after its end.
        let keep = SLACK + self.size;
        // The number of empty states is bounded by the number of edges.
        let shortest = if self.size > 0 { self.stored } else { self.layout().fixed.max(1) };
        let buffers = &mut self.buffers;
        buffers.wanted *= 2;
        buffers.entries = buffers.wanted / shortest + self.covered.len();
        buffers.inner.resize(buffers.wanted, 0);
        buffers.half.resize(buffers.wanted, 0);
        buffers.scratch.resize(buffers.wanted, 0);
        buffers.current.resize(buffers.wanted, 0);
        buffers.pending.reserve(buffers.wanted / 32);
        let context = &mut *self.context;
        context.half = buffers.half.as_mut_ptr();
        context.scratch = buffers.scratch.as_mut_ptr();
        context.half_limit = context.half.wrapping_add(buffers.wanted - keep);
        context.inner_start = buffers.inner.as_mut_ptr();
        context.inner_limit = context.inner_start.wrapping_add(buffers.wanted - keep);
        context.pending_start = buffers.pending.as_mut_ptr();
        context.pending_limit = context.pending_start.wrapping_add(buffers.pending.capacity());
        self.clear_inner();
    }

    /// Clears the points inside atomic sequences.
    pub(crate) fn clear_inner(&mut self) {
        let context = &mut *self.context;
        context.inner = context.inner_start;
        context.pending = context.pending_start;
        context.branches = 0;
    }

    #[inline]
    fn attempt(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Outcome {
        let Some(root) = self.load(state) else { return Outcome::Rare };
        let (bytes, ends) = out.parts();
        if !self.reserve(bytes, ends) {
            return Outcome::Rare;
        }
        let mut answer = match choice {
            Choice::All => self.all_points(root),
            Choice::One(_) | Choice::Part(_) if self.program.facts.committed => return Outcome::Rare,
            Choice::One(pid) => self.one(root, usize::from(pid)),
            Choice::Part(pid) => self.part(root, usize::from(pid)),
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

    /// Reserves memory in the batch and updates the context.
    #[inline]
    pub(crate) fn reserve(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<u32>) -> bool {
        let Buffers { wanted, entries, .. } = self.buffers;
        if bytes.capacity() - bytes.len() < wanted || ends.capacity() - ends.len() < entries {
            // Ends are 32-bit numbers, and capacities may double.
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

    /// Adds the new successors to the batch.
    #[inline]
    pub(crate) fn take(&mut self, bytes: &mut Vec<u8>, ends: &mut Vec<u32>) -> Outcome {
        // SAFETY: both pointers are into the same reserved memory, of which everything between them was written.
        let len = unsafe { self.context.out.offset_from(self.context.out_start) as usize };
        let first = ends.len();
        if self.size > 0 {
            let (start, stored) = (bytes.len(), self.stored);
            ends.extend((1..=self.states_in(len - start)).map(|n| (start + n * stored) as u32));
        } else {
            // SAFETY: so many were just written.
            unsafe { ends.set_len(self.context.ends.offset_from(ends.as_ptr()) as usize) };
        }
        // SAFETY: see above.
        unsafe { bytes.set_len(len) };
        if ends.len() == first { Outcome::Still } else { Outcome::Moved }
    }

    /// Loads the state to expand, with slack where the code needs it, and fills the tables of its processes and
    /// channels. `None` if it is no state of this model.
    #[inline]
    pub(crate) fn load(&mut self, state: &State) -> Option<*mut u8> {
        if self.size > 0 {
            return (state.len() == self.size).then_some(state.as_ptr().cast_mut());
        }
        let len = state.len();
        let root = &mut self.buffers.root;
        if root.len() < len + SLACK {
            root.resize(2 * len + SLACK, 0);
        }
        root[..len].copy_from_slice(state);
        let root = root.as_mut_ptr();
        // SAFETY: so many bytes were just written.
        let ok = unsafe { self.survey(root, len) };
        ok.then_some(root)
    }

    /// Fills the tables for a state. Returns false if it is no state of this model.
    ///
    /// # Safety
    /// `root` must point to `len` bytes.
    pub(crate) unsafe fn survey(&mut self, root: *const u8, len: usize) -> bool {
        let layout = &self.program.functions.layout;
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
        true
    }

    /// Makes every move from a state.
    #[inline]
    pub(crate) fn all(&mut self, root: *mut u8) -> i32 {
        let (all, context) = (self.program.functions.all, &raw mut *self.context);
        // SAFETY: the tables describe this state, and the context's pointers are into memory that stays where it is.
        unsafe { all(context, root, 0, 0) }
    }

    /// Makes every move from a state and records which process has which successors, if there is code for that.
    pub(crate) fn all_by_process(&mut self, root: *mut u8) -> i32 {
        let Some(all) = self.program.functions.by_process else { return status::RARE };
        let context = &raw mut *self.context;
        // SAFETY: as for `all`.
        unsafe { all(context, root, 0, 0) }
    }

    /// Makes the moves of one process, if it exists, with `timeout` false.
    fn part(&mut self, root: *mut u8, pid: usize) -> i32 {
        self.context.timeout = 0;
        if pid < self.context.counts.processes as usize { self.moves(root, pid) } else { status::DONE }
    }

    /// Makes the moves of one process, if it exists.
    fn one(&mut self, root: *mut u8, pid: usize) -> i32 {
        self.context.timeout = 0;
        if pid >= self.context.counts.processes as usize {
            return status::DONE;
        }
        let (out, ends) = (self.context.out, self.context.ends);
        let answer = self.moves(root, pid);
        let still = (out, ends, 0) == (self.context.out, self.context.ends, self.points_made());
        if answer == status::DONE && still && self.program.functions.model.uses_timeout {
            self.context.timeout = 1;
            return self.moves(root, pid);
        }
        answer
    }

    /// Makes the moves of a process.
    pub(crate) fn moves(&mut self, root: *mut u8, pid: usize) -> i32 {
        let base = self.context.processes[pid];
        let functions = &self.program.functions;
        let process = match functions.per_process {
            true => 0,
            // SAFETY: the frame of the process begins there.
            false => unsafe { functions.type_of(pid, root.add(base as usize)) },
        };
        let Some(moves) = functions.pick(&functions.moves, pid, process) else { return status::RARE };
        let context = &raw mut *self.context;
        // SAFETY: the function was compiled for a process of this type, the tables describe this state, and the
        // context's pointers are into memory that stays where it is.
        unsafe { moves(context, root, u64::from(base), pid as u64) }
    }

    /// Whether a state without moves is a valid end state.
    fn may_end(&self, state: &State) -> bool {
        let (layout, model) = (self.layout(), &self.program.functions.model);
        let types = &self.program.functions.types;
        self.context.processes[..self.context.counts.processes as usize].iter().enumerate().all(|(pid, &offset)| {
            let process = u32::from(types.get(pid).copied().unwrap_or_else(|| state[offset as usize]));
            let location = layout.location(state, ProcessAt { process, offset });
            model.processes[process as usize].locations[location.index()].end
        })
    }
}
