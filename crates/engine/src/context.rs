//! The data shared by compiled code and driver: one context per thread.

use std::fmt;

use kripke_model::layout::{ChannelAt, MAX_ALIVE};
use kripke_model::words::MAX_WORDS;

/// The maximal number of fields of a message. A model with longer messages is left to the interpreter.
pub(crate) const MAX_FIELDS: usize = 64;

/// The number of bytes after the largest state in every buffer, so that copies can use whole vectors.
pub(crate) const SLACK: usize = 64;

/// The bit for a state in which the goal holds, and the bit for a process at an accepting location.
pub(crate) const GOAL: u64 = 1 << 63;
pub(crate) const ACCEPTING: u64 = 1 << 62;
/// The maximal number of edges of an observer's location.
pub(crate) const MAX_OBSERVER_EDGES: usize = 62;

/// Return values of compiled code.
pub(crate) mod status {
    /// The work is complete.
    pub(crate) const DONE: i32 = 0;
    /// An atomic sequence has several enabled edges.
    pub(crate) const BRANCH: i32 = 1;
    /// A rare case: the interpreter must expand this state.
    pub(crate) const RARE: i32 = 2;
    /// A buffer is full: it must be enlarged and the expansion repeated.
    pub(crate) const FULL: i32 = 3;
    /// The process is enabled.
    pub(crate) const YES: i32 = 4;
}

/// Queries of compiled code to the runtime.
pub(crate) mod question {
    /// Whether no process is at a progress location.
    pub(crate) const NON_PROGRESS: u32 = 0;
    /// The location of a process.
    pub(crate) const LOCATION: u32 = 1;
    pub(crate) const PRIORITY: u32 = 2;
    /// Whether a process is enabled.
    pub(crate) const ENABLED: u32 = 3;
    /// Whether a process of higher priority is enabled.
    pub(crate) const OUTRANKED: u32 = 4;
    /// Whether a process of higher priority can receive the offer.
    pub(crate) const OUTRANKED_RECEIVER: u32 = 5;
    /// Whether some process is at an accepting location.
    pub(crate) const ACCEPTING: u32 = 6;
}

/// Flags of a query whether a process is enabled.
pub(crate) mod ask {
    /// Its `provided` clause must hold.
    pub(crate) const PROVIDED: u32 = 1;
    /// Only receiving the offer counts.
    pub(crate) const MEET: u32 = 2;
}

/// The length of a state and its numbers of processes and channels.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    /// The length in bytes.
    pub len: u64,
    /// The number of processes.
    pub processes: u64,
    /// The number of channels.
    pub channels: u64,
}

/// A point inside an atomic sequence, up to which the sequence is deterministic.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// The offset of its state in the pending states.
    pub at: u32,
    /// The length of its state.
    pub len: u32,
    /// The process that keeps control.
    pub control: u32,
    /// Not 0 if several edges are enabled; otherwise the sequence has ended or is blocked.
    pub branches: u32,
}

/// The progress of an expansion: the next successor (or its end, for varying lengths) and the next point inside an
/// atomic sequence.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Mark {
    /// The next successor.
    pub made: u64,
    /// The next point inside an atomic sequence.
    pub pending: u64,
}

#[repr(C)]
pub(crate) struct Context {
    /// The address of the next successor.
    pub out: *mut u8,
    /// The address from which no successor may start.
    pub out_limit: *mut u8,
    /// The address from which the ends of successors are counted.
    pub out_start: *mut u8,
    /// The end of the next successor.
    pub ends: *mut u32,
    /// The address of the next state of a point inside an atomic sequence.
    pub inner: *mut u8,
    /// The address from which no such state may start.
    pub inner_limit: *mut u8,
    /// The start of these states.
    pub inner_start: *mut u8,
    /// The next entry for a point.
    pub pending: *mut Pending,
    /// The first entry.
    pub pending_start: *mut Pending,
    /// The end of the entries.
    pub pending_limit: *mut Pending,
    /// Whether some atomic sequence has several enabled edges.
    pub branches: u32,
    /// The sizes of the state under expansion.
    pub counts: Counts,
    /// The sizes of the state that a query is about.
    pub asked: Counts,
    /// 1 if `timeout` is true.
    pub timeout: u32,
    /// The flags of a query: see [`ask`].
    pub ask: u32,
    /// Whether some process is at a committed location.
    pub urgent: u32,
    /// The result of the observer function: a bit for each enabled edge, and [`GOAL`].
    pub observed: u64,
    /// The state before a rendezvous.
    pub before: *mut u8,
    /// The channel of the rendezvous.
    pub offer_number: i32,
    /// The number of fields of the message.
    pub offer_fields: u32,
    /// The message.
    pub message: [i32; MAX_FIELDS],
    /// The state after the sender's half of a rendezvous.
    pub half: *mut u8,
    /// The end of the buffer for that state.
    pub half_limit: *mut u8,
    /// One byte per edge of the model, set if the edge was executed.
    pub covered: *mut u8,
    /// The offset of each process.
    pub processes: [u32; MAX_ALIVE + 1],
    /// The position of each channel.
    pub channels: [ChannelAt; MAX_ALIVE + 1],
    /// The progress of the expansion after the moves of each process.
    pub marks: [Mark; MAX_ALIVE + 1],
    /// The words of the state under expansion.
    pub words: [u64; MAX_WORDS],
    /// The words of the state after the sender's half of a rendezvous.
    pub half_words: [u64; MAX_WORDS],
    /// The packed copy of a successor that is stored in words.
    pub scratch: *mut u8,
    /// The words of the next successor, in [portable code](crate::PortableCode).
    pub emitted: *mut u8,
    /// The compiled functions, for the runtime.
    pub functions: *const crate::runtime::Functions,
}

impl Context {
    pub(crate) fn new() -> Box<Context> {
        Box::new(Context {
            out: std::ptr::null_mut(),
            out_limit: std::ptr::null_mut(),
            out_start: std::ptr::null_mut(),
            ends: std::ptr::null_mut(),
            inner: std::ptr::null_mut(),
            inner_limit: std::ptr::null_mut(),
            inner_start: std::ptr::null_mut(),
            pending: std::ptr::null_mut(),
            pending_start: std::ptr::null_mut(),
            pending_limit: std::ptr::null_mut(),
            branches: 0,
            counts: Counts::default(),
            asked: Counts::default(),
            timeout: 0,
            ask: 0,
            urgent: 0,
            observed: 0,
            before: std::ptr::null_mut(),
            offer_number: 0,
            offer_fields: 0,
            message: [0; MAX_FIELDS],
            half: std::ptr::null_mut(),
            half_limit: std::ptr::null_mut(),
            covered: std::ptr::null_mut(),
            processes: [0; MAX_ALIVE + 1],
            channels: [ChannelAt { declaration: 0, offset: 0 }; MAX_ALIVE + 1],
            marks: [Mark::default(); MAX_ALIVE + 1],
            words: [0; MAX_WORDS],
            half_words: [0; MAX_WORDS],
            scratch: std::ptr::null_mut(),
            emitted: std::ptr::null_mut(),
            functions: std::ptr::null(),
        })
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("counts", &self.counts).finish_non_exhaustive()
    }
}
