//! Simplification of a model before the search: constant folding, slicing, dead variables, privatisation of globals.
//!
//! The simplified model takes the same steps as the original, one for one and in the same order: process types keep
//! their locations and edges. There is a function from states of the original to states of the simplified model that
//! maps steps to steps with the same findings, and that preserves all observed conditions. So the two models are
//! bisimilar, and every property is preserved: deadlocks, assertions, LTL with or without `X`, CTL, fairness. Each
//! simplified state is the image of at least one state, so there are never more of them. A
//! [trail](kripke_model::trail) of the simplified model is a trail of the original.

mod constants;
mod dead_variables;
mod edge;
mod faults;
mod fields;
mod live_variables;
mod privatise;
mod remotely_read;
mod remove;
mod rewrite;
mod slice;

pub use faults::may_fault;
use kripke_model::ir::{Expr, Model, Place, VarRef};

/// The passes to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passes {
    /// Reset dead variables.
    pub dead_variables: bool,
    /// Fold constants, remove variables without influence and zero unread message fields.
    pub slicing: bool,
}

/// The changes made to a model.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Simplified {
    /// The number of resets of dead variables.
    pub resets: usize,
    /// The number of variables and assignments removed.
    pub sliced: usize,
    /// The number of expressions and edges removed by constant folding.
    pub folded: usize,
}

impl Simplified {
    /// True if nothing was changed.
    pub fn is_unchanged(&self) -> bool {
        *self == Simplified::default()
    }
}

/// Simplifies a model for a search. The result prints nothing and has no properties. Its variables may have other
/// numbers; `observed`, conditions on its states, are renumbered with them.
pub fn simplify(model: &mut Model, observed: &mut [Expr], passes: Passes) -> Simplified {
    let mut simplified = Simplified::default();
    if reads_hidden(model, observed) {
        return simplified;
    }
    model.properties.clear();
    let privatised = privatise::privatise(model, observed);
    if passes.slicing {
        simplified.folded = constants::fold_constants(model);
        simplified.sliced = privatised + slice::slice(model, observed);
    }
    if passes.dead_variables {
        simplified.resets = dead_variables::reset(model, observed);
        if !passes.slicing {
            simplified.resets += privatised;
        }
    }
    if passes.slicing && simplified.resets > 0 {
        // Variables that were read only by assignments to dead variables.
        simplified.sliced += slice::slice(model, observed);
    }
    while passes.slicing && fields::zero_unneeded(model, observed) > 0 {
        // Variables that were read only for message fields that no receiver reads.
        simplified.sliced += 1 + slice::slice(model, observed);
        if passes.dead_variables {
            simplified.resets += dead_variables::reset(model, observed);
        }
    }
    if !simplified.is_unchanged() {
        // Not after each pass: arguments of prints are not rewritten, and only the last passes drop them.
        model.debug_validate("simplification");
    }
    simplified
}

/// True if a hidden variable is read. States that differ only in hidden variables count as one. If such a variable is
/// read, the search must merge the same states as in the original.
fn reads_hidden(model: &Model, observed: &[Expr]) -> bool {
    let mut reads = false;
    let mut see = |expr: &Expr| {
        if let Expr::Load(Place { var: VarRef::Global(id), .. }) = expr {
            reads |= model.globals[id.index()].hidden;
        }
    };
    let watchers = model.observer.iter().map(|o| &o.automaton).chain(model.trace.iter().map(|t| &t.automaton));
    model.processes.iter().chain(watchers).for_each(|process| process.walk(&mut see));
    model.goal.iter().map(|goal| &goal.condition).chain(observed).for_each(|e| e.walk(&mut see));
    reads
}
