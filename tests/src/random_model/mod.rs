//! Random models, for the comparison of engines with the reference interpreter.
//!
//! [`random_model`] makes a small model from a seed, reproducibly. Together the models use every construct of the IR.
//! Most models are careful. The others have indices out of range, divisions by zero, uninitialised channels and
//! sequences without end.

mod edges;
mod expressions;
mod observer;

use kripke_model::ir::{
    Channel, ChannelId, Edge, EdgeId, Enum, Expr, FileId, Guard, Init, LocId, Location, Pattern, Place, Process,
    ProcessId, Scheduling, Shows, SourceFile, Span, Start, Sync, Then, Trace, Type, Var, VarId, VarRef,
};
use kripke_model::{Model, Random};

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 1 };

/// The model of a seed.
pub fn random_model(seed: u64) -> Model {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    let (careful, dynamic, fields) = (random.percent(85), random.percent(35), 1 + random.below(3));
    let plain = random.percent(25);
    let dynamic = dynamic && !plain;
    let mut maker = Maker { random, model: empty(seed), careful, dynamic, plain, fields, asking: false, here: None };
    maker.make();
    maker.model
}

fn empty(seed: u64) -> Model {
    Model {
        name: format!("random {seed}"),
        language: "none".to_string(),
        files: vec![SourceFile { name: "random".to_string(), text: " ".to_string(), asked: false }],
        enums: vec![Enum { name: "symbols".to_string(), symbols: vec![("one".to_string(), 1)] }],
        globals: Vec::new(),
        channels: Vec::new(),
        processes: Vec::new(),
        start: Vec::new(),
        scheduling: Scheduling::Interleaved,
        trace: None,
        observer: None,
        goal: None,
        uses_last: false,
        uses_priorities: false,
        uses_timeout: false,
        properties: Vec::new(),
    }
}

struct Maker {
    random: Random,
    model: Model,
    /// Whether faults are avoided, with few exceptions.
    careful: bool,
    /// Whether processes may be created.
    dynamic: bool,
    /// Whether there are no sequences and no priorities, so that committed locations and conditions on messages can
    /// be used.
    plain: bool,
    /// The number of fields of messages in a careful model, which is the same for all channels.
    fields: usize,
    /// Whether expressions may read `enabled`. Guards must not, since `enabled` evaluates them.
    asking: bool,
    /// The process type under construction, if its locals may be used.
    here: Option<usize>,
}

impl Maker {
    fn make(&mut self) {
        self.model.uses_last = self.random.percent(15);
        self.model.uses_priorities = !self.plain && self.random.percent(8);
        self.model.uses_timeout = self.random.percent(25);
        self.channels();
        for i in 0..1 + self.random.below(4) {
            let var = self.var(&format!("g{i}"), true);
            self.model.globals.push(var);
        }
        self.channel_vars();
        let types = 1 + self.random.below(3);
        for i in 0..types {
            let process = self.process(i);
            self.model.processes.push(process);
        }
        for i in 0..types {
            self.here = Some(i);
            self.body(i);
        }
        self.here = None;
        self.starts();
        if self.random.percent(5) {
            self.trace();
        }
        if self.random.percent(15) {
            self.goal();
        }
        if self.random.percent(20) {
            self.observer();
        }
    }

    fn channels(&mut self) {
        for i in 0..self.random.below(4) {
            let fields = if self.careful { self.fields } else { 1 + self.random.below(3) };
            let fields = (0..fields).map(|_| self.ty()).collect();
            let capacity = *self.random.pick(&[0, 0, 1, 1, 2, 3]);
            self.model.channels.push(Channel { name: format!("c{i}"), capacity, fields, span: NOWHERE });
        }
    }

    fn ty(&mut self) -> Type {
        let bits = *self.random.pick(&[1, 1, 2, 3, 5, 8, 8, 8, 12, 16, 20, 32]);
        Type::number(bits, bits > 1 && self.random.percent(40))
    }

    fn var(&mut self, name: &str, global: bool) -> Var {
        let dims = match self.random.below(10) {
            0..=6 => vec![],
            7 | 8 => vec![1 + self.random.below(4) as u32],
            _ => vec![2, 1 + self.random.below(3) as u32],
        };
        let init = match self.random.below(4) {
            0 => Init::All(Expr::Const(self.random.below(5) as i32)),
            1 => Init::List((0..1 + self.random.below(2)).map(|i| Expr::Const(i as i32 + 1)).collect()),
            2 if !self.model.globals.is_empty() => {
                let var = VarId(self.random.below(self.model.globals.len()) as u32);
                let zero = self.model.globals[var.index()].dims.iter().map(|_| Expr::Const(0)).collect();
                Init::All(Expr::Load(Place { var: VarRef::Global(var), index: zero }))
            }
            _ => Init::Zero,
        };
        let hidden = global && self.random.percent(4);
        let range = self.random.percent(6).then_some(if self.careful { (-40_000, 70_000) } else { (0, 6) });
        Var { name: name.to_string(), ty: self.ty(), dims, init, range, hidden, span: NOWHERE }
    }

    fn channel_var(&mut self, name: String) -> Var {
        let id = ChannelId(self.random.below(self.model.channels.len()) as u32);
        let dims = if self.random.percent(30) { vec![2] } else { vec![] };
        let ty = Type { bits: 8, signed: false, shows: Shows::Channel };
        Var { name, ty, dims, init: Init::Channels(id), range: None, hidden: false, span: NOWHERE }
    }

    fn channel_vars(&mut self) {
        if self.model.channels.is_empty() {
            return;
        }
        for i in 0..1 + self.random.below(3) {
            let var = self.channel_var(format!("q{i}"));
            self.model.globals.push(var);
        }
        if self.random.percent(30) {
            // A variable that names a channel of another one.
            let first = self.model.globals.iter().position(|v| matches!(v.init, Init::Channels(_))).unwrap_or(0);
            let other = Place {
                var: VarRef::Global(VarId(first as u32)),
                index: self.model.globals[first].dims.iter().map(|_| Expr::Const(0)).collect(),
            };
            let mut var = self.channel_var("r".to_string());
            (var.init, var.dims) = (Init::All(Expr::Load(other)), vec![]);
            self.model.globals.push(var);
        }
    }

    fn process(&mut self, i: usize) -> Process {
        let params = self.random.below(3);
        let mut locals = Vec::new();
        for k in 0..params {
            let mut var = self.var(&format!("p{k}"), false);
            (var.init, var.dims) = (Init::Param, vec![]);
            if self.random.percent(40) {
                var.ty = Type { bits: 8, signed: false, shows: Shows::Channel };
            }
            locals.push(var);
        }
        for k in 0..self.random.below(3) {
            locals.push(self.var(&format!("l{k}"), false));
        }
        if !self.model.channels.is_empty() && self.random.percent(20) {
            let var = self.channel_var("own".to_string());
            locals.push(var);
        }
        Process {
            name: format!("P{i}"),
            params,
            locals,
            locations: Vec::new(),
            edges: Vec::new(),
            entry: LocId(0),
            provided: None,
            priority: 1 + self.random.below(3) as i32,
            claims: Vec::new(),
            span: NOWHERE,
        }
    }

    fn starts(&mut self) {
        for i in 0..1 + self.random.below(3) {
            let process = if i == 0 { 0 } else { self.random.below(self.model.processes.len()) };
            let params: Vec<Type> = {
                let process = &self.model.processes[process];
                process.locals[..process.params].iter().map(|v| v.ty).collect()
            };
            let args = params
                .into_iter()
                .map(|ty| match ty.shows {
                    Shows::Channel => match self.channel(true) {
                        Some(Expr::Load(place)) => Expr::Load(self.constant_place(place.var)),
                        _ => Expr::Const(0),
                    },
                    _ => Expr::Const(self.random.below(3) as i32),
                })
                .collect();
            let priority = self.model.processes[process].priority;
            self.model.start.push(Start { process: ProcessId(process as u32), args, priority });
        }
    }

    /// The first element, so that the model can start.
    fn constant_place(&self, var: VarRef) -> Place {
        let dims = match var {
            VarRef::Global(id) => self.model.globals[id.index()].dims.len(),
            VarRef::Local(_) => 0,
        };
        Place { var, index: vec![Expr::Const(0); dims] }
    }

    fn trace(&mut self) {
        let Some(channel) = self.channel(true) else { return };
        let Expr::Load(place) = channel else { return };
        let channel = Expr::Load(self.constant_place(place.var));
        let mut edges = Vec::new();
        for target in [1, 0] {
            let sync = if self.random.percent(50) {
                Sync::Send { channel: channel.clone(), args: vec![Expr::Const(1)], sorted: false }
            } else {
                let args = vec![Pattern::Any];
                Sync::Receive { channel: channel.clone(), args, anywhere: false, keep: false, condition: None }
            };
            edges.push(Edge { sync: Some(sync), target: LocId(target), ..blank() });
        }
        let location = |edges: Vec<EdgeId>| Location { edges, ..Location::default() };
        let locations = vec![location(vec![EdgeId(0)]), location(vec![EdgeId(1)]), location(vec![])];
        let mut automaton = self.process(99);
        (automaton.params, automaton.locals) = (0, Vec::new());
        (automaton.locations, automaton.edges) = (locations, edges);
        let negated = self.random.percent(30);
        self.model.trace = Some(Trace { automaton, negated, end: LocId(2) });
    }
}

fn blank() -> Edge {
    Edge {
        level: 0,
        guard: Guard::Always,
        sync: None,
        effects: Vec::new(),
        chain: None,
        target: LocId(0),
        then: Then::Yield,
        span: NOWHERE,
        inside: None,
        label: String::new(),
    }
}
