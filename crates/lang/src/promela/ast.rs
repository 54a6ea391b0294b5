//! Promela's abstract syntax: what the parser produces, before names and types are resolved.
//!
//! Macros and inlines are already expanded; every node carries the [`Span`] of what the user typed, which for text
//! from a macro or an inline is the place of use (see `crate::source` for the whole expansion chain).

pub use kripke_model::ir::{BinaryOp, ChannelQuery, UnaryOp};

use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub units: Vec<Unit>,
    /// Conditions on states, typed outside the program.
    pub conditions: Vec<Expr>,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a program has few units")]
pub enum Unit {
    Proctype(Proctype),
    /// `mtype [:name] = { a, b }`; several declarations of one kind add up.
    Mtype {
        kind: Option<Name>,
        symbols: Vec<Name>,
    },
    Typedef {
        name: Name,
        fields: Vec<Decl>,
    },
    /// Global variables.
    Decl(Decl),
    /// `never [name] { … }`
    Never {
        name: Option<Name>,
        body: Block,
        span: Span,
    },
    /// `trace { … }`, `notrace { … }`
    Trace {
        negated: bool,
        body: Block,
        span: Span,
    },
    /// `ltl [name] { formula }`: the formula's text as typed (macros unexpanded) and its tokens expanded.
    Ltl {
        name: Option<Name>,
        text: String,
        expanded: String,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Proctype {
    pub kind: ProcKind,
    pub name: Name,
    pub params: Vec<Decl>,
    /// `active` (1) or `active [n]`.
    pub active: Option<Expr>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcKind {
    Proctype,
    /// `D_proctype`
    Deterministic,
    Init,
}

/// One declaration: `[hidden|local|show] type a, b[3] = 1, …`
#[derive(Clone, Debug)]
pub struct Decl {
    pub visibility: Option<Visibility>,
    pub ty: TypeName,
    pub vars: Vec<VarDecl>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    Hidden,
    Local,
    Show,
}

#[derive(Clone, Debug)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// Width is on each variable.
    Unsigned,
    Mtype(Option<Name>),
    Chan,
    /// A typedef.
    User(Name),
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: Name,
    /// `unsigned x : 5`
    pub width: Option<Expr>,
    /// `x[5]`
    pub len: Option<Expr>,
    pub init: Option<Init>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Init {
    Expr(Expr),
    List(Vec<Expr>),
    /// `[capacity] of { types }`
    Channel {
        capacity: Expr,
        fields: Vec<(TypeName, Span)>,
    },
}

/// `{ … }`, the body of an option, of `atomic`, …: a scope of its own.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    /// Labels in front of it, outermost first.
    pub labels: Vec<Name>,
    pub kind: StmtKind,
    pub span: Span,
    /// The statement's text for traces, canonically spaced and with macros expanded: `wantq = true`, `q!a,b`.
    pub text: String,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Decl(Decl),
    /// `xr q1, q2` / `xs q1`
    Exclusive {
        send: bool,
        channels: Vec<VarRef>,
    },
    Expr(Expr),
    Assign(VarRef, Expr),
    Increment(VarRef),
    Decrement(VarRef),
    Send {
        channel: VarRef,
        args: Vec<Expr>,
        sorted: bool,
    },
    Receive {
        channel: VarRef,
        args: Vec<RecvArg>,
        random: bool,
        keep: bool,
    },
    Assert(Expr),
    Printf {
        /// Between the quotes, escapes resolved: `\n` is a line end here.
        format: String,
        args: Vec<Expr>,
    },
    Printm(Expr),
    Goto(Name),
    Break,
    /// `else` as a statement (it must begin an option).
    Else,
    If(Vec<Option_>),
    Do(Vec<Option_>),
    Atomic(Block),
    DStep(Block),
    /// `{ … }`
    Block(Block),
    /// The body of an inline call.
    Inline {
        name: Name,
        body: Block,
    },
    Unless {
        main: Box<Stmt>,
        escape: Box<Stmt>,
    },
    For {
        range: ForRange,
        body: Block,
    },
    /// `select (v : lo .. hi)`. `spread`: SPIN turns it into one `if` with an assignment per value.
    Select {
        var: VarRef,
        low: Expr,
        high: Expr,
        spread: bool,
    },
    SetPriority(Expr, Expr),
    /// Parsed with errors; a diagnostic has been given.
    Error,
}

/// `:: statements`
#[derive(Clone, Debug)]
pub struct Option_ {
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ForRange {
    /// `for (i : a .. b)`
    Between { var: VarRef, low: Expr, high: Expr },
    /// `for (i in a)`: over an array's indices, or, if it is a channel, over its messages.
    In { var: VarRef, over: VarRef },
}

/// `a[i].b[j].c`
#[derive(Clone, Debug)]
pub struct VarRef {
    pub parts: Vec<VarPart>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct VarPart {
    pub name: Name,
    pub index: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum RecvArg {
    /// A variable to store into (or a symbolic constant to match: decided when names are resolved). `_` included.
    Var(VarRef),
    /// `-3`, `5`: a constant to match.
    Const(i32, Span),
    Eval(Expr),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Const(i32),
    /// A variable, a symbolic constant, or a predefined name (`_pid`, `_nr_pr`, `_last`, `np_`, …).
    Var(VarRef),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `( c -> a : b )`
    Cond(Box<[Expr; 3]>),
    /// `len(q)` …
    Channel(ChannelQuery, VarRef),
    /// `q?[…]`, `q??[…]`
    Poll {
        channel: VarRef,
        args: Vec<RecvArg>,
        random: bool,
    },
    Run {
        process: Name,
        args: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    Timeout,
    NonProgress,
    Stdin,
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    /// `P[i]@label`, `P@label`
    RemoteLabel {
        process: Name,
        pid: Option<Box<Expr>>,
        label: Name,
    },
    /// `P[i]:var`
    RemoteVar {
        process: Name,
        pid: Option<Box<Expr>>,
        var: VarRef,
    },
    Error,
}
