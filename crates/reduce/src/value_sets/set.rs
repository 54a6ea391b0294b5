//! Sets of values: all values of an interval, or a few values.

use std::sync::Arc;

use kripke_model::ir::Type;

/// The most values of a set that is no interval.
pub(super) const MAX_VALUES: usize = 256;

/// The most values that a function is applied to, one by one.
pub(super) const MAX_MAPPED: u64 = 1 << 12;

/// The values that a variable can have: an interval, or a few values. A set of more values is replaced by the
/// smallest interval that includes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueSet(Form);

/// A set has one form only: `Few` has at least two values, which are sorted and are not an interval.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    Empty,
    Interval(i32, i32),
    Few(Arc<[i32]>),
}

impl ValueSet {
    /// The set without values.
    pub(crate) const EMPTY: ValueSet = ValueSet(Form::Empty);

    /// All values of a word.
    pub(super) const WORD: ValueSet = ValueSet(Form::Interval(i32::MIN, i32::MAX));

    /// The truth values.
    pub(super) const TRUTH: ValueSet = ValueSet(Form::Interval(0, 1));

    /// The set of one value.
    pub const fn one(value: i32) -> ValueSet {
        ValueSet(Form::Interval(value, value))
    }

    /// The values from `low` to `high`.
    pub(crate) fn interval(low: i32, high: i32) -> ValueSet {
        if low <= high { ValueSet(Form::Interval(low, high)) } else { ValueSet::EMPTY }
    }

    /// The numbers from 0 to `count - 1`; 0 alone if there is none.
    pub(crate) fn below(count: usize) -> ValueSet {
        let high = i32::try_from(count.max(1) - 1).unwrap_or(i32::MAX);
        ValueSet::interval(0, high)
    }

    /// All values of a type.
    pub(crate) fn of_type(ty: Type) -> ValueSet {
        let (low, high) = bounds_of(ty);
        ValueSet::interval(low, high)
    }

    /// The set of these values.
    pub(crate) fn of(mut values: Vec<i32>) -> ValueSet {
        values.sort_unstable();
        values.dedup();
        let (Some(&low), Some(&high)) = (values.first(), values.last()) else { return ValueSet::EMPTY };
        let dense = i64::from(high) - i64::from(low) + 1 == values.len() as i64;
        if dense || values.len() > MAX_VALUES {
            return ValueSet::interval(low, high);
        }
        ValueSet(Form::Few(values.into()))
    }

    /// Whether the set has no values.
    pub(crate) fn is_empty(&self) -> bool {
        self.0 == Form::Empty
    }

    /// The smallest and the largest value.
    pub(crate) fn bounds(&self) -> Option<(i32, i32)> {
        match &self.0 {
            Form::Empty => None,
            Form::Interval(low, high) => Some((*low, *high)),
            Form::Few(values) => Some((*values.first()?, *values.last()?)),
        }
    }

    /// The smallest value. The set of a variable is never empty; an empty set has 0.
    pub fn low(&self) -> i32 {
        self.bounds().map_or(0, |(low, _)| low)
    }

    /// The largest value. The set of a variable is never empty; an empty set has 0.
    pub fn high(&self) -> i32 {
        self.bounds().map_or(0, |(_, high)| high)
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        match &self.0 {
            Form::Empty => 0,
            Form::Interval(low, high) => (i64::from(*high) - i64::from(*low) + 1) as u64,
            Form::Few(values) => values.len() as u64,
        }
    }

    /// The value, if it is the only one.
    pub fn single(&self) -> Option<i32> {
        self.bounds().filter(|(low, high)| low == high).map(|(low, _)| low)
    }

    /// Whether a value is in the set.
    pub fn contains(&self, value: i32) -> bool {
        match &self.0 {
            Form::Empty => false,
            Form::Interval(low, high) => (*low..=*high).contains(&value),
            Form::Few(values) => values.binary_search(&value).is_ok(),
        }
    }

    /// The values in ascending order, if they are few.
    pub fn values(&self) -> Option<Vec<i32>> {
        (self.count() <= MAX_VALUES as u64).then(|| self.iter().collect())
    }

    /// The values in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        let (interval, few): (_, &[i32]) = match &self.0 {
            Form::Empty => (None, &[]),
            Form::Interval(low, high) => (Some(*low..=*high), &[]),
            Form::Few(values) => (None, values),
        };
        interval.into_iter().flatten().chain(few.iter().copied())
    }

    /// The shortest interval of numbers modulo 2^`bits` that covers the set, as its first value and its length. For a
    /// byte, {255, 0, 1} begins with 255 and has length 3.
    pub fn wrapped(&self, bits: u8) -> (i32, u64) {
        let Some((low, high)) = self.bounds() else { return (0, 1) };
        let around = 1i64 << bits;
        let straight = i64::from(high) - i64::from(low) + 1;
        let mut best = (low, straight);
        if let Form::Few(values) = &self.0 {
            for pair in values.windows(2) {
                let length = i64::from(pair[0]) + around - i64::from(pair[1]) + 1;
                if length < best.1 {
                    best = (pair[1], length);
                }
            }
        }
        (best.0, best.1 as u64)
    }

    /// Whether all values of another set are in this one.
    pub(crate) fn includes(&self, other: &ValueSet) -> bool {
        let Some((low, high)) = other.bounds() else { return true };
        match &self.0 {
            Form::Empty => false,
            Form::Interval(mine, last) => *mine <= low && high <= *last,
            Form::Few(values) => other.count() <= values.len() as u64 && other.iter().all(|v| self.contains(v)),
        }
    }

    /// The values of both sets.
    pub(crate) fn join(&self, other: &ValueSet) -> ValueSet {
        if self.includes(other) {
            return self.clone();
        }
        let (Some((low, high)), Some((from, to))) = (self.bounds(), other.bounds()) else { return other.clone() };
        let hull = ValueSet::interval(low.min(from), high.max(to));
        let apart = i64::from(from) > i64::from(high) + 1 || i64::from(low) > i64::from(to) + 1;
        let intervals = matches!((&self.0, &other.0), (Form::Interval(..), Form::Interval(..)));
        if (intervals && !apart) || self.count() + other.count() > 2 * MAX_VALUES as u64 {
            return hull;
        }
        ValueSet::of(self.iter().chain(other.iter()).collect())
    }

    /// The values from `low` to `high`.
    pub(crate) fn within(&self, low: i32, high: i32) -> ValueSet {
        match &self.0 {
            Form::Empty => ValueSet::EMPTY,
            Form::Interval(mine, last) => ValueSet::interval(low.max(*mine), high.min(*last)),
            Form::Few(values) => ValueSet::of(values.iter().copied().filter(|v| (low..=high).contains(v)).collect()),
        }
    }

    /// Whether a value is in both sets.
    pub(super) fn meets(&self, other: &ValueSet) -> bool {
        let (Some((low, high)), Some((from, to))) = (self.bounds(), other.bounds()) else { return false };
        let (few, many) = if self.count() <= other.count() { (self, other) } else { (other, self) };
        low <= to && from <= high && (few.count() > MAX_MAPPED || few.iter().any(|v| many.contains(v)))
    }

    /// The values that stores of these values leave behind in a variable of this type.
    pub(crate) fn stored(&self, ty: Type) -> ValueSet {
        let all = ValueSet::of_type(ty);
        if all.includes(self) {
            return self.clone();
        }
        if self.count() > MAX_MAPPED {
            return all;
        }
        ValueSet::of(self.iter().map(|v| ty.wrap(v)).collect())
    }
}

/// The smallest and the largest value of a type.
pub(super) fn bounds_of(ty: Type) -> (i32, i32) {
    match (ty.bits, ty.signed) {
        (bits @ 0..=31, false) => (0, ((1i64 << bits) - 1) as i32),
        (bits @ 1..=31, true) => (-(1i32 << (bits - 1)), ((1i64 << (bits - 1)) - 1) as i32),
        _ => (i32::MIN, i32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[i32]) -> ValueSet {
        ValueSet::of(values.to_vec())
    }

    #[test]
    fn a_set_has_one_form() {
        assert_eq!(set(&[3, 1, 2, 2]), ValueSet::interval(1, 3));
        assert_eq!(set(&[0, 2]).join(&set(&[1])), ValueSet::interval(0, 2));
        assert_eq!(ValueSet::interval(0, 1).join(&set(&[7])).values(), Some(vec![0, 1, 7]));
        assert_eq!(ValueSet::interval(i32::MIN, -1).join(&ValueSet::interval(0, i32::MAX)), ValueSet::WORD);
        let even = ValueSet::of((0..300).map(|v| 2 * v).collect());
        assert_eq!(even, ValueSet::interval(0, 598));
        assert!(set(&[]).is_empty());
    }

    #[test]
    fn the_shortest_interval_may_wrap_around() {
        assert_eq!(set(&[255, 0, 1, 2, 3, 4]).wrapped(8), (255, 6));
        assert_eq!(set(&[-1, 0, 1]).wrapped(16), (-1, 3));
        assert_eq!(set(&[-128, 127]).wrapped(8), (127, 2));
        assert_eq!(set(&[0, 7]).wrapped(3), (7, 2));
        assert_eq!(set(&[0, 128]).wrapped(8), (0, 129));
        assert_eq!(ValueSet::interval(0, 255).wrapped(8), (0, 256));
        assert_eq!(ValueSet::WORD.wrapped(32), (i32::MIN, 1 << 32));
        assert_eq!(set(&[i32::MAX, i32::MIN]).wrapped(32), (i32::MAX, 2));
    }

    #[test]
    fn stores_wrap() {
        let byte = Type::number(8, false);
        assert_eq!(ValueSet::interval(-1, 1).stored(byte), set(&[255, 0, 1]));
        assert_eq!(ValueSet::WORD.stored(byte), ValueSet::interval(0, 255));
        assert_eq!(ValueSet::interval(3, 4).stored(byte), ValueSet::interval(3, 4));
        assert_eq!(set(&[127, 128]).stored(Type::number(8, true)), set(&[127, -128]));
    }

    #[test]
    fn meeting_and_cutting() {
        assert!(set(&[0, 2]).meets(&ValueSet::interval(2, 9)));
        assert!(!set(&[0, 2]).meets(&set(&[1, 3])));
        assert_eq!(set(&[0, 2, 9]).within(1, 9).values(), Some(vec![2, 9]));
        assert!(ValueSet::interval(5, 6).within(7, 9).is_empty());
    }
}
