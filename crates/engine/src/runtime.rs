//! The runtime: functions that compiled code calls for rare or long operations.
//!
//! Every function is called with its context, a state with slack after it, and numbers that the compiled code has
//! checked.

use std::sync::Arc;

use kripke_model::Model;
use kripke_model::ir::{Direction, LocId, Location, Process, Then};
use kripke_model::layout::{Buffer, Layout, ProcessAt, Slot};

use crate::context::{Context, Counts, ask, question, status};
use crate::trace::TraceAutomaton;
use crate::words::Words;
use kripke_model::words::Position;

/// The signature `(context, state, base, pid) -> status`.
pub(crate) type Function = unsafe extern "C" fn(*mut Context, *mut u8, u64, u64) -> i32;

/// A function of the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    Handshake,
    Receiver,
    Pack,
    Emit,
    Copy,
    Clear,
    Insert,
    Remove,
    Answer,
    FirstOf,
    SetPriority,
    Claimed,
    Follow,
}

impl Call {
    /// The number that stands for the function in portable code.
    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    /// The address for machine code. It identifies nothing: the compiler may give a function several addresses, one in each
    /// codegen unit.
    pub(crate) fn address(self) -> usize {
        let address = match self {
            Call::Handshake => handshake as *const (),
            Call::Receiver => receiver as *const (),
            Call::Pack => pack as *const (),
            Call::Emit => emit as *const (),
            Call::Copy => copy as *const (),
            Call::Clear => clear as *const (),
            Call::Insert => insert as *const (),
            Call::Remove => remove as *const (),
            Call::Answer => answer as *const (),
            Call::FirstOf => first_of as *const (),
            Call::SetPriority => set_priority as *const (),
            Call::Claimed => claimed as *const (),
            Call::Follow => follow as *const (),
        };
        address as usize
    }
}

/// The compiled functions of a model.
#[derive(Debug)]
pub(crate) struct Functions {
    /// Whether each process has its own functions, not each process type.
    pub per_process: bool,
    /// The types of the processes, if the set of processes is fixed and states have no type bytes.
    pub types: Vec<u8>,
    /// The function for all processes.
    pub all: Function,
    /// The same with records of which process has which successors.
    pub by_process: Option<Function>,
    /// The function for the observer and the goal.
    pub observe: Option<Function>,
    /// The function for the moves of a process.
    pub moves: Vec<Option<Function>>,
    /// The function for the receiver's half of a rendezvous.
    pub accept: Vec<Option<Function>>,
    /// The function that tests whether a process is enabled.
    pub enabled: Vec<Option<Function>>,
    pub model: Arc<Model>,
    /// The layout of states.
    pub layout: Arc<Layout>,
    /// The trace automaton.
    pub watch: Option<TraceAutomaton>,
    /// For each process type, whether its location takes two bytes, and whether it receives at a location.
    pub receiving: Vec<(bool, Vec<bool>)>,
    /// For each process type, its exclusive-access claims.
    pub claims: Vec<Vec<Claim>>,
    /// The layout of successors, if they are stored in words.
    pub words: Option<Arc<Words>>,
    /// The number of the shape of these states in the layout.
    pub word_shape: usize,
    /// The place of the observer's location in the words, if it can vary.
    pub observer_in_words: Option<Position>,
}

/// An exclusive-access claim on the channel that a variable names.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// Sending or receiving.
    pub direction: Direction,
    /// The variable.
    pub slot: Slot,
    /// Whether the variable is local.
    pub local: bool,
}

impl Functions {
    pub(crate) fn pick(&self, from: &[Option<Function>], pid: usize, process: u8) -> Option<Function> {
        *from.get(if self.per_process { pid } else { usize::from(process) })?
    }

    /// Whether every edge at the location of a process of the fixed set is an inner step of an atomic sequence: no state after it is
    /// stored, and no code works on the words of this one.
    pub(crate) fn only_goes_on(&self, state: &[u8], at: ProcessAt) -> bool {
        let Process { locations, edges, .. } = &self.model.processes[at.process as usize];
        let here = &locations[self.layout.location(state, at).index()].edges;
        here.iter().map(|id| &edges[id.index()]).all(|edge| edge.then == Then::Keep && edge.sync.is_none())
    }

    /// The type of a process.
    ///
    /// # Safety
    /// `process` must point to a process.
    #[inline]
    pub(crate) unsafe fn type_of(&self, pid: usize, process: *const u8) -> u8 {
        // SAFETY: as the caller promises, where states say.
        self.types.get(pid).copied().unwrap_or_else(|| unsafe { *process })
    }

    /// Whether the process is at a location where it receives.
    ///
    /// # Safety
    /// `process` must point to a process with its type byte.
    #[inline]
    unsafe fn receives(&self, process: *const u8) -> bool {
        // SAFETY: a process begins with its type and its location.
        let (ty, low, high) = unsafe { (*process, *process.add(1), *process.add(2)) };
        let (wide, locations) = &self.receiving[usize::from(ty)];
        let location = if *wide { usize::from(u16::from_le_bytes([low, high])) } else { usize::from(low) };
        locations.get(location).is_some_and(|receives| *receives)
    }
}

/// Offers a rendezvous to every process but the sender, in the state after the sender's half.
pub(crate) unsafe extern "C" fn handshake(context: *mut Context, half: *mut u8, count: u64, sender: u64) -> i32 {
    // SAFETY: the context is the one the driver passed in; nothing else refers to it while compiled code runs, and no
    // reference to it is held here while other compiled code is called.
    let functions = unsafe { &*(*context).functions };
    for pid in (0..count as usize).rev().filter(|pid| *pid as u64 != sender) {
        // SAFETY: the tables of the context describe the processes of the half state.
        let (base, process) = unsafe {
            let base = (&(*context).processes)[pid];
            (base, *half.add(base as usize))
        };
        // SAFETY: the process begins there.
        if !unsafe { functions.receives(half.add(base as usize)) } {
            continue;
        }
        if let Some(accept) = functions.pick(&functions.accept, pid, process) {
            // SAFETY: compiled for a process of this type, which begins there.
            let answer = unsafe { accept(context, half, u64::from(base), pid as u64) };
            if answer != status::DONE {
                return answer;
            }
        }
    }
    status::DONE
}

/// Whether a process other than the sender is at a location where it receives.
pub(crate) unsafe extern "C" fn receiver(context: *mut Context, bytes: *const u8, count: u64, sender: u64) -> i32 {
    // SAFETY: as in `handshake`; processes begin where the tables say.
    let (functions, bases) = unsafe { (&*(*context).functions, &(&(*context).processes)[..count as usize]) };
    let found = bases.iter().enumerate().any(|(pid, base)| {
        // SAFETY: as above.
        pid as u64 != sender && unsafe { functions.receives(bytes.add(*base as usize)) }
    });
    i32::from(found)
}

/// Stands for the type of the youngest process in a packed state that it has left. No process has this type.
pub(crate) const GONE: u8 = u8::MAX;

/// Converts a packed state to words. The result is not 0 if it does not fit.
pub(crate) unsafe extern "C" fn pack(context: *mut Context, bytes: *const u8, to: *mut u8) -> i32 {
    // SAFETY: as in `handshake`; the state is one of the fixed set of processes, which all have this length.
    let (functions, state) =
        unsafe { (&*(*context).functions, std::slice::from_raw_parts(bytes, (*context).counts.len as usize)) };
    let Some(words) = &functions.words else { return 1 };
    let youngest = functions.types.last().map_or(0, |ty| functions.layout.frames[usize::from(*ty)].size);
    let state = match state.len() - youngest {
        rest if state.get(rest) == Some(&GONE) => &state[..rest],
        _ => state,
    };
    let Some(packed) = words.encode(state, functions.word_shape) else { return 1 };
    let len = 8 * words.layout().word_count();
    // SAFETY: there is room for a state at the address, and some more; the words are whole.
    unsafe { std::ptr::copy_nonoverlapping(packed.as_ptr().cast(), to, len) };
    0
}

/// Takes the successor that the context has. Only portable code calls it, and has its own version.
pub(crate) unsafe extern "C" fn emit(_: *mut Context) -> i32 {
    0
}

/// Copies a state.
pub(crate) unsafe extern "C" fn copy(to: *mut u8, from: *const u8, len: u64) -> i32 {
    // SAFETY: both are states of this length, and different ones.
    unsafe { std::ptr::copy_nonoverlapping(from, to, len as usize) };
    0
}

/// Clears the memory of a new process.
pub(crate) unsafe extern "C" fn clear(at: *mut u8, len: u64) -> i32 {
    // SAFETY: the compiled code has checked that there is room.
    unsafe { std::ptr::write_bytes(at, 0, len as usize) };
    0
}

/// The bytes of a channel.
///
/// # Safety
/// `at` must point to a channel with this buffer.
unsafe fn channel<'a>(at: *mut u8, buffer: *const Buffer) -> (&'a mut [u8], &'a Buffer) {
    // SAFETY: the buffer is part of the layout, which lives as long as the code.
    unsafe {
        let buffer = &*buffer;
        (std::slice::from_raw_parts_mut(at, buffer.size), buffer)
    }
}

/// Inserts the message of the context before the first larger one.
pub(crate) unsafe extern "C" fn insert(context: *mut Context, at: *mut u8, buffer: *const Buffer) -> i32 {
    // SAFETY: compiled code passes a channel of its state and the channel's own buffer.
    let (bytes, buffer) = unsafe { channel(at, buffer) };
    // SAFETY: as in `handshake`.
    let message = unsafe { &(&(*context).message)[..buffer.fields.len()] };
    let len = usize::from(bytes[0]);
    let start = |slot: usize| 1 + slot * buffer.message;
    let larger = |slot: &usize| {
        let there = buffer.fields.iter().map(|f| f.width.load(bytes, start(*slot) + f.offset));
        there.gt(message.iter().copied())
    };
    let slot = (0..len).find(larger).unwrap_or(len);
    bytes.copy_within(start(slot)..start(len), start(slot + 1));
    for (field, value) in buffer.fields.iter().zip(message) {
        field.width.store(bytes, start(slot) + field.offset, *value);
    }
    bytes[0] += 1;
    0
}

/// Removes a message.
pub(crate) unsafe extern "C" fn remove(at: *mut u8, slot: u64, buffer: *const Buffer) -> i32 {
    // SAFETY: compiled code passes a channel of its state and the channel's own buffer.
    let (bytes, buffer) = unsafe { channel(at, buffer) };
    let len = usize::from(bytes[0]);
    let start = |slot: usize| 1 + slot * buffer.message;
    bytes.copy_within(start(slot as usize + 1)..start(len), start(slot as usize));
    bytes[start(len - 1)..start(len)].fill(0);
    bytes[0] -= 1;
    0
}

/// A state and its processes, for queries.
struct Seen<'a> {
    functions: &'a Functions,
    counts: Counts,
    bases: &'a [u32],
    bytes: &'a [u8],
}

impl<'a> Seen<'a> {
    /// The state that a query is about.
    ///
    /// # Safety
    /// The context must describe this state.
    unsafe fn new(context: *mut Context, bytes: *const u8) -> Seen<'a> {
        // SAFETY: as in `handshake`; the state is as long as the compiled code says.
        unsafe {
            let counts = (*context).asked;
            Seen {
                functions: &*(*context).functions,
                counts,
                bases: &(&(*context).processes)[..counts.processes as usize],
                bytes: std::slice::from_raw_parts(bytes, counts.len as usize),
            }
        }
    }

    fn process(&self, pid: usize) -> ProcessAt {
        let offset = self.bases[pid];
        let process = self.functions.types.get(pid).copied().unwrap_or_else(|| self.bytes[offset as usize]);
        ProcessAt { process: u32::from(process), offset }
    }

    /// The process with this number, if it is alive.
    fn alive(&self, pid: i32) -> Option<ProcessAt> {
        usize::try_from(pid).ok().filter(|pid| *pid < self.bases.len()).map(|pid| self.process(pid))
    }

    fn location(&self, at: ProcessAt) -> LocId {
        self.functions.layout.location(self.bytes, at)
    }

    fn priority(&self, at: ProcessAt) -> i32 {
        let offset = self.functions.layout.frames[at.process as usize].priority;
        offset.map_or(1, |offset| i32::from(self.bytes[at.offset as usize + offset]))
    }

    /// Whether some process is at such a location.
    fn some_process_at(&self, wanted: impl Fn(&Location) -> bool) -> bool {
        (0..self.bases.len()).any(|pid| {
            let at = self.process(pid);
            let process = &self.functions.model.processes[at.process as usize];
            wanted(&process.locations[self.location(at).index()])
        })
    }

    /// Whether a process is enabled; -1 if the interpreter has to decide.
    ///
    /// # Safety
    /// The context must be the one of this value, and no other reference to it may exist.
    unsafe fn enabled(&self, ctx: *mut Context, pid: usize, ask: u32) -> i32 {
        let (base, process) = (self.bases[pid], self.process(pid).process as u8);
        let Some(enabled) = self.functions.pick(&self.functions.enabled, pid, process) else { return -1 };
        // SAFETY: the function only reads the state, and writes nothing of the context that is referred to here.
        let answer = unsafe {
            let saved = ((*ctx).counts, (*ctx).asked, (*ctx).ask);
            ((*ctx).counts, (*ctx).ask) = (self.counts, ask);
            let answer = enabled(ctx, self.bytes.as_ptr().cast_mut(), u64::from(base), pid as u64);
            ((*ctx).counts, (*ctx).asked, (*ctx).ask) = saved;
            answer
        };
        match answer {
            status::DONE => 0,
            status::YES => 1,
            _ => -1,
        }
    }

    /// Whether a process of higher priority is enabled; -1 if the interpreter has to decide.
    ///
    /// # Safety
    /// See [`Seen::enabled`].
    unsafe fn outranked(&self, ctx: *mut Context, pid: i32, ask: u32) -> i32 {
        let Some(mine) = self.alive(pid).map(|at| self.priority(at)) else { return -1 };
        let above = |other: &usize| *other != pid as usize && self.priority(self.process(*other)) > mine;
        // SAFETY: as the caller promises.
        let mut answers = (0..self.bases.len()).filter(above).map(|other| unsafe { self.enabled(ctx, other, ask) });
        answers.find(|answer| *answer != 0).unwrap_or(0)
    }
}

/// The answer to a query about a state whose sizes are in the context. -1 if the interpreter has to decide.
pub(crate) unsafe extern "C" fn answer(ctx: *mut Context, bytes: *const u8, question: u32, pid: i32) -> i32 {
    // SAFETY: compiled code passes its state.
    let seen = unsafe { Seen::new(ctx, bytes) };
    match question {
        question::NON_PROGRESS => i32::from(!seen.some_process_at(|l| l.progress)),
        question::ACCEPTING => i32::from(seen.some_process_at(|l| l.accept)),
        question::LOCATION => seen.alive(pid).map_or(0, |at| seen.location(at).0 as i32),
        question::PRIORITY => seen.alive(pid).map_or(0, |at| seen.priority(at)),
        // SAFETY: it is the same context, and compiled code refers to it only while it runs.
        question::ENABLED => seen.alive(pid).map_or(0, |_| unsafe { seen.enabled(ctx, pid as usize, 0) }),
        // SAFETY: likewise.
        question::OUTRANKED => unsafe { seen.outranked(ctx, pid, ask::PROVIDED) },
        // SAFETY: likewise.
        _ => unsafe { seen.outranked(ctx, pid, ask::PROVIDED | ask::MEET) },
    }
}

/// The number of the first process of a type; -1 if there is none.
pub(crate) unsafe extern "C" fn first_of(ctx: *mut Context, bytes: *const u8, count: u64, process: u32) -> i32 {
    // SAFETY: as in `handshake`; processes begin where the tables say.
    let bases = unsafe { &(&(*ctx).processes)[..count as usize] };
    // SAFETY: as above.
    let found = bases.iter().position(|base| u32::from(unsafe { *bytes.add(*base as usize) }) == process);
    found.map_or(-1, |pid| pid as i32)
}

/// Changes the priority of a process. The result is not 0 if that is a fault.
pub(crate) unsafe extern "C" fn set_priority(ctx: *mut Context, bytes: *mut u8, count: u64, pid: i32, to: i32) -> i32 {
    if pid < 0 || pid as u64 >= count {
        return 0;
    }
    if !(1..=255).contains(&to) {
        return 1;
    }
    // SAFETY: as in `handshake`; processes begin where the tables say, and a priority is part of the process.
    unsafe {
        let base = (&(*ctx).processes)[pid as usize] as usize;
        let functions = &*(*ctx).functions;
        if let Some(offset) =
            functions.layout.frames[usize::from(functions.type_of(pid as usize, bytes.add(base)))].priority
        {
            *bytes.add(base + offset) = to as u8;
        }
    }
    0
}

/// Whether another process has an exclusive-access claim on this channel.
pub(crate) unsafe extern "C" fn claimed(
    ctx: *mut Context,
    bytes: *const u8,
    count: u64,
    pid: u64,
    number: i32,
    send: i32,
) -> i32 {
    let direction = if send != 0 { Direction::Send } else { Direction::Receive };
    // SAFETY: as in `handshake`; processes begin where the tables say, and a variable is part of its process.
    unsafe {
        let functions = &*(*ctx).functions;
        for other in (0..count).filter(|other| *other != pid) {
            let base = (&(*ctx).processes)[other as usize] as usize;
            for claim in &functions.claims[usize::from(*bytes.add(base))] {
                let at = bytes.add(claim.slot.offset + if claim.local { base } else { 0 });
                let value = std::slice::from_raw_parts(at, claim.slot.width.bytes());
                if claim.direction == direction && claim.slot.width.load(value, 0) == number {
                    return 1;
                }
            }
        }
    }
    0
}

/// Moves the trace automaton with the message of the context. The result is not 0 if the operation violates it.
pub(crate) unsafe extern "C" fn follow(
    ctx: *mut Context,
    bytes: *mut u8,
    len: u64,
    number: i32,
    fields: i32,
    send: i32,
) -> i32 {
    let direction = if send != 0 { Direction::Send } else { Direction::Receive };
    // SAFETY: as in `handshake`; compiled code passes a state it is making.
    let (functions, message, state) = unsafe {
        let message = &(&(*ctx).message)[..fields as usize];
        (&*(*ctx).functions, message, std::slice::from_raw_parts_mut(bytes, len as usize))
    };
    let followed = functions.watch.as_ref().is_none_or(|watch| watch.follow(state, direction, number, message));
    i32::from(!followed)
}
