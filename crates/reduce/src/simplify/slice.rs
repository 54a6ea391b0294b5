//! Slicing: variables without influence are removed, with the assignments to them.
//!
//! A variable is *relevant* if its value is read by a guard, a channel operation, an assertion or a property, by an
//! index or divisor that can fail, or by an assignment to a relevant variable. Variables that are only written, that
//! feed only each other, or that only count themselves are not relevant. The simplified model is the image of the
//! original under the projection to the relevant variables.

use super::edge::{EdgeChanges, Needs, backward, read};
use super::faults::Vars;
use super::remove::{Kept, remove};
use crate::bitset::BitSet;
use kripke_model::ir::{Effect, Expr, Guard, Init, Model, Process, ProcessId, Var, VarId, VarRef};

/// Removes irrelevant variables and assignments. The number of both.
pub(super) fn slice(model: &mut Model, observed: &mut [Expr]) -> usize {
    clear_unused_edges(model);
    let mut relevance = Relevance::of(model, observed);
    let mut removed = 0;
    let mut changes = EdgeChanges::default();
    for number in 0..model.processes.len() {
        relevance.process = number;
        let locals = model.processes[number].locals.clone();
        let vars = Vars { globals: &model.globals, locals: &locals };
        for edge in &mut model.processes[number].edges {
            backward(edge, vars, &mut relevance, &mut changes);
            removed += changes.apply(edge, vars);
        }
    }
    if let Some(observer) = &mut model.observer {
        let vars = Vars { globals: &model.globals, locals: &[] };
        for edge in &mut observer.automaton.edges {
            backward(edge, vars, &mut relevance, &mut changes);
            removed += changes.apply(edge, vars);
        }
    }
    relevance.zero_initial_values(model);
    removed + remove(model, observed, &relevance.declared)
}

/// Clears edges that no location has: they would make variables relevant.
fn clear_unused_edges(model: &mut Model) {
    for process in &mut model.processes {
        let mut used = BitSet::new(process.edges.len());
        process.locations.iter().flat_map(|l| &l.edges).for_each(|id| used.insert(id.index()));
        for (_, edge) in process.edges.iter_mut().enumerate().filter(|(number, _)| !used.contains(*number)) {
            edge.guard = Guard::When(Expr::Const(0));
            edge.sync = None;
            edge.effects = Vec::new();
        }
    }
}

/// The relevant variables.
struct Relevance {
    relevant: Kept,
    /// These, and the variables that stay declared because their bounds are checked.
    declared: Kept,
    /// The process type whose edges are analysed.
    process: usize,
    grown: bool,
}

impl Relevance {
    fn of(model: &Model, observed: &[Expr]) -> Relevance {
        let locals = model.processes.iter().map(|p| BitSet::new(p.locals.len())).collect();
        let relevant = Kept { globals: BitSet::new(model.globals.len()), locals };
        let mut relevance = Relevance { declared: relevant.clone(), relevant, process: 0, grown: true };
        relevance.add_roots(model, observed);
        let mut changes = EdgeChanges::default();
        while std::mem::take(&mut relevance.grown) {
            for (number, process) in model.processes.iter().enumerate() {
                relevance.process = number;
                let vars = Vars { globals: &model.globals, locals: &process.locals };
                process.edges.iter().for_each(|edge| backward(edge, vars, &mut relevance, &mut changes));
            }
            let vars = Vars { globals: &model.globals, locals: &[] };
            if let Some(observer) = &model.observer {
                observer.automaton.edges.iter().for_each(|edge| backward(edge, vars, &mut relevance, &mut changes));
            }
            relevance.add_initial_values(model);
        }
        for (declared, relevant) in relevance.declared.locals.iter_mut().zip(&relevance.relevant.locals) {
            declared.union_with(relevant);
        }
        relevance.declared.globals.union_with(&relevance.relevant.globals);
        relevance
    }

    /// Initialises variables that are kept only for their bounds with 0.
    fn zero_initial_values(&self, model: &mut Model) {
        let zero = |vars: &mut [Var], relevant: &BitSet, declared: &BitSet| {
            for (id, var) in vars.iter_mut().enumerate() {
                if declared.contains(id) && !relevant.contains(id) {
                    var.init = Init::Zero;
                }
            }
        };
        zero(&mut model.globals, &self.relevant.globals, &self.declared.globals);
        for ((process, relevant), declared) in
            model.processes.iter_mut().zip(&self.relevant.locals).zip(&self.declared.locals)
        {
            zero(&mut process.locals, relevant, declared);
        }
    }

    /// Adds the variables that are relevant in any case.
    fn add_roots(&mut self, model: &Model, observed: &[Expr]) {
        model.goal.iter().map(|goal| &goal.condition).chain(observed).for_each(|e| read(e, self));
        model.trace.iter().for_each(|trace| trace.automaton.walk(&mut |e| read(e, self)));
        for (number, process) in model.processes.iter().enumerate() {
            self.process = number;
            process.provided.iter().chain(process.claims.iter().map(|c| &c.channel)).for_each(|e| read(e, self));
            let vars = Vars { globals: &model.globals, locals: &process.locals };
            for (id, _) in process.locals.iter().enumerate().filter(|(_, var)| initialiser_has_effect(var, vars)) {
                self.read(VarRef::Local(VarId(id as u32)));
            }
            self.add_failing_arguments(process, vars);
        }
        let vars = Vars { globals: &model.globals, locals: &[] };
        for (id, _) in model.globals.iter().enumerate().filter(|(_, var)| initialiser_has_effect(var, vars)) {
            self.read(VarRef::Global(VarId(id as u32)));
        }
        for start in &model.start {
            for (number, _) in start.args.iter().enumerate().filter(|(_, arg)| vars.may_fault(arg)) {
                self.read_remotely(start.process, VarId(number as u32));
            }
        }
    }

    /// Adds the parameters whose arguments can fail.
    fn add_failing_arguments(&mut self, process: &Process, vars: Vars<'_>) {
        for effect in process.edges.iter().flat_map(|edge| &edge.effects) {
            if let Effect::Run { process, args, .. } = effect {
                for (number, _) in args.iter().enumerate().filter(|(_, arg)| vars.may_fault(arg)) {
                    self.read_remotely(*process, VarId(number as u32));
                }
            }
        }
    }

    /// Adds the variables that initial values of relevant variables read.
    fn add_initial_values(&mut self, model: &Model) {
        for (id, var) in model.globals.iter().enumerate() {
            if self.relevant.globals.contains(id) {
                var.init.exprs().iter().for_each(|e| read(e, self));
            }
        }
        for (number, process) in model.processes.iter().enumerate() {
            self.process = number;
            for (id, var) in process.locals.iter().enumerate() {
                if self.relevant.locals[number].contains(id) {
                    var.init.exprs().iter().for_each(|e| read(e, self));
                }
            }
        }
        for start in &model.start {
            for (number, arg) in start.args.iter().enumerate() {
                if self.needs_parameter(start.process, number) {
                    read(arg, self);
                }
            }
        }
    }
}

/// True if the initialisation creates channels or can fail.
fn initialiser_has_effect(var: &Var, vars: Vars<'_>) -> bool {
    matches!(var.init, Init::Channels(_)) || vars.init_may_fault(&var.init)
}

impl Needs for Relevance {
    fn needs(&self, var: VarRef) -> bool {
        match var {
            VarRef::Global(id) => self.relevant.globals.contains(id.index()),
            VarRef::Local(id) => self.relevant.locals[self.process].contains(id.index()),
        }
    }

    fn needs_parameter(&self, process: ProcessId, number: usize) -> bool {
        self.relevant.locals[process.index()].contains(number)
    }

    fn read(&mut self, var: VarRef) {
        self.grown |= match var {
            VarRef::Global(id) => self.relevant.globals.insert_new(id.index()),
            VarRef::Local(id) => self.relevant.locals[self.process].insert_new(id.index()),
        };
    }

    fn read_remotely(&mut self, process: ProcessId, var: VarId) {
        self.grown |= self.relevant.locals[process.index()].insert_new(var.index());
    }

    fn overwritten(&mut self, _: VarRef) {}

    /// A write that is kept because it can fail makes its variable relevant.
    fn stored(&mut self, var: VarRef) {
        self.read(var);
    }

    fn bounds_checked(&mut self, var: VarRef) {
        match var {
            VarRef::Global(id) => self.declared.globals.insert(id.index()),
            VarRef::Local(id) => self.declared.locals[self.process].insert(id.index()),
        }
    }

    fn process_ends(&mut self) {}
}
