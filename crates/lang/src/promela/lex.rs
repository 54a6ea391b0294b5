//! Characters to tokens.
//!
//! By hand rather than with a lexer generator: backslash-newline may stand inside any token, comments count as space
//! but their line ends count as line ends, and text the preprocessor will skip must not be an error.

use std::rc::Rc;

use super::token::{Punct, Token, TokenKind};
use crate::diagnostic::{Diagnostic, warn};
use crate::source::{FileId, Span};

/// All tokens of a file, without an end marker.
pub fn lex(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { file, bytes: text.as_bytes(), at: 0, newline: true, space: true };
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank(diagnostics);
        lexer.splice();
        if lexer.at >= lexer.bytes.len() {
            return tokens;
        }
        let start = lexer.at;
        let (kind, text) = lexer.token();
        let span = Span { file, start: start as u32, end: lexer.at as u32 };
        let (newline, space) = (lexer.newline, lexer.space);
        (lexer.newline, lexer.space) = (false, false);
        tokens.push(Token {
            kind,
            text,
            span,
            origin: span,
            typed: span,
            within: None,
            argument: false,
            newline,
            space,
            painted: false,
        });
    }
}

struct Lexer<'a> {
    file: FileId,
    bytes: &'a [u8],
    at: usize,
    newline: bool,
    space: bool,
}

impl Lexer<'_> {
    /// Steps over backslash-newline.
    fn splice(&mut self) {
        while self.bytes[self.at..].starts_with(b"\\\n") || self.bytes[self.at..].starts_with(b"\\\r\n") {
            self.at += if self.bytes[self.at + 1] == b'\n' { 2 } else { 3 };
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.splice();
        self.bytes.get(self.at).copied()
    }

    fn skip_blank(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        while let Some(b) = self.peek() {
            match b {
                b'\n' => (self.newline, self.space) = (true, true),
                // SPIN ignores null characters.
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0 => self.space = true,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'*') => {
                    self.block_comment(diagnostics);
                    continue;
                }
                // SPIN drops the end of a comment that never began.
                b'*' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    let span = Span { file: self.file, start: self.at as u32, end: self.at as u32 + 2 };
                    let help = "comments do not nest: the first `*/` ends the comment";
                    warn(diagnostics, Diagnostic::warning(span, "this `*/` closes nothing", "ignored").help(help));
                    (self.space, self.at) = (true, self.at + 2);
                    continue;
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                    self.space = true;
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn block_comment(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let start = self.at;
        self.space = true;
        let inside = &self.bytes[start + 2..];
        let end = inside.windows(2).position(|w| w == b"*/");
        self.at = end.map_or(self.bytes.len(), |e| start + 2 + e + 2);
        self.newline |= self.bytes[start..self.at].contains(&b'\n');
        if end.is_none() {
            let span = Span { file: self.file, start: start as u32, end: start as u32 + 2 };
            diagnostics.push(
                Diagnostic::error(span, "this comment is never closed", "opened here").help("close it with `*/`"),
            );
        }
    }

    fn token(&mut self) -> (TokenKind, Rc<str>) {
        let first = self.bytes[self.at];
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                (TokenKind::Ident, self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_'))
            }
            b'0'..=b'9' => (TokenKind::Number, self.take_while(|b| b.is_ascii_digit())),
            b'"' => self.quoted(b'"', TokenKind::Str),
            b'\'' => self.quoted(b'\'', TokenKind::Char),
            _ => self.punct(),
        }
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> Rc<str> {
        let mut text = String::new();
        while let Some(b) = self.peek().filter(|b| keep(*b)) {
            text.push(b as char);
            self.at += 1;
        }
        text.into()
    }

    /// A string or character constant; without its closing quote, just the quote.
    fn quoted(&mut self, quote: u8, kind: TokenKind) -> (TokenKind, Rc<str>) {
        let start = self.at;
        let mut text = vec![quote];
        self.at += 1;
        while let Some(b) = self.peek().filter(|b| *b != b'\n') {
            self.at += 1;
            text.push(b);
            if b == quote {
                return (kind, String::from_utf8_lossy(&text).into());
            }
            if b == b'\\'
                && let Some(escaped) = self.peek().filter(|b| *b != b'\n')
            {
                self.at += 1;
                text.push(escaped);
            }
        }
        self.at = start + 1;
        (TokenKind::Unknown, if quote == b'"' { "\"".into() } else { "'".into() })
    }

    fn punct(&mut self) -> (TokenKind, Rc<str>) {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"-->") {
            self.at += 3;
            return (TokenKind::Punct(Punct::Arrow), "->".into());
        }
        if let Some(punct) = Punct::at(rest) {
            self.at += punct.text().len();
            return (TokenKind::Punct(punct), punct.text().into());
        }
        let length = rest.iter().skip(1).take_while(|b| **b & 0xc0 == 0x80).count() + 1;
        self.at += length;
        (TokenKind::Unknown, String::from_utf8_lossy(&rest[..length]).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> String {
        let mut diagnostics = Vec::new();
        let tokens = lex(FileId(0), text, &mut diagnostics);
        let mut out = String::new();
        for token in tokens {
            out.push_str(if token.newline {
                "⏎"
            } else if token.space {
                " "
            } else {
                "|"
            });
            out.push_str(&token.text);
        }
        out
    }

    #[test]
    fn tokens_with_spaces_and_lines() {
        for (text, expected) in [
            ("a b\nc", "⏎a b⏎c"),
            ("a-->b", "⏎a|->|b"),
            ("1..N", "⏎1|..|N"),
            ("a/*\n*/b//x\nc", "⏎a⏎b⏎c"),
            ("ab\\\ncd", "⏎abcd"),
            ("a \\\n + 1", "⏎a + 1"),
            ("q??<x>", "⏎q|??|<|x|>"),
            ("'\\n' \"a\\\"b\"", "⏎'\\n' \"a\\\"b\""),
            ("it's", "⏎it|'|s"),
            ("a\0é", "⏎a é"),
        ] {
            assert_eq!(texts(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_open_comment_is_an_error() {
        let mut diagnostics = Vec::new();
        assert_eq!(lex(FileId(0), "a /* b", &mut diagnostics).len(), 1);
        assert_eq!(diagnostics.len(), 1);
    }
}
