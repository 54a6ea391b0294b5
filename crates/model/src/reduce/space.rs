//! Which variables belong to a process, and which of them somebody else may read at any time.

use std::collections::HashMap;

use super::edge::written;
use super::faults::Vars;
use super::set::Set;
use crate::ir::{Effect, Expr, Init, Model, ProcessId, VarId, VarRef};

/// Resetting larger arrays would cost more than it is likely to gain.
const MAX_ELEMENTS: usize = 64;

/// The variables of a process that are looked at, numbered.
pub(super) struct Space {
    pub locals: usize,
    /// Globals that are this process's alone.
    owned: Vec<VarId>,
    numbers: HashMap<VarId, usize>,
    /// Always live.
    pub pinned: Set,
}

impl Space {
    fn new(locals: usize, owned: Vec<VarId>) -> Space {
        let numbers = owned.iter().enumerate().map(|(i, id)| (*id, locals + i)).collect();
        let pinned = Set::new(locals + owned.len());
        Space { locals, owned, numbers, pinned }
    }

    pub fn len(&self) -> usize {
        self.locals + self.owned.len()
    }

    pub fn number(&self, var: VarRef) -> Option<usize> {
        match var {
            VarRef::Local(id) => Some(id.index()),
            VarRef::Global(id) => self.numbers.get(&id).copied(),
        }
    }

    pub fn var(&self, number: usize) -> VarRef {
        match number.checked_sub(self.locals) {
            None => VarRef::Local(VarId(number as u32)),
            Some(owned) => VarRef::Global(self.owned[owned]),
        }
    }

    fn pin(&mut self, var: VarRef) {
        if let Some(number) = self.number(var) {
            self.pinned.add(number);
        }
    }
}

/// The variables of each process type, those pinned that somebody else may read at any time.
pub(super) fn spaces(model: &Model, asked: &[Expr]) -> Vec<Space> {
    let owned = owned(model, asked);
    let mut spaces: Vec<Space> =
        model.processes.iter().zip(owned).map(|(process, owned)| Space::new(process.locals.len(), owned)).collect();
    let mut remote: Vec<(ProcessId, VarRef)> = Vec::new();
    let mut see = |expr: &Expr| {
        if let Expr::Remote { process, place, .. } = expr {
            remote.push((*process, place.var));
        }
    };
    let observers = model.observer.iter().map(|o| &o.automaton);
    model.processes.iter().chain(observers).for_each(|process| process.walk(&mut see));
    model.goal.iter().map(|goal| &goal.condition).chain(asked).for_each(|e| e.walk(&mut see));
    for (process, var) in remote {
        spaces[process.index()].pin(var);
    }
    for (process, space) in model.processes.iter().zip(&mut spaces) {
        let vars = Vars { globals: &model.globals, locals: &process.locals };
        let others = process.claims.iter().map(|c| &c.channel).chain(&process.provided);
        others.for_each(|e| loads(e, &mut |var| space.pin(var)));
        for number in 0..space.len() {
            let var = vars.var(space.var(number));
            let fixed = matches!(var.init, Init::Channels(_)) || vars.init_may_fault(&var.init);
            if fixed || var.len() > MAX_ELEMENTS {
                space.pinned.add(number);
            }
        }
    }
    spaces
}

pub(super) fn loads(expr: &Expr, see: &mut impl FnMut(VarRef)) {
    expr.walk(&mut |part| {
        if let Expr::Load(place) = part {
            see(place.var);
        }
    });
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
            written(edge, &mut |var| uses(var, User::Only(number)));
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
    let inits = model.globals.iter().flat_map(|var| match &var.init {
        Init::All(e) => std::slice::from_ref(e),
        Init::List(list) => list,
        Init::Zero | Init::Channels(_) | Init::Param => &[],
    });
    let conditions = model.goal.iter().map(|goal| &goal.condition).chain(asked);
    let outside = inits.chain(model.start.iter().flat_map(|start| &start.args)).chain(conditions);
    outside.for_each(|e| loads(e, &mut |var| uses(var, User::Several)));
    let watchers = model.observer.iter().map(|o| &o.automaton).chain(model.trace.iter().map(|t| &t.automaton));
    for automaton in watchers {
        automaton.edges.iter().for_each(|edge| written(edge, &mut |var| uses(var, User::Several)));
        automaton.walk(&mut |expr| {
            if let Expr::Load(place) = expr {
                uses(place.var, User::Several);
            }
        });
    }
    let mut owned = vec![Vec::new(); model.processes.len()];
    for (id, (user, var)) in users.iter().zip(&model.globals).enumerate() {
        if let User::Only(number) = *user
            && created[number] == 1
            && !var.hidden
        {
            owned[number].push(VarId(id as u32));
        }
    }
    owned
}
