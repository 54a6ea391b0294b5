//! The syntax tree of ESML. Names and types are not resolved.

use crate::source::Span;
pub use kripke_model::ir::{BinaryOp, UnaryOp};

/// A name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the model.
    pub name: Name,
    /// Global constants, types and channels.
    pub declarations: Vec<Declaration>,
    /// Process definitions.
    pub processes: Vec<Process>,
    /// The processes that run.
    pub activations: Vec<Activation>,
    /// The correctness specification.
    pub assertion: Option<Expr>,
}

/// A process definition.
#[derive(Clone, Debug)]
pub struct Process {
    /// The name of the process.
    pub name: Name,
    /// The whole process.
    pub span: Span,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Local constants, types and variables.
    pub declarations: Vec<Declaration>,
    /// The body.
    pub commands: Vec<Command>,
}

/// One or more parameters of the same mode and type.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The mode.
    pub mode: Mode,
    /// The names and the type.
    pub variables: Variables,
}

/// The permitted uses of a channel parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `IN`.
    Receive,
    /// `OUT`.
    Send,
    /// No restriction, or a parameter of data.
    Both,
}

/// Names of one type.
#[derive(Clone, Debug)]
pub struct Variables {
    /// The names.
    pub names: Vec<Name>,
    /// `BOOLEAN` or the name of a type.
    pub ty: Name,
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// `name = value`.
    Constant {
        /// The name.
        name: Name,
        /// The value.
        value: Expr,
    },
    /// `name = type`.
    Type {
        /// The name.
        name: Name,
        /// The definition.
        definition: TypeDefinition,
        /// The place.
        span: Span,
    },
    /// `a, b: type`.
    Variables(Variables),
}

/// The definition of a type.
#[derive(Clone, Debug)]
pub enum TypeDefinition {
    /// `low..high`.
    Subrange(Expr, Expr),
    /// `a, b, c`.
    Enumeration(Vec<Name>),
    /// `ARRAY [size] OF type`.
    Array(Expr, Name),
    /// `LIST [size] OF type`.
    List(Expr, Name),
    /// `(a: type; b: type)`.
    Tuple(Vec<Variables>),
    /// `{message, message(type)}`.
    Alphabet(Vec<Signal>),
}

/// A message of an alphabet.
#[derive(Clone, Debug)]
pub struct Signal {
    /// The name of the message.
    pub name: Name,
    /// The type of its data.
    pub data: Option<Name>,
}

/// A process that runs: `P(arguments)`.
#[derive(Clone, Debug)]
pub struct Activation {
    /// The name of the process.
    pub process: Name,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// The whole activation.
    pub span: Span,
}

/// A command.
#[derive(Clone, Debug)]
pub struct Command {
    /// The command.
    pub kind: CommandKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// `SKIP`.
    Skip,
    /// `x := e`.
    Assign(Access, Expr),
    /// `c!message(e)` or `c?message(x)`.
    Communicate(Communication),
    /// `IF … END`.
    If(Vec<Branch>),
    /// `DO … END`.
    Do(Vec<Branch>),
    /// `POLL … END`.
    Poll(Vec<PollBranch>),
    /// `TRACE(…)`.
    Trace(Vec<TraceArgument>),
    /// `EMPTY(list)`.
    Empty(Access),
    /// `REMOVE(list)`.
    Remove(Access),
    /// `APPEND(list, e)`.
    Append(Access, Expr),
    /// `PREPEND(list, e)`.
    Prepend(Access, Expr),
}

/// A guarded command.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The guard.
    pub guard: Expr,
    /// The commands.
    pub commands: Vec<Command>,
}

/// A branch of `POLL`.
#[derive(Clone, Debug)]
pub struct PollBranch {
    /// The communication.
    pub communication: Communication,
    /// The condition.
    pub condition: Option<Expr>,
    /// The commands.
    pub commands: Vec<Command>,
    /// The communication and the condition.
    pub span: Span,
}

/// A communication.
#[derive(Clone, Debug)]
pub struct Communication {
    /// The channel.
    pub channel: Name,
    /// The message.
    pub signal: Name,
    /// The direction and the data.
    pub transfer: Transfer,
    /// The whole communication.
    pub span: Span,
}

/// The direction of a communication, with its data.
#[derive(Clone, Debug)]
pub enum Transfer {
    /// Sends a value.
    Send(Option<Expr>),
    /// Receives into a variable.
    Receive(Option<Access>),
}

/// An argument of `TRACE`.
#[derive(Clone, Debug)]
pub enum TraceArgument {
    /// A text.
    Text(String),
    /// A value.
    Value(Expr),
}

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub struct Access {
    /// The variable.
    pub root: Name,
    /// The way to the part.
    pub steps: Vec<AccessStep>,
    /// The whole access.
    pub span: Span,
}

/// A step from a value to a part of it.
#[derive(Clone, Debug)]
pub enum AccessStep {
    /// `.field`.
    Field(Name),
    /// `[index]`.
    Index(Box<Expr>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The expression.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    /// The number of operators on the longest way to a leaf.
    pub height: u32,
    /// It stands in parentheses of its own.
    pub grouped: bool,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(i32),
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// A variable, a part of one, or a constant.
    Access(Access),
    /// `LEN(list)`.
    Len(Box<Expr>),
    /// `HEAD(list)`.
    Head(Box<Expr>),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `=>`, in correctness specifications only.
    Implies(Box<Expr>, Box<Expr>),
    /// A temporal operator, in correctness specifications only.
    Temporal(PathOperator, Box<Expr>),
    /// `A(a U b)` or `E(a U b)`, in correctness specifications only.
    Until(Paths, Box<Expr>, Box<Expr>),
}

/// A path quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    /// All paths.
    All,
    /// Some path.
    Some,
}

/// A temporal operator with its path quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathOperator {
    /// `AG`, `EG`.
    Globally(Paths),
    /// `AF`, `EF`.
    Finally(Paths),
    /// `AX`, `EX`.
    Next(Paths),
}
