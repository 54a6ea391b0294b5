//! Conditions on valuations: alternatives, each a conjunction of literals.

use crate::atoms::{AtomId, Valuation};

/// A conjunction of literals: all atoms of `pos` are true, all of `neg` false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    pub pos: u64,
    pub neg: u64,
}

impl Cube {
    pub fn holds(self, valuation: Valuation) -> bool {
        valuation & self.pos == self.pos && valuation & self.neg == 0
    }

    /// The literals, by atom.
    pub fn literals(self) -> impl Iterator<Item = (AtomId, bool)> {
        let used = self.pos | self.neg;
        (0..u64::BITS).filter(move |i| used >> i & 1 == 1).map(move |i| (AtomId(i), self.pos >> i & 1 == 1))
    }
}

/// A disjunction of cubes: nothing at all is false, one cube without literals is true.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Guard {
    cubes: Vec<Cube>,
}

impl Guard {
    pub fn new(cubes: Vec<Cube>) -> Guard {
        Guard { cubes }
    }

    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    pub fn holds(&self, valuation: Valuation) -> bool {
        self.cubes.iter().any(|c| c.holds(valuation))
    }

    pub fn is_true(&self) -> bool {
        self.cubes.contains(&Cube::default())
    }

    pub fn is_false(&self) -> bool {
        self.cubes.is_empty()
    }

    /// As text, with the operators given: `(p && !q) || r`.
    pub(crate) fn text(&self, words: &Words<'_>, atom: impl Fn(AtomId) -> String) -> String {
        if self.is_true() {
            return words.yes.to_string();
        }
        if self.is_false() {
            return words.no.to_string();
        }
        let cubes = self.cubes.iter().map(|cube| {
            let literals: Vec<String> =
                cube.literals().map(|(a, positive)| if positive { atom(a) } else { format!("!{}", atom(a)) }).collect();
            let text = literals.join(words.and);
            if literals.len() > 1 && self.cubes.len() > 1 { format!("({text})") } else { text }
        });
        cubes.collect::<Vec<String>>().join(words.or)
    }
}

/// How a format writes boolean operators.
pub(crate) struct Words<'a> {
    pub yes: &'a str,
    pub no: &'a str,
    pub and: &'a str,
    pub or: &'a str,
}
