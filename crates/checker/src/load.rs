//! Loading: from the name of a file to a model, or to diagnostics about its text.

use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::diagnostic::{Diagnostic, Severity};
use kripke_lang::preprocess::{MacroOption, Preprocess};
use kripke_lang::promela;
use kripke_lang::promela::numbering::Numbering;
use kripke_lang::render::render_all;
use kripke_lang::source::{Loader, Sources};
use kripke_lang::symbols::{Symbol, SymbolKind, Symbols};
use kripke_lang::{LoadOptions, Preprocessed, load as read};
use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model};
use kripke_report::escape::visible;
use kripke_report::json::Complaint;
use kripke_report::list::SymbolRow;
use kripke_report::number::counted;

pub use crate::files::Files;
use crate::overflow;
use crate::request::Source;

/// A model that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// The conditions that were asked for.
    pub conditions: Vec<Expr>,
    /// SPIN's numbers of the model's statements, where the language is SPIN's.
    pub numbering: Option<Numbering>,
    /// Warnings, rendered for a terminal.
    pub warnings: String,
    /// The names that the text declares.
    pub symbols: Vec<SymbolRow>,
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

/// Reads a model, and conditions in its language.
pub fn load(path: &Path, source: &Source, conditions: &[String], files: &dyn Files) -> Result<Loaded, InputError> {
    load_with(path, source, files, |_| Ok((conditions.to_vec(), 0)))
}

/// Reads a model, then the conditions that `conditions` gives for it, with the number of those at the end that are expressions of any
/// type. The text of the model is read once.
pub fn load_with(
    path: &Path,
    source: &Source,
    files: &dyn Files,
    conditions: impl FnOnce(&Model) -> Result<(Vec<String>, usize), InputError>,
) -> Result<Loaded, InputError> {
    let mut loaded = finish(path, read(path, &Sourced { model: path, files }, &options(source)), conditions)?;
    if source.overflow_is_error {
        overflow::check_stores(&mut loaded.model);
        overflow::check_messages(&mut loaded.model);
    }
    Ok(loaded)
}

/// Reads a model with SPIN's numbers. `every_step` makes jumps inside atomic sequences steps of their own.
pub(crate) fn load_numbered(
    path: &Path,
    source: &Source,
    every_step: bool,
    files: &dyn Files,
) -> Result<Loaded, InputError> {
    let mut options = options(source);
    options.promela.every_step = every_step;
    finish(path, read(path, &Sourced { model: path, files }, &options), |_| Ok((Vec::new(), 0)))
}

/// Reads the conditions for a model that was read.
fn finish(
    path: &Path,
    mut loaded: kripke_lang::Loaded,
    conditions: impl FnOnce(&Model) -> Result<(Vec<String>, usize), InputError>,
) -> Result<Loaded, InputError> {
    let (texts, values) = match &loaded.model {
        Some(model) => conditions(model)?,
        None => return Err(InputError::new(&loaded.sources, &loaded.diagnostics)),
    };
    let conditions = loaded.expressions(&texts, values).map_err(|errors| {
        let all: Vec<Diagnostic> = loaded.diagnostics.iter().cloned().chain(errors).collect();
        InputError::new(&loaded.sources, &all)
    })?;
    let warnings = rendered(&loaded.sources, &loaded.diagnostics);
    let symbols = symbols(&loaded.symbols, &loaded.sources);
    let model = loaded.model.ok_or_else(|| InputError::whole(path, "it has no model"))?;
    Ok(Loaded { model, conditions, numbering: loaded.numbering, warnings, symbols })
}

/// The text of a model after macros and includes.
pub fn preprocessed(path: &Path, source: &Source, files: &dyn Files) -> Result<String, InputError> {
    let Preprocessed { sources, diagnostics, text } =
        kripke_lang::preprocessed(path, &Sourced { model: path, files }, &options(source));
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    if failed { Err(InputError::new(&sources, &diagnostics)) } else { Ok(text) }
}

/// The names that a text declares, as a listing has them.
fn symbols(symbols: &Symbols, sources: &Sources) -> Vec<SymbolRow> {
    let all = symbols.all();
    let row = |symbol: &Symbol| SymbolRow {
        name: symbol.name.clone(),
        kind: match symbol.kind {
            SymbolKind::Process => "process",
            SymbolKind::Global => "variable",
            SymbolKind::Local => "local",
            SymbolKind::Channel => "channel",
            SymbolKind::Label => "label",
            SymbolKind::Property => "property",
            SymbolKind::Macro => "macro",
            SymbolKind::Constant => "constant",
            SymbolKind::Type => "type",
            SymbolKind::Field => "field",
        },
        container: symbol.container.and_then(|at| all.get(at)).map(|container| container.name.clone()),
        file: sources.file(symbol.span.file).name.clone(),
        line: sources.position(symbol.span).line,
    };
    all.iter().map(row).collect()
}

fn options(source: &Source) -> LoadOptions {
    let defined = source.define.iter().cloned().map(MacroOption::Define);
    let undefined = source.undefine.iter().cloned().map(MacroOption::Undefine);
    LoadOptions {
        language: source.language,
        preprocess: Preprocess { macros: defined.chain(undefined).collect(), include_dirs: source.include.clone() },
        promela: promela::Options {
            reverse_escapes: source.reverse_escapes,
            lossy: source.lossy,
            ..promela::Options::default()
        },
    }
}

/// Diagnostics as text with styles, which are removed on printing where the reader can't see them.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    render_all(sources, diagnostics, true)
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
    fn new(sources: &Sources, diagnostics: &[Diagnostic]) -> InputError {
        let complaints = diagnostics.iter().map(|d| complaint(sources, d)).collect();
        InputError { text: rendered(sources, diagnostics), complaints }
    }

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
