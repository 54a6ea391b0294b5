//! Symbols: the names that a text declares, for outlines and for finding definitions. The list is the same for every language
//! and exists also for a text with errors.

use crate::source::{Span, encloses};

/// The kind of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// A process type or a process.
    Process,
    /// A global variable.
    Global,
    /// A variable or a parameter of a process.
    Local,
    /// A channel, global or of a process.
    Channel,
    /// A label or a named state of a process.
    Label,
    /// A claim, a formula or a property process.
    Property,
    /// A macro or an inline.
    Macro,
    /// A constant, a symbolic name or the name of a message.
    Constant,
    /// A type that the text defines.
    Type,
    /// A field of a type.
    Field,
}

/// A declared name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The kind of the symbol.
    pub kind: SymbolKind,
    /// The place of the name in its declaration.
    pub span: Span,
    /// The whole declaration, as far as it is known. It includes [`Symbol::span`].
    pub extent: Span,
    /// The index of the symbol whose declaration contains this one.
    pub container: Option<usize>,
}

/// The symbols of a text. Each container precedes its contents.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbols {
    list: Vec<Symbol>,
}

impl Symbols {
    /// All symbols, in the order in which the language lists them.
    pub fn all(&self) -> &[Symbol] {
        &self.list
    }

    /// The declaration of `name` as seen from a place: one of the same container first, then one of no container, then any.
    pub fn definition(&self, name: &str, place: Span) -> Option<&Symbol> {
        let rank = |symbol: &Symbol| match symbol.container {
            Some(container) if encloses(self.list[container].extent, place) => 0,
            None => 1,
            Some(_) => 2,
        };
        self.list.iter().filter(|symbol| symbol.name == name).min_by_key(|symbol| rank(symbol))
    }

    /// Adds a symbol whose declaration is known by its name only, and returns its index.
    pub fn add(&mut self, name: &str, kind: SymbolKind, span: Span, container: Option<usize>) -> usize {
        self.add_whole(name, kind, (span, span), container)
    }

    /// Adds a symbol with the place of its name and its whole declaration, and returns its index.
    pub fn add_whole(
        &mut self,
        name: &str,
        kind: SymbolKind,
        (span, whole): (Span, Span),
        container: Option<usize>,
    ) -> usize {
        let extent = if encloses(whole, span) { whole } else { span };
        self.list.push(Symbol { name: name.to_string(), kind, span, extent, container });
        self.list.len() - 1
    }
}
