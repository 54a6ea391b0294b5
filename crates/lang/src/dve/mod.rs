//! DVE, the language of DiVinE and of the BEEM benchmark: text to tokens, tokens to syntax tree, syntax tree to model.

pub mod ast;
mod lex;
mod lower;
mod parse;
mod text;
mod token;

use std::io;
use std::path::Path;

use kripke_model::Model;
use kripke_model::ir::Expr;

use crate::diagnostic::{Diagnostic, Severity};
use crate::limits;
use crate::source::{FileId, Loader, Sources};
use lex::Plain;

/// Reads the file at `path`. There is a model if there are no errors.
pub fn load(path: &Path, loader: &dyn Loader) -> (Sources, Option<Model>, Vec<Diagnostic>) {
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let model = read(path, loader, &mut sources, &mut diagnostics).and_then(|file| {
        let tokens = lex::lex(&Plain { text: &sources.file(file).text, file }, &mut diagnostics);
        let system = parse::parse(tokens, &mut diagnostics);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return None;
        }
        lower::lower(&system, &sources, &mut diagnostics)
    });
    (sources, model, diagnostics)
}

fn read(path: &Path, loader: &dyn Loader, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<FileId> {
    let name = path.display().to_string();
    let wrong = match loader.read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        Err(e) => format!("cannot read `{name}`: {e}"),
        Ok(bytes) if bytes.len() > limits::MAX_FILE_BYTES => {
            format!("`{name}` is too large: over {} MiB", limits::MAX_FILE_BYTES >> 20)
        }
        Ok(bytes) => return Some(sources.add(name, String::from_utf8_lossy(&bytes).into_owned())),
    };
    diagnostics.push(Diagnostic::general(wrong));
    None
}

/// Reads an expression over the variables and states of a model: `P.critical and Q->x > 3`. The text becomes a file of
/// `sources`, for the diagnostics.
pub fn expression(text: &str, model: &Model, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
    let file = sources.add("expression".to_string(), text.to_string());
    let before = diagnostics.len();
    let tokens = lex::lex(&Plain { text, file }, diagnostics);
    let expr = parse::parse_expression(tokens, diagnostics)?;
    let lowered = lower::lower_expression(&expr, model, diagnostics)?;
    let fine = diagnostics[before..].iter().all(|d| d.severity != Severity::Error);
    fine.then_some(lowered)
}
