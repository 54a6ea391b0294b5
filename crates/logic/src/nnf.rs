//! Negation normal form. Terms are simplified during construction and stored once.
//!
//! Only disjunction, next and until have rules of their own (`rules.rs`). Conjunction and release are their duals, so
//! the negation of a simplified term is simplified. Besides the usual laws, the rules use *syntactic implication*
//! (Somenzi and Bloem, CAV 2000; `implies.rs`) and the *eventual* and *universal* formulas of Etessami and Holzmann
//! (CONCUR 2000): if an eventual formula holds at a position, it holds at all earlier ones; if a universal formula
//! holds at a position, it holds at all later ones. A formula that is both has the same value at all positions: it is
//! suspendable (Babiak et al., TACAS 2012).

mod implies;
mod rules;

use std::collections::HashMap;

use crate::atoms::AtomId;
use crate::formula::{Binary, Formula, Node, NodeId, Unary};
use crate::limits;
use crate::problem::TooLarge;

/// The number of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// The constant false.
    pub const FALSE: TermId = TermId(0);
    /// The constant true.
    pub const TRUE: TermId = TermId(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    False,
    True,
    Literal(AtomId, bool),
    /// At least two operands, sorted.
    And(Box<[TermId]>),
    /// At least two operands, sorted.
    Or(Box<[TermId]>),
    Next(TermId),
    Until(TermId, TermId),
    Release(TermId, TermId),
}

#[derive(Clone, Copy, Default)]
struct Facts {
    eventual: bool,
    universal: bool,
    temporal: bool,
    has_until: bool,
    negation: Option<TermId>,
}

/// All terms of one formula.
pub struct Terms {
    terms: Vec<Term>,
    facts: Vec<Facts>,
    known: HashMap<Term, TermId>,
    implications: HashMap<(TermId, TermId), bool>,
}

impl Terms {
    /// A table with the two constants.
    pub fn new() -> Terms {
        let mut terms =
            Terms { terms: Vec::new(), facts: Vec::new(), known: HashMap::new(), implications: HashMap::new() };
        terms.intern(Term::False);
        terms.intern(Term::True);
        terms
    }

    /// The term with this number.
    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    /// Whether the term is a pure eventuality.
    pub fn is_eventual(&self, id: TermId) -> bool {
        self.facts[id.index()].eventual
    }

    /// Whether the term is a pure universality.
    pub fn is_universal(&self, id: TermId) -> bool {
        self.facts[id.index()].universal
    }

    /// Whether the term has the same value at all positions of a word.
    fn is_suspendable(&self, id: TermId) -> bool {
        self.is_eventual(id) && self.is_universal(id)
    }

    /// Whether the term has a temporal operator.
    pub fn is_temporal(&self, id: TermId) -> bool {
        self.facts[id.index()].temporal
    }

    /// Whether the term contains an until.
    pub fn has_until(&self, id: TermId) -> bool {
        self.facts[id.index()].has_until
    }

    /// Whether there are too many terms for pairwise comparisons.
    fn is_large(&self) -> bool {
        self.terms.len() > limits::MAX_COMPARED_TERMS
    }

    fn intern(&mut self, term: Term) -> TermId {
        if let Some(id) = self.known.get(&term) {
            return *id;
        }
        let facts = self.judge(&term);
        let id = TermId(self.terms.len() as u32);
        self.known.insert(term.clone(), id);
        self.terms.push(term);
        self.facts.push(facts);
        id
    }

    fn judge(&self, term: &Term) -> Facts {
        let eventual = |t: &TermId| self.is_eventual(*t);
        let universal = |t: &TermId| self.is_universal(*t);
        let (eventual, universal) = match term {
            Term::False | Term::True => (true, true),
            Term::Literal(..) => (false, false),
            Term::And(parts) | Term::Or(parts) => (parts.iter().all(eventual), parts.iter().all(universal)),
            Term::Next(a) => (eventual(a), universal(a)),
            Term::Until(a, b) => (*a == TermId::TRUE || eventual(a) && eventual(b), universal(a) && universal(b)),
            Term::Release(a, b) => (eventual(a) && eventual(b), *a == TermId::FALSE || universal(a) && universal(b)),
        };
        let temporal = match term {
            Term::False | Term::True | Term::Literal(..) => false,
            Term::And(parts) | Term::Or(parts) => parts.iter().any(|p| self.is_temporal(*p)),
            Term::Next(_) | Term::Until(..) | Term::Release(..) => true,
        };
        let has_until = match term {
            Term::False | Term::True | Term::Literal(..) => false,
            Term::And(parts) | Term::Or(parts) => parts.iter().any(|p| self.has_until(*p)),
            Term::Next(a) => self.has_until(*a),
            Term::Until(..) => true,
            Term::Release(a, b) => self.has_until(*a) || self.has_until(*b),
        };
        Facts { eventual, universal, temporal, has_until, negation: None }
    }

    /// The term of a literal.
    pub fn literal(&mut self, atom: AtomId, positive: bool) -> TermId {
        self.intern(Term::Literal(atom, positive))
    }

    /// The negation, which is the dual term. It is simplified, since the term is.
    pub fn not(&mut self, id: TermId) -> TermId {
        if let Some(negation) = self.facts[id.index()].negation {
            return negation;
        }
        let mirrored = |terms: &mut Terms, parts: &[TermId]| {
            let mut parts: Vec<TermId> = parts.iter().map(|p| terms.not(*p)).collect();
            parts.sort_unstable();
            parts.into_boxed_slice()
        };
        let term = match self.get(id).clone() {
            Term::False => Term::True,
            Term::True => Term::False,
            Term::Literal(a, positive) => Term::Literal(a, !positive),
            Term::And(parts) => Term::Or(mirrored(self, &parts)),
            Term::Or(parts) => Term::And(mirrored(self, &parts)),
            Term::Next(a) => Term::Next(self.not(a)),
            Term::Until(a, b) => Term::Release(self.not(a), self.not(b)),
            Term::Release(a, b) => Term::Until(self.not(a), self.not(b)),
        };
        let negation = self.intern(term);
        self.facts[id.index()].negation = Some(negation);
        self.facts[negation.index()].negation = Some(id);
        negation
    }

    /// The simplified conjunction.
    pub fn and(&mut self, parts: Vec<TermId>) -> TermId {
        let negated = parts.into_iter().map(|p| self.not(p)).collect();
        let or = self.joined_or(negated, true);
        self.not(or)
    }

    /// The simplified release.
    pub fn release(&mut self, a: TermId, b: TermId) -> TermId {
        if a == TermId::FALSE {
            return self.globally(b);
        }
        let (a, b) = (self.not(a), self.not(b));
        let until = self.until(a, b);
        self.not(until)
    }

    /// The simplified `F a`.
    pub fn finally(&mut self, a: TermId) -> TermId {
        self.until(TermId::TRUE, a)
    }

    /// The negation normal form of a formula. Negations are pushed inwards before simplification, so every operator
    /// is simplified in its final polarity.
    pub fn translate(&mut self, formula: &Formula) -> Result<TermId, TooLarge> {
        let needed = polarities(formula);
        let mut ids: Vec<[TermId; 2]> = Vec::with_capacity(formula.nodes().len());
        for (node, needed) in formula.nodes().iter().zip(needed) {
            let mut both = [TermId::FALSE; 2];
            for positive in [false, true] {
                if needed[usize::from(positive)] {
                    both[usize::from(positive)] = self.with_polarity(*node, positive, &ids);
                }
            }
            if self.terms.len() > limits::MAX_TERMS {
                let most = limits::MAX_TERMS;
                return Err(TooLarge::new(format!("the formula is too large: it has over {most} subformulas")));
            }
            ids.push(both);
        }
        Ok(ids[formula.root().index()][1])
    }

    /// The node (or its negation); `ids` holds negation and term of the nodes before it.
    fn with_polarity(&mut self, node: Node, positive: bool, ids: &[[TermId; 2]]) -> TermId {
        let part = |id: NodeId, positive: bool| ids[id.index()][usize::from(positive)];
        match node {
            Node::True | Node::False if (node == Node::True) == positive => TermId::TRUE,
            Node::True | Node::False => TermId::FALSE,
            Node::Atom(a) => self.literal(a, positive),
            Node::Unary(Unary::Not, a) => part(a, !positive),
            Node::Unary(Unary::Next, a) => self.next(part(a, positive)),
            Node::Unary(op, a) if (op == Unary::Finally) == positive => self.finally(part(a, positive)),
            Node::Unary(_, a) => self.globally(part(a, positive)),
            Node::Binary(Binary::Implies, a, b) => self.either(part(a, !positive), part(b, positive), positive),
            Node::Binary(Binary::Equivalent, a, b) => {
                let same = self.and(vec![part(a, true), part(b, positive)]);
                let other = self.and(vec![part(a, false), part(b, !positive)]);
                self.or(vec![same, other])
            }
            Node::Binary(op, a, b) => {
                let (x, y) = (part(a, positive), part(b, positive));
                match op {
                    Binary::And => self.either(x, y, !positive),
                    Binary::Until if positive => self.until(x, y),
                    Binary::Until => self.release(x, y),
                    Binary::Release if positive => self.release(x, y),
                    Binary::Release => self.until(x, y),
                    Binary::WeakUntil if positive => {
                        let either = self.or(vec![x, y]);
                        self.release(y, either)
                    }
                    Binary::WeakUntil => {
                        let both = self.and(vec![x, y]);
                        self.until(y, both)
                    }
                    Binary::Or | Binary::Implies | Binary::Equivalent => self.either(x, y, positive),
                }
            }
        }
    }

    /// A disjunction, or the conjunction of the negations.
    fn either(&mut self, x: TermId, y: TermId, positive: bool) -> TermId {
        if positive { self.or(vec![x, y]) } else { self.and(vec![x, y]) }
    }
}

/// For each node, whether its negation and whether the node itself is needed.
fn polarities(formula: &Formula) -> Vec<[bool; 2]> {
    let mut needed = vec![[false; 2]; formula.nodes().len()];
    needed[formula.root().index()][1] = true;
    for (i, node) in formula.nodes().iter().enumerate().rev() {
        let here = needed[i];
        let swapped = [here[1], here[0]];
        let both = [here[0] || here[1]; 2];
        let mut need = |id: NodeId, how: [bool; 2]| {
            let part = &mut needed[id.index()];
            *part = [part[0] || how[0], part[1] || how[1]];
        };
        match *node {
            Node::True | Node::False | Node::Atom(_) => {}
            Node::Unary(Unary::Not, a) => need(a, swapped),
            Node::Unary(_, a) => need(a, here),
            Node::Binary(Binary::Implies, a, b) => {
                need(a, swapped);
                need(b, here);
            }
            Node::Binary(Binary::Equivalent, a, b) => {
                need(a, both);
                need(b, both);
            }
            Node::Binary(_, a, b) => {
                need(a, here);
                need(b, here);
            }
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atoms::{Atoms, Span};
    use crate::parse::ltl_within;

    /// Both formulas as terms over the same atoms.
    fn both(a: &str, b: &str) -> (TermId, TermId) {
        let mut atoms = Atoms::default();
        let mut terms = Terms::new();
        let mut term = |text: &str| {
            let formula = ltl_within(text, Span::new(0, text.len()), &mut atoms).expect(text);
            terms.translate(&formula).expect(text)
        };
        (term(a), term(b))
    }

    #[test]
    fn formulas_become_simpler() {
        for (formula, simpler) in [
            ("!!p", "p"),
            ("p && !p", "false"),
            ("p || !p", "true"),
            ("(p && q) || p", "p"),
            ("[] [] p", "[] p"),
            ("<> <> p", "<> p"),
            ("[] <> [] p", "<> [] p"),
            ("<> [] <> p", "[] <> p"),
            ("X [] <> p", "[] <> p"),
            ("p U (p U q)", "p U q"),
            ("(p U q) U q", "p U q"),
            ("(p || q) U q", "p U q"),
            ("p U <> q", "<> q"),
            ("<> (p U q)", "<> q"),
            ("[] (p V q)", "[] q"),
            ("(p U q) || (p U r)", "p U (q || r)"),
            ("(p U r) && (q U r)", "(p && q) U r"),
            ("[] p && [] q", "[] (p && q)"),
            ("<> p || <> q", "<> (p || q)"),
            ("[] <> p || [] <> q", "[] <> (p || q)"),
            ("<> [] p && <> [] q", "<> [] (p && q)"),
            ("<> X p", "X <> p"),
            ("X p U X q", "X (p U q)"),
            ("!q U (q && !q)", "false"),
            ("!p U p", "<> p"),
            ("<> (p && [] <> q)", "<> p && [] <> q"),
            ("[] (p && <> q)", "[] p && [] <> q"),
            ("[] (p || [] <> q)", "[] p || [] <> q"),
            ("[] p && <> p", "[] p"),
            ("p W q", "q V (p || q)"),
            ("!(p W q)", "!q U (!p && !q)"),
        ] {
            let (a, b) = both(formula, simpler);
            assert_eq!(a, b, "{formula} and {simpler}");
        }
    }
}
