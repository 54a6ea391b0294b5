//! Options that change the text of a model.

use std::path::PathBuf;

use clap::Args;
use kripke::request::Source;

/// Macros, included files and the order of escapes.
#[derive(Args, Clone, PartialEq, Default, Debug)]
pub struct Text {
    /// Define a macro: -DN=4
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Search this directory for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Evaluate nested `unless` escapes from the inside out
    #[arg(short = 'J', long)]
    pub reverse_escapes: bool,
}

impl Text {
    /// The source of a request, with the default language.
    pub fn source(&self) -> Source {
        let Text { define, undefine, include, reverse_escapes } = self.clone();
        Source { define, undefine, include, reverse_escapes, ..Source::default() }
    }
}
