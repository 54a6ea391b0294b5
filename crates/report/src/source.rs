//! Places in the source text.

use std::fmt;

use kripke_model::ir::{Edge, FileId, Model, SourceFile, Span};

use crate::escape::visible;

/// The lines of a model's files.
#[derive(Clone, Debug)]
pub struct Lines {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    starts: Vec<u32>,
}

/// A line or a range of lines of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    /// The file.
    pub file: FileId,
    /// The first line, counted from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl Lines {
    /// The lines of a model's files.
    pub fn new(model: &Model) -> Lines {
        Lines::ending(model, |text, at| text[at] == b'\n')
    }

    /// The lines as the C preprocessor counts them: a carriage return alone ends a line, too.
    pub fn of_preprocessor(model: &Model) -> Lines {
        let ends = |text: &[u8], at: usize| text[at] == b'\n' || text[at] == b'\r' && text.get(at + 1) != Some(&b'\n');
        Lines::ending(model, ends)
    }

    /// The lines that end where `ends` says so.
    fn ending(model: &Model, ends: impl Fn(&[u8], usize) -> bool) -> Lines {
        let starts = |text: &[u8]| {
            let after = (0..text.len()).filter(|at| ends(text, *at)).map(|at| at as u32 + 1);
            std::iter::once(0).chain(after).collect()
        };
        let file = |f: &SourceFile| File { name: visible(&f.name).into_owned(), starts: starts(f.text.as_bytes()) };
        Lines { files: model.files.iter().map(file).collect() }
    }

    /// The lines of a span.
    pub fn of(&self, span: Span) -> Line {
        let line = |offset: u32| match self.files.get(span.file.index()) {
            Some(f) => f.starts.partition_point(|s| *s <= offset) as u32,
            None => 0,
        };
        let first = line(span.start);
        Line { file: span.file, first, last: line(span.end.saturating_sub(1)).max(first) }
    }

    /// The name of a file.
    pub fn file(&self, id: FileId) -> &str {
        self.files.get(id.index()).map_or("?", |f| &f.name)
    }

    /// The place of a statement: its own one, also inside an inline.
    pub fn own(edge: &Edge) -> Span {
        edge.inside.as_ref().map_or(edge.span, |inside| inside.span)
    }

    /// The inline that a statement is in, and the line of the call: `in enter(), called at 12`.
    pub fn called(&self, edge: &Edge) -> Option<String> {
        let inside = edge.inside.as_ref()?;
        let call = self.of(edge.span);
        let file = if call.file == inside.span.file { String::new() } else { format!("{}:", self.file(call.file)) };
        Some(format!("in {}(), called at {file}{}", visible(&inside.name), call.first))
    }

    /// The place of a statement in words: `second.pml:8 in enter(), called at 12`.
    pub fn place_of(&self, edge: &Edge) -> String {
        let own = self.place(Lines::own(edge));
        self.called(edge).map_or(own.clone(), |called| format!("{own} {called}"))
    }

    /// The place of a span: `second.pml:22`.
    pub fn place(&self, span: Span) -> String {
        let line = self.of(span);
        format!("{}:{}", self.file(line.file), line.first)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}-{}", self.first, self.last) }
    }
}
