//! The symbols of a model.

use std::collections::HashSet;

use super::ast::{Declaration, Model, Name, Process, TypeDefinition, Variables};
use crate::symbols::{SymbolKind, Symbols};

/// The symbols of a model.
pub(super) fn symbols(model: &Model) -> Symbols {
    let mut outline = Outline::default();
    outline.declarations(&model.declarations, None);
    model.processes.iter().for_each(|process| outline.process(process));
    if let Some(formula) = &model.assertion {
        outline.symbols.add("ASSERT", SymbolKind::Property, formula.span, None);
    }
    outline.symbols
}

#[derive(Default)]
struct Outline<'a> {
    symbols: Symbols,
    /// The names of the alphabets, which are the types of channels.
    alphabets: HashSet<&'a str>,
}

impl<'a> Outline<'a> {
    fn name(&mut self, name: &Name, kind: SymbolKind, container: Option<usize>) -> usize {
        self.symbols.add(&name.text, kind, name.span, container)
    }

    fn process(&mut self, process: &'a Process) {
        let Name { text, span } = &process.name;
        let container = self.symbols.add_whole(text, SymbolKind::Process, (*span, process.span), None);
        for parameter in &process.parameters {
            self.variables(&parameter.variables, Some(container));
        }
        self.declarations(&process.declarations, Some(container));
    }

    fn declarations(&mut self, declarations: &'a [Declaration], container: Option<usize>) {
        for declaration in declarations {
            match declaration {
                Declaration::Constant { name, .. } => {
                    self.name(name, SymbolKind::Constant, container);
                }
                Declaration::Type { name, definition, span } => {
                    let ty = self.symbols.add_whole(&name.text, SymbolKind::Type, (name.span, *span), container);
                    self.definition(name, definition, (ty, container));
                }
                Declaration::Variables(variables) => self.variables(variables, container),
            }
        }
    }

    /// Fields and messages belong to their type. The symbols of an enumeration have the scope of the type itself.
    fn definition(&mut self, name: &'a Name, definition: &TypeDefinition, (ty, outside): (usize, Option<usize>)) {
        match definition {
            TypeDefinition::Enumeration(symbols) => {
                for symbol in symbols {
                    self.name(symbol, SymbolKind::Constant, outside);
                }
            }
            TypeDefinition::Tuple(fields) => {
                let names = fields.iter().flat_map(|group| &group.names);
                for field in names {
                    self.name(field, SymbolKind::Field, Some(ty));
                }
            }
            TypeDefinition::Alphabet(signals) => {
                self.alphabets.insert(&name.text);
                for signal in signals {
                    self.name(&signal.name, SymbolKind::Constant, Some(ty));
                }
            }
            TypeDefinition::Subrange(..) | TypeDefinition::Array(..) | TypeDefinition::List(..) => {}
        }
    }

    fn variables(&mut self, variables: &Variables, container: Option<usize>) {
        let kind = match container {
            _ if self.alphabets.contains(&*variables.ty.text) => SymbolKind::Channel,
            Some(_) => SymbolKind::Local,
            None => SymbolKind::Global,
        };
        for name in &variables.names {
            self.name(name, kind, container);
        }
    }
}
