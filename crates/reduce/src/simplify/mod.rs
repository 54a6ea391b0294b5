//! Leaving out of a model what can't make a difference: values, assignments and variables nobody needs.
//!
//! A reduced model takes the same steps as the original, one for one and in the same order: process types keep their
//! locations and edges. There is a function from states of the original to states of the reduced model such that every
//! step of the one is a step of the other between the images, with the same findings, and such that everything that is
//! asked is equally true of a state and of its image. So the two are bisimilar, and whatever is asked about the one is
//! true of the other: deadlocks, assertions, formulas with or without `X`, branching, any assumption of fairness. And since
//! each reduced state is the image of at least one state, there are never more of them than before. A
//! [trail](kripke_model::trail) of the reduced model is one of the original.

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
mod set;
mod slice;

pub use faults::may_fault;
use kripke_model::ir::{Expr, Model, Place, VarRef};

/// What to do to a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Values that are not needed any more are replaced by a fixed one.
    pub dead_variables: bool,
    /// What has no influence is left out, and what never changes is computed beforehand.
    pub slicing: bool,
}

/// What was done to a model.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reduced {
    /// How many values are replaced, at how many places.
    pub resets: usize,
    /// How many variables were left out, and how many assignments.
    pub sliced: usize,
    /// How many expressions were computed.
    pub computed: usize,
}

impl Reduced {
    pub fn is_nothing(&self) -> bool {
        *self == Reduced::default()
    }
}

/// Makes the model smaller for a search. It prints nothing any more, states no properties, and its variables may have
/// other numbers: `asked` are conditions on its states and change with them.
pub fn simplify(model: &mut Model, asked: &mut [Expr], wanted: Wanted) -> Reduced {
    let mut reduced = Reduced::default();
    if reads_hidden(model, asked) {
        return reduced;
    }
    model.properties.clear();
    let adopted = privatise::privatise(model, asked);
    if wanted.slicing {
        reduced.computed = constants::compute(model);
        reduced.sliced = adopted + slice::slice(model, asked);
    }
    if wanted.dead_variables {
        reduced.resets = dead_variables::reset(model, asked);
        if !wanted.slicing {
            reduced.resets += adopted;
        }
    }
    if wanted.slicing && reduced.resets > 0 {
        // What was read only for the sake of dead variables.
        reduced.sliced += slice::slice(model, asked);
    }
    while wanted.slicing && fields::blank(model, asked) > 0 {
        // What was read only to be sent in vain.
        reduced.sliced += 1 + slice::slice(model, asked);
        if wanted.dead_variables {
            reduced.resets += dead_variables::reset(model, asked);
        }
    }
    if !reduced.is_nothing() {
        // Not after each pass: arguments of prints are not rewritten, and only the last passes drop them.
        model.debug_validate("simplification");
    }
    reduced
}

/// Whether somebody reads a hidden variable. States that differ only in hidden ones count as one, and if that makes a
/// difference, it must be the same states as before that do.
fn reads_hidden(model: &Model, asked: &[Expr]) -> bool {
    let mut reads = false;
    let mut see = |expr: &Expr| {
        if let Expr::Load(Place { var: VarRef::Global(id), .. }) = expr {
            reads |= model.globals[id.index()].hidden;
        }
    };
    let watchers = model.observer.iter().map(|o| &o.automaton).chain(model.trace.iter().map(|t| &t.automaton));
    model.processes.iter().chain(watchers).for_each(|process| process.walk(&mut see));
    model.goal.iter().map(|goal| &goal.condition).chain(asked).for_each(|e| e.walk(&mut see));
    reads
}
