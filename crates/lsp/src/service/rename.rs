//! Renaming: exact, or refused with the reason.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use kripke_lang::lexemes::LexemeKind;
use kripke_lang::occurrences::Occurrence;
use kripke_lang::source::{FileId, Loader, Span};

use super::Analysis;

/// A replacement of a part of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The place of the old text.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The texts of an analysis after edits.
struct Edited<'a> {
    analysis: &'a Analysis,
    texts: BTreeMap<u32, String>,
}

impl Loader for Edited<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let name = path.display().to_string();
        let files = self.analysis.sources.files();
        let index = files.iter().position(|file| file.name == name).ok_or(io::ErrorKind::NotFound)?;
        let text = self.texts.get(&(index as u32)).unwrap_or(&files[index].text);
        Ok(text.clone().into_bytes())
    }
}

impl Analysis {
    /// The place of the name at a byte, if it can be renamed. The error is the reason why not.
    pub fn renameable(&self, offset: usize) -> Result<Span, String> {
        let found = self.occurrences_at(offset);
        let Some(first) = found.first() else { return Err("there is no declared name here".to_string()) };
        if found.iter().any(|o| o.definition != first.definition) {
            return Err("this text is expanded in several places and has different declarations there".to_string());
        }
        let name = self.sources.text(first.definition);
        let places = self.occurrences.iter().filter(|o| o.definition == first.definition);
        for place in places {
            if self.sources.text(place.span) != name {
                let line = self.sources.position(place.span).line;
                return Err(format!("a macro composes this name, at line {line}"));
            }
            let elsewhere = |o: &&Occurrence| o.span == place.span && o.definition != place.definition;
            if self.occurrences.iter().any(|o| elsewhere(&o)) {
                let line = self.sources.position(place.span).line;
                return Err(format!(
                    "line {line} is expanded in several places, where the name has other declarations"
                ));
            }
        }
        self.unread(name).map_or(Ok(first.span), Err)
    }

    /// Why a name can't be renamed that also occurs in text of the preprocessor that has no meaning here.
    fn unread(&self, name: &str) -> Option<String> {
        for (index, file) in self.sources.files().iter().enumerate() {
            for lexeme in self.language.lexemes(&file.text) {
                let span = Span { file: FileId(index as u32), start: lexeme.start as u32, end: lexeme.end as u32 };
                if lexeme.kind != LexemeKind::Name || lexeme.text(&file.text) != name {
                    continue;
                }
                if self.occurrences.binary_search_by(|o| o.span.cmp(&span)).is_err() {
                    let line = self.sources.position(span).line;
                    return Some(format!("`{name}` also occurs at line {line}, where it is not known what it means"));
                }
            }
        }
        None
    }

    /// The edits that rename the name at a byte. The error is the reason why the name can't be renamed exactly.
    pub fn rename(&self, offset: usize, new: &str) -> Result<Vec<Edit>, String> {
        self.renameable(offset)?;
        let lexemes = self.language.lexemes(new);
        if lexemes.len() != 1 || lexemes[0].kind != LexemeKind::Name || lexemes[0].end != new.len() {
            return Err(format!("`{new}` is not a name"));
        }
        let places = self.references(offset, true);
        let edits: Vec<Edit> = places.iter().map(|span| Edit { span: *span, text: new.to_string() }).collect();
        let edited = Edited { analysis: self, texts: self.apply(&edits) };
        let text = edited.texts.get(&0).cloned().unwrap_or_else(|| self.text().to_string());
        let after = Analysis::new(&self.path, Arc::from(text), &edited);
        let same = self.shape() == after.shape() && self.diagnostics.len() == after.diagnostics.len();
        if same { Ok(edits) } else { Err(format!("`{new}` has another meaning at one of the places")) }
    }

    /// Occurrences by number, each with the number of its declaration.
    fn shape(&self) -> Vec<(usize, usize)> {
        let mut spans: Vec<Span> = self.occurrences.iter().map(|o| o.span).collect();
        spans.dedup();
        let number = |span: Span| spans.binary_search(&span).unwrap_or(usize::MAX);
        self.occurrences.iter().map(|o| (number(o.span), number(o.definition))).collect()
    }

    /// The texts of the files that edits change.
    fn apply(&self, edits: &[Edit]) -> BTreeMap<u32, String> {
        let mut texts = BTreeMap::new();
        for edit in edits.iter().rev() {
            let file = edit.span.file;
            let text = texts.entry(file.0).or_insert_with(|| self.sources.file(file).text.clone());
            text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        }
        texts
    }
}
