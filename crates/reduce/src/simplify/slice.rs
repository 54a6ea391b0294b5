//! Slicing: variables that influence nothing are left out, with the assignments to them.
//!
//! A variable *matters* if its value is read by a guard, a channel operation, an assertion, a property or anything else that
//! decides what happens or whether it is an error; by an index or a divisor that can go wrong; or by an assignment to a
//! variable that matters. So variables that are only written, or only feed each other, do not, and neither do counters that
//! only count themselves. A state without them is the image of all states that differ in nothing else.

use super::edge::{Needs, Plan, backward, read};
use super::faults::Vars;
use super::remove::{Stay, remove};
use super::set::Set;
use kripke_model::ir::{Effect, Expr, Guard, Init, Model, Process, ProcessId, Var, VarId, VarRef};

/// Leaves out what does not matter to the model, nor to conditions on its states. How many variables and assignments.
pub(super) fn slice(model: &mut Model, asked: &mut [Expr]) -> usize {
    blank_unused_edges(model);
    let mut relevance = Relevance::of(model, asked);
    let mut dropped = 0;
    let mut plan = Plan::default();
    for number in 0..model.processes.len() {
        relevance.process = number;
        let locals = model.processes[number].locals.clone();
        let vars = Vars { globals: &model.globals, locals: &locals };
        for edge in &mut model.processes[number].edges {
            backward(edge, vars, &mut relevance, &mut plan);
            dropped += plan.carry_out(edge, vars);
        }
    }
    if let Some(observer) = &mut model.observer {
        let vars = Vars { globals: &model.globals, locals: &[] };
        for edge in &mut observer.automaton.edges {
            backward(edge, vars, &mut relevance, &mut plan);
            dropped += plan.carry_out(edge, vars);
        }
    }
    relevance.forget_starts(model);
    dropped + remove(model, asked, &relevance.there)
}

/// Edges that no location has would keep variables alive.
fn blank_unused_edges(model: &mut Model) {
    for process in &mut model.processes {
        let mut used = Set::new(process.edges.len());
        process.locations.iter().flat_map(|l| &l.edges).for_each(|id| used.add(id.index()));
        for (_, edge) in process.edges.iter_mut().enumerate().filter(|(number, _)| !used.contains(*number)) {
            edge.guard = Guard::When(Expr::Const(0));
            edge.sync = None;
            edge.effects = Vec::new();
        }
    }
}

/// Which variables matter.
struct Relevance {
    matter: Stay,
    /// Those, and such of which only is asked whether they have some element.
    there: Stay,
    /// Whose edges are looked at.
    process: usize,
    grown: bool,
}

impl Relevance {
    fn of(model: &Model, asked: &[Expr]) -> Relevance {
        let locals = model.processes.iter().map(|p| Set::new(p.locals.len())).collect();
        let matter = Stay { globals: Set::new(model.globals.len()), locals };
        let mut relevance = Relevance { there: matter.clone(), matter, process: 0, grown: true };
        relevance.begin(model, asked);
        let mut plan = Plan::default();
        while std::mem::take(&mut relevance.grown) {
            for (number, process) in model.processes.iter().enumerate() {
                relevance.process = number;
                let vars = Vars { globals: &model.globals, locals: &process.locals };
                process.edges.iter().for_each(|edge| backward(edge, vars, &mut relevance, &mut plan));
            }
            let vars = Vars { globals: &model.globals, locals: &[] };
            if let Some(observer) = &model.observer {
                observer.automaton.edges.iter().for_each(|edge| backward(edge, vars, &mut relevance, &mut plan));
            }
            relevance.starts(model);
        }
        for (there, matter) in relevance.there.locals.iter_mut().zip(&relevance.matter.locals) {
            there.include(matter);
        }
        relevance.there.globals.include(&relevance.matter.globals);
        relevance
    }

    /// What variables that don't matter start with does not matter either.
    fn forget_starts(&self, model: &mut Model) {
        let forget = |vars: &mut [Var], matter: &Set, there: &Set| {
            for (id, var) in vars.iter_mut().enumerate() {
                if there.contains(id) && !matter.contains(id) {
                    var.init = Init::Zero;
                }
            }
        };
        forget(&mut model.globals, &self.matter.globals, &self.there.globals);
        for ((process, matter), there) in model.processes.iter_mut().zip(&self.matter.locals).zip(&self.there.locals) {
            forget(&mut process.locals, matter, there);
        }
    }

    /// What matters in any case.
    fn begin(&mut self, model: &Model, asked: &[Expr]) {
        model.goal.iter().map(|goal| &goal.condition).chain(asked).for_each(|e| read(e, self));
        model.trace.iter().for_each(|trace| trace.automaton.walk(&mut |e| read(e, self)));
        for (number, process) in model.processes.iter().enumerate() {
            self.process = number;
            process.provided.iter().chain(process.claims.iter().map(|c| &c.channel)).for_each(|e| read(e, self));
            let vars = Vars { globals: &model.globals, locals: &process.locals };
            for (id, _) in process.locals.iter().enumerate().filter(|(_, var)| has_to_start(var, vars)) {
                self.read(VarRef::Local(VarId(id as u32)));
            }
            self.arguments(process, vars);
        }
        let vars = Vars { globals: &model.globals, locals: &[] };
        for (id, _) in model.globals.iter().enumerate().filter(|(_, var)| has_to_start(var, vars)) {
            self.read(VarRef::Global(VarId(id as u32)));
        }
        for start in &model.start {
            for (number, _) in start.args.iter().enumerate().filter(|(_, arg)| vars.may_fault(arg)) {
                self.read_remotely(start.process, VarId(number as u32));
            }
        }
    }

    /// Parameters whose arguments can go wrong stay.
    fn arguments(&mut self, process: &Process, vars: Vars<'_>) {
        for effect in process.edges.iter().flat_map(|edge| &edge.effects) {
            if let Effect::Run { process, args, .. } = effect {
                for (number, _) in args.iter().enumerate().filter(|(_, arg)| vars.may_fault(arg)) {
                    self.read_remotely(*process, VarId(number as u32));
                }
            }
        }
    }

    /// What variables that matter start with matters.
    fn starts(&mut self, model: &Model) {
        for (id, var) in model.globals.iter().enumerate() {
            if self.matter.globals.contains(id) {
                var.init.exprs().iter().for_each(|e| read(e, self));
            }
        }
        for (number, process) in model.processes.iter().enumerate() {
            self.process = number;
            for (id, var) in process.locals.iter().enumerate() {
                if self.matter.locals[number].contains(id) {
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

/// Its start does more than to give it a value.
fn has_to_start(var: &Var, vars: Vars<'_>) -> bool {
    matches!(var.init, Init::Channels(_)) || vars.init_may_fault(&var.init)
}

impl Needs for Relevance {
    fn needs(&self, var: VarRef) -> bool {
        match var {
            VarRef::Global(id) => self.matter.globals.contains(id.index()),
            VarRef::Local(id) => self.matter.locals[self.process].contains(id.index()),
        }
    }

    fn needs_parameter(&self, process: ProcessId, number: usize) -> bool {
        self.matter.locals[process.index()].contains(number)
    }

    fn read(&mut self, var: VarRef) {
        self.grown |= match var {
            VarRef::Global(id) => self.matter.globals.insert(id.index()),
            VarRef::Local(id) => self.matter.locals[self.process].insert(id.index()),
        };
    }

    fn read_remotely(&mut self, process: ProcessId, var: VarId) {
        self.grown |= self.matter.locals[process.index()].insert(var.index());
    }

    fn overwritten(&mut self, _: VarRef) {}

    /// Where that can go wrong, the variable has to be there.
    fn stored(&mut self, var: VarRef) {
        self.read(var);
    }

    fn probed(&mut self, var: VarRef) {
        match var {
            VarRef::Global(id) => self.there.globals.add(id.index()),
            VarRef::Local(id) => self.there.locals[self.process].add(id.index()),
        }
    }

    fn removed(&mut self) {}
}
