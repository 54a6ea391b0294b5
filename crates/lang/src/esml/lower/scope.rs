//! The meaning of names.

use std::collections::HashMap;

use kripke_model::ir::VarId;

use super::Lowering;
use super::access::Shape;
use super::types::{Ty, TypeId};
use crate::diagnostic::Diagnostic;
use crate::esml::ast::{Mode, Name};
use crate::source::Span;
use crate::spelling::nearest;

#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Constant {
        ty: Ty,
        value: i32,
    },
    Type(TypeId),
    Variable(Variable),
    Channel(Channel),
    /// Index into the processes lowered so far.
    Process(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub ty: TypeId,
    pub shape: Shape,
    /// Parameters are read-only.
    pub parameter: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub alphabet: TypeId,
    pub mode: Mode,
    pub home: Home,
}

/// The place of a channel's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Global(VarId),
    Parameter(VarId),
    /// Declared inside a process, so that no other process can use it.
    Nowhere,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    symbols: HashMap<String, (Symbol, Span)>,
}

impl Symbol {
    fn what(&self) -> &'static str {
        match self {
            Symbol::Constant { .. } => "a constant",
            Symbol::Type(_) => "a type",
            Symbol::Variable(_) => "a variable",
            Symbol::Channel(_) => "a channel",
            Symbol::Process(_) => "a process",
        }
    }
}

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<&(Symbol, Span)> {
        self.symbols.get(name)
    }

    fn near(&self, name: &str) -> Option<String> {
        let mut names: Vec<&str> = self.symbols.keys().map(String::as_str).collect();
        names.sort_unstable();
        nearest(name, &names).map(str::to_string)
    }
}

impl Lowering<'_> {
    /// Gives a name its meaning in the block being read. A second meaning in the same block is an error.
    pub(super) fn declare(&mut self, name: &Name, symbol: Symbol) {
        let scope = if self.in_process { &mut self.locals } else { &mut self.globals };
        if let Some((_, first)) = scope.symbols.get(&name.text) {
            let what = format!("`{}` is declared twice", name.text);
            let diagnostic = Diagnostic::error(name.span, what, "declared again").label(*first, "first declared here");
            self.error(diagnostic);
            return;
        }
        scope.symbols.insert(name.text.clone(), (symbol, name.span));
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&(Symbol, Span)> {
        self.locals.get(name).or_else(|| self.globals.get(name))
    }

    /// The meaning of a name where `expected` should stand.
    pub(super) fn resolve(&mut self, name: &Name, expected: &str) -> Option<Symbol> {
        if let Some((symbol, _)) = self.lookup(&name.text) {
            return Some(symbol.clone());
        }
        let near = self.locals.near(&name.text).or_else(|| self.globals.near(&name.text));
        let what = format!("there is no {expected} `{}`", name.text);
        let diagnostic = Diagnostic::error(name.span, what, "not declared");
        self.error(match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
        None
    }

    /// The name means something, but nothing that can stand here.
    pub(super) fn misplaced(&mut self, name: &Name, expected: &str) {
        let Some((symbol, declared)) = self.lookup(&name.text) else { return };
        let what = format!("`{}` is {}, not {expected}", name.text, symbol.what());
        let diagnostic = Diagnostic::error(name.span, what, format!("expected {expected}"));
        let declared = *declared;
        self.error(diagnostic.label(declared, "declared here"));
    }
}
