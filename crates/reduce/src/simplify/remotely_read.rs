//! Locals that are read from outside of their process's control flow.

use super::faults::Vars;
use crate::bitset::BitSet;
use kripke_model::ir::{Expr, Init, Model, ProcessId, VarId, VarRef};

/// Larger arrays are not reset: that costs more than it is likely to gain.
const MAX_ELEMENTS: usize = 64;

/// For each process type the locals that are live at every location: other processes or the property read them
/// remotely, or they cannot be reset.
pub(super) fn remotely_read(model: &Model, observed: &[Expr]) -> Vec<BitSet> {
    let mut remotely_read: Vec<BitSet> =
        model.processes.iter().map(|process| BitSet::new(process.locals.len())).collect();
    let mut add = |process: ProcessId, var: VarRef| {
        if let VarRef::Local(id) = var {
            remotely_read[process.index()].insert(id.index());
        }
    };
    let mut see = |expr: &Expr| {
        if let Expr::Remote { process, place, .. } = expr {
            add(*process, place.var);
        }
    };
    let observers = model.observer.iter().map(|o| &o.automaton);
    model.processes.iter().chain(observers).for_each(|process| process.walk(&mut see));
    model.goal.iter().map(|goal| &goal.condition).chain(observed).for_each(|e| e.walk(&mut see));
    for (number, process) in model.processes.iter().enumerate() {
        let number = ProcessId(number as u32);
        let others = process.claims.iter().map(|c| &c.channel).chain(&process.provided);
        others.for_each(|e| loads(e, &mut |var| add(number, var)));
        let vars = Vars { globals: &model.globals, locals: &process.locals };
        for (id, var) in process.locals.iter().enumerate() {
            let fixed = matches!(var.init, Init::Channels(_)) || vars.init_may_fault(&var.init);
            if fixed || var.len() > MAX_ELEMENTS {
                add(number, VarRef::Local(VarId(id as u32)));
            }
        }
    }
    remotely_read
}

pub(super) fn loads(expr: &Expr, see: &mut impl FnMut(VarRef)) {
    expr.walk(&mut |part| {
        if let Expr::Load(place) = part {
            see(place.var);
        }
    });
}
