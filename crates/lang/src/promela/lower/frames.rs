//! A process's own variables and the blocks they are declared in.
//!
//! Braces are scopes, options of `if` and `do` are not. A variable is visible from its declaration to the end of its
//! block, and its name can't be declared again anywhere it is visible. Wherever it is declared, it belongs to the
//! process from the start.

use kripke_model::ir::Var;

use super::symbols::Symbols;
use super::types::Symbol;

/// A block. The outermost holds the parameters.
pub(super) type ScopeId = usize;

#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// In order of declaration.
    pub symbols: Symbols,
    /// The variables of the model.
    pub vars: Vec<Var>,
    /// The enclosing block of each block.
    parents: Vec<Option<ScopeId>>,
}

/// A place in a body, for looking up names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    pub scope: ScopeId,
    /// The number of symbols declared before it.
    pub declared: usize,
}

impl Frame {
    pub fn new() -> Frame {
        Frame { symbols: Symbols::default(), vars: Vec::new(), parents: vec![None] }
    }

    pub fn open(&mut self, parent: ScopeId) -> ScopeId {
        self.parents.push(Some(parent));
        self.parents.len() - 1
    }

    /// Whether `outer` is `inner` or encloses it.
    pub fn encloses(&self, outer: ScopeId, inner: ScopeId) -> bool {
        let mut scope = Some(inner);
        while let Some(s) = scope {
            if s == outer {
                return true;
            }
            scope = self.parents[s];
        }
        false
    }

    pub fn find(&self, name: &str, at: Place) -> Option<&Symbol> {
        self.symbols.named(name, at.declared).rfind(|s| self.encloses(s.scope, at.scope))
    }

    pub fn visible(&self, at: Place) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().take(at.declared).filter(move |s| self.encloses(s.scope, at.scope))
    }

    /// The end of the outermost block: what others see of this process.
    pub fn outside(&self) -> Place {
        Place { scope: if self.parents.len() > 1 { 1 } else { 0 }, declared: self.symbols.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_enclose_blocks() {
        let mut frame = Frame::new();
        let body = frame.open(0);
        let left = frame.open(body);
        let right = frame.open(body);
        for (outer, inner, yes) in
            [(0, left, true), (body, right, true), (left, right, false), (left, body, false), (left, left, true)]
        {
            assert_eq!(frame.encloses(outer, inner), yes, "{outer} {inner}");
        }
    }
}
