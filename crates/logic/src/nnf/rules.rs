//! The simplification rules for disjunction, next and until.

use super::{Term, TermId, Terms};

impl Terms {
    /// The simplified `X a`.
    pub fn next(&mut self, a: TermId) -> TermId {
        if self.is_suspendable(a) { a } else { self.intern(Term::Next(a)) }
    }

    /// The simplified disjunction.
    pub fn or(&mut self, parts: Vec<TermId>) -> TermId {
        self.joined_or(parts, false)
    }

    /// The simplified disjunction; `mirrored` if its dual is wanted.
    pub(super) fn joined_or(&mut self, parts: Vec<TermId>, mirrored: bool) -> TermId {
        let mut flat = self.flattened(parts);
        loop {
            flat.sort_unstable();
            flat.dedup();
            flat.retain(|t| *t != TermId::FALSE);
            if flat.contains(&TermId::TRUE) || self.is_tautology(&flat) {
                return TermId::TRUE;
            }
            self.absorb(&mut flat);
            let Some((i, j, joined)) = self.joinable(&flat, mirrored) else { break };
            flat.remove(j);
            flat.remove(i);
            let joined = self.flattened(vec![joined]);
            flat.extend(joined);
        }
        match flat.as_slice() {
            [] => TermId::FALSE,
            [one] => *one,
            _ => self.intern(Term::Or(flat.into_boxed_slice())),
        }
    }

    fn flattened(&self, parts: Vec<TermId>) -> Vec<TermId> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.get(part) {
                Term::Or(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat
    }

    /// Whether two of the operands are never both false.
    fn is_tautology(&mut self, parts: &[TermId]) -> bool {
        for (i, a) in parts.iter().enumerate() {
            let not_a = self.not(*a);
            if parts[i + 1..].iter().any(|b| self.implies(not_a, *b)) {
                return true;
            }
        }
        false
    }

    /// Removes operands that imply another operand.
    fn absorb(&mut self, parts: &mut Vec<TermId>) {
        let mut i = 0;
        while i < parts.len() {
            let a = parts[i];
            if (0..parts.len()).any(|j| j != i && self.implies(a, parts[j])) {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Two operands that combine to one: `(a U b) || (a U c)`, `(a R c) || (b R c)`, `X a || X b`, `GF a || GF b`.
    fn joinable(&mut self, parts: &[TermId], mirrored: bool) -> Option<(usize, usize, TermId)> {
        for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                if let Some(joined) = self.join(parts[i], parts[j], mirrored) {
                    return Some((i, j, joined));
                }
            }
        }
        None
    }

    fn join(&mut self, x: TermId, y: TermId, mirrored: bool) -> Option<TermId> {
        if let (Some(a), Some(b)) = (self.infinitely_often(x), self.infinitely_often(y)) {
            let either = self.or(vec![a, b]);
            let eventually = self.finally(either);
            return Some(self.globally(eventually));
        }
        // Combining `F a || FG b` gives a smaller automaton, combining its dual `G a && GF b` does not.
        if mirrored && (self.is_suspendable(x) || self.is_suspendable(y)) {
            return None;
        }
        match (self.get(x).clone(), self.get(y).clone()) {
            (Term::Next(a), Term::Next(b)) => {
                let either = self.or(vec![a, b]);
                Some(self.next(either))
            }
            (Term::Until(a, b), Term::Until(c, d)) if a == c => {
                let either = self.or(vec![b, d]);
                Some(self.until(a, either))
            }
            (Term::Release(a, b), Term::Release(c, d)) if b == d => {
                let either = self.or(vec![a, c]);
                Some(self.release(either, b))
            }
            _ => None,
        }
    }

    /// The `a` of `GF a`.
    pub fn infinitely_often(&self, id: TermId) -> Option<TermId> {
        let Term::Release(TermId::FALSE, inner) = self.get(id) else { return None };
        let Term::Until(TermId::TRUE, a) = self.get(*inner) else { return None };
        Some(*a)
    }

    /// The simplified `G a`: the dual of the rules for `F`, and one rule without a dual. `G(a && F b)` is `G a && GF
    /// b`, since `GF b` needs no state of an automaton.
    pub fn globally(&mut self, a: TermId) -> TermId {
        if let Term::And(parts) = self.get(a).clone() {
            let (eventual, rest): (Vec<TermId>, Vec<TermId>) = parts.iter().partition(|p| self.is_eventual(**p));
            if !eventual.is_empty() {
                let mut all: Vec<TermId> = eventual.into_iter().map(|e| self.globally(e)).collect();
                let rest = self.and(rest);
                all.push(self.globally(rest));
                return self.and(all);
            }
        }
        let not_a = self.not(a);
        let finally = self.until(TermId::TRUE, not_a);
        self.not(finally)
    }

    /// The simplified `a U b`.
    pub fn until(&mut self, a: TermId, b: TermId) -> TermId {
        if a == TermId::FALSE || self.is_eventual(b) || self.implies(a, b) {
            return b;
        }
        if a != TermId::TRUE {
            let not_b = self.not(b);
            if self.implies(not_b, a) {
                return self.finally(b);
            }
        }
        let simplified = if a == TermId::TRUE { self.simpler_finally(b) } else { self.simpler_left(a, b) };
        simplified.or_else(|| self.simpler_right(a, b)).unwrap_or_else(|| self.intern(Term::Until(a, b)))
    }

    /// `F(a U b)` is `F b`, also within a disjunction. `F X b` is `X F b`.
    fn simpler_finally(&mut self, b: TermId) -> Option<TermId> {
        match self.get(b).clone() {
            Term::Until(_, y) => Some(self.finally(y)),
            Term::Next(y) => {
                let finally = self.finally(y);
                Some(self.next(finally))
            }
            Term::Or(parts) => {
                let reach = |p: &TermId| if let Term::Until(_, y) = self.get(*p) { *y } else { *p };
                let reached: Vec<TermId> = parts.iter().map(reach).collect();
                if reached[..] == parts[..] {
                    return None;
                }
                let either = self.or(reached);
                Some(self.finally(either))
            }
            _ => None,
        }
    }

    /// Removes redundant parts of the left operand of an until.
    fn simpler_left(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match (self.get(a).clone(), self.get(b).clone()) {
            (Term::Next(x), Term::Next(y)) => {
                let until = self.until(x, y);
                Some(self.next(until))
            }
            (Term::Until(_, y), _) if y == b => Some(a),
            (_, Term::Until(c, _)) if self.implies(a, c) => Some(b),
            (Term::Or(parts), _) => {
                let needed: Vec<TermId> = parts.iter().copied().filter(|p| !self.implies(*p, b)).collect();
                if needed.len() == parts.len() {
                    return None;
                }
                let left = self.or(needed);
                Some(self.until(left, b))
            }
            _ => None,
        }
    }

    /// Moves suspendable and eventual parts out of the right operand: `a U (b && t)` is `(a U b) && t` for a
    /// suspendable `t`, and `a U (b || e)` is `(a U b) || e` for an eventual `e`.
    fn simpler_right(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match self.get(b).clone() {
            Term::And(parts) => {
                let (suspendable, rest): (Vec<TermId>, Vec<TermId>) =
                    parts.iter().partition(|p| self.is_suspendable(**p));
                if suspendable.is_empty() {
                    return None;
                }
                let rest = self.and(rest);
                let mut all = suspendable;
                all.push(self.until(a, rest));
                Some(self.and(all))
            }
            Term::Or(parts) => {
                let (eventual, rest): (Vec<TermId>, Vec<TermId>) = parts.iter().partition(|p| self.is_eventual(**p));
                if eventual.is_empty() {
                    return None;
                }
                let rest = self.or(rest);
                let mut all = eventual;
                all.push(self.until(a, rest));
                Some(self.or(all))
            }
            _ => None,
        }
    }
}
