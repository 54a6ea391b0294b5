//! The syntax tree of DVE. Names are not resolved.

use std::rc::Rc;

use kripke_model::ir::{BinaryOp, UnaryOp};

use crate::source::Span;

/// A name.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: Rc<str>,
    /// Its place.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Global variables and constants.
    pub variables: Vec<Variable>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Processes.
    pub processes: Vec<Process>,
    /// The kind of the system. None if the `system` line is missing.
    pub kind: Option<Kind>,
    /// The process that is a property.
    pub property: Option<Name>,
}

/// The kind of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Processes interleave.
    Async,
    /// All processes move at once.
    Sync,
}

/// A basic type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basic {
    /// `byte`: 0 to 255.
    Byte,
    /// `int`: -32768 to 32767.
    Int,
}

/// A variable or a constant.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name.
    pub name: Name,
    /// The type, or the type of the elements.
    pub basic: Basic,
    /// Whether it is a constant.
    pub constant: bool,
    /// The number of elements of an array.
    pub size: Option<Expr>,
    /// The initial value.
    pub init: Option<Initialiser>,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Initialiser {
    /// One value.
    One(Expr),
    /// The values of an array.
    List(Vec<Expr>, Span),
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The name.
    pub name: Name,
    /// The messages; none for an untyped channel.
    pub typed: Option<Typed>,
}

/// The messages of a typed channel.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The types of the fields.
    pub fields: Vec<Basic>,
    /// The number of messages in the buffer.
    pub capacity: Expr,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// The name.
    pub name: Name,
    /// The whole process.
    pub span: Span,
    /// Local variables and constants.
    pub variables: Vec<Variable>,
    /// The states.
    pub states: Vec<Name>,
    /// The initial state.
    pub init: Option<Name>,
    /// Accepting states.
    pub accept: Vec<Name>,
    /// Committed states.
    pub commit: Vec<Name>,
    /// Assertions, each with its state.
    pub asserts: Vec<(Name, Expr)>,
    /// Transitions.
    pub transitions: Vec<Transition>,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state that it leaves.
    pub from: Name,
    /// The state that it enters.
    pub to: Name,
    /// The guard.
    pub guard: Option<Expr>,
    /// The communication.
    pub sync: Option<Sync>,
    /// The assignments, in order.
    pub effects: Vec<Assignment>,
    /// The whole transition.
    pub span: Span,
}

/// The communication of a transition.
#[derive(Clone, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Name,
    /// Whether it sends.
    pub sends: bool,
    /// The values sent, or the places received into.
    pub values: Vec<Expr>,
    /// The whole communication.
    pub span: Span,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable or element.
    pub target: Expr,
    /// The value.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The expression.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    /// The height of the tree. It is bounded, so that recursion over the tree is safe.
    pub height: u32,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(i32),
    /// A variable or a constant.
    Name(Name),
    /// `a[i]`
    Element(Name, Box<Expr>),
    /// `P.s`
    At(Name, Name),
    /// `P->x`, `P->a[i]`
    Remote(Name, Name, Option<Box<Expr>>),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a imply b`.
    Imply(Box<Expr>, Box<Expr>),
    /// `(a)`.
    Group(Box<Expr>),
}
