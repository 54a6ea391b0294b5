//! The contract of a language: a [`FrontEnd`] turns an [`Input`] into a [`Reading`].

use std::fmt;
use std::path::Path;

use kripke_model::Model;
use kripke_model::ir::Expr;

use crate::diagnostic::Diagnostic;
use crate::format::Style;
use crate::lexemes::Lexeme;
use crate::occurrences::Occurrence;
use crate::promela::numbering::Numbering;
use crate::source::{Loader, Sources};
use crate::symbols::Symbols;
use crate::{LoadOptions, Tree};

/// A language that models are written in.
pub trait FrontEnd: Sync {
    /// The name of the language, in lower case.
    fn name(&self) -> &'static str;

    /// The endings of its file names, without the dot.
    fn endings(&self) -> &'static [&'static str];

    /// Reads a file. Errors are diagnostics of the result.
    fn read(&self, input: &Input<'_>) -> Reading;

    /// The words, symbols and comments of a text, before macros are expanded.
    fn lexemes(&self, text: &str) -> Vec<Lexeme>;

    /// How the language is written ([`format`](crate::format)).
    fn style(&self) -> &'static dyn Style;

    /// The words of the language.
    fn keywords(&self) -> &'static [&'static str];

    /// The text of a file after macros and includes.
    fn preprocessed(&self, input: &Input<'_>) -> Preprocessed;
}

/// A file to read.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The name of the file.
    pub path: &'a Path,
    /// The source of this file and of those that it includes.
    pub loader: &'a dyn Loader,
    /// The options of the request.
    pub options: &'a LoadOptions,
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Input { path, options, .. } = self;
        f.debug_struct("Input").field("path", path).field("options", options).finish_non_exhaustive()
    }
}

/// The text of a file after preprocessing.
#[derive(Default, Debug)]
pub struct Preprocessed {
    /// All files read.
    pub sources: Sources,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The text. It is incomplete if a diagnostic is an error.
    pub text: String,
}

/// The result of reading a file.
#[derive(Default, Debug)]
pub struct Reading {
    /// All files read.
    pub sources: Sources,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The declared names, also of a text with errors.
    pub symbols: Symbols,
    /// The places at which declared names are written, also of a text with errors, in the order of the text.
    pub occurrences: Vec<Occurrence>,
    /// The syntax tree, also of a text with errors. None if the text has no recognisable structure.
    pub tree: Option<Tree>,
    /// The model. None if a diagnostic is an error.
    pub model: Option<Model>,
    /// SPIN's numbers of the statements, where the language is SPIN's.
    pub numbering: Option<Numbering>,
    /// Reads conditions on the states of the model. None if the language has no conditions or if there is no model.
    pub conditions: Option<Box<dyn Conditions>>,
}

/// Reads conditions on states after the model was read, without its text.
pub trait Conditions: fmt::Debug {
    /// Reads conditions as if they stood at the end of the text, and adds them to `sources` as files that are no part of the model
    /// ([`Sources::ask`]). The last `values` texts are expressions of any type, whose values are shown. A language may replace the model by one whose states have what the conditions refer to. None after an
    /// error. Diagnostics of the model may be given again.
    fn read(
        &self,
        texts: &[String],
        values: usize,
        model: (&mut Model, &mut Option<Numbering>),
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Expr>>;
}
