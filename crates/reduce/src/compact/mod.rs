//! State compaction: states in as few bytes as their values need.
//!
//! Engines work on states as the [layout](kripke_model::layout) packs them, at least one byte for each value. A store
//! can keep them smaller. Each value is a digit of a variable-radix number, and its radix is the number of values
//! that it can have (J. Geldenhuys, *Efficiency issues in the design of a model checker*, sections 3.4.3 and 4.3). A
//! [`Codec`] converts between the two forms. [`Compacted`] wraps [`Successors`](kripke_model::Successors) so that
//! they use compact states.
//!
//! ```text
//! [hidden globals] [processes] [cells]
//! ```
//!
//! The processes are encoded only if processes are created or removed: a byte 0 for those of the initial state,
//! otherwise their number and types. This code is prefix-free and determines the length and meaning of the cells, so
//! different states have different compact forms.

mod adapter;
mod packing;

use std::collections::HashMap;
use std::sync::Arc;

use crate::state_values::{Shape, StateValues};
pub use adapter::Compacted;
use kripke_model::State;
use kripke_model::interpret::Interpreter;
use kripke_model::layout::Width;
use packing::{Numbers, Packing};

/// The most plans that are cached.
const MAX_PLANS: usize = 1 << 10;

/// Converts packed states to compact ones and back.
#[derive(Clone, Debug)]
pub struct Codec {
    /// What is known before the search, shared by all threads.
    values: Arc<StateValues>,
    /// The plan for the processes of the initial state.
    initial: Arc<Plan>,
    /// The plan that was used last.
    recent: Arc<Plan>,
    others: HashMap<Vec<u8>, Arc<Plan>>,
    types: Vec<u8>,
    /// The cells and the plan of the state that was decoded last.
    numbers: Vec<u64>,
    changed: Vec<u64>,
    decoded: Arc<Plan>,
}

/// How states with the same process types are packed.
#[derive(Debug)]
struct Plan {
    /// The types of the processes.
    types: Vec<u8>,
    /// The offsets of the processes in a packed state.
    at: Vec<u32>,
    /// The encoding of the processes in compact states.
    header: Vec<u8>,
    /// A packed state with the bytes that are equal in all of these states.
    template: Vec<u8>,
    packing: Packing,
}

impl Codec {
    /// The codec for the states of an interpreter's model.
    pub fn of(interpreter: &Interpreter) -> Codec {
        Codec::with(Arc::new(StateValues::new(interpreter)))
    }

    /// The codec from the values that were found before.
    pub fn with(values: Arc<StateValues>) -> Codec {
        let header = if values.sets.dynamic { vec![0] } else { Vec::new() };
        let initial = Arc::new(Plan::new(&values, values.initial_types(), header));
        let (recent, decoded) = (initial.clone(), initial.clone());
        let (others, types) = (HashMap::new(), Vec::new());
        Codec { values, initial, recent, others, types, numbers: Vec::new(), changed: Vec::new(), decoded }
    }

    /// The number of bits of a state with the processes of the initial one, if all combinations of values are
    /// possible.
    pub fn bits(&self) -> u64 {
        // Sums of powers of two are exact; other sums are never this close to an integer.
        (self.initial.packing.bits() - 1e-9).ceil().max(0.0) as u64
    }

    /// The number of bits of the packed form of such a state.
    pub fn packed_bits(&self) -> u64 {
        8 * self.initial.template.len() as u64
    }

    /// Appends the compact form of a state.
    ///
    /// # Panics
    /// If it is no state of the model.
    pub fn encode(&mut self, state: &State, out: &mut Vec<u8>) {
        if !self.recent.fits(state) {
            self.select_for_state(state);
        }
        let plan = &*self.recent;
        out.extend_from_slice(&state[..self.values.layout.hidden]);
        out.extend_from_slice(&plan.header);
        plan.packing.pack(state, out);
        if plan.header.len() + plan.packing.bytes == 0 {
            // Stores do not accept empty states.
            out.push(0);
        }
    }

    /// Appends the compact form of a state, as a difference from the state decoded last, which is `like`.
    pub(crate) fn encode_difference(&mut self, like: &State, state: &State, out: &mut Vec<u8>) {
        let (plan, hidden) = (&*self.decoded, self.values.layout.hidden);
        if plan.packing.bytes == 0 || !plan.fits(state) {
            return self.encode(state, out);
        }
        out.extend_from_slice(&state[..hidden]);
        out.extend_from_slice(&plan.header);
        self.changed.clone_from(&self.numbers);
        plan.packing.pack_difference(like, &mut self.changed, state, hidden, out);
    }

    /// The state that has this compact form.
    ///
    /// # Panics
    /// If there is none.
    pub fn decode(&mut self, compact: &[u8], state: &mut Vec<u8>) {
        let (hidden, rest) = compact.split_at(self.values.layout.hidden);
        if !rest.starts_with(&self.recent.header) {
            self.select_for_header(rest);
        }
        let plan = &*self.recent;
        state.clear();
        state.extend_from_slice(&plan.template);
        state[..hidden.len()].copy_from_slice(hidden);
        plan.packing.unpack(&rest[plan.header.len()..], state, &mut self.numbers);
        if !Arc::ptr_eq(&self.decoded, &self.recent) {
            self.decoded = self.recent.clone();
        }
    }

    #[cold]
    fn select_for_state(&mut self, state: &State) {
        if self.initial.fits(state) {
            self.recent = self.initial.clone();
            return;
        }
        let mut types = std::mem::take(&mut self.types);
        self.values.types(state, &mut types);
        self.find(types);
    }

    #[cold]
    fn select_for_header(&mut self, rest: &[u8]) {
        if rest.starts_with(&self.initial.header) {
            self.recent = self.initial.clone();
            return;
        }
        let mut types = std::mem::take(&mut self.types);
        read_header(&self.values, rest, &mut types);
        self.find(types);
    }

    fn find(&mut self, types: Vec<u8>) {
        if let Some(plan) = self.others.get(&types) {
            self.recent = plan.clone();
        } else {
            if self.others.len() >= MAX_PLANS {
                self.others.clear();
            }
            let header = header(&self.values, &types);
            self.recent = Arc::new(Plan::new(&self.values, types.clone(), header));
            self.others.insert(types.clone(), self.recent.clone());
        }
        self.types = types;
    }
}

impl Plan {
    fn new(values: &StateValues, types: Vec<u8>, header: Vec<u8>) -> Plan {
        let Shape { template, at, values, .. } = values.shape(&types);
        let mut packing = Packing::default();
        for value in &values {
            packing.add(value.offset, value.width, Numbers::of(&value.set, value.ty));
        }
        Plan { types, at, header, template, packing }
    }

    /// True if a state has the processes of this plan.
    #[inline]
    fn fits(&self, state: &State) -> bool {
        let same = |(at, ty): (&u32, &u8)| state[*at as usize] == *ty;
        state.len() == self.template.len() && self.at.iter().zip(&self.types).all(same)
    }
}

/// The packing of process types as digits.
fn type_packing(values: &StateValues, count: usize) -> Packing {
    let mut packing = Packing::default();
    (0..count).for_each(|i| packing.add(i, Width::U8, Numbers::below(values.layout.frames.len())));
    packing
}

fn header(values: &StateValues, types: &[u8]) -> Vec<u8> {
    // 0 stands for the processes of the initial state.
    let mut header = vec![(types.len() + 1).min(255) as u8];
    if types.len() >= 254 {
        header.push(types.len() as u8);
    }
    type_packing(values, types.len()).pack(types, &mut header);
    header
}

fn read_header(values: &StateValues, rest: &[u8], types: &mut Vec<u8>) {
    let (count, start) = if rest[0] == 255 { (usize::from(rest[1]), 2) } else { (usize::from(rest[0]) - 1, 1) };
    types.clear();
    types.resize(count, 0);
    type_packing(values, count).unpack(&rest[start..], types, &mut Vec::new());
}
