//! Diagnostics: errors and warnings about a text.

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// There is no model.
    Error,
    /// There may be a model.
    Warning,
}

/// An error or a warning, with its place and possibly advice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// One line of text.
    pub message: String,
    /// The first label is the place of the problem; the others explain it ("opened here", "first declared here").
    pub labels: Vec<Label>,
    /// Advice.
    pub help: Option<String>,
}

/// A place and a short text about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text, which may be empty.
    pub text: String,
}

impl Diagnostic {
    /// An error without a place, such as a missing file.
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

    /// A warning at `span`; `here` is the short text under the caret (may be empty).
    pub fn warning(span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message, here) }
    }

    /// Adds a place that explains the problem.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}

/// Whether a diagnostic is an error.
pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// Adds a warning unless the maximum number of diagnostics is reached.
pub(crate) fn warn(diagnostics: &mut Vec<Diagnostic>, warning: Diagnostic) {
    if diagnostics.len() < crate::limits::MAX_ERRORS {
        diagnostics.push(warning);
    }
}
