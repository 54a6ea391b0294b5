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

use crate::value_sets::{ValueSet, ValueSets, VariableSets};
pub use adapter::Compacted;
use kripke_model::State;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{ChannelId, Model, ProcessId, Type, VarId};
use kripke_model::layout::{Layout, Slot, Width};
use packing::{Numbers, Packing};

/// The most plans that are cached.
const MAX_PLANS: usize = 1 << 10;

/// Converts packed states to compact ones and back.
#[derive(Clone, Debug)]
pub struct Codec {
    plans: Arc<Plans>,
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

/// What is known before the search, shared by all threads.
#[derive(Debug)]
struct Plans {
    layout: Layout,
    sets: ValueSets,
    initial: Vec<u8>,
    trace: usize,
    observer: usize,
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
        Codec::new(interpreter.model(), interpreter.layout(), interpreter.initial_state(), ValueSets::new(interpreter))
    }

    fn new(model: &Model, layout: &Layout, initial: &State, sets: ValueSets) -> Codec {
        let plans = Plans {
            layout: layout.clone(),
            sets,
            initial: initial.to_vec(),
            trace: model.trace.as_ref().map_or(0, |t| t.automaton.locations.len()),
            observer: model.observer.as_ref().map_or(0, |o| o.automaton.locations.len()),
        };
        let mut types = Vec::new();
        plans.types(initial, &mut types);
        let header = if plans.sets.dynamic { vec![0] } else { Vec::new() };
        let initial = Arc::new(plans.plan(types, header));
        let (recent, decoded) = (initial.clone(), initial.clone());
        let (others, types) = (HashMap::new(), Vec::new());
        Codec {
            plans: Arc::new(plans),
            initial,
            recent,
            others,
            types,
            numbers: Vec::new(),
            changed: Vec::new(),
            decoded,
        }
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
        out.extend_from_slice(&state[..self.plans.layout.hidden]);
        out.extend_from_slice(&plan.header);
        plan.packing.pack(state, out);
        if plan.header.len() + plan.packing.bytes == 0 {
            // Stores do not accept empty states.
            out.push(0);
        }
    }

    /// Appends the compact form of a state, as a difference from the state decoded last, which is `like`.
    pub(crate) fn encode_difference(&mut self, like: &State, state: &State, out: &mut Vec<u8>) {
        let (plan, hidden) = (&*self.decoded, self.plans.layout.hidden);
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
        let (hidden, rest) = compact.split_at(self.plans.layout.hidden);
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
        self.plans.types(state, &mut types);
        self.find(types);
    }

    #[cold]
    fn select_for_header(&mut self, rest: &[u8]) {
        if rest.starts_with(&self.initial.header) {
            self.recent = self.initial.clone();
            return;
        }
        let mut types = std::mem::take(&mut self.types);
        self.plans.read_header(rest, &mut types);
        self.find(types);
    }

    fn find(&mut self, types: Vec<u8>) {
        if let Some(plan) = self.others.get(&types) {
            self.recent = plan.clone();
        } else {
            if self.others.len() >= MAX_PLANS {
                self.others.clear();
            }
            let header = self.plans.header(&types);
            self.recent = Arc::new(self.plans.plan(types.clone(), header));
            self.others.insert(types.clone(), self.recent.clone());
        }
        self.types = types;
    }
}

impl Plan {
    /// True if a state has the processes of this plan.
    #[inline]
    fn fits(&self, state: &State) -> bool {
        let same = |(at, ty): (&u32, &u8)| state[*at as usize] == *ty;
        state.len() == self.template.len() && self.at.iter().zip(&self.types).all(same)
    }
}

impl Plans {
    fn types(&self, state: &State, types: &mut Vec<u8>) {
        types.clear();
        let mut at = self.layout.fixed;
        while at < state.len() {
            types.push(state[at]);
            at += self.layout.frames[usize::from(state[at])].size;
        }
    }

    /// The packing of process types as digits.
    fn type_packing(&self, count: usize) -> Packing {
        let mut packing = Packing::default();
        (0..count).for_each(|i| packing.add(i, Width::U8, Numbers::below(self.layout.frames.len())));
        packing
    }

    fn header(&self, types: &[u8]) -> Vec<u8> {
        // 0 stands for the processes of the initial state.
        let mut header = vec![(types.len() + 1).min(255) as u8];
        if types.len() >= 254 {
            header.push(types.len() as u8);
        }
        self.type_packing(types.len()).pack(types, &mut header);
        header
    }

    fn read_header(&self, rest: &[u8], types: &mut Vec<u8>) {
        let (count, start) = if rest[0] == 255 { (usize::from(rest[1]), 2) } else { (usize::from(rest[0]) - 1, 1) };
        types.clear();
        types.resize(count, 0);
        self.type_packing(count).unpack(&rest[start..], types, &mut Vec::new());
    }

    fn plan(&self, types: Vec<u8>, header: Vec<u8>) -> Plan {
        let (packing, template) = (Packing::default(), Vec::new());
        let mut builder = PlanBuilder { plans: self, packing, template, channels: 0 };
        builder.template.extend_from_slice(&self.initial[..self.layout.fixed]);
        builder.fixed(types.len());
        let mut at = Vec::new();
        for (pid, &ty) in types.iter().enumerate() {
            at.push(builder.template.len() as u32);
            builder.process(pid, usize::from(ty));
        }
        Plan { types, at, header, packing: builder.packing, template: builder.template }
    }
}

/// A plan under construction.
struct PlanBuilder<'p> {
    plans: &'p Plans,
    packing: Packing,
    template: Vec<u8>,
    /// The number of channels so far.
    channels: usize,
}

impl PlanBuilder<'_> {
    fn value(&mut self, offset: usize, width: Width, values: Numbers) {
        if values.count == 1 {
            width.store(&mut self.template, offset, values.base);
        }
        self.packing.add(offset, width, values);
    }

    /// Adds the values before the first process.
    fn fixed(&mut self, processes: usize) {
        let (layout, sets) = (&self.plans.layout, &self.plans.sets);
        if let Some(at) = layout.last {
            self.value(at, Width::U8, Numbers::below(if sets.dynamic { 256 } else { processes }));
        }
        if let Some(at) = layout.event {
            self.value(at, Width::U16, Numbers::below(self.plans.trace));
        }
        if let Some(at) = layout.observer {
            self.value(at.offset, location_width(at.wide), Numbers::below(self.plans.observer));
        }
        for (i, slot) in layout.globals.iter().enumerate() {
            let values = sets.global(VarId(i as u32));
            // Variables that are never written are in the template.
            if slot.offset >= layout.hidden && values.is_written() {
                self.variable(slot, 0, values);
            }
        }
        layout.global_channels.iter().for_each(|c| self.channel(c.declaration, c.offset as usize));
    }

    fn process(&mut self, pid: usize, ty: usize) {
        let (layout, sets) = (&self.plans.layout, &self.plans.sets);
        let (frame, base, id) = (&layout.frames[ty], self.template.len(), ProcessId(ty as u32));
        // If processes are never removed, variables that they never write stay as in the initial state.
        let constant = (!sets.dynamic).then(|| &self.plans.initial[base..base + frame.size]);
        match constant {
            Some(bytes) => self.template.extend_from_slice(bytes),
            None => self.template.resize(base + frame.size, 0),
        }
        self.template[base] = ty as u8;
        let locations = ValueSet::of(sets.locations(pid, id).iter().map(|at| at.0 as i32).collect());
        let word = Type::number(32, true);
        self.value(base + 1, location_width(frame.wide_location), Numbers::of(&locations, word));
        if let Some(at) = frame.priority
            && (sets.dynamic || sets.reprioritises)
        {
            self.value(base + at, Width::U8, Numbers::below(256));
        }
        for (i, slot) in frame.locals.iter().enumerate() {
            let values = sets.local(pid, id, VarId(i as u32));
            if values.is_written() || constant.is_none() {
                self.variable(slot, base, values);
            }
        }
        frame.channels.iter().for_each(|c| self.channel(c.declaration, base + c.offset as usize));
    }

    fn variable(&mut self, slot: &Slot, base: usize, values: &VariableSets) {
        for i in 0..slot.len() {
            let values = Numbers::of(values.element(i), slot.ty);
            self.value(base + slot.offset + i * slot.width.bytes(), slot.width, values);
        }
    }

    fn channel(&mut self, declaration: u32, at: usize) {
        let number = self.channels;
        self.channels += 1;
        let buffer = &self.plans.layout.buffers[declaration as usize];
        if buffer.capacity == 0 {
            return;
        }
        self.value(at, Width::U8, Numbers::below(buffer.capacity + 1));
        for slot in 0..buffer.capacity {
            for (i, field) in buffer.fields.iter().enumerate() {
                let values = Numbers::of(self.plans.sets.field(number, ChannelId(declaration), i), field.ty);
                self.value(at + 1 + slot * buffer.message + field.offset, field.width, values);
            }
        }
    }
}

fn location_width(wide: bool) -> Width {
    if wide { Width::U16 } else { Width::U8 }
}
