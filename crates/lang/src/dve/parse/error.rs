//! Saying what is wrong, and finding the place to go on from.

use super::{Failed, Parser};
use crate::diagnostic::Diagnostic;
use crate::dve::token::TokenKind;
use crate::limits;
use crate::source::Span;

impl Parser<'_> {
    /// Reports, unless something has just been reported at this place.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.complained_at == Some(self.at) {
            return Failed;
        }
        self.complained_at = Some(self.at);
        self.diagnostics.push(diagnostic);
        self.errors += 1;
        if self.errors >= limits::MAX_ERRORS {
            self.at = self.tokens.len() - 1;
            self.complained_at = Some(self.at);
        }
        Failed
    }

    /// "expected …, found …" at the next token.
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.peek();
        let message = format!("expected {expected}, found {}", token.describe());
        let mut diagnostic = Diagnostic::error(token.span, message, format!("expected {expected}"));
        if let Some(help) = self.hint() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// Something is missing after what was read last.
    pub(super) fn missing(&mut self, what: &str, of: &str) -> Failed {
        let found = self.peek().describe();
        let last = self.tokens[self.at.saturating_sub(1)].span;
        let span = Span { start: last.end, ..last };
        let message = format!("expected `{what}` after {of}, found {found}");
        let mut diagnostic = Diagnostic::error(span, message, format!("`{what}` is missing here"));
        if let Some(help) = self.hint() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// A closing bracket is missing.
    pub(super) fn close(&mut self, close: &str, what: &str, open: Span) -> Result<Span, Failed> {
        if let Some(token) = self.eat(close) {
            return Ok(token.span);
        }
        let token = self.peek();
        let message = format!("expected `{close}` to close {what}, found {}", token.describe());
        let mut diagnostic = Diagnostic::error(token.span, message, format!("expected `{close}` here"));
        diagnostic = diagnostic.label(open, "opened here");
        if let Some(help) = self.hint() {
            diagnostic = diagnostic.help(help);
        }
        Err(self.report(diagnostic))
    }

    pub(super) fn not_a_name(&mut self, what: &str) -> Failed {
        let token = self.peek();
        if token.kind != TokenKind::Keyword {
            return self.unexpected(what);
        }
        let message = format!("`{}` is a keyword and cannot be {what}", token.text);
        let diagnostic = Diagnostic::error(token.span, message, format!("expected {what}"));
        self.report(diagnostic)
    }

    /// Advice on words of other languages.
    fn hint(&self) -> Option<&'static str> {
        let token = self.peek();
        Some(match &*token.text {
            "=" => "`=` assigns, in `effect` only; equality is `==`",
            "!" => "negation is written `not`; `!` sends, in `sync` only",
            "?" => "`?` receives, in `sync` only",
            "&&" | "||" | "and" | "or" => "this operator needs an expression on its left",
            "bool" | "bit" | "short" | "long" => "there are two types: `byte` (0 to 255) and `int` (-32768 to 32767)",
            "proctype" => "this is DVE: write `process`; Promela is read from files that do not end in .dve",
            _ if token.kind == TokenKind::Unknown && &*token.text == "#" => {
                "there is no preprocessor here; files that end in .mdve are expanded with m4's macros"
            }
            _ => return None,
        })
    }

    /// Steps over the rest of a declaration or a process, to where the next one may begin. `began` is where the
    /// declaration does.
    pub(super) fn skip_to_declaration(&mut self, began: Span) {
        if self.peek().span == began {
            self.bump();
        }
        let starts = ["byte", "int", "const", "channel", "process", "system"];
        let mut inside = 0usize;
        while self.peek().kind != TokenKind::Eof {
            let token = self.peek();
            if token.is("process") || token.is("system") || (inside == 0 && starts.iter().any(|s| token.is(s))) {
                return;
            }
            if token.is("{") {
                inside += 1;
            } else if token.is("}") {
                inside = inside.saturating_sub(1);
            } else if inside == 0 && token.is(";") {
                self.bump();
                return;
            }
            self.bump();
        }
    }
}
