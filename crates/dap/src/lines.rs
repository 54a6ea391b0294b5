//! Places between the client and the model: paths of files, lines and columns that the client counts from 0 or 1.

use std::path::{Path, PathBuf};

use kripke_model::ir::{FileId, Model, Span};
use kripke_report::run::Run;
use serde_json::{Value, json};

/// How the client counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counting {
    /// The number of the first line.
    pub line: i64,
    /// The number of the first column.
    pub column: i64,
}

impl Default for Counting {
    fn default() -> Counting {
        Counting { line: 1, column: 1 }
    }
}

impl Counting {
    /// A line, counted from 1, for the client.
    pub fn shown(self, line: u32) -> i64 {
        i64::from(line) - 1 + self.line
    }

    /// A line of the client, counted from 1.
    pub fn read(self, line: i64) -> u32 {
        u32::try_from(line.saturating_sub(self.line).saturating_add(1)).unwrap_or(0)
    }

    /// The place of a span: `line`, `column`, `endLine`, `endColumn`. Columns count UTF-16 units.
    pub fn place(self, model: &Model, span: Span) -> Value {
        let text = model.files.get(span.file.index()).map_or("", |file| &file.text);
        let at = |offset: u32| {
            let before = text.get(..offset as usize).unwrap_or(text);
            let line = before.bytes().filter(|byte| *byte == b'\n').count() as i64;
            let column = before.rsplit('\n').next().map_or(0, |line| line.encode_utf16().count()) as i64;
            (line + self.line, column + self.column)
        };
        let (start, end) = (at(span.start), at(span.end.max(span.start)));
        json!({ "line": start.0, "column": start.1, "endLine": end.0, "endColumn": end.1 })
    }
}

/// A file of the model for the client.
pub fn source(run: &Run, file: FileId) -> Value {
    let name = run.model().files.get(file.index()).map_or("?", |file| &file.name);
    let path = whole(Path::new(name));
    let short = path.file_name().map_or(name.to_string(), |name| name.to_string_lossy().into_owned());
    json!({ "name": short, "path": path.display().to_string() })
}

/// The file of the model that has this path.
pub fn file(run: &Run, path: &str) -> Option<FileId> {
    let wanted = whole(Path::new(path));
    let files = run.model().files.iter().enumerate().filter(|(_, file)| !file.asked);
    let found = files.map(|(n, file)| (n, whole(Path::new(&file.name)))).find(|(_, known)| *known == wanted);
    found.map(|(n, _)| FileId(n as u32))
}

/// The absolute path, without links where the file exists.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_the_client_counts() {
        let from_zero = Counting { line: 0, column: 0 };
        assert_eq!((from_zero.shown(1), from_zero.read(0)), (0, 1));
        assert_eq!((Counting::default().shown(7), Counting::default().read(7)), (7, 7));
        assert_eq!(Counting::default().read(-5), 0);
    }
}
