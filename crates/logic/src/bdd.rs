//! Reduced ordered binary decision bdds (Bryant 1986). A function has exactly one diagram, so equality of
//! functions is equality of numbers. Automata are built and reduced with BDDs as labels; the public automata have
//! guards instead.

use std::collections::HashMap;

use crate::guard::{Cube, Guard};
use crate::limits;
use crate::problem::TooLarge;

/// A boolean function of the atoms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bdd(u32);

impl Bdd {
    /// The constant false.
    pub const FALSE: Bdd = Bdd(0);
    /// The constant true.
    pub const TRUE: Bdd = Bdd(1);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    atom: u32,
    low: Bdd,
    high: Bdd,
}

/// The unique table and the operation caches of all functions of one automaton.
pub struct Bdds {
    nodes: Vec<Node>,
    known: HashMap<Node, Bdd>,
    conjunctions: HashMap<(Bdd, Bdd), Bdd>,
    negations: HashMap<Bdd, Bdd>,
}

/// The variable of the constants, which is ordered after all atoms.
const LEAF: u32 = u32::MAX;

impl Bdds {
    /// A table with the two constants.
    pub fn new() -> Bdds {
        let leaf = |d| Node { atom: LEAF, low: d, high: d };
        Bdds {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            known: HashMap::new(),
            conjunctions: HashMap::new(),
            negations: HashMap::new(),
        }
    }

    /// Fails if there are more nodes than [`limits::MAX_BDD_NODES`]. Operations may exceed the limit slightly
    /// before the check.
    pub fn check(&self) -> Result<(), TooLarge> {
        if self.nodes.len() <= limits::MAX_BDD_NODES {
            return Ok(());
        }
        Err(TooLarge::new("the formula is too large: the conditions of its automaton are too complex"))
    }

    fn node(&mut self, atom: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        // Beyond the limit results are wrong but small. Callers call `check` before they use a result.
        if self.nodes.len() > limits::MAX_BDD_NODES {
            return Bdd::FALSE;
        }
        let nodes = &mut self.nodes;
        *self.known.entry(Node { atom, low, high }).or_insert_with(|| {
            nodes.push(Node { atom, low, high });
            Bdd(nodes.len() as u32 - 1)
        })
    }

    fn get(&self, d: Bdd) -> Node {
        self.nodes[d.0 as usize]
    }

    /// The function that is true if the atom has this value.
    pub fn literal(&mut self, atom: usize, positive: bool) -> Bdd {
        let (low, high) = if positive { (Bdd::FALSE, Bdd::TRUE) } else { (Bdd::TRUE, Bdd::FALSE) };
        self.node(atom as u32, low, high)
    }

    /// Negation.
    pub fn not(&mut self, a: Bdd) -> Bdd {
        match a {
            Bdd::FALSE => return Bdd::TRUE,
            Bdd::TRUE => return Bdd::FALSE,
            _ => {}
        }
        if let Some(known) = self.negations.get(&a) {
            return *known;
        }
        let node = self.get(a);
        let (low, high) = (self.not(node.low), self.not(node.high));
        let result = self.node(node.atom, low, high);
        self.negations.insert(a, result);
        self.negations.insert(result, a);
        result
    }

    /// Conjunction.
    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        match (a, b) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => return Bdd::FALSE,
            (Bdd::TRUE, other) | (other, Bdd::TRUE) => return other,
            _ if a == b => return a,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.conjunctions.get(&key) {
            return *known;
        }
        let atom = self.get(a).atom.min(self.get(b).atom);
        let ((a0, a1), (b0, b1)) = (self.cofactors(a, atom), self.cofactors(b, atom));
        let (low, high) = (self.and(a0, b0), self.and(a1, b1));
        let result = self.node(atom, low, high);
        self.conjunctions.insert(key, result);
        result
    }

    fn cofactors(&self, d: Bdd, atom: u32) -> (Bdd, Bdd) {
        let node = self.get(d);
        if node.atom == atom { (node.low, node.high) } else { (d, d) }
    }

    /// Disjunction.
    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// The difference: `a && !b`.
    pub fn without(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let not_b = self.not(b);
        self.and(a, not_b)
    }

    /// The function of a guard.
    pub fn of_guard(&mut self, guard: &Guard) -> Bdd {
        let mut any = Bdd::FALSE;
        for cube in guard.cubes() {
            let mut all = Bdd::TRUE;
            for atom in (0..limits::MAX_ATOMS).rev() {
                let bit = 1u64 << atom;
                if (cube.pos | cube.neg) & bit != 0 {
                    let literal = self.literal(atom, cube.pos & bit != 0);
                    all = self.and(all, literal);
                }
            }
            any = self.or(any, all);
        }
        any
    }

    /// The function as an irredundant sum of products (Minato 1992, by Morreale's recursion).
    pub fn guard(&mut self, d: Bdd) -> Result<Guard, TooLarge> {
        let mut cubes = Vec::new();
        self.products(d, d, Cube::default(), &mut cubes)?;
        Ok(Guard::new(cubes))
    }

    /// Adds cubes that cover `least` and are covered by `most`, each within `here`. Returns the function that the
    /// cubes cover.
    fn products(&mut self, least: Bdd, most: Bdd, here: Cube, out: &mut Vec<Cube>) -> Result<Bdd, TooLarge> {
        if least == Bdd::FALSE {
            return Ok(Bdd::FALSE);
        }
        if out.len() >= limits::MAX_CUBES {
            return Err(TooLarge::new(format!("a guard has over {} alternatives", limits::MAX_CUBES)));
        }
        if most == Bdd::TRUE {
            out.push(here);
            return Ok(Bdd::TRUE);
        }
        let atom = self.get(least).atom.min(self.get(most).atom);
        let bit = 1u64 << atom;
        let ((l0, l1), (m0, m1)) = (self.cofactors(least, atom), self.cofactors(most, atom));
        let only_low = self.without(l0, m1);
        let low = self.products(only_low, m0, Cube { neg: here.neg | bit, ..here }, out)?;
        let only_high = self.without(l1, m0);
        let high = self.products(only_high, m1, Cube { pos: here.pos | bit, ..here }, out)?;
        let (rest_low, rest_high) = (self.without(l0, low), self.without(l1, high));
        let (rest, common) = (self.or(rest_low, rest_high), self.and(m0, m1));
        let both = self.products(rest, common, here, out)?;
        let (low, high) = (self.or(low, both), self.or(high, both));
        Ok(self.node(atom, low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_say_the_same_as_diagrams() {
        let mut bdds = Bdds::new();
        // All functions of three atoms.
        for table in 0..256u32 {
            let mut d = Bdd::FALSE;
            for row in (0..8u64).filter(|row| table >> row & 1 == 1) {
                let cube = Cube { pos: row, neg: !row & 7 };
                let minterm = bdds.of_guard(&Guard::new(vec![cube]));
                d = bdds.or(d, minterm);
            }
            let guard = bdds.guard(d).unwrap();
            for row in 0..8u64 {
                assert_eq!(guard.holds(row), table >> row & 1 == 1, "{table:08b} at {row:03b}: {guard:?}");
            }
            assert_eq!(bdds.of_guard(&guard), d);
            assert!(guard.cubes().len() <= 4, "{table:08b}: {guard:?}");
        }
    }
}
