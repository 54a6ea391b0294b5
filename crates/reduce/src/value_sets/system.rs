//! The parts of a system whose values are analysed: processes, variables and channels.
//!
//! If all processes are created in the [startup phase](crate::startup), each of them is a unit of its own, and each
//! channel is known by its number. Otherwise a unit stands for all processes of a type. The observer is a unit, too.

use std::collections::HashSet;
use std::ops::Range;

use super::set::bounds_of;
use crate::startup::{Startup, edges_at, reach};
use crate::writes::writes;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{ChannelId, Effect, Expr, LocId, Model, Process, Scheduling, Then, Type, Var, VarId, VarRef};
use kripke_model::layout::View;

/// Arrays of more elements have one cell for all of them.
const MAX_ELEMENTS: usize = 64;

/// The most values of locals that are distinguished by location, for one unit and for all.
const MAX_TRACKED: usize = 1 << 15;
const MAX_TRACKED_IN_ALL: usize = 1 << 18;

/// What a value belongs to: a variable, an element of an array, or all elements of a large array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub ty: Type,
    /// A store of a value outside is a fault.
    pub range: Option<(i32, i32)>,
    /// The value, if no step changes it.
    pub constant: Option<i32>,
}

impl Cell {
    /// The values that stores can leave behind are within these bounds.
    pub fn bounds(&self) -> (i32, i32) {
        let (low, high) = bounds_of(self.ty);
        let inside = |(from, to): &(i32, i32)| low <= *from && from <= to && *to <= high;
        self.range.filter(inside).unwrap_or((low, high))
    }
}

/// A variable and its cells.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub cells: Range<u32>,
    pub dims: Vec<u32>,
    pub len: usize,
}

impl Variable {
    /// Whether each element has its own cell.
    pub fn is_split(&self) -> bool {
        self.cells.len() == self.len
    }

    /// The cell of an element.
    pub fn cell(&self, element: usize) -> u32 {
        if self.is_split() { self.cells.start + element as u32 } else { self.cells.start }
    }
}

/// A process, all processes of a type, or the observer.
#[derive(Debug)]
pub(super) struct Unit<'m> {
    pub process: &'m Process,
    /// The process type; none for the observer.
    pub ty: Option<usize>,
    /// The process number; none for a type.
    pub pid: Option<i32>,
    pub locals: Vec<Variable>,
    /// The cells of all locals.
    pub cells: Range<u32>,
    /// Locals have a set at each location; otherwise one for all.
    pub tracked: bool,
    /// Node `first_node + i` is location `i`.
    pub first_node: usize,
    /// The locations at which the analysis begins, with the values of locals.
    pub seeds: Vec<(LocId, Vec<Vec<i32>>)>,
    /// By location: an edge outside of indivisible sequences leads there; an indivisible sequence may pass it.
    pub entered: Vec<bool>,
    pub passed: Vec<bool>,
}

pub(super) struct System<'m> {
    pub model: &'m Model,
    /// Units are single processes by number.
    pub by_instance: bool,
    /// The observer, if there is one, is the last.
    pub units: Vec<Unit<'m>>,
    pub globals: Vec<Variable>,
    pub cells: Vec<Cell>,
    /// The declarations of channels. The first `known_channels` are single channels by number; each of the others
    /// stands for all channels of a declaration that processes create.
    pub channels: Vec<ChannelId>,
    pub known_channels: usize,
    /// The states at which the analysis begins.
    pub views: Vec<View>,
    /// States that are reached before; they need not be analysed, but are stored.
    pub before: Vec<Vec<u8>>,
    /// Some process can end; some location is committed.
    pub ends: bool,
    pub has_committed: bool,
    /// The constants of the model and their neighbours, in ascending order.
    pub thresholds: Vec<i32>,
    /// The number of nodes of all units.
    pub nodes: usize,
}

impl<'m> System<'m> {
    pub fn new(model: &'m Model, interpreter: &Interpreter) -> System<'m> {
        let startup = Startup::of(interpreter, true).ok().filter(|startup| creates_in_order(startup, interpreter));
        let by_instance = startup.is_some();
        let (views, before) = match startup {
            Some(startup) => (startup.views, startup.visited),
            None => (vec![interpreter.layout().view(interpreter.initial_state())], Vec::new()),
        };
        let mut system = System {
            model,
            by_instance,
            units: Vec::new(),
            globals: Vec::new(),
            cells: Vec::new(),
            channels: Vec::new(),
            known_channels: 0,
            views,
            before,
            ends: model.processes.iter().any(removes),
            has_committed: model.processes.iter().flat_map(|p| &p.locations).any(|location| location.committed),
            thresholds: thresholds(model),
            nodes: 0,
        };
        system.globals = model.globals.iter().map(|var| system.variable(var)).collect();
        system.add_units();
        system.add_channels();
        system.find_constants();
        system.choose_tracked();
        system
    }

    fn variable(&mut self, var: &Var) -> Variable {
        let (first, len) = (self.cells.len(), var.len());
        let cell = Cell { ty: var.ty, range: var.range, constant: None };
        self.cells.resize(first + if len <= MAX_ELEMENTS { len } else { 1 }, cell);
        Variable { cells: first as u32..self.cells.len() as u32, dims: var.dims.clone(), len }
    }

    fn add_units(&mut self) {
        let model = self.model;
        if self.by_instance {
            for n in 0..self.views[0].processes.len() {
                let ty = self.views[0].processes[n].process.index();
                let seeds = self.views.iter().map(|view| &view.processes[n]);
                let seeds = seeds.map(|p| (p.location, p.locals.clone())).collect();
                self.add_unit(&model.processes[ty], Some(ty), Some(n as i32), seeds);
            }
        } else {
            for (ty, process) in model.processes.iter().enumerate() {
                let seeds = self.views[0].processes.iter().filter(|p| p.process.index() == ty);
                let seeds = seeds.map(|p| (p.location, p.locals.clone())).collect();
                self.add_unit(process, Some(ty), None, seeds);
            }
        }
        if let Some(observer) = &model.observer {
            let seeds = self.views.iter().filter_map(|view| Some((view.observer?, Vec::new()))).collect();
            self.add_unit(&observer.automaton, None, Some(0), seeds);
        }
    }

    fn add_unit(
        &mut self,
        process: &'m Process,
        ty: Option<usize>,
        pid: Option<i32>,
        seeds: Vec<(LocId, Vec<Vec<i32>>)>,
    ) {
        let first = self.cells.len() as u32;
        let locals = process.locals.iter().map(|var| self.variable(var)).collect();
        let (cells, first_node) = (first..self.cells.len() as u32, self.nodes);
        self.nodes += process.locations.len();
        let (mut entered, mut passed) = (vec![false; process.locations.len()], vec![false; process.locations.len()]);
        for edge in &process.edges {
            edge.chain.iter().for_each(|at| passed[at.index()] = true);
            if edge.then == Then::Chain {
                passed[edge.target.index()] = true;
            } else if edge.chain.is_none() {
                entered[edge.target.index()] = true;
            }
        }
        self.units.push(Unit { process, ty, pid, locals, cells, tracked: false, first_node, seeds, entered, passed });
    }

    fn add_channels(&mut self) {
        let known = self.views[0].channels.iter().filter(|c| self.by_instance || c.owner.is_none());
        self.channels = known.map(|c| c.declaration).collect();
        self.known_channels = self.channels.len();
        if !self.by_instance {
            let declarations = (0..self.model.channels.len() as u32).map(ChannelId);
            self.channels.extend(declarations);
        }
    }

    /// Finds the variables that are never written and have one value in all states at which the analysis begins.
    fn find_constants(&mut self) {
        let mut changed = HashSet::new();
        for (n, unit) in self.units.iter().enumerate() {
            let mut reached = vec![!self.by_instance; unit.process.locations.len()];
            unit.seeds.iter().for_each(|(at, _)| reach(unit.process, *at, &mut reached));
            for edge in edges_at(unit.process, &reached) {
                writes(edge, &mut |var| {
                    changed.insert(owned(var, n));
                });
            }
        }
        for i in 0..self.globals.len() {
            if !changed.contains(&(None, VarId(i as u32))) {
                let all: Vec<&[i32]> = self.views.iter().map(|view| &*view.globals[i]).collect();
                set_constants(&mut self.cells, &self.globals[i], &all);
            }
        }
        for (n, unit) in self.units.iter().enumerate().filter(|_| self.by_instance) {
            for (i, var) in unit.locals.iter().enumerate() {
                if !changed.contains(&(Some(n), VarId(i as u32))) {
                    let all: Vec<&[i32]> = unit.seeds.iter().map(|(_, locals)| &*locals[i]).collect();
                    set_constants(&mut self.cells, var, &all);
                }
            }
        }
    }

    fn choose_tracked(&mut self) {
        let mut all = 0;
        for unit in &mut self.units {
            let tracked = unit.cells.len() * unit.process.locations.len();
            unit.tracked = tracked <= MAX_TRACKED && all + tracked <= MAX_TRACKED_IN_ALL;
            all += if unit.tracked { tracked } else { 0 };
        }
    }

    /// The unit and the location of a node.
    pub fn place(&self, node: usize) -> (usize, LocId) {
        let unit = self.units.partition_point(|unit| unit.first_node + unit.process.locations.len() <= node);
        (unit, LocId((node - self.units[unit].first_node) as u32))
    }

    /// The node of a location.
    pub fn node(&self, unit: usize, at: LocId) -> usize {
        self.units[unit].first_node + at.index()
    }

    pub fn is_synchronous(&self) -> bool {
        self.model.scheduling == Scheduling::Synchronous
    }
}

/// Whether the processes of every state of the phase are the first ones of its final states. Then the number of a
/// process, and that of a channel, never belongs to another one.
fn creates_in_order(startup: &Startup, interpreter: &Interpreter) -> bool {
    let all = &startup.views[0].processes;
    startup.visited.iter().all(|state| {
        let here = interpreter.layout().view(state).processes;
        here.len() <= all.len() && here.iter().zip(all).all(|(a, b)| a.process == b.process)
    })
}

fn removes(process: &Process) -> bool {
    process.edges.iter().flat_map(|edge| &edge.effects).any(|effect| matches!(effect, Effect::Remove))
}

fn owned(var: VarRef, unit: usize) -> (Option<usize>, VarId) {
    match var {
        VarRef::Global(id) => (None, id),
        VarRef::Local(id) => (Some(unit), id),
    }
}

fn set_constants(cells: &mut [Cell], var: &Variable, all: &[&[i32]]) {
    let Some(first) = all.first().filter(|_| var.is_split()) else { return };
    for (i, value) in first.iter().enumerate() {
        if all.iter().all(|values| values[i] == *value) {
            cells[var.cell(i) as usize].constant = Some(*value);
        }
    }
}

fn thresholds(model: &Model) -> Vec<i32> {
    let mut found = vec![0, 1];
    let mut see = |e: &Expr| {
        if let Expr::Const(value) = e {
            found.extend([value.saturating_sub(1), *value, value.saturating_add(1)]);
        }
    };
    model.processes.iter().for_each(|process| process.walk(&mut see));
    model.observer.iter().for_each(|observer| observer.automaton.walk(&mut see));
    found.sort_unstable();
    found.dedup();
    found
}
