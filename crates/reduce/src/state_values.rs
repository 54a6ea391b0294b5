//! The values of a packed state, one by one: their places, and the values that each can have.
//!
//! Both forms of states that are shorter than packed ones are made from this list: [compact](crate::compact) states, and
//! states in [words](crate::words).

use kripke_model::State;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{ChannelId, ProcessId, Type, VarId};
use kripke_model::layout::{Layout, Slot, Width};

use crate::value_sets::{ValueSet, ValueSets, VariableSets};

/// What is known about the states of a model before the search. Computing it takes time: one value serves all forms of states.
#[derive(Debug)]
pub struct StateValues {
    pub(crate) layout: Layout,
    pub(crate) sets: ValueSets,
    initial: Vec<u8>,
    /// The numbers of locations of the trace automaton and of the observer.
    trace: usize,
    observer: usize,
}

/// The states with the same processes.
#[derive(Debug)]
pub(crate) struct Shape {
    /// A packed state with the bytes that are equal in all of these states.
    pub template: Vec<u8>,
    /// The offsets of the processes.
    pub at: Vec<u32>,
    /// The values that vary. Values that never do are in the template.
    pub values: Vec<Value>,
    /// The number of channels so far.
    channels: usize,
}

/// A value of a state.
#[derive(Debug)]
pub(crate) struct Value {
    pub offset: usize,
    pub width: Width,
    pub ty: Type,
    pub set: ValueSet,
}

impl StateValues {
    /// Analyses the model of an interpreter.
    pub fn new(interpreter: &Interpreter) -> StateValues {
        let model = interpreter.model();
        StateValues {
            layout: interpreter.layout().clone(),
            sets: ValueSets::new(interpreter),
            initial: interpreter.initial_state().to_vec(),
            trace: model.trace.as_ref().map_or(0, |t| t.automaton.locations.len()),
            observer: model.observer.as_ref().map_or(0, |o| o.automaton.locations.len()),
        }
    }

    /// The types of the processes of a state.
    pub(crate) fn types(&self, state: &State, types: &mut Vec<u8>) {
        types.clear();
        let mut at = self.layout.fixed;
        while at < state.len() {
            types.push(state[at]);
            at += self.layout.frames[usize::from(state[at])].size;
        }
    }

    /// The types of the processes of the initial state.
    pub(crate) fn initial_types(&self) -> Vec<u8> {
        let mut types = Vec::new();
        self.types(&self.initial, &mut types);
        types
    }

    /// The states with processes of these types.
    pub(crate) fn shape(&self, types: &[u8]) -> Shape {
        let template = self.initial[..self.layout.fixed].to_vec();
        let mut shape = Shape { template, at: Vec::new(), values: Vec::new(), channels: 0 };
        self.fixed(types.len(), &mut shape);
        for (pid, &ty) in types.iter().enumerate() {
            shape.at.push(shape.template.len() as u32);
            self.process(pid, usize::from(ty), &mut shape);
        }
        shape
    }

    /// Adds the values before the first process.
    fn fixed(&self, processes: usize, shape: &mut Shape) {
        let StateValues { layout, sets, .. } = self;
        if let Some(at) = layout.last {
            shape.number(at, Width::U8, if sets.dynamic { 256 } else { processes });
        }
        if let Some(at) = layout.event {
            shape.number(at, Width::U16, self.trace);
        }
        if let Some(at) = layout.observer {
            shape.number(at.offset, location_width(at.wide), self.observer);
        }
        for (i, slot) in layout.globals.iter().enumerate() {
            let values = sets.global(VarId(i as u32));
            // Variables that are never written are in the template.
            if slot.offset >= layout.hidden && values.is_written() {
                shape.variable(slot, 0, values);
            }
        }
        layout.global_channels.iter().for_each(|c| self.channel(c.declaration, c.offset as usize, shape));
    }

    fn process(&self, pid: usize, ty: usize, shape: &mut Shape) {
        let StateValues { layout, sets, .. } = self;
        let (frame, base, id) = (&layout.frames[ty], shape.template.len(), ProcessId(ty as u32));
        // If processes are never removed, variables that they never write stay as in the initial state.
        let constant = (!sets.dynamic).then(|| &self.initial[base..base + frame.size]);
        match constant {
            Some(bytes) => shape.template.extend_from_slice(bytes),
            None => shape.template.resize(base + frame.size, 0),
        }
        shape.template[base] = ty as u8;
        let locations = ValueSet::of(sets.locations(pid, id).iter().map(|at| at.0 as i32).collect());
        shape.value(base + 1, location_width(frame.wide_location), NUMBER, &locations);
        if let Some(at) = frame.priority
            && (sets.dynamic || sets.reprioritises)
        {
            shape.number(base + at, Width::U8, 256);
        }
        for (i, slot) in frame.locals.iter().enumerate() {
            let values = sets.local(pid, id, VarId(i as u32));
            if values.is_written() || constant.is_none() {
                shape.variable(slot, base, values);
            }
        }
        frame.channels.iter().for_each(|c| self.channel(c.declaration, base + c.offset as usize, shape));
    }

    fn channel(&self, declaration: u32, at: usize, shape: &mut Shape) {
        let (buffer, number) = (&self.layout.buffers[declaration as usize], shape.channels);
        shape.channels += 1;
        if buffer.capacity == 0 {
            return;
        }
        shape.number(at, Width::U8, buffer.capacity + 1);
        for slot in 0..buffer.capacity {
            for (i, field) in buffer.fields.iter().enumerate() {
                let values = self.sets.field(number, ChannelId(declaration), i);
                shape.value(at + 1 + slot * buffer.message + field.offset, field.width, field.ty, values);
            }
        }
    }
}

impl Shape {
    fn value(&mut self, offset: usize, width: Width, ty: Type, set: &ValueSet) {
        match set.single() {
            Some(value) => width.store(&mut self.template, offset, value),
            None => self.values.push(Value { offset, width, ty, set: set.clone() }),
        }
    }

    /// Adds a number from 0 to `count - 1`.
    fn number(&mut self, offset: usize, width: Width, count: usize) {
        self.value(offset, width, NUMBER, &ValueSet::below(count));
    }

    fn variable(&mut self, slot: &Slot, base: usize, values: &VariableSets) {
        for i in 0..slot.len() {
            self.value(base + slot.offset + i * slot.width.bytes(), slot.width, slot.ty, values.element(i));
        }
    }
}

/// The type of numbers that are no values of variables.
const NUMBER: Type = Type { bits: 32, signed: true, shows: kripke_model::ir::Shows::Number };

fn location_width(wide: bool) -> Width {
    if wide { Width::U16 } else { Width::U8 }
}
