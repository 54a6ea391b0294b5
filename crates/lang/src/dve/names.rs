//! The occurrences of names in a system.

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::{Expr, ExprKind, Initialiser, Name, Process, System, Variable};
use crate::occurrences::{Occurrence, Resolver};
use crate::source::{Sources, Span};

/// All occurrences of names in a system. Macros are given by name and place.
pub(super) fn occurrences(system: &System, macros: &[(String, Span)], sources: &Sources) -> Vec<Occurrence> {
    let mut walk = Walk::default();
    macros.iter().for_each(|(_, span)| walk.resolver.add(*span, *span));
    walk.resolver.open();
    system.variables.iter().for_each(|v| walk.variable(v));
    system.channels.iter().for_each(|channel| {
        walk.resolver.declare(&channel.name.text, channel.name.span);
        channel.typed.iter().for_each(|typed| walk.expr(&typed.capacity));
    });
    for process in &system.processes {
        walk.resolver.declare(&process.name.text, process.name.span);
        let names = |names: &[Name]| names.iter().map(|name| (Rc::clone(&name.text), name.span)).collect();
        let variables = process.variables.iter().map(|v| v.name.clone()).collect::<Vec<_>>();
        walk.parts.insert(Rc::clone(&process.name.text), (names(&process.states), names(&variables)));
    }
    system.processes.iter().for_each(|process| walk.process(process));
    system.property.iter().for_each(|name| walk.refer(name));
    walk.resolver.finish(sources)
}

type Names = HashMap<Rc<str>, Span>;

#[derive(Default)]
struct Walk {
    resolver: Resolver,
    /// The states and the variables of each process.
    parts: HashMap<Rc<str>, (Names, Names)>,
}

impl Walk {
    fn refer(&mut self, name: &Name) {
        self.resolver.refer(&name.text, name.span);
    }

    fn variable(&mut self, variable: &Variable) {
        variable.size.iter().for_each(|e| self.expr(e));
        match &variable.init {
            Some(Initialiser::One(e)) => self.expr(e),
            Some(Initialiser::List(list, _)) => list.iter().for_each(|e| self.expr(e)),
            None => {}
        }
        self.resolver.declare(&variable.name.text, variable.name.span);
    }

    fn process(&mut self, process: &Process) {
        self.resolver.open();
        process.variables.iter().for_each(|v| self.variable(v));
        let states = process.states.iter().map(|state| (Rc::clone(&state.text), state.span)).collect::<Names>();
        process.states.iter().for_each(|state| self.resolver.add(state.span, state.span));
        let state = |walk: &mut Walk, name: &Name| {
            states.get(&name.text).iter().for_each(|declared| walk.resolver.add(name.span, **declared));
        };
        process.init.iter().chain(&process.accept).chain(&process.commit).for_each(|name| state(self, name));
        for (name, e) in &process.asserts {
            state(self, name);
            self.expr(e);
        }
        for transition in &process.transitions {
            state(self, &transition.from);
            state(self, &transition.to);
            transition.guard.iter().for_each(|e| self.expr(e));
            if let Some(sync) = &transition.sync {
                self.refer(&sync.channel);
                sync.values.iter().for_each(|e| self.expr(e));
            }
            for effect in &transition.effects {
                self.expr(&effect.target);
                self.expr(&effect.value);
            }
        }
        self.resolver.close();
    }

    fn part(&mut self, process: &Name, name: &Name, of: fn(&(Names, Names)) -> &Names) {
        self.refer(process);
        let declared = self.parts.get(&process.text).and_then(|parts| of(parts).get(&name.text)).copied();
        declared.iter().for_each(|declared| self.resolver.add(name.span, *declared));
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(_) => {}
            ExprKind::Name(name) => self.refer(name),
            ExprKind::Element(name, index) => {
                self.refer(name);
                self.expr(index);
            }
            ExprKind::At(process, state) => self.part(process, state, |parts| &parts.0),
            ExprKind::Remote(process, variable, index) => {
                self.part(process, variable, |parts| &parts.1);
                index.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Unary(_, e) | ExprKind::Group(e) => self.expr(e),
            ExprKind::Binary(_, one, other) | ExprKind::Imply(one, other) => {
                self.expr(one);
                self.expr(other);
            }
        }
    }
}
