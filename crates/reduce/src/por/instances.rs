//! Who takes part: the processes that there are, as far as that is known before the search, and what of them never
//! changes.
//!
//! Most models create their processes in a beginning without choices. Then each process is known by its number, with
//! the values of its parameters: `flag[me]` is one flag and not all of them. Otherwise all that is known of a process
//! is its type.

use std::collections::HashSet;

use crate::startup::{Beginning, edges_at, reach};
use crate::writes::writes;
use kripke_model::interpret::Interpreter;
use kripke_model::ir::{BinaryOp, ChannelId, Expr, LocId, Model, Place, Process, VarId, VarRef};
use kripke_model::layout::View;

/// The values of a variable that never changes.
type Constant = Option<Vec<i32>>;

/// A process, or all processes of a type.
#[derive(Debug)]
pub(super) struct Actor {
    pub process: usize,
    pid: Option<i32>,
    locals: Vec<Constant>,
    /// From which locations others can be created; always false where nothing is known but types.
    pub early: Vec<bool>,
}

#[derive(Debug)]
pub(super) struct Cast {
    /// Whether actors are processes by number, or else types.
    pub numbered: bool,
    pub actors: Vec<Actor>,
    globals: Vec<Constant>,
    /// Channels that are always there: `channels[i]` has number `i + 1`.
    pub channels: Vec<ChannelId>,
}

impl Cast {
    pub fn of(interpreter: &Interpreter) -> Cast {
        let model = interpreter.model().clone();
        match Beginning::of(interpreter, true) {
            Ok(begun) => Cast::numbered(&model, &begun.views, &begun.creating),
            Err(_) => Cast::types(&model, &interpreter.layout().view(interpreter.initial_state())),
        }
    }

    /// No processes are created any more. There may be several ways to begin, but always with the same processes.
    fn numbered(model: &Model, views: &[View], creating: &[Vec<bool>]) -> Cast {
        let mut changed = HashSet::new();
        let mut actors = Vec::new();
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
            let (pid, early) = (Some(i32::from(process.pid)), creating[number].clone());
            actors.push(Actor { process: number, pid, locals, early });
            changed.extend(own);
        }
        let channels = views[0].channels.iter().map(|c| c.declaration).collect();
        Cast { numbered: true, actors, globals: globals(model, views, changed), channels }
    }

    fn types(model: &Model, view: &View) -> Cast {
        let mut changed = HashSet::new();
        let mut actors = Vec::new();
        for (process, ty) in model.processes.iter().enumerate() {
            changes(ty, &vec![true; ty.locations.len()], &mut changed);
            let (locals, early) = (vec![None; ty.locals.len()], vec![false; ty.locations.len()]);
            actors.push(Actor { process, pid: None, locals, early });
        }
        let channels = view.channels.iter().filter(|c| c.owner.is_none()).map(|c| c.declaration).collect();
        Cast { numbered: false, actors, globals: globals(model, std::slice::from_ref(view), changed), channels }
    }

    /// The elements that a place can be: one, if the index is known. None if there is no such element.
    pub fn element(&self, model: &Model, place: &Place, actor: Option<&Actor>) -> Element {
        let var = match (place.var, actor) {
            (VarRef::Global(id), _) => &model.globals[id.index()],
            (VarRef::Local(id), Some(actor)) => &model.processes[actor.process].locals[id.index()],
            (VarRef::Local(_), None) => return Element::Any,
        };
        let mut at = 0;
        for (index, len) in place.index.iter().zip(&var.dims) {
            match self.value(model, index, actor) {
                Some(i) if (0..i64::from(*len)).contains(&i64::from(i)) => at = at * *len as usize + i as usize,
                _ => return Element::Any,
            }
        }
        Element::One(at)
    }

    /// The value of an expression, if it is always the same.
    pub fn value(&self, model: &Model, expr: &Expr, actor: Option<&Actor>) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => actor?.pid,
            Expr::Load(place) => {
                let values = self.values(place.var, actor).as_ref()?;
                match self.element(model, place, actor) {
                    Element::One(at) => values.get(at).copied(),
                    Element::Any => None,
                }
            }
            Expr::Unary(op, e) => Some(op.apply(self.value(model, e, actor)?)),
            Expr::Binary(op, a, b) => {
                let a = self.value(model, a, actor)?;
                match op {
                    BinaryOp::And if a == 0 => Some(0),
                    BinaryOp::Or if a != 0 => Some(1),
                    _ => op.apply(a, self.value(model, b, actor)?),
                }
            }
            Expr::Cond(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if self.value(model, condition, actor)? != 0 { yes } else { no };
                self.value(model, chosen, actor)
            }
            _ => None,
        }
    }

    /// All values that an expression can have, if they are known: those of an array whatever the index.
    pub fn possible(&self, model: &Model, expr: &Expr, actor: Option<&Actor>) -> Option<Vec<i32>> {
        if let Some(value) = self.value(model, expr, actor) {
            return Some(vec![value]);
        }
        match expr {
            Expr::Load(place) => self.values(place.var, actor).clone(),
            Expr::Cond(parts) => {
                let mut all = self.possible(model, &parts[1], actor)?;
                all.extend(self.possible(model, &parts[2], actor)?);
                Some(all)
            }
            _ => None,
        }
    }

    fn values<'s>(&'s self, var: VarRef, actor: Option<&'s Actor>) -> &'s Constant {
        match (var, actor) {
            (VarRef::Global(id), _) => &self.globals[id.index()],
            (VarRef::Local(id), Some(actor)) => &actor.locals[id.index()],
            (VarRef::Local(_), None) => &None,
        }
    }
}

/// Which element of a variable.
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

/// The locations that can be reached from one, itself too.
fn reachable(process: &Process, from: LocId) -> Vec<bool> {
    let mut reached = vec![false; process.locations.len()];
    reach(process, from, &mut reached);
    reached
}

/// What the process can change from there.
fn changes(process: &Process, reached: &[bool], out: &mut HashSet<VarRef>) {
    for edge in edges_at(process, reached) {
        writes(edge, &mut |var| {
            out.insert(var);
        });
    }
}
