//! Values of expressions, computed as far as they are known.

use kripke_model::ir::{BinaryOp, Expr, UnaryOp};

use super::types::Ty;
use crate::source::Span;

/// The value of an expression: one expression of the model for each word.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub ty: Ty,
    pub words: Vec<Expr>,
    /// Integers: the least and the greatest value it can have.
    pub range: (i64, i64),
    /// The condition under which every `HEAD` that is evaluated is of a list that has one. None: always.
    pub defined: Option<Expr>,
    pub span: Span,
}

/// All values of a word.
pub(super) fn whole() -> (i64, i64) {
    (i64::from(i32::MIN), i64::from(i32::MAX))
}

impl Value {
    pub(super) fn scalar(ty: Ty, word: Expr, range: (i64, i64), span: Span) -> Value {
        Value { ty, words: vec![word], range, defined: None, span }
    }

    pub(super) fn known(ty: Ty, value: i32, span: Span) -> Value {
        Value::scalar(ty, Expr::Const(value), (i64::from(value), i64::from(value)), span)
    }

    pub(super) fn constant(&self) -> Option<i32> {
        match self.words[..] {
            [Expr::Const(n)] => Some(n),
            _ => None,
        }
    }

    /// The only word of a scalar.
    pub(super) fn word(mut self) -> Expr {
        self.words.swap_remove(0)
    }
}

pub(super) fn and(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::And, a, b)
}

pub(super) fn not(e: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(e))
}

pub(super) fn conjunction(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(and(a, b)),
        (a, b) => a.or(b),
    }
}

/// All of them, as a tree as shallow as can be.
pub(super) fn all(mut conditions: Vec<Expr>) -> Expr {
    while conditions.len() > 1 {
        let mut pairs = conditions.into_iter();
        let mut next = Vec::new();
        while let Some(a) = pairs.next() {
            next.push(match pairs.next() {
                Some(b) => and(a, b),
                None => a,
            });
        }
        conditions = next;
    }
    conditions.pop().unwrap_or(Expr::Const(1))
}

/// When `a op b` is defined: the right side of `&` and `OR` only if it is evaluated.
pub(super) fn defined(op: BinaryOp, a: &Value, b: &Value) -> Option<Expr> {
    let right = b.defined.clone().map(|right| match op {
        BinaryOp::And => Expr::binary(BinaryOp::Or, not(a.words[0].clone()), right),
        BinaryOp::Or => Expr::binary(BinaryOp::Or, a.words[0].clone(), right),
        _ => right,
    });
    conjunction(a.defined.clone(), right)
}

/// The range of `a op b`; of a result that may not fit a word, everything.
pub(super) fn range(op: BinaryOp, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let corners = |f: fn(i64, i64) -> i64| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    let found = match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Sub => (a.0 - b.1, a.1 - b.0),
        BinaryOp::Mul => corners(|x, y| x * y),
        BinaryOp::Rem if b.0 > 0 => (0, b.1 - 1),
        BinaryOp::Div if b.0 > 0 && a.0 >= 0 => (0, a.1),
        _ => whole(),
    };
    if found.0 < whole().0 || found.1 > whole().1 { whole() } else { found }
}

/// `a DIV b` and `a MOD b`, which round towards minus infinity: the model's own operators round towards zero.
pub(super) fn floored(op: BinaryOp, a: Expr, b: Expr, ranges: [(i64, i64); 2]) -> Expr {
    let plain = |op| Expr::binary(op, a.clone(), b.clone());
    let [left, right] = ranges;
    if left.0 >= 0 && right.0 >= 0 {
        return plain(op);
    }
    if op == BinaryOp::Rem && right.0 > 0 {
        let sum = Expr::binary(BinaryOp::Add, plain(BinaryOp::Rem), b.clone());
        return Expr::binary(BinaryOp::Rem, sum, b);
    }
    let negative = |e: Expr| Expr::binary(BinaryOp::Lt, e, Expr::Const(0));
    let inexact = Expr::binary(BinaryOp::Ne, plain(BinaryOp::Rem), Expr::Const(0));
    let apart = Expr::binary(BinaryOp::Ne, negative(a.clone()), negative(b.clone()));
    let adjusted = match op {
        BinaryOp::Rem => Expr::binary(BinaryOp::Add, plain(op), b.clone()),
        _ => Expr::binary(BinaryOp::Sub, plain(op), Expr::Const(1)),
    };
    Expr::Cond(Box::new([and(inexact, apart), adjusted, plain(op)]))
}

/// The value of `a op b` for integers and truth values, where it is defined and fits.
pub(super) fn compute(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    let (x, y) = (i64::from(a), i64::from(b));
    let exact = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return None,
        BinaryOp::Div => x / y - i64::from(x % y != 0 && (x < 0) != (y < 0)),
        BinaryOp::Rem => (x % y + y) % y,
        _ => return op.apply(a, b),
    };
    i32::try_from(exact).ok()
}

/// Whether evaluation may be a fault: an index out of range, a division by zero.
pub(super) fn may_fail(expr: &Expr) -> bool {
    match expr {
        Expr::Load(place) => place.index.iter().any(|e| !matches!(e, Expr::Const(_))),
        Expr::Unary(_, e) => may_fail(e),
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, a, b) => !matches!(**b, Expr::Const(_)) || may_fail(a),
        Expr::Binary(_, a, b) => may_fail(a) || may_fail(b),
        Expr::Cond(parts) => parts.iter().any(may_fail),
        _ => false,
    }
}

/// The number of nodes of an expression.
pub(super) fn size(expr: &Expr) -> usize {
    1 + match expr {
        Expr::Load(place) => place.index.iter().map(size).sum(),
        Expr::Unary(_, e) => size(e),
        Expr::Binary(_, a, b) => size(a) + size(b),
        Expr::Cond(parts) => parts.iter().map(size).sum(),
        Expr::Remote { place, .. } => place.index.iter().map(size).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates an expression of constants as the model does.
    fn eval(expr: &Expr) -> i32 {
        match expr {
            Expr::Const(n) => *n,
            Expr::Binary(op, a, b) => op.apply(eval(a), eval(b)).unwrap_or(0),
            Expr::Cond(parts) => eval(if eval(&parts[0]) != 0 { &parts[1] } else { &parts[2] }),
            _ => unreachable!("no such expression here"),
        }
    }

    #[test]
    fn division_rounds_down() {
        for a in -7..=7 {
            for b in (-3..=3).filter(|b| *b != 0) {
                let (quotient, rest) = (compute(BinaryOp::Div, a, b).unwrap(), compute(BinaryOp::Rem, a, b).unwrap());
                assert_eq!(quotient * b + rest, a);
                assert!(if b > 0 { (0..b).contains(&rest) } else { (b + 1..=0).contains(&rest) }, "{a} MOD {b}");
                for ranges in [[whole(), whole()], [whole(), (i64::from(b), i64::from(b))]] {
                    let lowered = |op| eval(&floored(op, Expr::Const(a), Expr::Const(b), ranges));
                    assert_eq!(lowered(BinaryOp::Div), quotient, "{a} DIV {b}");
                    assert_eq!(lowered(BinaryOp::Rem), rest, "{a} MOD {b}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_not_computed() {
        assert_eq!(compute(BinaryOp::Add, i32::MAX, 1), None);
        assert_eq!(compute(BinaryOp::Div, 1, 0), None);
        assert_eq!(compute(BinaryOp::Div, i32::MIN, -1), None);
        assert_eq!(range(BinaryOp::Mul, (0, 100_000), (0, 100_000)), whole());
    }
}
