//! Value-set analysis: the values that variables and message fields can have, and the locations of processes.
//!
//! An abstract interpretation (P. and R. Cousot, 1977) of the model. The abstract value of a variable is a
//! [`ValueSet`]: a small set, or an interval. The sets over-approximate: what a variable has in a reachable state is in
//! its set. They are computed
//!
//! * for each process and each channel by number, if all processes are created in the startup phase, otherwise for each
//!   process type (`system.rs`);
//! * for each location, as far as locals are concerned: no other process changes them. Globals have one set for all
//!   locations;
//! * by evaluating expressions for all combinations of the values of their operands, if these are few, otherwise by
//!   interval arithmetic (`evaluate.rs`, `arithmetic.rs`);
//! * only from states that satisfy the guard: the sets are restricted to the values for which each conjunct can hold,
//!   and to those for which edges with precedence are not executable (`step.rs`).
//!
//! Why the sets include every value: by induction on the steps of a run, the state before a step is in the sets, and
//! the transfer function (`transfer.rs`) puts everything that the step stores into them. What a guard says about
//! globals is used in the same step only, and not after others may have changed them: in synchronous systems, by the
//! receiver of a rendezvous after the sender's effects, and by the observer.
//!
//! The analysis terminates because sets only grow, and a set that has grown often is widened to all values of its type
//! (`analysis.rs`). The work is bounded: beyond a budget every growth is a widening.

mod analysis;
mod arithmetic;
mod evaluate;
mod frame;
mod memo;
mod set;
mod step;
mod system;
mod term;
mod transfer;

use std::collections::BTreeSet;

use analysis::Analysis;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{ChannelId, Effect, LocId, Model, ProcessId, VarId};
use kripke_model::layout::View;
pub use set::ValueSet;
use system::{System, Unit, Variable};

/// The values that the variables and message fields of a model can have in reachable states.
#[derive(Clone, Debug)]
pub struct ValueSets {
    globals: Vec<VariableSets>,
    /// By process number or by process type.
    processes: Vec<ProcessSets>,
    by_instance: bool,
    /// The values of each field, by channel.
    channels: Vec<Vec<ValueSet>>,
    known_channels: usize,
    /// Some edge creates or removes processes.
    pub(crate) dynamic: bool,
    /// Some edge sets a priority.
    pub(crate) reprioritises: bool,
    leaves_range: bool,
}

/// The values of a variable.
#[derive(Clone, Debug)]
pub struct VariableSets {
    /// One for each element, or one for all.
    elements: Vec<ValueSet>,
    written: bool,
}

/// The values of a process.
#[derive(Clone, Debug)]
struct ProcessSets {
    locals: Vec<VariableSets>,
    locations: Vec<LocId>,
}

impl VariableSets {
    /// The values of an element.
    pub fn element(&self, index: usize) -> &ValueSet {
        self.elements.get(index).unwrap_or(&self.elements[0])
    }

    /// The values of all elements.
    pub fn all(&self) -> ValueSet {
        self.elements.iter().fold(ValueSet::EMPTY, |all, element| all.join(element))
    }

    /// Whether some step stores to the variable.
    pub fn is_written(&self) -> bool {
        self.written
    }
}

impl ValueSets {
    /// Analyses the model of an interpreter.
    pub fn new(interpreter: &Interpreter) -> ValueSets {
        let model = interpreter.model();
        let system = System::new(model, interpreter);
        let mut analysis = Analysis::new(&system);
        analysis.run();
        let before: Vec<View> = system.before.iter().map(|state| interpreter.layout().view(state)).collect();
        Results { analysis: &analysis, system: &system, before: &before }.collect(model)
    }

    /// Whether a step may store a value outside of the declared range of a variable.
    pub fn may_leave_range(&self) -> bool {
        self.leaves_range
    }

    /// Whether processes and channels are known by number; otherwise their type or declaration counts.
    pub fn is_by_instance(&self) -> bool {
        self.by_instance
    }

    /// The values of a global variable.
    pub fn global(&self, var: VarId) -> &VariableSets {
        &self.globals[var.index()]
    }

    /// The values of a local variable of the process with this number and type.
    pub fn local(&self, pid: usize, process: ProcessId, var: VarId) -> &VariableSets {
        &self.process(pid, process).locals[var.index()]
    }

    /// The locations at which the process with this number and type can be in a stored state, in ascending order.
    pub fn locations(&self, pid: usize, process: ProcessId) -> &[LocId] {
        &self.process(pid, process).locations
    }

    /// The values of a message field in a buffer; free slots have 0. The channel has this number, counted from 0, and
    /// this declaration.
    pub fn field(&self, channel: usize, declaration: ChannelId, field: usize) -> &ValueSet {
        let known = channel < self.known_channels;
        &self.channels[if known { channel } else { self.known_channels + declaration.index() }][field]
    }

    fn process(&self, pid: usize, process: ProcessId) -> &ProcessSets {
        &self.processes[if self.by_instance { pid } else { process.index() }]
    }
}

/// The results of an analysis under construction.
struct Results<'a> {
    analysis: &'a Analysis<'a, 'a>,
    system: &'a System<'a>,
    /// The states of the startup phase.
    before: &'a [View],
}

impl Results<'_> {
    fn collect(&self, model: &Model) -> ValueSets {
        let system = self.system;
        let globals = system.globals.iter().enumerate().map(|(i, var)| {
            let anywhere = |cell: u32| self.analysis.cells[cell as usize].values.clone();
            self.variable(var, anywhere, &|view| Some(&view.globals[i]))
        });
        let processes = system.units.iter().enumerate().filter(|(_, unit)| unit.ty.is_some());
        let mut effects = model.processes.iter().flat_map(|p| &p.edges).flat_map(|edge| &edge.effects);
        ValueSets {
            globals: globals.collect(),
            processes: processes.map(|(n, unit)| self.process(n, unit)).collect(),
            by_instance: system.by_instance,
            channels: (0..system.channels.len()).map(|n| self.channel(n)).collect(),
            known_channels: system.known_channels,
            dynamic: effects.clone().any(|e| matches!(e, Effect::Run { .. } | Effect::Remove)),
            leaves_range: self.analysis.leaves_range,
            reprioritises: effects.any(|e| matches!(e, Effect::SetPriority { .. })),
        }
    }

    fn variable<'v>(
        &'v self,
        var: &Variable,
        values: impl Fn(u32) -> ValueSet,
        before: &dyn Fn(&'v View) -> Option<&'v Vec<i32>>,
    ) -> VariableSets {
        let mut elements: Vec<ValueSet> = var.cells.clone().map(values).collect();
        for view in self.before {
            for (i, value) in before(view).into_iter().flatten().enumerate() {
                let element = &mut elements[(var.cell(i) - var.cells.start) as usize];
                *element = element.join(&ValueSet::one(*value));
            }
        }
        // No process has the variable.
        elements.iter_mut().filter(|set| set.is_empty()).for_each(|set| *set = ValueSet::one(0));
        let mut versions = self.before.iter().filter_map(before);
        let differ = versions.next().is_some_and(|first| versions.any(|other| other != first));
        let written = differ || var.cells.clone().any(|cell| self.analysis.cells[cell as usize].written);
        VariableSets { elements, written }
    }

    fn process(&self, number: usize, unit: &Unit<'_>) -> ProcessSets {
        let nodes = unit.first_node..unit.first_node + unit.process.locations.len();
        let stored = nodes.filter(|node| self.analysis.stored[*node]);
        let stored: Vec<_> = stored.filter_map(|node| Some((node, self.analysis.flow[node].as_ref()?))).collect();
        let values = |cell: u32| {
            if !unit.tracked {
                return self.analysis.cells[cell as usize].values.clone();
            }
            let at = (cell - unit.cells.start) as usize;
            stored.iter().fold(ValueSet::EMPTY, |all, (_, flow)| all.join(&flow.locals[at]))
        };
        let locals = unit
            .locals
            .iter()
            .enumerate()
            .map(|(i, var)| self.variable(var, values, &|view| Some(&view.processes.get(number)?.locals[i])));
        let mut locations: BTreeSet<LocId> =
            stored.iter().map(|(node, _)| LocId((node - unit.first_node) as u32)).collect();
        locations.extend(self.before.iter().filter_map(|view| Some(view.processes.get(number)?.location)));
        ProcessSets { locals: locals.collect(), locations: locations.into_iter().collect() }
    }

    fn channel(&self, number: usize) -> Vec<ValueSet> {
        let fields = self.system.model.channels[self.system.channels[number].index()].fields.len();
        let mut values = vec![ValueSet::one(0); fields];
        for site in &self.analysis.channels[number].sites {
            values.iter_mut().zip(&site.fields).for_each(|(all, sent)| *all = all.join(sent));
        }
        let messages = self.before.iter().filter_map(|view| view.channels.get(number)).flat_map(|c| &c.messages);
        for message in messages {
            values.iter_mut().zip(message).for_each(|(all, sent)| *all = all.join(&ValueSet::one(*sent)));
        }
        values
    }
}
