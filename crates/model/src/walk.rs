//! Looking at every expression of a part of a model, inner ones too.

use crate::ir::{Effect, Expr, Guard, Init, Pattern, Piece, Process, Sync};

impl Process {
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

impl Init {
    /// What is computed for it.
    pub fn exprs(&self) -> &[Expr] {
        match self {
            Init::All(e) => std::slice::from_ref(e),
            Init::List(list) => list,
            Init::Zero | Init::Channels(_) | Init::Param => &[],
        }
    }
}

impl Effect {
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
