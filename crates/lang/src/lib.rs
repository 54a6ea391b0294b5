//! Languages: from source text to the IR, with diagnostics.
//!
//! [`load`] reads a file and returns a [`Loaded`]: the model, the diagnostics, the syntax tree and the symbols. Conditions on states
//! are read afterwards, by [`Loaded::conditions`]. Each language is a module that implements [`FrontEnd`] and has a row in the table
//! of this file. This crate knows nothing about searching. It does no I/O: files come through a [`Loader`](source::Loader).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod diagnostic;
pub mod dve;
pub mod esml;
pub mod format;
mod front_end;
pub mod lexemes;
pub mod limits;
mod loaded;
pub mod occurrences;
pub mod preprocess;
pub mod promela;
pub mod render;
pub mod source;
mod spelling;
pub mod symbols;

use std::fmt;
use std::path::Path;

pub use front_end::{Conditions, FrontEnd, Input, Preprocessed, Reading};
pub use loaded::{LoadOptions, Loaded, load, preprocessed};

/// All languages. The first one reads files whose ending no language has.
static LANGUAGES: [Language; 3] = [Language::PROMELA, Language::DVE, Language::ESML];

/// The syntax tree of a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Tree {
    /// A Promela program.
    Promela(std::rc::Rc<promela::ast::Program>),
    /// A DVE system.
    Dve(dve::ast::System),
    /// An ESML model.
    Esml(std::rc::Rc<esml::ast::Model>),
}

/// A language, as a value.
#[derive(Clone, Copy)]
pub struct Language(&'static dyn FrontEnd);

impl Language {
    /// Promela, the language of SPIN.
    pub const PROMELA: Language = Language(&promela::Promela);
    /// DVE, the language of DiVinE.
    pub const DVE: Language = Language(&dve::Dve);
    /// ESML, the language of Geldenhuys 1999.
    pub const ESML: Language = Language(&esml::Esml);

    /// All languages.
    pub fn all() -> impl Iterator<Item = Language> {
        LANGUAGES.into_iter()
    }

    /// The name of the language, in lower case.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The endings of its file names, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        self.0.endings()
    }

    /// The words of the language.
    pub fn keywords(self) -> &'static [&'static str] {
        self.0.keywords()
    }

    /// The words, symbols and comments of a text, before macros are expanded.
    pub fn lexemes(self, text: &str) -> Vec<lexemes::Lexeme> {
        self.0.lexemes(text)
    }

    /// The language with this name.
    pub fn named(name: &str) -> Option<Language> {
        Language::all().find(|language| language.name() == name)
    }

    /// The language of a file, by the ending of its name. A file with an unknown ending is Promela.
    pub fn of(path: &Path) -> Language {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let known = Language::all().find(|language| language.endings().contains(&ending));
        known.unwrap_or(LANGUAGES[0])
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
