//! What is known while a step is executed: the values of the locals, and of other atoms by the guard.

use std::ops::Range;

use super::set::ValueSet;
use super::step::Step;
use super::term::AtomKind;

pub(super) struct Frame {
    /// The first cell of `locals`.
    pub first: u32,
    /// The values of the executing process's locals; empty if they are not tracked.
    pub locals: Vec<ValueSet>,
    /// By atom: values that are known to be the only ones possible.
    facts: Vec<Option<ValueSet>>,
    /// By condition of the step: it still holds.
    pub holds: Vec<bool>,
}

impl Frame {
    pub fn new(first: u32, locals: Vec<ValueSet>, step: &Step) -> Frame {
        Frame { first, locals, facts: vec![None; step.atoms.len()], holds: vec![true; step.conditions.len()] }
    }

    /// The position of a cell in `locals`, if it is there.
    pub fn local(&self, cell: u32) -> Option<usize> {
        let at = cell.checked_sub(self.first)? as usize;
        (at < self.locals.len()).then_some(at)
    }

    pub fn fact(&self, atom: u32) -> Option<&ValueSet> {
        self.facts[atom as usize].as_ref()
    }

    /// The atom has one of these values.
    pub fn learn(&mut self, step: &Step, atom: u32, values: ValueSet) {
        if let AtomKind::Cell(cell) = step.atoms[atom as usize].kind
            && let Some(at) = self.local(cell)
        {
            self.locals[at] = values;
        } else {
            self.facts[atom as usize] = Some(values);
        }
    }

    /// The cell has one of these values, after a store.
    pub fn learn_cell(&mut self, step: &Step, cell: u32, values: &ValueSet) {
        let known = step.atoms.iter().position(|atom| atom.kind == AtomKind::Cell(cell));
        if let Some(atom) = known {
            self.learn(step, atom as u32, values.clone());
        }
    }

    /// Forgets what depends on these cells, or on what any effect may change.
    pub fn forget(&mut self, step: &Step, written: &Range<u32>) {
        let meets = |read: &Range<u32>| read.start < written.end && written.start < read.end;
        let gone = |n: u32| {
            let atom = &step.atoms[n as usize];
            atom.volatile || atom.reads.iter().any(meets)
        };
        for n in 0..step.atoms.len() {
            if self.facts[n].is_some() && gone(n as u32) {
                self.facts[n] = None;
            }
        }
        for (holds, condition) in self.holds.iter_mut().zip(&step.conditions) {
            *holds = *holds && !condition.atoms.iter().any(|n| gone(*n));
        }
    }

    /// Forgets everything but the values of locals.
    pub fn forget_all(&mut self) {
        self.facts.fill(None);
        self.holds.fill(false);
    }
}
