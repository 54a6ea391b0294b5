//! Inlay hints: the length of an array whose bound is a name, the fields of messages, the parameters of processes.

use kripke_lang::lexemes::{Lexeme, LexemeKind};
use kripke_lang::symbols::{Symbol, SymbolKind};

use super::Analysis;

/// A text that is shown at a byte but is no part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The byte.
    pub offset: usize,
    /// The text.
    pub label: String,
    /// Whether it names a parameter or a field; otherwise it is a value.
    pub is_parameter: bool,
}

impl Analysis {
    /// The hints between two bytes.
    pub fn hints(&self, start: usize, end: usize) -> Vec<Hint> {
        let mut out = Vec::new();
        let first = self.lexemes.partition_point(|lexeme| lexeme.end < start);
        for at in first..self.lexemes.len() {
            let lexeme = self.lexemes[at];
            if lexeme.start > end {
                break;
            }
            if lexeme.kind == LexemeKind::Name {
                self.hints_of(at, &mut out);
            }
        }
        out.retain(|hint| (start..=end).contains(&hint.offset));
        out
    }

    fn hints_of(&self, at: usize, out: &mut Vec<Hint>) {
        let lexeme = &self.lexemes[at];
        let next = self.lexemes.get(at + 1).map_or("", |next| self.word(next));
        if !matches!(next, "[" | "(" | "!" | "?" | "!!" | "??") {
            return;
        }
        let Some(symbol) = self.exactly(lexeme) else { return };
        match (next, symbol.kind) {
            ("[", _) if symbol.span == self.span(lexeme) => out.extend(self.bound(at, symbol)),
            ("(", SymbolKind::Process) if symbol.span != self.span(lexeme) => {
                let names = self.parameters(symbol).unwrap_or_default();
                let last = |name: &String| {
                    let declared = name.split(':').next().unwrap_or_default();
                    declared.split(' ').next_back().unwrap_or_default().to_string()
                };
                self.arguments(at + 2, &names.iter().map(last).collect::<Vec<_>>(), out);
            }
            ("!" | "?" | "!!" | "??", SymbolKind::Channel) => {
                let fields = self.message_fields(symbol).unwrap_or_default();
                if fields.len() > 1 {
                    self.arguments(at + 2, &fields, out);
                }
            }
            _ => {}
        }
    }

    /// The symbol of a name that the analysis has resolved.
    fn exactly(&self, lexeme: &Lexeme) -> Option<&Symbol> {
        let span = self.span(lexeme);
        let found = self.occurrences.binary_search_by(|o| o.span.cmp(&span)).ok()?;
        self.symbol_at(self.occurrences[found].definition)
    }

    /// The length of a declared array, if its bound is not a number.
    fn bound(&self, at: usize, symbol: &Symbol) -> Option<Hint> {
        let bound = self.lexemes.get(at + 2)?;
        let close = self.lexemes[at..].iter().find(|lexeme| self.word(lexeme) == "]")?;
        if bound.kind == LexemeKind::Number && self.word(self.lexemes.get(at + 3)?) == "]" {
            return None;
        }
        let model = self.model.as_ref()?;
        let container = symbol.container.map(|index| &self.symbols.all()[index].name);
        let vars = match container {
            None => &model.globals,
            Some(name) => &model.processes.iter().find(|process| process.name == *name)?.locals,
        };
        let length = vars.iter().find(|var| var.name == symbol.name)?.dims.first()?;
        Some(Hint { offset: close.start, label: format!(" = {length}"), is_parameter: false })
    }

    /// Names in front of the arguments that start at a lexeme.
    fn arguments(&self, first: usize, names: &[String], out: &mut Vec<Hint>) {
        let (mut depth, mut number, mut begins) = (0usize, 0, true);
        for lexeme in self.lexemes.get(first..).unwrap_or_default() {
            let word = self.word(lexeme);
            if matches!(word, ";" | "->" | "}" | "::" | "fi" | "od") || matches!(word, ")" | "]" | ">") && depth == 0 {
                return;
            }
            if matches!(word, "[" | "<" | "{") && begins && depth == 0 {
                continue;
            }
            // `q!name(data)`: the name is the first field.
            let is_message = first >= 2 && self.word(&self.lexemes[first - 1]) != "(";
            if word == "(" && !begins && depth == 0 && number == 0 && is_message {
                (number, begins) = (1, true);
                continue;
            }
            if begins && lexeme.kind != LexemeKind::Comment {
                let Some(name) = names.get(number) else { return };
                out.push(Hint { offset: lexeme.start, label: format!("{name}: "), is_parameter: true });
                begins = false;
            }
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" => depth -= 1,
                "," if depth == 0 => (number, begins) = (number + 1, true),
                _ => {}
            }
        }
    }
}
