//! Promela, as SPIN 6.5.2 reads it: text to tokens, tokens to syntax tree, syntax tree to model.

pub mod ast;
mod lex;
pub mod lower;
mod parse;
mod preprocess;
mod token;

use std::path::Path;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, Loader, Sources, Span};
pub use lower::{LowerOptions, Lowered, lower};
pub use preprocess::{MacroOption, Preprocess};

/// What reading a file gave. Without errors there is a program.
#[derive(Debug)]
pub struct Parsed {
    pub sources: Sources,
    pub program: Option<ast::Program>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, preprocesses and parses the file at `path`.
pub fn parse(path: &Path, loader: &dyn Loader, options: &Preprocess) -> Parsed {
    parse_with(path, &[], loader, options)
}

/// The same with conditions on its states that were typed elsewhere.
pub fn parse_with(path: &Path, conditions: &[String], loader: &dyn Loader, options: &Preprocess) -> Parsed {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let texts = preprocess::preprocess(path, conditions, loader, options, &mut sources, &mut diagnostics);
    let empty = texts.program.is_empty();
    let readable = !has_errors(&diagnostics) || !empty;
    let program = parse::parse(texts, &mut sources, &mut diagnostics);
    if empty && readable {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let what = "there is no program in this file";
        diagnostics.push(Diagnostic::error(span, what, "nothing but white space, comments and directives"));
    }
    let program = (!has_errors(&diagnostics)).then_some(program);
    Parsed { sources, program, diagnostics }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
