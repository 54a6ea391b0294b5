//! What is wrong with the user's text.

use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// One complaint: what, where, and how to mend it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// The first is where it is; the others explain ("opened here", "first declared here").
    pub labels: Vec<Label>,
    pub help: Option<String>,
}

/// A place and what to say about it.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

impl Diagnostic {
    /// An error that is nowhere in particular: a missing file, say.
    pub fn general(message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, message: message.into(), labels: Vec::new(), help: None }
    }

    /// An error at `span`; `here` is the short text under the caret (may be empty).
    pub fn error(span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { span, text: here.into() }],
            help: None,
        }
    }

    pub fn warning(span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message, here) }
    }

    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}

/// Adds a warning, unless there are absurdly many diagnostics already.
pub fn warn(diagnostics: &mut Vec<Diagnostic>, warning: Diagnostic) {
    if diagnostics.len() < crate::limits::MAX_ERRORS {
        diagnostics.push(warning);
    }
}
