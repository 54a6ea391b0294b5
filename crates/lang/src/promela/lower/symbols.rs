//! Declared names.

use std::collections::HashMap;
use std::slice::Iter;

use super::types::Symbol;

/// Symbols in order of declaration, found by name without looking at all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    list: Vec<Symbol>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Symbols {
    pub fn push(&mut self, symbol: Symbol) {
        self.by_name.entry(symbol.name.clone()).or_default().push(self.list.len());
        self.list.push(symbol);
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn iter(&self) -> Iter<'_, Symbol> {
        self.list.iter()
    }

    /// The symbols with this name among the first `declared`.
    pub fn named(&self, name: &str, declared: usize) -> impl DoubleEndedIterator<Item = &Symbol> {
        let all = self.by_name.get(name).map_or(&[][..], |all| all);
        all.iter().filter(move |i| **i < declared).map(|i| &self.list[*i])
    }
}
