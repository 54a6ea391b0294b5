//! The symbols of a system.

use super::ast::{Name, Process, System, Variable};
use crate::source::Span;
use crate::symbols::{SymbolKind, Symbols};

/// The symbols of a system and of its macros, which are given by name and place.
pub(super) fn symbols(system: &System, macros: &[(String, Span)]) -> Symbols {
    let mut symbols = Symbols::default();
    for (name, span) in macros {
        symbols.add(name, SymbolKind::Macro, *span, None);
    }
    system.variables.iter().for_each(|v| variable(v, SymbolKind::Global, None, &mut symbols));
    for channel in &system.channels {
        symbols.add(&channel.name.text, SymbolKind::Channel, channel.name.span, None);
    }
    let property = system.property.as_ref().map(|name| &name.text);
    for declared in &system.processes {
        let kind = if property == Some(&declared.name.text) { SymbolKind::Property } else { SymbolKind::Process };
        process(declared, kind, &mut symbols);
    }
    symbols
}

fn process(process: &Process, kind: SymbolKind, symbols: &mut Symbols) {
    let Name { text, span } = &process.name;
    let container = Some(symbols.add_whole(text, kind, (*span, process.span), None));
    process.variables.iter().for_each(|v| variable(v, SymbolKind::Local, container, symbols));
    for state in &process.states {
        symbols.add(&state.text, SymbolKind::Label, state.span, container);
    }
}

fn variable(variable: &Variable, kind: SymbolKind, container: Option<usize>, symbols: &mut Symbols) {
    let kind = if variable.constant { SymbolKind::Constant } else { kind };
    symbols.add(&variable.name.text, kind, variable.name.span, container);
}
