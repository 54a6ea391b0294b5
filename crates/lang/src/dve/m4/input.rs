//! Reading text that expansions are pushed in front of.

use super::{Char, Done, Expander, Text};
use crate::diagnostic::Diagnostic;

/// The remaining input, as a stack of blocks.
#[derive(Debug, Default)]
pub(super) struct Input {
    blocks: Vec<(Text, usize)>,
    /// Characters read and pushed so far.
    pub work: usize,
    /// The last character that was read from a file itself.
    pub outermost: Option<Char>,
    pub quotes: Quotes,
}

#[derive(Clone, Debug)]
pub(super) struct Quotes {
    pub open: Vec<u8>,
    pub close: Vec<u8>,
    /// The start of a comment, which ends with the line.
    pub comment: Vec<u8>,
}

impl Default for Quotes {
    fn default() -> Quotes {
        Quotes { open: b"`".to_vec(), close: b"'".to_vec(), comment: b"#".to_vec() }
    }
}

#[derive(Debug)]
pub(super) enum Token {
    /// Quoted text without its quotes, or a comment: nothing in it is expanded.
    Literal(Text),
    Word(Text),
    Other(Char),
}

impl Input {
    pub(super) fn push(&mut self, text: Text) {
        while self.blocks.last().is_some_and(|(block, at)| *at >= block.len()) {
            self.blocks.pop();
        }
        if !text.is_empty() {
            self.blocks.push((text, 0));
        }
    }

    pub(super) fn peek(&self) -> Option<Char> {
        self.blocks.iter().rev().find_map(|(block, at)| block.get(*at)).copied()
    }

    pub(super) fn next(&mut self) -> Option<Char> {
        loop {
            let bottom = self.blocks.len() == 1;
            let (block, at) = self.blocks.last_mut()?;
            if let Some(&c) = block.get(*at) {
                *at += 1;
                self.work += 1;
                if bottom {
                    self.outermost = Some(c);
                }
                return Some(c);
            }
            self.blocks.pop();
        }
    }

    /// Steps over these characters if they are next.
    fn eat(&mut self, what: &[u8]) -> bool {
        if what.is_empty() || self.peek().map(|c| c.byte) != Some(what[0]) {
            return false;
        }
        let mut ahead = self.blocks.iter().rev().flat_map(|(block, at)| &block[*at..]).map(|c| c.byte);
        if !what.iter().all(|b| ahead.next() == Some(*b)) {
            return false;
        }
        for _ in what {
            self.next();
        }
        true
    }
}

impl Expander<'_> {
    pub(super) fn token(&mut self) -> Done<Option<Token>> {
        self.check_work()?;
        let Some(first) = self.input.peek() else { return Ok(None) };
        let Quotes { open, comment, .. } = self.input.quotes.clone();
        if self.input.eat(&comment) {
            let mut text: Text = comment.iter().map(|byte| Char { byte: *byte, ..first }).collect();
            while let Some(c) = self.input.next() {
                text.push(c);
                if c.byte == b'\n' {
                    break;
                }
            }
            return Ok(Some(Token::Literal(text)));
        }
        if self.input.eat(&open) {
            return self.quoted(first).map(|text| Some(Token::Literal(text)));
        }
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if !word(first.byte) || first.byte.is_ascii_digit() {
            // A number keeps the letters that stick to it.
            if first.byte.is_ascii_digit() {
                return Ok(Some(Token::Literal(self.run(word))));
            }
            return Ok(self.input.next().map(Token::Other));
        }
        Ok(Some(Token::Word(self.run(word))))
    }

    fn run(&mut self, keep: impl Fn(u8) -> bool) -> Text {
        let mut text = Vec::new();
        while let Some(c) = self.input.peek().filter(|c| keep(c.byte)) {
            text.push(c);
            self.input.next();
        }
        text
    }

    /// The rest of a quotation, whose inner quotes stay.
    fn quoted(&mut self, opened: Char) -> Done<Text> {
        let Quotes { open, close, .. } = self.input.quotes.clone();
        let mut text = Vec::new();
        let mut inside = 1;
        loop {
            let Some(here) = self.input.peek() else {
                let wrong = Diagnostic::error(opened.span(), "this quotation is never closed", "opened here");
                let close = String::from_utf8_lossy(&close).into_owned();
                return self.fail(wrong.help(format!("close it with {close}")));
            };
            if self.input.eat(&close) {
                inside -= 1;
                if inside == 0 {
                    return Ok(text);
                }
                text.extend(close.iter().map(|byte| Char { byte: *byte, ..here }));
            } else if self.input.eat(&open) {
                inside += 1;
                text.extend(open.iter().map(|byte| Char { byte: *byte, ..here }));
            } else {
                text.extend(self.input.next());
            }
        }
    }
}
