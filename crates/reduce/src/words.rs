//! The layout of states in words, from the values that variables can have.

use std::collections::{BTreeSet, HashSet};

use kripke_model::interpret::Interpreter;
use kripke_model::ir::{ChannelId, Edge, LocId, Model, ProcessId, VarId, VarRef};
use kripke_model::layout::{Layout, Slot, Width};
use kripke_model::words::{Field, WordLayout};
use kripke_model::{Batch, Choice, State, Successors};

use crate::value_sets::{ValueSet, ValueSets, VariableSets};
use crate::writes::writes;

/// The number of states in which sets of processes are looked for.
const LOOKS: usize = 1000;

/// The layout of the states of a model in words. Nothing if states need too many bits, if the sets of processes are too
/// many, or if states have hidden variables.
///
/// If processes are created and removed, the sets of processes are those of the first states, and what is left of them when
/// the youngest processes end. A state with other processes does not fit.
pub fn word_layout(interpreter: &Interpreter) -> Option<WordLayout> {
    if interpreter.layout().hidden > 0 {
        return None;
    }
    let sets = ValueSets::new(interpreter);
    let initial = types(interpreter.layout(), interpreter.initial_state());
    let shapes = if sets.dynamic { shapes(interpreter) } else { vec![initial] };
    let planner = Planner { interpreter, model: interpreter.model(), layout: interpreter.layout(), sets: &sets };
    let written = planner.written();
    WordLayout::new(&shapes.iter().map(|types| planner.shape(types, &written)).collect::<Vec<_>>())
}

/// The types of the processes of a state.
fn types(layout: &Layout, state: &State) -> Vec<u8> {
    let (mut types, mut at) = (Vec::new(), layout.fixed);
    while at < state.len() {
        types.push(state[at]);
        at += layout.frames[usize::from(state[at])].size;
    }
    types
}

/// The sets of processes of the first states, in breadth-first order, and all that are left when processes end.
fn shapes(interpreter: &Interpreter) -> Vec<Vec<u8>> {
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
    for state in &queue {
        let mut these = types(interpreter.layout(), state);
        // What remains of a set that was found is known, too.
        while found.insert(these.clone()) && these.pop().is_some() {}
    }
    found.into_iter().collect()
}

struct Planner<'a> {
    interpreter: &'a Interpreter,
    model: &'a Model,
    layout: &'a Layout,
    sets: &'a ValueSets,
}

/// The variables that some edge writes: globals, and locals with their process type.
type Written = HashSet<(Option<usize>, VarId)>;

/// The constant values and the fields of a shape.
struct Shape {
    template: Vec<u8>,
    fields: Vec<Field>,
    /// The number of channels so far.
    channels: usize,
}

impl Shape {
    fn value(&mut self, offset: usize, width: Width, values: &ValueSet) {
        let (base, count) = values.wrapped(8 * width.bytes() as u8);
        match values.single() {
            Some(value) => width.store(&mut self.template, offset, value),
            None => self.fields.push(Field { offset, bytes: width.bytes(), base, count }),
        }
    }
}

impl Planner<'_> {
    fn written(&self) -> Written {
        let mut written = Written::new();
        for (i, process) in self.model.processes.iter().enumerate() {
            let mut see = |edge: &Edge| {
                writes(edge, &mut |var| match var {
                    VarRef::Global(id) => written.extend([(None, id)]),
                    VarRef::Local(id) => written.extend([(Some(i), id)]),
                });
            };
            process.edges.iter().for_each(&mut see);
        }
        written
    }

    fn shape(&self, types: &[u8], written: &Written) -> (Vec<u8>, Vec<Field>) {
        let (layout, initial) = (self.layout, self.interpreter.initial_state());
        let mut shape = Shape { template: initial[..layout.fixed].to_vec(), fields: Vec::new(), channels: 0 };
        self.fixed(types.len(), written, &mut shape);
        for (pid, &ty) in types.iter().enumerate() {
            self.process(pid, usize::from(ty), written, &mut shape);
        }
        (shape.template, shape.fields)
    }

    /// Adds the values before the first process.
    fn fixed(&self, processes: usize, written: &Written, shape: &mut Shape) {
        let layout = self.layout;
        if let Some(at) = layout.last {
            shape.value(at, Width::U8, &ValueSet::below(if self.sets.dynamic { 256 } else { processes }));
        }
        if let (Some(at), Some(trace)) = (layout.event, &self.model.trace) {
            shape.value(at, Width::U16, &ValueSet::below(trace.automaton.locations.len()));
        }
        if let (Some(at), Some(observer)) = (layout.observer, &self.model.observer) {
            shape.value(at.offset, location_width(at.wide), &ValueSet::below(observer.automaton.locations.len()));
        }
        for (i, slot) in layout.globals.iter().enumerate() {
            let id = VarId(i as u32);
            // Variables that are never written stay as in the initial state.
            if written.contains(&(None, id)) {
                variable(slot, 0, self.sets.global(id), shape);
            }
        }
        layout.global_channels.iter().for_each(|c| self.channel(c.declaration, c.offset as usize, shape));
    }

    fn process(&self, pid: usize, ty: usize, written: &Written, shape: &mut Shape) {
        let (frame, base, process) = (&self.layout.frames[ty], shape.template.len(), ProcessId(ty as u32));
        // If processes are never created, variables that they never write stay as in the initial state.
        match self.interpreter.initial_state().get(base..base + frame.size).filter(|_| !self.sets.dynamic) {
            Some(bytes) => shape.template.extend_from_slice(bytes),
            None => shape.template.resize(base + frame.size, 0),
        }
        shape.template[base] = ty as u8;
        let locations = self.sets.locations(pid, process).iter().map(|LocId(l)| *l as i32).collect();
        shape.value(base + 1, location_width(frame.wide_location), &ValueSet::of(locations));
        if let Some(at) = frame.priority
            && (self.sets.dynamic || self.sets.reprioritises)
        {
            shape.value(base + at, Width::U8, &ValueSet::below(256));
        }
        for (i, slot) in frame.locals.iter().enumerate() {
            let id = VarId(i as u32);
            if self.sets.dynamic || written.contains(&(Some(ty), id)) {
                variable(slot, base, self.sets.local(pid, process, id), shape);
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
        shape.value(at, Width::U8, &ValueSet::below(buffer.capacity + 1));
        for slot in 0..buffer.capacity {
            for (i, field) in buffer.fields.iter().enumerate() {
                let values = self.sets.field(number, ChannelId(declaration), i);
                shape.value(at + 1 + slot * buffer.message + field.offset, field.width, values);
            }
        }
    }
}

fn variable(slot: &Slot, base: usize, sets: &VariableSets, shape: &mut Shape) {
    for i in 0..slot.len() {
        shape.value(base + slot.offset + i * slot.width.bytes(), slot.width, sets.element(i));
    }
}

fn location_width(wide: bool) -> Width {
    if wide { Width::U16 } else { Width::U8 }
}
