//! Expressions: types and values.

use kripke_model::ir::{BinaryOp, Expr, UnaryOp};

use super::Lowering;
use super::access::less;
use super::scope::Symbol;
use super::types::{Kind, Ty};
use super::values::{self, Value, conjunction, floored, size};
use crate::diagnostic::{Diagnostic, warn};
use crate::esml::ast::{self, AccessStep, ExprKind};
use crate::source::{Span, join};

impl Lowering<'_> {
    /// The value of an expression that must be of type `ty`.
    pub(super) fn value_of(&mut self, expr: &ast::Expr, ty: Ty) -> Option<Value> {
        let value = self.value(expr)?;
        if value.ty != ty {
            let what = format!("this is {}, not {}", self.called(value.ty), self.called(ty));
            self.error(Diagnostic::error(expr.span, what, format!("expected {}", self.called(ty))));
            return None;
        }
        Some(value)
    }

    /// The value of an expression that must be known now.
    pub(super) fn constant(&mut self, expr: &ast::Expr, ty: Ty) -> Option<i32> {
        let value = self.value_of(expr, ty)?;
        let known = value.constant();
        if known.is_none() {
            let what = "this must be a constant";
            self.error(Diagnostic::error(expr.span, what, "its value is not known before the model runs"));
        }
        known
    }

    pub(super) fn value(&mut self, expr: &ast::Expr) -> Option<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(n) => Some(Value::known(Ty::Integer, *n, span)),
            ExprKind::Bool(b) => Some(Value::known(Ty::Boolean, i32::from(*b), span)),
            ExprKind::Access(access) => self.variable_or_constant(access),
            ExprKind::Len(list) => self.len(list, span),
            ExprKind::Head(list) => self.head(list, span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span),
            ExprKind::Implies(..) | ExprKind::Temporal(..) | ExprKind::Until(..) => {
                let what = "a temporal formula cannot be part of an expression";
                self.error(Diagnostic::error(span, what, "here"));
                None
            }
        }
    }

    fn variable_or_constant(&mut self, access: &ast::Access) -> Option<Value> {
        if let Some((Symbol::Constant { ty, value }, _)) = self.lookup(&access.root.text) {
            let (ty, value) = (*ty, *value);
            if let Some(step) = access.steps.first() {
                let span = match step {
                    AccessStep::Field(name) => name.span,
                    AccessStep::Index(e) => e.span,
                };
                let what = format!("`{}` is a constant and has no parts", access.root.text);
                self.error(Diagnostic::error(span, what, "a part of what?"));
                return None;
            }
            return Some(Value::known(ty, value, access.span));
        }
        if self.remote
            && access.steps.is_empty()
            && self.lookup(&access.root.text).is_none()
            && let Some(value) = self.inner_constant(&access.root)
        {
            return Some(value);
        }
        let located = self.locate(access)?;
        self.read(&located, access.span)
    }

    /// The words of a list: its length, then its elements. A variable is not read as a whole.
    fn list(&mut self, expr: &ast::Expr) -> Option<List> {
        if let ExprKind::Access(access) = &expr.kind
            && !matches!(self.lookup(&access.root.text), Some((Symbol::Constant { .. }, _)))
        {
            let located = self.locate(access)?;
            let Kind::List { of, .. } = self.info(located.ty).kind else {
                return self.no_list(expr.span);
            };
            let (length, size) = self.length_of(&located)?;
            let head = located.element(Expr::Const(0)).into_iter().map(|p| located.owner.load(p)).collect();
            return Some(List { length, size, head, of, defined: located.defined });
        }
        let value = self.value(expr)?;
        let Ty::Defined(id) = value.ty else { return self.no_list(expr.span) };
        let Kind::List { size, of } = self.info(id).kind else { return self.no_list(expr.span) };
        let head = value.words[1..=self.info(of).words].to_vec();
        Some(List { length: value.words[0].clone(), size, head, of, defined: value.defined })
    }

    fn no_list(&mut self, span: Span) -> Option<List> {
        self.error(Diagnostic::error(span, "this is not a list", "expected a list"));
        None
    }

    fn len(&mut self, list: &ast::Expr, span: Span) -> Option<Value> {
        let list = self.list(list)?;
        let range = (0, i64::from(list.size));
        Some(Value { defined: list.defined, ..Value::scalar(Ty::Integer, list.length, range, span) })
    }

    fn head(&mut self, list: &ast::Expr, span: Span) -> Option<Value> {
        let list = self.list(list)?;
        self.spend(list.head.len(), span)?;
        let some = less(Expr::Const(0), list.length);
        Some(Value {
            ty: self.ty(list.of),
            words: list.head,
            range: self.range_of(list.of),
            defined: conjunction(list.defined, Some(some)),
            span,
        })
    }

    fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Option<Value> {
        let ty = if op == UnaryOp::Not { Ty::Boolean } else { Ty::Integer };
        let value = self.value_of(operand, ty)?;
        if let Some(n) = value.constant() {
            return Some(Value::known(ty, op.apply(n), span));
        }
        let (low, high) = value.range;
        let range = if -low > values::whole().1 { values::whole() } else { (-high, -low) };
        let defined = value.defined.clone();
        Some(Value { defined, ..Value::scalar(ty, Expr::Unary(op, Box::new(value.word())), range, span) })
    }

    fn binary(&mut self, op: BinaryOp, a: &ast::Expr, b: &ast::Expr, span: Span) -> Option<Value> {
        use BinaryOp as B;
        let (left, right) = (self.value(a), self.value(b));
        let (left, right) = (left?, right?);
        match op {
            B::Eq | B::Ne => {
                self.same_type(&left, &right)?;
                self.doubtful(a, b, &left, &right);
                return self.equality(op, left, right, span);
            }
            B::And | B::Or => self.operands(&left, &right, Ty::Boolean)?,
            _ => self.operands(&left, &right, Ty::Integer)?,
        }
        let ty = if matches!(op, B::Add | B::Sub | B::Mul | B::Div | B::Rem) { Ty::Integer } else { Ty::Boolean };
        if let (Some(x), Some(y)) = (left.constant(), right.constant()) {
            return self.computed(op, x, y, ty, span);
        }
        if matches!(op, B::Div | B::Rem) && right.constant() == Some(0) {
            self.error(Diagnostic::error(b.span, "division by zero", "this is 0"));
            return None;
        }
        let range = values::range(op, left.range, right.range);
        let defined = values::defined(op, &left, &right);
        self.spend(defined.as_ref().map_or(0, size), span)?;
        let ranges = [left.range, right.range];
        let (x, y) = (left.word(), right.word());
        let word = if matches!(op, B::Div | B::Rem) {
            // Both sides may occur several times.
            self.spend(4 * (size(&x) + size(&y)), span)?;
            floored(op, x, y, ranges)
        } else {
            Expr::binary(op, x, y)
        };
        Some(Value { defined, ..Value::scalar(ty, word, range, span) })
    }

    fn computed(&mut self, op: BinaryOp, x: i32, y: i32, ty: Ty, span: Span) -> Option<Value> {
        match values::compute(op, x, y) {
            Some(n) => Some(Value::known(ty, n, span)),
            None if y == 0 && matches!(op, BinaryOp::Div | BinaryOp::Rem) => {
                self.error(Diagnostic::error(span, "division by zero", "here"));
                None
            }
            None => {
                self.error(Diagnostic::error(span, "this constant does not fit into 32 bits", "too large"));
                None
            }
        }
    }

    fn operands(&mut self, left: &Value, right: &Value, ty: Ty) -> Option<()> {
        for value in [left, right] {
            if value.ty != ty {
                let what = format!("this is {}, not {}", self.called(value.ty), self.called(ty));
                self.error(Diagnostic::error(value.span, what, format!("expected {}", self.called(ty))));
                return None;
            }
        }
        Some(())
    }

    fn same_type(&mut self, left: &Value, right: &Value) -> Option<()> {
        if left.ty == right.ty {
            return Some(());
        }
        let what = "values of different types cannot be equal";
        let (one, other) = (self.called(left.ty), self.called(right.ty));
        let diagnostic = Diagnostic::error(right.span, what, format!("this is {other}"));
        self.error(diagnostic.label(left.span, format!("this is {one}")));
        None
    }

    /// `a = b` word by word.
    fn equality(&mut self, op: BinaryOp, left: Value, right: Value, span: Span) -> Option<Value> {
        if let (Some(x), Some(y)) = (left.constant(), right.constant()) {
            return self.computed(op, x, y, Ty::Boolean, span);
        }
        let defined = conjunction(left.defined, right.defined);
        self.spend(2 * left.words.len(), span)?;
        let pairs = left.words.into_iter().zip(right.words);
        let mut equal: Vec<Expr> = pairs.map(|(a, b)| Expr::binary(BinaryOp::Eq, a, b)).collect();
        let word = match (&mut equal[..], op) {
            ([Expr::Binary(eq, ..)], BinaryOp::Ne) => {
                *eq = BinaryOp::Ne;
                values::all(equal)
            }
            (_, BinaryOp::Ne) => values::not(values::all(equal)),
            _ => values::all(equal),
        };
        Some(Value { defined, ..Value::scalar(Ty::Boolean, word, values::whole(), span) })
    }

    /// `p & q = r` with truth values: by the table of operators it would be `(p & q) = r`. A side that is an `&` or
    /// `OR` can't be here without parentheses, so the relation stands inside one if its neighbour in the text does.
    fn doubtful(&mut self, a: &ast::Expr, b: &ast::Expr, left: &Value, right: &Value) {
        let span = join(a.span, b.span);
        if left.ty != Ty::Boolean || right.ty != Ty::Boolean || !self.beside_connective(span) {
            return;
        }
        let what = "relations bind stronger than `&` and `OR`";
        let warning = Diagnostic::warning(span, what, "taken together: is this what you mean?");
        warn(self.diagnostics, warning.help("parentheses make it certain"));
    }

    /// Whether an `&` or `OR` stands directly before or after this span. (The `&` of a POLL does not count.)
    fn beside_connective(&self, span: Span) -> bool {
        if span.file != self.file {
            return false;
        }
        let first = self.condition_at == Some(span.start);
        let before = self.text.get(..span.start as usize).unwrap_or("").trim_end();
        let behind = self.text.get(span.end as usize..).unwrap_or("").trim_start();
        let after = before.ends_with('&') || before.ends_with("OR");
        (after && !first) || behind.starts_with('&') || behind.starts_with("OR")
    }
}

/// The parts of a list value.
struct List {
    length: Expr,
    size: u32,
    head: Vec<Expr>,
    of: super::types::TypeId,
    defined: Option<Expr>,
}
