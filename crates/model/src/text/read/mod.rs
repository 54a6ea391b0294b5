//! From the text form to a model: tokens and names.

mod declarations;
mod expr;
mod process;

use super::ReadError;
use super::lex::{Lexeme, Token, lex};
use super::print::NO_SPAN;
use super::scope::{Scope, Table};
use super::words::is_keyword;
use crate::ir::{EnumId, FileId, LocId, Model, ProcessId, Span};

/// Errors are boxed, so that results are small.
type Read<T> = Result<T, Box<ReadError>>;

pub(super) fn read(text: &str) -> Result<Model, ReadError> {
    let mut reader = Reader {
        tokens: lex(text)?,
        at: 0,
        scope: Scope::default(),
        bodies: Vec::new(),
        types: Vec::new(),
        body: None,
        read: 0,
        depth: 0,
    };
    reader.declare();
    reader.model().map_err(|error| *error)
}

struct Reader {
    tokens: Vec<Lexeme>,
    at: usize,
    scope: Scope,
    /// The variables of each process type and automaton, in the order of the text.
    bodies: Vec<Table>,
    /// The number in `bodies` of each process type.
    types: Vec<usize>,
    /// The number in `bodies` of the process type or automaton that is being read.
    body: Option<usize>,
    /// How many process types and automata have been read.
    read: usize,
    /// How many expressions enclose the current one.
    depth: usize,
}

/// A mention of a declaration: its name, its number, and which token it begins with.
struct Reference {
    name: Option<String>,
    number: Option<u32>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    /// The token after the next one.
    fn second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        let Lexeme { line, column, .. } = self.tokens[self.at];
        Err(Box::new(ReadError { line, column, message: message.into() }))
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        self.error(format!("expected {what}, found {}", self.peek().shown()))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(m) if *m == mark)
    }

    /// Whether this word is next; if so, it is taken.
    fn takes_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn takes(&mut self, mark: &str) -> bool {
        let is = self.is_mark(mark);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, mark: &str) -> Read<()> {
        if self.takes(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.takes_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn name(&mut self) -> Read<String> {
        match declared(self.peek()) {
            Some(name) => {
                let name = name.to_string();
                self.advance();
                Ok(name)
            }
            None => self.expected("a name"),
        }
    }

    fn string(&mut self) -> Read<String> {
        match self.peek() {
            Token::Text(text) => {
                let text = text.clone();
                self.advance();
                Ok(text)
            }
            _ => self.expected("a text"),
        }
    }

    fn number<N: TryFrom<i64>>(&mut self) -> Read<N> {
        let (sign, at) = if self.is_mark("-") { (-1, self.at + 1) } else { (1, self.at) };
        let Token::Number(value) = self.tokens[at.min(self.tokens.len() - 1)].token else {
            return self.expected("a number");
        };
        match N::try_from(sign * value) {
            Ok(number) => {
                self.at = at + 1;
                Ok(number)
            }
            Err(_) => self.error(format!("{} is out of range", sign * value)),
        }
    }

    /// The number in a word like `L3`.
    fn tagged(&mut self, tag: char) -> Read<u32> {
        match tag_of(self.peek(), tag) {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => self.expected(&format!("`{tag}` with a number")),
        }
    }

    fn location(&mut self) -> Read<LocId> {
        self.tagged('L').map(LocId)
    }

    /// Items with commas between them, up to a closing mark, which is taken.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Reader) -> Read<T>) -> Read<Vec<T>> {
        let mut items = Vec::new();
        while !self.takes(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn span(&mut self) -> Read<Span> {
        Ok(self.some_span()?.unwrap_or(NO_SPAN))
    }

    /// `@start..end` or `@file:start..end`, if it is there.
    fn some_span(&mut self) -> Read<Option<Span>> {
        if !self.takes("@") {
            return Ok(None);
        }
        let first = self.number()?;
        let (file, start) = if self.takes(":") { (first, self.number()?) } else { (0, first) };
        self.expect("..")?;
        Ok(Some(Span { file: FileId(file), start, end: self.number()? }))
    }

    /// `x`, `x#3` or `#3`.
    fn reference(&mut self) -> Read<Reference> {
        let at = self.at;
        let name = if self.is_mark("#") { None } else { Some(self.name()?) };
        let number = if self.takes("#") { Some(self.number()?) } else { None };
        Ok(Reference { name, number, at })
    }

    /// The number of the declaration that is meant.
    fn resolve(&self, Reference { name, number, at }: &Reference, what: &str, table: Option<&Table>) -> Read<u32> {
        let found = match name {
            None => *number,
            Some(name) => table.and_then(|table| table.find(name, *number)),
        };
        let message = || format!("no {what} {}", self.tokens[*at].token.shown());
        let Lexeme { line, column, .. } = self.tokens[*at];
        found.ok_or_else(|| Box::new(ReadError { line, column, message: message() }))
    }

    fn process_id(&mut self) -> Read<ProcessId> {
        let reference = self.reference()?;
        self.resolve(&reference, "process", Some(&self.scope.processes)).map(ProcessId)
    }

    fn enum_id(&mut self) -> Read<EnumId> {
        self.expect("(")?;
        let reference = self.reference()?;
        let id = self.resolve(&reference, "enumeration", Some(&self.scope.enums)).map(EnumId)?;
        self.expect(")")?;
        Ok(id)
    }
}

/// The name that a token is, if it is one.
fn declared(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) if !is_keyword(word) => Some(word),
        Token::Name(name) => Some(name),
        _ => None,
    }
}

/// The number in a word like `L3`.
fn tag_of(token: &Token, tag: char) -> Option<u32> {
    let Token::Word(word) = token else { return None };
    word.strip_prefix(tag).filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))?.parse().ok()
}
