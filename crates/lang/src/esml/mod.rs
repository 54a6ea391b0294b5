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

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, Loader, Sources, Span, decode};

/// What reading a file gave. Without errors there is a model.
#[derive(Debug)]
pub struct Read {
    pub sources: Sources,
    pub model: Option<Model>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the model at `path`. With `goal`, a condition on its states, that becomes the model's goal.
pub fn read(path: &Path, loader: &dyn Loader, goal: Option<&str>) -> Read {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let model = match text(path, loader) {
        Ok(text) => {
            let file = sources.add(path.display().to_string(), text.clone());
            model(file, &text, goal, &mut sources, &mut diagnostics)
        }
        Err(what) => {
            diagnostics.push(Diagnostic::general(what));
            None
        }
    };
    let model = model.filter(|_| !has_errors(&diagnostics));
    Read { sources, model, diagnostics }
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
    goal: Option<&str>,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Model> {
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
    let condition = goal.map(|goal| {
        let file = sources.add("the condition".into(), goal.to_string());
        let tokens = lex::lex(file, goal, diagnostics);
        (parse::condition(file, goal, tokens, diagnostics), goal)
    });
    if has_errors(diagnostics) {
        return None;
    }
    let goal = condition.as_ref().and_then(|(expr, text)| Some((expr.as_ref()?, *text)));
    lower::lower(&program?, text, goal, diagnostics)
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
