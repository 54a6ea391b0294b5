//! Occurrences: every place of a text at which a declared name is written, for references and renaming. The list is the same for
//! every language and exists also for a text with errors.

use std::collections::HashMap;

use crate::source::{Sources, Span};

/// A name in the text, and its declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence {
    /// The place at which the name is written. A name that a macro composes has the place where the macro is used.
    pub span: Span,
    /// The place of the name in its declaration.
    pub definition: Span,
}

/// The declarations in force, by name, and the occurrences found so far.
#[derive(Default, Debug)]
pub(crate) struct Resolver {
    scopes: Vec<HashMap<String, Span>>,
    found: Vec<Occurrence>,
}

impl Resolver {
    /// A resolver with the global scope.
    pub fn new() -> Resolver {
        Resolver { scopes: vec![HashMap::new()], found: Vec::new() }
    }

    /// Opens a scope.
    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes the innermost scope, and returns its names.
    pub fn close(&mut self) -> HashMap<String, Span> {
        self.scopes.pop().unwrap_or_default()
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &str, span: Span) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.entry(name.to_string()).or_insert(span);
        }
        self.add(span, span);
    }

    /// The declaration of a name.
    pub fn find(&self, name: &str) -> Option<Span> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Records a use of a name, and returns its declaration.
    pub fn refer(&mut self, name: &str, span: Span) -> Option<Span> {
        let definition = self.find(name)?;
        self.add(span, definition);
        Some(definition)
    }

    /// Records an occurrence of a known declaration.
    pub fn add(&mut self, span: Span, definition: Span) {
        self.found.push(Occurrence { span, definition });
    }

    /// All occurrences with those of macros and inlines, in the order of the text, each once.
    pub fn finish(mut self, sources: &Sources) -> Vec<Occurrence> {
        self.found.extend(
            sources.uses().iter().map(|(span, definition)| Occurrence { span: *span, definition: *definition }),
        );
        self.found.sort_unstable();
        self.found.dedup();
        self.found
    }
}
