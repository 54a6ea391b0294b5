//! Globals that only one process uses become its locals: that nobody else looks at them is then easy to see for everybody.
//!
//! The process is alive from the start, so they start as before. When it disappears so do they, which nobody notices.

use super::faults::Vars;
use super::remotely_read::loads;
use super::remove::{Stay, remove};
use super::rewrite::{self, Change};
use super::set::Set;
use crate::writes::writes;
use kripke_model::ir::{Effect, Expr, Init, Model, Place, VarId, VarRef};

/// Makes such globals locals. How many.
pub(super) fn privatise(model: &mut Model, asked: &mut [Expr]) -> usize {
    let owned = owned(model, asked);
    let mut globals = Set::new(model.globals.len());
    (0..model.globals.len()).for_each(|id| globals.add(id));
    for (process, owned) in model.processes.iter_mut().zip(&owned).filter(|(_, owned)| !owned.is_empty()) {
        let mut new = vec![None; model.globals.len()];
        for id in owned {
            new[id.index()] = Some(VarId(process.locals.len() as u32));
            process.locals.push(model.globals[id.index()].clone());
            globals.remove(id.index());
        }
        rewrite::process(process, &mut Move { new });
    }
    let all = |len| {
        let mut set = Set::new(len);
        (0..len).for_each(|id| set.add(id));
        set
    };
    let locals = model.processes.iter().map(|p| all(p.locals.len())).collect();
    remove(model, asked, &Stay { globals, locals })
}

/// The local that each global has become.
struct Move {
    new: Vec<Option<VarId>>,
}

impl Move {
    fn var(&self, var: &mut VarRef) {
        if let VarRef::Global(id) = *var
            && let Some(local) = self.new[id.index()]
        {
            *var = VarRef::Local(local);
        }
    }
}

impl Change for Move {
    fn expr(&mut self, expr: &mut Expr) {
        if let Expr::Load(place) = expr {
            self.var(&mut place.var);
        }
    }

    fn place(&mut self, place: &mut Place) {
        self.var(&mut place.var);
    }
}

/// For each process type the globals that only its one process uses.
fn owned(model: &Model, asked: &[Expr]) -> Vec<Vec<VarId>> {
    #[derive(Clone, Copy, PartialEq)]
    enum User {
        Nobody,
        Only(usize),
        Several,
    }
    let mut users = vec![User::Nobody; model.globals.len()];
    let mut uses = |var: VarRef, user: User| {
        if let VarRef::Global(id) = var {
            let known = &mut users[id.index()];
            *known = if *known == User::Nobody || *known == user { user } else { User::Several };
        }
    };
    let mut created = vec![0; model.processes.len()];
    model.start.iter().for_each(|start| created[start.process.index()] += 1);
    for (number, process) in model.processes.iter().enumerate() {
        for edge in &process.edges {
            writes(edge, &mut |var| uses(var, User::Only(number)));
            for effect in &edge.effects {
                if let Effect::Run { process, .. } = effect {
                    created[process.index()] += 2;
                }
            }
        }
        process.walk(&mut |expr| match expr {
            Expr::Load(place) => uses(place.var, User::Only(number)),
            Expr::Remote { place, .. } => uses(place.var, User::Several),
            _ => {}
        });
    }
    // Initial values are computed in the order of declaration.
    let declared = model.globals.iter().chain(model.processes.iter().flat_map(|p| &p.locals));
    let inits = declared.flat_map(|var| var.init.exprs());
    let conditions = model.goal.iter().map(|goal| &goal.condition).chain(asked);
    let outside = inits.chain(model.start.iter().flat_map(|start| &start.args)).chain(conditions);
    outside.for_each(|e| loads(e, &mut |var| uses(var, User::Several)));
    let watchers = model.observer.iter().map(|o| &o.automaton).chain(model.trace.iter().map(|t| &t.automaton));
    for automaton in watchers {
        automaton.edges.iter().for_each(|edge| writes(edge, &mut |var| uses(var, User::Several)));
        automaton.walk(&mut |expr| {
            if let Expr::Load(place) = expr {
                uses(place.var, User::Several);
            }
        });
    }
    let vars = Vars { globals: &model.globals, locals: &[] };
    let mut owned = vec![Vec::new(); model.processes.len()];
    for (id, (user, var)) in users.iter().zip(&model.globals).enumerate() {
        if let User::Only(number) = *user
            && created[number] == 1
            && !var.hidden
            && starts_anywhere(&var.init, vars)
        {
            owned[number].push(VarId(id as u32));
        }
    }
    owned
}

/// Whether it makes no difference who computes an initial value.
fn starts_anywhere(init: &Init, vars: Vars<'_>) -> bool {
    let mut plain = !matches!(init, Init::Channels(_)) && !vars.init_may_fault(init);
    init.exprs().iter().for_each(|e| {
        e.walk(&mut |part| {
            plain &=
                matches!(part, Expr::Const(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(_));
        });
    });
    plain
}
