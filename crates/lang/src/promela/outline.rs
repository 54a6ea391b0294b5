//! The symbols of a program.

use super::ast::{Block, Decl, Name, Proctype, Program, Stmt, StmtKind, TypeName, Unit};
use crate::source::Span;
use crate::symbols::{SymbolKind, Symbols};

/// The symbols of a program and of its macros and inlines, which are given by name and place.
pub(super) fn symbols(program: &Program, mut definitions: Vec<(&str, Span)>) -> Symbols {
    let mut outline = Outline::default();
    definitions.sort_by_key(|(_, span)| *span);
    for (name, span) in definitions {
        outline.symbols.add(name, SymbolKind::Macro, span, None);
    }
    program.units.iter().for_each(|unit| outline.unit(unit));
    outline.symbols
}

#[derive(Default)]
struct Outline {
    symbols: Symbols,
    /// Claims and formulas so far; they number those without a name.
    claims: usize,
    formulas: usize,
}

impl Outline {
    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Proctype(process) => self.process(process),
            Unit::Mtype { symbols, .. } => {
                for name in symbols {
                    self.name(name, SymbolKind::Constant, None);
                }
            }
            Unit::Typedef { name, fields } => {
                let container = Some(self.name(name, SymbolKind::Type, None));
                fields.iter().for_each(|decl| self.declaration(decl, SymbolKind::Field, container));
            }
            Unit::Decl(decl) => self.declaration(decl, SymbolKind::Global, None),
            Unit::Never { name, body, span, .. } => {
                self.claims += 1;
                let container = self.property(name.as_ref(), &format!("never_{}", self.claims - 1), *span);
                self.block(body, container);
            }
            Unit::Trace { negated, body, span, .. } => {
                let container = self.property(None, if *negated { "notrace" } else { "trace" }, *span);
                self.block(body, container);
            }
            Unit::Ltl { name, span, .. } => {
                self.formulas += 1;
                self.property(name.as_ref(), &format!("ltl_{}", self.formulas - 1), *span);
            }
        }
    }

    fn name(&mut self, name: &Name, kind: SymbolKind, container: Option<usize>) -> usize {
        self.symbols.add(&name.text, kind, name.span, container)
    }

    fn property(&mut self, name: Option<&Name>, otherwise: &str, whole: Span) -> Option<usize> {
        let (text, span) = name.map_or((otherwise, whole), |name| (&name.text, name.span));
        Some(self.symbols.add_whole(text, SymbolKind::Property, (span, whole), None))
    }

    fn process(&mut self, process: &Proctype) {
        let places = (process.name.span, process.span);
        let container = Some(self.symbols.add_whole(&process.name.text, SymbolKind::Process, places, None));
        process.params.iter().for_each(|decl| self.declaration(decl, SymbolKind::Local, container));
        self.block(&process.body, container);
    }

    fn declaration(&mut self, decl: &Decl, kind: SymbolKind, container: Option<usize>) {
        let is_channel = matches!(decl.ty, TypeName::Chan) && kind != SymbolKind::Field;
        let kind = if is_channel { SymbolKind::Channel } else { kind };
        for var in &decl.vars {
            self.symbols.add_whole(&var.name.text, kind, (var.name.span, var.span), container);
        }
    }

    fn block(&mut self, block: &Block, container: Option<usize>) {
        block.stmts.iter().for_each(|stmt| self.statement(stmt, container));
    }

    /// Labels and variables. The body of an inline is left out: its declarations stand elsewhere.
    fn statement(&mut self, stmt: &Stmt, container: Option<usize>) {
        for label in &stmt.labels {
            self.name(label, SymbolKind::Label, container);
        }
        match &stmt.kind {
            StmtKind::Decl(decl) => self.declaration(decl, SymbolKind::Local, container),
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().for_each(|option| self.block(&option.body, container));
            }
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => self.block(body, container),
            StmtKind::For { body, .. } => self.block(body, container),
            StmtKind::Unless { main, escape } => {
                self.statement(main, container);
                self.statement(escape, container);
            }
            _ => {}
        }
    }
}
