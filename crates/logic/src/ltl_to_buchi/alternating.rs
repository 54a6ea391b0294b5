//! The very weak alternating automaton of a formula (Gastin and Oddoux, CAV 2001), constructed on demand.
//!
//! Its states, the *obligations*, are subformulas; a set of obligations is a conjunction. A move fulfils a part of
//! the obligations and determines the set that remains. An until that is postponed by a move is *pending* on it; a
//! run is accepting if no until is pending forever. `GF a` has a rule of its own: it always remains an obligation,
//! and its eventuality is pending on moves that do not choose `a`, so `F a` never becomes an obligation (compare the
//! suspension of Babiak et al., TACAS 2012).

use std::collections::HashMap;
use std::rc::Rc;

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::limits;
use crate::nnf::{Term, TermId, Terms};
use crate::problem::TooLarge;

/// A set of obligations, one bit each.
pub type Obligations = u128;

/// A move of a set of obligations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Move {
    /// The remaining obligations.
    pub to: Obligations,
    /// The pending untils, one bit each.
    pub pending: Marks,
    /// The condition on the valuation.
    pub label: Bdd,
}

impl Move {
    const FREE: Move = Move { to: 0, pending: 0, label: Bdd::TRUE };
}

/// The alternating automaton of a formula.
pub struct Alternating<'a> {
    /// The terms, which are the states.
    pub terms: &'a mut Terms,
    /// The decision bdds of the labels.
    pub bdds: &'a mut Bdds,
    obligations: Vec<TermId>,
    numbers: HashMap<TermId, u32>,
    untils: HashMap<TermId, u32>,
    moves: HashMap<TermId, Rc<[Move]>>,
    smallest: HashMap<Obligations, Obligations>,
    combinations: usize,
}

impl<'a> Alternating<'a> {
    /// An automaton without states.
    pub fn new(terms: &'a mut Terms, bdds: &'a mut Bdds) -> Alternating<'a> {
        Alternating {
            terms,
            bdds,
            obligations: Vec::new(),
            numbers: HashMap::new(),
            untils: HashMap::new(),
            moves: HashMap::new(),
            smallest: HashMap::new(),
            combinations: 0,
        }
    }

    /// The number of untils that can be pending.
    pub fn until_count(&self) -> u32 {
        self.untils.len() as u32
    }

    fn obligation(&mut self, term: TermId) -> Result<Obligations, TooLarge> {
        if let Some(number) = self.numbers.get(&term) {
            return Ok(1 << number);
        }
        let number = self.obligations.len() as u32;
        if self.obligations.len() >= limits::MAX_OBLIGATIONS {
            let most = limits::MAX_OBLIGATIONS;
            return Err(TooLarge::new(format!("the formula is too large: it has over {most} temporal subformulas")));
        }
        self.obligations.push(term);
        self.numbers.insert(term, number);
        Ok(1 << number)
    }

    fn until(&mut self, term: TermId) -> Result<Marks, TooLarge> {
        let next = self.untils.len() as u32;
        if next as usize >= limits::MAX_SETS && !self.untils.contains_key(&term) {
            let most = limits::MAX_SETS;
            return Err(TooLarge::new(format!("the formula is too large: it has over {most} eventualities")));
        }
        Ok(1 << *self.untils.entry(term).or_insert(next))
    }

    /// The moves of a set of obligations: the combinations of the moves of its elements.
    pub fn moves_of_set(&mut self, set: Obligations) -> Result<Vec<Move>, TooLarge> {
        let mut all = vec![Move::FREE];
        for number in 0..self.obligations.len() {
            if set >> number & 1 == 1 {
                let moves = self.moves(self.obligations[number])?;
                all = self.product(&all, &moves)?;
            }
        }
        Ok(all)
    }

    /// The moves of a term.
    pub fn moves(&mut self, term: TermId) -> Result<Rc<[Move]>, TooLarge> {
        if let Some(known) = self.moves.get(&term) {
            return Ok(Rc::clone(known));
        }
        let mut moves = self.first_moves(term)?;
        self.prune(&mut moves)?;
        let moves: Rc<[Move]> = moves.into();
        self.moves.insert(term, Rc::clone(&moves));
        Ok(moves)
    }

    fn first_moves(&mut self, term: TermId) -> Result<Vec<Move>, TooLarge> {
        Ok(match self.terms.get(term).clone() {
            Term::False => Vec::new(),
            Term::True => vec![Move::FREE],
            Term::Literal(a, positive) => {
                vec![Move { label: self.bdds.literal(a.index(), positive), ..Move::FREE }]
            }
            Term::Or(parts) => {
                let mut all = Vec::new();
                for part in &parts {
                    all.extend_from_slice(&self.moves(*part)?);
                }
                all
            }
            Term::And(parts) => {
                let mut all = vec![Move::FREE];
                for part in &parts {
                    let moves = self.moves(*part)?;
                    all = self.product(&all, &moves)?;
                }
                all
            }
            Term::Next(a) => self.alternatives(a)?.into_iter().map(|to| Move { to, ..Move::FREE }).collect(),
            Term::Until(a, b) => {
                let put_off = Move { to: self.obligation(term)?, pending: self.until(term)?, ..Move::FREE };
                let waiting = self.moves(a)?;
                let mut all = self.product(&waiting, &[put_off])?;
                all.extend_from_slice(&self.moves(b)?);
                all
            }
            Term::Release(a, b) => {
                let stay = Move { to: self.obligation(term)?, ..Move::FREE };
                if let Some(inner) = self.terms.infinitely_often(term) {
                    let moves = self.moves(inner)?;
                    let mut all = self.product(&moves, &[stay])?;
                    all.push(Move { pending: self.until(b)?, ..stay });
                    return Ok(all);
                }
                let mut released = self.moves(a)?.to_vec();
                released.push(stay);
                let moves = self.moves(b)?;
                self.product(&released, &moves)?
            }
        })
    }

    /// The disjunctive normal form of a term: alternatives, each a set of obligations.
    pub fn alternatives(&mut self, term: TermId) -> Result<Vec<Obligations>, TooLarge> {
        if term == TermId::TRUE {
            return Ok(vec![0]);
        }
        if term == TermId::FALSE {
            return Ok(Vec::new());
        }
        let temporal = self.terms.is_temporal(term);
        match self.terms.get(term).clone() {
            Term::Or(parts) if temporal => {
                let mut all = Vec::new();
                for part in &parts {
                    all.extend(self.alternatives(*part)?);
                }
                all.sort_unstable();
                all.dedup();
                Ok(all)
            }
            Term::And(parts) if temporal => {
                let mut all = vec![0];
                for part in &parts {
                    let further = self.alternatives(*part)?;
                    self.count(all.len() * further.len())?;
                    all = all.iter().flat_map(|x| further.iter().map(move |y| x | y)).collect();
                    all.sort_unstable();
                    all.dedup();
                }
                Ok(all)
            }
            _ => Ok(vec![self.obligation(term)?]),
        }
    }

    fn count(&mut self, combinations: usize) -> Result<(), TooLarge> {
        self.combinations += combinations;
        if self.combinations > limits::MAX_COMBINATIONS {
            return Err(TooLarge::new("the automaton of this formula would be too large: there are too many cases"));
        }
        self.bdds.check()
    }

    fn product(&mut self, left: &[Move], right: &[Move]) -> Result<Vec<Move>, TooLarge> {
        self.count(left.len() * right.len())?;
        let mut all = Vec::new();
        for a in left {
            for b in right {
                let label = self.bdds.and(a.label, b.label);
                if label != Bdd::FALSE {
                    all.push(Move { to: a.to | b.to, pending: a.pending | b.pending, label });
                }
            }
        }
        self.prune(&mut all)?;
        Ok(all)
    }

    /// Merges moves that differ in their labels only, and subtracts from each move the letters of moves with fewer
    /// obligations.
    fn prune(&mut self, moves: &mut Vec<Move>) -> Result<(), TooLarge> {
        for m in moves.iter_mut() {
            m.to = self.smallest(m.to);
        }
        moves.sort_unstable();
        let mut joined: Vec<Move> = Vec::with_capacity(moves.len());
        for m in moves.drain(..) {
            match joined.last_mut() {
                Some(last) if (last.to, last.pending) == (m.to, m.pending) => {
                    last.label = self.bdds.or(last.label, m.label);
                }
                _ => joined.push(m),
            }
        }
        self.count(joined.len() * joined.len() / 8)?;
        for i in 0..joined.len() {
            for j in 0..joined.len() {
                let (a, b) = (joined[i], joined[j]);
                if i != j && b.to & !a.to == 0 && b.pending & !a.pending == 0 {
                    joined[i].label = self.bdds.without(a.label, b.label);
                }
            }
        }
        joined.retain(|m| m.label != Bdd::FALSE);
        *moves = joined;
        Ok(())
    }

    /// Removes obligations that are implied by others. An obligation with an until stays, since its pending mark is
    /// needed.
    fn smallest(&mut self, set: Obligations) -> Obligations {
        if set.count_ones() < 2 {
            return set;
        }
        if let Some(known) = self.smallest.get(&set) {
            return *known;
        }
        let members: Vec<usize> = (0..self.obligations.len()).filter(|n| set >> n & 1 == 1).collect();
        let mut small = set;
        for weak in &members {
            let implied = members.iter().any(|strong| {
                strong != weak
                    && !self.terms.has_until(self.obligations[*weak])
                    && small >> strong & 1 == 1
                    && self.terms.implies(self.obligations[*strong], self.obligations[*weak])
            });
            if implied {
                small &= !(1 << weak);
            }
        }
        self.smallest.insert(set, small);
        small
    }
}
