//! The syntax tree. Names are not resolved, types not known.

use crate::source::Span;
pub use kripke_model::ir::{BinaryOp, UnaryOp};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Model {
    pub name: Name,
    pub declarations: Vec<Declaration>,
    pub processes: Vec<Process>,
    pub activations: Vec<Activation>,
    pub assertion: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Process {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub declarations: Vec<Declaration>,
    pub commands: Vec<Command>,
}

/// One or more parameters of the same mode and type.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub mode: Mode,
    pub variables: Variables,
}

/// How a process may use a channel it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Receive,
    Send,
    Both,
}

#[derive(Clone, Debug)]
pub struct Variables {
    pub names: Vec<Name>,
    /// `BOOLEAN` or the name of a type.
    pub ty: Name,
}

#[derive(Clone, Debug)]
pub enum Declaration {
    Constant { name: Name, value: Expr },
    Type { name: Name, definition: TypeDefinition, span: Span },
    Variables(Variables),
}

#[derive(Clone, Debug)]
pub enum TypeDefinition {
    Subrange(Expr, Expr),
    Enumeration(Vec<Name>),
    Array(Expr, Name),
    List(Expr, Name),
    Tuple(Vec<Variables>),
    Alphabet(Vec<Signal>),
}

/// A message of an alphabet.
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: Name,
    pub data: Option<Name>,
}

#[derive(Clone, Debug)]
pub struct Activation {
    pub process: Name,
    pub arguments: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum CommandKind {
    Skip,
    Assign(Access, Expr),
    Communicate(Communication),
    If(Vec<Branch>),
    Do(Vec<Branch>),
    Poll(Vec<PollBranch>),
    Trace(Vec<TraceArgument>),
    Empty(Access),
    Remove(Access),
    Append(Access, Expr),
    Prepend(Access, Expr),
}

#[derive(Clone, Debug)]
pub struct Branch {
    pub guard: Expr,
    pub commands: Vec<Command>,
}

#[derive(Clone, Debug)]
pub struct PollBranch {
    pub communication: Communication,
    pub condition: Option<Expr>,
    pub commands: Vec<Command>,
    /// The communication and the condition.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Communication {
    pub channel: Name,
    pub signal: Name,
    pub transfer: Transfer,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Transfer {
    Send(Option<Expr>),
    Receive(Option<Access>),
}

#[derive(Clone, Debug)]
pub enum TraceArgument {
    Text(String),
    Value(Expr),
}

/// A variable or a part of one.
#[derive(Clone, Debug)]
pub struct Access {
    pub root: Name,
    pub steps: Vec<AccessStep>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum AccessStep {
    Field(Name),
    Index(Box<Expr>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// The number of operators on the longest way to a leaf.
    pub height: u32,
    /// It stands in parentheses of its own.
    pub grouped: bool,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Bool(bool),
    Access(Access),
    Len(Box<Expr>),
    Head(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The rest occurs in correctness specifications only.
    Implies(Box<Expr>, Box<Expr>),
    Temporal(PathOperator, Box<Expr>),
    Until(Paths, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    All,
    Some,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathOperator {
    Globally(Paths),
    Finally(Paths),
    Next(Paths),
}
