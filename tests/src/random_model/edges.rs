//! Control flow, effects and channel operations of random models.

use kripke_model::ir::{
    BinaryOp, Claim, Direction, Edge, EdgeId, Effect, EnumId, Expr, Guard, Init, LocId, Location, Pattern, Piece,
    Place, Print, ProcessId, Shows, Sync, Then, Type, Var, VarRef,
};

use super::{Maker, NOWHERE, blank};

impl Maker {
    /// Makes the control flow: ordinary locations, then locations of indivisible sequences, then an end location.
    pub(super) fn body(&mut self, i: usize) {
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

    pub(super) fn edge(&mut self, at: usize, normal: usize, chained: usize) -> Edge {
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
    pub(super) fn chain_edges(&mut self, at: usize, normal: usize, chained: usize) -> Vec<Edge> {
        let mut edges: Vec<Edge> =
            (0..1 + self.random.below(2)).map(|_| self.chain_edge(at, normal, chained)).collect();
        if self.careful && at > normal {
            let mut last = self.chain_edge(at, normal, chained);
            (last.guard, last.sync) = (Guard::Else, None);
            edges.push(last);
        }
        edges
    }

    pub(super) fn chain_edge(&mut self, at: usize, normal: usize, chained: usize) -> Edge {
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
    pub(super) fn last_edge(&mut self) -> Edge {
        Edge { guard: Guard::Youngest, effects: vec![Effect::Remove], label: "end".to_string(), ..blank() }
    }

    pub(super) fn finish_edge(&mut self, mut edge: Edge) -> Edge {
        edge.label = "edge".to_string();
        edge
    }

    pub(super) fn effects(&mut self) -> Vec<Effect> {
        self.asking = true;
        let effects = (0..*self.random.pick(&[0, 1, 1, 1, 2, 3])).map(|_| self.effect()).collect();
        self.asking = false;
        effects
    }

    pub(super) fn effect(&mut self) -> Effect {
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

    pub(super) fn set_priority(&mut self) -> Effect {
        let (pid, mut priority) = (self.expr(1), self.expr(1));
        if self.careful {
            let small = Expr::binary(BinaryOp::BitAnd, priority, Expr::Const(3));
            priority = Expr::binary(BinaryOp::Add, small, Expr::Const(1));
        }
        Effect::SetPriority { pid, priority }
    }

    pub(super) fn pieces(&mut self) -> Vec<Piece> {
        let mut pieces = vec![Piece::Text("at ".to_string()), Piece::Value('d', self.expr(1))];
        if self.random.percent(30) {
            pieces.push(Piece::Symbol(EnumId(0), self.expr(1)));
        }
        pieces
    }

    pub(super) fn run(&mut self) -> Effect {
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

    pub(super) fn argument(&mut self, ty: Type) -> Expr {
        let channel = if ty.shows == Shows::Channel { self.channel(false) } else { None };
        channel.unwrap_or_else(|| self.expr(1))
    }

    pub(super) fn sync(&mut self) -> Option<Sync> {
        let channel = self.channel(false)?;
        Some(self.sync_on(channel))
    }

    /// A channel operation inside an indivisible sequence, where a rendezvous is not allowed.
    pub(super) fn chain_sync(&mut self) -> Option<Sync> {
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

    pub(super) fn sync_on(&mut self, channel: Expr) -> Sync {
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
    pub(super) fn fields(&mut self, channel: &Expr) -> usize {
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

    pub(super) fn patterns(&mut self, fields: usize, store: bool) -> Vec<Pattern> {
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
}
