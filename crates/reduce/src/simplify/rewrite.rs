//! Changing every expression of a part of a model, and every place something is stored in.

use kripke_model::ir::{Edge, Effect, Expr, Guard, Init, Pattern, Place, Process, Sync, Var};

/// Changes expressions, inner ones first, and places.
pub(super) trait Change {
    fn expr(&mut self, expr: &mut Expr);

    /// One that something is stored in; its indices have been changed already.
    fn place(&mut self, place: &mut Place);
}

pub(super) fn process(process: &mut Process, change: &mut impl Change) {
    process.provided.iter_mut().for_each(|e| expr(e, change));
    process.claims.iter_mut().for_each(|claim| expr(&mut claim.channel, change));
    process.locals.iter_mut().for_each(|var| init(var, change));
    process.edges.iter_mut().for_each(|e| edge(e, change));
}

pub(super) fn init(var: &mut Var, change: &mut impl Change) {
    match &mut var.init {
        Init::All(e) => expr(e, change),
        Init::List(list) => list.iter_mut().for_each(|e| expr(e, change)),
        Init::Zero | Init::Channels(_) | Init::Param => {}
    }
}

fn edge(edge: &mut Edge, change: &mut impl Change) {
    if let Guard::When(condition) = &mut edge.guard {
        expr(condition, change);
    }
    match &mut edge.sync {
        None => {}
        Some(Sync::Send { channel, args, .. }) => {
            expr(channel, change);
            args.iter_mut().for_each(|e| expr(e, change));
        }
        Some(Sync::Receive { channel, args, condition, .. }) => {
            expr(channel, change);
            args.iter_mut().for_each(|arg| pattern(arg, change));
            condition.iter_mut().for_each(|e| expr(e, change));
        }
    }
    edge.effects.iter_mut().for_each(|e| effect(e, change));
}

fn effect(effect: &mut Effect, change: &mut impl Change) {
    match effect {
        Effect::Assign(to, value) => {
            place(to, change);
            expr(value, change);
        }
        Effect::Run { args, priority, result, .. } => {
            args.iter_mut().chain(priority).for_each(|e| expr(e, change));
            result.iter_mut().for_each(|to| place(to, change));
        }
        Effect::Assert(e) | Effect::Require { condition: e, .. } => expr(e, change),
        Effect::SetPriority { pid, priority } => {
            expr(pid, change);
            expr(priority, change);
        }
        // What is printed is not part of a reduced model.
        Effect::Print(_) | Effect::Remove => {}
    }
}

fn pattern(pattern: &mut Pattern, change: &mut impl Change) {
    match pattern {
        Pattern::Match(e) => expr(e, change),
        Pattern::Store(to) => place(to, change),
        Pattern::Any => {}
    }
}

fn place(place: &mut Place, change: &mut impl Change) {
    place.index.iter_mut().for_each(|e| expr(e, change));
    change.place(place);
}

pub(super) fn expr(e: &mut Expr, change: &mut impl Change) {
    match e {
        Expr::Const(_)
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::ObserverAt(_)
        | Expr::Input
        | Expr::Fault(_) => {}
        Expr::Load(place) => place.index.iter_mut().for_each(|e| expr(e, change)),
        Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::Location(a) | Expr::Priority(a) => {
            expr(a, change);
        }
        Expr::Binary(_, a, b) => {
            expr(a, change);
            expr(b, change);
        }
        Expr::Cond(parts) => parts.iter_mut().for_each(|e| expr(e, change)),
        Expr::Poll { channel, args, .. } => {
            expr(channel, change);
            for arg in args {
                match arg {
                    Pattern::Match(e) => expr(e, change),
                    // Nothing is stored.
                    Pattern::Store(_) | Pattern::Any => *arg = Pattern::Any,
                }
            }
        }
        Expr::At { pid, .. } => pid.iter_mut().for_each(|e| expr(e, change)),
        Expr::Remote { pid, place, .. } => {
            pid.iter_mut().for_each(|e| expr(e, change));
            place.index.iter_mut().for_each(|e| expr(e, change));
        }
    }
    change.expr(e);
}
