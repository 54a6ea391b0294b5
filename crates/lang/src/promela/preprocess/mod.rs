//! The C preprocessor as SPIN's users know it: includes, macros, conditions.
//!
//! Works on tokens, never on text, so that every token can say where the user typed it and where its text stands.
//! Files and macro expansions are frames on one stack; the top frame supplies the next token. A macro whose frame is on
//! the stack is not expanded again, and its name is painted for good (C11, 6.10.3.4).

mod condition;
mod directive;
mod expand;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::lex::lex;
use super::token::{Punct, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Severity};
use crate::limits;
use crate::preprocess::{MacroOption, Preprocess};
use crate::source::{FileId, Loader, Sources, Span, decode};
use directive::Conditional;
use expand::Macro;

/// The macros in force at the end of a text.
#[derive(Clone, Default, Debug)]
pub(super) struct Macros(HashMap<Rc<str>, Rc<Macro>>);

impl Macros {
    /// The names of the macros and the places of their definitions.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, Span)> {
        self.0.values().filter_map(|m| Some((&*m.name, m.definition?)))
    }
}

/// A condition: a file of its own, so that errors in it can be shown.
#[derive(Debug)]
pub(super) struct Condition {
    pub file: FileId,
    pub tokens: Vec<Token>,
}

/// The loader of conditions, which have no other files.
struct NoFiles;

impl Loader for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::Error::other("a condition can't include files"))
    }
}

/// The tokens of the program at `path`, macros expanded, and the macros in force at its end.
pub(super) fn preprocess(
    path: &Path,
    loader: &dyn Loader,
    options: &Preprocess,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Token>, Macros) {
    let mut pp = Preprocessor::new(loader, &options.include_dirs, sources, diagnostics);
    match pp.read(path) {
        Ok(text) => pp.enter(path, text, None),
        Err(message) => pp.diagnostics.push(Diagnostic::general(message)),
    }
    pp.options(&options.macros);
    let program = pp.rest();
    (program, Macros(pp.macros))
}

/// The tokens of conditions. The macros are those in force at the end of the program.
pub(super) fn preprocess_conditions(
    texts: &[String],
    macros: &Macros,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Condition> {
    let mut pp = Preprocessor::new(&NoFiles, &[], sources, diagnostics);
    pp.macros.clone_from(&macros.0);
    texts.iter().filter_map(|text| pp.state_condition(text)).collect()
}

/// Tokens as text, with the line breaks and the indentation of the lines that they stand on.
pub(super) fn text(tokens: &[Token], sources: &Sources) -> String {
    let mut out = String::new();
    for token in tokens.iter().filter(|token| token.kind != TokenKind::Eof) {
        if token.newline && !out.is_empty() {
            out.push('\n');
        }
        if token.newline || out.is_empty() {
            out.push_str(indentation(token.span, sources));
        } else if token.space || joins(&out, &token.text) {
            out.push(' ');
        }
        out.push_str(&token.text);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The white space at the start of the line of a place.
fn indentation(span: Span, sources: &Sources) -> &str {
    let before = sources.file(span.file).text.get(..span.start as usize).unwrap_or_default();
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_start().len()]
}

/// Whether two tokens would become one without white space between them.
fn joins(text: &str, next: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (last, first) = (text.chars().next_back(), next.chars().next());
    match (last, first) {
        (Some(a), Some(b)) => is_word(a) == is_word(b) && !(")]};,([{".contains(a) || ")]};,([{".contains(b)),
        _ => false,
    }
}

struct Preprocessor<'a> {
    loader: &'a dyn Loader,
    include_dirs: &'a [PathBuf],
    sources: &'a mut Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    /// Files that said `#pragma once`.
    once: HashSet<PathBuf>,
    frames: Vec<Frame>,
    /// Frames below this one are out of reach: an argument is being expanded on its own.
    floor: usize,
    pushed: Option<Token>,
    /// New line and white space that stood in front of an expansion which turned out empty.
    pending: (bool, bool),
    produced: usize,
    /// Arguments being expanded within each other.
    depth: usize,
    /// An error after which going on makes no sense.
    stopped: bool,
}

enum Frame {
    File(FileFrame),
    Expansion { tokens: Vec<Token>, at: usize, of: Option<Rc<Macro>> },
}

struct FileFrame {
    tokens: Rc<[Token]>,
    at: usize,
    path: PathBuf,
    conditionals: Vec<Conditional>,
}

impl<'a> Preprocessor<'a> {
    fn new(
        loader: &'a dyn Loader,
        include_dirs: &'a [PathBuf],
        sources: &'a mut Sources,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Preprocessor<'a> {
        Preprocessor {
            loader,
            include_dirs,
            sources,
            diagnostics,
            macros: HashMap::new(),
            once: HashSet::new(),
            frames: Vec::new(),
            floor: 0,
            pushed: None,
            pending: (false, false),
            produced: 0,
            depth: 0,
            stopped: false,
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.iter().filter(|d| d.severity == Severity::Error).count() >= limits::MAX_ERRORS {
            self.stopped = true;
        }
    }

    fn too_much(&mut self) {
        let place = self.innermost_use();
        let message = "the text is too large: its macros expand to millions of tokens";
        self.fatal(Diagnostic { labels: place.into_iter().collect(), ..Diagnostic::general(message) });
    }

    fn fatal(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.diagnostics.push(diagnostic);
        }
        self.stopped = true;
        self.frames.clear();
        self.pushed = None;
    }

    /// The current place in the user's text.
    fn innermost_use(&self) -> Option<crate::diagnostic::Label> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::File(f) => {
                let token = f.tokens.get(f.at.saturating_sub(1))?;
                Some(crate::diagnostic::Label { span: token.span, text: "while reading this".into() })
            }
            Frame::Expansion { .. } => None,
        })
    }

    /// Defines the macros of the command line. Their text is a file of its own, so that errors in it can be shown.
    fn options(&mut self, macros: &[MacroOption]) {
        let line = |option: &MacroOption| match option {
            MacroOption::Undefine(name) => format!("#undef {name}\n"),
            MacroOption::Define(text) => match text.split_once('=') {
                Some((name, value)) => format!("#define {name} {value}\n"),
                None => format!("#define {text} 1\n"),
            },
        };
        let text: String = macros.iter().map(line).collect();
        if !text.is_empty() && !self.stopped {
            self.floor = self.frames.len();
            self.enter(Path::new("<command line>"), text.into_bytes(), None);
            while self.next_raw().is_some() {}
            self.floor = 0;
        }
    }

    /// All tokens that are left.
    fn rest(&mut self) -> Vec<Token> {
        let mut out = Vec::new();
        while let Some(token) = self.next_expanded() {
            out.push(token);
            if out.len() > limits::MAX_TOKENS {
                self.too_much();
            }
        }
        out
    }

    /// The tokens of a condition. None if it is binary.
    fn state_condition(&mut self, text: &str) -> Option<Condition> {
        let file = FileId(self.sources.files().len() as u32);
        self.enter(Path::new("<condition>"), text.as_bytes().to_vec(), None);
        let tokens = self.rest();
        let read = self.sources.files().len() > file.index();
        if read {
            self.sources.ask(file);
        }
        read.then_some(Condition { file, tokens })
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.loader.read(path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => format!("there is no file `{}`", path.display()),
            _ => format!("cannot read `{}`: {e}", path.display()),
        })
    }

    /// Starts reading a file; `at` is the include directive.
    fn enter(&mut self, path: &Path, bytes: Vec<u8>, at: Option<Span>) {
        let name = path.display().to_string();
        let complaint = |what: String| match at {
            Some(span) => Diagnostic::error(span, what, "included here"),
            None => Diagnostic::general(what),
        };
        let text = match decode(&name, &bytes) {
            Ok(text) => text,
            Err(what) => return self.fatal(complaint(what)),
        };
        let file = self.sources.add(name, text);
        let tokens: Rc<[Token]> = lex(file, &self.sources.file(file).text, self.diagnostics).into();
        let path = path.to_path_buf();
        self.frames.push(Frame::File(FileFrame { tokens, at: 0, path, conditionals: Vec::new() }));
    }

    /// The next token with directives obeyed, macros not expanded.
    fn next_raw(&mut self) -> Option<Token> {
        if let Some(token) = self.pushed.take() {
            return Some(token);
        }
        loop {
            if self.stopped || self.frames.len() <= self.floor {
                return None;
            }
            match self.frames.last_mut()? {
                Frame::File(f) => {
                    let Some(token) = f.tokens.get(f.at).cloned() else {
                        self.leave_file();
                        continue;
                    };
                    f.at += 1;
                    if token.newline && token.is(Punct::Hash) {
                        self.directive(token.span);
                        continue;
                    }
                    return Some(token);
                }
                Frame::Expansion { tokens, at, of } => {
                    if let Some(token) = tokens.get(*at).cloned() {
                        *at += 1;
                        return Some(token);
                    }
                    if let Some(of) = of {
                        of.active.set(of.active.get() - 1);
                    }
                    self.frames.pop();
                }
            }
        }
    }

    fn leave_file(&mut self) {
        let Some(Frame::File(f)) = self.frames.pop() else { return };
        for open in f.conditionals {
            self.error(
                Diagnostic::error(open.span, "this condition is never closed", "opened here").help("add `#endif`"),
            );
        }
    }

    /// The next token with macros expanded.
    fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let mut token = self.next_raw()?;
            if token.kind == TokenKind::Ident && !token.painted {
                if let Some(found) = self.macros.get(&token.text).cloned() {
                    if found.active.get() > 0 {
                        token.painted = true;
                    } else if self.expand(&found, &token) {
                        continue;
                    }
                } else if token.text.starts_with("__") {
                    self.builtin(&mut token);
                }
            }
            let (newline, space) = std::mem::take(&mut self.pending);
            token.newline |= newline;
            token.space |= space;
            return Some(token);
        }
    }

    fn builtin(&mut self, token: &mut Token) {
        match &*token.text {
            "__LINE__" => {
                token.text = self.sources.position(token.span).line.to_string().into();
                token.kind = TokenKind::Number;
            }
            "__FILE__" => {
                let name = &self.sources.file(token.span.file).name;
                token.text = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")).into();
                token.kind = TokenKind::Str;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
