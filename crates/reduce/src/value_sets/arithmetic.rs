//! Operators on sets of values.

use super::set::{MAX_MAPPED, ValueSet};
use kripke_model::ir::{BinaryOp, UnaryOp};

/// The results of an operator for the values of a set.
pub(super) fn unary(op: UnaryOp, a: &ValueSet) -> ValueSet {
    if a.count() <= MAX_MAPPED {
        return ValueSet::of(a.iter().map(|v| op.apply(v)).collect());
    }
    let (low, high) = (a.low(), a.high());
    match op {
        UnaryOp::Not => truth(a.contains(0), true),
        UnaryOp::Complement => ValueSet::interval(!high, !low),
        UnaryOp::Neg => word(-i64::from(high), -i64::from(low)),
    }
}

/// The results of an operator for the values of two sets. Divisions by zero have none.
pub(super) fn binary(op: BinaryOp, a: &ValueSet, b: &ValueSet) -> ValueSet {
    if a.is_empty() {
        return ValueSet::EMPTY;
    }
    match op {
        BinaryOp::And => return logical(a, b, |set| set.single() == Some(0), 0),
        BinaryOp::Or => return logical(a, b, |set| !set.contains(0), 1),
        _ if b.is_empty() => return ValueSet::EMPTY,
        _ => {}
    }
    if a.count().saturating_mul(b.count()) <= MAX_MAPPED {
        let pairs = a.iter().flat_map(|x| b.iter().filter_map(move |y| op.apply(x, y)));
        return ValueSet::of(pairs.collect());
    }
    intervals(op, bounds(a), bounds(b))
}

fn bounds(set: &ValueSet) -> (i64, i64) {
    (set.low().into(), set.high().into())
}

/// `And` and `Or`: if the first operand decides, the second is not evaluated, and `result` is the value.
fn logical(a: &ValueSet, b: &ValueSet, decides: impl Fn(&ValueSet) -> bool, result: i32) -> ValueSet {
    if decides(a) {
        return ValueSet::one(result);
    }
    let may_be = |set: &ValueSet, zero: bool| {
        if zero { set.contains(0) } else { set.count() > 1 || set.single().is_some_and(|v| v != 0) }
    };
    // The operands that give `result`: zeros for `And`, others for `Or`.
    let zero = result == 0;
    let deciding = may_be(a, zero) || may_be(b, zero);
    let other = may_be(a, !zero) && may_be(b, !zero);
    if zero { truth(other, deciding) } else { truth(deciding, other) }
}

/// The set with 1 if `yes` and with 0 if `no`.
fn truth(yes: bool, no: bool) -> ValueSet {
    match (yes, no) {
        (true, true) => ValueSet::TRUTH,
        (true, false) => ValueSet::one(1),
        (false, true) => ValueSet::one(0),
        (false, false) => ValueSet::EMPTY,
    }
}

/// The interval, or all words if results wrap around.
fn word(low: i64, high: i64) -> ValueSet {
    match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => ValueSet::interval(low, high),
        _ => ValueSet::WORD,
    }
}

fn intervals(op: BinaryOp, (low, high): (i64, i64), (from, to): (i64, i64)) -> ValueSet {
    match op {
        BinaryOp::Add => word(low + from, high + to),
        BinaryOp::Sub => word(low - to, high - from),
        BinaryOp::Mul => {
            let products = [low * from, low * to, high * from, high * to];
            let least = products.iter().copied().min().unwrap_or(i64::MIN);
            word(least, products.into_iter().max().unwrap_or(i64::MAX))
        }
        BinaryOp::Div if low >= 0 && from >= 0 => word(0, high),
        BinaryOp::Rem if low >= 0 && from >= 0 => word(0, high.min((to - 1).max(0))),
        BinaryOp::BitAnd if low >= 0 && from >= 0 => word(0, high.min(to)),
        BinaryOp::Shr if low >= 0 => word(0, high),
        BinaryOp::Lt => truth(low < to, high >= from),
        BinaryOp::Ge => truth(high >= from, low < to),
        BinaryOp::Gt => truth(high > from, low <= to),
        BinaryOp::Le => truth(low <= to, high > from),
        BinaryOp::Eq => truth(low <= to && from <= high, true),
        BinaryOp::Ne => truth(true, low <= to && from <= high),
        BinaryOp::And | BinaryOp::Or => ValueSet::TRUTH,
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => ValueSet::WORD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of values at the edges and in the middle of sets are in the results of the sets.
    #[test]
    fn every_result_is_included() {
        let ends = [i32::MIN, -70_000, -1, 0, 2, 31, 5_000, i32::MAX];
        let mut sets = vec![ValueSet::of(vec![-5, 0, 9]), ValueSet::of(vec![3, 700_000])];
        for low in ends {
            sets.extend(ends.iter().filter(|high| low <= **high).map(|high| ValueSet::interval(low, *high)));
        }
        let samples = |set: &ValueSet| -> Vec<i32> {
            let inner = (i64::from(set.low()) + i64::from(set.high())) / 2;
            let all = ends.iter().copied().chain([set.low(), set.high(), inner as i32, -5, 9, 3]);
            all.filter(|v| set.contains(*v)).collect()
        };
        for a in &sets {
            for op in [UnaryOp::Neg, UnaryOp::Not, UnaryOp::Complement] {
                let all = unary(op, a);
                assert!(samples(a).into_iter().all(|v| all.contains(op.apply(v))), "{op:?} {a:?}");
            }
            for (b, op) in sets.iter().flat_map(|b| BinaryOp::ALL.map(|op| (b, op))) {
                let all = binary(op, a, b);
                for (x, y) in samples(a).into_iter().flat_map(|x| samples(b).into_iter().map(move |y| (x, y))) {
                    let known = op.apply(x, y).is_none_or(|v| all.contains(v));
                    assert!(known, "{x} {op:?} {y} is not in {all:?}, from {a:?} and {b:?}");
                }
            }
        }
    }
}
