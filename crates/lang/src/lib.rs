//! Languages: from source text to the IR, with diagnostics.
//!
//! [`load`] is the whole way from a file to a [`Model`]; each language has a module with the stages of that way. This
//! crate knows everything about languages and nothing about searching. It does no I/O: files come through a
//! [`Loader`](source::Loader).
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod dve;
pub mod esml;
pub mod limits;
pub mod promela;
pub mod render;
pub mod source;
mod spelling;

use std::path::Path;
use std::sync::Arc;

use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model};

use diagnostic::{Diagnostic, Severity};
use source::{Loader, Sources};

/// A language that models are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Promela,
    Dve,
    Esml,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 3] = [Language::Promela, Language::Dve, Language::Esml];

    /// The name of the language, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Dve => "dve",
            Language::Esml => "esml",
        }
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The language of a file, by the ending of its name. People name Promela files in many ways.
    pub fn of(path: &Path) -> Language {
        match path.extension().and_then(|e| e.to_str()) {
            Some("dve" | "mdve") => Language::Dve,
            Some("esml") => Language::Esml,
            _ => Language::Promela,
        }
    }
}

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Otherwise the ending of the file's name says.
    pub language: Option<Language>,
    pub preprocess: promela::Preprocess,
    pub lower: promela::LowerOptions,
    /// Conditions on states, in the language of the model, to be read in its context.
    pub conditions: Vec<String>,
}

/// What reading a model gave. There is a model if and only if no diagnostic is an error.
#[derive(Debug)]
pub struct Loaded {
    pub sources: Sources,
    pub model: Option<Model>,
    /// One for each condition asked for, if there is a model.
    pub conditions: Vec<Expr>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the model at `path`.
pub fn load(path: &Path, loader: &dyn Loader, options: &LoadOptions) -> Loaded {
    let (sources, read, mut diagnostics) = match options.language.unwrap_or_else(|| Language::of(path)) {
        Language::Promela => read_promela(path, loader, options),
        Language::Dve => dve::load(path, &options.conditions, loader, &options.preprocess.macros),
        Language::Esml => {
            let esml::Read { sources, model, conditions, diagnostics } = esml::read(path, loader, &options.conditions);
            (sources, model.map(|model| (model, conditions)), diagnostics)
        }
    };
    let correct = diagnostics.iter().all(|d| d.severity != Severity::Error);
    let (model, conditions) = match read.filter(|_| correct) {
        Some((mut model, conditions)) => {
            model.files = sources.files().to_vec();
            model.name = path.display().to_string();
            (Some(model), conditions)
        }
        None => (None, Vec::new()),
    };
    if model.is_none() && correct {
        diagnostics.push(Diagnostic::general("this model cannot be translated, and Kripke does not know why"));
    }
    let model = model.and_then(|model| valid(model, &mut diagnostics));
    let model = model.and_then(|model| startable(model, &mut diagnostics));
    Loaded { sources, model, conditions, diagnostics }
}

/// What a language makes of a file: a model and the conditions asked for, if nothing is wrong with them.
type Reading = (Sources, Option<(Model, Vec<Expr>)>, Vec<Diagnostic>);

fn read_promela(path: &Path, loader: &dyn Loader, options: &LoadOptions) -> Reading {
    let promela::Parsed { sources, program, mut diagnostics } =
        promela::parse_with(path, &options.conditions, loader, &options.preprocess);
    let lowered = program.and_then(|p| promela::lower(&p, &sources, &options.lower, &mut diagnostics));
    (sources, lowered.map(|promela::Lowered { model, conditions }| (model, conditions)), diagnostics)
}

/// Keeps the model if it is valid. An invalid one is a bug of the lowering, which the user learns as a diagnostic.
fn valid(model: Model, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    let error = model.validate().err();
    if let Some(error) = &error {
        let message = format!("Kripke translates this model wrongly: {error}");
        diagnostics.push(Diagnostic::general(message).help("this is a bug of Kripke; please report it"));
    }
    error.is_none().then_some(model)
}

/// Keeps the model if its initial state can be computed.
fn startable(model: Model, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    let model = Arc::new(model);
    if let Err(StartError { message, span }) = Interpreter::new(Arc::clone(&model)) {
        diagnostics.push(match span {
            Some(span) => Diagnostic::error(span, message, "this can't be started"),
            None => Diagnostic::general(message),
        });
        return None;
    }
    Arc::try_unwrap(model).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_model_is_a_diagnostic() {
        for (text, error) in [
            ("process p L0: -> L7", Some("process p: L0: no location L7")),
            ("process p param n: u8 L0: end start p", Some("start: `p` has 1 parameters and 0 arguments")),
            ("process p L0: end start p", None),
        ] {
            let model = Model::parse(text).expect("it can be read");
            let mut diagnostics = Vec::new();
            assert_eq!(valid(model, &mut diagnostics).is_some(), error.is_none(), "{text}");
            let messages: Vec<&str> = diagnostics.iter().map(|d| &*d.message).collect();
            let expected = error.map(|error| format!("Kripke translates this model wrongly: {error}"));
            assert_eq!(messages, Vec::from_iter(expected.as_deref()), "{text}");
        }
    }
}
