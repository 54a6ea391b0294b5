//! The transfer function: the effects of a step on the sets.

use super::analysis::Analysis;
use super::frame::Frame;
use super::set::ValueSet;
use super::step::{Action, Communication, Field, Step};
use super::term::{Formula, Target};
use kripke_model::ir::ProcessId;
use kripke_model::layout::MAX_ALIVE;

/// The work of a step besides the evaluation of expressions.
const STEP_WORK: u64 = 64;

impl Analysis<'_, '_> {
    /// Takes a step from the current node.
    pub(super) fn take(&mut self, unit: usize, number: usize, step: &Step) {
        let system = self.system;
        let this = &system.units[unit];
        let locals = self.flow[self.node].as_ref().map_or_else(Vec::new, |flow| flow.locals.clone());
        self.work += STEP_WORK + locals.len() as u64;
        let mut frame = Frame::new(this.cells.start, locals, step);
        if !self.restrict_all(step, &mut frame) {
            return;
        }
        if system.is_synchronous() || this.ty.is_none() {
            // Other processes change globals between the guard and the effects.
            frame.forget_all();
        }
        let communicates = match &step.sync {
            None => true,
            Some(Communication::Send { channel, args }) => self.offer(step, &mut frame, number, (channel, args)),
            Some(Communication::Receive { channel, fields, conditions }) => {
                self.receive(step, &mut frame, channel, fields)
                    && conditions.iter().all(|condition| self.restrict(step, &mut frame, condition))
            }
        };
        if system.is_synchronous() {
            frame.forget_all();
        }
        if communicates && step.actions.iter().all(|action| self.act(step, &mut frame, action)) {
            let node = system.node(unit, step.target);
            self.stored[node] |= step.stored;
            self.flow_to(unit, step.target, frame.locals);
        }
    }

    /// Restricts what is known to the states in which the conditions of a step hold. What one excludes may let another
    /// that shares an atom with it exclude more, so conditions with several atoms are applied again.
    fn restrict_all(&mut self, step: &Step, frame: &mut Frame) -> bool {
        let several = step.conditions.iter().filter(|condition| condition.atoms.len() > 1);
        let again = if step.conditions.len() > 1 { usize::MAX } else { 0 };
        step.conditions.iter().chain(several.take(again)).all(|condition| self.restrict(step, frame, condition))
    }

    /// Executes an effect. Returns false if it is a fault, or if the process is gone.
    fn act(&mut self, step: &Step, frame: &mut Frame, action: &Action) -> bool {
        match action {
            Action::Assign(target, formula) => {
                let values = self.value(step, frame, formula);
                self.store(step, frame, target, &values)
            }
            Action::Initialise(target, formula) => {
                let values = self.value(step, frame, formula);
                self.put(step, frame, target, &values)
            }
            Action::InitialiseAny(target, values) => self.put(step, frame, target, values),
            Action::Require(conditions) => conditions.iter().all(|condition| self.restrict(step, frame, condition)),
            Action::Run { process, args, result } => {
                self.create(step, frame, *process, args);
                frame.forget(step, &(0..0));
                let numbers = ValueSet::below(MAX_ALIVE);
                result.as_ref().is_none_or(|target| self.store(step, frame, target, &numbers))
            }
            Action::Remove => false,
        }
    }

    /// Stores values. Those outside of the declared range are faults.
    fn store(&mut self, step: &Step, frame: &mut Frame, target: &Target, values: &ValueSet) -> bool {
        let cells = match target {
            Target::Cell(cell) => *cell..*cell + 1,
            Target::Element(element) => element.cells.clone(),
            Target::Fault => return false,
        };
        let (low, high) = self.system.cells[cells.start as usize].range.unwrap_or((i32::MIN, i32::MAX));
        let all = values;
        let values = values.within(low, high);
        self.leaves_range |= values != *all;
        if values.is_empty() {
            return false;
        }
        cells.for_each(|cell| self.cells[cell as usize].written = true);
        self.put(step, frame, target, &values)
    }

    /// Stores values without a check of the declared range.
    fn put(&mut self, step: &Step, frame: &mut Frame, target: &Target, values: &ValueSet) -> bool {
        let (cells, exact) = match target {
            Target::Cell(cell) => (vec![*cell], true),
            Target::Element(element) => {
                let indices = element.index.iter().map(|index| self.value(step, frame, index));
                let indices: Vec<ValueSet> = indices.collect();
                let cells = Self::candidates(element, &indices);
                let exact = element.split && cells.len() == 1;
                (cells, exact)
            }
            Target::Fault => return false,
        };
        let Some(first) = cells.first() else { return false };
        let values = values.stored(self.system.cells[*first as usize].ty);
        for &cell in &cells {
            frame.forget(step, &(cell..cell + 1));
            if let Some(at) = frame.local(cell) {
                frame.locals[at] = if exact { values.clone() } else { frame.locals[at].join(&values) };
            }
            self.grow(cell, &values);
        }
        if exact {
            frame.learn_cell(step, cells[0], &values);
        }
        !values.is_empty()
    }

    /// The channels that a number can denote.
    fn channels_of(&self, numbers: &ValueSet) -> Vec<usize> {
        let system = self.system;
        let known = system.known_channels as i32;
        let mut channels: Vec<usize> = numbers.within(1, known).iter().map(|n| n as usize - 1).collect();
        if !numbers.within(known + 1, MAX_ALIVE as i32).is_empty() {
            channels.extend(system.known_channels..system.channels.len());
        }
        channels
    }

    /// Sends a message. Returns false if there is no channel for it.
    fn offer(
        &mut self,
        step: &Step,
        frame: &mut Frame,
        number: usize,
        (channel, args): (&Formula, &[Formula]),
    ) -> bool {
        let system = self.system;
        let numbers = self.value(step, frame, channel);
        let args: Vec<ValueSet> = args.iter().map(|arg| self.value(step, frame, arg)).collect();
        let mut any = false;
        for channel in self.channels_of(&numbers) {
            let types = &system.model.channels[system.channels[channel].index()].fields;
            let missing = ValueSet::one(0);
            let sent = (0..types.len()).map(|i| args.get(i).unwrap_or(&missing).stored(types[i]));
            let sent: Vec<ValueSet> = sent.collect();
            if args.len() <= types.len() && !sent.iter().any(ValueSet::is_empty) {
                self.send(channel, Some((self.node, number)), &sent);
                any = true;
            }
        }
        frame.forget(step, &(0..0));
        any
    }

    /// Receives a message. Returns false if there is none.
    fn receive(&mut self, step: &Step, frame: &mut Frame, channel: &Formula, fields: &[Field]) -> bool {
        let system = self.system;
        let numbers = self.value(step, frame, channel);
        let channels = self.channels_of(&numbers);
        let meets = channels.iter().any(|c| system.model.channels[system.channels[*c].index()].capacity == 0);
        if meets {
            // The sender's effects come between the guard and the rest of the step.
            frame.forget_all();
        }
        let wanted: Vec<Option<ValueSet>> = fields.iter().map(|field| self.wanted(step, frame, field)).collect();
        let Some(received) = self.received(&channels, &wanted) else { return false };
        frame.forget(step, &(0..0));
        fields.iter().zip(&received).all(|(field, values)| match field {
            Field::Store(target) => self.store(step, frame, target, values),
            Field::Match(_) | Field::Any => true,
        })
    }

    /// The values of the fields of messages in these channels that have the wanted values; none without such messages.
    fn received(&mut self, channels: &[usize], wanted: &[Option<ValueSet>]) -> Option<Vec<ValueSet>> {
        let system = self.system;
        // In a synchronous system, another process may have taken the message in the same step. What is left is 0.
        let together = system.is_synchronous();
        let nothing = if together { ValueSet::one(0) } else { ValueSet::EMPTY };
        let (mut received, mut any) = (vec![nothing; wanted.len()], false);
        for &channel in channels {
            if wanted.len() > system.model.channels[system.channels[channel].index()].fields.len() {
                continue;
            }
            for site in self.messages(channel) {
                let fits = |(wanted, sent): (&Option<ValueSet>, &ValueSet)| {
                    wanted.as_ref().is_none_or(|wanted| wanted.meets(sent))
                };
                if together || wanted.iter().zip(&site.fields).all(fits) {
                    any = true;
                    let values = received.iter_mut().zip(&site.fields);
                    values.for_each(|(values, sent)| *values = values.join(sent));
                }
            }
        }
        any.then_some(received)
    }

    /// The values that a field must have; none if it may have all.
    fn wanted(&mut self, step: &Step, frame: &Frame, field: &Field) -> Option<ValueSet> {
        match field {
            Field::Match(formula) => Some(self.value(step, frame, formula)),
            Field::Store(_) | Field::Any => None,
        }
    }

    /// Creates a process.
    fn create(&mut self, step: &Step, frame: &Frame, process: ProcessId, args: &[Formula]) {
        let system = self.system;
        let Some(unit) = system.units.iter().position(|unit| unit.ty == Some(process.index())) else { return };
        debug_assert!(!system.by_instance, "processes are created in the startup phase only");
        let child = &system.units[unit];
        let mut locals = vec![ValueSet::one(0); child.cells.len()];
        for (var, arg) in child.locals.iter().zip(args) {
            let (values, cell) = (self.value(step, frame, arg), var.cell(0));
            let values = values.stored(system.cells[cell as usize].ty);
            let local = &mut locals[(cell - child.cells.start) as usize];
            *local = if var.is_split() { values } else { local.join(&values) };
        }
        if locals.iter().any(ValueSet::is_empty) {
            return;
        }
        let creation = self.creation(unit);
        let mut frame = Frame::new(child.cells.start, locals, &creation);
        if creation.actions.iter().all(|action| self.act(&creation, &mut frame, action)) {
            self.enter(unit, creation.target, frame.locals);
        }
    }
}
