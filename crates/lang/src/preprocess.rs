//! Options of preprocessing, shared by the preprocessor of Promela and the m4 of DVE.

use std::path::PathBuf;

use crate::diagnostic::{Diagnostic, warn};
use crate::source::{FileId, Span};

/// Options of preprocessing, as the command line gives them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preprocess {
    /// Macros to define and to undefine, in this order.
    pub macros: Vec<MacroOption>,
    /// Directories that are searched for included files, after the directory of the file that includes them.
    pub include_dirs: Vec<PathBuf>,
}

/// A change of the macros in force at the start of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MacroOption {
    /// Defines a macro: `NAME` or `NAME=text`; in Promela also `NAME(parameters)=text`.
    Define(String),
    /// Removes a definition.
    Undefine(String),
}

impl Preprocess {
    /// Warns that the options have no effect on a file without macros. `here` and `help` are for the message.
    pub(crate) fn warn_unused(&self, file: FileId, here: &str, help: Option<&str>, diagnostics: &mut Vec<Diagnostic>) {
        let unused = match (self.macros.is_empty(), self.include_dirs.is_empty()) {
            (true, true) => return,
            (true, false) => "include directories from the command line have no effect here",
            (false, _) => "macros from the command line have no effect here",
        };
        let warning = Diagnostic::warning(Span { file, start: 0, end: 0 }, unused, here);
        warn(diagnostics, Diagnostic { help: help.map(String::from), ..warning });
    }
}
