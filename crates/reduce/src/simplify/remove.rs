//! Removing variables from a model.

use super::rewrite::{self, Change};
use super::set::Set;
use kripke_model::ir::{Effect, Expr, Model, Place, Process, ProcessId, Var, VarId, VarRef};

/// The variables that stay.
#[derive(Clone, Debug)]
pub(super) struct Stay {
    pub globals: Set,
    /// By process type.
    pub locals: Vec<Set>,
}

/// Removes the others, which nothing refers to. How many.
pub(super) fn remove(model: &mut Model, asked: &mut [Expr], stay: &Stay) -> usize {
    let leaving = |vars: &[Var], stay: &Set| (0..vars.len()).filter(|i| !stay.contains(*i)).count();
    let locals: usize = model.processes.iter().zip(&stay.locals).map(|(p, stay)| leaving(&p.locals, stay)).sum();
    let removed = locals + leaving(&model.globals, &stay.globals);
    if removed == 0 {
        return 0;
    }
    let numbers = Numbers {
        globals: numbers(model.globals.len(), &stay.globals),
        locals: model.processes.iter().zip(&stay.locals).map(|(p, stay)| numbers(p.locals.len(), stay)).collect(),
    };
    let outside = &mut Renumber { numbers: &numbers, process: None };
    model.globals.iter_mut().for_each(|var| rewrite::init(var, outside));
    model.start.iter_mut().flat_map(|start| &mut start.args).for_each(|e| rewrite::expr(e, outside));
    let conditions = model.goal.iter_mut().map(|goal| &mut goal.condition).chain(asked);
    conditions.for_each(|e| rewrite::expr(e, outside));
    model.observer.iter_mut().for_each(|o| rewrite::process(&mut o.automaton, outside));
    model.trace.iter_mut().for_each(|t| rewrite::process(&mut t.automaton, outside));
    for (number, process) in model.processes.iter_mut().enumerate() {
        rewrite::process(process, &mut Renumber { numbers: &numbers, process: Some(number) });
    }
    drop_arguments(model, stay);
    keep_only(&mut model.globals, &stay.globals);
    for (process, stay) in model.processes.iter_mut().zip(&stay.locals) {
        process.params = (0..process.params).filter(|i| stay.contains(*i)).count();
        keep_only(&mut process.locals, stay);
    }
    removed
}

fn keep_only<T>(list: &mut Vec<T>, stay: &Set) {
    let mut number = 0;
    list.retain(|_| {
        number += 1;
        stay.contains(number - 1)
    });
}

fn drop_arguments(model: &mut Model, stay: &Stay) {
    model.start.iter_mut().for_each(|start| keep_only(&mut start.args, &stay.locals[start.process.index()]));
    for effect in model.processes.iter_mut().flat_map(|p: &mut Process| &mut p.edges).flat_map(|e| &mut e.effects) {
        if let Effect::Run { process, args, .. } = effect {
            keep_only(args, &stay.locals[process.index()]);
        }
    }
}

/// The new number of each variable.
struct Numbers {
    globals: Vec<VarId>,
    locals: Vec<Vec<VarId>>,
}

fn numbers(len: usize, stay: &Set) -> Vec<VarId> {
    let mut next = 0;
    let number = |i| {
        let id = VarId(next);
        next += u32::from(stay.contains(i));
        id
    };
    (0..len).map(number).collect()
}

struct Renumber<'a> {
    numbers: &'a Numbers,
    /// Whose locals are meant.
    process: Option<usize>,
}

impl Renumber<'_> {
    fn var(&self, var: &mut VarRef, owner: Option<usize>) {
        match (var, owner) {
            (VarRef::Global(id), _) => *id = self.numbers.globals[id.index()],
            (VarRef::Local(id), Some(owner)) => *id = self.numbers.locals[owner][id.index()],
            (VarRef::Local(_), None) => {}
        }
    }
}

impl Change for Renumber<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Load(place) => self.var(&mut place.var, self.process),
            Expr::Remote { process: ProcessId(owner), place, .. } => {
                self.var(&mut place.var, Some(*owner as usize));
            }
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        self.var(&mut place.var, self.process);
    }
}
