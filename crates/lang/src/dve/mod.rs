//! DVE, the language of DiVinE and of the BEEM benchmark: text to tokens, tokens to syntax tree, syntax tree to model.

pub mod ast;
mod lex;
mod lower;
mod m4;
mod parse;
pub mod properties;
mod text;
mod token;

use std::collections::HashSet;
use std::io;
use std::path::Path;

use kripke_model::Model;
use kripke_model::ir::Expr;

use crate::Reading;
use crate::diagnostic::{Diagnostic, Severity, warn};
use crate::limits;
use crate::promela::MacroOption;
use crate::source::{FileId, Loader, Sources, Span};
use lex::{Plain, Typed};

/// Reads the file at `path`, and conditions on its states; a file that ends in `.mdve` has macros.
pub(crate) fn load(path: &Path, conditions: &[String], loader: &dyn Loader, macros: &[MacroOption]) -> Reading {
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let system = parse(path, loader, macros, &mut sources, &mut diagnostics);
    let model = system.and_then(|system| lower::lower(&system, &sources, &mut diagnostics));
    let read = model.and_then(|model| {
        let read = |text: &String| condition(text, &model, &mut sources, &mut diagnostics);
        let read: Option<Vec<Expr>> = conditions.iter().map(read).collect();
        Some((model, read?))
    });
    // A mistake inside a loop of macros is one mistake.
    let mut told = HashSet::new();
    diagnostics.retain(|d| told.insert((d.message.clone(), d.labels.first().map(|l| l.span))));
    (sources, read, diagnostics)
}

/// The syntax tree of a file without mistakes in its syntax.
fn parse(
    path: &Path,
    loader: &dyn Loader,
    macros: &[MacroOption],
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ast::System> {
    let file = read(path, loader, sources, diagnostics)?;
    let tokens = if path.extension().is_some_and(|e| e == "mdve") {
        let expanded = m4::expand((file, path), macros, loader, sources, diagnostics)?;
        lex::lex(&expanded, diagnostics)
    } else {
        if !macros.is_empty() {
            let span = Span { file, start: 0, end: 0 };
            let text = "macros from the command line have no effect here";
            let help = "files that end in .mdve are expanded with m4's macros";
            warn(diagnostics, Diagnostic::warning(span, text, "this file has no macros").help(help));
        }
        lex::lex(&Plain { text: &sources.file(file).text, file }, diagnostics)
    };
    let system = parse::parse(tokens, diagnostics);
    let correct = diagnostics.iter().all(|d| d.severity != Severity::Error);
    correct.then_some(system)
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

/// A text with its macros expanded, as in an `.mdve` file.
pub fn expand(text: &str, macros: &[MacroOption]) -> Result<String, Diagnostic> {
    struct Nothing;
    impl Loader for Nothing {
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }
    }
    let (mut sources, mut diagnostics) = (Sources::default(), Vec::new());
    let file = sources.add("text".to_string(), text.to_string());
    let expanded = m4::expand((file, Path::new("")), macros, &Nothing, &mut sources, &mut diagnostics);
    let wrong = || diagnostics.pop().unwrap_or_else(|| Diagnostic::general("the macros can't be expanded"));
    expanded.map(|e| e.text().to_string()).ok_or_else(wrong)
}

/// Reads a condition over the variables and states of a model: `P.critical and Q->x > 3`. The text becomes a file of
/// `sources`, for the diagnostics.
pub fn condition(text: &str, model: &Model, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
    let file = sources.add("condition".to_string(), text.to_string());
    sources.ask(file);
    let before = diagnostics.len();
    let tokens = lex::lex(&Plain { text, file }, diagnostics);
    let expr = parse::parse_expression(tokens, diagnostics)?;
    let lowered = lower::lower_condition(&expr, model, diagnostics)?;
    let fine = diagnostics[before..].iter().all(|d| d.severity != Severity::Error);
    fine.then_some(lowered)
}
