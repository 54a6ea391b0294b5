//! The common shape of states.
//!
//! Many models create their processes at the start and keep them. Then nearly all states have the same processes at
//! the same offsets, and variables that are never written (mostly parameters) have constant values. Code for this
//! shape is much faster than code for any state.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kripke_model::ir::{VarId, VarRef};
use kripke_model::layout::Layout;
use kripke_model::{Batch, Choice, Interpreter, Model, Random, State, Successors};

use crate::Options;
use crate::facts::{Facts, sites};

/// The number of states sampled to find the common shape, and the time limit, since some models have long steps.
const LOOKS: usize = 400;
const TIME: Duration = Duration::from_millis(5);

const WORD: usize = size_of::<u64>();

/// The constant parts of the states of a shape.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    len: usize,
    checks: Vec<Check>,
}

/// A word of the state, or all of a shorter one: a mask of its constant bits, and their value.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Check {
    at: usize,
    mask: u64,
    value: u64,
}

impl Shape {
    /// The shape of a state.
    pub(crate) fn new(model: &Model, layout: &Layout, facts: &Facts, state: &State) -> Shape {
        let len = state.len();
        let mut shape = Shape { len, checks: Vec::new() };
        if facts.varies {
            let same = common(model, layout, facts, state);
            for at in (0..len).step_by(WORD).map(|at| at.min(len.saturating_sub(WORD))) {
                let (mask, value) = (word(&same, at), word(state, at));
                if mask != 0 {
                    shape.checks.push(Check { at, mask, value: value & mask });
                }
            }
        }
        shape
    }

    /// Whether a condition holds for every offset of a constant byte.
    pub(crate) fn all_constant(&self, condition: impl Fn(usize) -> bool) -> bool {
        let bytes = self.checks.iter().flat_map(|check| (0..WORD).map(move |i| (check.at + i, check.mask >> (8 * i))));
        bytes.filter(|(_, mask)| mask & 0xff != 0).all(|(at, _)| condition(at))
    }

    #[inline]
    pub(crate) fn fits(&self, state: &State) -> bool {
        state.len() == self.len && self.checks.iter().all(|c| word(state, c.at) & c.mask == c.value)
    }
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    let bytes = &bytes[at..];
    let short = || bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.first_chunk().map_or_else(short, |word| u64::from_le_bytes(*word))
}

/// A mask with 255 for every constant byte of the shape: types of processes, and locals that are never written.
fn common(model: &Model, layout: &Layout, facts: &Facts, state: &State) -> Vec<u8> {
    let mut same = vec![0; state.len()];
    for site in sites(layout, state) {
        let base = site.base as usize;
        same[base] = 255;
        let frame = &layout.frames[site.process as usize];
        for (i, (var, slot)) in model.processes[site.process as usize].locals.iter().zip(&frame.locals).enumerate() {
            if !facts.is_written(site.process, VarRef::Local(VarId(i as u32))) {
                let start = base + slot.offset;
                same[start..start + var.len() * slot.width.bytes()].fill(255);
            }
        }
    }
    same
}

/// The facts of the most frequent shape on a random walk through the model. `None` if special code is not useful.
pub(crate) fn usual(interpreter: &mut Interpreter, initial: Facts, options: Options) -> Option<Facts> {
    if !options.specialise {
        return None;
    }
    let (model, layout) = (interpreter.model().clone(), interpreter.layout().clone());
    let mut shapes: HashMap<Shape, (usize, Vec<u8>)> = HashMap::new();
    let (mut state, mut batch) = (initial.sample.clone(), Batch::new());
    // The seed is fixed, so the result is reproducible.
    let (mut random, start) = (Random::new(1), Instant::now());
    for look in (1..=LOOKS).take_while(|_| start.elapsed() < TIME) {
        let shape = Shape::new(&model, &layout, &initial, &state);
        shapes.entry(shape).or_insert_with(|| (0, state.clone())).0 += look;
        batch.clear();
        interpreter.expand(&state, Choice::All, &mut batch);
        state = match batch.len() {
            0 => initial.sample.clone(),
            n => batch.state(random.below(n)).to_vec(),
        };
    }
    // Among equally frequent shapes a later one wins, since the start of a run is not typical.
    let most = shapes.into_values().max();
    most.map(|(_, sample)| Facts::new(&model, &layout, sample, true))
}
