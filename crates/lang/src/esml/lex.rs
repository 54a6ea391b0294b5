//! Characters to tokens.

use super::token::{Keyword, Punct, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::source::{FileId, Span};

/// All tokens of a file, without an end marker.
pub fn lex(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { file, bytes: text.as_bytes(), at: 0 };
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    let mut tokens = Vec::new();
    while lexer.skip_blank(diagnostics) {
        let start = lexer.at;
        let kind = lexer.token();
        tokens.push(Token { kind, span: lexer.span(start) });
        if tokens.len() > limits::MAX_TOKENS {
            diagnostics.push(Diagnostic::error(lexer.span(start), "this text is too large", "reading stopped here"));
            break;
        }
    }
    tokens
}

struct Lexer<'a> {
    file: FileId,
    bytes: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    /// Steps over white space and comments. False at the end of the text.
    fn skip_blank(&mut self, diagnostics: &mut Vec<Diagnostic>) -> bool {
        while let Some(&b) = self.bytes.get(self.at) {
            if self.bytes[self.at..].starts_with(b"(*") {
                self.comment(diagnostics);
            } else if b.is_ascii_whitespace() || b == 0x0b {
                self.at += 1;
            } else {
                return true;
            }
        }
        false
    }

    /// A comment and those inside it.
    fn comment(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"(*") {
                (depth, self.at) = (depth + 1, self.at + 2);
            } else if rest.starts_with(b"*)") {
                (depth, self.at) = (depth - 1, self.at + 2);
                if depth == 0 {
                    return;
                }
            } else if rest.is_empty() {
                let span = Span { file: self.file, start: start as u32, end: start as u32 + 2 };
                let help = "close it with `*)`; comments nest, so each `(*` needs its own";
                diagnostics.push(Diagnostic::error(span, "this comment is never closed", "opened here").help(help));
                return;
            } else {
                self.at += 1;
            }
        }
    }

    fn token(&mut self) -> TokenKind {
        match self.bytes[self.at] {
            b'a'..=b'z' | b'A'..=b'Z' => {
                let word = self.take_while(|b| b.is_ascii_alphanumeric());
                Keyword::of(word).map_or(TokenKind::Name, TokenKind::Keyword)
            }
            b'0'..=b'9' => {
                self.take_while(|b| b.is_ascii_digit());
                TokenKind::Number
            }
            b'"' => self.string(),
            _ => self.punct(),
        }
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &str {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| keep(*b)) {
            self.at += 1;
        }
        std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("")
    }

    /// A string; without its closing quote on the same line, just the quote.
    fn string(&mut self) -> TokenKind {
        let inside = &self.bytes[self.at + 1..];
        let end = inside.iter().position(|b| matches!(b, b'"' | b'\n'));
        match end.filter(|e| inside[*e] == b'"') {
            Some(end) => {
                self.at += end + 2;
                TokenKind::Str
            }
            None => {
                self.at += 1;
                TokenKind::Unknown
            }
        }
    }

    fn punct(&mut self) -> TokenKind {
        let rest = &self.bytes[self.at..];
        if let Some(punct) = Punct::at(rest) {
            self.at += punct.text().len();
            return TokenKind::Punct(punct);
        }
        self.at += rest.iter().skip(1).take_while(|b| **b & 0xc0 == 0x80).count() + 1;
        TokenKind::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> String {
        let tokens = lex(FileId(0), text, &mut Vec::new());
        let texts: Vec<&str> = tokens.iter().map(|t| &text[t.span.start as usize..t.span.end as usize]).collect();
        texts.join("|")
    }

    #[test]
    fn tokens() {
        for (text, expected) in [
            ("0..max-1", "0|..|max|-|1"),
            ("a(* b (* c *) d *)e", "a|e"),
            ("p?up(k)->s[k]:=TRUE[]", "p|?|up|(|k|)|->|s|[|k|]|:=|TRUE|[]"),
            ("a=>b<=c", "a|=>|b|<=|c"),
            ("TRACE(\"x = \", é)", "TRACE|(|\"x = \"|,|é|)"),
            ("\"open\nx", "\"|open|x"),
        ] {
            assert_eq!(texts(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_open_comment_is_an_error() {
        let mut diagnostics = Vec::new();
        assert_eq!(lex(FileId(0), "a (* b (* c *)", &mut diagnostics).len(), 1);
        assert_eq!(diagnostics.len(), 1);
    }
}
