//! Correctness specifications and conditions: they look at the processes from outside.

use kripke_model::ir::{Expr, Property, PropertyKind};

use super::Lowering;
use super::scope::Symbol;
use super::types::Ty;
use super::values::{Value, and};
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
            formula: self.spelled(formula),
            observer: None,
            span: formula.span,
        })
    }

    /// The formula with the operators as all languages have them, and conditions as they are.
    fn spelled(&self, formula: &ast::Expr) -> String {
        let both =
            |a: &ast::Expr, sign: &str, b: &ast::Expr| format!("({} {sign} {})", self.spelled(a), self.spelled(b));
        let quantifier = |paths: Paths| if paths == Paths::All { 'A' } else { 'E' };
        match &formula.kind {
            ExprKind::Temporal(operator, f) => {
                let (paths, letter) = match operator {
                    PathOperator::Globally(paths) => (*paths, 'G'),
                    PathOperator::Finally(paths) => (*paths, 'F'),
                    PathOperator::Next(paths) => (*paths, 'X'),
                };
                format!("{}{letter} {}", quantifier(paths), self.spelled(f))
            }
            ExprKind::Unary(UnaryOp::Not, f) => format!("!{}", self.spelled(f)),
            ExprKind::Until(paths, a, b) => {
                format!("{}[{} U {}]", quantifier(*paths), self.spelled(a), self.spelled(b))
            }
            ExprKind::Implies(a, b) => both(a, "->", b),
            ExprKind::Binary(BinaryOp::And, a, b) => both(a, "&&", b),
            ExprKind::Binary(BinaryOp::Or, a, b) => both(a, "||", b),
            _ => format!("({})", self.label(formula.span)),
        }
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

    fn both(&mut self, a: &ast::Expr, b: &ast::Expr) -> Option<()> {
        let (a, b) = (self.formula(a), self.formula(b));
        a.and(b)
    }

    /// A condition on a state of the whole system. Where a `HEAD` would be of an empty list, it does not hold.
    pub(super) fn condition(&mut self, condition: &ast::Expr) -> Option<Expr> {
        self.remote = true;
        let value = self.value_of(condition, Ty::Boolean);
        self.remote = false;
        let value = value?;
        Some(match value.defined.clone() {
            Some(defined) => and(defined, value.word()),
            None => value.word(),
        })
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
