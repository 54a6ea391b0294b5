//! Resources: the parts of a state on which steps can be dependent, numbered.

use std::collections::HashMap;

use super::instances::{Element, Instance, Instances};
use kripke_model::ir::{Expr, Model, Place, VarId, VarRef};

/// Larger arrays are one resource.
const MAX_ELEMENTS: usize = 64;

/// The resources of one channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aspect {
    /// The order of receives.
    Head,
    /// The order of sends.
    Tail,
    /// The channel is not empty. A receive waits for this, a send adds to it.
    NonEmpty,
    /// The channel is not full. A send waits for this, a receive adds to it.
    NonFull,
    /// The length and the messages, as read by queries.
    Content,
    /// The order of rendezvous.
    Rendezvous,
    /// The processes ready for a rendezvous. Steps read this if they reach a rendezvous after their first edge.
    Offer,
}

const ASPECTS: usize = 7;

/// The set of processes.
pub(super) const PROCESSES: usize = 0;
/// The state of the trace automaton.
pub(super) const TRACE: usize = 1;
/// The processes at committed locations, which have precedence.
pub(super) const COMMITTED: usize = 2;
const LOCATIONS: usize = 3;

#[derive(Debug)]
pub(super) struct Resources {
    /// For each global its first resource and the number of its resources.
    globals: Vec<(usize, usize)>,
    /// Locals that are read remotely, by process type.
    locals: HashMap<(usize, VarId), usize>,
    channels: usize,
    first_channel: usize,
    pub len: usize,
}

impl Resources {
    pub fn new(model: &Model, instances: &Instances) -> Resources {
        let mut len = LOCATIONS + model.processes.len();
        let first_channel = len;
        // Number 0 stands for all channels that are not known statically.
        len += (instances.channels.len() + 1) * ASPECTS;
        let mut globals = Vec::new();
        for var in &model.globals {
            let numbers = if var.len() > MAX_ELEMENTS { 1 } else { var.len().max(1) };
            globals.push((len, numbers));
            len += numbers;
        }
        let mut locals = HashMap::new();
        let mut see = |expr: &Expr| {
            if let Expr::Remote { process, place: Place { var: VarRef::Local(var), .. }, .. } = expr {
                locals.entry((process.index(), *var)).or_insert_with(|| {
                    len += 1;
                    len - 1
                });
            }
        };
        model.processes.iter().for_each(|p| p.walk(&mut see));
        model.observer.iter().for_each(|o| o.automaton.walk(&mut see));
        model.goal.iter().for_each(|g| g.condition.walk(&mut see));
        Resources { globals, locals, channels: instances.channels.len(), first_channel, len }
    }

    /// The locations of the processes of a type, as far as some expression reads them.
    pub fn location(process: usize) -> usize {
        LOCATIONS + process
    }

    pub fn local(&self, process: usize, var: VarId) -> Option<usize> {
        self.locals.get(&(process, var)).copied()
    }

    pub fn global(&self, var: VarId, element: Element) -> std::ops::Range<usize> {
        let (first, numbers) = self.globals[var.index()];
        match element {
            Element::One(at) if at < numbers => first + at..first + at + 1,
            _ => first..first + numbers,
        }
    }

    /// The numbers of the channels that an expression can denote. 0 stands for the unknown ones.
    pub fn channels(
        &self,
        model: &Model,
        instances: &Instances,
        expr: &Expr,
        instance: Option<&Instance>,
    ) -> Vec<usize> {
        let known = |n: &i32| *n >= 1 && *n as usize <= self.channels;
        match instances.possible_values(model, expr, instance) {
            Some(numbers) if numbers.iter().all(known) => numbers.into_iter().map(|n| n as usize).collect(),
            _ => (0..=self.channels).collect(),
        }
    }

    pub fn channel(&self, number: usize, aspect: Aspect) -> usize {
        self.first_channel + number * ASPECTS + aspect as usize
    }
}
