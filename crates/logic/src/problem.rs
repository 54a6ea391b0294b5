//! Errors in a text, with their place. The caller, who has the text, shows them.

use std::fmt;

use crate::atoms::Span;

/// An error in a formula, a never claim or the text of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The message.
    pub message: String,
    /// The place.
    pub span: Span,
    /// A short remark at the place; may be empty.
    pub here: String,
    /// Advice.
    pub help: Option<String>,
}

impl Problem {
    /// An error without remark and advice.
    pub fn new(span: Span, message: impl Into<String>) -> Problem {
        Problem { message: message.into(), span, here: String::new(), help: None }
    }

    /// Adds a remark at the place.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Problem {
        self.here = text.into();
        self
    }

    /// Adds advice.
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

/// A formula or an automaton that exceeds a limit (see [`crate::limits`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// The limit that was exceeded.
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
