//! Which locals somebody may read who is not at a location of their process.

use super::faults::Vars;
use super::set::Set;
use kripke_model::ir::{Expr, Init, Model, ProcessId, VarId, VarRef};

/// Resetting larger arrays would cost more than it is likely to gain.
const MAX_ELEMENTS: usize = 64;

/// For each process type the locals that are always live: others read them, or they can't be reset.
pub(super) fn pinned(model: &Model, asked: &[Expr]) -> Vec<Set> {
    let mut pinned: Vec<Set> = model.processes.iter().map(|process| Set::new(process.locals.len())).collect();
    let mut pin = |process: ProcessId, var: VarRef| {
        if let VarRef::Local(id) = var {
            pinned[process.index()].add(id.index());
        }
    };
    let mut see = |expr: &Expr| {
        if let Expr::Remote { process, place, .. } = expr {
            pin(*process, place.var);
        }
    };
    let observers = model.observer.iter().map(|o| &o.automaton);
    model.processes.iter().chain(observers).for_each(|process| process.walk(&mut see));
    model.goal.iter().map(|goal| &goal.condition).chain(asked).for_each(|e| e.walk(&mut see));
    for (number, process) in model.processes.iter().enumerate() {
        let number = ProcessId(number as u32);
        let others = process.claims.iter().map(|c| &c.channel).chain(&process.provided);
        others.for_each(|e| loads(e, &mut |var| pin(number, var)));
        let vars = Vars { globals: &model.globals, locals: &process.locals };
        for (id, var) in process.locals.iter().enumerate() {
            let fixed = matches!(var.init, Init::Channels(_)) || vars.init_may_fault(&var.init);
            if fixed || var.len() > MAX_ELEMENTS {
                pin(number, VarRef::Local(VarId(id as u32)));
            }
        }
    }
    pinned
}

pub(super) fn loads(expr: &Expr, see: &mut impl FnMut(VarRef)) {
    expr.walk(&mut |part| {
        if let Expr::Load(place) = part {
            see(place.var);
        }
    });
}
