//! The names declared so far, and the diagnostics.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use kripke_model::ir::{Channel, Enum, EnumId, LocId, ProcessId, Var};

use super::frames::Frame;
use super::symbols::Symbols;
use super::types::{Record, Symbol};
use crate::diagnostic::{Diagnostic, Severity};
use crate::limits::MAX_ERRORS_SHOWN;
use crate::promela::Options;
use crate::source::Span;

/// A name of `mtype`, which stands for a number everywhere.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub kind: EnumId,
    pub value: i32,
    pub span: Span,
    /// The number of its declaration in the text.
    pub unit: usize,
}

/// The part of a process type that other processes refer to.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub name: String,
    pub span: Span,
    /// Parameters, records flattened.
    pub arity: usize,
    pub frame: Frame,
    /// The location of each label; none if it is unreachable. Filled in when the graphs are known.
    pub labels: HashMap<String, Option<LocId>>,
}

/// Facts about the whole text that change what a state is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    pub last: bool,
    pub priorities: bool,
    pub timeout: bool,
    /// Locations must keep the numbers SPIN gives them.
    pub numbers: bool,
    pub enabled: bool,
}

#[derive(Debug)]
pub(super) struct Environment<'a> {
    diagnostics: RefCell<&'a mut Vec<Diagnostic>>,
    failed: Cell<bool>,
    pub options: &'a Options,
    pub uses: Uses,
    pub enums: Vec<Enum>,
    pub constants: HashMap<String, Constant>,
    pub records: Vec<Record>,
    pub globals: Symbols,
    pub vars: Vec<Var>,
    pub channels: Vec<Channel>,
    pub processes: Vec<Signature>,
    /// The number of fields of the longest message of any channel.
    pub widest: usize,
    /// An `xr` or `xs` has been seen.
    pub exclusive: Cell<bool>,
}

impl<'a> Environment<'a> {
    pub fn new(diagnostics: &'a mut Vec<Diagnostic>, options: &'a Options) -> Environment<'a> {
        Environment {
            diagnostics: RefCell::new(diagnostics),
            failed: Cell::new(false),
            options,
            uses: Uses::default(),
            enums: Vec::new(),
            constants: HashMap::new(),
            records: Vec::new(),
            globals: Symbols::default(),
            vars: Vec::new(),
            channels: Vec::new(),
            processes: Vec::new(),
            widest: 0,
            exclusive: Cell::new(false),
        }
    }

    pub fn report(&self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.failed.set(true);
        }
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    pub fn error(&self, span: Span, message: impl Into<String>, here: impl Into<String>) {
        self.report(Diagnostic::error(span, message, here));
    }

    pub fn failed(&self) -> bool {
        self.failed.get()
    }

    pub fn global(&self, name: &str) -> Option<&Symbol> {
        self.globals.named(name, usize::MAX).next()
    }

    pub fn record(&self, name: &str) -> Option<usize> {
        self.records.iter().position(|r| r.name == name)
    }

    pub fn process(&self, name: &str) -> Option<ProcessId> {
        self.processes.iter().position(|p| p.name == name).map(|i| ProcessId(i as u32))
    }

    /// The declaration of a global name of any kind.
    pub fn taken(&self, name: &str) -> Option<Span> {
        self.global(name)
            .map(|s| s.span)
            .or_else(|| self.constants.get(name).map(|c| c.span))
            .or_else(|| self.records.iter().find(|r| r.name == name).map(|r| r.span))
            .or_else(|| self.processes.iter().find(|p| p.name == name).map(|p| p.span))
    }

    /// The declared name closest to `name`, if `name` may be a misspelling of it.
    pub fn closest<'n>(&self, name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
        // Diagnostics beyond this number are not shown, and each search costs a comparison with every name.
        if self.diagnostics.borrow().len() > MAX_ERRORS_SHOWN {
            return None;
        }
        let limit = (name.chars().count() / 3).max(1);
        candidates
            .map(|c| (distance(name, c), c))
            .filter(|(d, _)| *d <= limit)
            .min_by_key(|(d, _)| *d)
            .map(|(_, c)| c.to_string())
    }
}

/// The Levenshtein distance of two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        for (a, b, d) in [("", "ab", 2), ("wantp", "wantq", 1), ("kitten", "sitting", 3), ("x", "x", 0)] {
            assert_eq!(distance(a, b), d, "{a} {b}");
        }
    }
}
