//! The occurrences of names in a model.

use std::collections::HashMap;

use super::ast::{
    Access, AccessStep, Branch, Command, CommandKind, Communication, Declaration, Expr, ExprKind, Model, Name, Process,
    TraceArgument, Transfer, TypeDefinition, Variables,
};
use crate::occurrences::{Occurrence, Resolver};
use crate::source::{Sources, Span};

/// All occurrences of names in a model.
pub(super) fn occurrences(model: &Model, sources: &Sources) -> Vec<Occurrence> {
    let mut walk = Walk { resolver: Resolver::new(), ..Walk::default() };
    walk.resolver.add(model.name.span, model.name.span);
    walk.declarations(&model.declarations);
    for process in &model.processes {
        walk.resolver.declare(&process.name.text, process.name.span);
        walk.process(process);
    }
    for activation in &model.activations {
        walk.refer(&activation.process);
        activation.arguments.iter().for_each(|e| walk.expr(e));
    }
    model.assertion.iter().for_each(|e| walk.expr(e));
    walk.resolver.finish(sources)
}

#[derive(Default)]
struct Walk {
    resolver: Resolver,
    /// The name of the type of each variable and field, by the place of its declaration.
    types: HashMap<Span, String>,
    /// The elements of each array and list.
    elements: HashMap<String, String>,
    /// The fields and messages of each type.
    parts: HashMap<(String, String), Span>,
}

impl Walk {
    fn refer(&mut self, name: &Name) {
        self.resolver.refer(&name.text, name.span);
    }

    fn declare(&mut self, name: &Name) {
        self.resolver.declare(&name.text, name.span);
    }

    fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            match declaration {
                Declaration::Constant { name, value } => {
                    self.expr(value);
                    self.declare(name);
                }
                Declaration::Type { name, definition, .. } => self.definition(name, definition),
                Declaration::Variables(variables) => self.variables(variables, None),
            }
        }
    }

    fn definition(&mut self, name: &Name, definition: &TypeDefinition) {
        match definition {
            TypeDefinition::Subrange(low, high) => [low, high].into_iter().for_each(|e| self.expr(e)),
            TypeDefinition::Enumeration(names) => names.iter().for_each(|name| self.declare(name)),
            TypeDefinition::Array(size, element) | TypeDefinition::List(size, element) => {
                self.expr(size);
                self.refer(element);
                self.elements.insert(name.text.clone(), element.text.clone());
            }
            TypeDefinition::Tuple(fields) => fields.iter().for_each(|group| self.variables(group, Some(name))),
            TypeDefinition::Alphabet(signals) => {
                for signal in signals {
                    self.part(name, &signal.name);
                    signal.data.iter().for_each(|data| self.refer(data));
                }
            }
        }
        self.declare(name);
    }

    /// A field or a message of a type.
    fn part(&mut self, ty: &Name, name: &Name) {
        self.parts.insert((ty.text.clone(), name.text.clone()), name.span);
        self.resolver.add(name.span, name.span);
    }

    fn variables(&mut self, variables: &Variables, fields_of: Option<&Name>) {
        self.refer(&variables.ty);
        for name in &variables.names {
            self.types.insert(name.span, variables.ty.text.clone());
            match fields_of {
                Some(ty) => self.part(ty, name),
                None => self.declare(name),
            }
        }
    }

    fn process(&mut self, process: &Process) {
        self.resolver.add(process.name.span, process.name.span);
        self.resolver.open();
        process.parameters.iter().for_each(|parameter| self.variables(&parameter.variables, None));
        self.declarations(&process.declarations);
        self.commands(&process.commands);
        self.resolver.close();
    }

    fn commands(&mut self, commands: &[Command]) {
        commands.iter().for_each(|command| self.command(command));
    }

    fn command(&mut self, command: &Command) {
        match &command.kind {
            CommandKind::Skip => {}
            CommandKind::Assign(access, e) | CommandKind::Append(access, e) | CommandKind::Prepend(access, e) => {
                self.access(access);
                self.expr(e);
            }
            CommandKind::Communicate(communication) => self.communication(communication),
            CommandKind::If(branches) | CommandKind::Do(branches) => {
                for Branch { guard, commands } in branches {
                    self.expr(guard);
                    self.commands(commands);
                }
            }
            CommandKind::Poll(branches) => {
                for branch in branches {
                    self.communication(&branch.communication);
                    branch.condition.iter().for_each(|e| self.expr(e));
                    self.commands(&branch.commands);
                }
            }
            CommandKind::Trace(arguments) => {
                for argument in arguments {
                    if let TraceArgument::Value(e) = argument {
                        self.expr(e);
                    }
                }
            }
            CommandKind::Empty(access) | CommandKind::Remove(access) => self.access(access),
        }
    }

    fn communication(&mut self, communication: &Communication) {
        let Communication { channel, signal, transfer, .. } = communication;
        let declared = self.resolver.refer(&channel.text, channel.span);
        let ty = declared.and_then(|declared| self.types.get(&declared).cloned());
        let message = ty.and_then(|ty| self.parts.get(&(ty, signal.text.clone())).copied());
        message.iter().for_each(|message| self.resolver.add(signal.span, *message));
        match transfer {
            Transfer::Send(value) => value.iter().for_each(|e| self.expr(e)),
            Transfer::Receive(access) => access.iter().for_each(|access| self.access(access)),
        }
    }

    fn access(&mut self, access: &Access) {
        let declared = self.resolver.refer(&access.root.text, access.root.span);
        let mut ty = declared.and_then(|declared| self.types.get(&declared).cloned());
        for step in &access.steps {
            match step {
                AccessStep::Field(name) => {
                    let field = ty.and_then(|ty| self.parts.get(&(ty, name.text.clone())).copied());
                    field.iter().for_each(|field| self.resolver.add(name.span, *field));
                    ty = field.and_then(|field| self.types.get(&field).cloned());
                }
                AccessStep::Index(e) => {
                    ty = ty.and_then(|ty| self.elements.get(&ty).cloned());
                    self.expr(e);
                }
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Bool(_) => {}
            ExprKind::Access(access) => self.access(access),
            ExprKind::Len(e) | ExprKind::Head(e) | ExprKind::Unary(_, e) | ExprKind::Temporal(_, e) => self.expr(e),
            ExprKind::Binary(_, one, other) | ExprKind::Implies(one, other) | ExprKind::Until(_, one, other) => {
                self.expr(one);
                self.expr(other);
            }
        }
    }
}
