//! Formatting: the white space of a text in one style, for each language.
//!
//! Lines stay as they are broken: in Promela the end of a line can end a statement. The indentation of each line and the white
//! space inside it follow from the words and their nesting. Words and comments keep their characters and their order, which is
//! verified for each result: if the words would change, a text is returned as it is.

pub(crate) mod dve;
pub(crate) mod esml;
mod layout;
pub(crate) mod promela;

use std::path::Path;

use crate::Language;
use crate::lexemes::{Lexeme, LexemeKind};

/// White space between two words on one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// None.
    None,
    /// One blank.
    One,
    /// One blank if the author typed white space there.
    AsTyped,
    /// One blank if the author typed white space on either side of this operator.
    Even,
}

/// A kind of nesting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// A block.
    Block,
    /// A list, whose commas do not indent.
    List,
    /// Parentheses or brackets.
    Parens,
    /// A choice between items.
    Choice,
    /// An item of a choice.
    Item,
    /// Declarations of one kind, or a list without brackets.
    Section,
    /// A formula: its white space is the author's.
    Formula,
}

/// What a word does to the nesting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nesting {
    /// Nothing.
    Keep,
    /// Opens a level.
    Open(Level),
    /// Closes the innermost level of one of these kinds.
    Close(&'static [Level]),
    /// Begins an item of the innermost choice.
    Item,
    /// Ends a section if one is open, and begins another.
    Section,
    /// Ends a section if one is open.
    EndSection,
    /// Ends a section if one is open, and opens a level.
    EndSectionOpen(Level),
}

/// A word, a symbol or a comment with the white space in front of it.
#[derive(Clone, Copy, Debug)]
pub struct Word<'t> {
    /// The kind.
    pub kind: LexemeKind,
    /// Its characters.
    pub text: &'t str,
    /// The text between the word before it and this one.
    pub gap: &'t str,
}

impl Word<'_> {
    /// Whether the word is the first on its line.
    pub fn leads(&self) -> bool {
        self.gap.contains('\n')
    }

    fn spaced(&self) -> bool {
        !self.gap.is_empty()
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != LexemeKind::Comment
    }

    pub(crate) fn is_one_of(&self, texts: &[&str]) -> bool {
        self.kind != LexemeKind::Comment && texts.contains(&self.text)
    }

    /// Whether an operand can end with this word.
    pub(crate) fn ends_operand(&self) -> bool {
        matches!(self.kind, LexemeKind::Name | LexemeKind::Number | LexemeKind::Text) || self.is_one_of(&[")", "]"])
    }
}

/// The words of a text, one of them, and the level that it is in.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a, 't> {
    /// All words.
    pub words: &'a [Word<'t>],
    /// The index of the word.
    pub at: usize,
    /// The innermost level.
    pub level: Option<Level>,
}

impl<'a, 't> Place<'a, 't> {
    /// The word.
    pub fn word(&self) -> &'a Word<'t> {
        &self.words[self.at]
    }

    /// The word before that is no comment.
    pub fn before(&self) -> Option<&'a Word<'t>> {
        self.words[..self.at].iter().rev().find(|word| word.kind != LexemeKind::Comment)
    }

    /// The next word that is no comment.
    pub fn after(&self) -> Option<&'a Word<'t>> {
        self.words[self.at + 1..].iter().find(|word| word.kind != LexemeKind::Comment)
    }
}

/// How a language is written.
pub trait Style: Sync {
    /// The indentation of a level.
    fn unit(&self) -> &'static str;

    /// The indentation of the lines of an item below its first one.
    fn item_unit(&self) -> &'static str {
        self.unit()
    }

    /// What the word does to the nesting.
    fn nesting(&self, place: Place<'_, '_>) -> Nesting;

    /// The white space in front of the word, which is not the first on its line.
    fn space(&self, place: Place<'_, '_>) -> Space;

    /// Whether the word begins a line that continues the statement before it.
    fn continues(&self, place: Place<'_, '_>) -> bool;

    /// Whether the word, the first on its line, is a label.
    fn is_label(&self, _: Place<'_, '_>) -> bool {
        false
    }

    /// Whether lines that begin with `#` are directives.
    fn has_directives(&self) -> bool {
        false
    }

    /// Whether a macro of the text makes strings of its arguments, so that white space in them matters.
    fn quotes_arguments(&self, _: &[Word<'_>]) -> bool {
        false
    }

    /// The number of words from this one on that are text of another language.
    fn foreign(&self, _: Place<'_, '_>) -> usize {
        0
    }
}

/// The text in the style of its language, which the ending of the name tells unless it is given.
pub fn format(path: &Path, language: Option<Language>, text: &str) -> String {
    let language = language.unwrap_or_else(|| Language::of(path));
    let has_old_line_ends = text.replace("\r\n", "").contains('\r');
    if has_old_line_ends || text.len() > crate::limits::MAX_FILE_BYTES || text.contains('\0') {
        return text.to_string();
    }
    if text.contains("\r\n") {
        let formatted = format(path, Some(language), &text.replace("\r\n", "\n")).replace('\n', "\r\n");
        return if same_words(language, text, &formatted) { formatted } else { text.to_string() };
    }
    let has_m4 = path.extension().is_some_and(|ending| ending == crate::dve::MACRO_ENDING);
    // Lines with numbers stay where they are.
    let has_line_numbers = text.contains("__LINE__");
    let formatted = if has_m4 || has_line_numbers { trimmed(text) } else { layout::layout(language, text) };
    let candidates = [formatted, trimmed(text)];
    let is_same = |new: &String| if has_m4 { same_expansion(text, new) } else { same_words(language, text, new) };
    candidates.into_iter().find(is_same).unwrap_or_else(|| text.to_string())
}

/// The words of a text with what matters of the white space in front of each: whether it is the first on its line, and in a
/// directive whether there is any.
fn significant(language: Language, text: &str) -> Vec<(&str, bool, bool)> {
    let words = words(language, text);
    let directives = language.0.style().has_directives();
    let (mut in_directive, mut newline) = (false, true);
    let mut out = Vec::new();
    for (at, word) in words.iter().enumerate() {
        newline |= word.leads() && !(at > 0 && words[at - 1].is("\\"));
        if word.kind == LexemeKind::Comment {
            newline |= word.text.contains('\n') && !word.text.starts_with("//");
            continue;
        }
        if newline {
            in_directive = directives && word.is("#");
        }
        out.push((word.text, newline && directives, in_directive && word.spaced()));
        newline = false;
    }
    out
}

fn same_words(language: Language, old: &str, new: &str) -> bool {
    significant(language, old) == significant(language, new) && comments(language, old) == comments(language, new)
}

/// The comments of a text, without the white space around their lines.
fn comments(language: Language, text: &str) -> Vec<Vec<&str>> {
    let lexemes = language.lexemes(text);
    let comments = lexemes.iter().filter(|lexeme| lexeme.kind == LexemeKind::Comment);
    comments.map(|comment| comment.text(text).lines().map(str::trim).collect()).collect()
}

/// Whether two texts with macros expand to the same words. A text that can't be expanded on its own is not changed.
fn same_expansion(old: &str, new: &str) -> bool {
    let words = |text: &str| {
        let expanded = crate::dve::expand(text, &[]).ok()?;
        let lexemes = Language::DVE.lexemes(&expanded);
        Some(lexemes.iter().map(|lexeme| lexeme.text(&expanded).trim_end().to_string()).collect::<Vec<_>>())
    };
    old == new || words(old).is_some_and(|old| Some(old) == words(new))
}

/// The text without white space at the ends of its lines.
fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut out = lines.join("\n").trim_end_matches('\n').to_string();
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The words of a text, each with the white space in front of it.
pub(crate) fn words(language: Language, text: &str) -> Vec<Word<'_>> {
    let mut end = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut word = |lexeme: &Lexeme| {
        let gap = text.get(end..lexeme.start).unwrap_or_default();
        end = lexeme.end;
        Word { kind: lexeme.kind, text: lexeme.text(text), gap }
    };
    language.lexemes(text).iter().map(&mut word).collect()
}

#[cfg(test)]
mod tests;
