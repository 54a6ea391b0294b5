//! Random models, for the comparison of engines with the reference interpreter.
//!
//! [`random_model`] makes a small model from a seed, reproducibly. Together the models use every construct of the IR.
//! Most models are careful. The others have indices out of range, divisions by zero, uninitialised channels and
//! sequences without end.

mod observer;

use kripke_model::Model;
use kripke_model::ir::{
    BinaryOp, Channel, ChannelId, ChannelQuery, Claim, Direction, Edge, EdgeId, Effect, Enum, EnumId, Expr, FileId,
    Guard, Init, LocId, Location, Pattern, Piece, Place, Print, Process, ProcessId, Scheduling, Shows, SourceFile,
    Span, Start, Sync, Then, Trace, Type, UnaryOp, Var, VarId, VarRef,
};

/// A pseudo-random number generator (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True with a probability of `n` percent.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 1 };

/// The model of a seed.
pub fn random_model(seed: u64) -> Model {
    let mut random = Random::new(seed);
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
        language: "none",
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

    /// Makes the control flow: ordinary locations, then locations of indivisible sequences, then an end location.
    fn body(&mut self, i: usize) {
        let normal = 2 + self.random.below(4);
        let chained = if !self.plain && self.random.percent(50) { 1 + self.random.below(4) } else { 0 };
        let total = normal + chained + 1;
        for at in 0..total {
            let mut location = Location {
                edges: Vec::new(),
                labels: Vec::new(),
                end: self.random.percent(30),
                accept: self.random.percent(10),
                progress: self.random.percent(20),
                committed: self.plain && self.random.percent(12),
            };
            let mut edges = Vec::new();
            if at < normal {
                edges = (0..1 + self.random.below(3)).map(|_| self.edge(at, normal, chained)).collect();
            } else if at < normal + chained {
                edges = self.chain_edges(at, normal, chained);
            } else if !self.plain {
                edges.push(self.last_edge());
            }
            edges.sort_by_key(|e| (e.level, matches!(e.guard, Guard::Else)));
            let process = &mut self.model.processes[i];
            for edge in edges {
                location.edges.push(EdgeId(process.edges.len() as u32));
                process.edges.push(edge);
            }
            process.locations.push(location);
        }
        if self.random.percent(10) {
            self.model.processes[i].provided = Some(self.expr(2));
        }
        if self.random.percent(if self.careful { 3 } else { 15 })
            && let Some(channel) = self.channel(true)
        {
            let direction = *self.random.pick(&[Direction::Send, Direction::Receive]);
            self.model.processes[i].claims.push(Claim { direction, channel, span: NOWHERE });
        }
    }

    fn edge(&mut self, at: usize, normal: usize, chained: usize) -> Edge {
        let end = normal + chained;
        let target = if self.random.percent(10) { end } else { self.random.below(normal) };
        let chain =
            (chained > 0 && self.random.percent(20)).then(|| LocId((normal + self.random.below(chained)) as u32));
        let guard = match self.random.below(10) {
            0..=3 => Guard::Always,
            4..=8 => Guard::When(self.expr(3)),
            _ => Guard::Else,
        };
        let sync = if self.random.percent(35) && !matches!(guard, Guard::Else) { self.sync() } else { None };
        // Careful models have few loops inside atomic sequences.
        let onward = !self.plain && (!self.careful || target > at || self.random.percent(5));
        let then = if onward && self.random.percent(45) { Then::Keep } else { Then::Yield };
        let effects = if chain.is_some() { Vec::new() } else { self.effects() };
        let level = u8::from(self.random.percent(12));
        self.finish_edge(Edge { level, guard, sync, effects, chain, target: LocId(target as u32), then, ..blank() })
    }

    /// The edges from a location inside an indivisible sequence. In careful models they lead forward and do not
    /// block.
    fn chain_edges(&mut self, at: usize, normal: usize, chained: usize) -> Vec<Edge> {
        let mut edges: Vec<Edge> =
            (0..1 + self.random.below(2)).map(|_| self.chain_edge(at, normal, chained)).collect();
        if self.careful && at > normal {
            let mut last = self.chain_edge(at, normal, chained);
            (last.guard, last.sync) = (Guard::Else, None);
            edges.push(last);
        }
        edges
    }

    fn chain_edge(&mut self, at: usize, normal: usize, chained: usize) -> Edge {
        let first = if self.careful { at + 1 } else { normal };
        let ahead = normal + chained - first.min(normal + chained);
        let on = ahead > 0 && self.random.percent(60);
        let target = if on { first + self.random.below(ahead) } else { self.random.below(normal) };
        let guard = match self.random.below(10) {
            0..=3 => Guard::Always,
            4..=7 => Guard::When(self.expr(2)),
            _ => Guard::Else,
        };
        let sync = if self.random.percent(20) && !matches!(guard, Guard::Else) { self.chain_sync() } else { None };
        let then = if on { Then::Chain } else { Then::Yield };
        let effects = self.effects();
        self.finish_edge(Edge { guard, sync, effects, target: LocId(target as u32), then, ..blank() })
    }

    /// The edge that ends a process.
    fn last_edge(&mut self) -> Edge {
        Edge { guard: Guard::Youngest, effects: vec![Effect::Remove], label: "end".to_string(), ..blank() }
    }

    fn finish_edge(&mut self, mut edge: Edge) -> Edge {
        edge.label = "edge".to_string();
        edge
    }

    fn effects(&mut self) -> Vec<Effect> {
        self.asking = true;
        let effects = (0..*self.random.pick(&[0, 1, 1, 1, 2, 3])).map(|_| self.effect()).collect();
        self.asking = false;
        effects
    }

    fn effect(&mut self) -> Effect {
        match self.random.below(20) {
            0 if self.careful && self.random.percent(60) => {
                Effect::Assert(Expr::binary(BinaryOp::Or, self.expr(2), Expr::Const(1)))
            }
            0 if self.random.percent(30) => Effect::Assert(self.expr(2)),
            0 => Effect::Require {
                condition: Expr::binary(BinaryOp::Or, self.expr(1), Expr::Const(i32::from(self.careful))),
                message: "not so".to_string(),
            },
            1 => Effect::Print(Print { pieces: self.pieces() }),
            2 if self.random.percent(30) => self.set_priority(),
            3 | 4 if self.dynamic => self.run(),
            _ => {
                let place = self.place(|v| !matches!(v.ty.shows, Shows::Channel));
                let wide = self.type_of(place.var).bits > 8;
                let value = self.expr(3);
                // Wide variables take few values, which limits the number of states.
                let value = if wide { Expr::binary(BinaryOp::BitAnd, value, Expr::Const(-125)) } else { value };
                Effect::Assign(place, value)
            }
        }
    }

    fn set_priority(&mut self) -> Effect {
        let (pid, mut priority) = (self.expr(1), self.expr(1));
        if self.careful {
            let small = Expr::binary(BinaryOp::BitAnd, priority, Expr::Const(3));
            priority = Expr::binary(BinaryOp::Add, small, Expr::Const(1));
        }
        Effect::SetPriority { pid, priority }
    }

    fn pieces(&mut self) -> Vec<Piece> {
        let mut pieces = vec![Piece::Text("at ".to_string()), Piece::Value('d', self.expr(1))];
        if self.random.percent(30) {
            pieces.push(Piece::Symbol(EnumId(0), self.expr(1)));
        }
        pieces
    }

    fn run(&mut self) -> Effect {
        let process = self.random.below(self.model.processes.len());
        let params: Vec<Type> = {
            let process = &self.model.processes[process];
            process.locals[..process.params].iter().map(|v| v.ty).collect()
        };
        let args = params.into_iter().map(|ty| self.argument(ty)).collect();
        let priority = self.random.percent(20).then(|| Expr::Const(self.random.below(4) as i32 + 1));
        let result = self.random.percent(40).then(|| self.place(|v| !matches!(v.ty.shows, Shows::Channel)));
        Effect::Run { process: ProcessId(process as u32), args, priority, result }
    }

    fn argument(&mut self, ty: Type) -> Expr {
        let channel = if ty.shows == Shows::Channel { self.channel(false) } else { None };
        channel.unwrap_or_else(|| self.expr(1))
    }

    fn sync(&mut self) -> Option<Sync> {
        let channel = self.channel(false)?;
        Some(self.sync_on(channel))
    }

    /// A channel operation inside an indivisible sequence, where a rendezvous is not allowed.
    fn chain_sync(&mut self) -> Option<Sync> {
        if !self.careful {
            return self.sync();
        }
        let channels = &self.model.channels;
        let buffered = |v: &Var| matches!(v.init, Init::Channels(id) if channels[id.index()].capacity > 0);
        let any = self.candidates(buffered);
        if any.is_empty() {
            return None;
        }
        let var = *self.random.pick(&any);
        let channel = Expr::Load(self.place_of(var));
        Some(self.sync_on(channel))
    }

    fn sync_on(&mut self, channel: Expr) -> Sync {
        let fields = self.fields(&channel);
        if self.random.percent(50) {
            let args = (0..fields).map(|_| self.expr(2)).collect();
            return Sync::Send { channel, args, sorted: self.random.percent(20) };
        }
        let args = self.patterns(fields, true);
        let condition = (self.plain && self.random.percent(25)).then(|| self.expr(2));
        Sync::Receive { channel, args, anywhere: self.random.percent(25), keep: self.random.percent(15), condition }
    }

    /// The number of fields of a channel's messages, in most cases.
    fn fields(&mut self, channel: &Expr) -> usize {
        if self.careful {
            return self.fields;
        }
        let declared = match channel {
            Expr::Load(Place { var: VarRef::Global(id), .. }) => Some(&self.model.globals[id.index()].init),
            Expr::Load(Place { var: VarRef::Local(id), .. }) => {
                self.here.map(|here| &self.model.processes[here].locals[id.index()].init)
            }
            _ => None,
        };
        match declared {
            Some(Init::Channels(id)) if self.random.percent(95) => self.model.channels[id.index()].fields.len(),
            _ => 1,
        }
    }

    fn patterns(&mut self, fields: usize, store: bool) -> Vec<Pattern> {
        (0..fields)
            .map(|_| match self.random.below(10) {
                0..=2 => Pattern::Match(self.expr(1)),
                3..=8 if store => {
                    let numbers = self.careful && self.random.percent(97);
                    let takes = |v: &Var| !matches!(v.init, Init::Channels(_));
                    Pattern::Store(self.place(|v| takes(v) && !(numbers && v.ty.shows == Shows::Channel)))
                }
                _ => Pattern::Any,
            })
            .collect()
    }

    /// An expression that denotes a channel in most cases. If `simple`, it has no locals, since other processes
    /// evaluate it.
    fn channel(&mut self, simple: bool) -> Option<Expr> {
        if self.model.channels.is_empty() {
            return None;
        }
        if !simple && !self.careful && self.random.percent(4) {
            return Some(Expr::Const(self.random.below(4) as i32));
        }
        let named = |v: &Var| matches!(v.ty.shows, Shows::Channel);
        let any = self.candidates(named);
        if any.is_empty() {
            return None;
        }
        let var = *self.random.pick(&any);
        Some(Expr::Load(self.place_of(var)))
    }

    fn candidates(&self, wanted: impl Fn(&Var) -> bool) -> Vec<VarRef> {
        let globals = self.model.globals.iter().enumerate();
        let mut all: Vec<_> =
            globals.filter(|(_, v)| wanted(v)).map(|(i, _)| VarRef::Global(VarId(i as u32))).collect();
        if let Some(here) = self.here {
            let locals = self.model.processes[here].locals.iter().enumerate();
            all.extend(locals.filter(|(_, v)| wanted(v)).map(|(i, _)| VarRef::Local(VarId(i as u32))));
        }
        all
    }

    fn place(&mut self, wanted: impl Fn(&Var) -> bool) -> Place {
        let all = self.candidates(wanted);
        let var = *self.random.pick(&all);
        self.place_of(var)
    }

    fn place_of(&mut self, var: VarRef) -> Place {
        let dims = match var {
            VarRef::Global(id) => self.model.globals[id.index()].dims.clone(),
            VarRef::Local(id) => self.model.processes[self.here.unwrap_or(0)].locals[id.index()].dims.clone(),
        };
        let index = dims.iter().map(|len| self.index(*len)).collect();
        Place { var, index }
    }

    fn type_of(&self, var: VarRef) -> Type {
        match var {
            VarRef::Global(id) => self.model.globals[id.index()].ty,
            VarRef::Local(id) => self.model.processes[self.here.unwrap_or(0)].locals[id.index()].ty,
        }
    }

    /// An index that is in range in most cases.
    fn index(&mut self, len: u32) -> Expr {
        match self.random.below(12) {
            0 if !self.careful => self.expr(1),
            0..=6 => Expr::Const(self.random.below(len as usize) as i32),
            _ => {
                let mask = Expr::binary(BinaryOp::BitAnd, self.expr(1), Expr::Const(255));
                Expr::binary(BinaryOp::Rem, mask, Expr::Const(len as i32))
            }
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.percent(30) {
            return match self.random.below(10) {
                0..=3 => Expr::Const(*self.random.pick(&[0, 1, 1, 2, 3, -1, 7, 255])),
                4 => self.odd_leaf(),
                _ => Expr::Load(self.place(|_| true)),
            };
        }
        match self.random.below(20) {
            0 | 1 => {
                let op = *self.random.pick(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::Not, UnaryOp::Complement]);
                Expr::Unary(op, Box::new(self.expr(depth - 1)))
            }
            2 => Expr::Cond(Box::new([self.expr(depth - 1), self.expr(depth - 1), self.expr(depth - 1)])),
            3 | 4 => self.channel_expr(),
            5 => self.remote(),
            _ => {
                use BinaryOp::*;
                let all = [Add, Add, Sub, Mul, Div, Rem, And, And, Or, Or, BitAnd, BitOr, BitXor, Shl, Shr];
                let tests = [Eq, Eq, Ne, Lt, Le, Gt, Ge];
                let op = if self.random.percent(50) { *self.random.pick(&all) } else { *self.random.pick(&tests) };
                let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
                let divides = matches!(op, Div | Rem) && (self.careful || self.random.percent(80));
                Expr::binary(op, a, if divides { Expr::binary(BitOr, b, Expr::Const(1)) } else { b })
            }
        }
    }

    fn odd_leaf(&mut self) -> Expr {
        match self.random.below(9) {
            0 | 1 => Expr::Pid,
            2 => Expr::ProcessCount,
            3 if self.model.uses_last => Expr::Last,
            4 | 5 if self.model.uses_timeout => Expr::Timeout,
            6 => Expr::NonProgress,
            7 if self.asking => Expr::Enabled(Box::new(Expr::Const(self.random.below(3) as i32))),
            8 => Expr::Priority(Box::new(Expr::Const(self.random.below(3) as i32))),
            _ => Expr::Input,
        }
    }

    fn channel_expr(&mut self) -> Expr {
        use ChannelQuery::*;
        let Some(channel) = self.channel(false) else { return Expr::Const(1) };
        if self.random.percent(40) {
            let args = self.patterns(if self.careful { self.fields } else { 1 }, false);
            return Expr::Poll { channel: Box::new(channel), args, anywhere: self.random.percent(40) };
        }
        Expr::Channel(*self.random.pick(&[Len, Empty, NotEmpty, Full, NotFull]), Box::new(channel))
    }

    fn remote(&mut self) -> Expr {
        let process = self.random.below(self.model.processes.len());
        let number = match self.random.below(3) {
            0 => None,
            1 => Some(Box::new(Expr::Const(self.random.below(3) as i32))),
            _ => Some(Box::new(self.expr(1))),
        };
        let locals = self.model.processes[process].locals.len();
        if locals == 0 || self.random.percent(40) {
            if self.random.percent(20) {
                return Expr::Location(Box::new(Expr::Const(self.random.below(3) as i32)));
            }
            // Every process type has at least two locations.
            let locations = (0..1 + self.random.below(2)).map(|i| LocId(i as u32)).collect();
            return Expr::At { process: ProcessId(process as u32), pid: number, locations };
        }
        let var = self.random.below(locals);
        let dims = self.model.processes[process].locals[var].dims.clone();
        let index = dims.iter().map(|len| self.index(*len)).collect();
        let place = Place { var: VarRef::Local(VarId(var as u32)), index };
        Expr::Remote { process: ProcessId(process as u32), pid: number, place }
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
        label: String::new(),
    }
}
