//! ESML, the Extended State Machine Language: text to tokens, tokens to syntax tree, syntax tree to model.
//!
//! Where the two descriptions of the language differ, the printed models decide; `docs/src/esml.md` has the list.

pub mod ast;
mod lex;
mod lower;
mod parse;
mod token;

use std::io;
use std::path::Path;

use kripke_model::Model;
use kripke_model::ir::Expr;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, Loader, Sources, Span, decode};

/// What reading a file gave. Without errors there is a model.
#[derive(Debug)]
pub struct Read {
    pub sources: Sources,
    pub model: Option<Model>,
    /// One for each condition asked for.
    pub conditions: Vec<Expr>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the model at `path`, and conditions on its states.
pub fn read(path: &Path, loader: &dyn Loader, conditions: &[String]) -> Read {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let model = match text(path, loader) {
        Ok(text) => {
            let file = sources.add(path.display().to_string(), text.clone());
            model(file, &text, conditions, &mut sources, &mut diagnostics)
        }
        Err(what) => {
            diagnostics.push(Diagnostic::general(what));
            None
        }
    };
    let (model, conditions) = match model.filter(|_| !has_errors(&diagnostics)) {
        Some((model, conditions)) => (Some(model), conditions),
        None => (None, Vec::new()),
    };
    Read { sources, model, conditions, diagnostics }
}

fn text(path: &Path, loader: &dyn Loader) -> Result<String, String> {
    let name = path.display().to_string();
    let bytes = loader.read(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        _ => format!("cannot read `{name}`: {e}"),
    })?;
    decode(&name, &bytes)
}

fn model(
    file: FileId,
    text: &str,
    conditions: &[String],
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Model, Vec<Expr>)> {
    let tokens = lex::lex(file, text, diagnostics);
    if tokens.is_empty() && !has_errors(diagnostics) {
        let span = Span { file, start: 0, end: 0 };
        let what = "there is no model in this file";
        diagnostics.push(Diagnostic::error(span, what, "nothing but white space and comments"));
    }
    if has_errors(diagnostics) && tokens.is_empty() {
        return None;
    }
    let program = parse::model(file, text, tokens, diagnostics);
    let mut parsed = Vec::new();
    for condition in conditions {
        let file = sources.add(format!("condition `{condition}`"), condition.clone());
        sources.ask(file);
        let tokens = lex::lex(file, condition, diagnostics);
        parsed.extend(parse::condition(file, condition, tokens, diagnostics));
    }
    if has_errors(diagnostics) {
        return None;
    }
    lower::lower(&program?, text, &parsed, diagnostics)
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
