//! A plain description of a small system: variables, channels, and processes that are automata.

pub type VarId = usize;
pub type ChanId = usize;
pub type ProcId = usize;
pub type LocId = usize;

/// The language whose rules apply: they differ in what is one step, in what ends a process and in what a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Promela,
    Dve,
    Esml,
}

#[derive(Clone, PartialEq, Debug)]
pub struct System {
    pub language: Language,
    pub vars: Vec<Var>,
    pub chans: Vec<Chan>,
    pub procs: Vec<Proc>,
}

/// What a variable can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 0 to 1; Promela cuts other values to that.
    Bit,
    /// 0 to 255; Promela cuts other values to that, DVE calls storing them a fault.
    Byte,
    /// 0 to this number; storing anything else is a fault.
    Range(i64),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Var {
    pub name: String,
    pub kind: Kind,
    /// An array of so many elements.
    pub array: Option<usize>,
    pub initial: i64,
    /// The process that has it; nobody, if it is global.
    pub owner: Option<ProcId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Chan {
    pub name: String,
    /// How many messages it keeps; 0 is a rendezvous.
    pub capacity: usize,
    /// It is a variable that is initialised with the name of another channel.
    pub alias: Option<ChanId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Proc {
    pub name: String,
    /// Location 0 is the first. Jumping to the location behind the last is the end of the process.
    pub locs: Vec<Loc>,
    pub provided: Option<Expr>,
    pub priority: Option<i64>,
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct Loc {
    pub accept: bool,
    pub progress: bool,
    pub end: bool,
    pub committed: bool,
    pub transitions: Vec<Transition>,
}

/// How the statements of a transition belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Each is a step.
    Plain,
    /// Nobody else moves in between, as long as the next one can be executed.
    Atomic,
    /// One step; choices take the first alternative that can be executed, and blocking is a fault.
    DStep,
    /// One step as DVE has it: a guard, a channel operation, effects, each of them optional.
    Whole,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    pub mode: Mode,
    pub body: Vec<Stmt>,
    pub target: LocId,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Guard(Expr),
    Else,
    Assign(Place, Expr),
    Send(ChanId, Expr),
    Receive(ChanId, Pattern),
    Assert(Expr),
    Choice(Vec<Vec<Stmt>>),
}

/// What a receive does with a message.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    Store(Place),
    Constant(i64),
    /// Takes the message only if it equals this value.
    Eval(Expr),
    Any,
}

/// A variable or an element of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub var: VarId,
    pub index: Option<Expr>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Ne,
    Lt,
    And,
    Or,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Const(i64),
    Var(VarId),
    Elem(VarId, Box<Expr>),
    Not(Box<Expr>),
    Bin(Op, Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// How many messages a channel has.
    Len(ChanId),
    /// A process is at a location.
    At(ProcId, LocId),
}

impl Expr {
    pub fn bin(op: Op, a: Expr, b: Expr) -> Expr {
        Expr::Bin(op, Box::new(a), Box::new(b))
    }

    pub fn negated(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// This and the parts of it.
    pub fn walk(&self, see: &mut dyn FnMut(&Expr)) {
        see(self);
        match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Len(_) | Expr::At(..) => {}
            Expr::Elem(_, a) | Expr::Not(a) => a.walk(see),
            Expr::Bin(_, a, b) => [a, b].iter().for_each(|e| e.walk(see)),
            Expr::Cond(a, b, c) => [a, b, c].iter().for_each(|e| e.walk(see)),
        }
    }
}

impl Stmt {
    /// Every expression of the statement.
    pub fn walk(&self, see: &mut dyn FnMut(&Expr)) {
        let place = |p: &Place, see: &mut dyn FnMut(&Expr)| {
            if let Some(index) = &p.index {
                index.walk(see);
            }
        };
        match self {
            Stmt::Guard(e) | Stmt::Assert(e) | Stmt::Send(_, e) => e.walk(see),
            Stmt::Assign(p, e) => {
                place(p, see);
                e.walk(see);
            }
            Stmt::Receive(_, Pattern::Store(p)) => place(p, see),
            Stmt::Receive(_, Pattern::Eval(e)) => e.walk(see),
            Stmt::Else | Stmt::Receive(..) => {}
            Stmt::Choice(options) => options.iter().flatten().for_each(|s| s.walk(see)),
        }
    }

    /// The statement and those inside it.
    pub fn inner(&self, see: &mut dyn FnMut(&Stmt)) {
        see(self);
        if let Stmt::Choice(options) = self {
            options.iter().flatten().for_each(|s| s.inner(see));
        }
    }
}

impl System {
    /// The channel that a name stands for.
    pub fn channel(&self, chan: ChanId) -> ChanId {
        self.chans[chan].alias.unwrap_or(chan)
    }

    /// Where the values of each variable begin in a state.
    pub fn offsets(&self) -> Vec<usize> {
        let sizes = self.vars.iter().map(|v| v.array.unwrap_or(1));
        sizes.scan(0, |at, size| Some(std::mem::replace(at, *at + size))).collect()
    }

    /// Every statement of every process.
    pub fn statements(&self, see: &mut dyn FnMut(ProcId, &Stmt)) {
        for (p, proc) in self.procs.iter().enumerate() {
            let transitions = proc.locs.iter().flat_map(|l| &l.transitions);
            transitions.flat_map(|t| &t.body).for_each(|s| s.inner(&mut |s| see(p, s)));
        }
    }
}
