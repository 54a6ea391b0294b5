//! The scanner for never claims.

use crate::atoms::Span;
use crate::problem::Problem;

/// A position in the text of a claim.
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at the first token.
    pub fn new(text: &'a str) -> Scanner<'a> {
        let mut scanner = Scanner { text, at: 0 };
        scanner.skip_blanks();
        scanner
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            self.at += blanks;
            match blank_length(self.rest()) {
                Some(length) => self.at += length,
                None if blanks == 0 => return,
                None => {}
            }
        }
    }

    /// Whether only blanks and comments remain.
    pub fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// The place of the next word or sign.
    pub fn here(&self) -> Span {
        let rest = self.rest();
        let length = match word_length(rest) {
            0 => rest.chars().next().map_or(0, char::len_utf8),
            length => length,
        };
        if rest.is_empty() {
            let end = self.text.trim_end().len();
            return Span::new(end, end);
        }
        Span::new(self.at, self.at + length)
    }

    /// An error at the next token: `what` was expected.
    pub fn expected(&self, what: &str) -> Problem {
        let span = self.here();
        let found = &self.text[span.start..span.end];
        if found.is_empty() {
            return Problem::new(span, format!("expected {what}, but the text ends"));
        }
        Problem::new(span, format!("expected {what}, found `{found}`"))
    }

    /// Consumes a sign if it comes next.
    pub fn take(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
            self.skip_blanks();
        }
        found
    }

    /// Whether a keyword comes next.
    pub fn at_word(&self, word: &str) -> bool {
        &self.rest()[..word_length(self.rest())] == word
    }

    /// Consumes a keyword if it comes next.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.at += word.len();
            self.skip_blanks();
        }
        found
    }

    /// Consumes a word.
    pub fn any_word(&mut self) -> Option<(String, Span)> {
        let span = self.here();
        let length = word_length(self.rest());
        if length == 0 {
            return None;
        }
        let word = self.rest()[..length].to_string();
        self.at += length;
        self.skip_blanks();
        Some((word, span))
    }

    /// Consumes a name followed by a colon.
    pub fn label(&mut self) -> Option<(String, Span)> {
        let start = self.at;
        let word = self.any_word()?;
        if self.rest().starts_with(':') && !self.rest().starts_with("::") {
            self.at += 1;
            self.skip_blanks();
            return Some(word);
        }
        self.at = start;
        None
    }

    /// Whether the next token closes a sequence of statements.
    pub fn closes(&self) -> bool {
        self.at_end() || self.rest().starts_with(['}', ')']) || self.rest().starts_with("::") || self.at_block_end()
    }

    fn at_block_end(&self) -> bool {
        self.at_word("od") || self.at_word("fi")
    }

    /// Consumes the text of a condition.
    pub fn expression(&mut self) -> Result<Span, Problem> {
        let start = self.at;
        let mut end = start;
        let mut open: Vec<usize> = Vec::new();
        while let Some(c) = self.rest().chars().next() {
            let rest = self.rest();
            let ends = matches!(c, ';' | '}' | '{') || rest.starts_with("->") || rest.starts_with("::");
            if open.is_empty() && (ends || self.at_block_end()) {
                break;
            }
            match c {
                '(' | '[' => open.push(self.at),
                ')' | ']' if open.pop().is_none() => return Err(self.expected("a statement")),
                _ => {}
            }
            self.at += match c {
                '"' | '\'' => rest[1..].find(c).map_or(1, |i| i + 2),
                _ => word_length(rest).max(c.len_utf8()),
            };
            end = self.at;
            self.skip_blanks();
        }
        if let Some(bracket) = open.first() {
            return Err(Problem::new(Span::new(*bracket, bracket + 1), "this bracket is never closed"));
        }
        if start == end { Err(self.expected("a statement")) } else { Ok(Span::new(start, end)) }
    }
}

fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
}

/// The length of a comment or of white space.
fn blank_length(rest: &str) -> Option<usize> {
    if let Some(inner) = rest.strip_prefix("/*") {
        return Some(inner.find("*/").map_or(rest.len(), |i| i + 4));
    }
    rest.starts_with("//").then(|| rest.find('\n').unwrap_or(rest.len()))
}
