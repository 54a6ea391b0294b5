//! Saying what is wrong, and finding the place to go on from.

use super::feed::{Lexeme, after};
use super::{Failed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::promela::relocate::EXPANDED;
use crate::promela::token::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;
use crate::spelling::nearest;

impl Parser<'_> {
    /// Reports, unless something has just been reported at this place.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.stopped || self.complained_at == Some(self.log.len()) {
            return Failed;
        }
        self.complained_at = Some(self.log.len());
        self.diagnostics.push(diagnostic);
        self.errors += 1;
        if self.errors >= limits::MAX_ERRORS {
            self.stop();
        }
        Failed
    }

    /// Reports and gives up: no more tokens.
    pub(super) fn fatal(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
            self.errors += 1;
        }
        self.stop();
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.frames.truncate(1);
        self.frames[0] = super::Frame::program(Vec::new());
        self.deferred.clear();
        (self.unread, self.hold, self.ahead) = (None, None, None);
    }

    /// "expected …, found …" at the next token.
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let lexeme = self.peek().clone();
        let token = lexeme.token;
        if matches!(
            lexeme.sym,
            Sym::Keyword(Keyword::CCode | Keyword::CExpr | Keyword::CDecl | Keyword::CState | Keyword::CTrack)
        ) {
            return self.embedded_c();
        }
        if let Some(diagnostic) = self.habit(&Lexeme { sym: lexeme.sym, token: token.clone() }, expected) {
            return self.report(with_origin(diagnostic, &token));
        }
        let found = describe(lexeme.sym, &token);
        let mut diagnostic = Diagnostic::error(
            token.span,
            format!("expected {expected}, found {found}"),
            format!("expected {expected}"),
        );
        if let Some(help) = self.hint(lexeme.sym, &token, expected) {
            diagnostic = diagnostic.help(help);
        }
        diagnostic = with_origin(diagnostic, &token);
        self.report(diagnostic)
    }

    /// "expected `)` to close …" with the place where it was opened.
    pub(super) fn unclosed(&mut self, close: &str, what: &str, open: Span) -> Failed {
        let lexeme = self.peek().clone();
        let at_end = matches!(lexeme.sym, Sym::Eof);
        let span =
            if at_end { self.log.last().map_or(lexeme.token.span, |t| after(t.span)) } else { lexeme.token.span };
        let diagnostic =
            Diagnostic::error(span, format!("expected {close} to close {what}"), format!("expected {close} here"))
                .label(open, "opened here");
        let diagnostic = match self.hint(lexeme.sym, &lexeme.token, close) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        };
        self.report(with_origin(diagnostic, &lexeme.token))
    }

    /// Closes a bracket opened at `open`.
    pub(super) fn close(&mut self, punct: Punct, what: &str, open: Span) -> Result<Token, Failed> {
        match self.eat(punct) {
            Some(token) => Ok(token),
            None => Err(self.unclosed(&format!("`{}`", punct.text()), what, open)),
        }
    }

    /// The next token stands where a fresh name should.
    pub(super) fn not_a_name(&mut self, what: &str) -> Failed {
        let lexeme = self.peek().clone();
        let text = lexeme.token.text.clone();
        let (taken, first) = match lexeme.sym {
            Sym::Keyword(_) => (format!("`{text}` is a keyword and cannot be {what}"), None),
            Sym::Symbol => (
                format!("`{text}` is a symbolic constant and cannot be {what}"),
                self.names.symbols.get(&text).copied(),
            ),
            Sym::TypeName => (format!("`{text}` is a type and cannot be {what}"), self.names.types.get(&text).copied()),
            Sym::ProcName => {
                (format!("`{text}` is a proctype and cannot be {what}"), self.names.processes.get(&text).copied())
            }
            Sym::InlineName => {
                (format!("`{text}` is an inline and cannot be {what}"), self.names.inlines.get(&text).map(|i| i.span))
            }
            _ => return self.unexpected(what),
        };
        let mut diagnostic = Diagnostic::error(lexeme.token.span, taken, format!("expected {what}"));
        if let Some(first) = first.filter(|s| *s != lexeme.token.span) {
            diagnostic = diagnostic.label(first, "declared here");
        }
        self.report(with_origin(diagnostic, &lexeme.token))
    }

    /// Embedded C: one clear message, and the C text is skipped.
    pub(super) fn embedded_c(&mut self) -> Failed {
        let lexeme = self.peek().clone();
        let what = format!("embedded C is not supported yet (`{}`)", lexeme.token.text);
        self.complained_at = None;
        self.report(Diagnostic::error(lexeme.token.span, what, "C begins here"));
        self.bump();
        if self.at(Punct::LeftBracket) {
            self.skip_balanced(Punct::LeftBracket, Punct::RightBracket);
        }
        if self.at(Punct::LeftBrace) {
            self.skip_balanced(Punct::LeftBrace, Punct::RightBrace);
        }
        while matches!(self.sym(), Sym::Str) {
            self.bump();
        }
        self.complained_at = Some(self.log.len());
        Failed
    }

    pub(super) fn skip_balanced(&mut self, open: Punct, close: Punct) {
        let mut depth = 0usize;
        loop {
            let sym = self.sym();
            if sym == Sym::Punct(open) {
                depth += 1;
            } else if sym == Sym::Punct(close) {
                depth -= 1;
            } else if sym == Sym::Eof {
                return;
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    fn hint(&mut self, sym: Sym, token: &Token, expected: &str) -> Option<String> {
        match sym {
            Sym::Name => {
                let near = nearest(&token.text, Keyword::ALL)?;
                Some(format!("did you mean `{near}`?"))
            }
            Sym::Punct(Punct::Equal) if expected.contains("expression") || expected.contains('`') => {
                Some("`=` assigns; to compare, write `==`".into())
            }
            Sym::Unknown if &*token.text == "\"" => Some("this string has no closing quote".into()),
            Sym::Unknown if &*token.text == "'" => Some("this character constant has no closing quote".into()),
            Sym::Punct(_) if self.log.last().is_some_and(|t| &*t.text == "\n") && expected == "a statement" => Some(
                "the statement ended with the line before; put the operator at the end of that line, or add parentheses"
                    .into(),
            ),
            _ => None,
        }
    }

    /// Skips to where a statement may end or begin, over whole nested blocks.
    pub(super) fn recover_in_sequence(&mut self, parens: usize) {
        self.parens = parens;
        self.in_for = false;
        let mut depth = 0usize;
        loop {
            use Keyword as K;
            match self.sym() {
                Sym::Eof => return,
                Sym::Punct(Punct::LeftBrace) | Sym::Keyword(K::If | K::Do) => depth += 1,
                Sym::Punct(Punct::RightBrace) | Sym::Keyword(K::Fi | K::Od) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                Sym::Punct(Punct::Semicolon | Punct::Arrow | Punct::Separator) if depth == 0 => return,
                Sym::Keyword(K::Proctype | K::DProctype | K::Active | K::Inline | K::Never | K::Typedef | K::Init) => {
                    return;
                }
                _ => {}
            }
            self.bump();
            self.parens = parens;
        }
    }

    /// Skips to where a unit of the program may begin.
    pub(super) fn recover_in_program(&mut self) {
        (self.parens, self.in_sequence, self.in_for, self.in_formula) = (0, false, false, false);
        let mut depth = 0usize;
        loop {
            use Keyword as K;
            match self.sym() {
                Sym::Eof => return,
                Sym::Keyword(
                    K::Proctype
                    | K::DProctype
                    | K::Active
                    | K::Inline
                    | K::Never
                    | K::Typedef
                    | K::Init
                    | K::Trace
                    | K::Notrace,
                ) => return,
                Sym::Keyword(
                    K::Mtype | K::Bit | K::Bool | K::Byte | K::Short | K::Int | K::Unsigned | K::Chan | K::Pid | K::Ltl,
                ) if depth == 0 => return,
                Sym::Punct(Punct::LeftBrace) => depth += 1,
                Sym::Punct(Punct::RightBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }
}

/// Shows the place inside the macro or the inline, too.
pub(super) fn with_origin(diagnostic: Diagnostic, token: &Token) -> Diagnostic {
    if token.origin == token.span { diagnostic } else { diagnostic.label(token.origin, EXPANDED) }
}

pub(super) fn describe(sym: Sym, token: &Token) -> String {
    match sym {
        Sym::Eof => "the end of the text".into(),
        Sym::Punct(Punct::Semicolon) if &*token.text == "\n" => "the end of the line".into(),
        Sym::Keyword(_) => format!("keyword `{}`", token.text),
        Sym::Str => "a string".into(),
        Sym::Unknown if token.kind == TokenKind::Unknown => format!("`{}`", token.text.escape_debug()),
        _ => format!("`{}`", token.text),
    }
}
