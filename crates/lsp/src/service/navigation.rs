//! Declarations and references.

use kripke_lang::lexemes::LexemeKind;
use kripke_lang::source::{FileId, Span};

use super::Analysis;

impl Analysis {
    /// The declarations of the name at a byte. Text of a macro that is used in several places can have several; the name of an
    /// included file leads to its start.
    pub fn definition(&self, offset: usize) -> Vec<Span> {
        let mut found: Vec<Span> = self.occurrences_at(offset).iter().map(|o| o.definition).collect();
        found.dedup();
        if found.is_empty() {
            found.extend(self.included(offset));
        }
        if found.is_empty() {
            let name = self.lexemes.iter().find(|l| l.kind == LexemeKind::Name && l.start <= offset && offset <= l.end);
            found.extend(name.and_then(|name| self.named(name)).map(|symbol| symbol.span));
        }
        found
    }

    /// The start of the file whose name is at a byte.
    fn included(&self, offset: usize) -> Option<Span> {
        let line = self.text()[..offset.min(self.text().len())].rfind('\n').map_or(0, |at| at + 1);
        let text = self.text().get(line..)?.lines().next()?;
        let name = text.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let name = name.split(['"', '<', '>']).nth(1)?;
        let ends = |file: &&(usize, String)| file.1.ends_with(name);
        let files: Vec<(usize, String)> =
            self.sources.files().iter().map(|file| file.name.clone()).enumerate().skip(1).collect();
        let (index, _) = files.iter().find(ends)?;
        Some(Span { file: FileId(*index as u32), start: 0, end: 0 })
    }

    /// All places of the name at a byte; the declaration is one of them if `declaration`.
    pub fn references(&self, offset: usize, declaration: bool) -> Vec<Span> {
        let definitions: Vec<Span> = self.occurrences_at(offset).iter().map(|o| o.definition).collect();
        let same = self.occurrences.iter().filter(|o| definitions.contains(&o.definition));
        let mut places: Vec<Span> = same.filter(|o| declaration || o.span != o.definition).map(|o| o.span).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
