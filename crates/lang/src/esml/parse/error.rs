//! Saying what is wrong, and finding the place to go on from.

use super::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::esml::token::{Keyword, Punct, Token, TokenKind};
use crate::limits;
use crate::source::Span;
use crate::spelling::nearest;

impl Parser<'_> {
    /// Reports, unless something has just been reported at this place.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.complained_at != Some(self.at) {
            self.complained_at = Some(self.at);
            self.say(diagnostic);
        }
        Failed
    }

    /// Reports something that does not stop the parser where it is.
    pub(super) fn say(&mut self, diagnostic: Diagnostic) {
        if self.errors < limits::MAX_ERRORS {
            self.diagnostics.push(diagnostic);
            self.errors += 1;
        }
        if self.errors >= limits::MAX_ERRORS {
            self.stop();
        }
    }

    /// No more tokens, no more complaints.
    pub(super) fn stop(&mut self) {
        self.errors = limits::MAX_ERRORS;
        self.at = self.tokens.len();
        self.complained_at = Some(self.at);
    }

    /// "expected …, found …" at the next token.
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.peek();
        let found = self.describe(token);
        let mut diagnostic = Diagnostic::error(
            token.span,
            format!("expected {expected}, found {found}"),
            format!("expected {expected}"),
        );
        if let Some(help) = self.hint(token, expected) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// "expected `)` to close …" with the place where it was opened.
    pub(super) fn unclosed(&mut self, close: &str, what: &str, open: Span) -> Failed {
        let token = self.peek();
        let span = if token.kind == TokenKind::Eof { self.after_last() } else { token.span };
        let message = format!("expected {close} to close {what}");
        let mut diagnostic =
            Diagnostic::error(span, message, format!("expected {close} here")).label(open, "opened here");
        if let Some(help) = self.hint(token, close) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// Closes a bracket opened at `open`.
    pub(super) fn close(&mut self, punct: Punct, what: &str, open: Span) -> Parsed<Span> {
        self.eat(punct).ok_or_else(|| self.unclosed(&format!("`{}`", punct.text()), what, open))
    }

    pub(super) fn missing_semicolon(&mut self, what: &str) {
        let span = self.after_last();
        self.report(Diagnostic::error(span, format!("expected `;` after {what}"), "expected `;` here"));
    }

    /// Just behind the last token read.
    fn after_last(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(0, |t| t.span.end);
        Span { file: self.file, start: last, end: last }
    }

    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "the end of the text".into(),
            TokenKind::Keyword(k) => format!("keyword `{}`", k.text()),
            TokenKind::Str => "a string".into(),
            _ => format!("`{}`", self.word(token.span).escape_debug()),
        }
    }

    fn hint(&self, token: Token, expected: &str) -> Option<String> {
        let before = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map(|t| t.kind);
        let word = self.word(token.span);
        match token.kind {
            TokenKind::Name => {
                let near = nearest(&word.to_ascii_uppercase(), Keyword::ALL)?;
                Some(format!("did you mean `{near}`?"))
            }
            TokenKind::Punct(Punct::Equal) if expected.contains(":=") => Some("to assign, write `:=`".into()),
            TokenKind::Punct(Punct::Assign) => Some("to compare, write `=`".into()),
            TokenKind::Keyword(Keyword::End) | TokenKind::Punct(Punct::Separator)
                if before == Some(TokenKind::Punct(Punct::Semicolon)) =>
            {
                Some("`;` stands between commands, not after the last one; `SKIP` does nothing".into())
            }
            TokenKind::Keyword(k) if expected.starts_with("the name") || expected.starts_with("a name") => {
                Some(format!("`{}` is a keyword and cannot be a name", k.text()))
            }
            TokenKind::Unknown => match word {
                "\"" => Some("this string has no closing quote".into()),
                "_" => Some("names are made of letters and digits".into()),
                "|" => Some("`OR` is the disjunction".into()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Skips to where a command ends, over whole nested ones.
    pub(super) fn recover_in_body(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Keyword(Keyword::Process | Keyword::Begin | Keyword::Assert) => return,
                TokenKind::Keyword(Keyword::If | Keyword::Do | Keyword::Poll) => depth += 1,
                TokenKind::Keyword(Keyword::End) if depth == 0 => return,
                TokenKind::Keyword(Keyword::End) => {
                    if self.ends_definition() {
                        return;
                    }
                    depth -= 1;
                }
                TokenKind::Punct(Punct::Semicolon | Punct::Separator) if depth == 0 => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the end of a branch, over all its commands.
    pub(super) fn recover_to_branch(&mut self) {
        self.recover_in_body();
        while self.eat(Punct::Semicolon).is_some() {
            self.recover_in_body();
        }
    }

    /// Skips to the next declaration.
    pub(super) fn recover_in_declarations(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Eof
                | TokenKind::Keyword(
                    Keyword::Process | Keyword::Begin | Keyword::Const | Keyword::Type | Keyword::Var,
                ) => return,
                TokenKind::Punct(Punct::Semicolon) => {
                    self.bump();
                    return;
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips to the next process, or to the body of the model: the `BEGIN` after the end of a process.
    pub(super) fn recover_to_unit(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::Keyword(Keyword::Process) => return,
                TokenKind::Keyword(Keyword::Begin) if self.after_end_of_process() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Whether `END name;` has just been read.
    fn after_end_of_process(&self) -> bool {
        let end = self.at.checked_sub(3).and_then(|i| self.tokens.get(i));
        end.is_some_and(|t| t.kind == TokenKind::Keyword(Keyword::End))
    }

    /// `if` for `IF`: says so, and takes it for what was meant.
    pub(super) fn capitals(&mut self, meant: &[Keyword]) {
        let token = self.peek();
        if token.kind != TokenKind::Name || self.errors >= limits::MAX_ERRORS {
            return;
        }
        let upper = self.word(token.span).to_ascii_uppercase();
        let Some(keyword) = Keyword::of(&upper).filter(|k| meant.contains(k)) else { return };
        use Punct as P;
        let used = [P::Assign, P::Bang, P::Hook, P::LeftBracket, P::Dot].map(TokenKind::Punct);
        if used.contains(&self.ahead(1).kind) {
            return;
        }
        let what = "keywords are written in capitals";
        self.say(Diagnostic::error(token.span, what, format!("expected `{}`", keyword.text())));
        if let Some(token) = self.tokens.get_mut(self.at) {
            token.kind = TokenKind::Keyword(keyword);
        }
    }

    /// Whether the next `END` is the one of the whole process or model, which has its name.
    pub(super) fn ends_definition(&self) -> bool {
        let name = self.ahead(1);
        name.kind == TokenKind::Name && self.inside.as_ref().is_some_and(|n| n.text == self.word(name.span))
    }
}
