//! Characters to tokens.

use std::collections::HashMap;
use std::rc::Rc;

use super::token::{KEYWORDS, SYMBOLS, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::source::Span;

/// Text to be read, and where each part of it was typed.
pub(crate) trait Typed {
    fn text(&self) -> &str;
    /// The place of the bytes `start..end`.
    fn span(&self, start: usize, end: usize) -> Span;
}

/// All tokens, and one that marks the end.
pub(crate) fn lex(typed: &dyn Typed, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let bytes = typed.text().as_bytes();
    let mut lexer = Lexer { typed, bytes, at: 0, known: HashMap::new() };
    if typed.text().starts_with('\u{feff}') {
        lexer.at = 3;
    }
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank(diagnostics);
        let token = lexer.token();
        let ends = token.kind == TokenKind::Eof;
        if tokens.len() >= limits::MAX_TOKENS {
            let what = format!("there are more than {} words and symbols", limits::MAX_TOKENS);
            diagnostics.push(Diagnostic::error(token.span, what, "reading stops here"));
            tokens.push(Token { kind: TokenKind::Eof, ..token });
            return tokens;
        }
        tokens.push(token);
        if ends {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    typed: &'a dyn Typed,
    bytes: &'a [u8],
    at: usize,
    /// Texts seen before, so that a name is kept once.
    known: HashMap<&'a str, Rc<str>>,
}

impl<'a> Lexer<'a> {
    fn skip_blank(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        while let Some(b) = self.bytes.get(self.at) {
            let rest = &self.bytes[self.at..];
            if b.is_ascii_whitespace() || matches!(b, 0 | 0x0b) {
                self.at += 1;
            } else if rest.starts_with(b"//") {
                self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                let end = rest[2..].windows(2).position(|w| w == b"*/");
                if end.is_none() {
                    let span = self.typed.span(self.at, self.at + 2);
                    let wrong = Diagnostic::error(span, "this comment is never closed", "opened here");
                    diagnostics.push(wrong.help("close it with `*/`"));
                }
                self.at += end.map_or(rest.len(), |e| e + 4);
            } else {
                return;
            }
        }
    }

    fn token(&mut self) -> Token {
        let rest = &self.bytes[self.at..];
        let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let (kind, length) = match rest.first() {
            None => (TokenKind::Eof, 0),
            Some(b'0'..=b'9') => (TokenKind::Number, rest.iter().take_while(|b| b.is_ascii_digit()).count()),
            Some(b) if word(b) => (TokenKind::Ident, rest.iter().take_while(|b| word(b)).count()),
            Some(_) => match SYMBOLS.iter().find(|s| rest.starts_with(s.as_bytes())) {
                Some(symbol) => (TokenKind::Symbol, symbol.len()),
                None => (TokenKind::Unknown, 1 + rest[1..].iter().take_while(|b| **b & 0xc0 == 0x80).count()),
            },
        };
        let (start, end) = (self.at, self.at + length);
        self.at = end;
        let text = self.typed.text().get(start..end).unwrap_or_default();
        let kind = if kind == TokenKind::Ident && KEYWORDS.contains(&text) { TokenKind::Keyword } else { kind };
        let text = self.known.entry(text).or_insert_with(|| text.into()).clone();
        Token { kind, text, span: self.typed.span(start, end) }
    }
}

/// A file, or the text of an expression, as it is.
pub(crate) struct Plain<'a> {
    pub text: &'a str,
    pub file: crate::source::FileId,
}

impl Typed for Plain<'_> {
    fn text(&self) -> &str {
        self.text
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn texts(text: &str) -> (String, usize) {
        let mut diagnostics = Vec::new();
        let tokens = lex(&Plain { text, file: FileId(0) }, &mut diagnostics);
        let texts: Vec<_> = tokens.iter().map(|t| t.text.to_string()).collect();
        (texts.join(" ").trim_end().to_string(), diagnostics.len())
    }

    #[test]
    fn tokens_of_a_transition() {
        assert_eq!(texts("q->r{guard a[x]>=1;}//x").0, "q -> r { guard a [ x ] >= 1 ; }");
        assert_eq!(texts("x--1/* */!é"), ("x - - 1 ! é".to_string(), 0));
        assert_eq!(texts("a /* b"), ("a".to_string(), 1));
    }
}
