//! Faults in the evaluation of expressions. An evaluation that may fail is kept, even if its value is not needed.

use super::rewrite::{self, Rewriter};
use crate::writes::writes;
use kripke_model::ir::{BinaryOp, Expr, Init, Model, Pattern, Place, UnaryOp, Var, VarRef};

/// True if the evaluation of a condition on states may fail. False only if it certainly cannot.
pub fn may_fault(model: &Model, condition: &Expr) -> bool {
    let vars = Vars { globals: &model.globals, locals: &[] };
    let (mut plain, mut safe) = (condition.clone(), true);
    hide_queries(model, &mut plain, &mut safe);
    !safe || vars.may_fault(&plain)
}

/// The capacity and number of fields of a variable's channel, if the variable denotes one channel for ever.
fn fixed_channel(model: &Model, var: VarRef) -> Option<(u32, usize)> {
    let VarRef::Global(id) = var else { return None };
    let Init::Channels(channel) = model.globals[id.index()].init else { return None };
    let mut stored = false;
    for edge in model.processes.iter().chain(model.observer.iter().map(|o| &o.automaton)).flat_map(|p| &p.edges) {
        writes(edge, &mut |other| stored |= other == var);
    }
    let channel = &model.channels[channel.index()];
    (!stored).then_some((channel.capacity, channel.fields.len()))
}

/// Replaces queries of channels that certainly exist by an expression of any value. `safe` becomes false if another
/// query is found.
fn hide_queries(model: &Model, expr: &mut Expr, safe: &mut bool) {
    rewrite::expr(expr, &mut Queries { model, safe });
}

struct Queries<'a> {
    model: &'a Model,
    safe: &'a mut bool,
}

impl Rewriter for Queries<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let vars = Vars { globals: &self.model.globals, locals: &[] };
        let fixed = |channel: &Expr| match channel {
            Expr::Load(place) if !vars.index_may_fault(place) => fixed_channel(self.model, place.var),
            _ => None,
        };
        let safe = match expr {
            Expr::Channel(_, channel) => fixed(channel).is_some(),
            Expr::Poll { channel, args, .. } => {
                let matches = |arg: &Pattern| !matches!(arg, Pattern::Match(e) if vars.may_fault(e));
                let fits = |(capacity, fields)| capacity > 0 && args.len() <= fields && args.iter().all(matches);
                fixed(channel).is_some_and(fits)
            }
            _ => return,
        };
        *self.safe &= safe;
        *expr = Expr::Pid;
    }

    fn place(&mut self, _: &mut Place) {}
}

/// A part of an expression that may fail.
pub(super) enum FaultSource<'e> {
    /// The fault depends on the value of the expression.
    Value(&'e Expr),
    /// The index may be out of bounds.
    Element(&'e Place),
}

/// The variables in the scope of an expression.
#[derive(Clone, Copy)]
pub(super) struct Vars<'m> {
    pub globals: &'m [Var],
    pub locals: &'m [Var],
}

impl<'m> Vars<'m> {
    pub fn var(&self, var: VarRef) -> &'m Var {
        match var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.locals[id.index()],
        }
    }

    pub fn may_fault(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::ObserverAt(_)
            | Expr::Input => false,
            Expr::Load(place) => self.index_may_fault(place),
            Expr::Unary(_, e) | Expr::Location(e) | Expr::Priority(e) => self.may_fault(e),
            Expr::Binary(op, a, b) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem) && !matches!(**b, Expr::Const(n) if n != 0);
                divides || self.may_fault(a) || self.may_fault(b)
            }
            Expr::Cond(parts) => parts.iter().any(|e| self.may_fault(e)),
            Expr::At { pid, .. } => pid.iter().any(|e| self.may_fault(e)),
            Expr::Remote { pid, place, .. } => !place.index.is_empty() || pid.iter().any(|e| self.may_fault(e)),
            // The channel may not exist; enabledness evaluates expressions of other processes.
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::Fault(_) => true,
        }
    }

    pub fn index_may_fault(&self, place: &Place) -> bool {
        let dims = &self.var(place.var).dims;
        place.index.iter().zip(dims).any(|(index, dim)| {
            let (low, high) = self.bounds(index);
            low < 0 || high >= i64::from(*dim) || self.may_fault(index)
        })
    }

    /// Calls `each` for the parts of an assignment that may fail, apart from its value, in the order of evaluation.
    pub fn fault_sources<'e>(&self, place: &'e Place, value: &'e Expr, each: &mut impl FnMut(FaultSource<'e>)) {
        self.fault_sources_of(value, each);
        if self.index_may_fault(place) {
            each(FaultSource::Element(place));
        }
    }

    fn fault_sources_of<'e>(&self, expr: &'e Expr, each: &mut impl FnMut(FaultSource<'e>)) {
        match expr {
            _ if !self.may_fault(expr) => {}
            Expr::Load(place) => each(FaultSource::Element(place)),
            Expr::Unary(_, e) => self.fault_sources_of(e, each),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::And | BinaryOp::Or, ..) => {
                each(FaultSource::Value(expr))
            }
            Expr::Binary(_, a, b) => {
                self.fault_sources_of(a, each);
                self.fault_sources_of(b, each);
            }
            _ => each(FaultSource::Value(expr)),
        }
    }

    /// True if this value, or an unknown one, may be outside of the range of the place.
    pub fn value_may_fault(&self, place: &Place, value: Option<&Expr>) -> bool {
        self.var(place.var).range.is_some_and(|(low, high)| {
            value.map(|e| self.bounds(e)).is_none_or(|(least, most)| least < low.into() || most > high.into())
        })
    }

    pub fn init_may_fault(&self, init: &Init) -> bool {
        init.exprs().iter().any(|e| self.may_fault(e))
    }

    /// Bounds of the value of an expression.
    fn bounds(&self, expr: &Expr) -> (i64, i64) {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        match expr {
            Expr::Const(n) => (i64::from(*n), i64::from(*n)),
            Expr::Load(place) => stored(self.var(place.var)),
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(And | Or | Eq | Ne | Lt | Le | Gt | Ge, ..) => (0, 1),
            Expr::Cond(parts) => {
                let (yes, no) = (self.bounds(&parts[1]), self.bounds(&parts[2]));
                (yes.0.min(no.0), yes.1.max(no.1))
            }
            _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
        }
    }
}

/// Bounds of the value of a variable, by its type. (An initial value may be outside of its range.)
fn stored(var: &Var) -> (i64, i64) {
    let bits = u32::from(var.ty.bits);
    match (var.ty.signed, bits) {
        (false, 0..=31) => (0, (1 << bits) - 1),
        (true, 1..=31) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

/// An expression with this value that fails if `expr` fails.
pub(super) fn evaluate_to(expr: Expr, value: i32, may_fault: bool) -> Expr {
    if may_fault { Expr::Cond(Box::new([expr, Expr::Const(value), Expr::Const(value)])) } else { Expr::Const(value) }
}
