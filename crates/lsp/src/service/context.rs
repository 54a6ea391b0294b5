//! The words around a place.

use kripke_lang::lexemes::{Lexeme, LexemeKind};
use kripke_lang::source::Span;
use kripke_lang::symbols::{Symbol, SymbolKind};

use super::Analysis;

impl Analysis {
    /// The words before a byte, without comments, nearest first. A word that ends at the byte is left out if `typing`.
    pub(super) fn words_before(&self, offset: usize, typing: bool) -> impl Iterator<Item = &Lexeme> {
        let end = self.lexemes.partition_point(|lexeme| lexeme.start < offset);
        let words = self.lexemes[..end].iter().rev().filter(|lexeme| lexeme.kind != LexemeKind::Comment);
        let is_typed = move |lexeme: &&Lexeme| typing && lexeme.end >= offset && is_word(lexeme.kind);
        words.skip_while(is_typed)
    }

    /// Whether a byte is inside a comment or a string.
    pub(super) fn is_prose(&self, offset: usize) -> bool {
        let inside = |lexeme: &&Lexeme| lexeme.start < offset && offset <= lexeme.end;
        let lexeme = self.lexemes.iter().rev().find(inside);
        lexeme.is_some_and(|lexeme| match lexeme.kind {
            LexemeKind::Comment => offset < lexeme.end || lexeme.text(self.text()).starts_with("//"),
            LexemeKind::Text => offset < lexeme.end,
            _ => false,
        })
    }

    /// The characters of a lexeme.
    pub(super) fn word(&self, lexeme: &Lexeme) -> &str {
        lexeme.text(self.text())
    }

    /// The name in front of an operator that ends at a byte, with a bracketed index between them left out.
    pub(super) fn name_before(&self, offset: usize) -> Option<&Lexeme> {
        let mut depth = 0;
        for lexeme in self.words_before(offset, false) {
            match self.word(lexeme) {
                "]" => depth += 1,
                "[" if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                _ if lexeme.kind == LexemeKind::Name => return Some(lexeme),
                _ => return None,
            }
        }
        None
    }

    /// The symbol that a lexeme names: by its occurrence, or by its text where the analysis has none.
    pub(super) fn named(&self, lexeme: &Lexeme) -> Option<&Symbol> {
        let span = self.span(lexeme);
        let found = self.occurrences.binary_search_by(|o| o.span.cmp(&span)).ok();
        let exact = found.and_then(|at| self.symbol_at(self.occurrences[at].definition));
        exact.or_else(|| self.symbols.definition(self.word(lexeme), span))
    }

    /// The index of the process or property whose declaration contains a byte.
    pub(super) fn container(&self, offset: usize) -> Option<usize> {
        let encloses = |extent: Span| {
            extent.file.index() == 0 && (extent.start as usize) <= offset && offset <= extent.end as usize
        };
        let is_container = |kind| matches!(kind, SymbolKind::Process | SymbolKind::Property);
        let list = self.symbols.all().iter().enumerate();
        let inside = list.clone().filter(|(_, s)| is_container(s.kind) && encloses(s.extent));
        inside.map(|(index, _)| index).next_back().or_else(|| {
            // A process that is being typed ends where the text does.
            let mut before = list.filter(|(_, s)| is_container(s.kind) && s.span.file.index() == 0);
            let last = before.rfind(|(_, s)| (s.span.start as usize) < offset);
            last.filter(|(_, s)| !self.has_closed(s.extent.end as usize, offset)).map(|(index, _)| index)
        })
    }

    /// Whether a brace is closed between two bytes.
    fn has_closed(&self, start: usize, end: usize) -> bool {
        let from = self.lexemes.partition_point(|lexeme| lexeme.start < start);
        let mut words = self.lexemes[from..].iter().take_while(|lexeme| lexeme.end <= end);
        words.any(|lexeme| self.word(lexeme) == "}")
    }

    /// The statement that declares a symbol, as typed, in one line.
    pub(super) fn declaration(&self, symbol: &Symbol) -> String {
        let text = &self.sources.file(symbol.span.file).text;
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        let head = &text[..start.min(text.len())];
        let line = head.rfind('\n').map_or(0, |at| at + 1);
        let begin = match symbol.kind {
            SymbolKind::Macro | SymbolKind::Process | SymbolKind::Property => line,
            SymbolKind::Constant => head.rfind([';', '\n']).map_or(0, |at| at + 1),
            SymbolKind::Channel => head.rfind([';', '(', '\n']).map_or(0, |at| at + 1),
            _ => head.rfind([';', '{', '}', '(', '\n']).map_or(0, |at| at + 1),
        };
        let tail = &text[end.min(text.len())..];
        let stop: &[char] = match symbol.kind {
            SymbolKind::Process | SymbolKind::Type => &['{', '\n'],
            SymbolKind::Label => &[':', ';', '\n', ',', '}'],
            SymbolKind::Field | SymbolKind::Local => &[';', '\n', ')', '}'],
            SymbolKind::Constant => &[';', '\n'],
            SymbolKind::Property => &['\n'],
            _ => &[';', '\n', ')'],
        };
        let mut length = tail.find(stop).unwrap_or(tail.len());
        if symbol.kind == SymbolKind::Macro || tail.starts_with('(') {
            length = tail.find('\n').unwrap_or(tail.len());
        }
        let declared = text.get(begin..end + length).unwrap_or_default();
        declared.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(['{', '\\', ';', ' ']).to_string()
    }
}

/// Whether lexemes of this kind are words.
pub(super) fn is_word(kind: LexemeKind) -> bool {
    matches!(kind, LexemeKind::Name | LexemeKind::Keyword | LexemeKind::Number)
}
