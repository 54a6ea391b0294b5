//! Values of expressions, and the values of variables that a condition leaves.

use super::analysis::Analysis;
use super::arithmetic;
use super::frame::Frame;
use super::memo::Inputs;
use super::set::ValueSet;
use super::step::Step;
use super::term::{AtomKind, Element, Formula, Term};
use kripke_model::ir::BinaryOp;

/// The most combinations of values for which an expression is evaluated, and the most if little work is left.
const MAX_COMBINATIONS: u64 = 1 << 14;
const FEW_COMBINATIONS: u64 = 1 << 6;

/// The values of the atoms of a condition for which it can hold, in their order; none where it leaves all. None at all
/// if it can't hold.
pub(super) type Restriction = Option<Vec<Option<ValueSet>>>;

/// The combinations of the values of some atoms.
struct Combinations {
    /// An atom without values is a fault, unless it is not evaluated.
    atoms: Vec<(u32, Vec<Option<i32>>)>,
    count: u64,
}

impl Combinations {
    fn of(inputs: &Inputs) -> Combinations {
        let listed = |(atom, set): (&u32, &ValueSet)| {
            let values = if set.is_empty() { vec![None] } else { set.iter().map(Some).collect() };
            (*atom, values)
        };
        Combinations { atoms: inputs.atoms.iter().zip(&inputs.values).map(listed).collect(), count: count(inputs) }
    }

    /// Calls `see` with the values of all atoms, by number, and the position of each value.
    fn each(&self, mut see: impl FnMut(&[Option<i32>], &[usize])) {
        let total = self.atoms.iter().map(|(atom, _)| *atom as usize + 1).max().unwrap_or(0);
        let mut values = vec![None; total];
        let mut chosen = vec![0; self.atoms.len()];
        for (atom, possible) in &self.atoms {
            values[*atom as usize] = possible[0];
        }
        loop {
            see(&values, &chosen);
            let Some(next) = (0..chosen.len()).find(|i| chosen[*i] + 1 < self.atoms[*i].1.len()) else { return };
            chosen[next] += 1;
            chosen[..next].fill(0);
            for ((atom, possible), at) in self.atoms[..=next].iter().zip(&chosen) {
                values[*atom as usize] = possible[*at];
            }
        }
    }

    /// The values of an expression for all combinations that satisfy the conditions.
    fn results(&self, formula: &Formula, related: &[&Formula]) -> ValueSet {
        let mut results = Vec::new();
        self.each(|values, _| {
            if related.iter().all(|condition| condition.term.value(values).is_some_and(|v| v != 0)) {
                results.extend(formula.term.value(values).filter(|v| results.last() != Some(v)));
            }
        });
        ValueSet::of(results)
    }

    fn restriction(&self, condition: &Formula) -> Restriction {
        let mut possible: Vec<Vec<bool>> = self.atoms.iter().map(|(_, values)| vec![false; values.len()]).collect();
        let mut any = false;
        self.each(|values, chosen| {
            if condition.term.value(values).is_some_and(|v| v != 0) {
                any = true;
                possible.iter_mut().zip(chosen).for_each(|(possible, at)| possible[*at] = true);
            }
        });
        let left = |((_, values), possible): (&(u32, Vec<Option<i32>>), &Vec<bool>)| {
            let left = values.iter().zip(possible).filter(|(_, possible)| **possible).filter_map(|(v, _)| *v);
            possible.contains(&false).then(|| ValueSet::of(left.collect()))
        };
        any.then(|| self.atoms.iter().zip(&possible).map(left).collect())
    }
}

fn count(inputs: &Inputs) -> u64 {
    inputs.values.iter().fold(1, |count: u64, set| count.saturating_mul(set.count().max(1)))
}

impl Analysis<'_, '_> {
    /// The values that an expression can have where the step is, as far as the conditions of the step admit.
    pub(super) fn value(&mut self, step: &Step, frame: &Frame, formula: &Formula) -> ValueSet {
        if formula.atoms.len() < 2 {
            return self.value_alone(step, frame, formula);
        }
        let mut inputs = self.inputs(step, frame, formula.atoms.clone());
        for (i, condition) in step.conditions.iter().enumerate().filter(|(i, _)| frame.holds[*i]) {
            // A condition on one atom of the expression has already restricted its values.
            if condition.atoms.iter().filter(|n| formula.atoms.contains(n)).count() < 2 {
                continue;
            }
            let mut atoms = [&*inputs.atoms, &condition.atoms].concat();
            atoms.sort_unstable();
            atoms.dedup();
            let more = self.inputs(step, frame, atoms);
            if count(&more) <= self.most_combinations() {
                let related = inputs.related.iter().copied().chain([i]).collect();
                inputs = Inputs { related, ..more };
            }
        }
        self.results(step, frame, formula, &inputs)
    }

    /// The values that an expression can have, without regard to conditions.
    fn value_alone(&mut self, step: &Step, frame: &Frame, formula: &Formula) -> ValueSet {
        match formula.term {
            Term::Const(value) => ValueSet::one(value),
            Term::Fault => ValueSet::EMPTY,
            Term::Atom(n) => self.atom(step, frame, n),
            _ => {
                let inputs = self.inputs(step, frame, formula.atoms.clone());
                self.results(step, frame, formula, &inputs)
            }
        }
    }

    fn results(&mut self, step: &Step, frame: &Frame, formula: &Formula, inputs: &Inputs) -> ValueSet {
        if count(inputs) > self.most_combinations() {
            return self.approximate(step, frame, &formula.term);
        }
        let related: Vec<&Formula> = inputs.related.iter().map(|i| &step.conditions[*i]).collect();
        let size = formula.size + related.iter().map(|condition| condition.size).sum::<u64>();
        let work = &mut self.work;
        formula.evaluated.result(inputs, || {
            let all = Combinations::of(inputs);
            *work += all.count * size;
            all.results(formula, &related)
        })
    }

    /// Restricts what is known to the states in which a condition holds. Returns false if there are none.
    pub(super) fn restrict(&mut self, step: &Step, frame: &mut Frame, condition: &Formula) -> bool {
        match condition.term {
            Term::Const(value) => return value != 0,
            Term::Fault => return false,
            _ => {}
        }
        let inputs = self.inputs(step, frame, condition.atoms.clone());
        if count(&inputs) > self.most_combinations() {
            return self.restrict_bounds(step, frame, condition);
        }
        let work = &mut self.work;
        let restriction = condition.restricted.result(&inputs, || {
            let all = Combinations::of(&inputs);
            *work += all.count * condition.size;
            all.restriction(condition)
        });
        let Some(left) = restriction else { return false };
        for (atom, left) in condition.atoms.iter().zip(left) {
            if let Some(left) = left {
                frame.learn(step, *atom, left);
            }
        }
        true
    }

    /// The values of some atoms.
    fn inputs(&mut self, step: &Step, frame: &Frame, atoms: Vec<u32>) -> Inputs {
        let values = atoms.iter().map(|atom| self.atom(step, frame, *atom)).collect();
        Inputs { atoms, values, related: Vec::new() }
    }

    fn most_combinations(&self) -> u64 {
        if self.is_coarse() { FEW_COMBINATIONS } else { MAX_COMBINATIONS }
    }

    /// Restricts the operands of a comparison that have too many values for enumeration.
    fn restrict_bounds(&mut self, step: &Step, frame: &mut Frame, condition: &Formula) -> bool {
        let all = self.approximate(step, frame, &condition.term);
        if all.is_empty() || all.single() == Some(0) {
            return false;
        }
        let Term::Binary(op, a, b) = &condition.term else { return true };
        let (left, right) = (self.approximate(step, frame, a), self.approximate(step, frame, b));
        let (Some((low, high)), Some((from, to))) = (left.bounds(), right.bounds()) else { return false };
        let (min, max) = (i32::MIN, i32::MAX);
        let (for_left, for_right) = match op {
            BinaryOp::Lt => ((min, to.saturating_sub(1)), (low.saturating_add(1), max)),
            BinaryOp::Le => ((min, to), (low, max)),
            BinaryOp::Gt => ((from.saturating_add(1), max), (min, high.saturating_sub(1))),
            BinaryOp::Ge => ((from, max), (min, high)),
            BinaryOp::Eq => ((from, to), (low, high)),
            _ => return true,
        };
        for (operand, set, (low, high)) in [(a, left, for_left), (b, right, for_right)] {
            if let Term::Atom(n) = **operand {
                let set = set.within(low, high);
                if set.is_empty() {
                    return false;
                }
                frame.learn(step, n, set);
            }
        }
        true
    }

    /// The values of an expression, operator by operator.
    fn approximate(&mut self, step: &Step, frame: &Frame, term: &Term) -> ValueSet {
        self.work += 1;
        match term {
            Term::Const(value) => ValueSet::one(*value),
            Term::Fault => ValueSet::EMPTY,
            Term::Atom(n) => self.atom(step, frame, *n),
            Term::Unary(op, a) => arithmetic::unary(*op, &self.approximate(step, frame, a)),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.approximate(step, frame, a), self.approximate(step, frame, b));
                self.work += a.count().saturating_mul(b.count()).min(super::set::MAX_MAPPED);
                arithmetic::binary(*op, &a, &b)
            }
            Term::Cond(parts) => {
                let [test, yes, no] = &**parts;
                let test = self.approximate(step, frame, test);
                let mut all = ValueSet::EMPTY;
                if test.count() > 1 || test.single().is_some_and(|v| v != 0) {
                    all = self.approximate(step, frame, yes);
                }
                if test.contains(0) {
                    all = all.join(&self.approximate(step, frame, no));
                }
                all
            }
        }
    }

    /// The values of an atom.
    fn atom(&mut self, step: &Step, frame: &Frame, n: u32) -> ValueSet {
        if let Some(values) = frame.fact(n) {
            return values.clone();
        }
        match &step.atoms[n as usize].kind {
            AtomKind::Cell(cell) => self.cell(frame, *cell),
            AtomKind::Element(element) => {
                // With regard to the conditions, which may contain this element, there would be no end.
                let indices = element.index.iter().map(|index| self.value_alone(step, frame, index));
                let indices: Vec<ValueSet> = indices.collect();
                let cells = Self::candidates(element, &indices);
                cells.into_iter().fold(ValueSet::EMPTY, |all, cell| all.join(&self.cell(frame, cell)))
            }
            AtomKind::Remote { cells, absent, .. } => {
                let none = if *absent { ValueSet::one(0) } else { ValueSet::EMPTY };
                cells.iter().cloned().flatten().fold(none, |all, cell| all.join(&self.read(cell)))
            }
            AtomKind::Other(_, values) => values.clone(),
        }
    }

    fn cell(&mut self, frame: &Frame, cell: u32) -> ValueSet {
        match frame.local(cell) {
            Some(at) => frame.locals[at].clone(),
            None => self.read(cell),
        }
    }

    /// The cells that an element can be, given the values of its indices; none if one is always out of bounds.
    pub(super) fn candidates(element: &Element, indices: &[ValueSet]) -> Vec<u32> {
        let mut cells = vec![0];
        for (index, len) in indices.iter().zip(&element.dims) {
            let values = index.within(0, (*len).min(i32::MAX as u32) as i32 - 1);
            if values.is_empty() {
                return Vec::new();
            }
            if element.split {
                let at = |base: &u32| -> Vec<u32> { values.iter().map(|i| base * len + i as u32).collect() };
                cells = cells.iter().flat_map(at).collect();
            }
        }
        cells.iter().map(|at| element.cells.start + at).collect()
    }
}
