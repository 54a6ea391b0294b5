//! The outline of a text: its symbols as a tree.

use kripke_lang::source::{FileId, Span};
use kripke_lang::symbols::{Symbol, SymbolKind};

use super::Analysis;

/// A symbol of the text and what its declaration contains.
#[derive(Clone, Debug)]
pub struct Outlined {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: SymbolKind,
    /// The declaration in one line.
    pub detail: String,
    /// The place of the name.
    pub span: Span,
    /// The whole declaration.
    pub extent: Span,
    /// The symbols inside it.
    pub children: Vec<Outlined>,
}

impl Analysis {
    /// The symbols of the text, those of included files left out.
    pub fn outline(&self) -> Vec<Outlined> {
        self.outlined(None)
    }

    fn outlined(&self, container: Option<usize>) -> Vec<Outlined> {
        let all = self.symbols.all().iter().enumerate();
        let inside = all.filter(|(_, symbol)| symbol.container == container && symbol.span.file == FileId(0));
        let mut out: Vec<Outlined> = inside.map(|(index, symbol)| self.entry(index, symbol)).collect();
        out.sort_by_key(|entry| entry.span);
        out
    }

    fn entry(&self, index: usize, symbol: &Symbol) -> Outlined {
        let Symbol { name, kind, span, extent, .. } = symbol.clone();
        Outlined { name, kind, detail: self.declaration(symbol), span, extent, children: self.outlined(Some(index)) }
    }
}
