//! A traversal that rewrites all expressions and all written places of a part of a model.

use kripke_model::ir::{Edge, Effect, Expr, Guard, Init, Pattern, Place, Process, Sync, Var};

/// A rewriter of expressions, bottom-up, and of written places.
pub(super) trait Rewriter {
    fn expr(&mut self, expr: &mut Expr);

    /// Rewrites a written place. Its indices have been rewritten before.
    fn place(&mut self, place: &mut Place);
}

pub(super) fn process(process: &mut Process, rewriter: &mut impl Rewriter) {
    process.provided.iter_mut().for_each(|e| expr(e, rewriter));
    process.claims.iter_mut().for_each(|claim| expr(&mut claim.channel, rewriter));
    process.locals.iter_mut().for_each(|var| init(var, rewriter));
    process.edges.iter_mut().for_each(|e| edge(e, rewriter));
}

pub(super) fn init(var: &mut Var, rewriter: &mut impl Rewriter) {
    match &mut var.init {
        Init::All(e) => expr(e, rewriter),
        Init::List(list) => list.iter_mut().for_each(|e| expr(e, rewriter)),
        Init::Zero | Init::Channels(_) | Init::Param => {}
    }
}

fn edge(edge: &mut Edge, rewriter: &mut impl Rewriter) {
    if let Guard::When(condition) = &mut edge.guard {
        expr(condition, rewriter);
    }
    match &mut edge.sync {
        None => {}
        Some(Sync::Send { channel, args, .. }) => {
            expr(channel, rewriter);
            args.iter_mut().for_each(|e| expr(e, rewriter));
        }
        Some(Sync::Receive { channel, args, condition, .. }) => {
            expr(channel, rewriter);
            args.iter_mut().for_each(|arg| pattern(arg, rewriter));
            condition.iter_mut().for_each(|e| expr(e, rewriter));
        }
    }
    edge.effects.iter_mut().for_each(|e| effect(e, rewriter));
}

fn effect(effect: &mut Effect, rewriter: &mut impl Rewriter) {
    match effect {
        Effect::Assign(to, value) => {
            place(to, rewriter);
            expr(value, rewriter);
        }
        Effect::Run { args, priority, result, .. } => {
            args.iter_mut().chain(priority).for_each(|e| expr(e, rewriter));
            result.iter_mut().for_each(|to| place(to, rewriter));
        }
        Effect::Assert(e) | Effect::Require { condition: e, .. } => expr(e, rewriter),
        Effect::SetPriority { pid, priority } => {
            expr(pid, rewriter);
            expr(priority, rewriter);
        }
        // A simplified model has no output.
        Effect::Print(_) | Effect::Remove => {}
    }
}

fn pattern(pattern: &mut Pattern, rewriter: &mut impl Rewriter) {
    match pattern {
        Pattern::Match(e) => expr(e, rewriter),
        Pattern::Store(to) => place(to, rewriter),
        Pattern::Any => {}
    }
}

fn place(place: &mut Place, rewriter: &mut impl Rewriter) {
    place.index.iter_mut().for_each(|e| expr(e, rewriter));
    rewriter.place(place);
}

pub(super) fn expr(e: &mut Expr, rewriter: &mut impl Rewriter) {
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
        Expr::Load(place) => place.index.iter_mut().for_each(|e| expr(e, rewriter)),
        Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::Location(a) | Expr::Priority(a) => {
            expr(a, rewriter);
        }
        Expr::Binary(_, a, b) => {
            expr(a, rewriter);
            expr(b, rewriter);
        }
        Expr::Cond(parts) => parts.iter_mut().for_each(|e| expr(e, rewriter)),
        Expr::Poll { channel, args, .. } => {
            expr(channel, rewriter);
            for arg in args {
                match arg {
                    Pattern::Match(e) => expr(e, rewriter),
                    // A poll stores nothing.
                    Pattern::Store(_) | Pattern::Any => *arg = Pattern::Any,
                }
            }
        }
        Expr::At { pid, .. } => pid.iter_mut().for_each(|e| expr(e, rewriter)),
        Expr::Remote { pid, place, .. } => {
            pid.iter_mut().for_each(|e| expr(e, rewriter));
            place.index.iter_mut().for_each(|e| expr(e, rewriter));
        }
    }
    rewriter.expr(e);
}
