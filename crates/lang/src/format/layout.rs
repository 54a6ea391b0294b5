//! The layout of a text: indentation by nesting, white space by the rules of the language.

use super::{Level, Nesting, Place, Space, Style, Word, words};
use crate::Language;
use crate::lexemes::LexemeKind;

/// The text with new white space.
pub(super) fn layout(language: Language, text: &str) -> String {
    let words = words(language, text);
    let mut layout = Layout {
        style: language.0.style(),
        language,
        words: &words,
        out: String::with_capacity(text.len() + text.len() / 8),
        levels: Vec::new(),
        saved: Vec::new(),
        line: String::new(),
        as_typed: 0,
        comment: None,
        quotes_arguments: language.0.style().quotes_arguments(&words),
    };
    if text.starts_with('\u{feff}') {
        layout.out.push('\u{feff}');
    }
    (0..words.len()).for_each(|at| layout.word(at));
    let mut out = layout.out;
    if !words.is_empty() {
        out.push('\n');
    }
    out
}

/// An open level.
#[derive(Clone, Debug)]
struct Open {
    level: Level,
    /// The indentation of the line that opened it.
    outer: String,
    /// The indentation of its content.
    inner: String,
}

struct Layout<'a, 't> {
    style: &'static dyn Style,
    language: Language,
    words: &'a [Word<'t>],
    out: String,
    levels: Vec<Open>,
    /// The levels at the start of each open conditional directive.
    saved: Vec<Vec<Open>>,
    /// The indentation of the current line.
    line: String,
    /// Words before this index keep the white space in front of them.
    as_typed: usize,
    /// The column of a comment at the end of the line before: as typed, and as written.
    comment: Option<(usize, usize)>,
    quotes_arguments: bool,
}

impl<'a, 't> Layout<'a, 't> {
    fn place(&self, at: usize) -> Place<'a, 't> {
        Place { words: self.words, at, level: self.levels.last().map(|open| open.level) }
    }

    fn word(&mut self, at: usize) {
        let word = self.words[at];
        let leads = at == 0 || word.leads();
        let is_spliced = at > 0 && self.words[at - 1].is("\\");
        if leads && !is_spliced && self.style.has_directives() && word.is("#") {
            self.directive(at);
        }
        if at < self.as_typed || is_spliced {
            let gap = if at == 0 { "" } else { word.gap };
            self.out.push_str(if is_spliced { gap } else { gap.trim_start_matches([' ', '\t']) });
            if !is_spliced && !gap.contains('\n') {
                self.out.push_str(gap);
            }
        } else if leads {
            self.new_line(at);
        } else {
            self.same_line(at);
        }
        self.write(at);
        if at >= self.as_typed {
            self.nest(at);
            let foreign = self.style.foreign(self.place(at));
            self.as_typed = self.as_typed.max(if foreign > 0 { at + foreign } else { 0 });
        }
    }

    /// A directive keeps its white space. Both branches of a condition start at the same nesting.
    fn directive(&mut self, at: usize) {
        let ends = |i: &usize| {
            let previous = self.words[i - 1];
            self.words[*i].leads() && !previous.is("\\") || previous.text.contains('\n')
        };
        self.as_typed = (at + 1..self.words.len()).find(ends).unwrap_or(self.words.len());
        match self.words.get(at + 1).map(|word| word.text) {
            Some("if" | "ifdef" | "ifndef") => self.saved.push(self.levels.clone()),
            Some("else" | "elif") => {
                if let Some(levels) = self.saved.last() {
                    self.levels.clone_from(levels);
                }
            }
            Some("endif") => drop(self.saved.pop()),
            _ => {}
        }
    }

    fn new_line(&mut self, at: usize) {
        let word = self.words[at];
        if at > 0 {
            let blank = word.gap.matches('\n').count() > 1;
            self.out.push_str(if blank { "\n\n" } else { "\n" });
        }
        let aligned = self.comment.take().filter(|_| word.kind == LexemeKind::Comment && !word.gap.contains("\n\n"));
        let blank = &word.gap[word.gap.rfind('\n').map_or(0, |end| end + 1)..];
        let typed = column(blank, 0);
        if let Some((column, written)) = aligned.filter(|(column, _)| *column == typed) {
            self.out.push_str(&if written == typed { blank.to_string() } else { " ".repeat(written) });
            self.comment = Some((column, written));
            return;
        }
        self.line = self.indentation(at);
        let place = self.place(at);
        let outer = self.levels.last().filter(|open| open.level == Level::Block).map(|open| &open.outer);
        match outer.filter(|_| self.style.is_label(place)) {
            Some(outer) => self.out.push_str(outer),
            None => self.out.push_str(&self.line),
        }
    }

    /// The indentation of the line that begins with a word.
    fn indentation(&self, at: usize) -> String {
        let place = self.place(at);
        let nesting = match place.word().kind {
            // A comment stands where the item that it belongs to begins.
            LexemeKind::Comment => match self.next_nesting(at) {
                Nesting::Item => Nesting::Item,
                _ => Nesting::Keep,
            },
            _ => self.style.nesting(place),
        };
        let inner = |open: Option<&Open>| open.map_or(String::new(), |open| open.inner.clone());
        match nesting {
            Nesting::Close(kinds) => {
                { self.levels.iter().rfind(|open| kinds.contains(&open.level)).map(|open| open.outer.clone()) }
                    .unwrap_or_else(|| inner(self.levels.last()))
            }
            Nesting::Item => self
                .levels
                .iter()
                .rfind(|open| open.level == Level::Choice)
                .map(|open| open.outer.clone())
                .unwrap_or_else(|| inner(self.levels.last())),
            Nesting::Section | Nesting::EndSection | Nesting::EndSectionOpen(_) => {
                let closed = self.levels.iter().rfind(|open| open.level != Level::Section);
                inner(closed)
            }
            Nesting::Keep | Nesting::Open(_) => {
                let mut indent = inner(self.levels.last());
                let is_list = matches!(place.level, Some(Level::Parens | Level::List | Level::Formula));
                if !is_list && place.word().kind != LexemeKind::Comment && self.style.continues(place) {
                    indent.push_str(self.style.unit());
                }
                indent
            }
        }
    }

    fn next_nesting(&self, at: usize) -> Nesting {
        let next = (at..self.words.len()).find(|i| self.words[*i].kind != LexemeKind::Comment);
        next.filter(|i| !self.words[*i].is("#")).map_or(Nesting::Keep, |i| self.style.nesting(self.place(i)))
    }

    fn same_line(&mut self, at: usize) {
        let word = self.words[at];
        if word.kind == LexemeKind::Comment {
            return self.out.push_str(word.gap);
        }
        let previous = self.words[at - 1];
        if self.ends_label(at) {
            return self.out.push('\t');
        }
        let place = self.place(at);
        let space = match self.style.space(place) {
            _ if previous.kind == LexemeKind::Comment => Space::AsTyped,
            _ if self.quotes_arguments && place.level == Some(Level::Parens) => Space::AsTyped,
            _ if previous.kind == LexemeKind::Unknown || word.kind == LexemeKind::Unknown => Space::AsTyped,
            space => space,
        };
        let wanted = match space {
            Space::None => false,
            Space::One => true,
            Space::AsTyped => word.spaced(),
            Space::Even => word.spaced() || self.words.get(at + 1).is_some_and(|next| next.spaced()),
        };
        if wanted || !self.may_touch(&previous, &word) {
            self.out.push(' ');
        }
    }

    /// Whether the word follows a label at the start of its line.
    fn ends_label(&self, at: usize) -> bool {
        at >= 2
            && self.words[at - 1].is(":")
            && (at == 2 || self.words[at - 2].leads())
            && self.levels.last().is_some_and(|open| open.level == Level::Block)
            && self.style.is_label(self.place(at - 2))
    }

    /// Whether two words stay two words without white space between them.
    fn may_touch(&self, one: &Word<'_>, other: &Word<'_>) -> bool {
        let joined = format!("{}{}", one.text, other.text);
        let lexemes = self.language.lexemes(&joined);
        one.kind == LexemeKind::Comment || lexemes.len() == 2 && lexemes[0].end == one.text.len()
    }

    fn write(&mut self, at: usize) {
        let word = self.words[at];
        let is_comment = word.kind == LexemeKind::Comment;
        if at >= self.as_typed && is_comment && !word.leads() && at > 0 {
            let written = column(&self.out[self.out.rfind('\n').map_or(0, |end| end + 1)..], 0);
            self.comment = Some((self.typed_column(at), written));
        } else if !(is_comment && word.leads()) {
            self.comment = None;
        }
        if !is_comment {
            return self.out.push_str(word.text);
        }
        for (number, line) in word.text.split('\n').enumerate() {
            let is_starred = number > 0 && at >= self.as_typed && line.trim_start().starts_with('*') && word.leads();
            if number > 0 {
                self.out.push('\n');
            }
            if is_starred {
                self.out.push_str(&self.line);
                self.out.push(' ');
            }
            let line = if is_starred { line.trim_start() } else { line };
            self.out.push_str(line.trim_end());
        }
    }

    /// The column at which a word was typed.
    fn typed_column(&self, at: usize) -> usize {
        let first = (0..=at).rev().find(|i| *i == 0 || self.words[*i].leads()).unwrap_or(0);
        let mut col = 0;
        for (i, word) in self.words[first..=at].iter().enumerate() {
            let gap = &word.gap[word.gap.rfind('\n').map_or(0, |end| end + 1)..];
            col = column(gap, col);
            if first + i < at {
                let last = &word.text[word.text.rfind('\n').map_or(0, |end| end + 1)..];
                col = column(last, if word.text.contains('\n') { 0 } else { col });
            }
        }
        col
    }

    fn nest(&mut self, at: usize) {
        if self.words[at].kind == LexemeKind::Comment {
            return;
        }
        match self.style.nesting(self.place(at)) {
            Nesting::Keep => {}
            Nesting::Open(level) => self.open(level, self.style.unit()),
            Nesting::Close(kinds) => {
                if let Some(index) = self.levels.iter().rposition(|open| kinds.contains(&open.level)) {
                    self.levels.truncate(index);
                }
            }
            Nesting::Item => self.item(at),
            Nesting::Section => {
                self.end_section();
                self.open(Level::Section, self.style.unit());
            }
            Nesting::EndSection => self.end_section(),
            Nesting::EndSectionOpen(level) => {
                self.end_section();
                self.open(level, self.style.unit());
            }
        }
    }

    fn item(&mut self, at: usize) {
        let Some(index) = self.levels.iter().rposition(|open| open.level == Level::Choice) else { return };
        self.levels.truncate(index + 1);
        let leads = at == 0 || self.words[at].leads();
        self.open(Level::Item, if leads { self.style.item_unit() } else { self.style.unit() });
    }

    fn end_section(&mut self) {
        if self.levels.last().is_some_and(|open| open.level == Level::Section) {
            self.levels.pop();
        }
    }

    fn open(&mut self, level: Level, unit: &str) {
        let outer = self.line.clone();
        let inner = format!("{outer}{unit}");
        self.levels.push(Open { level, outer, inner });
    }
}

/// The column behind a text that starts at a column. Tabs lead to multiples of eight.
fn column(text: &str, start: usize) -> usize {
    text.chars().fold(start, |column, c| if c == '\t' { column / 8 * 8 + 8 } else { column + 1 })
}
