//! The tokens of HOA.

use crate::atoms::Span;
use crate::limits;
use crate::problem::Problem;

/// The kind of a token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `States:`, without the colon.
    Header(String),
    Word(String),
    Number(usize),
    Text(String),
    /// `@name`.
    Alias(String),
    Sign(char),
    Body,
    End,
    Abort,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub struct Token {
    /// The kind, with the text or value.
    pub kind: Kind,
    /// The place.
    pub span: Span,
}

impl Token {
    /// The name of the token in messages.
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Header(name) => format!("`{name}:`"),
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(n) => format!("`{n}`"),
            Kind::Text(_) => "a string".to_string(),
            Kind::Alias(name) => format!("`@{name}`"),
            Kind::Sign(c) => format!("`{c}`"),
            Kind::Body => "`--BODY--`".to_string(),
            Kind::End => "`--END--`".to_string(),
            Kind::Abort => "`--ABORT--`".to_string(),
        }
    }
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    if text.len() > limits::MAX_BYTES {
        return Err(Problem::new(Span::default(), format!("this is longer than {} bytes", limits::MAX_BYTES)));
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if text[at..].starts_with("/*") {
            at = comment_end(text, at)?;
            continue;
        }
        let (kind, end) = token(text, at, c)?;
        out.push(Token { kind, span: Span::new(at, end) });
        at = end;
    }
    Ok(out)
}

/// The end of a comment. Comments nest.
fn comment_end(text: &str, start: usize) -> Result<usize, Problem> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = start;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" if depth == 1 => return Ok(at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    Err(Problem::new(Span::new(start, start + 2), "this comment is never closed"))
}

fn token(text: &str, at: usize, first: char) -> Result<(Kind, usize), Problem> {
    let rest = &text[at..];
    for (word, kind) in [("--BODY--", Kind::Body), ("--END--", Kind::End), ("--ABORT--", Kind::Abort)] {
        if rest.starts_with(word) {
            return Ok((kind, at + word.len()));
        }
    }
    let wordy = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let run = |rest: &str| rest.find(|c| !wordy(c)).unwrap_or(rest.len());
    match first {
        '"' => string(text, at),
        '@' => {
            let length = run(&rest[1..]) + 1;
            Ok((Kind::Alias(rest[1..length].to_string()), at + length))
        }
        '0'..='9' => {
            let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..length].parse();
            let number = number.map_err(|_| Problem::new(Span::new(at, at + length), "this number is too large"))?;
            Ok((Kind::Number(number), at + length))
        }
        c if c.is_ascii_alphabetic() || c == '_' => {
            let length = run(rest);
            let word = rest[..length].to_string();
            if rest[length..].starts_with(':') {
                return Ok((Kind::Header(word), at + length + 1));
            }
            Ok((Kind::Word(word), at + length))
        }
        '[' | ']' | '(' | ')' | '{' | '}' | '!' | '&' | '|' => Ok((Kind::Sign(first), at + 1)),
        _ => Err(Problem::new(Span::new(at, at + first.len_utf8()), format!("`{first}` has no meaning here"))),
    }
}

fn string(text: &str, start: usize) -> Result<(Kind, usize), Problem> {
    let mut out = String::new();
    let mut escaped = false;
    for (i, c) in text[start + 1..].char_indices() {
        match c {
            _ if escaped => {
                out.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Ok((Kind::Text(out), start + 1 + i + 1)),
            _ => out.push(c),
        }
    }
    Err(Problem::new(Span::new(start, start + 1), "this string is never closed"))
}
