//! Expressions of random models.

use kripke_model::ir::{
    BinaryOp, ChannelQuery, Expr, LocId, Place, ProcessId, Shows, Type, UnaryOp, Var, VarId, VarRef,
};

use super::Maker;

impl Maker {
    /// An expression that denotes a channel in most cases. If `simple`, it has no locals, since other processes
    /// evaluate it.
    pub(super) fn channel(&mut self, simple: bool) -> Option<Expr> {
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

    pub(super) fn candidates(&self, wanted: impl Fn(&Var) -> bool) -> Vec<VarRef> {
        let globals = self.model.globals.iter().enumerate();
        let mut all: Vec<_> =
            globals.filter(|(_, v)| wanted(v)).map(|(i, _)| VarRef::Global(VarId(i as u32))).collect();
        if let Some(here) = self.here {
            let locals = self.model.processes[here].locals.iter().enumerate();
            all.extend(locals.filter(|(_, v)| wanted(v)).map(|(i, _)| VarRef::Local(VarId(i as u32))));
        }
        all
    }

    pub(super) fn place(&mut self, wanted: impl Fn(&Var) -> bool) -> Place {
        let all = self.candidates(wanted);
        let var = *self.random.pick(&all);
        self.place_of(var)
    }

    pub(super) fn place_of(&mut self, var: VarRef) -> Place {
        let dims = match var {
            VarRef::Global(id) => self.model.globals[id.index()].dims.clone(),
            VarRef::Local(id) => self.model.processes[self.here.unwrap_or(0)].locals[id.index()].dims.clone(),
        };
        let index = dims.iter().map(|len| self.index(*len)).collect();
        Place { var, index }
    }

    pub(super) fn type_of(&self, var: VarRef) -> Type {
        match var {
            VarRef::Global(id) => self.model.globals[id.index()].ty,
            VarRef::Local(id) => self.model.processes[self.here.unwrap_or(0)].locals[id.index()].ty,
        }
    }

    /// An index that is in range in most cases.
    pub(super) fn index(&mut self, len: u32) -> Expr {
        match self.random.below(12) {
            0 if !self.careful => self.expr(1),
            0..=6 => Expr::Const(self.random.below(len as usize) as i32),
            _ => {
                let mask = Expr::binary(BinaryOp::BitAnd, self.expr(1), Expr::Const(255));
                Expr::binary(BinaryOp::Rem, mask, Expr::Const(len as i32))
            }
        }
    }

    pub(super) fn expr(&mut self, depth: usize) -> Expr {
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

    pub(super) fn odd_leaf(&mut self) -> Expr {
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

    pub(super) fn channel_expr(&mut self) -> Expr {
        use ChannelQuery::*;
        let Some(channel) = self.channel(false) else { return Expr::Const(1) };
        if self.random.percent(40) {
            let args = self.patterns(if self.careful { self.fields } else { 1 }, false);
            return Expr::Poll { channel: Box::new(channel), args, anywhere: self.random.percent(40) };
        }
        Expr::Channel(*self.random.pick(&[Len, Empty, NotEmpty, Full, NotFull]), Box::new(channel))
    }

    pub(super) fn remote(&mut self) -> Expr {
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
}
