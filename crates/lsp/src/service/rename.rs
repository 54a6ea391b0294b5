//! Renaming: exact, or refused with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_lang::Language;
use kripke_lang::lexemes::LexemeKind;
use kripke_lang::occurrences::Occurrence;
use kripke_lang::source::{FileId, Loader, Span};
use kripke_lang::symbols::SymbolKind;

use super::Analysis;
use crate::uri;

/// A replacement of a part of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The place of the old text.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The places of files, by their normal paths, at which a name stands that is renamed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Renamed {
    places: BTreeMap<PathBuf, BTreeSet<(u32, u32)>>,
}

impl Renamed {
    fn add(&mut self, analysis: &Analysis, definition: Span) {
        for place in analysis.occurrences.iter().filter(|o| o.definition == definition) {
            let places = self.places.entry(analysis.path_of(place.span.file)).or_default();
            places.insert((place.span.start, place.span.end));
        }
    }

    /// The edits of the files of an analysis, each file once.
    pub fn edits(&self, analysis: &Analysis, new: &str) -> Vec<Edit> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for index in 0..analysis.sources.files().len() as u32 {
            let path = analysis.path_of(FileId(index));
            let places = self.places.get(&path).filter(|_| seen.insert(path.clone()));
            out.extend(places.into_iter().flatten().map(|(start, end)| Edit {
                span: Span { file: FileId(index), start: *start, end: *end },
                text: new.to_string(),
            }));
        }
        out
    }

    fn contains(&self, analysis: &Analysis, span: Span) -> bool {
        let places = self.places.get(&analysis.path_of(span.file));
        places.is_some_and(|places| places.contains(&(span.start, span.end)))
    }

    /// Whether an analysis has read a file with such a place.
    fn concerns(&self, analysis: &Analysis) -> bool {
        (0..analysis.sources.files().len() as u32).any(|file| self.places.contains_key(&analysis.path_of(FileId(file))))
    }

    /// A text after the edits.
    fn apply(&self, path: &Path, text: &str, new: &str) -> String {
        let mut text = text.to_string();
        for (start, end) in self.places.get(path).into_iter().flatten().rev() {
            if text.get(*start as usize..*end as usize).is_some() {
                text.replace_range(*start as usize..*end as usize, new);
            }
        }
        text
    }
}

/// The texts of an analysis after edits.
struct Edited<'a> {
    analysis: &'a Analysis,
    renamed: &'a Renamed,
    new: &'a str,
}

impl Loader for Edited<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = uri::normal(path);
        let mut files = (0..self.analysis.sources.files().len() as u32).map(FileId);
        let file = files.find(|file| self.analysis.path_of(*file) == path).ok_or(io::ErrorKind::NotFound)?;
        Ok(self.renamed.apply(&path, &self.analysis.sources.file(file).text, self.new).into_bytes())
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
        self.is_written(first.definition)?;
        self.unread(self.sources.text(first.definition), &Renamed::default())?;
        Ok(first.span)
    }

    /// The error is the reason why not all places of a declared name can be edited.
    fn is_written(&self, definition: Span) -> Result<(), String> {
        let name = self.sources.text(definition);
        let places = self.occurrences.iter().filter(|o| o.definition == definition);
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
        Ok(())
    }

    /// The error says that a name also occurs in text that has no meaning here and is not renamed for another reason.
    fn unread(&self, name: &str, renamed: &Renamed) -> Result<(), String> {
        for (index, file) in self.sources.files().iter().enumerate() {
            for lexeme in self.language.lexemes(&file.text) {
                let span = Span { file: FileId(index as u32), start: lexeme.start as u32, end: lexeme.end as u32 };
                if lexeme.kind != LexemeKind::Name || lexeme.text(&file.text) != name {
                    continue;
                }
                let is_known = self.occurrences.binary_search_by(|o| o.span.cmp(&span)).is_ok();
                if !is_known && !renamed.contains(self, span) {
                    let line = self.sources.position(span).line;
                    return Err(format!("`{name}` also occurs at line {line}, where it is not known what it means"));
                }
            }
        }
        Ok(())
    }

    /// The edits that rename the name at a byte in the files of this analysis. The error is the reason why the name can't be renamed
    /// exactly.
    pub fn rename(&self, offset: usize, new: &str) -> Result<Vec<Edit>, String> {
        self.rename_with(&[], offset, new).map(|renamed| renamed.edits(self, new))
    }

    /// The places of a rename in the files of this analysis and of others, which may include the same files.
    pub fn rename_with(&self, others: &[Arc<Analysis>], offset: usize, new: &str) -> Result<Renamed, String> {
        self.renameable(offset)?;
        let lexemes = self.language.lexemes(new);
        if lexemes.len() != 1 || lexemes[0].kind != LexemeKind::Name || lexemes[0].end != new.len() {
            return Err(format!("`{new}` is not a name"));
        }
        let found = self.occurrences_at(offset);
        let definition = found.first().map(|o| o.definition).ok_or("there is no declared name here")?;
        self.keeps_meaning(definition, new)?;
        let mut renamed = Renamed::default();
        renamed.add(self, definition);
        let path = self.path_of(definition.file);
        let users = others.iter().map(|other| (other, other.declared_at(&path, definition)));
        let users: Vec<(&Arc<Analysis>, Vec<Span>)> = users.filter(|(_, declared)| !declared.is_empty()).collect();
        users.iter().for_each(|(other, all)| all.iter().for_each(|declared| renamed.add(other, *declared)));
        for (other, declared) in users {
            let is_fit = |of: &Span| other.is_written(*of).and_then(|()| other.keeps_meaning(*of, new));
            let known = declared
                .iter()
                .try_for_each(is_fit)
                .and_then(|()| other.unread(self.sources.text(definition), &renamed));
            known.map_err(|why| format!("{}: {why}", other.path.display()))?;
        }
        let wrong = || format!("`{new}` has another meaning at one of the places");
        if !self.keeps_shape(&renamed, new) {
            return Err(wrong());
        }
        match others.iter().find(|other| renamed.concerns(other) && !other.keeps_shape(&renamed, new)) {
            Some(other) => Err(format!("{} includes the file too, and there {}", other.path.display(), wrong())),
            None => Ok(renamed),
        }
    }

    /// The declarations at a place of a file with this path that have occurrences here.
    fn declared_at(&self, path: &Path, place: Span) -> Vec<Span> {
        let files = (0..self.sources.files().len() as u32).map(FileId).filter(|file| self.path_of(*file) == path);
        let spans = files.map(|file| Span { file, ..place });
        spans.filter(|span| self.occurrences.iter().any(|o| o.definition == *span)).collect()
    }

    /// Whether all names mean the same after a rename.
    fn keeps_shape(&self, renamed: &Renamed, new: &str) -> bool {
        let text = renamed.apply(&uri::normal(&self.path), self.text(), new);
        let after = Analysis::new(&self.path, Arc::from(text), &Edited { analysis: self, renamed, new });
        self.shape() == after.shape() && self.diagnostics.len() == after.diagnostics.len()
    }

    /// The error is the reason why a new name means more than the old one, or less.
    fn keeps_meaning(&self, definition: Span, new: &str) -> Result<(), String> {
        let old = self.sources.text(definition);
        if self.is_label(definition) && class(old) != class(new) {
            let prefix = class(old).or(class(new)).unwrap_or_default();
            return Err(format!("labels that start with `{prefix}` have a meaning of their own"));
        }
        let is_macro = self.sources.uses().iter().any(|(_, of)| *of == definition);
        if is_macro { self.unread(new, &Renamed::default()) } else { Ok(()) }
    }

    /// Whether a label of Promela is declared at a place. Those of inlines and macros are no symbols and known by their colon.
    fn is_label(&self, definition: Span) -> bool {
        let rest = &self.sources.file(definition.file).text[definition.end as usize..];
        let is_other = self.symbol_at(definition).is_some_and(|symbol| symbol.kind != SymbolKind::Label);
        self.language.name() == Language::PROMELA.name() && rest.trim_start().starts_with(':') && !is_other
    }

    /// Occurrences by number, each with the number of its declaration.
    fn shape(&self) -> Vec<(usize, usize)> {
        let mut spans: Vec<Span> = self.occurrences.iter().map(|o| o.span).collect();
        spans.dedup();
        let number = |span: Span| spans.binary_search(&span).unwrap_or(usize::MAX);
        self.occurrences.iter().map(|o| (number(o.span), number(o.definition))).collect()
    }
}

/// The prefix that gives a label of Promela a meaning.
fn class(label: &str) -> Option<&'static str> {
    ["end", "accept", "progress"].into_iter().find(|prefix| label.starts_with(prefix))
}
