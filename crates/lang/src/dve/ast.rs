//! The syntax tree of DVE. Names are not resolved.

use std::rc::Rc;

use kripke_model::ir::{BinaryOp, UnaryOp};

use crate::source::Span;

/// A name as it was typed.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub processes: Vec<Process>,
    /// How processes run; none if the `system` line is missing.
    pub kind: Option<Kind>,
    /// The process that is a property.
    pub property: Option<Name>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Async,
    Sync,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basic {
    Byte,
    Int,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    pub basic: Basic,
    pub constant: bool,
    /// The number of elements of an array.
    pub size: Option<Expr>,
    pub init: Option<Initialiser>,
}

#[derive(Clone, Debug)]
pub enum Initialiser {
    One(Expr),
    List(Vec<Expr>, Span),
}

#[derive(Clone, Debug)]
pub struct Channel {
    pub name: Name,
    /// None for an untyped channel.
    pub typed: Option<Typed>,
}

#[derive(Clone, Debug)]
pub struct Typed {
    pub fields: Vec<Basic>,
    pub capacity: Expr,
}

#[derive(Clone, Debug)]
pub struct Process {
    pub name: Name,
    pub variables: Vec<Variable>,
    pub states: Vec<Name>,
    pub init: Option<Name>,
    pub accept: Vec<Name>,
    pub commit: Vec<Name>,
    pub asserts: Vec<(Name, Expr)>,
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub from: Name,
    pub to: Name,
    pub guard: Option<Expr>,
    pub sync: Option<Sync>,
    pub effects: Vec<Assignment>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Sync {
    pub channel: Name,
    pub sends: bool,
    pub values: Vec<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Assignment {
    pub target: Expr,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// How tall the tree is: bounded, so that walks over it may recurse.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Name(Name),
    /// `a[i]`
    Element(Name, Box<Expr>),
    /// `P.s`
    At(Name, Name),
    /// `P->x`, `P->a[i]`
    Remote(Name, Name, Option<Box<Expr>>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Imply(Box<Expr>, Box<Expr>),
    Group(Box<Expr>),
}
