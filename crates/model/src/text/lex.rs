//! From characters to tokens.

use super::ReadError;
use super::words::{begins_word, continues_word};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A keyword or a name, possibly with dots between its parts.
    Word(String),
    /// A name in backquotes.
    Name(String),
    /// A text between quotation marks.
    Text(String),
    Number(i64),
    Mark(&'static str),
    End,
}

impl Token {
    /// The token as an error message names it.
    pub fn shown(&self) -> String {
        match self {
            Token::Word(word) | Token::Name(word) => format!("`{word}`"),
            Token::Text(_) => "a text".to_string(),
            Token::Number(number) => number.to_string(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end".to_string(),
        }
    }
}

/// A token and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub line: usize,
    pub column: usize,
}

/// Longer marks come before those that begin them.
const MARKS: [&str; 37] = [
    "->", "..", "::", "??", "&&", "||", "<<", ">>", "==", "!=", "<=", ">=", "(", ")", "[", "]", "{", "}", ",", ";",
    ":", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "?", "@", "#",
];

/// All tokens of a text, the last of which is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, ReadError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut lexemes = Vec::new();
    loop {
        lexer.skip_blanks();
        let (line, column) = (lexer.line, lexer.column);
        let token = lexer.token().map_err(|message| ReadError { line, column, message })?;
        let ended = token == Token::End;
        lexemes.push(Lexeme { token, line, column });
        if ended {
            return Ok(lexemes);
        }
    }
}

struct Lexer<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }

    /// The longest prefix of such characters.
    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.rest.chars().next().filter(|c| fits(*c)) {
            taken.push(c);
            self.next();
        }
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        match self.rest.chars().next() {
            None => Ok(Token::End),
            Some('"') => Ok(Token::Text(self.quoted('"')?)),
            Some('`') => Ok(Token::Name(self.quoted('`')?)),
            Some(c) if begins_word(c) => Ok(Token::Word(self.word())),
            Some(c) if c.is_ascii_digit() => {
                let digits = self.take_while(|c| c.is_ascii_digit());
                digits.parse().map(Token::Number).map_err(|_| format!("{digits} is too large"))
            }
            Some(c) => {
                let mark = MARKS.iter().find(|mark| self.rest.starts_with(**mark));
                let mark = mark.ok_or_else(|| format!("unexpected character {c:?}"))?;
                mark.chars().for_each(|_| {
                    self.next();
                });
                Ok(Token::Mark(mark))
            }
        }
    }

    /// A dot is part of a word if a letter follows.
    fn word(&mut self) -> String {
        let mut word = self.take_while(continues_word);
        while self.rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(begins_word)) {
            self.next();
            word.push('.');
            word += &self.take_while(continues_word);
        }
        word
    }

    fn quoted(&mut self, quote: char) -> Result<String, String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(format!("no closing {quote}")),
                Some(c) if c == quote => return Ok(text),
                Some('\\') => text.push(self.escaped()?),
                Some(c) => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        match self.next() {
            Some('n') => Ok('\n'),
            Some('u') => self.code_point().ok_or_else(|| "no character after \\u".to_string()),
            Some(c) if c.is_ascii_punctuation() => Ok(c),
            _ => Err("unknown character after \\".to_string()),
        }
    }

    /// A character as its number: `{7f}`.
    fn code_point(&mut self) -> Option<char> {
        self.next().filter(|c| *c == '{')?;
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        self.next().filter(|c| *c == '}')?;
        char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
    }
}
