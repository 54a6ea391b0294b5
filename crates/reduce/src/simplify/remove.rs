//! Removal of variables from a model.

use super::rewrite::{self, Rewriter};
use crate::bitset::BitSet;
use kripke_model::ir::{Effect, Expr, Model, Place, Process, ProcessId, Var, VarId, VarRef};

/// The variables that are kept.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub globals: BitSet,
    /// By process type.
    pub locals: Vec<BitSet>,
}

/// Removes all other variables, to which nothing refers, and renumbers the rest. The number of removed variables.
pub(super) fn remove(model: &mut Model, observed: &mut [Expr], kept: &Kept) -> usize {
    let leaving = |vars: &[Var], kept: &BitSet| (0..vars.len()).filter(|i| !kept.contains(*i)).count();
    let locals: usize = model.processes.iter().zip(&kept.locals).map(|(p, kept)| leaving(&p.locals, kept)).sum();
    let removed = locals + leaving(&model.globals, &kept.globals);
    if removed == 0 {
        return 0;
    }
    let numbers = Numbers {
        globals: numbers(model.globals.len(), &kept.globals),
        locals: model.processes.iter().zip(&kept.locals).map(|(p, kept)| numbers(p.locals.len(), kept)).collect(),
    };
    let outside = &mut Renumber { numbers: &numbers, process: None };
    model.globals.iter_mut().for_each(|var| rewrite::init(var, outside));
    model.start.iter_mut().flat_map(|start| &mut start.args).for_each(|e| rewrite::expr(e, outside));
    let conditions = model.goal.iter_mut().map(|goal| &mut goal.condition).chain(observed);
    conditions.for_each(|e| rewrite::expr(e, outside));
    model.observer.iter_mut().for_each(|o| rewrite::process(&mut o.automaton, outside));
    model.trace.iter_mut().for_each(|t| rewrite::process(&mut t.automaton, outside));
    for (number, process) in model.processes.iter_mut().enumerate() {
        rewrite::process(process, &mut Renumber { numbers: &numbers, process: Some(number) });
    }
    drop_arguments(model, kept);
    keep_only(&mut model.globals, &kept.globals);
    for (process, kept) in model.processes.iter_mut().zip(&kept.locals) {
        process.params = (0..process.params).filter(|i| kept.contains(*i)).count();
        keep_only(&mut process.locals, kept);
    }
    removed
}

fn keep_only<T>(list: &mut Vec<T>, kept: &BitSet) {
    let mut number = 0;
    list.retain(|_| {
        number += 1;
        kept.contains(number - 1)
    });
}

fn drop_arguments(model: &mut Model, kept: &Kept) {
    model.start.iter_mut().for_each(|start| keep_only(&mut start.args, &kept.locals[start.process.index()]));
    for effect in model.processes.iter_mut().flat_map(|p: &mut Process| &mut p.edges).flat_map(|e| &mut e.effects) {
        if let Effect::Run { process, args, .. } = effect {
            keep_only(args, &kept.locals[process.index()]);
        }
    }
}

/// The new number of each variable.
struct Numbers {
    globals: Vec<VarId>,
    locals: Vec<Vec<VarId>>,
}

fn numbers(len: usize, kept: &BitSet) -> Vec<VarId> {
    let mut next = 0;
    let number = |i| {
        let id = VarId(next);
        next += u32::from(kept.contains(i));
        id
    };
    (0..len).map(number).collect()
}

struct Renumber<'a> {
    numbers: &'a Numbers,
    /// The process type to which locals belong.
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

impl Rewriter for Renumber<'_> {
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
