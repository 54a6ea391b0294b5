//! The fixpoint: sets grow until every step leads from them into them.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use super::set::{MAX_VALUES, ValueSet};
use super::step::{self, Step};
use super::system::System;
use kripke_model::ir::LocId;

/// The work after which sets that still grow are widened at once, in evaluated operators.
const BUDGET: u64 = 1_500_000;

/// The number of times that a set grows as it is, and up to which it then grows to constants of the model before it
/// grows to all values of its type.
const EXACT_GROWTHS: u8 = 40;
const MAX_GROWTHS: u8 = 50;

/// The values of a cell anywhere, at any time.
#[derive(Debug)]
pub(super) struct CellState {
    pub values: ValueSet,
    /// Some step stores to it.
    pub written: bool,
    growths: u8,
    /// The nodes whose steps read it.
    readers: Vec<u32>,
}

/// The values of the locals at a location.
#[derive(Debug)]
pub(super) struct Flow {
    pub locals: Vec<ValueSet>,
    growths: Vec<u8>,
}

/// The messages that one step sends.
#[derive(Debug)]
pub(super) struct Site {
    /// The node and the number of the step; none for the messages at the beginning.
    sender: Option<(usize, usize)>,
    pub fields: Vec<ValueSet>,
    growths: Vec<u8>,
}

#[derive(Default, Debug)]
pub(super) struct ChannelState {
    pub sites: Vec<Site>,
    readers: Vec<u32>,
}

pub(super) struct Analysis<'s, 'm> {
    pub system: &'s System<'m>,
    pub cells: Vec<CellState>,
    pub channels: Vec<ChannelState>,
    /// By node: the values of locals, if the node is reached.
    pub flow: Vec<Option<Flow>>,
    /// By node: states at the location may be stored.
    pub stored: Vec<bool>,
    /// The work done, in evaluated operators.
    pub work: u64,
    /// The node whose steps are taken.
    pub node: usize,
    /// Some store has a value outside of the declared range.
    pub leaves_range: bool,
    steps: Vec<Option<Rc<[Step]>>>,
    creations: Vec<Option<Rc<Step>>>,
    queue: VecDeque<usize>,
    queued: Vec<bool>,
    /// The pairs of a cell and a reader that are known.
    registered: HashSet<(u32, usize)>,
}

impl<'s, 'm> Analysis<'s, 'm> {
    pub fn new(system: &'s System<'m>) -> Analysis<'s, 'm> {
        let cell = || CellState { values: ValueSet::EMPTY, written: false, growths: 0, readers: Vec::new() };
        Analysis {
            system,
            cells: system.cells.iter().map(|_| cell()).collect(),
            channels: system.channels.iter().map(|_| ChannelState::default()).collect(),
            flow: (0..system.nodes).map(|_| None).collect(),
            stored: vec![false; system.nodes],
            work: 0,
            node: 0,
            leaves_range: false,
            steps: vec![None; system.nodes],
            creations: vec![None; system.units.len()],
            queue: VecDeque::new(),
            queued: vec![false; system.nodes],
            registered: HashSet::new(),
        }
    }

    /// Computes the fixpoint.
    pub fn run(&mut self) {
        self.add_globals();
        self.add_messages();
        self.add_locals();
        while let Some(node) = self.queue.pop_front() {
            self.queued[node] = false;
            self.node = node;
            let (unit, at) = self.system.place(node);
            let steps = self.steps_at(unit, at);
            for (number, step) in steps.iter().enumerate() {
                self.take(unit, number, step);
            }
        }
    }

    /// Whether so much work is done that precision is given up.
    pub fn is_coarse(&self) -> bool {
        self.work > BUDGET
    }

    fn add_globals(&mut self) {
        let system = self.system;
        for view in &system.views {
            for (var, values) in system.globals.iter().zip(&view.globals) {
                for (i, value) in values.iter().enumerate() {
                    self.grow(var.cell(i), &ValueSet::one(*value));
                }
            }
        }
    }

    fn add_messages(&mut self) {
        let system = self.system;
        for view in &system.views {
            for (i, channel) in view.channels.iter().enumerate() {
                let local = || system.known_channels + channel.declaration.index();
                let group = if i < system.known_channels { i } else { local() };
                for message in &channel.messages {
                    let fields: Vec<ValueSet> = message.iter().map(|v| ValueSet::one(*v)).collect();
                    self.send(group, None, &fields);
                }
            }
        }
    }

    fn add_locals(&mut self) {
        let system = self.system;
        for (n, unit) in system.units.iter().enumerate() {
            for (at, values) in &unit.seeds {
                let mut locals = vec![ValueSet::EMPTY; unit.cells.len()];
                for (var, values) in unit.locals.iter().zip(values) {
                    for (i, value) in values.iter().enumerate() {
                        let local = &mut locals[(var.cell(i) - unit.cells.start) as usize];
                        *local = local.join(&ValueSet::one(*value));
                    }
                }
                self.enter(n, *at, locals);
            }
        }
    }

    /// A process begins at a location with these values.
    pub fn enter(&mut self, unit: usize, at: LocId, locals: Vec<ValueSet>) {
        let first = self.system.units[unit].cells.start;
        for (cell, values) in (first..).zip(&locals) {
            self.grow(cell, values);
        }
        self.flow_to(unit, at, locals);
        let node = self.system.node(unit, at);
        self.stored[node] = true;
    }

    /// A process comes to a location with these values.
    pub fn flow_to(&mut self, unit: usize, at: LocId, mut locals: Vec<ValueSet>) {
        let tracked = &self.system.units[unit];
        if !tracked.tracked {
            locals.clear();
        }
        let first = tracked.cells.start as usize;
        let (coarse, node) = (self.is_coarse(), self.system.node(unit, at));
        let Some(flow) = &mut self.flow[node] else {
            let growths = vec![0; locals.len()];
            self.flow[node] = Some(Flow { locals, growths });
            return self.enqueue(node);
        };
        let mut changed = false;
        for (i, values) in locals.iter().enumerate() {
            let bounds = self.system.cells[first + i].bounds();
            if let Some(grown) = self.system.grown(&flow.locals[i], values, bounds, &mut flow.growths[i], coarse) {
                flow.locals[i] = grown;
                changed = true;
            }
        }
        if changed {
            self.enqueue(node);
        }
    }

    fn enqueue(&mut self, node: usize) {
        if !std::mem::replace(&mut self.queued[node], true) {
            self.queue.push_back(node);
        }
    }

    /// The values of a cell. The node is visited again if they become more.
    pub fn read(&mut self, cell: u32) -> ValueSet {
        let state = &mut self.cells[cell as usize];
        if self.registered.insert((cell, self.node)) {
            state.readers.push(self.node as u32);
        }
        state.values.clone()
    }

    /// Adds values to a cell.
    pub fn grow(&mut self, cell: u32, values: &ValueSet) {
        let (coarse, bounds) = (self.is_coarse(), self.system.cells[cell as usize].bounds());
        let state = &mut self.cells[cell as usize];
        if let Some(grown) = self.system.grown(&state.values, values, bounds, &mut state.growths, coarse) {
            state.values = grown;
            let readers = std::mem::take(&mut self.cells[cell as usize].readers);
            readers.iter().for_each(|node| self.enqueue(*node as usize));
            self.cells[cell as usize].readers = readers;
        }
    }

    /// Adds messages that a step sends to a channel.
    pub fn send(&mut self, channel: usize, sender: Option<(usize, usize)>, fields: &[ValueSet]) {
        let (system, coarse) = (self.system, self.is_coarse());
        let state = &mut self.channels[channel];
        let mut changed = false;
        if let Some(site) = state.sites.iter_mut().find(|site| site.sender == sender) {
            let types = &system.model.channels[system.channels[channel].index()].fields;
            for (i, values) in fields.iter().enumerate() {
                let bounds = super::set::bounds_of(types[i]);
                if let Some(grown) = system.grown(&site.fields[i], values, bounds, &mut site.growths[i], coarse) {
                    site.fields[i] = grown;
                    changed = true;
                }
            }
        } else {
            state.sites.push(Site { sender, fields: fields.to_vec(), growths: vec![0; fields.len()] });
            changed = true;
        }
        if changed {
            let readers = std::mem::take(&mut self.channels[channel].readers);
            readers.iter().for_each(|node| self.enqueue(*node as usize));
            self.channels[channel].readers = readers;
        }
    }

    /// The messages of a channel. The node is visited again if they become more.
    pub fn messages(&mut self, channel: usize) -> &[Site] {
        let (state, node) = (&mut self.channels[channel], self.node as u32);
        if !state.readers.contains(&node) {
            state.readers.push(node);
        }
        &state.sites
    }

    fn steps_at(&mut self, unit: usize, at: LocId) -> Rc<[Step]> {
        let (system, node) = (self.system, self.system.node(unit, at));
        let steps = self.steps[node].get_or_insert_with(|| step::steps(system, &system.units[unit], at).into());
        steps.clone()
    }

    /// The initialisation of a new process.
    pub fn creation(&mut self, unit: usize) -> Rc<Step> {
        let system = self.system;
        let creation = self.creations[unit].get_or_insert_with(|| step::creation(system, &system.units[unit]).into());
        creation.clone()
    }
}

impl System<'_> {
    /// A set with more values; none if they are in it. A set of few values grows as it is. An interval is widened up to
    /// constants of the model a few times, then to the bounds.
    fn grown(
        &self,
        old: &ValueSet,
        more: &ValueSet,
        (least, most): (i32, i32),
        growths: &mut u8,
        coarse: bool,
    ) -> Option<ValueSet> {
        if old.includes(more) {
            return None;
        }
        let joined = old.join(more);
        let (Some((low, high)), Some((from, to))) = (old.bounds(), joined.bounds()) else { return Some(joined) };
        *growths = growths.saturating_add(1);
        if joined.count() <= MAX_VALUES as u64 {
            if !coarse && *growths <= EXACT_GROWTHS {
                return Some(joined);
            }
        } else {
            *growths = EXACT_GROWTHS.max(*growths);
        }
        let at_once = coarse || *growths > MAX_GROWTHS;
        let below = self.thresholds[..self.thresholds.partition_point(|t| *t <= from)].last();
        let above = self.thresholds.get(self.thresholds.partition_point(|t| *t < to));
        let lower = below.filter(|_| !at_once).map_or(least, |t| least.max(*t));
        let upper = above.filter(|_| !at_once).map_or(most, |t| most.min(*t));
        let from = if from < low { from.min(lower) } else { from };
        Some(ValueSet::interval(from, if to > high { to.max(upper) } else { to }))
    }
}
