//! Signatures: the parameters of processes, inlines and macros, and the fields of messages.

use kripke_lang::lexemes::{Lexeme, LexemeKind};
use kripke_lang::symbols::{Symbol, SymbolKind};

use super::Analysis;

/// A signature, and the parameter that is being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The whole signature.
    pub label: String,
    /// The texts of the parameters, each a part of the label.
    pub parameters: Vec<String>,
    /// The index of the parameter that is being typed.
    pub active: usize,
}

impl Analysis {
    /// The signature of the call or message around a byte.
    pub fn signature(&self, offset: usize) -> Option<Signature> {
        let (mut depth, mut active) = (0usize, 0);
        let mut words = self.words_before(offset, false).peekable();
        while let Some(lexeme) = words.next() {
            match self.word(lexeme) {
                ")" | "]" => depth += 1,
                "(" | "[" if depth > 0 => depth -= 1,
                "," if depth == 0 => active += 1,
                "(" => {
                    let name = words.next().filter(|name| name.kind == LexemeKind::Name)?;
                    return self.called(name, active).or_else(|| self.message(name, active + 1));
                }
                "!" | "?" | "!!" | "??" if depth == 0 => {
                    let channel = self.named(self.name_before(lexeme.start)?)?;
                    return self.fields(channel, active);
                }
                ";" | "{" | "}" | "::" | "->" | "[" if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    fn called(&self, name: &Lexeme, active: usize) -> Option<Signature> {
        let symbol = self.named(name)?;
        if !matches!(symbol.kind, SymbolKind::Process | SymbolKind::Macro) {
            return None;
        }
        let parameters = self.parameters(symbol)?;
        Some(Signature { label: format!("{}({})", symbol.name, parameters.join("; ")), parameters, active })
    }

    /// `q!name(`: the message has a name as its first field.
    fn message(&self, name: &Lexeme, active: usize) -> Option<Signature> {
        let operator = self.words_before(name.start, false).next()?;
        if !matches!(self.word(operator), "!" | "?" | "!!" | "??") {
            return None;
        }
        let channel = self.named(self.name_before(operator.start)?)?;
        self.fields(channel, active)
    }

    fn fields(&self, channel: &Symbol, active: usize) -> Option<Signature> {
        let parameters = self.message_fields(channel)?;
        Some(Signature { label: format!("{} {{ {} }}", channel.name, parameters.join(", ")), parameters, active })
    }

    /// The types of the fields of the messages of a channel.
    pub(super) fn message_fields(&self, channel: &Symbol) -> Option<Vec<String>> {
        if channel.kind != SymbolKind::Channel {
            return None;
        }
        let declaration = self.declaration(channel);
        let (_, inside) = declaration.split_once('{')?;
        let inside = inside.split('}').next()?;
        Some(inside.split(',').map(|field| field.trim().to_string()).filter(|field| !field.is_empty()).collect())
    }

    /// The parameters of a process, an inline or a macro, as typed.
    pub(super) fn parameters(&self, symbol: &Symbol) -> Option<Vec<String>> {
        let text = &self.sources.file(symbol.span.file).text;
        let rest = text.get(symbol.span.end as usize..)?;
        let inside = rest.trim_start().strip_prefix('(')?.split(')').next()?;
        let parts = inside.split([';', ',']).map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
        Some(parts.filter(|part| !part.is_empty()).collect())
    }
}
