//! The process instances that are known before the search, and the variables of each that never change.
//!
//! Most models create all processes in a [startup phase](crate::startup) without choices. Then each process is known
//! by its number and the values of its parameters: `flag[me]` is one element and not the whole array. Otherwise an
//! instance stands for all processes of a type.

use std::collections::HashSet;

use crate::startup::{Startup, edges_at, reach};
use crate::writes::writes;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{BinaryOp, ChannelId, Expr, LocId, Model, Place, Process, VarId, VarRef};
use kripke_model::layout::View;

/// The elements of a variable that never changes.
type Constant = Option<Vec<i32>>;

/// A process, or all processes of a type.
#[derive(Debug)]
pub(super) struct Instance {
    pub process: usize,
    pid: Option<i32>,
    locals: Vec<Constant>,
    /// The locations from which processes can be created. All false if instances are types.
    pub in_startup: Vec<bool>,
}

#[derive(Debug)]
pub(super) struct Instances {
    /// Instances are single processes by number; otherwise types.
    pub by_pid: bool,
    pub all: Vec<Instance>,
    globals: Vec<Constant>,
    /// Channels that always exist: `channels[i]` has number `i + 1`.
    pub channels: Vec<ChannelId>,
}

impl Instances {
    pub fn of(interpreter: &Interpreter) -> Instances {
        let model = interpreter.model().clone();
        match Startup::of(interpreter, true) {
            Ok(startup) => Instances::by_pid(&model, &startup.views, &startup.creating),
            Err(_) => Instances::types(&model, &interpreter.layout().view(interpreter.initial_state())),
        }
    }

    /// The instances after the startup phase. It may end in several states, all with the same processes.
    fn by_pid(model: &Model, views: &[View], creating: &[Vec<bool>]) -> Instances {
        let mut changed = HashSet::new();
        let mut all = Vec::new();
        for (n, process) in views[0].processes.iter().enumerate() {
            let number = process.process.index();
            let ty = &model.processes[number];
            let mut own = HashSet::new();
            for view in views {
                changes(ty, &reachable(ty, view.processes[n].location), &mut own);
            }
            let constant = |(local, values): (usize, &Vec<i32>)| {
                let same = views.iter().all(|view| view.processes[n].locals[local] == *values);
                (same && !own.contains(&VarRef::Local(VarId(local as u32)))).then(|| values.clone())
            };
            let locals = process.locals.iter().enumerate().map(constant).collect();
            let (pid, in_startup) = (Some(i32::from(process.pid)), creating[number].clone());
            all.push(Instance { process: number, pid, locals, in_startup });
            changed.extend(own);
        }
        let channels = views[0].channels.iter().map(|c| c.declaration).collect();
        Instances { by_pid: true, all, globals: globals(model, views, changed), channels }
    }

    fn types(model: &Model, view: &View) -> Instances {
        let mut changed = HashSet::new();
        let mut all = Vec::new();
        for (process, ty) in model.processes.iter().enumerate() {
            changes(ty, &vec![true; ty.locations.len()], &mut changed);
            let (locals, in_startup) = (vec![None; ty.locals.len()], vec![false; ty.locations.len()]);
            all.push(Instance { process, pid: None, locals, in_startup });
        }
        let channels = view.channels.iter().filter(|c| c.owner.is_none()).map(|c| c.declaration).collect();
        Instances { by_pid: false, all, globals: globals(model, std::slice::from_ref(view), changed), channels }
    }

    /// The element that a place denotes, if its indices are known and in bounds.
    pub fn element(&self, model: &Model, place: &Place, instance: Option<&Instance>) -> Element {
        let var = match (place.var, instance) {
            (VarRef::Global(id), _) => &model.globals[id.index()],
            (VarRef::Local(id), Some(instance)) => &model.processes[instance.process].locals[id.index()],
            (VarRef::Local(_), None) => return Element::Any,
        };
        let mut at = 0;
        for (index, len) in place.index.iter().zip(&var.dims) {
            match self.value(model, index, instance) {
                Some(i) if (0..i64::from(*len)).contains(&i64::from(i)) => at = at * *len as usize + i as usize,
                _ => return Element::Any,
            }
        }
        Element::One(at)
    }

    /// The value of an expression, if it never changes.
    pub fn value(&self, model: &Model, expr: &Expr, instance: Option<&Instance>) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => instance?.pid,
            Expr::Load(place) => {
                let values = self.values(place.var, instance).as_ref()?;
                match self.element(model, place, instance) {
                    Element::One(at) => values.get(at).copied(),
                    Element::Any => None,
                }
            }
            Expr::Unary(op, e) => Some(op.apply(self.value(model, e, instance)?)),
            Expr::Binary(op, a, b) => {
                let a = self.value(model, a, instance)?;
                match op {
                    BinaryOp::And if a == 0 => Some(0),
                    BinaryOp::Or if a != 0 => Some(1),
                    _ => op.apply(a, self.value(model, b, instance)?),
                }
            }
            Expr::Cond(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if self.value(model, condition, instance)? != 0 { yes } else { no };
                self.value(model, chosen, instance)
            }
            _ => None,
        }
    }

    /// All values that an expression can have, if they are known. A constant array has those of all elements.
    pub fn possible_values(&self, model: &Model, expr: &Expr, instance: Option<&Instance>) -> Option<Vec<i32>> {
        if let Some(value) = self.value(model, expr, instance) {
            return Some(vec![value]);
        }
        match expr {
            Expr::Load(place) => self.values(place.var, instance).clone(),
            Expr::Cond(parts) => {
                let mut all = self.possible_values(model, &parts[1], instance)?;
                all.extend(self.possible_values(model, &parts[2], instance)?);
                Some(all)
            }
            _ => None,
        }
    }

    fn values<'s>(&'s self, var: VarRef, instance: Option<&'s Instance>) -> &'s Constant {
        match (var, instance) {
            (VarRef::Global(id), _) => &self.globals[id.index()],
            (VarRef::Local(id), Some(instance)) => &instance.locals[id.index()],
            (VarRef::Local(_), None) => &None,
        }
    }
}

/// An element of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    One(usize),
    Any,
}

fn globals(model: &Model, views: &[View], mut changed: HashSet<VarRef>) -> Vec<Constant> {
    if let Some(observer) = &model.observer {
        changes(&observer.automaton, &vec![true; observer.automaton.locations.len()], &mut changed);
    }
    let constant = |(n, values): (usize, &Vec<i32>)| {
        let same = views.iter().all(|view| view.globals[n] == *values);
        (same && !changed.contains(&VarRef::Global(VarId(n as u32)))).then(|| values.clone())
    };
    views[0].globals.iter().enumerate().map(constant).collect()
}

/// The locations reachable from one, including it.
fn reachable(process: &Process, from: LocId) -> Vec<bool> {
    let mut reached = vec![false; process.locations.len()];
    reach(process, from, &mut reached);
    reached
}

/// Adds the variables that a process can write from these locations.
fn changes(process: &Process, reached: &[bool], out: &mut HashSet<VarRef>) {
    for edge in edges_at(process, reached) {
        writes(edge, &mut |var| {
            out.insert(var);
        });
    }
}
