//! Formulas of Hennessy–Milner logic that tell blocks of a partition apart (Cleaveland 1990; Korver 1991 for branching
//! bisimulation). Equal formulas are shared.

use std::collections::HashMap;

use super::lts::{HIDDEN, Lts};
use super::partition::Round;

/// The number of a formula.
pub type Formula = usize;

/// A formula. Its parts are other formulas.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// True in every state that has this mark.
    Mark(u32),
    /// Negation.
    Not(Formula),
    /// Conjunction; true if it is empty.
    And(Vec<Formula>),
    /// Some transition of this label leads to a state with the formula.
    Can(u32, Formula),
    /// The first formula holds along hidden transitions, until a transition of this label leads to a state with the second one.
    Until(Formula, u32, Formula),
}

/// Formulas, which share their parts.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    /// The formulas by number; parts come before the whole.
    pub terms: Vec<Term>,
    known: HashMap<Term, Formula>,
}

impl Formulas {
    fn add(&mut self, term: Term) -> Formula {
        let next = self.terms.len();
        let number = *self.known.entry(term.clone()).or_insert(next);
        if number == next {
            self.terms.push(term);
        }
        number
    }

    fn not(&mut self, formula: Formula) -> Formula {
        match self.terms[formula] {
            Term::Not(inner) => inner,
            _ => self.add(Term::Not(formula)),
        }
    }

    fn all(&mut self, mut parts: Vec<Formula>) -> Formula {
        parts.sort_unstable();
        parts.dedup();
        if let [one] = parts[..] { one } else { self.add(Term::And(parts)) }
    }
}

/// Constructs formulas from the rounds of a refinement.
#[derive(Debug)]
pub(super) struct Distinguisher<'a> {
    pub lts: &'a Lts,
    pub rounds: &'a [Round],
    /// Whether hidden transitions within a block do not count.
    pub branching: bool,
    pub formulas: Formulas,
    memo: HashMap<(usize, u32, u32), Formula>,
}

impl<'a> Distinguisher<'a> {
    pub fn new(lts: &'a Lts, rounds: &'a [Round], branching: bool) -> Distinguisher<'a> {
        Distinguisher { lts, rounds, branching, formulas: Formulas::default(), memo: HashMap::new() }
    }

    /// A formula that is true in all states of one block of a round and false in all states of another one.
    pub fn formula(&mut self, round: usize, yes: u32, no: u32) -> Formula {
        if let Some(&known) = self.memo.get(&(round, yes, no)) {
            return known;
        }
        let made = self.made(round, yes, no);
        self.memo.insert((round, yes, no), made);
        made
    }

    fn made(&mut self, round: usize, yes: u32, no: u32) -> Formula {
        let rounds = self.rounds;
        let this = &rounds[round];
        if round == 0 {
            let state = this.block.iter().position(|block| *block == yes).unwrap_or(0);
            return self.formulas.add(Term::Mark(self.lts.mark(state as u32)));
        }
        let (parent, other) = (this.parent[yes as usize], this.parent[no as usize]);
        if parent != other {
            return self.formula(round - 1, parent, other);
        }
        let (has, lacks) = (&this.signature[yes as usize], &this.signature[no as usize]);
        let rivals = |label: u32| lacks.iter().filter(|(l, _)| *l == label).count();
        let only = has.iter().filter(|step| lacks.binary_search(step).is_err()).min_by_key(|(label, _)| rivals(*label));
        match only {
            Some(&(label, to)) => self.step(round, label, to, (parent, no)),
            None => {
                let inverse = self.formula(round, no, yes);
                self.formulas.not(inverse)
            }
        }
    }

    /// The formula of a step to a block that the states of block `no`, in the same parent, do not have.
    fn step(&mut self, round: usize, label: u32, to: u32, (parent, no): (u32, u32)) -> Formula {
        let rounds = self.rounds;
        let lacks = &rounds[round].signature[no as usize];
        let inert = self.branching && label == HIDDEN;
        let rivals = lacks.iter().filter(|(l, _)| *l == label).map(|(_, block)| *block).chain(inert.then_some(parent));
        let mut after = Vec::new();
        for rival in rivals {
            after.push(self.formula(round - 1, to, rival));
        }
        let after = self.formulas.all(after);
        if !self.branching {
            return self.formulas.add(Term::Can(label, after));
        }
        let mut before = Vec::new();
        for &(_, left) in lacks.iter().filter(|(l, _)| *l == HIDDEN) {
            before.push(self.formula(round - 1, parent, left));
        }
        let before = self.formulas.all(before);
        self.formulas.add(Term::Until(before, label, after))
    }
}
