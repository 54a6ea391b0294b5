//! Languages: from source text to the IR, with diagnostics.
//!
//! [`load`] is the whole way from a file to a [`Model`]; each language has a module with the stages of that way. This
//! crate knows everything about languages and nothing about searching. It does no I/O: files come through a
//! [`Loader`](source::Loader).
#![forbid(unsafe_code)]

pub mod diagnostic;
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

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
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

/// Reads the model at `path`. What is not called `.esml` is taken to be Promela: people name such files in many ways.
pub fn load(path: &Path, loader: &dyn Loader, options: &LoadOptions) -> Loaded {
    if path.extension().is_some_and(|e| e == "esml") {
        let esml::Read { sources, model, conditions, mut diagnostics } = esml::read(path, loader, &options.conditions);
        let named = model.map(|model| named(model, path, &sources));
        let model = named.and_then(|model| startable(model, &mut diagnostics));
        return Loaded { sources, model, conditions, diagnostics };
    }
    let promela::Parsed { sources, program, mut diagnostics } =
        promela::parse_with(path, &options.conditions, loader, &options.preprocess);
    let lowered = program.and_then(|p| promela::lower(&p, &sources, &options.lower, &mut diagnostics));
    let correct = diagnostics.iter().all(|d| d.severity != Severity::Error);
    let (model, conditions) = match lowered.filter(|_| correct) {
        Some(promela::Lowered { model, conditions }) => (Some(named(model, path, &sources)), conditions),
        None => (None, Vec::new()),
    };
    if model.is_none() && correct {
        diagnostics.push(Diagnostic::general("this model cannot be translated, and Kripke does not know why"));
    }
    let model = model.and_then(|model| startable(model, &mut diagnostics));
    Loaded { sources, model, conditions, diagnostics }
}

fn named(mut model: Model, path: &Path, sources: &Sources) -> Model {
    model.files = sources.files().to_vec();
    model.name = path.display().to_string();
    model
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
