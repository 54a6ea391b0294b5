//! The layout of states in words, from the values that variables can have.

use std::collections::{BTreeSet, HashSet};

use kripke_model::interpret::Interpreter;
use kripke_model::words::{Field, WordLayout};
use kripke_model::{Batch, Choice, Successors};

use crate::state_values::{StateValues, Value};

/// The number of states in which sets of processes are looked for.
const LOOKS: usize = 1000;

/// The layout of the states of a model in words. Nothing if states need too many bits, if the sets of processes are too
/// many, or if states have hidden variables.
///
/// If processes are created and removed, the sets of processes are those of the first states, and what is left of them when
/// the youngest processes end. A state with other processes does not fit.
pub fn word_layout(interpreter: &Interpreter) -> Option<WordLayout> {
    word_layout_of(interpreter, &StateValues::new(interpreter))
}

/// The same, from the values that were found before.
pub fn word_layout_of(interpreter: &Interpreter, values: &StateValues) -> Option<WordLayout> {
    if interpreter.layout().hidden > 0 {
        return None;
    }
    let shapes = if values.sets.dynamic { shapes(interpreter, values) } else { vec![values.initial_types()] };
    let shapes = shapes.iter().map(|types| values.shape(types));
    WordLayout::new(&shapes.map(|shape| (shape.template, shape.values.iter().map(field).collect())).collect::<Vec<_>>())
}

/// The field of a value: the shortest interval, which may wrap around, that covers its set.
fn field(value: &Value) -> Field {
    let bytes = value.width.bytes();
    let (base, count) = value.set.wrapped(8 * bytes as u8);
    Field { offset: value.offset, bytes, base, count }
}

/// The sets of processes of the first states, in breadth-first order, and all that are left when processes end.
fn shapes(interpreter: &Interpreter, values: &StateValues) -> Vec<Vec<u8>> {
    let (mut walker, mut batch, mut found) = (interpreter.for_thread(), Batch::new(), BTreeSet::new());
    walker.initial(&mut batch);
    let mut seen = HashSet::from([batch.state(0).to_vec()]);
    let (mut queue, mut at) = (vec![batch.state(0).to_vec()], 0);
    while at < queue.len() && queue.len() < LOOKS {
        batch.clear();
        walker.expand(&queue[at], Choice::All, &mut batch);
        queue.extend(batch.states().filter(|state| seen.insert(state.to_vec())).map(<[u8]>::to_vec));
        at += 1;
    }
    let mut these = Vec::new();
    for state in &queue {
        values.types(state, &mut these);
        // What remains of a set that was found is known, too.
        while found.insert(these.clone()) && these.pop().is_some() {}
    }
    found.into_iter().collect()
}
