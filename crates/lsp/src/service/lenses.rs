//! Code lenses: checks and simulations that can be started at a place.

use kripke_lang::source::{FileId, Span};
use kripke_lang::symbols::SymbolKind;

use super::Analysis;

/// What a lens starts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// A check of the model.
    Check,
    /// A check of one property.
    CheckProperty(String),
    /// A simulation.
    Simulate,
}

/// An action at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The place.
    pub span: Span,
    /// The action.
    pub action: Action,
}

impl Analysis {
    /// The actions of a text: those of the model at its first process, those of a property at the property.
    pub fn lenses(&self) -> Vec<Lens> {
        let own = self.symbols.all().iter().filter(|symbol| symbol.span.file == FileId(0));
        let first = own.clone().filter(|s| s.kind == SymbolKind::Process).map(|s| s.span).min();
        let mut out = Vec::new();
        for action in [Action::Check, Action::Simulate] {
            out.extend(first.map(|span| Lens { span, action }));
        }
        let is_formula = |name: &str, span: Span| {
            let before = &self.text()[..span.start as usize];
            before.trim_end().ends_with("ltl") || name.starts_with("ltl_")
        };
        let formulas = own.filter(|s| s.kind == SymbolKind::Property && is_formula(&s.name, s.span));
        out.extend(formulas.map(|s| Lens { span: s.span, action: Action::CheckProperty(s.name.clone()) }));
        out
    }
}
