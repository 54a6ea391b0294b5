//! The lexer of formulas. The role of a token depends on its neighbours: see [`super::roles`].

use crate::atoms::Span;
use crate::limits;
use crate::problem::Problem;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Word,
    Number,
    /// `"…"` or `{…}`: a quoted expression.
    Quoted,
    /// `'c'`.
    Character,
    Sign,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// The kind.
    pub kind: Kind,
    /// The text.
    pub text: &'a str,
    /// The place.
    pub span: Span,
}

/// Signs of more than one character, longest first.
const SIGNS: &[&str] = &[
    "<->", "<=>", "[]", "<>", "->", "=>", "&&", "||", "/\\", "\\/", "==", "!=", "<=", ">=", "<<", ">>", "??", "++",
    "--",
];

/// The tokens of a part of a text.
pub fn tokens(text: &str, part: Span) -> Result<Vec<Token<'_>>, Problem> {
    let text = &text[..part.end];
    if text.len() > limits::MAX_BYTES {
        return Err(Problem::new(Span::default(), format!("this is longer than {} bytes", limits::MAX_BYTES)));
    }
    let mut out = Vec::new();
    let mut at = part.start;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if let Some(length) = comment(&text[at..]) {
            at += length;
            continue;
        }
        let (kind, length) = token(text, at, c)?;
        let span = Span::new(at, at + length);
        if out.len() >= limits::MAX_TOKENS {
            return Err(Problem::new(span, format!("this formula has more than {} words", limits::MAX_TOKENS)));
        }
        out.push(Token { kind, text: &text[at..at + length], span });
        at += length;
    }
    Ok(split_operators(out))
}

/// Splits operators from adjacent operands, as DiVinE allows: `GF p`, `!pU(qU(r))`. A word is split only where it
/// can't be a name, since an operand follows it.
fn split_operators(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(tokens.len());
    for (i, token) in tokens.iter().enumerate() {
        let followed = tokens.get(i + 1).is_some_and(starts_operand);
        let mut at = token.span.start;
        let pieces = if followed && token.kind == Kind::Word { pieces(token.text) } else { Vec::new() };
        for piece in &pieces {
            out.push(Token { kind: Kind::Word, text: piece, span: Span::new(at, at + piece.len()) });
            at += piece.len();
        }
        if pieces.is_empty() {
            out.push(*token);
        }
    }
    out
}

/// The operators and the name in a word; empty if the word has another form.
fn pieces(word: &str) -> Vec<&str> {
    if word.len() > 1 && word.bytes().all(|b| matches!(b, b'G' | b'F' | b'X')) {
        return (0..word.len()).map(|i| &word[i..=i]).collect();
    }
    let Some((at, _)) = word.char_indices().next_back() else { return Vec::new() };
    let (name, operator) = word.split_at(at);
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.bytes().all(plain);
    if is_name && matches!(operator, "U" | "V" | "W" | "R") { vec![name, operator] } else { Vec::new() }
}

/// Whether an operand can start with this token.
pub fn starts_operand(token: &Token<'_>) -> bool {
    token.kind != Kind::Sign || matches!(token.text, "(" | "!" | "~" | "[]" | "<>")
}

fn comment(rest: &str) -> Option<usize> {
    if let Some(inner) = rest.strip_prefix("/*") {
        return Some(inner.find("*/").map_or(rest.len(), |i| i + 4));
    }
    rest.starts_with("//").then(|| rest.find('\n').unwrap_or(rest.len()))
}

fn token(text: &str, at: usize, first: char) -> Result<(Kind, usize), Problem> {
    let rest = &text[at..];
    let wordy = |c: char| c.is_alphanumeric() || c == '_';
    let run = |rest: &str| rest.find(|c| !wordy(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        return Ok((Kind::Number, run(rest)));
    }
    if wordy(first) {
        return Ok((Kind::Word, run(rest)));
    }
    match first {
        '"' => quoted(rest, at, '"', Kind::Quoted),
        '\'' => quoted(rest, at, '\'', Kind::Character),
        '{' => match closing_brace(rest) {
            Some(length) => Ok((Kind::Quoted, length)),
            None => Err(Problem::new(Span::new(at, at + 1), "this `{` is never closed")),
        },
        _ => {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
            Ok((Kind::Sign, sign.map_or(first.len_utf8(), |s| s.len())))
        }
    }
}

fn quoted(rest: &str, at: usize, mark: char, kind: Kind) -> Result<(Kind, usize), Problem> {
    match rest[1..].find(mark) {
        Some(i) => Ok((kind, i + 2)),
        None => Err(Problem::new(Span::new(at, at + 1), format!("this `{mark}` is never closed"))),
    }
}

fn closing_brace(rest: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(i + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
