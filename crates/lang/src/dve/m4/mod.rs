//! The macros of `.mdve` files: the part of m4 that models use, and three loops and defaults that the authors of BEEM
//! had in every file.
//!
//! Every character knows where the user typed it, also after it went through the arguments of macros, so that a mistake
//! inside a loop is shown inside that loop.

mod arguments;
mod builtin;
mod evaluate;
mod input;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use self::builtin::Builtin;
use self::input::Input;
use super::lex::Typed;
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::preprocess::{MacroOption, Preprocess};
use crate::source::{FileId, Loader, Sources, Span};

/// Macros that are there in every file.
const PRELUDE: &str = "\
define(`default', `ifdef(`$1', `', `define(`$1', `$2')')')\
define(`forloop', `ifelse(eval(($2) <= ($3)), 1, `pushdef(`$1', eval($2))_for(`$1', eval($3), `$4')popdef(`$1')')')\
define(`_for', `$3`'ifelse($1, `$2', `', `define(`$1', incr($1))_for(`$1', `$2', `$3')')')\
define(`myloop', \
`ifelse(eval(($2) <= ($3)), 1, `pushdef(`$1', eval($2))_loop(`$1', eval($3), `$4', `$5')popdef(`$1')')')\
define(`_loop', `$3`'ifelse($1, `$2', `', `$4`'define(`$1', incr($1))_loop(`$1', `$2', `$3', `$4')')')\
";

/// A byte, and where it was typed.
#[derive(Clone, Copy, Debug)]
struct Char {
    byte: u8,
    file: u16,
    at: u32,
}

type Text = Vec<Char>;

/// Something was wrong, and has been reported.
#[derive(Debug)]
struct Failed;

type Done<T> = Result<T, Failed>;

#[derive(Clone, Debug)]
enum Macro {
    Text(Rc<[Char]>),
    Builtin(Builtin),
}

/// Text with all macros expanded.
#[derive(Debug)]
pub(super) struct Expanded {
    text: String,
    places: Text,
    /// The names of the macros that the text defines, and where.
    pub definitions: Vec<(String, Span)>,
}

/// Expands the macros of a file that has been read.
pub(super) fn expand(
    (file, path): (FileId, &Path),
    options: &Preprocess,
    loader: &dyn Loader,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Expanded> {
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut expander = Expander {
        loader,
        folder,
        include_dirs: &options.include_dirs,
        sources,
        diagnostics,
        macros: HashMap::new(),
        definitions: HashMap::new(),
        input: Input::default(),
        diverted: BTreeMap::new(),
        current: 0,
        depth: 0,
    };
    expander.builtins();
    let whole = expander.prelude().and_then(|()| expander.options(&options.macros)).and_then(|()| expander.file(file));
    whole.ok()?;
    let definitions = expander.written_definitions();
    let places = expander.collected();
    // Cutting strings may have cut a character.
    let mut bytes: Vec<u8> = places.iter().map(|c| c.byte).collect();
    while let Err(e) = std::str::from_utf8(&bytes) {
        let at = e.valid_up_to();
        bytes[at] = b'?';
    }
    Some(Expanded { text: String::from_utf8(bytes).unwrap_or_default(), places, definitions })
}

struct Expander<'a> {
    loader: &'a dyn Loader,
    /// The directory that is searched first for included files.
    folder: PathBuf,
    include_dirs: &'a [PathBuf],
    sources: &'a mut Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The definitions of each name; the last one counts.
    macros: HashMap<Vec<u8>, Vec<Macro>>,
    /// The names that were defined, and where each was first.
    definitions: HashMap<Vec<u8>, Span>,
    input: Input,
    /// Output, by the number of its diversion.
    diverted: BTreeMap<i32, Text>,
    current: i32,
    /// Macro calls within the arguments of macro calls.
    depth: usize,
}

impl Typed for Expanded {
    fn text(&self) -> &str {
        &self.text
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let Some(first) = self.places.get(start).or(self.places.last()) else {
            return Span { file: FileId(0), start: 0, end: 0 };
        };
        let length = end.saturating_sub(start) as u32;
        let last = self.places.get(end.saturating_sub(1)).filter(|_| end > start);
        let whole = last.is_some_and(|last| last.file == first.file && last.at + 1 == first.at + length);
        let end = first.at + if whole { length } else { u32::from(length > 0) };
        Span { file: FileId(u32::from(first.file)), start: first.at, end }
    }
}

impl Char {
    fn span(self) -> Span {
        Span { file: FileId(u32::from(self.file)), start: self.at, end: self.at + 1 }
    }
}

/// The bytes of a text.
fn bytes(text: &[Char]) -> Vec<u8> {
    text.iter().map(|c| c.byte).collect()
}

/// Text that was computed at a place.
fn computed(text: &str, at: Char) -> Text {
    text.bytes().map(|byte| Char { byte, ..at }).collect()
}

impl Expander<'_> {
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Done<T> {
        self.diagnostics.push(diagnostic);
        Err(Failed)
    }

    fn builtins(&mut self) {
        for (name, builtin) in Builtin::ALL {
            self.macros.insert(name.as_bytes().to_vec(), vec![Macro::Builtin(*builtin)]);
        }
    }

    fn prelude(&mut self) -> Done<()> {
        let file = self.sources.add("built-in macros".to_string(), PRELUDE.to_string());
        self.file(file)?;
        self.definitions.clear();
        Ok(())
    }

    /// Records the place where a macro is first defined.
    fn record_definition(&mut self, name: &[Char]) {
        let Some(first) = name.first() else { return };
        let whole = name.iter().zip(first.at..).all(|(c, at)| c.file == first.file && c.at == at);
        let end = first.at + if whole { name.len() as u32 } else { 1 };
        let span = Span { end, ..first.span() };
        self.definitions.entry(bytes(name)).or_insert(span);
    }

    /// The names of the macros that the text defines, in the order of their places.
    fn written_definitions(&mut self) -> Vec<(String, Span)> {
        let found = std::mem::take(&mut self.definitions).into_iter();
        let mut found: Vec<(String, Span)> =
            found.map(|(n, s)| (String::from_utf8_lossy(&n).into_owned(), s)).collect();
        found.sort_by_key(|(_, span)| *span);
        found
    }

    /// Definitions from the command line.
    fn options(&mut self, options: &[MacroOption]) -> Done<()> {
        for option in options {
            match option {
                MacroOption::Undefine(name) => {
                    self.macros.remove(name.as_bytes());
                }
                MacroOption::Define(text) => {
                    let file = self.sources.add("command line".to_string(), text.clone());
                    let (name, body) = text.split_once('=').unwrap_or((text, ""));
                    let start = Char { byte: b' ', file: file.0 as u16, at: (text.len() - body.len()) as u32 };
                    let body: Text = placed(body, start.file, start.at);
                    self.macros.insert(name.trim().as_bytes().to_vec(), vec![Macro::Text(body.into())]);
                }
            }
        }
        Ok(())
    }

    /// Expands a whole file into the current diversion.
    fn file(&mut self, file: FileId) -> Done<()> {
        if file.0 > u32::from(u16::MAX) {
            return self.fail(Diagnostic::general("too many files"));
        }
        let text = placed(&self.sources.file(file).text, file.0 as u16, 0);
        self.push(text)?;
        while let Some(token) = self.token()? {
            let mut text = Vec::new();
            self.take(token, &mut text)?;
            self.output(&text);
        }
        Ok(())
    }

    fn output(&mut self, text: &[Char]) {
        if self.current >= 0 && !text.is_empty() {
            self.diverted.entry(self.current).or_default().extend_from_slice(text);
        }
    }

    /// All that was put out, in the order of the diversions.
    fn collected(&mut self) -> Text {
        std::mem::take(&mut self.diverted).into_values().flatten().collect()
    }

    /// Text to be read next.
    fn push(&mut self, text: Text) -> Done<()> {
        self.input.work += text.len();
        self.check_work()?;
        self.input.push(text);
        Ok(())
    }

    fn check_work(&mut self) -> Done<()> {
        if self.input.work <= limits::MAX_M4_WORK {
            return Ok(());
        }
        let at = self.input.outermost;
        let wrong = Diagnostic::error(at.map_or(FILE_START, Char::span), "the macros here give too much text", "");
        self.fail(wrong.help("does a macro use itself without end?"))
    }
}

const FILE_START: Span = Span { file: FileId(0), start: 0, end: 0 };

fn placed(text: &str, file: u16, at: u32) -> Text {
    text.bytes().enumerate().map(|(i, byte)| Char { byte, file, at: at + i as u32 }).collect()
}
