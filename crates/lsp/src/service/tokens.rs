//! Semantic tokens and folding.

use kripke_lang::lexemes::{Lexeme, LexemeKind};
use kripke_lang::symbols::SymbolKind;

use super::Analysis;

/// The types of tokens; a [`Token`] has the index of one.
pub const TOKEN_TYPES: [&str; 13] = [
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "variable",
    "enumMember",
    "function",
    "type",
    "property",
    "macro",
    "label",
    "class",
];

/// A coloured part of the text, on one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// The index of its type in [`TOKEN_TYPES`].
    pub kind: usize,
    /// Whether the name is declared here.
    pub declares: bool,
}

/// A part of the text that can be folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// The first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// Whether it is a comment.
    pub is_comment: bool,
}

impl Analysis {
    /// The tokens of the text, in order.
    pub fn tokens(&self) -> Vec<Token> {
        let mut out = Vec::with_capacity(self.lexemes.len());
        for lexeme in &self.lexemes {
            let Some((kind, declares)) = self.token_kind(lexeme) else { continue };
            let mut start = lexeme.start;
            for line in self.word(lexeme).split_inclusive(['\n', '\r']) {
                let end = start + line.trim_end_matches(['\n', '\r']).len();
                if end > start {
                    out.push(Token { start, end, kind, declares });
                }
                start += line.len();
            }
        }
        out
    }

    fn token_kind(&self, lexeme: &Lexeme) -> Option<(usize, bool)> {
        let plain = |name: &str| TOKEN_TYPES.iter().position(|ty| *ty == name).map(|index| (index, false));
        match lexeme.kind {
            LexemeKind::Keyword => plain("keyword"),
            LexemeKind::Comment => plain("comment"),
            LexemeKind::Text => plain("string"),
            LexemeKind::Number => plain("number"),
            LexemeKind::Symbol if !"()[]{},;".contains(self.word(lexeme)) => plain("operator"),
            LexemeKind::Name => {
                let span = self.span(lexeme);
                let found = self.occurrences.binary_search_by(|o| o.span.cmp(&span)).ok()?;
                let definition = self.occurrences[found].definition;
                let kind = self.symbol_at(definition).map_or("variable", |symbol| token_type(symbol.kind));
                plain(kind).map(|(index, _)| (index, span == definition))
            }
            _ => None,
        }
    }

    /// The parts of the text that can be folded: blocks, choices, comments and conditions of the preprocessor.
    pub fn folds(&self) -> Vec<Fold> {
        let mut out = Vec::new();
        let mut open: Vec<(&str, usize)> = Vec::new();
        let has_lines = |start: usize, end: usize| self.text()[start..end].contains('\n');
        for (at, lexeme) in self.lexemes.iter().enumerate() {
            if lexeme.kind == LexemeKind::Comment {
                if has_lines(lexeme.start, lexeme.end) {
                    out.push(Fold { start: lexeme.start, end: lexeme.end, is_comment: true });
                }
                continue;
            }
            let word = self.word(lexeme);
            let in_directive = at > 0 && self.word(&self.lexemes[at - 1]) == "#";
            let closes: &[&str] = match (in_directive, word) {
                (true, "if" | "ifdef" | "ifndef") => {
                    open.push(("#", lexeme.start));
                    continue;
                }
                (true, "endif") => &["#"],
                (true, _) => continue,
                (_, "{" | "do" | "if" | "IF" | "DO" | "POLL" | "BEGIN") => {
                    open.push((word, lexeme.start));
                    continue;
                }
                (_, "}") => &["{"],
                (_, "od") => &["do"],
                (_, "fi") => &["if"],
                (_, "END") => &["IF", "DO", "POLL", "BEGIN"],
                _ => continue,
            };
            if let Some(index) = open.iter().rposition(|(word, _)| closes.contains(word)) {
                let (_, start) = open[index];
                open.truncate(index);
                if has_lines(start, lexeme.end) {
                    out.push(Fold { start, end: lexeme.end, is_comment: false });
                }
            }
        }
        out.sort_by_key(|fold| (fold.start, fold.end));
        out
    }
}

fn token_type(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Process => "class",
        SymbolKind::Global | SymbolKind::Local | SymbolKind::Channel => "variable",
        SymbolKind::Label => "label",
        SymbolKind::Property => "function",
        SymbolKind::Macro => "macro",
        SymbolKind::Constant => "enumMember",
        SymbolKind::Type => "type",
        SymbolKind::Field => "property",
    }
}
