//! Atomic propositions. A proposition is a number with the text it was written as.

use std::collections::HashMap;

/// A range of bytes in a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The range from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The number of a proposition: its bit in a [`Valuation`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

impl AtomId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of true propositions: bit `i` stands for atom `i`.
pub type Valuation = u64;

/// A proposition: an expression of a modelling language, which this crate does not parse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The text of its first occurrence.
    pub text: String,
    /// The place of its first occurrence.
    pub span: Span,
}

/// The propositions of a formula or an automaton.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    list: Vec<Atom>,
    known: HashMap<String, AtomId>,
}

impl PartialEq for Atoms {
    fn eq(&self, other: &Atoms) -> bool {
        self.list == other.list
    }
}

impl Atoms {
    /// Returns the atom with this text. Blanks are ignored unless they separate two tokens.
    pub fn intern(&mut self, text: &str, span: Span) -> AtomId {
        let key = squeezed(text);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = AtomId(self.list.len() as u32);
        self.known.insert(key, id);
        self.list.push(Atom { text: text.trim().to_string(), span });
        id
    }

    /// The number of propositions.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no propositions.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The proposition with this number.
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.list[id.index()]
    }

    /// All propositions in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (AtomId, &Atom)> {
        self.list.iter().enumerate().map(|(i, a)| (AtomId(i as u32), a))
    }
}

/// Removes the blanks that do not separate two tokens.
fn squeezed(text: &str) -> String {
    let class = |c: char| match c {
        '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' => 0,
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ => 2,
    };
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        let this = class(c);
        if blank && this != 0 && this == last {
            out.push(' ');
        }
        (blank, last) = (false, this);
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_make_no_difference_between_words_and_signs() {
        let mut atoms = Atoms::default();
        let a = atoms.intern("x == 1", Span::new(0, 6));
        assert_eq!(atoms.intern("x==1", Span::new(9, 13)), a);
        assert_eq!(atoms.intern("( y ) == 1", Span::new(0, 10)), atoms.intern("(y)==1", Span::new(0, 6)));
        assert_ne!(atoms.intern("x == 11", Span::new(0, 7)), atoms.intern("x == 1 1", Span::new(0, 8)));
        assert_ne!(atoms.intern("a - -b", Span::new(0, 6)), atoms.intern("a -- b", Span::new(0, 6)));
        assert_eq!((atoms.get(a).text.as_str(), atoms.get(a).span), ("x == 1", Span::new(0, 6)));
    }
}
