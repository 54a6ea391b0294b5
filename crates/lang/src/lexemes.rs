//! Lexemes: the words, symbols and comments of one text as it is typed, before macros are expanded. The list is the same for every
//! language; formatting and highlighting use it.

/// The kind of a lexeme.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LexemeKind {
    /// A name.
    Name,
    /// A word of the language.
    Keyword,
    /// A number.
    Number,
    /// A string or a character, with its quotes.
    Text,
    /// An operator or a bracket.
    Symbol,
    /// A comment.
    Comment,
    /// Characters that mean nothing.
    Unknown,
}

/// A word, a symbol or a comment: the bytes `start..end` of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// The kind.
    pub kind: LexemeKind,
    /// The first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

impl Lexeme {
    /// The characters of the lexeme.
    pub fn text<'t>(&self, whole: &'t str) -> &'t str {
        whole.get(self.start..self.end).unwrap_or_default()
    }
}

/// How a language writes comments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comments {
    /// The beginning of a comment that ends with its line.
    pub line: Option<&'static str>,
    /// The beginning and the end of a comment.
    pub block: (&'static str, &'static str),
    /// Whether comments of the second kind contain others.
    pub nested: bool,
}

impl Comments {
    /// Comments as in C.
    pub const C: Comments = Comments { line: Some("//"), block: ("/*", "*/"), nested: false };

    /// Adds the comments between the given words and symbols. What is neither a comment nor white space is unknown.
    pub fn insert(self, text: &str, tokens: Vec<Lexeme>) -> Vec<Lexeme> {
        let mut out = Vec::with_capacity(tokens.len());
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        for token in tokens {
            self.between(text, (at, token.start), &mut out);
            at = token.end.max(at);
            out.push(token);
        }
        self.between(text, (at, text.len()), &mut out);
        out
    }

    fn between(self, text: &str, (mut at, end): (usize, usize), out: &mut Vec<Lexeme>) {
        while at < end {
            let rest = &text[at..end];
            let blank = rest.len() - rest.trim_start_matches(is_blank).len();
            let (kind, length) = if blank > 0 {
                (None, blank)
            } else if self.line.is_some_and(|line| rest.starts_with(line)) {
                (Some(LexemeKind::Comment), line_length(rest))
            } else if rest.starts_with(self.block.0) {
                (Some(LexemeKind::Comment), self.block_length(rest))
            } else {
                (Some(LexemeKind::Unknown), rest.find(is_blank).unwrap_or(rest.len()))
            };
            out.extend(kind.map(|kind| Lexeme { kind, start: at, end: at + length }));
            at += length;
        }
    }

    fn block_length(self, rest: &str) -> usize {
        let (open, close) = self.block;
        let (mut at, mut depth) = (open.len(), 1);
        while depth > 0 {
            let inside = &rest[at..];
            let opened = inside.find(open).filter(|_| self.nested);
            match (inside.find(close), opened) {
                (Some(end), Some(inner)) if inner < end => (at, depth) = (at + inner + open.len(), depth + 1),
                (Some(end), _) => (at, depth) = (at + end + close.len(), depth - 1),
                (None, _) => return rest.len(),
            }
        }
        at
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// The length of a comment that ends with its line. A backslash at the end of the line continues it.
fn line_length(rest: &str) -> usize {
    let mut at = 0;
    loop {
        let Some(end) = rest[at..].find('\n') else { return rest.trim_end_matches('\r').len() };
        let line = rest[..at + end].trim_end_matches('\r');
        if !line.ends_with('\\') {
            return line.len();
        }
        at += end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn kinds(language: Language, text: &str) -> String {
        let show = |l: &Lexeme| format!("{:?}:{}", l.kind, l.text(text).escape_debug());
        language.lexemes(text).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_symbols_and_comments() {
        let promela = "byte x=1;// a\n/* b */'c' \"d\"";
        let expected =
            r#"Keyword:byte Name:x Symbol:= Number:1 Symbol:; Comment:// a Comment:/* b */ Text:'c' Text:\"d\""#;
        assert_eq!(kinds(Language::PROMELA, promela), expected.replace("'c'", "\\'c\\'"));
        assert_eq!(kinds(Language::DVE, "state q//\n;"), "Keyword:state Name:q Comment:// Symbol:;");
        assert_eq!(kinds(Language::ESML, "VAR (* a (* b *) *) x"), "Keyword:VAR Comment:(* a (* b *) *) Name:x");
    }

    #[test]
    fn unfinished_comments_and_odd_characters() {
        assert_eq!(kinds(Language::PROMELA, "a */ /* b"), "Name:a Unknown:*/ Comment:/* b");
        assert_eq!(kinds(Language::DVE, "é"), "Unknown:é");
        assert_eq!(kinds(Language::PROMELA, "// a\\\nb\nc"), "Comment:// a\\\\\\nb Name:c");
    }
}
