//! Completion: the names and words that can stand at a place.

use std::collections::BTreeMap;

use kripke_lang::symbols::{Symbol, SymbolKind};

use super::Analysis;

/// The kind of a completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// A word of the language.
    Keyword,
    /// A declared name.
    Symbol(SymbolKind),
    /// A name that the language predefines.
    Predefined,
}

/// A word that can stand at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The word.
    pub label: String,
    /// Its kind.
    pub kind: CompletionKind,
    /// Its declaration, or nothing.
    pub detail: String,
}

/// Names that Promela predefines.
const PREDEFINED: [&str; 5] = ["_", "_pid", "_nr_pr", "_last", "else"];
/// Directives of Promela's preprocessor.
const DIRECTIVES: [&str; 10] =
    ["define", "undef", "include", "if", "ifdef", "ifndef", "else", "elif", "endif", "error"];
/// Temporal operators of formulas in words.
const TEMPORAL: [&str; 8] =
    ["always", "eventually", "until", "stronguntil", "weakuntil", "release", "implies", "equivalent"];

/// What is being typed.
enum Wanted<'a> {
    /// A part of a process, a variable or a type.
    Members(Option<&'a Symbol>, &'static [SymbolKind]),
    /// A name of these kinds, and nothing else.
    Only(&'static [SymbolKind]),
    Directive,
    Anything,
}

impl Analysis {
    /// The words that can stand at a byte, each once, in alphabetical order.
    pub fn completion(&self, offset: usize) -> Vec<Completion> {
        if self.is_prose(offset) {
            return Vec::new();
        }
        let mut out = BTreeMap::new();
        match self.wanted(offset) {
            Wanted::Members(Some(of), kinds) => self.members(of, kinds, &mut out),
            Wanted::Members(None, kinds) => self.all_of(kinds, &mut out),
            Wanted::Only(kinds) => self.in_scope(offset, &mut out, |kind| kinds.contains(&kind)),
            Wanted::Directive => words(&DIRECTIVES, CompletionKind::Keyword, &mut out),
            Wanted::Anything => self.anything(offset, &mut out),
        }
        out.into_values().collect()
    }

    fn wanted(&self, offset: usize) -> Wanted<'_> {
        let mut before = self.words_before(offset, true);
        let Some(last) = before.next() else { return Wanted::Anything };
        let name = self.name_before(last.start).and_then(|name| self.named(name));
        let is_process = name.is_some_and(|name| matches!(name.kind, SymbolKind::Process | SymbolKind::Property));
        let is_promela = self.language.name() == "promela";
        match self.word(last) {
            "." if is_process => Wanted::Members(name, &[SymbolKind::Label]),
            "." => Wanted::Members(self.type_of(name), &[SymbolKind::Field]),
            "@" => Wanted::Members(name, &[SymbolKind::Label]),
            ":" if is_process => Wanted::Members(name, &[SymbolKind::Local, SymbolKind::Channel]),
            "->" if is_process && !is_promela => Wanted::Members(name, &[SymbolKind::Local]),
            "goto" | "init" | "accept" | "commit" | "trans" => Wanted::Only(&[SymbolKind::Label]),
            "run" => Wanted::Only(&[SymbolKind::Process, SymbolKind::Macro]),
            "sync" => Wanted::Only(&[SymbolKind::Channel]),
            "!" | "?" if !is_promela && self.type_of(name).is_some() => {
                Wanted::Members(self.type_of(name), &[SymbolKind::Constant])
            }
            "#" if is_promela => Wanted::Directive,
            _ => Wanted::Anything,
        }
    }

    /// The type of a variable or channel: the one that its declaration names.
    fn type_of(&self, variable: Option<&Symbol>) -> Option<&Symbol> {
        let variable = variable?;
        let declaration = self.declaration(variable);
        let mut types = self.symbols.all().iter().filter(|symbol| symbol.kind == SymbolKind::Type);
        let is_named = |ty: &&Symbol| {
            let words = declaration.split(|c: char| !c.is_alphanumeric() && c != '_');
            // A variable may have the name of its type.
            words.filter(|word| *word == ty.name).count() > usize::from(ty.name == variable.name)
        };
        types.rfind(is_named)
    }

    fn members(&self, of: &Symbol, kinds: &[SymbolKind], out: &mut BTreeMap<String, Completion>) {
        let all = self.symbols.all();
        let inside = |symbol: &&Symbol| symbol.container.is_some_and(|c| all[c].span == of.span);
        let wanted = all.iter().filter(inside).filter(|symbol| kinds.contains(&symbol.kind));
        wanted.for_each(|symbol| self.offer(symbol, out));
    }

    fn all_of(&self, kinds: &[SymbolKind], out: &mut BTreeMap<String, Completion>) {
        self.symbols.all().iter().filter(|s| kinds.contains(&s.kind)).for_each(|symbol| self.offer(symbol, out));
    }

    /// Names that are declared globally or in the process around a byte.
    fn in_scope(&self, offset: usize, out: &mut BTreeMap<String, Completion>, wanted: impl Fn(SymbolKind) -> bool) {
        let container = self.container(offset);
        let all = self.symbols.all();
        let is_type = |index: usize| all[index].kind == SymbolKind::Type;
        let visible = |symbol: &&Symbol| match symbol.container {
            None => true,
            Some(index) => Some(index) == container || is_type(index) && symbol.kind == SymbolKind::Constant,
        };
        all.iter().filter(visible).filter(|s| wanted(s.kind)).for_each(|symbol| self.offer(symbol, out));
    }

    fn anything(&self, offset: usize, out: &mut BTreeMap<String, Completion>) {
        let is_promela = self.language.name() == "promela";
        words(self.language.keywords(), CompletionKind::Keyword, out);
        if is_promela {
            words(&PREDEFINED, CompletionKind::Predefined, out);
            words(&TEMPORAL, CompletionKind::Keyword, out);
        }
        let labels = !is_promela;
        self.in_scope(offset, out, |kind| match kind {
            SymbolKind::Label => labels,
            SymbolKind::Field => false,
            _ => true,
        });
    }

    fn offer(&self, symbol: &Symbol, out: &mut BTreeMap<String, Completion>) {
        if self.language.keywords().contains(&symbol.name.as_str()) {
            return;
        }
        let completion = Completion {
            label: symbol.name.clone(),
            kind: CompletionKind::Symbol(symbol.kind),
            detail: self.declaration(symbol),
        };
        out.insert(symbol.name.clone(), completion);
    }
}

fn words(list: &[&str], kind: CompletionKind, out: &mut BTreeMap<String, Completion>) {
    for word in list {
        out.insert(word.to_string(), Completion { label: word.to_string(), kind, detail: String::new() });
    }
}
