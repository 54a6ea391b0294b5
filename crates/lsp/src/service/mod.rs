//! The language service: questions of an editor about a text, answered with plain data.
//!
//! An [`Analysis`] is what is known of one version of a text and of the files that it includes. It never changes and can be used
//! by several threads. Places are bytes ([`Span`]); [`crate::text`] converts them.

mod completion;
mod context;
mod fixes;
mod hints;
mod hover;
mod lenses;
mod navigation;
mod outline;
mod rename;
mod signature;
mod tokens;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kripke_lang::diagnostic::Diagnostic;
use kripke_lang::lexemes::Lexeme;
use kripke_lang::occurrences::Occurrence;
use kripke_lang::source::{FileId, Loader, Sources, Span};
use kripke_lang::symbols::{Symbol, Symbols};
use kripke_lang::{Language, LoadOptions, load};
use kripke_model::{Interpreter, Model};
use kripke_reduce::value_sets::ValueSets;

use crate::uri;

pub use completion::{Completion, CompletionKind};
pub use fixes::Fix;
pub use hints::Hint;
pub use lenses::{Action, Lens};
pub use outline::Outlined;
pub use rename::{Edit, Renamed};
pub use signature::Signature;
pub use tokens::{Fold, TOKEN_TYPES, Token};

/// What is known of a text.
#[derive(Debug)]
pub struct Analysis {
    /// The name of the file.
    pub path: PathBuf,
    /// The language.
    pub language: Language,
    /// All files read; the first one is the text.
    pub sources: Sources,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Declared names.
    pub symbols: Symbols,
    /// Places of names, in the order of the text.
    pub occurrences: Vec<Occurrence>,
    /// The words, symbols and comments of the text.
    pub lexemes: Vec<Lexeme>,
    /// The model, if there is no error.
    pub model: Option<Arc<Model>>,
    /// The normal paths of the files that were looked for, found or not.
    pub reads: Vec<PathBuf>,
    text: Arc<str>,
    ranges: OnceLock<Option<ValueSets>>,
}

/// The text under its name, and all other files from a source of files.
struct Overlay<'a> {
    path: &'a Path,
    text: &'a str,
    others: &'a dyn Loader,
    reads: Mutex<Vec<PathBuf>>,
}

impl Loader for Overlay<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let normal = uri::normal(path);
        if normal == uri::normal(self.path) {
            return Ok(self.text.as_bytes().to_vec());
        }
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push(normal);
        self.others.read(path)
    }
}

impl Analysis {
    /// Analyses a text. Files that it includes come from `others`.
    pub fn new(path: &Path, text: Arc<str>, others: &dyn Loader) -> Analysis {
        let language = Language::of(path);
        let overlay = Overlay { path, text: &text, others, reads: Mutex::default() };
        let loaded = load(path, &overlay, &LoadOptions::default());
        let reads = overlay.reads.into_inner().unwrap_or_else(PoisonError::into_inner);
        Analysis {
            path: path.to_path_buf(),
            language,
            lexemes: language.lexemes(&text),
            sources: loaded.sources,
            diagnostics: loaded.diagnostics,
            symbols: loaded.symbols,
            occurrences: loaded.occurrences,
            model: loaded.model.map(Arc::new),
            reads,
            text,
            ranges: OnceLock::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in the style of its language.
    pub fn formatted(&self) -> String {
        kripke_lang::format::format(&self.path, None, &self.text)
    }

    /// The normal path of a file.
    pub(crate) fn path_of(&self, file: FileId) -> PathBuf {
        uri::normal(Path::new(&self.sources.file(file).name))
    }

    /// The place of a lexeme of the text.
    fn span(&self, lexeme: &Lexeme) -> Span {
        Span { file: FileId(0), start: lexeme.start as u32, end: lexeme.end as u32 }
    }

    /// The occurrences at a byte of the text, also directly behind a name.
    fn occurrences_at(&self, offset: usize) -> Vec<Occurrence> {
        let first = self.occurrences.partition_point(|o| (o.span.file, (o.span.end as usize)) < (FileId(0), offset));
        let rest = self.occurrences[first.saturating_sub(8)..].iter();
        let near = rest.take_while(|o| o.span.file == FileId(0) && o.span.start as usize <= offset);
        let touching: Vec<Occurrence> = near.filter(|o| offset <= o.span.end as usize).copied().collect();
        let inside = touching.iter().any(|o| offset < o.span.end as usize);
        touching.into_iter().filter(|o| !inside || offset < o.span.end as usize).collect()
    }

    /// The symbol that is declared at a place.
    fn symbol_at(&self, definition: Span) -> Option<&Symbol> {
        self.symbols.all().iter().find(|symbol| symbol.span == definition)
    }

    /// The values that variables can have, found by analysis.
    fn ranges(&self) -> Option<&ValueSets> {
        let analyse = || {
            let interpreter = Interpreter::new(Arc::clone(self.model.as_ref()?)).ok()?;
            Some(ValueSets::new(&interpreter))
        };
        self.ranges.get_or_init(analyse).as_ref()
    }
}
