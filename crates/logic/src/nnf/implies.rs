//! Syntactic implication: a sufficient condition for implication that compares the structure of terms.

use super::{Term, TermId, Terms};

impl Terms {
    /// Whether `a` syntactically implies `b`. The result `false` has no meaning.
    pub fn implies(&mut self, a: TermId, b: TermId) -> bool {
        if a == b || a == TermId::FALSE || b == TermId::TRUE {
            return true;
        }
        if a == TermId::TRUE || b == TermId::FALSE {
            return false;
        }
        if let Some(known) = self.implications.get(&(a, b)) {
            return *known;
        }
        if self.is_large() {
            return false;
        }
        let found = self.looks_implied(a, b);
        self.implications.insert((a, b), found);
        found
    }

    fn looks_implied(&mut self, a: TermId, b: TermId) -> bool {
        let (left, right) = (self.get(a).clone(), self.get(b).clone());
        if let Term::Or(parts) = &left {
            return parts.iter().all(|p| self.implies(*p, b));
        }
        if let Term::And(parts) = &right {
            return parts.iter().all(|p| self.implies(a, *p));
        }
        self.by_operator(&left, &right) || self.by_left(&left, b) || self.by_right(a, &right) || self.by_purity(a, b)
    }

    /// The rules for equal operators on both sides.
    fn by_operator(&mut self, left: &Term, right: &Term) -> bool {
        match (left, right) {
            (Term::Next(a), Term::Next(b)) => self.implies(*a, *b),
            (Term::Until(a, b), Term::Until(c, d)) | (Term::Release(a, b), Term::Release(c, d)) => {
                self.implies(*a, *c) && self.implies(*b, *d)
            }
            _ => false,
        }
    }

    fn by_left(&mut self, left: &Term, b: TermId) -> bool {
        match left {
            Term::And(parts) => parts.iter().any(|p| self.implies(*p, b)),
            Term::Until(x, y) => self.implies(*x, b) && self.implies(*y, b),
            Term::Release(_, y) => self.implies(*y, b),
            _ => false,
        }
    }

    fn by_right(&mut self, a: TermId, right: &Term) -> bool {
        match right {
            Term::Or(parts) => parts.iter().any(|p| self.implies(a, *p)),
            Term::Until(_, y) => self.implies(a, *y),
            Term::Release(x, y) => self.implies(a, *x) && self.implies(a, *y),
            _ => false,
        }
    }

    /// The rules for pure universalities and eventualities: a universality implies its next and its always; next and
    /// eventually of an eventuality imply it.
    fn by_purity(&mut self, a: TermId, b: TermId) -> bool {
        let later = match *self.get(b) {
            Term::Next(y) | Term::Release(_, y) if self.is_universal(a) => self.implies(a, y),
            _ => false,
        };
        later
            || match *self.get(a) {
                Term::Next(x) | Term::Until(_, x) if self.is_eventual(b) => self.implies(x, b),
                _ => false,
            }
    }
}
