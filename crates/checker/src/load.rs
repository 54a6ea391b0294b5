//! Loading: from the name of a file to a model, or to diagnostics about its text.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::diagnostic::{Diagnostic, Severity};
use kripke_lang::promela::{LowerOptions, MacroOption, Preprocess};
use kripke_lang::render::render_all;
use kripke_lang::source::{Loader, Sources};
use kripke_lang::{LoadOptions, load as read};
use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model};
use kripke_report::escape::visible;
use kripke_report::json::Complaint;
use kripke_report::number::counted;

pub use crate::files::Files;
use crate::request::Source;

/// A model that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// The conditions that were asked for.
    pub conditions: Vec<Expr>,
    /// Warnings, rendered for a terminal.
    pub warnings: String,
}

/// The model or a formula can't be read.
#[derive(Clone, Debug)]
pub struct InputError {
    /// All diagnostics, rendered for a terminal.
    pub text: String,
    /// All diagnostics, as data.
    pub complaints: Vec<Complaint>,
}

/// The files of a load: the model, which the user named, and those that it includes.
struct Sourced<'a> {
    model: &'a Path,
    files: &'a dyn Files,
}

impl Loader for Sourced<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.model { self.files.named(path) } else { self.files.included(path) }
    }
}

/// The interpreter of a model. In a raw search, exclusive-access claims are not checked: only a reduction relies on them.
pub fn interpreter(model: Arc<Model>, raw: bool) -> Result<Interpreter, StartError> {
    let interpreter = Interpreter::new(model)?;
    Ok(if raw { interpreter.without_claims() } else { interpreter })
}

/// Reads the model, and conditions in its language.
pub fn load(path: &Path, source: &Source, conditions: &[String], files: &dyn Files) -> Result<Loaded, InputError> {
    let defined = source.define.iter().cloned().map(MacroOption::Define);
    let undefined = source.undefine.iter().cloned().map(MacroOption::Undefine);
    let options = LoadOptions {
        language: source.language,
        preprocess: Preprocess { macros: defined.chain(undefined).collect(), include_dirs: source.include.clone() },
        lower: LowerOptions { reverse_escapes: source.reverse_escapes },
        conditions: conditions.to_vec(),
    };
    let loaded = read(path, &Sourced { model: path, files }, &options);
    // Styled in any case: what the reader can't see is stripped when it is printed.
    let text = render_all(&loaded.sources, &loaded.diagnostics, true);
    match loaded.model {
        Some(model) => Ok(Loaded { model, conditions: loaded.conditions, warnings: text }),
        None => {
            let complaints = loaded.diagnostics.iter().map(|d| complaint(&loaded.sources, d)).collect();
            Err(InputError { text, complaints })
        }
    }
}

fn complaint(sources: &Sources, diagnostic: &Diagnostic) -> Complaint {
    let span = diagnostic.labels.first().map(|l| l.span);
    let position = span.map(|s| sources.position(s));
    Complaint {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: diagnostic.message.clone(),
        file: span.map(|s| sources.file(s.file).name.clone()),
        line: position.map(|p| p.line),
        column: position.map(|p| p.column),
        help: diagnostic.help.clone(),
    }
}

impl InputError {
    /// An error of a file as a whole.
    pub fn whole(path: &Path, message: &str) -> InputError {
        let file = path.display().to_string();
        let complaint = Complaint {
            severity: "error",
            message: message.to_string(),
            file: Some(file.clone()),
            line: None,
            column: None,
            help: None,
        };
        let text = visible(&format!("error: {file}: {message}\n")).into_owned();
        InputError { text, complaints: vec![complaint] }
    }

    /// `3 errors: expected …`
    pub fn brief(&self) -> String {
        let errors: Vec<&Complaint> = self.complaints.iter().filter(|c| c.severity == "error").collect();
        let first = errors.first().map(|c| format!(": {}", visible(&c.message))).unwrap_or_default();
        format!("{}{first}", counted(errors.len() as u64, "error"))
    }
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.brief())
    }
}

impl std::error::Error for InputError {}
