//! Tokens of DVE.

use std::rc::Rc;

use crate::source::Span;

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub text: Rc<str>,
    /// The place in the user's text; for text from a macro, the place of use.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Ident,
    Keyword,
    Number,
    Symbol,
    /// A character that means nothing here.
    Unknown,
    Eof,
}

/// Longer ones first.
pub(crate) const SYMBOLS: &[&str] = &[
    "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]", ",", ";", ":", ".", "+", "-",
    "*", "/", "%", "&", "|", "^", "~", "!", "?", "<", ">", "=",
];

pub(crate) const KEYWORDS: &[&str] = &[
    "accept", "and", "assert", "async", "byte", "channel", "commit", "const", "effect", "false", "guard", "imply",
    "init", "int", "not", "or", "process", "property", "state", "sync", "system", "trans", "true",
];

impl Token {
    /// Whether it is this symbol or keyword.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Symbol | TokenKind::Keyword) && &*self.text == text
    }

    /// As a diagnostic names it.
    pub(crate) fn describe(&self) -> String {
        match self.kind {
            TokenKind::Eof => "the end of the file".to_string(),
            TokenKind::Keyword => format!("the keyword `{}`", self.text),
            _ => format!("`{}`", self.text),
        }
    }
}
