//! Visits of all expressions in a part of a model, with their operands.

use crate::ir::{BinaryOp, Effect, Expr, Guard, Init, Pattern, Piece, Print, Process, Sync};

impl Process {
    /// Visits all expressions of a process type, operands after their operator.
    pub fn walk(&self, see: &mut impl FnMut(&Expr)) {
        self.provided.iter().for_each(|e| e.walk(see));
        self.claims.iter().for_each(|c| c.channel.walk(see));
        for var in &self.locals {
            var.init.exprs().iter().for_each(|e| e.walk(see));
        }
        for edge in &self.edges {
            if let Guard::When(e) = &edge.guard {
                e.walk(see);
            }
            match &edge.sync {
                Some(Sync::Send { channel, args, .. }) => {
                    channel.walk(see);
                    args.iter().for_each(|e| e.walk(see));
                }
                Some(Sync::Receive { channel, args, condition, .. }) => {
                    channel.walk(see);
                    walk_patterns(args, see);
                    condition.iter().for_each(|e| e.walk(see));
                }
                None => {}
            }
            edge.effects.iter().for_each(|effect| effect.walk(see));
        }
    }
}

impl Print {
    /// The effects of printing. Output is made only where it is shown; operands that may fault are evaluated in any case.
    pub fn effects(self) -> Vec<Effect> {
        let risky = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value(_, e) | Piece::Symbol(_, e) if is_risky(e) => Some(e.clone()),
            _ => None,
        });
        let evaluated = |e: Expr| Expr::Cond(Box::new([e, Expr::Const(1), Expr::Const(1)]));
        let all = risky.map(evaluated).reduce(|a, b| Expr::binary(BinaryOp::And, a, b));
        let required = all.map(|condition| Effect::Require { condition, message: String::new() });
        required.into_iter().chain([Effect::Print(self)]).collect()
    }
}

/// Whether evaluating the expression may be a fault, judged by its kinds of operands.
fn is_risky(expr: &Expr) -> bool {
    let mut risky = false;
    expr.walk(&mut |part| {
        risky |= match part {
            Expr::Load(place) | Expr::Remote { place, .. } => !place.index.is_empty(),
            Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::Fault(_) => true,
            _ => false,
        };
    });
    risky
}

impl Init {
    /// The expressions that are evaluated for the initial value.
    pub fn exprs(&self) -> &[Expr] {
        match self {
            Init::All(e) => std::slice::from_ref(e),
            Init::List(list) => list,
            Init::Zero | Init::Channels(_) | Init::Param => &[],
        }
    }
}

impl Effect {
    /// Visits all expressions of an effect, operands after their operator.
    pub fn walk(&self, see: &mut impl FnMut(&Expr)) {
        match self {
            Effect::Assign(place, e) => {
                place.index.iter().for_each(|e| e.walk(see));
                e.walk(see);
            }
            Effect::Run { args, priority, result, .. } => {
                args.iter().chain(priority).for_each(|e| e.walk(see));
                result.iter().flat_map(|p| &p.index).for_each(|e| e.walk(see));
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => e.walk(see),
            Effect::Print(print) => print.pieces.iter().for_each(|piece| match piece {
                Piece::Text(_) => {}
                Piece::Value(_, e) | Piece::Symbol(_, e) => e.walk(see),
            }),
            Effect::SetPriority { pid, priority } => {
                pid.walk(see);
                priority.walk(see);
            }
            Effect::Remove => {}
        }
    }
}

fn walk_patterns(patterns: &[Pattern], see: &mut impl FnMut(&Expr)) {
    for pattern in patterns {
        match pattern {
            Pattern::Match(e) => e.walk(see),
            Pattern::Store(place) => place.index.iter().for_each(|e| e.walk(see)),
            Pattern::Any => {}
        }
    }
}

impl Expr {
    /// Visits the expression, then its operands.
    pub fn walk(&self, see: &mut impl FnMut(&Expr)) {
        see(self);
        match self {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::ObserverAt(_)
            | Expr::Input
            | Expr::Fault(_) => {}
            Expr::Load(place) => place.index.iter().for_each(|e| e.walk(see)),
            Expr::Unary(_, e) | Expr::Channel(_, e) | Expr::Enabled(e) | Expr::Location(e) | Expr::Priority(e) => {
                e.walk(see);
            }
            Expr::Binary(_, a, b) => {
                a.walk(see);
                b.walk(see);
            }
            Expr::Cond(parts) => parts.iter().for_each(|e| e.walk(see)),
            Expr::Poll { channel, args, .. } => {
                channel.walk(see);
                walk_patterns(args, see);
            }
            Expr::At { pid, .. } => pid.iter().for_each(|e| e.walk(see)),
            Expr::Remote { pid, place, .. } => {
                pid.iter().for_each(|e| e.walk(see));
                place.index.iter().for_each(|e| e.walk(see));
            }
        }
    }
}
