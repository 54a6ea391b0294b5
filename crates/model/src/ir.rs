//! The intermediate representation between languages and engines.
//!
//! A [`Model`] is a set of process types, each a control-flow graph of [`Location`]s joined by [`Edge`]s, over global
//! and local [`Var`]iables and [`Channel`]s. Each language lowers its texts to this
//! form, and nothing here depends on a language. The interpreter ([`crate::interpret`]) defines the effect of an edge.

mod methods;

pub use crate::operator::{BinaryOp, ChannelQuery, UnaryOp};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The id as an index into the table it belongs to.
            #[inline]
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

ids! {
    /// A process type: index into [`Model::processes`].
    ProcessId,
    /// A location: index into [`Process::locations`].
    LocId,
    /// An edge: index into [`Process::edges`].
    EdgeId,
    /// A variable: index into [`Model::globals`] or [`Process::locals`], as its [`VarRef`] says.
    VarId,
    /// A channel declaration: index into [`Model::channels`].
    ChannelId,
    /// A set of symbolic constants: index into [`Model::enums`].
    EnumId,
    /// A source file: index into [`Model::files`].
    FileId,
}

/// A range of the user's text as typed, before macros are expanded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file that contains the range.
    pub file: FileId,
    /// The byte offset of the first character in the file's text.
    pub start: u32,
    /// The byte offset behind the last character.
    pub end: u32,
}

/// A source text of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// The path of the file as messages show it.
    pub name: String,
    /// The text as typed, before macros are expanded.
    pub text: String,
    /// The text is a question about the model and no part of it.
    pub asked: bool,
}

/// A whole system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The name of the model, for reports.
    pub name: String,
    /// The name of the source language, for reports.
    pub language: String,
    /// The source texts that spans refer to.
    pub files: Vec<SourceFile>,
    /// The declared sets of symbolic constants.
    pub enums: Vec<Enum>,
    /// Global variables in declaration order. The initial value of a later one may read an earlier one.
    pub globals: Vec<Var>,
    /// Channel declarations; a declaration may have several instances.
    pub channels: Vec<Channel>,
    /// Process types; a type may have several instances.
    pub processes: Vec<Process>,
    /// The processes alive in the initial state, in order of their process numbers.
    pub start: Vec<Start>,
    /// The composition of the processes.
    pub scheduling: Scheduling,
    /// An automaton over channel operations.
    pub trace: Option<Trace>,
    /// An automaton that moves with every step of the system.
    pub observer: Option<Observer>,
    /// The condition whose reachability is checked.
    pub goal: Option<Goal>,
    /// Some expression reads the number of the process that moved last, which is then part of the state.
    pub uses_last: bool,
    /// Process priorities are part of the state, and only processes of the highest enabled priority move.
    pub uses_priorities: bool,
    /// Some expression reads `timeout`.
    pub uses_timeout: bool,
    /// The temporal properties that the text states.
    pub properties: Vec<Property>,
}

/// The rule that composes the steps of processes into steps of the system.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scheduling {
    /// One process at a time moves, or two at a rendezvous.
    #[default]
    Interleaved,
    /// A step is one edge of every process. Guards are evaluated before the step, effects are executed in the order of the
    /// processes. No step is possible if one process has no enabled edge.
    Synchronous,
}

/// A named set of symbolic constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    /// The name of the set in the model's text.
    pub name: String,
    /// The constants and their values, in declaration order.
    pub symbols: Vec<(String, i32)>,
}

/// A property stated in the model's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The name by which the property is selected and reported.
    pub name: String,
    /// The logic of the formula, or the form of the automaton.
    pub kind: PropertyKind,
    /// The formula as typed, or empty for an automaton.
    pub text: String,
    /// The formula after macro expansion.
    pub formula: String,
    /// The observer, where the text states one.
    pub observer: Option<Observer>,
    /// The place of the property in the model's text.
    pub span: Span,
}

/// The form in which a property is stated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// A formula of linear temporal logic.
    Ltl,
    /// A formula of computation tree logic.
    Ctl,
    /// A never claim: an automaton that accepts the violations.
    Never,
    /// A property process: such an automaton in the form of a process.
    Process,
}

/// The type of a stored value: `bits` wide, wrapping on overflow. `shows` is the notation of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    /// 1 to 32.
    pub bits: u8,
    /// Values are in two's complement; otherwise they are not negative.
    pub signed: bool,
    /// The notation of values in traces and reports.
    pub shows: Shows,
}

/// The notation of the values of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shows {
    /// A decimal number.
    Number,
    /// `false`/`true`.
    Bool,
    /// A member of an enumeration.
    Symbol(EnumId),
    /// A channel number.
    Channel,
    /// A process number.
    Pid,
}

/// A variable: a scalar or an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// The name in the user's notation; a field of a record is a variable: `node.left`.
    pub name: String,
    /// The type of each element.
    pub ty: Type,
    /// Array dimensions, outermost first; empty for a scalar. A record array with an array field has two.
    pub dims: Vec<u32>,
    /// The initial value of the elements.
    pub init: Init,
    /// Storing a value outside this range is a fault. Without a range, values wrap.
    pub range: Option<(i32, i32)>,
    /// A global that is not compared: of states that differ only in hidden variables, the first one found is stored.
    pub hidden: bool,
    /// The place of the declaration.
    pub span: Span,
}

impl Var {
    /// The number of elements: the product of the dimensions.
    pub fn len(&self) -> usize {
        self.dims.iter().map(|d| *d as usize).product()
    }

    /// Whether the variable has no elements: one of its dimensions is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The initial value of a variable. Expressions are evaluated in declaration order when the system starts or the process is
/// created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    /// Every element is 0.
    Zero,
    /// Every element gets the value of this expression.
    All(Expr),
    /// The first elements get these values, the rest 0.
    List(Vec<Expr>),
    /// Every element names a fresh channel of this declaration.
    Channels(ChannelId),
    /// A parameter: the value is an argument of `run` or of the start.
    Param,
}

/// A channel declaration. Instances are numbered from 1 in order of creation; 0 is no channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The name of the declaration, for reports.
    pub name: String,
    /// The maximal number of buffered messages; 0 for a rendezvous channel.
    pub capacity: u32,
    /// The types of the fields of a message.
    pub fields: Vec<Type>,
    /// The place of the declaration.
    pub span: Span,
}

/// A process alive at the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The process type that is instantiated.
    pub process: ProcessId,
    /// The arguments, one for each parameter.
    pub args: Vec<Expr>,
    /// The initial priority of the process.
    pub priority: i32,
}

/// A process type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// The name of the process type.
    pub name: String,
    /// The number of parameters, which are the first locals.
    pub params: usize,
    /// Local variables in declaration order, parameters first.
    pub locals: Vec<Var>,
    /// The locations of the control-flow graph.
    pub locations: Vec<Location>,
    /// The edges of the control-flow graph; locations refer to them by id.
    pub edges: Vec<Edge>,
    /// The initial location.
    pub entry: LocId,
    /// The process moves only while this holds.
    pub provided: Option<Expr>,
    /// The priority of an instance that is created without one.
    pub priority: i32,
    /// Claims of this process to be the only receiver or sender of a channel.
    pub claims: Vec<Claim>,
    /// The place of the declaration.
    pub span: Span,
}

/// An exclusive-access claim on a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The operation that no other process may execute on the channel.
    pub direction: Direction,
    /// The channel that is claimed.
    pub channel: Expr,
    /// The place of the claim in the model's text.
    pub span: Span,
}

/// The direction of a channel operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// A message is put into the channel, or handed over at a rendezvous.
    Send,
    /// A message is taken from the channel, or read in it.
    Receive,
}

/// A point of control.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// Outgoing edges, in the order they are tried: by [`Edge::level`], then textually, `else` last.
    pub edges: Vec<EdgeId>,
    /// The labels of the location in the model's text.
    pub labels: Vec<String>,
    /// A valid end location.
    pub end: bool,
    /// An accepting location: a cycle that visits one is an acceptance cycle.
    pub accept: bool,
    /// A progress location: a cycle that visits one is no non-progress cycle.
    pub progress: bool,
    /// While a process is at a committed location, only processes at committed locations move. Both partners of a
    /// rendezvous have to be at one.
    pub committed: bool,
}

/// One step of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// An executable edge of a lower level disables the edges of higher levels (escapes of `unless`).
    pub level: u8,
    /// The condition under which the edge is executable, besides its channel operation.
    pub guard: Guard,
    /// The channel operation of the edge. It has to be executable, and it precedes the effects.
    pub sync: Option<Sync>,
    /// The effects, in the order of execution.
    pub effects: Vec<Effect>,
    /// An indivisible, deterministic run that is the rest of this step: it starts at this location of the same
    /// process, takes the first executable edge at each location while edges say [`Then::Chain`], and ends with the
    /// first edge that says otherwise, whose target is where the process then is. Not executable if no edge of the
    /// entry location is; a fault if a later location blocks, or the entry after a `sync` of this edge.
    pub chain: Option<LocId>,
    /// The location of the process after the step. Unused when there is a `chain`.
    pub target: LocId,
    /// The scheduling after the step.
    pub then: Then,
    /// The place of the statement in the model's text. For the text of an inline it is the outermost call.
    pub span: Span,
    /// The place of the statement inside an inline.
    pub inside: Option<Inside>,
    /// The statement as traces show it.
    pub label: String,
}

/// A place in a text that is expanded elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inside {
    /// The name of the inline.
    pub name: String,
    /// The place in the text of the inline.
    pub span: Span,
}

/// The condition of an edge on the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Executable in every state.
    Always,
    /// Executable iff not 0.
    When(Expr),
    /// Executable iff no other edge of the location is.
    Else,
    /// Executable iff this process is the youngest alive.
    Youngest,
}

/// The scheduling after an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// Any process may move next; the state is stored.
    Yield,
    /// This process moves next if it can (an inner step of an atomic sequence).
    Keep,
    /// An inner step of a [`Edge::chain`].
    Chain,
}

/// A channel operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sync {
    /// A send: it puts a message into the buffer, or hands it to a receiver at a rendezvous.
    Send {
        /// The number of the channel.
        channel: Expr,
        /// The values of the message's fields.
        args: Vec<Expr>,
        /// Insert in front of the first larger message instead of at the end.
        sorted: bool,
    },
    /// A receive: it is executable iff there is a message that matches.
    Receive {
        /// The number of the channel.
        channel: Expr,
        /// The treatment of the message's fields, in order.
        args: Vec<Pattern>,
        /// Take the first message in the buffer that matches.
        anywhere: bool,
        /// Leave the message in the channel.
        keep: bool,
        /// Evaluated when the fields are stored. The receive is not executable if the value is 0.
        condition: Option<Expr>,
    },
}

/// The treatment of one field of a received message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The field must equal this value.
    Match(Expr),
    /// The field is stored here.
    Store(Place),
    /// The field is dropped.
    Any,
}

/// A change of the state, or an output, when an edge is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Store the value of an expression.
    Assign(Place, Expr),
    /// Create a process; its number is stored in `result`.
    Run {
        /// The process type that is instantiated.
        process: ProcessId,
        /// The arguments, one for each parameter.
        args: Vec<Expr>,
        /// The initial priority; [`Process::priority`] if there is none.
        priority: Option<Expr>,
        /// The variable that gets the process number.
        result: Option<Place>,
    },
    /// A finding if 0. The step is taken.
    Assert(Expr),
    /// A fault with this message if 0. The step is not taken.
    Require {
        /// The condition that must not be 0.
        condition: Expr,
        /// The message of the fault.
        message: String,
    },
    /// Formatted output, which is no part of the state.
    Print(Print),
    /// Change the priority of a process.
    SetPriority {
        /// The number of the process.
        pid: Expr,
        /// The new priority, 1 to 255.
        priority: Expr,
    },
    /// Removes the process with its locals and its channels.
    Remove,
}

/// Formatted output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Print {
    /// Literal text and conversions, in order.
    pub pieces: Vec<Piece>,
}

/// A part of formatted output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// `%d`, `%x`, `%o`, `%u`, `%c`: the letter and the value.
    Value(char, Expr),
    /// `%e`: the value as a symbol of the enumeration.
    Symbol(EnumId, Expr),
}

/// The element of a variable that is read or stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The variable that contains the element.
    pub var: VarRef,
    /// One index for each dimension, which bounds it.
    pub index: Vec<Expr>,
}

/// A reference to a global or local variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarRef {
    /// A variable of [`Model::globals`].
    Global(VarId),
    /// A variable of the executing process.
    Local(VarId),
}

/// Expressions: 32-bit signed, wrapping; comparisons and logic give 0 or 1; `And` and `Or` stop early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a variable's element.
    Load(Place),
    /// The result of an operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// The result of an operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The second operand if the first is not 0, else the third.
    Cond(Box<[Expr; 3]>),
    /// The length of a channel, or a comparison of it.
    Channel(ChannelQuery, Box<Expr>),
    /// 1 if this receive is executable. For buffered channels only.
    Poll {
        /// The number of the channel.
        channel: Box<Expr>,
        /// The treatment of the message's fields. No field is stored.
        args: Vec<Pattern>,
        /// Any message of the buffer may match, not only the first one.
        anywhere: bool,
    },
    /// The number of the executing process.
    Pid,
    /// The number of processes alive.
    ProcessCount,
    /// The process that moved last.
    Last,
    /// 1 if no process can move without `timeout`.
    Timeout,
    /// 1 if no process is at a progress location.
    NonProgress,
    /// 1 if the process with this number is enabled, 0 if it is not or there is none.
    Enabled(Box<Expr>),
    /// The location of a process, as a number.
    Location(Box<Expr>),
    /// The priority of the process with this number; 0 if there is none.
    Priority(Box<Expr>),
    /// 1 if process `pid`, or the only process of the type, is at one of these locations.
    At {
        /// The process type that has the locations.
        process: ProcessId,
        /// The number of the process; none for the only process of the type.
        pid: Option<Box<Expr>>,
        /// The locations in question.
        locations: Vec<LocId>,
    },
    /// A local variable of another process: `place.var` is a local of `process`; indices are evaluated by the reader.
    Remote {
        /// The process type that declares the local variable.
        process: ProcessId,
        /// The number of the process; none for the only process of the type.
        pid: Option<Box<Expr>>,
        /// The element of the local variable.
        place: Place,
    },
    /// 1 if the observer is at one of these locations.
    ObserverAt(Vec<LocId>),
    /// One character of standard input. A search has no input: the reader blocks.
    Input,
    /// An expression whose evaluation is a fault with this message.
    Fault(String),
}

/// An automaton over channel operations. It moves with every operation on a channel that it mentions, up to its end. If it is
/// positive, an operation without an edge for it is a finding. If it is negated, reaching the end is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Its edges have a `sync` and no effects. Arguments are constants; [`Pattern::Any`] in a receive and
    /// [`Expr::Input`] in a send stand for any value.
    pub automaton: Process,
    /// The automaton describes the forbidden sequences of operations, not the allowed ones.
    pub negated: bool,
    /// The final location.
    pub end: LocId,
}

/// An automaton that moves with the system. With every step between stored states it takes one of its edges; each enabled edge
/// gives a successor of its own. If no edge is enabled, the system can't move. Guards and assertions are evaluated before the
/// system's step, other effects are executed after it. The observer has no process number, no channel operations and no
/// variables but globals. It accepts the violations: runs that visit accepting locations infinitely often or reach an
/// [end](Location::end).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observer {
    /// The control-flow graph of the observer.
    pub automaton: Process,
    /// The observer moves alone where the system can't move.
    pub stutters: bool,
    /// A state is accepting also if a process is at an accepting location.
    pub labels: bool,
    /// The acceptance sets of each edge of the automaton, one bit for each set. The automaton accepts the runs that take edges of
    /// all sets infinitely often; accepting locations then mean nothing, and the edges have no effects. Empty for acceptance by
    /// locations.
    pub marks: Vec<u32>,
}

impl Observer {
    /// All acceptance sets of edges.
    pub fn all_marks(&self) -> u32 {
        self.marks.iter().fold(0, |all, marks| all | marks)
    }
}

/// A condition on states that no process evaluates: it reads globals, and locals of processes by name. It is evaluated first
/// when a state is expanded. A fault in it is a finding and ends the run; a goal that is never true serves to find faults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// The condition whose truth in a reachable state is a finding.
    pub condition: Expr,
    /// The condition as typed.
    pub text: String,
    /// The place in the model's text, if the condition is part of it.
    pub span: Option<Span>,
}
