//! The one hot interface: from a packed state to all its successors.

use std::borrow::Cow;
use std::fmt;

use crate::arrival::Arrival;
use crate::batch::Batch;
use crate::ir::{EdgeId, ProcessId, Span};

/// A packed state: bytes whose meaning only the layout knows. Its length may vary with dynamic processes.
pub type State = [u8];

/// The processes whose moves are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// All processes.
    All,
    /// Only this process. If it has no move otherwise, `timeout` is true, as if no process could move.
    One(u8),
    /// Only this process, and only its moves that are enabled where `timeout` is false.
    Part(u8),
}

/// The control state of a process: its type and location, as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The process type: index into [`Model::processes`](crate::ir::Model::processes).
    pub process: u32,
    /// The location: index into [`Process::locations`](crate::ir::Process::locations).
    pub location: u32,
}

/// The successors of a state, grouped by the process that moves.
#[derive(Clone, Default, Debug)]
pub struct Parts {
    /// The control state of each process alive, by process number.
    pub standing: Vec<Standing>,
    /// The index in the batch of the first successor of the state.
    pub first: usize,
    /// The groups in order: the process and the index in the batch behind its last successor. Empty if the successors can't
    /// be attributed to processes.
    pub ends: Vec<(u8, usize)>,
}

impl Parts {
    /// Keeps in the batch only successors that these processes move to, and puts the others into `rest`, if that is wanted.
    pub fn keep(&self, set: u64, out: &mut Batch, mut rest: Option<&mut Batch>) {
        let (mut start, mut kept) = (self.first, self.first);
        for &(pid, end) in &self.ends {
            if set >> pid & 1 == 1 {
                out.shift(start..end, kept);
                kept += end - start;
            } else if let Some(rest) = &mut rest {
                (start..end).for_each(|i| rest.push(out.state(i)));
            }
            start = end;
        }
        out.truncate(kept);
    }
}

/// The processes that make the step to a successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    /// The observer moves alone: no process can.
    Observer,
    /// This process begins the step: it executes the first statement of an atomic sequence, or sends at a rendezvous.
    Process(u8),
    /// All processes move at once.
    Everybody,
}

/// The processes that move, and those that could, in one state.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Movers {
    /// The processes alive are those with numbers below this one.
    pub alive: u8,
    /// The mover of each successor, in the order of [`Successors::expand`] with [`Choice::All`].
    pub by: Vec<Mover>,
    /// The processes with an enabled step, in ascending order; a step that ends in a fault is enabled, too.
    pub enabled: Vec<u8>,
}

impl Movers {
    /// Makes the value that of a state without processes; allocations are kept.
    pub fn clear(&mut self) {
        self.alive = 0;
        self.by.clear();
        self.enabled.clear();
    }
}

/// A successor generator. Each worker thread has its own. There is one dynamic call per state, none per transition.
///
/// The core is [`initial`](Successors::initial) and [`expand`](Successors::expand). The supertraits are capabilities; none of
/// their methods has a default, so a wrapper that forgets to forward one does not compile. A system without capabilities
/// implements [`NextState`] and is wrapped in [`Plain`].
pub trait Successors: Representation + StateLabels + ActionLabels + AcceptanceMarks + ProcessStructure + Send {
    /// Appends the initial state.
    fn initial(&mut self, out: &mut Batch);

    /// Appends every successor of a state: one entry per edge between *stored* states. Atomic sequences and rendezvous are
    /// resolved inside. The order depends on the state alone, so the number of a successor names it for ever.
    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags;

    /// Appends every successor of several states, one state after the other, and to `ends` the number of states in the batch
    /// after each. It stops early after a state that [is bad](Flags::is_bad) or has findings, whose flags it returns, or when the
    /// batch [is large](Batch::is_large). It does not tell whether other states are accepting.
    ///
    /// This definition is always right; an engine may be faster, and a wrapper that only forwards must forward this, too, to
    /// be as fast.
    fn expand_all(&mut self, states: &[&State], out: &mut Batch, ends: &mut Vec<usize>) -> Flags {
        for state in states {
            let found = out.findings().len();
            let flags = self.expand(state, Choice::All, out);
            ends.push(out.len());
            if flags.is_bad() || out.findings().len() > found {
                return flags;
            }
            if out.is_large() {
                break;
            }
        }
        Flags::default()
    }

    /// The same with the transitions by which these states were discovered. Successors in the [sleep sets](Arrival) of states are left
    /// out, and [counted](Batch::asleep) by the batch, which has the [transitions](Batch::arrival) to the others. It is valid in a
    /// breadth-first search that expands every state it finds.
    ///
    /// Expanding fully and telling nothing of transitions, as here, is always right. A wrapper that only forwards should forward this,
    /// too.
    fn expand_awake(
        &mut self,
        states: &[&State],
        arrivals: &[Arrival],
        out: &mut Batch,
        ends: &mut Vec<usize>,
    ) -> Flags {
        debug_assert_eq!(states.len(), arrivals.len());
        self.expand_all(states, out, ends)
    }
}

/// How packed states represent states.
pub trait Representation {
    /// The number of bytes at the start of every state that a store does not compare: `hidden` variables. States that differ
    /// only there are one state.
    fn hidden_prefix(&self) -> usize;

    /// The number of bits of a state, if states have a [form in words](crate::words): the eight bytes of one number, or the
    /// sixteen bytes of a number of more than 64 bits, and so on.
    fn word_bits(&self) -> Option<u32>;

    /// The state in the layout of the reference interpreter.
    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State>;
}

/// Propositions of states.
pub trait StateLabels {
    /// The propositions that hold in a state, a bit each. None if the evaluation of one is a fault; expanding the state then
    /// finds it.
    fn state_labels(&mut self, state: &State) -> Option<u64>;
}

/// Actions of steps.
pub trait ActionLabels {
    /// The statements executed on the way to each successor, in order; nothing where the observer moves alone.
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>);
}

/// Acceptance sets of the observer's edges.
pub trait AcceptanceMarks {
    /// The acceptance sets of the edges that the observer can take in a state, in order, if it has
    /// [any](crate::ir::Observer::marks). The successors go through these edges in turn.
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>);
}

/// The processes behind successors.
pub trait ProcessStructure {
    /// The process that moves to each successor of a state, and the enabled processes. Fairness is decided by this alone.
    fn movers(&mut self, state: &State, out: &mut Movers);

    /// Expands a state for all processes, in the order of [`Successors::expand`], and tells which process has which
    /// successors.
    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags;

    /// Expands a state as far as partial-order reduction requires. Postponed successors go into `postponed`: they have to be
    /// explored, too, unless one of the others is new.
    fn expand_ample(&mut self, state: &State, out: &mut Batch, postponed: &mut Batch) -> Flags;

    /// Of so many states that are to be expanded next, the number of those at the beginning for which no ample set will be chosen,
    /// because that does not pay. It counts them as expanded, so the caller expands them fully, as fast as it can.
    fn full_expansions(&mut self, most: usize) -> usize;

    /// Tells that this number of postponed successors were explored after all, so that leaving them out saved nothing.
    fn note_explored(&mut self, postponed: usize);
}

/// A next-state function without further capabilities.
pub trait NextState: Send {
    /// Appends the initial state.
    fn initial(&mut self, out: &mut Batch);

    /// Appends every successor of a state, in an order that depends on the state alone.
    fn expand(&mut self, state: &State, out: &mut Batch) -> Flags;
}

/// A system without capabilities: no labels, no processes, no acceptance sets.
#[derive(Clone, Default, Debug)]
pub struct Plain<T>(pub T);

impl<T: NextState> Successors for Plain<T> {
    fn initial(&mut self, out: &mut Batch) {
        self.0.initial(out);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        self.0.expand(state, out)
    }
}

impl<T> Representation for Plain<T> {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn word_bits(&self) -> Option<u32> {
        None
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl<T> StateLabels for Plain<T> {
    fn state_labels(&mut self, _: &State) -> Option<u64> {
        Some(0)
    }
}

impl<T> ActionLabels for Plain<T> {
    fn action_labels(&mut self, _: &State, _: &mut Vec<Vec<u32>>) {}
}

impl<T> AcceptanceMarks for Plain<T> {
    fn acceptance_marks(&mut self, _: &State, _: &mut Vec<u32>) {}
}

impl<T: NextState> ProcessStructure for Plain<T> {
    fn movers(&mut self, _: &State, out: &mut Movers) {
        out.clear();
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        parts.ends.clear();
        self.0.expand(state, out)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.0.expand(state, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}

impl<S: Successors + ?Sized> Successors for Box<S> {
    fn initial(&mut self, out: &mut Batch) {
        (**self).initial(out);
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        (**self).expand(state, choice, out)
    }

    fn expand_all(&mut self, states: &[&State], out: &mut Batch, ends: &mut Vec<usize>) -> Flags {
        (**self).expand_all(states, out, ends)
    }

    fn expand_awake(
        &mut self,
        states: &[&State],
        arrivals: &[Arrival],
        out: &mut Batch,
        ends: &mut Vec<usize>,
    ) -> Flags {
        (**self).expand_awake(states, arrivals, out, ends)
    }
}

impl<S: Representation + ?Sized> Representation for Box<S> {
    fn hidden_prefix(&self) -> usize {
        (**self).hidden_prefix()
    }

    fn word_bits(&self) -> Option<u32> {
        (**self).word_bits()
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        (**self).decode(state)
    }
}

impl<S: StateLabels + ?Sized> StateLabels for Box<S> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        (**self).state_labels(state)
    }
}

impl<S: ActionLabels + ?Sized> ActionLabels for Box<S> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        (**self).action_labels(state, out);
    }
}

impl<S: AcceptanceMarks + ?Sized> AcceptanceMarks for Box<S> {
    fn acceptance_marks(&mut self, state: &State, out: &mut Vec<u32>) {
        (**self).acceptance_marks(state, out);
    }
}

impl<S: ProcessStructure + ?Sized> ProcessStructure for Box<S> {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        (**self).movers(state, out);
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        (**self).expand_parts(state, out, parts)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, postponed: &mut Batch) -> Flags {
        (**self).expand_ample(state, out, postponed)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        (**self).full_expansions(most)
    }

    fn note_explored(&mut self, postponed: usize) {
        (**self).note_explored(postponed);
    }
}

/// Properties of the expanded state itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags {
    /// No process can move, and some process is not at an end location. Not found out where the observer can't go on.
    pub invalid_end: bool,
    /// The model's goal holds.
    pub goal: bool,
    /// The observer is at an end location: every run to this state is a bad prefix of the property.
    pub bad_prefix: bool,
    /// The observer is at an accepting location, or a process where that counts.
    pub accepting: bool,
}

impl Flags {
    /// Something about the state is wrong by itself.
    #[inline]
    pub fn is_bad(self) -> bool {
        self.invalid_end || self.goal || self.bad_prefix
    }
}

/// Something wrong in an execution. Findings of one `expand` come in a fixed order, like successors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The kind of the error.
    pub kind: FindingKind,
    /// The process that executes the edge; 255 for the observer and the goal.
    pub pid: u8,
    /// The type of the process; [`Model::observer_id`](crate::ir::Model::observer_id) for the observer and the goal.
    pub process: ProcessId,
    /// The edge of the process type; edge 0 for the goal.
    pub edge: EdgeId,
    /// The place in the model's text that is reported.
    pub span: Span,
    /// The part of the model at fault.
    pub within: Within,
}

/// The part of the model that a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Within {
    /// The edge.
    #[default]
    Edge,
    /// The `provided` clause of the process; the edge is one that it keeps from being tried.
    Provided,
    /// The goal. No process and no edge has to do with it.
    Goal,
}

/// The kind of an error in an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// An assertion was executed and is false. The step is taken all the same.
    Assertion,
    /// The model did something forbidden. The step is not taken.
    Fault(Fault),
    /// An atomic or indivisible sequence ran on past the limit of steps: the search can't be complete.
    EndlessSequence,
}

/// A violation of the rules of execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An array index is negative or not less than the dimension.
    IndexOutOfRange {
        /// The name of the array.
        var: String,
        /// The value of the index.
        index: i32,
        /// The size of the dimension.
        len: u32,
    },
    /// The divisor of a division or remainder is 0.
    DivisionByZero,
    /// A process is created where 255 are alive.
    TooManyProcesses,
    /// A process is created whose channels would make more than 255.
    TooManyChannels,
    /// An indivisible sequence blocked after its first statement.
    BlockedChain,
    /// Use of a channel variable that names no channel.
    NoChannel,
    /// A message with the wrong number of fields for the channel it is sent to or received from. The step is taken if
    /// only some are missing.
    MessageArity {
        /// The number of fields in the channel's declaration.
        expected: u32,
        /// The number of fields in the statement.
        found: u32,
    },
    /// A rendezvous inside an indivisible sequence.
    HandshakeInChain,
    /// Polling a rendezvous channel. The step can't be taken, which is not a fault by itself.
    PollRendezvous,
    /// A process used a channel that another one claims for itself.
    ClaimViolated {
        /// The place of the claim in the model's text.
        claim: Span,
    },
    /// A channel operation the trace automaton does not allow (or, negated, its last one).
    TraceViolated,
    /// A value that its variable can't hold.
    ValueOutOfRange {
        /// The name of the variable.
        var: String,
        /// The value that is stored.
        value: i32,
        /// The least and the greatest value of the variable.
        range: (i32, i32),
    },
    /// A requirement of the model does not hold; the message describes the violation.
    Required(String),
    /// A priority outside 1..=255.
    BadPriority(i32),
    /// The value of `enabled` for a process depends on itself.
    CircularEnabled,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::IndexOutOfRange { var, index, len } => {
                let s = if *len == 1 { "" } else { "s" };
                write!(f, "index out of range ({var} has {len} element{s}, index is {index})")
            }
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::TooManyProcesses => f.write_str("too many processes (255 at most)"),
            Fault::TooManyChannels => f.write_str("too many channels (255 at most)"),
            Fault::BlockedChain => f.write_str("an indivisible sequence blocks in the middle"),
            Fault::NoChannel => f.write_str("use of a channel that was never initialised"),
            Fault::MessageArity { expected, found } => {
                write!(f, "a message with {found} fields on a channel for {expected}")
            }
            Fault::HandshakeInChain => f.write_str("a rendezvous inside an indivisible sequence"),
            Fault::PollRendezvous => f.write_str("a rendezvous channel can't be polled"),
            Fault::ClaimViolated { .. } => f.write_str("another process claims this channel for itself"),
            Fault::TraceViolated => f.write_str("a channel operation the trace does not allow"),
            Fault::ValueOutOfRange { var, value, range: (low, high) } => {
                write!(f, "value out of range ({var} holds {low} to {high}, the value is {value})")
            }
            Fault::Required(message) => f.write_str(message),
            Fault::BadPriority(priority) => write!(f, "priority {priority} is not in 1 to 255"),
            Fault::CircularEnabled => f.write_str("`enabled` about a process that waits for the answer"),
        }
    }
}
