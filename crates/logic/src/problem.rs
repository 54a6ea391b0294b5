//! What is wrong with a text, and where. Whoever has the text shows it.

use std::fmt;

use crate::atoms::Span;

/// A complaint about a formula, a never claim or an automaton's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub message: String,
    pub span: Span,
    /// A short remark for under the place; may be empty.
    pub here: String,
    pub help: Option<String>,
}

impl Problem {
    pub fn new(span: Span, message: impl Into<String>) -> Problem {
        Problem { message: message.into(), span, here: String::new(), help: None }
    }

    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Problem {
        self.here = text.into();
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Problem {
        self.help = Some(text.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// A formula or an automaton that takes more than we are willing to spend (see [`crate::limits`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    pub message: String,
}

impl TooLarge {
    pub(crate) fn new(message: impl Into<String>) -> TooLarge {
        TooLarge { message: message.into() }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TooLarge {}
