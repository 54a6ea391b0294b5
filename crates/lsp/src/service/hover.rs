//! Hover: what is known of the name at a place.

use std::collections::BTreeSet;

use kripke_lang::source::Span;
use kripke_lang::symbols::{Symbol, SymbolKind};
use kripke_model::ir::{ProcessId, Var, VarId};
use kripke_reduce::value_sets::ValueSet;

use super::Analysis;

impl Analysis {
    /// What is known of the name at a byte, as Markdown, and the place of the name.
    pub fn hover(&self, offset: usize) -> Option<(String, Span)> {
        let occurrence = *self.occurrences_at(offset).first()?;
        let symbol = self.symbol_at(occurrence.definition)?;
        let mut out = format!("```{}\n{}\n```\n", self.language.name(), self.declaration(symbol));
        let container = symbol.container.map(|index| &self.symbols.all()[index]);
        let inside = container.map_or(String::new(), |c| format!(" of `{}`", c.name));
        out.push_str(&format!("\n{}{inside}", word(symbol.kind)));
        if let Some(file) = self.sources.files().get(symbol.span.file.index()).filter(|_| symbol.span.file.index() > 0)
        {
            out.push_str(&format!(", declared in `{}`", file.name));
        }
        out.push('\n');
        if let Some(values) = self.values(symbol, container) {
            out.push_str(&format!("\nvalues in reachable states, by analysis: {}\n", shown(&values)));
        }
        if symbol.kind == SymbolKind::Channel {
            out.push_str(&self.directions(symbol));
        }
        Some((out, occurrence.span))
    }

    /// The values that the analysis finds for a variable.
    fn values(&self, symbol: &Symbol, container: Option<&Symbol>) -> Option<ValueSet> {
        let model = self.model.as_ref()?;
        let find = |vars: &[Var]| vars.iter().position(|var| var.name == symbol.name);
        match (symbol.kind, container) {
            (SymbolKind::Global, _) => {
                let var = find(&model.globals)?;
                Some(self.ranges()?.global(VarId(var as u32)).all())
            }
            (SymbolKind::Local, Some(container)) => {
                let process = model.processes.iter().position(|p| p.name == container.name)?;
                let var = find(&model.processes[process].locals)?;
                let sets = self.ranges()?;
                if sets.is_by_instance() {
                    return None;
                }
                Some(sets.local(0, ProcessId(process as u32), VarId(var as u32)).all())
            }
            _ => None,
        }
    }

    /// The processes that send to a channel and receive from it.
    fn directions(&self, channel: &Symbol) -> String {
        let mut users = [BTreeSet::new(), BTreeSet::new()];
        let places = self.occurrences.iter().filter(|o| o.definition == channel.span && o.span.file.index() == 0);
        for place in places {
            let mut after =
                self.lexemes.iter().skip(self.lexemes.partition_point(|l| l.start < place.span.end as usize));
            let mut next = after.next().map_or("", |lexeme| self.word(lexeme));
            if next == "[" {
                next = after.skip_while(|l| self.word(l) != "]").nth(1).map_or("", |lexeme| self.word(lexeme));
            }
            let direction = match next {
                "!" | "!!" => 0,
                "?" | "??" => 1,
                _ => continue,
            };
            let container = self.container(place.span.start as usize);
            users[direction].extend(container.map(|index| self.symbols.all()[index].name.clone()));
        }
        let list = |set: &BTreeSet<String>| set.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let line =
            |what: &str, set| if list(set).is_empty() { String::new() } else { format!("\n{what}: {}\n", list(set)) };
        line("sent by", &users[0]) + &line("received by", &users[1])
    }
}

fn word(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Process => "process",
        SymbolKind::Global => "global variable",
        SymbolKind::Local => "local variable",
        SymbolKind::Channel => "channel",
        SymbolKind::Label => "label",
        SymbolKind::Property => "property",
        SymbolKind::Macro => "macro or inline",
        SymbolKind::Constant => "constant",
        SymbolKind::Type => "type",
        SymbolKind::Field => "field",
    }
}

/// A set of values: all of them if they are few, otherwise the range.
fn shown(values: &ValueSet) -> String {
    match values.values().filter(|values| values.len() <= 8) {
        Some(list) => list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        None => format!("{}..{}", values.low(), values.high()),
    }
}
