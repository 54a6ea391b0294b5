//! Source files and places in them.
//!
//! A [`Span`] is a place in a text of the user. Text from a macro or an inline has the span of its *outermost use*;
//! [`Sources`] records the expansions at that place, so that a diagnostic can show both the use and the definition.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::limits;
pub use kripke_model::ir::{FileId, SourceFile, Span};

/// A source of files. This crate does no I/O of its own.
pub trait Loader {
    /// The content of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// The kind of an expansion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpansionKind {
    /// A macro of the preprocessor.
    Macro,
    /// An `inline` of Promela.
    Inline,
}

/// A use of a macro or an inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The kind of the expansion.
    pub kind: ExpansionKind,
    /// The name of the macro or inline.
    pub name: String,
    /// The place of its definition; `None` if it has none.
    pub definition: Option<Span>,
}

/// Maximum number of expansions recorded for one place.
const MAX_CHAIN: usize = 4;

/// All files read, and all expansions.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
    /// The offsets at which the lines of each file start.
    lines: Vec<Vec<u32>>,
    expansions: HashMap<Span, Vec<Expansion>>,
    /// The place of a word in the text that is expanded at a place.
    words: HashMap<(Span, String), Span>,
    /// The places at which macros and inlines are used, each with that of the definition.
    uses: Vec<(Span, Span)>,
}

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, name: String, text: String) -> FileId {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        self.lines.push(std::iter::once(0).chain(starts).collect());
        self.files.push(SourceFile { name, text, asked: false });
        FileId(self.files.len() as u32 - 1)
    }

    /// Marks a file as no part of the model: the text of a condition.
    pub fn ask(&mut self, file: FileId) {
        self.files[file.index()].asked = true;
    }

    /// All files, by their number.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file with a number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.index()]
    }

    /// The text of a span, as typed.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The position of the start of a span.
    pub fn position(&self, span: Span) -> Position {
        let starts = &self.lines[span.file.index()];
        let line = starts.partition_point(|s| *s <= span.start).max(1) - 1;
        let before = self.file(span.file).text.get(starts[line] as usize..span.start as usize).unwrap_or("");
        Position { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// Records that `expansion` was used at `place`.
    pub fn expanded(&mut self, place: Span, expansion: Expansion) {
        let chain = self.expansions.entry(place).or_default();
        if chain.len() < MAX_CHAIN && !chain.iter().any(|e| e.name == expansion.name && e.kind == expansion.kind) {
            chain.push(expansion);
        }
    }

    /// Records that the text expanded at `place` has a word, and where it is written.
    pub fn typed(&mut self, place: Span, word: &str, origin: Span) {
        self.words.entry((place, word.to_string())).or_insert(origin);
    }

    /// Records that a macro or an inline with a definition is named at `place`.
    pub fn used(&mut self, place: Span, definition: Span) {
        self.uses.push((place, definition));
    }

    /// The places at which macros and inlines are named, each with that of the definition.
    pub fn uses(&self) -> &[(Span, Span)] {
        &self.uses
    }

    /// Where a word of the text that is expanded at `place` is written.
    pub fn origin(&self, place: Span, word: &str) -> Option<Span> {
        self.words.get(&(place, word.to_string())).copied()
    }

    /// The expansions at exactly `place`, outermost first.
    pub fn expansions(&self, place: Span) -> &[Expansion] {
        self.expansions.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// Reads a text file. The error is a message.
pub(crate) fn read_text(path: &Path, loader: &dyn Loader) -> Result<String, String> {
    let name = path.display().to_string();
    let bytes = loader.read(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        _ => format!("cannot read `{name}`: {e}"),
    })?;
    decode(&name, &bytes)
}

/// The text of a file, or a message why it is no text.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > limits::MAX_FILE_BYTES {
        return Err(format!("`{name}` is too large: over {} MiB", limits::MAX_FILE_BYTES >> 20));
    }
    if is_binary(bytes) {
        return Err(format!("`{name}` is not a text file"));
    }
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Whether so many bytes are not text that the file is binary. Comments and strings may have a few.
fn is_binary(bytes: &[u8]) -> bool {
    let odd = |b: &&u8| (**b < 32 && !matches!(**b, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x1a)) || **b == 127;
    let control = bytes.iter().filter(odd).count();
    let broken = bytes.utf8_chunks().filter(|c| !c.invalid().is_empty()).count();
    control * 20 > bytes.len() || broken * 4 > bytes.len()
}

/// Whether one span includes another.
pub(crate) fn encloses(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// From the start of `a` to the end of `b`, if both are in one file; otherwise `a`.
pub(crate) fn join(a: Span, b: Span) -> Span {
    if a.file != b.file {
        return a;
    }
    Span { file: a.file, start: a.start.min(b.start), end: a.end.max(b.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let mut sources = Sources::default();
        let file = sources.add("f".into(), "aé\nbc\n".into());
        let at = |start| sources.position(Span { file, start, end: start });
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(3), Position { line: 1, column: 3 });
        assert_eq!(at(4), Position { line: 2, column: 1 });
        assert_eq!(at(5), Position { line: 2, column: 2 });
        assert_eq!(at(7), Position { line: 3, column: 1 });
    }
}
