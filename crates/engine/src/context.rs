//! What compiled code and the driver share: one context per thread, read and written by both.

use std::fmt;

use kripke_model::layout::{ChannelAt, MAX_ALIVE};

/// No message has more fields than this; a model with longer ones is left to the interpreter.
pub(crate) const MAX_FIELDS: usize = 64;

/// Every buffer has this much room behind the largest state it must hold, so that copies may go by whole vectors.
pub(crate) const SLACK: usize = 64;

/// The bit that says that a state is the goal, and the one that says that a process is at an accepting location.
pub(crate) const GOAL: u64 = 1 << 63;
pub(crate) const ACCEPTING: u64 = 1 << 62;
/// As many edges of the observer's can be told apart.
pub(crate) const MAX_SIGHT: usize = 62;

/// How compiled code returns.
pub(crate) mod status {
    /// Everything was done.
    pub(crate) const DONE: i32 = 0;
    /// An atomic sequence branches here.
    pub(crate) const BRANCH: i32 = 1;
    /// Something rare happened: the interpreter must expand this state.
    pub(crate) const RARE: i32 = 2;
    /// A buffer is too small: make it larger and begin again.
    pub(crate) const FULL: i32 = 3;
    /// The process could move.
    pub(crate) const YES: i32 = 4;
}

/// What compiled code asks the runtime about a state.
pub(crate) mod question {
    /// Is no process at a progress location?
    pub(crate) const NON_PROGRESS: u32 = 0;
    /// Where is a process?
    pub(crate) const LOCATION: u32 = 1;
    pub(crate) const PRIORITY: u32 = 2;
    /// Could a process move?
    pub(crate) const ENABLED: u32 = 3;
    /// Could a process of higher priority move?
    pub(crate) const OUTRANKED: u32 = 4;
    /// Could a process of higher priority receive what is offered?
    pub(crate) const OUTRANKED_RECEIVER: u32 = 5;
    /// Is a process at an accepting location?
    pub(crate) const ACCEPTING: u32 = 6;
}

/// What is asked of a process that could perhaps move.
pub(crate) mod ask {
    /// Its clause must let it.
    pub(crate) const PROVIDED: u32 = 1;
    /// Only receiving what is offered counts.
    pub(crate) const MEET: u32 = 2;
}

/// The bytes of the state being expanded and who is in it.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub len: u64,
    pub processes: u64,
    pub channels: u64,
}

/// A point inside an atomic sequence, as far as there is one way to go.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    /// Where its state is, from the start of the pending states.
    pub at: u32,
    pub len: u32,
    /// Who keeps control.
    pub control: u32,
    /// Not 0 if there are several ways to go from here; otherwise the sequence has ended or is blocked.
    pub branches: u32,
}

/// What had been made: where the next successor goes (or its end, where lengths differ), and the next point inside an
/// atomic sequence.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Mark {
    pub made: u64,
    pub pending: u64,
}

#[repr(C)]
pub(crate) struct Context {
    /// Where the next successor goes, and where none may begin any more.
    pub out: *mut u8,
    pub out_limit: *mut u8,
    /// What the ends of successors count from.
    pub out_start: *mut u8,
    pub ends: *mut u32,
    /// The same for points inside atomic sequences.
    pub inner: *mut u8,
    pub inner_limit: *mut u8,
    pub inner_start: *mut u8,
    pub pending: *mut Pending,
    pub pending_start: *mut Pending,
    pub pending_limit: *mut Pending,
    /// Whether an atomic sequence branches.
    pub branches: u32,
    /// The state being expanded.
    pub counts: Counts,
    /// The state that the runtime is asked about.
    pub asked: Counts,
    /// 1 while nobody can move otherwise.
    pub timeout: u32,
    /// See [`ask`].
    pub ask: u32,
    /// Somebody is at a committed location.
    pub urgent: u32,
    /// What was seen in a state: a bit for each edge the observer can take, and [`GOAL`].
    pub sight: u64,
    /// A rendezvous: the state before it, its channel and the message.
    pub before: *mut u8,
    pub offer_number: i32,
    pub offer_fields: u32,
    pub message: [i32; MAX_FIELDS],
    /// The state after the sender's half of a rendezvous.
    pub half: *mut u8,
    pub half_limit: *mut u8,
    /// One byte per edge of the model, set when it is executed.
    pub covered: *mut u8,
    /// Where each process begins.
    pub processes: [u32; MAX_ALIVE + 1],
    pub channels: [ChannelAt; MAX_ALIVE + 1],
    /// How far the successors and the points inside atomic sequences were when each process had moved.
    pub marks: [Mark; MAX_ALIVE + 1],
    /// The functions, for the runtime.
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
            sight: 0,
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
            functions: std::ptr::null(),
        })
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("counts", &self.counts).finish_non_exhaustive()
    }
}
