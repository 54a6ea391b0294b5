//! The syntax tree of Promela. Names and types are not resolved.
//!
//! Macros and inlines are expanded. Every node has the [`Span`] of the user's text; for text from a macro or an inline that is the
//! place of use ([`Sources::expansions`](crate::source::Sources::expansions) has the expansions).

pub use kripke_model::ir::{BinaryOp, ChannelQuery, Inside, UnaryOp};

use super::token::Token;
use crate::source::Span;

/// A name.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
    /// The place at which it is written, which may be the body of a macro or an inline.
    pub origin: Span,
}

impl Name {
    pub(super) fn of(token: &Token) -> Name {
        Name { text: token.text.to_string(), span: token.span, origin: token.origin }
    }
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Declarations, in the order of the text; formulas come last.
    pub units: Vec<Unit>,
}

/// A unit of a program.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a program has few units")]
pub enum Unit {
    /// A process type or `init`.
    Proctype(Proctype),
    /// `mtype [:name] = { a, b }`; several declarations of one kind add up.
    Mtype {
        /// The kind of the `mtype`.
        kind: Option<Name>,
        /// The names.
        symbols: Vec<Name>,
    },
    /// `typedef name { fields }`.
    Typedef {
        /// The name.
        name: Name,
        /// The fields.
        fields: Vec<Decl>,
    },
    /// Global variables.
    Decl(Decl),
    /// `never [name] { … }`
    Never {
        /// The name.
        name: Option<Name>,
        /// The body.
        body: Block,
        /// The place.
        span: Span,
        /// The closing brace.
        end: Span,
    },
    /// `trace { … }`, `notrace { … }`
    Trace {
        /// Whether it is a `notrace`.
        negated: bool,
        /// The body.
        body: Block,
        /// The place.
        span: Span,
        /// The closing brace.
        end: Span,
    },
    /// `ltl [name] { formula }`.
    Ltl {
        /// The name.
        name: Option<Name>,
        /// The text as typed.
        text: String,
        /// The text with macros expanded.
        expanded: String,
        /// The operands. Temporal operators are conjunctions and negations in it: only the names matter.
        operands: Expr,
        /// The place.
        span: Span,
    },
}

/// A process type or `init`.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// The kind.
    pub kind: ProcKind,
    /// The name; `init` for the initial process.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Decl>,
    /// `active` (1) or `active [n]`.
    pub active: Option<Expr>,
    /// `priority n`.
    pub priority: Option<Expr>,
    /// `provided (condition)`.
    pub provided: Option<Expr>,
    /// The body.
    pub body: Block,
    /// The whole declaration.
    pub span: Span,
}

/// The kind of a process type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcKind {
    /// `proctype`.
    Proctype,
    /// `D_proctype`
    Deterministic,
    /// `init`.
    Init,
}

/// One declaration: `[hidden|local|show] type a, b[3] = 1, …`
#[derive(Clone, Debug)]
pub struct Decl {
    /// The visibility.
    pub visibility: Option<Visibility>,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub vars: Vec<VarDecl>,
    /// The whole declaration.
    pub span: Span,
}

/// The visibility of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// `hidden`.
    Hidden,
    /// `local`.
    Local,
    /// `show`.
    Show,
}

/// The name of a type.
#[derive(Clone, Debug)]
pub enum TypeName {
    /// `bit`.
    Bit,
    /// `bool`.
    Bool,
    /// `byte`.
    Byte,
    /// `pid`.
    Pid,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned`; each variable has its own width.
    Unsigned,
    /// `mtype` or `mtype:name`.
    Mtype(Option<Name>),
    /// `chan`.
    Chan,
    /// A typedef.
    User(Name),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The name.
    pub name: Name,
    /// `unsigned x : 5`
    pub width: Option<Expr>,
    /// `x[5]`
    pub len: Option<Expr>,
    /// The initial value.
    pub init: Option<Init>,
    /// The whole declaration of this variable.
    pub span: Span,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Init {
    /// One value.
    Expr(Expr),
    /// The values of an array.
    List(Vec<Expr>),
    /// `[capacity] of { types }`
    Channel {
        /// The number of messages in the buffer.
        capacity: Expr,
        /// The fields.
        fields: Vec<(TypeName, Span)>,
    },
}

/// `{ … }`, the body of an option, of `atomic`, …: a scope of its own.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Labels in front of it, outermost first.
    pub labels: Vec<Name>,
    /// The statement.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
    /// Its first and its last token in the body of an inline, if it comes from one.
    pub within: Option<(Span, Span)>,
    /// Its place inside an inline.
    pub inside: Option<Inside>,
    /// The statement's text for traces, canonically spaced and with macros expanded: `wantq = true`, `q!a,b`.
    pub text: String,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration.
    Decl(Decl),
    /// `xr q1, q2` / `xs q1`
    Exclusive {
        /// Whether it is `xs`.
        send: bool,
        /// The channels.
        channels: Vec<VarRef>,
    },
    /// An expression as a statement.
    Expr(Expr),
    /// `x = e`.
    Assign(VarRef, Expr),
    /// `x++`.
    Increment(VarRef),
    /// `x--`.
    Decrement(VarRef),
    /// `q!args`, `q!!args`.
    Send {
        /// The channel.
        channel: VarRef,
        /// The arguments.
        args: Vec<Expr>,
        /// Whether it is `!!`.
        sorted: bool,
    },
    /// `q?args`, `q??args`, `q?<args>`.
    Receive {
        /// The channel.
        channel: VarRef,
        /// The arguments.
        args: Vec<RecvArg>,
        /// Whether it is `??`.
        random: bool,
        /// Whether the message stays in the channel.
        keep: bool,
    },
    /// `assert(e)`.
    Assert(Expr),
    /// `printf(format, args)`.
    Printf {
        /// Between the quotes, escapes resolved: `\n` is a line end here.
        format: String,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `printm(e)`.
    Printm(Expr),
    /// `goto label`.
    Goto(Name),
    /// `break`.
    Break,
    /// `else` as a statement (it must begin an option).
    Else,
    /// `if … fi`.
    If(Vec<Option_>),
    /// `do … od`.
    Do(Vec<Option_>),
    /// `atomic { … }`.
    Atomic(Block),
    /// `d_step { … }`.
    DStep(Block),
    /// `{ … }`
    Block(Block),
    /// The body of an inline call.
    Inline {
        /// The name.
        name: Name,
        /// The body.
        body: Block,
    },
    /// `main unless escape`.
    Unless {
        /// The main sequence.
        main: Box<Stmt>,
        /// The escape.
        escape: Box<Stmt>,
    },
    /// `for (range) { … }`.
    For {
        /// The range.
        range: ForRange,
        /// The body.
        body: Block,
    },
    /// `select (v : lo .. hi)`.
    Select {
        /// The variable.
        var: VarRef,
        /// The lower bound.
        low: Expr,
        /// The upper bound.
        high: Expr,
        /// Whether it becomes one `if` with an assignment per value, as in SPIN.
        spread: bool,
    },
    /// `set_priority(process, priority)`.
    SetPriority(Expr, Expr),
    /// Parsed with errors; a diagnostic has been given.
    Error,
}

/// `:: statements`
#[derive(Clone, Debug)]
pub struct Option_ {
    /// The statements.
    pub body: Block,
    /// The whole option.
    pub span: Span,
}

/// The range of a `for`.
#[derive(Clone, Debug)]
pub enum ForRange {
    /// `for (i : a .. b)`
    Between {
        /// The variable.
        var: VarRef,
        /// The lower bound.
        low: Expr,
        /// The upper bound.
        high: Expr,
    },
    /// `for (i in a)`: over an array's indices, or, if it is a channel, over its messages.
    In {
        /// The variable.
        var: VarRef,
        /// The array or channel.
        over: VarRef,
    },
}

/// `a[i].b[j].c`
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The names, each with its index.
    pub parts: Vec<VarPart>,
    /// The whole reference.
    pub span: Span,
    /// It is an argument of an inline.
    pub argument: bool,
}

/// A part of a reference: `name[index]`.
#[derive(Clone, Debug)]
pub struct VarPart {
    /// The name.
    pub name: Name,
    /// The index.
    pub index: Option<Expr>,
}

/// An argument of a receive.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// A variable to store into (or a symbolic constant to match: decided when names are resolved). `_` included.
    Var(VarRef),
    /// `-3`, `5`: a constant to match.
    Const(i32, Span),
    /// `eval(e)`: a value to match.
    Eval(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The expression.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Const(i32),
    /// A variable, a symbolic constant, or a predefined name (`_pid`, `_nr_pr`, `_last`, `np_`, …).
    Var(VarRef),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `( c -> a : b )`
    Cond(Box<[Expr; 3]>),
    /// `len(q)` …
    Channel(ChannelQuery, VarRef),
    /// `q?[…]`, `q??[…]`
    Poll {
        /// The channel.
        channel: VarRef,
        /// The arguments.
        args: Vec<RecvArg>,
        /// Whether it is `??`.
        random: bool,
    },
    /// `run P(args)`.
    Run {
        /// The process type.
        process: Name,
        /// The arguments.
        args: Vec<Expr>,
        /// The priority.
        priority: Option<Box<Expr>>,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `STDIN`.
    Stdin,
    /// `enabled(pid)`.
    Enabled(Box<Expr>),
    /// `pc_value(pid)`.
    PcValue(Box<Expr>),
    /// `get_priority(pid)`.
    GetPriority(Box<Expr>),
    /// `P[i]@label`, `P@label`
    RemoteLabel {
        /// The process type.
        process: Name,
        /// The process.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Name,
    },
    /// `P[i]:var`
    RemoteVar {
        /// The process type.
        process: Name,
        /// The process.
        pid: Option<Box<Expr>>,
        /// The variable.
        var: VarRef,
    },
    /// Parsed with errors; a diagnostic has been given.
    Error,
}
