//! The last result of an evaluation. A location is visited again when one of its variables can have more values; most
//! of its expressions do not read that one.

use std::cell::RefCell;

use super::set::ValueSet;

/// What a result depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Inputs {
    /// The atoms and their values.
    pub atoms: Vec<u32>,
    pub values: Vec<ValueSet>,
    /// The conditions that are taken into account, by number.
    pub related: Vec<usize>,
}

/// The last result and its inputs.
#[derive(Clone, Debug)]
pub(super) struct Memo<R>(RefCell<Option<(Inputs, R)>>);

impl<R> Default for Memo<R> {
    fn default() -> Memo<R> {
        Memo(RefCell::new(None))
    }
}

/// Expressions are compared without regard to results.
impl<R> PartialEq for Memo<R> {
    fn eq(&self, _: &Memo<R>) -> bool {
        true
    }
}

impl<R> Eq for Memo<R> {}

impl<R: Clone> Memo<R> {
    /// The result for these inputs, computed unless it is the last one.
    pub fn result(&self, inputs: &Inputs, compute: impl FnOnce() -> R) -> R {
        if let Some((last, result)) = &*self.0.borrow()
            && last == inputs
        {
            return result.clone();
        }
        let result = compute();
        *self.0.borrow_mut() = Some((inputs.clone(), result.clone()));
        result
    }
}
