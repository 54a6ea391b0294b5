//! Interval analysis: the values that variables and message fields can have.
//!
//! A flow-insensitive fixpoint over all assignments. An interval that still grows after some iterations is widened to
//! all values of its type or range.

use kripke_model::State;
use kripke_model::ir::{
    BinaryOp, ChannelQuery, Edge, Effect, Expr, Init, Model, Pattern, Place, Process, Sync, Type, UnaryOp, Var, VarRef,
};
use kripke_model::layout::{Layout, MAX_ALIVE, Shape, Slot};

/// The number of iterations before widening.
const WIDENING_DELAY: usize = 8;

/// The values from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub low: i64,
    pub high: i64,
}

const WORD: Interval = Interval { low: i32::MIN as i64, high: i32::MAX as i64 };
const BIT: Interval = Interval { low: 0, high: 1 };

impl Interval {
    pub const fn one(value: i32) -> Interval {
        Interval { low: value as i64, high: value as i64 }
    }

    /// The numbers from 0 to `count - 1`.
    pub fn below(count: usize) -> Interval {
        Interval { low: 0, high: count.max(1) as i64 - 1 }
    }

    pub fn count(self) -> u64 {
        (self.high - self.low + 1) as u64
    }

    fn of(ty: Type) -> Interval {
        match (ty.bits, ty.signed) {
            (bits @ 0..=31, false) => Interval { low: 0, high: (1 << bits) - 1 },
            (bits @ 1..=31, true) => Interval { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 },
            _ => WORD,
        }
    }

    fn contains(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn meet(self, other: Interval) -> Option<Interval> {
        let both = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// The interval after a store into a variable of this type.
    fn wrapped(self, ty: Type) -> Interval {
        let all = Interval::of(ty);
        if all.contains(self) { self } else { all }
    }

    /// The interval as the result of an operation: a value outside of 32 bits wraps around to any value.
    fn word(self) -> Interval {
        if WORD.contains(self) { self } else { WORD }
    }
}

/// The range of one variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct VarRange {
    /// None if no process has the variable.
    values: Option<Interval>,
    pub written: bool,
}

/// The ranges of all variables.
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    pub globals: Vec<VarRange>,
    /// By process type.
    pub locals: Vec<Vec<VarRange>>,
    /// Message fields by number, over all channels.
    fields: Vec<Option<Interval>>,
    /// Some edge creates or removes processes.
    pub dynamic: bool,
    /// Some edge sets a priority.
    pub reprioritises: bool,
}

impl VarRange {
    const NOTHING: VarRange = VarRange { values: None, written: false };

    pub fn values(&self) -> Interval {
        self.values.unwrap_or(Interval::one(0))
    }
}

impl Ranges {
    pub fn new(model: &Model, layout: &Layout, initial: &State) -> Ranges {
        let fields = model.channels.iter().map(|c| c.fields.len()).max().unwrap_or(0);
        let ranges = Ranges {
            globals: vec![VarRange::NOTHING; model.globals.len()],
            locals: model.processes.iter().map(|p| vec![VarRange::NOTHING; p.locals.len()]).collect(),
            fields: vec![None; fields],
            dynamic: false,
            reprioritises: false,
        };
        let mut analysis = IntervalAnalysis { model, ranges, changed: true, widening: false };
        analysis.add_initial(layout, initial);
        for round in 0.. {
            if !analysis.changed {
                break;
            }
            (analysis.changed, analysis.widening) = (false, round >= WIDENING_DELAY);
            let types = model.processes.iter().chain(model.observer.iter().map(|o| &o.automaton));
            types.enumerate().for_each(|(i, process)| process.edges.iter().for_each(|edge| analysis.edge(i, edge)));
        }
        analysis.ranges
    }

    /// The values of a message field in a buffer; unused slots are 0.
    pub fn field(&self, number: usize, ty: Type) -> Interval {
        self.fields[number].map_or(Interval::one(0), |sent| sent.wrapped(ty).join(Interval::one(0)))
    }
}

struct IntervalAnalysis<'m> {
    model: &'m Model,
    ranges: Ranges,
    changed: bool,
    widening: bool,
}

impl IntervalAnalysis<'_> {
    /// Adds the values in the initial state.
    fn add_initial(&mut self, layout: &Layout, initial: &State) {
        let elements = |slot: &Slot, base| {
            let values = slot.elements(initial, base).into_iter().map(Interval::one);
            values.reduce(Interval::join)
        };
        for (range, slot) in self.ranges.globals.iter_mut().zip(&layout.globals) {
            range.values = elements(slot, 0);
        }
        let mut shape = Shape::default();
        layout.shape(initial, &mut shape);
        for at in &shape.processes {
            let locals = self.ranges.locals[at.process as usize].iter_mut();
            for (range, slot) in locals.zip(&layout.frames[at.process as usize].locals) {
                let here = elements(slot, at.offset as usize);
                range.values = range.values.into_iter().chain(here).reduce(Interval::join);
            }
        }
    }

    fn edge(&mut self, process: usize, edge: &Edge) {
        match &edge.sync {
            Some(Sync::Send { args, .. }) => {
                for i in 0..self.ranges.fields.len() {
                    let sent = args.get(i).map_or(Interval::one(0), |e| self.value(process, e));
                    self.send(i, sent);
                }
            }
            Some(Sync::Receive { args, .. }) => {
                for (i, arg) in args.iter().enumerate() {
                    if let Pattern::Store(place) = arg {
                        self.receive(process, i, place);
                    }
                }
            }
            None => {}
        }
        edge.effects.iter().for_each(|effect| self.effect(process, effect));
    }

    fn send(&mut self, number: usize, sent: Interval) {
        let range = self.ranges.fields[number];
        let all = range.map_or(sent, |range| range.join(sent));
        if range != Some(all) {
            self.changed = true;
            self.ranges.fields[number] = Some(if self.widening { WORD } else { all });
        }
    }

    fn receive(&mut self, process: usize, number: usize, place: &Place) {
        self.mark_written(process, place);
        let model = self.model;
        for ty in model.channels.iter().filter_map(|c| c.fields.get(number)) {
            if let Some(sent) = self.ranges.fields[number] {
                self.store(process, place.var, sent.wrapped(*ty));
            }
        }
    }

    fn effect(&mut self, process: usize, effect: &Effect) {
        match effect {
            Effect::Assign(place, e) => {
                let value = self.value(process, e);
                self.mark_written(process, place);
                self.store(process, place.var, value);
            }
            Effect::Run { process: child, args, result, .. } => {
                self.ranges.dynamic = true;
                self.create(process, child.index(), args);
                if let Some(place) = result {
                    self.mark_written(process, place);
                    self.store(process, place.var, Interval::below(MAX_ALIVE));
                }
            }
            Effect::Remove => self.ranges.dynamic = true,
            Effect::SetPriority { .. } => self.ranges.reprioritises = true,
            Effect::Assert(_) | Effect::Require { .. } | Effect::Print(_) => {}
        }
    }

    fn create(&mut self, parent: usize, child: usize, args: &[Expr]) {
        let process: &Process = &self.model.processes[child];
        for (i, var) in process.locals.iter().enumerate() {
            let add = |analysis: &mut Self, value: Interval| {
                analysis.join(Some(child), i, value.wrapped(var.ty), Interval::of(var.ty));
            };
            if i < process.params {
                let arg = args.get(i).map_or(Interval::one(0), |e| self.value(parent, e));
                add(self, arg);
            }
            match &var.init {
                Init::Zero => add(self, Interval::one(0)),
                Init::Param => {
                    if var.len() > 1 {
                        add(self, Interval::one(0));
                    }
                }
                Init::All(e) => add(self, initially(e)),
                Init::List(list) => {
                    add(self, Interval::one(0));
                    list.iter().for_each(|e| add(self, initially(e)));
                }
                Init::Channels(_) => add(self, Interval { low: 1, high: MAX_ALIVE as i64 }),
            }
        }
    }

    fn mark_written(&mut self, process: usize, place: &Place) {
        let range = match place.var {
            VarRef::Global(id) => &mut self.ranges.globals[id.index()],
            VarRef::Local(id) => &mut self.ranges.locals[process][id.index()],
        };
        self.changed |= !range.written;
        range.written = true;
    }

    /// Adds an assigned value. Values outside of the range are faults; the type truncates the others.
    fn store(&mut self, process: usize, target: VarRef, value: Interval) {
        let (owner, index, var): (_, _, &Var) = match target {
            VarRef::Global(id) => (None, id.index(), &self.model.globals[id.index()]),
            VarRef::Local(id) => (Some(process), id.index(), &self.model.processes[process].locals[id.index()]),
        };
        let all = Interval::of(var.ty);
        let range = var.range.map_or(WORD, |(low, high)| Interval { low: low.into(), high: high.into() });
        let Some(value) = value.meet(range) else { return };
        let most = if all.contains(range) { range } else { all };
        self.join(owner, index, value.wrapped(var.ty), most);
    }

    fn join(&mut self, owner: Option<usize>, index: usize, value: Interval, most: Interval) {
        let range = match owner {
            None => &mut self.ranges.globals[index],
            Some(process) => &mut self.ranges.locals[process][index],
        };
        let joined = range.values.map_or(value, |old| old.join(value));
        if range.values != Some(joined) {
            self.changed = true;
            range.values = Some(if self.widening { joined.join(most) } else { joined });
        }
    }

    /// The values of an expression. (Variables that no process has are not read.)
    fn value(&self, process: usize, e: &Expr) -> Interval {
        match e {
            Expr::Const(value) => Interval::one(*value),
            Expr::Load(place) => match place.var {
                VarRef::Global(id) => self.ranges.globals[id.index()].values(),
                VarRef::Local(id) => self.ranges.locals[process][id.index()].values(),
            },
            Expr::Unary(UnaryOp::Not, _)
            | Expr::Poll { .. }
            | Expr::At { .. }
            | Expr::ObserverAt(_)
            | Expr::Fault(_) => BIT,
            Expr::Unary(UnaryOp::Neg, e) => {
                let Interval { low, high } = self.value(process, e);
                Interval { low: -high, high: -low }.word()
            }
            Expr::Binary(op, a, b) => binary(*op, self.value(process, a), self.value(process, b)),
            Expr::Cond(parts) => self.value(process, &parts[1]).join(self.value(process, &parts[2])),
            Expr::Channel(ChannelQuery::Len, _) => Interval::below(MAX_ALIVE + 1),
            Expr::Channel(..) | Expr::Timeout | Expr::NonProgress => BIT,
            Expr::Unary(UnaryOp::Complement, _)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Enabled(_)
            | Expr::Location(_)
            | Expr::Priority(_)
            | Expr::Remote { .. }
            | Expr::Input => WORD,
        }
    }
}

/// The values of an initialiser, which may read variables that are not initialised yet.
fn initially(e: &Expr) -> Interval {
    if let Expr::Const(value) = e { Interval::one(*value) } else { WORD }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinaryOp::Add => Interval { low: a.low + b.low, high: a.high + b.high }.word(),
        BinaryOp::Sub => Interval { low: a.low - b.high, high: a.high - b.low }.word(),
        BinaryOp::Mul => {
            let products = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
            products.into_iter().map(|p| Interval { low: p, high: p }).reduce(Interval::join).unwrap_or(WORD).word()
        }
        BinaryOp::Div if a.low >= 0 && b.low >= 0 => Interval { low: 0, high: a.high },
        BinaryOp::Rem if a.low >= 0 && b.low >= 0 => Interval { low: 0, high: a.high.min((b.high - 1).max(0)) },
        BinaryOp::BitAnd if a.low >= 0 && b.low >= 0 => Interval { low: 0, high: a.high.min(b.high) },
        BinaryOp::Shr if a.low >= 0 => Interval { low: 0, high: a.high },
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => BIT,
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => WORD,
    }
}
