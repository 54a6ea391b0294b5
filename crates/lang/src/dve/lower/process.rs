//! Processes: states become locations, transitions edges.

use std::collections::HashMap;

use kripke_model::ir::{
    self, Edge, Effect, Expr, Guard, LocId, Location, Observer, Pattern, ProcessId, Property, PropertyKind, Sync, Then,
    UnaryOp,
};

use super::Lowering;
use super::expr::Context;
use super::index::{Scope, Symbol};
use crate::diagnostic::Diagnostic;
use crate::dve::ast::{self, Name, Process, Transition};
use crate::spelling::nearest;

impl Lowering<'_> {
    /// The variables and the states of a process.
    pub(super) fn declare_process(&mut self, process: &Process, property: bool) {
        let id = ProcessId(self.model.processes.len() as u32);
        let mut scope = Scope::new(&process.name.text, (!property).then_some(id));
        let mut first: HashMap<&str, &Name> = HashMap::new();
        for (i, state) in process.states.iter().enumerate() {
            if let Some(before) = first.insert(&state.text, state) {
                let wrong = Diagnostic::error(state.span, format!("`{}` is a state already", state.text), "again here");
                self.report(wrong.label(before.span, "first declared here"));
            }
            scope.states.insert(state.text.to_string(), LocId(i as u32));
        }
        let scope = self.index.add(scope);
        let locations =
            process.states.iter().map(|state| Location { labels: vec![state.text.to_string()], ..Location::default() });
        let lowered = ir::Process {
            name: process.name.text.to_string(),
            params: 0,
            locals: Vec::new(),
            locations: locations.collect(),
            edges: Vec::new(),
            entry: LocId(0),
            provided: None,
            priority: 1,
            claims: Vec::new(),
            span: process.name.span,
        };
        if property {
            let observer = Some(Observer { automaton: lowered, stutters: true, labels: false, marks: Vec::new() });
            let (name, span) = (process.name.text.to_string(), process.name.span);
            let kind = PropertyKind::Process;
            let nothing = String::new;
            self.model.properties.push(Property { name, kind, text: nothing(), formula: nothing(), observer, span });
        } else {
            self.model.processes.push(lowered);
        }
        for variable in &process.variables {
            self.variable(Some(scope), variable);
        }
        self.mark(scope, process);
    }

    /// The initial, accepting and committed states.
    fn mark(&mut self, scope: usize, process: &Process) {
        let name = &process.name;
        if process.states.is_empty() {
            let wrong = Diagnostic::error(name.span, format!("process `{}` has no states", name.text), "");
            return self.report(wrong.help("write `state a, b;`"));
        }
        match &process.init {
            None => {
                let wrong = format!("process `{}` has no initial state", name.text);
                let help = format!("write `init {};`", process.states[0].text);
                self.report(Diagnostic::error(name.span, wrong, "").help(help));
            }
            Some(init) => {
                if let Some(location) = self.state(scope, init) {
                    self.process(scope).entry = location;
                }
            }
        }
        for state in &process.accept {
            if let Some(location) = self.state(scope, state) {
                self.process(scope).locations[location.index()].accept = true;
            }
        }
        for state in &process.commit {
            if let Some(location) = self.state(scope, state) {
                self.process(scope).locations[location.index()].committed = true;
            }
        }
    }

    fn state(&mut self, scope: usize, name: &Name) -> Option<LocId> {
        let found = self.index.scopes[scope].states.get(&*name.text).copied();
        if found.is_none() {
            let scope = &self.index.scopes[scope];
            let mut names: Vec<&str> = scope.states.keys().map(String::as_str).collect();
            names.sort_unstable();
            let wrong = format!("process `{}` has no state `{}`", scope.name, name.text);
            let mut wrong = Diagnostic::error(name.span, wrong, "no such state");
            if let Some(near) = nearest(&name.text, &names) {
                wrong = wrong.help(format!("did you mean `{near}`?"));
            }
            self.report(wrong);
        }
        found
    }

    /// The edges of a process, each with the location it leaves.
    pub(super) fn edges(&mut self, scope: usize, process: &Process) -> Vec<(LocId, Edge)> {
        let mut edges = Vec::new();
        for transition in &process.transitions {
            let (from, to) = (self.state(scope, &transition.from), self.state(scope, &transition.to));
            let parts = self.edge(scope, transition);
            if let (Some(from), Some(to), Some(edge)) = (from, to, parts) {
                edges.push((from, Edge { target: to, ..edge }));
            }
        }
        for (state, condition) in &process.asserts {
            let (from, holds) = (self.state(scope, state), self.context(Some(scope)).expr(condition));
            if let (Some(from), Some(holds)) = (from, holds) {
                edges.push((from, assertion(from, state, condition, holds)));
            }
        }
        edges
    }

    /// All of an edge but its target.
    fn edge(&mut self, scope: usize, transition: &Transition) -> Option<Edge> {
        let sync = transition.sync.as_ref().map(|sync| self.sync(scope, sync));
        let mut context = self.context(Some(scope));
        let guard = transition.guard.as_ref().map(|guard| context.expr(guard));
        let effects: Vec<Option<Effect>> = transition.effects.iter().map(|a| assign(&mut context, a)).collect();
        Some(Edge {
            level: 0,
            guard: match guard {
                Some(condition) => Guard::When(condition?),
                None => Guard::Always,
            },
            sync: match sync {
                Some(sync) => Some(sync?),
                None => None,
            },
            effects: effects.into_iter().collect::<Option<_>>()?,
            chain: None,
            inside: None,
            target: LocId(0),
            then: Then::Yield,
            span: transition.span,
            label: transition.to_string(),
        })
    }

    fn sync(&mut self, scope: usize, sync: &ast::Sync) -> Option<Sync> {
        if self.index.scopes[scope].process.is_none() {
            let wrong = "the property process can't use channels";
            let help = "it moves with every step of the others";
            self.report(Diagnostic::error(sync.span, wrong, "a channel operation").help(help));
            return None;
        }
        let declared = self.context(Some(scope)).find(&sync.channel)?;
        let Symbol::Channel(number) = declared.symbol else {
            let wrong = format!("`{}` is not a channel", sync.channel.text);
            let wrong = Diagnostic::error(sync.channel.span, wrong, "expected a channel");
            self.report(wrong.label(declared.span, "declared here"));
            return None;
        };
        let carries = self.model.channels[number as usize - 1].fields.len();
        if carries != sync.values.len() {
            let values = |n: usize| if n == 1 { "1 value".to_string() } else { format!("{n} values") };
            let wrong = format!("channel `{}` carries {}", sync.channel.text, values(carries));
            let wrong = Diagnostic::error(sync.span, wrong, format!("{} here", values(sync.values.len())));
            self.report(
                wrong.label(declared.span, "declared here; an untyped channel carries what its first use does"),
            );
            return None;
        }
        let channel = Expr::Const(number as i32);
        let mut context = self.context(Some(scope));
        if sync.sends {
            let args: Vec<Option<Expr>> = sync.values.iter().map(|v| context.expr(v)).collect();
            return Some(Sync::Send { channel, args: args.into_iter().collect::<Option<_>>()?, sorted: false });
        }
        let args: Vec<Option<Pattern>> = sync.values.iter().map(|v| context.target(v).map(Pattern::Store)).collect();
        let args = args.into_iter().collect::<Option<_>>()?;
        Some(Sync::Receive { channel, args, anywhere: false, keep: false, condition: None })
    }
}

fn assign(context: &mut Context<'_>, assignment: &ast::Assignment) -> Option<Effect> {
    let (place, value) = (context.target(&assignment.target), context.expr(&assignment.value));
    Some(Effect::Assign(place?, value?))
}

/// A step that can be taken only where the assertion does not hold, and fails.
fn assertion(at: LocId, state: &Name, condition: &ast::Expr, holds: Expr) -> Edge {
    let message = format!("the assertion of state `{}` does not hold: {condition}", state.text);
    Edge {
        level: 0,
        guard: Guard::When(Expr::Unary(UnaryOp::Not, Box::new(holds))),
        sync: None,
        effects: vec![Effect::Require { condition: Expr::Const(0), message }],
        chain: None,
        target: at,
        then: Then::Yield,
        span: condition.span,
        inside: None,
        label: format!("assert {}: {condition}", state.text),
    }
}
