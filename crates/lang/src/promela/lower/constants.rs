//! Values known before anything runs: array sizes, and what global variables start with.

use kripke_model::ir::{Expr, Init, Place, Var, VarRef};

use super::environment::Environment;
use super::types::Basic;
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, ExprKind};

/// The length of an array whose length is a variable with initial value 0.
const DEFAULT_LENGTH: i32 = 8;

impl View<'_, '_> {
    /// The value of an expression that must be constant; `what` says what it is for.
    pub fn constant_value(&self, e: &ast::Expr, what: &str) -> Option<i32> {
        if let ExprKind::Var(var) = &e.kind
            && let [ast::VarPart { name, index: None }] = &var.parts[..]
            && self.constant(&name.text).is_none()
            && let Some((symbol, _)) = self.symbol(&name.text)
            && let Some(value) = symbol.constant
        {
            let value = if value > 0 { value } else { DEFAULT_LENGTH };
            let message = format!("{what} is given by a variable");
            let here = format!("taken to be {value}, its value at the start");
            self.env.report(Diagnostic::warning(e.span, message, here).help("use a macro or a number"));
            return Some(value);
        }
        let value = self.constant_part(e);
        if value.is_none() && !matches!(e.kind, ExprKind::Error) {
            self.env.error(e.span, format!("{what} must be a constant"), "not a constant");
        }
        value
    }

    fn constant_part(&self, e: &ast::Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Const(n) => Some(*n),
            ExprKind::Var(var) => self.constant_ref(var),
            ExprKind::Unary(_, _) | ExprKind::Binary(_, _, _) | ExprKind::Cond(_) if self.is_closed(e) => {
                evaluate(&self.expr(e), &[])
            }
            _ => None,
        }
    }

    fn is_closed(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_) => true,
            ExprKind::Var(var) => self.constant_ref(var).is_some(),
            ExprKind::Unary(_, a) => self.is_closed(a),
            ExprKind::Binary(_, a, b) => self.is_closed(a) && self.is_closed(b),
            ExprKind::Cond(parts) => parts.iter().all(|p| self.is_closed(p)),
            _ => false,
        }
    }
}

/// Global variables are initialised type by type (see [`Basic`]), in order of declaration within a type: a variable
/// that is read before its turn is still 0. This puts the resulting values in place of the expressions, except for the
/// name of a channel, which stays a name: analyses of the model follow where channels can be used.
pub(super) fn settle_globals(env: &mut Environment<'_>, types: &[Basic]) {
    let mut values: Vec<Vec<i32>> = env.vars.iter().map(|v| vec![0; v.len().min(1 << 16)]).collect();
    let mut names_channel = vec![false; env.vars.len()];
    let first_channels = first_channels(&env.vars);
    let mut order: Vec<usize> = (0..env.vars.len()).collect();
    order.sort_by_key(|i| types[*i]);
    for i in order {
        let var = &env.vars[i];
        let settled: Option<Vec<i32>> = match &var.init {
            Init::All(e) => evaluate(e, &values).map(|v| vec![v; values[i].len()]),
            Init::List(list) => list.iter().map(|e| evaluate(e, &values)).collect(),
            Init::Channels(_) => {
                let numbers = (0..).map(|n: i32| first_channels[i].saturating_add(n));
                values[i].iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
                names_channel[i] = true;
                continue;
            }
            Init::Zero | Init::Param => continue,
        };
        let Some(settled) = settled else { continue };
        let ty = var.ty;
        for (slot, value) in values[i].iter_mut().zip(&settled) {
            *slot = ty.wrap(*value);
        }
        let constant = |e: &Expr, value: i32| match is_channel_name(e, &names_channel) {
            true => e.clone(),
            false => Expr::Const(value),
        };
        let init = match &var.init {
            Init::List(list) => Init::List(list.iter().zip(&settled).map(|(e, n)| constant(e, *n)).collect()),
            Init::All(e) => Init::All(constant(e, settled[0])),
            other => other.clone(),
        };
        names_channel[i] = init.exprs().iter().any(|e| is_channel_name(e, &names_channel));
        env.vars[i].init = init;
    }
}

/// The number of the first channel that each variable creates: channels are numbered from 1 in order of declaration.
fn first_channels(vars: &[Var]) -> Vec<i32> {
    let mut next = 1i32;
    let mut first = Vec::new();
    for var in vars {
        first.push(next);
        if matches!(var.init, Init::Channels(_)) {
            next = next.saturating_add(i32::try_from(var.len()).unwrap_or(i32::MAX));
        }
    }
    first
}

/// The expression is a variable that already has a channel's number.
fn is_channel_name(e: &Expr, names_channel: &[bool]) -> bool {
    matches!(e, Expr::Load(Place { var: VarRef::Global(var), .. }) if names_channel[var.index()])
}

/// The value of an expression over the given values of the global variables, if it needs nothing else.
fn evaluate(e: &Expr, globals: &[Vec<i32>]) -> Option<i32> {
    match e {
        Expr::Const(n) => Some(*n),
        Expr::Load(place) => {
            let VarRef::Global(var) = place.var else { return None };
            let values = globals.get(var.index())?;
            match &place.index[..] {
                [] => values.first().copied(),
                [index] => values.get(usize::try_from(evaluate(index, globals)?).ok()?).copied(),
                _ => None,
            }
        }
        Expr::Unary(op, a) => Some(op.apply(evaluate(a, globals)?)),
        Expr::Binary(op, a, b) => op.apply(evaluate(a, globals)?, evaluate(b, globals)?),
        Expr::Cond(parts) => {
            let [c, a, b] = &**parts;
            evaluate(if evaluate(c, globals)? != 0 { a } else { b }, globals)
        }
        _ => None,
    }
}
