//! Loading a model, and reading conditions on its states.

use std::path::Path;
use std::sync::Arc;

use kripke_model::ir::Expr;
use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model};

use crate::diagnostic::{Diagnostic, has_errors};
use crate::front_end::{Conditions, Input, Preprocessed, Reading};
use crate::occurrences::Occurrence;
use crate::preprocess::Preprocess;
use crate::promela::numbering::Numbering;
use crate::source::{Loader, Sources};
use crate::symbols::Symbols;
use crate::{Language, Tree, promela};

/// Options of loading a model.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The language. The ending of the file's name decides if there is none.
    pub language: Option<Language>,
    /// Macros and include directories.
    pub preprocess: Preprocess,
    /// Options of Promela.
    pub promela: promela::Options,
}

/// The result of loading a file. There is a model if and only if no diagnostic is an error.
#[derive(Debug)]
pub struct Loaded {
    /// All files read.
    pub sources: Sources,
    /// The model. [`Loaded::conditions`] may replace it.
    pub model: Option<Model>,
    /// SPIN's numbers of the model's statements, where the language is SPIN's.
    pub numbering: Option<Numbering>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The declared names, also of a text with errors.
    pub symbols: Symbols,
    /// The places at which declared names are written, also of a text with errors, in the order of the text.
    pub occurrences: Vec<Occurrence>,
    /// The syntax tree, also of a text with errors. None if the text has no recognisable structure.
    pub tree: Option<Tree>,
    reader: Option<Box<dyn Conditions>>,
}

/// Reads the model at `path`.
pub fn load(path: &Path, loader: &dyn Loader, options: &LoadOptions) -> Loaded {
    let language = options.language.unwrap_or_else(|| Language::of(path));
    let Reading { sources, mut diagnostics, symbols, occurrences, tree, model, numbering, conditions: reader } =
        language.0.read(&Input { path, loader, options });
    let correct = !has_errors(&diagnostics);
    if model.is_none() && correct {
        diagnostics.push(Diagnostic::general("this model cannot be translated, and Kripke does not know why"));
    }
    let model = model.filter(|_| correct).map(|mut model| {
        model.files = sources.files().to_vec();
        model.name = path.display().to_string();
        model
    });
    let model = model.and_then(|model| valid(model, &mut diagnostics));
    let model = model.and_then(|model| startable(model, &mut diagnostics));
    Loaded { sources, model, numbering, diagnostics, symbols, occurrences, tree, reader }
}

/// The text of the file at `path` after macros and includes.
pub fn preprocessed(path: &Path, loader: &dyn Loader, options: &LoadOptions) -> Preprocessed {
    let language = options.language.unwrap_or_else(|| Language::of(path));
    language.0.preprocessed(&Input { path, loader, options })
}

impl Loaded {
    /// Reads conditions on states, in the language of the model, as if they stood at the end of its text. The text itself is not
    /// read again.
    ///
    /// The expressions belong to [`Loaded::model`] as it is afterwards: the model is replaced if its states lack something that
    /// a condition refers to, such as a label. Therefore all conditions of one model are read in one call. Warnings are added to
    /// the diagnostics. The errors of the conditions are returned, and the model stays as it is; if there is no model, its own
    /// diagnostics are returned.
    pub fn conditions(&mut self, texts: &[String]) -> Result<Vec<Expr>, Vec<Diagnostic>> {
        self.expressions(texts, 0)
    }

    /// Reads conditions on states, of which the last `values` are expressions of any type.
    pub fn expressions(&mut self, texts: &[String], values: usize) -> Result<Vec<Expr>, Vec<Diagnostic>> {
        let Some(model) = &self.model else { return Err(self.diagnostics.clone()) };
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let Some(reader) = &self.reader else {
            return Err(vec![Diagnostic::general("conditions can't be read in this language")]);
        };
        let (mut model, mut diagnostics) = (model.clone(), Vec::new());
        let mut numbering = self.numbering.clone();
        let read = reader.read(texts, values, (&mut model, &mut numbering), &mut self.sources, &mut diagnostics);
        diagnostics.retain(|d| !self.diagnostics.contains(d));
        let Some(read) = read.filter(|_| !has_errors(&diagnostics)) else { return Err(diagnostics) };
        model.files = self.sources.files().to_vec();
        model.name = self.model.as_ref().map(|old| old.name.clone()).unwrap_or_default();
        let model = valid(model, &mut diagnostics).and_then(|model| startable(model, &mut diagnostics));
        let Some(model) = model else { return Err(diagnostics) };
        self.model = Some(model);
        self.numbering = numbering;
        self.diagnostics.append(&mut diagnostics);
        Ok(read)
    }
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
