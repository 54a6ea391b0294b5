//! Guards of edges in disjunctive normal form.

use crate::atoms::{AtomId, Valuation};

/// A conjunction of literals: all atoms in `pos` are true, all atoms in `neg` are false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// The atoms that must be true.
    pub pos: u64,
    /// The atoms that must be false.
    pub neg: u64,
}

impl Cube {
    /// Whether a valuation satisfies the cube.
    pub fn holds(self, valuation: Valuation) -> bool {
        valuation & self.pos == self.pos && valuation & self.neg == 0
    }

    /// The literals in the order of their atoms.
    pub fn literals(self) -> impl Iterator<Item = (AtomId, bool)> {
        let used = self.pos | self.neg;
        (0..u64::BITS).filter(move |i| used >> i & 1 == 1).map(move |i| (AtomId(i), self.pos >> i & 1 == 1))
    }
}

/// A disjunction of cubes. Without cubes it is false; with a cube without literals it is true.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Guard {
    cubes: Vec<Cube>,
}

impl Guard {
    /// The disjunction of these cubes.
    pub fn new(cubes: Vec<Cube>) -> Guard {
        Guard { cubes }
    }

    /// The cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether a valuation satisfies the guard.
    pub fn holds(&self, valuation: Valuation) -> bool {
        self.cubes.iter().any(|c| c.holds(valuation))
    }

    /// Whether the guard contains the cube without literals.
    pub fn is_true(&self) -> bool {
        self.cubes.contains(&Cube::default())
    }

    /// Whether the guard has no cube.
    pub fn is_false(&self) -> bool {
        self.cubes.is_empty()
    }

    /// Text with the given operators: `(p && !q) || r`.
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

/// The boolean operators of an output format.
pub(crate) struct Words<'a> {
    /// The constant true.
    pub yes: &'a str,
    /// The constant false.
    pub no: &'a str,
    /// Conjunction, with blanks.
    pub and: &'a str,
    /// Disjunction, with blanks.
    pub or: &'a str,
}
