//! States in as few bytes as their values need.
//!
//! Engines work on states as the [layout](kripke_model::layout) packs them, a byte at least for each value. A store can keep
//! them smaller: each value is a digit of a number in which every digit has a radix of its own, the number of values it
//! can have (state compaction; J. Geldenhuys, *Efficiency issues in the design of a model checker*, sections 3.4.3 and
//! 4.3). A [`Codec`] goes from one form to the other and back, [`Compacted`] makes [`Successors`](kripke_model::Successors) of
//! compact states out of others.
//!
//! ```text
//! [hidden globals] [which processes] [cells]
//! ```
//!
//! Which processes there are is told only where processes are created or removed: a byte 0 for those of the initial
//! state, else their number and types. Such beginnings are never the beginning of another, and the rest has a length
//! and a meaning that follow from them: different states are different bytes.

mod adapter;
mod packing;
mod ranges;

use std::collections::HashMap;
use std::sync::Arc;

pub use adapter::Compacted;
use kripke_model::State;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::Model;
use kripke_model::layout::{Layout, Slot, Width};
use packing::Packing;
use ranges::{Interval, Known, Ranges};

/// Packings of more sets of processes are not remembered.
const REMEMBERED: usize = 1 << 10;

/// From packed states to compact ones and back.
#[derive(Clone, Debug)]
pub struct Codec {
    plans: Arc<Plans>,
    /// Those of the processes in the initial state.
    initial: Arc<Plan>,
    /// What was needed last.
    recent: Arc<Plan>,
    others: HashMap<Vec<u8>, Arc<Plan>>,
    types: Vec<u8>,
    /// Of the state decoded last: its cells, and how it is packed.
    numbers: Vec<u64>,
    changed: Vec<u64>,
    decoded: Arc<Plan>,
}

/// What is known before any state.
#[derive(Debug)]
struct Plans {
    layout: Layout,
    ranges: Ranges,
    initial: Vec<u8>,
    /// Of each process type.
    locations: Vec<usize>,
    trace: usize,
    observer: usize,
}

/// How states with certain processes are packed.
#[derive(Debug)]
struct Plan {
    /// The types of the processes.
    types: Vec<u8>,
    /// Where they lie.
    at: Vec<u32>,
    /// How compact states say which processes they have.
    header: Vec<u8>,
    /// A state, with what is the same in all of them.
    template: Vec<u8>,
    packing: Packing,
}

impl Codec {
    /// For the states of this interpreter's model.
    pub fn of(interpreter: &Interpreter) -> Codec {
        Codec::new(interpreter.model(), interpreter.layout(), interpreter.initial_state())
    }

    fn new(model: &Model, layout: &Layout, initial: &State) -> Codec {
        let plans = Plans {
            layout: layout.clone(),
            ranges: Ranges::new(model, layout, initial),
            initial: initial.to_vec(),
            locations: model.processes.iter().map(|p| p.locations.len()).collect(),
            trace: model.trace.as_ref().map_or(0, |t| t.automaton.locations.len()),
            observer: model.observer.as_ref().map_or(0, |o| o.automaton.locations.len()),
        };
        let mut types = Vec::new();
        plans.types(initial, &mut types);
        let header = if plans.ranges.varies { vec![0] } else { Vec::new() };
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

    /// How many bits tell one state with the processes of the initial one from all others, if all combinations of
    /// values are possible: the logarithm of their number.
    pub fn bits(&self) -> u64 {
        // Sums of powers of two are exact; others are never as close to a whole number.
        (self.initial.packing.bits() - 1e-9).ceil().max(0.0) as u64
    }

    /// How many a packed state with these processes takes.
    pub fn packed_bits(&self) -> u64 {
        8 * self.initial.template.len() as u64
    }

    /// Appends the compact form of a state.
    ///
    /// # Panics
    /// If it is no state of the model.
    pub fn encode(&mut self, state: &State, out: &mut Vec<u8>) {
        if !self.recent.fits(state) {
            self.choose(state);
        }
        let plan = &*self.recent;
        out.extend_from_slice(&state[..self.plans.layout.hidden]);
        out.extend_from_slice(&plan.header);
        plan.packing.pack(state, out);
        if plan.header.len() + plan.packing.bytes == 0 {
            // Stores want something to keep.
            out.push(0);
        }
    }

    /// The same for a state that is likely to be much like the one that was decoded last.
    pub(crate) fn encode_like(&mut self, like: &State, state: &State, out: &mut Vec<u8>) {
        let (plan, hidden) = (&*self.decoded, self.plans.layout.hidden);
        if plan.packing.bytes == 0 || !plan.fits(state) {
            return self.encode(state, out);
        }
        out.extend_from_slice(&state[..hidden]);
        out.extend_from_slice(&plan.header);
        self.changed.clone_from(&self.numbers);
        plan.packing.pack_like(like, &mut self.changed, state, hidden, out);
    }

    /// The state that has this compact form.
    ///
    /// # Panics
    /// If there is none.
    pub fn decode(&mut self, compact: &[u8], state: &mut Vec<u8>) {
        let (hidden, rest) = compact.split_at(self.plans.layout.hidden);
        if !rest.starts_with(&self.recent.header) {
            self.recall(rest);
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
    fn choose(&mut self, state: &State) {
        if self.initial.fits(state) {
            self.recent = self.initial.clone();
            return;
        }
        let mut types = std::mem::take(&mut self.types);
        self.plans.types(state, &mut types);
        self.find(types);
    }

    #[cold]
    fn recall(&mut self, rest: &[u8]) {
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
            if self.others.len() >= REMEMBERED {
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
    /// Are these the processes of the state?
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

    /// Types of processes as digits.
    fn type_packing(&self, count: usize) -> Packing {
        let mut packing = Packing::default();
        (0..count).for_each(|i| packing.add(i, Width::U8, Interval::below(self.layout.frames.len())));
        packing
    }

    fn header(&self, types: &[u8]) -> Vec<u8> {
        // 0 is for the processes of the initial state.
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
        let mut draft = Draft { plans: self, packing: Packing::default(), template: Vec::new() };
        draft.template.extend_from_slice(&self.initial[..self.layout.fixed]);
        draft.fixed(types.len());
        let mut at = Vec::new();
        for &ty in &types {
            at.push(draft.template.len() as u32);
            draft.process(usize::from(ty));
        }
        Plan { types, at, header, packing: draft.packing, template: draft.template }
    }
}

/// A plan in the making.
struct Draft<'p> {
    plans: &'p Plans,
    packing: Packing,
    template: Vec<u8>,
}

impl Draft<'_> {
    fn value(&mut self, offset: usize, width: Width, values: Interval) {
        if values.count() == 1 {
            width.store(&mut self.template, offset, values.low as i32);
        }
        self.packing.add(offset, width, values);
    }

    /// What is before the processes.
    fn fixed(&mut self, processes: usize) {
        let (layout, ranges) = (&self.plans.layout, &self.plans.ranges);
        if let Some(at) = layout.last {
            self.value(at, Width::U8, Interval::below(if ranges.varies { 256 } else { processes }));
        }
        if let Some(at) = layout.event {
            self.value(at, Width::U16, Interval::below(self.plans.trace));
        }
        if let Some(at) = layout.observer {
            self.value(at.offset, location_width(at.wide), Interval::below(self.plans.observer));
        }
        for (slot, known) in layout.globals.iter().zip(&ranges.globals) {
            // Those never written are in the template already.
            if slot.offset >= layout.hidden && known.written {
                self.variable(slot, 0, known);
            }
        }
        layout.global_channels.iter().for_each(|c| self.channel(c.declaration, c.offset as usize));
    }

    fn process(&mut self, ty: usize) {
        let (layout, ranges) = (&self.plans.layout, &self.plans.ranges);
        let (frame, base) = (&layout.frames[ty], self.template.len());
        // Where processes stay for ever, so does what they never write.
        let constant = (!ranges.varies).then(|| &self.plans.initial[base..base + frame.size]);
        match constant {
            Some(bytes) => self.template.extend_from_slice(bytes),
            None => self.template.resize(base + frame.size, 0),
        }
        self.template[base] = ty as u8;
        self.value(base + 1, location_width(frame.wide_location), Interval::below(self.plans.locations[ty]));
        if let Some(at) = frame.priority
            && (ranges.varies || ranges.reprioritises)
        {
            self.value(base + at, Width::U8, Interval::below(256));
        }
        for (slot, known) in frame.locals.iter().zip(&ranges.locals[ty]) {
            if known.written || constant.is_none() {
                self.variable(slot, base, known);
            }
        }
        frame.channels.iter().for_each(|c| self.channel(c.declaration, base + c.offset as usize));
    }

    fn variable(&mut self, slot: &Slot, base: usize, known: &Known) {
        for i in 0..slot.len() {
            self.value(base + slot.offset + i * slot.width.bytes(), slot.width, known.values());
        }
    }

    fn channel(&mut self, declaration: u32, at: usize) {
        let buffer = &self.plans.layout.buffers[declaration as usize];
        if buffer.capacity == 0 {
            return;
        }
        self.value(at, Width::U8, Interval::below(buffer.capacity + 1));
        for slot in 0..buffer.capacity {
            for (i, field) in buffer.fields.iter().enumerate() {
                let values = self.plans.ranges.field(i, field.ty);
                self.value(at + 1 + slot * buffer.message + field.offset, field.width, values);
            }
        }
    }
}

fn location_width(wide: bool) -> Width {
    if wide { Width::U16 } else { Width::U8 }
}
