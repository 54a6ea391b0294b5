//! Privatisation: a global that only one process uses becomes a local of that process.
//!
//! The process exists from the start, so the initial values are the same. When it ends the variables are gone, which
//! no other process observes.

use super::faults::Vars;
use super::remotely_read::loads;
use super::remove::{Kept, remove};
use super::rewrite::{self, Rewriter};
use crate::bitset::BitSet;
use crate::writes::writes;
use kripke_model::ir::{Effect, Expr, Init, Model, Place, VarId, VarRef};

/// Privatises globals. The number of them.
pub(super) fn privatise(model: &mut Model, observed: &mut [Expr]) -> usize {
    let private = private_globals(model, observed);
    let mut globals = BitSet::full(model.globals.len());
    for (process, private) in model.processes.iter_mut().zip(&private).filter(|(_, private)| !private.is_empty()) {
        let mut new = vec![None; model.globals.len()];
        for id in private {
            new[id.index()] = Some(VarId(process.locals.len() as u32));
            process.locals.push(model.globals[id.index()].clone());
            globals.remove(id.index());
        }
        rewrite::process(process, &mut ToLocal { new });
    }
    let locals = model.processes.iter().map(|p| BitSet::full(p.locals.len())).collect();
    remove(model, observed, &Kept { globals, locals })
}

/// The local that replaces each global.
struct ToLocal {
    new: Vec<Option<VarId>>,
}

impl ToLocal {
    fn var(&self, var: &mut VarRef) {
        if let VarRef::Global(id) = *var
            && let Some(local) = self.new[id.index()]
        {
            *var = VarRef::Local(local);
        }
    }
}

impl Rewriter for ToLocal {
    fn expr(&mut self, expr: &mut Expr) {
        if let Expr::Load(place) = expr {
            self.var(&mut place.var);
        }
    }

    fn place(&mut self, place: &mut Place) {
        self.var(&mut place.var);
    }
}

/// For each process type the globals that only its single process uses.
fn private_globals(model: &Model, observed: &[Expr]) -> Vec<Vec<VarId>> {
    let mut users = Users(vec![User::None; model.globals.len()]);
    users.add_processes(model);
    users.add_outside(model, observed);
    let is_single = single_processes(model);
    let vars = Vars { globals: &model.globals, locals: &[] };
    let mut private = vec![Vec::new(); model.processes.len()];
    for (id, (user, var)) in users.0.iter().zip(&model.globals).enumerate() {
        if let User::Only(number) = *user
            && is_single[number]
            && !var.hidden
            && is_scope_independent(&var.init, vars)
        {
            private[number].push(VarId(id as u32));
        }
    }
    private
}

/// For each process type whether it has exactly one process, which exists from the start.
fn single_processes(model: &Model) -> Vec<bool> {
    let (mut started, mut created) = (vec![0; model.processes.len()], vec![false; model.processes.len()]);
    model.start.iter().for_each(|start| started[start.process.index()] += 1);
    for effect in model.processes.iter().flat_map(|p| &p.edges).flat_map(|edge| &edge.effects) {
        if let Effect::Run { process, .. } = effect {
            created[process.index()] = true;
        }
    }
    started.iter().zip(created).map(|(started, created)| *started == 1 && !created).collect()
}

/// The process type that uses a global.
#[derive(Clone, Copy, PartialEq)]
enum User {
    None,
    Only(usize),
    Several,
}

/// The user of each global.
struct Users(Vec<User>);

impl Users {
    fn add(&mut self, var: VarRef, user: User) {
        if let VarRef::Global(id) = var {
            let known = &mut self.0[id.index()];
            *known = if *known == User::None || *known == user { user } else { User::Several };
        }
    }

    fn add_processes(&mut self, model: &Model) {
        for (number, process) in model.processes.iter().enumerate() {
            process.edges.iter().for_each(|edge| writes(edge, &mut |var| self.add(var, User::Only(number))));
            process.walk(&mut |expr| match expr {
                Expr::Load(place) => self.add(place.var, User::Only(number)),
                Expr::Remote { place, .. } => self.add(place.var, User::Several),
                _ => {}
            });
        }
    }

    /// Adds the uses by initial values, arguments of the initial processes, automata and observed conditions.
    fn add_outside(&mut self, model: &Model, observed: &[Expr]) {
        // Initial values are computed in the order of declaration, so variables that they read stay global.
        let declared = model.globals.iter().chain(model.processes.iter().flat_map(|p| &p.locals));
        let inits = declared.flat_map(|var| var.init.exprs());
        let conditions = model.goal.iter().map(|goal| &goal.condition).chain(observed);
        let outside = inits.chain(model.start.iter().flat_map(|start| &start.args)).chain(conditions);
        outside.for_each(|e| loads(e, &mut |var| self.add(var, User::Several)));
        let automata = model.observer.iter().map(|o| &o.automaton).chain(model.trace.iter().map(|t| &t.automaton));
        for automaton in automata {
            automaton.edges.iter().for_each(|edge| writes(edge, &mut |var| self.add(var, User::Several)));
            automaton.walk(&mut |expr| {
                if let Expr::Load(place) = expr {
                    self.add(place.var, User::Several);
                }
            });
        }
    }
}

/// True if an initial value is the same in the scope of a process.
fn is_scope_independent(init: &Init, vars: Vars<'_>) -> bool {
    let mut plain = !matches!(init, Init::Channels(_)) && !vars.init_may_fault(init);
    init.exprs().iter().for_each(|e| {
        e.walk(&mut |part| {
            plain &=
                matches!(part, Expr::Const(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_));
        });
    });
    plain
}
