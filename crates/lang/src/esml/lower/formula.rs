//! Correctness specifications and conditions: they look at the processes from outside.

use kripke_model::ir::{Expr, Property, PropertyKind};

use super::Lowering;
use super::flow::NO_HEAD;
use super::scope::Symbol;
use super::types::Ty;
use super::values::Value;
use crate::diagnostic::Diagnostic;
use crate::esml::ast::{self, BinaryOp, ExprKind, Name, PathOperator, Paths, UnaryOp};

impl Lowering<'_> {
    /// The correctness specification, its names and types checked.
    pub(super) fn assertion(&mut self, formula: &ast::Expr) -> Option<Property> {
        self.remote = true;
        let sound = self.formula(formula);
        self.remote = false;
        sound?;
        Some(Property {
            name: "ASSERT".to_string(),
            kind: PropertyKind::Ctl,
            text: self.label(formula.span),
            formula: self.written(formula),
            observer: None,
            span: formula.span,
        })
    }

    /// Checks what is between the temporal operators.
    fn formula(&mut self, formula: &ast::Expr) -> Option<()> {
        match &formula.kind {
            ExprKind::Temporal(_, f) => self.formula(f),
            ExprKind::Unary(UnaryOp::Not, f) => self.formula(f),
            ExprKind::Until(_, a, b) | ExprKind::Implies(a, b) => self.both(a, b),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => self.both(a, b),
            _ => self.value_of(formula, Ty::Boolean).map(|_| ()),
        }
    }

    /// The specification in the syntax that every language's formulas share; what has no temporal operator stays as it is.
    fn written(&self, formula: &ast::Expr) -> String {
        if !is_temporal(formula) {
            return format!("{{{}}}", self.label(formula.span));
        }
        let both = |op: &str, a: &ast::Expr, b: &ast::Expr| format!("({}) {op} ({})", self.written(a), self.written(b));
        match &formula.kind {
            ExprKind::Temporal(op, f) => format!("{} ({})", operator(*op), self.written(f)),
            ExprKind::Until(Paths::All, a, b) => format!("A({})", both("U", a, b)),
            ExprKind::Until(Paths::Some, a, b) => format!("E({})", both("U", a, b)),
            ExprKind::Implies(a, b) => both("->", a, b),
            ExprKind::Binary(BinaryOp::And, a, b) => both("&&", a, b),
            ExprKind::Binary(_, a, b) => both("||", a, b),
            ExprKind::Unary(_, f) => format!("!({})", self.written(f)),
            _ => self.label(formula.span),
        }
    }

    fn both(&mut self, a: &ast::Expr, b: &ast::Expr) -> Option<()> {
        let (a, b) = (self.formula(a), self.formula(b));
        a.and(b)
    }

    /// A condition on a state of the whole system. Where a `HEAD` would be of an empty list, evaluating it is a fault.
    pub(super) fn condition(&mut self, condition: &ast::Expr) -> Option<Expr> {
        self.remote = true;
        let value = self.value_of(condition, Ty::Boolean);
        self.remote = false;
        value.map(whole)
    }

    /// An expression of any type with a single word, in a state of the whole system.
    pub(super) fn watched(&mut self, expr: &ast::Expr) -> Option<Expr> {
        self.remote = true;
        let value = self.value(expr);
        self.remote = false;
        let value = value?;
        if value.words.len() != 1 {
            let what = format!("this is {}, which has several values", self.called(value.ty));
            self.error(Diagnostic::error(expr.span, what, "expected a single value"));
            return None;
        }
        Some(whole(value))
    }

    /// A constant that only processes know: a symbol of an enumeration defined inside one.
    pub(super) fn inner_constant(&mut self, name: &Name) -> Option<Value> {
        let mut found: Vec<(Ty, i32)> = Vec::new();
        for process in &self.finished {
            if let Some((Symbol::Constant { ty, value }, _)) = process.scope.get(&name.text)
                && !found.contains(&(*ty, *value))
            {
                found.push((*ty, *value));
            }
        }
        match found[..] {
            [] => None,
            [(ty, value)] => Some(Value::known(ty, value, name.span)),
            _ => {
                let what = format!("several processes define `{}` differently", name.text);
                self.error(Diagnostic::error(name.span, what, "which one?"));
                None
            }
        }
    }
}

/// The word of a value, and a fault where the value is not defined.
fn whole(value: Value) -> Expr {
    match value.defined.clone() {
        Some(defined) => Expr::Cond(Box::new([defined, value.word(), Expr::Fault(NO_HEAD.to_string())])),
        None => value.word(),
    }
}

fn operator(op: PathOperator) -> &'static str {
    match op {
        PathOperator::Globally(Paths::All) => "AG",
        PathOperator::Globally(Paths::Some) => "EG",
        PathOperator::Finally(Paths::All) => "AF",
        PathOperator::Finally(Paths::Some) => "EF",
        PathOperator::Next(Paths::All) => "AX",
        PathOperator::Next(Paths::Some) => "EX",
    }
}

fn is_temporal(formula: &ast::Expr) -> bool {
    match &formula.kind {
        // An implication, too, is for specifications alone.
        ExprKind::Temporal(..) | ExprKind::Until(..) | ExprKind::Implies(..) => true,
        ExprKind::Unary(_, f) => is_temporal(f),
        ExprKind::Binary(_, a, b) => is_temporal(a) || is_temporal(b),
        _ => false,
    }
}
