//! Vacuity: stronger formulas that a formula must not imply by accident.
//!
//! A formula holds vacuously in a model if a part of it does not matter: the formula still holds when an occurrence of a proposition
//! is replaced by the constant that makes the formula strongest, false where the occurrence is positive and true where it is
//! negative (I. Beer, S. Ben-David, C. Eisner, Y. Rodeh: Efficient detection of vacuity in temporal model checking, 2001;
//! O. Kupferman, M. Y. Vardi: Vacuity detection in temporal model checking, 2003). If any part does not matter, a proposition in
//! it does not, so propositions suffice. Occurrences below an equivalence have both polarities and are left out. So are premises of
//! implications: a formula that holds without its premise is weaker than it could be, but says something. In CTL all occurrences of
//! a proposition are replaced together.
//!
//! For formulas `[] (p -> …)` and `AG (p -> …)` the first candidate is that `p` is never true.

use crate::atoms::AtomId;
use crate::ctl::{Ctl, CtlBuilder, CtlId, CtlNode, Path};
use crate::formula::{Binary, Formula, FormulaBuilder, Node, NodeId, Unary};
use crate::parse::Ltl;

/// A stronger formula. If it holds, the original formula holds vacuously.
#[derive(Clone, PartialEq, Debug)]
pub struct Stronger<F> {
    /// The stronger formula.
    pub formula: F,
    /// The part that does not matter.
    pub part: Part,
}

/// The part of a formula that does not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Everything but the premise, which is never true.
    Premise(String),
    /// An occurrence of a proposition, which may be replaced by a constant.
    Proposition(AtomId, bool),
}

/// The constant that replaces an occurrence of a proposition with this polarity; none if it stays. An occurrence that has both
/// polarities, or is in a premise, has none.
type Replace<'f> = &'f mut dyn FnMut(AtomId, Option<bool>) -> Option<bool>;

impl Ltl {
    /// The stronger formulas, at most `most`.
    pub fn stronger(&self, most: usize) -> Vec<Stronger<Ltl>> {
        let made = |formula, part| Stronger { formula: Ltl { formula, atoms: self.atoms.clone() }, part };
        let mut out: Vec<Stronger<Ltl>> = Vec::new();
        if let Some((formula, premise)) = without_premise(&self.formula) {
            let text = match self.formula.node(premise) {
                Node::Atom(atom) => self.atoms.get(atom).text.clone(),
                _ => self.formula.part(premise).display(&self.atoms).to_string(),
            };
            out.push(made(formula, Part::Premise(text)));
        }
        for wanted in 0..most.saturating_sub(out.len()) {
            let (mut builder, mut next, mut replaced) = (FormulaBuilder::default(), 0, None);
            let mut replace = |atom, polarity: Option<bool>| {
                let constant = !polarity?;
                next += 1;
                (next - 1 == wanted).then(|| replaced = Some((atom, constant)))?;
                Some(constant)
            };
            let root = linear(&self.formula, self.formula.root(), Some(true), &mut replace, &mut builder);
            let Some((atom, value)) = replaced else { break };
            out.push(made(builder.finish(root), Part::Proposition(atom, value)));
        }
        out
    }
}

/// `[] !p` for a formula `[] (p -> …)`, and `p`.
fn without_premise(formula: &Formula) -> Option<(Formula, NodeId)> {
    let Node::Unary(Unary::Globally, inner) = formula.node(formula.root()) else { return None };
    let Node::Binary(Binary::Implies, premise, _) = formula.node(inner) else { return None };
    let mut builder = FormulaBuilder::default();
    let copied = linear(formula, premise, Some(true), &mut |_, _| None, &mut builder);
    let never = builder.unary(Unary::Not, copied);
    let root = builder.unary(Unary::Globally, never);
    Some((builder.finish(root), premise))
}

/// A copy of a subformula of this polarity with propositions replaced.
fn linear(
    from: &Formula,
    id: NodeId,
    polarity: Option<bool>,
    replace: Replace<'_>,
    into: &mut FormulaBuilder,
) -> NodeId {
    let opposite = polarity.map(|positive| !positive);
    let node = match from.node(id) {
        Node::Atom(atom) => match replace(atom, polarity) {
            Some(true) => Node::True,
            Some(false) => Node::False,
            None => Node::Atom(atom),
        },
        Node::Unary(op, a) => {
            let below = if op == Unary::Not { opposite } else { polarity };
            Node::Unary(op, linear(from, a, below, replace, into))
        }
        Node::Binary(op, a, b) => {
            let (left, right) = match op {
                Binary::Implies => (None, polarity),
                Binary::Equivalent => (None, None),
                _ => (polarity, polarity),
            };
            let left = linear(from, a, left, replace, into);
            Node::Binary(op, left, linear(from, b, right, replace, into))
        }
        constant => constant,
    };
    into.node(node)
}

impl Ctl {
    /// The stronger formulas, at most `most`.
    pub fn stronger(&self, most: usize) -> Vec<Stronger<Ctl>> {
        let mut out: Vec<Stronger<Ctl>> = Vec::new();
        if let CtlNode::Globally(Path::All, inner) = self.node(self.root())
            && let CtlNode::Implies(premise, _) = self.node(inner)
        {
            let mut builder = CtlBuilder::default();
            let copied = branching(self, premise, Some(true), &mut |_, _| None, &mut builder);
            let never = builder.node(CtlNode::Not(copied));
            let root = builder.node(CtlNode::Globally(Path::All, never));
            let text = match self.node(premise) {
                CtlNode::Atom(atom) => self.atoms.get(atom).text.clone(),
                _ => self.part(premise).to_string(),
            };
            let part = Part::Premise(text);
            out.push(Stronger { formula: builder.finish(root, self.atoms.clone()), part });
        }
        let candidates = self.atoms.iter().filter_map(|(atom, _)| Some((atom, !self.polarity(atom)?)));
        for (atom, value) in candidates.take(most.saturating_sub(out.len())) {
            let mut builder = CtlBuilder::default();
            let mut replace = |found, _| (found == atom).then_some(value);
            let root = branching(self, self.root(), Some(true), &mut replace, &mut builder);
            let formula = builder.finish(root, self.atoms.clone());
            out.push(Stronger { formula, part: Part::Proposition(atom, value) });
        }
        out
    }

    /// The polarity of a proposition, if all its occurrences have the same. All are replaced at once: `W` and `R` are expressed by
    /// operators that repeat an operand.
    fn polarity(&self, wanted: AtomId) -> Option<bool> {
        let mut seen: Vec<Option<bool>> = Vec::new();
        let mut note = |atom, polarity| {
            seen.extend((atom == wanted).then_some(polarity));
            None
        };
        branching(self, self.root(), Some(true), &mut note, &mut CtlBuilder::default());
        let first = *seen.first()?;
        first.filter(|_| seen.iter().all(|polarity| *polarity == first))
    }
}

/// A copy of a subformula of this polarity with propositions replaced.
fn branching(from: &Ctl, id: CtlId, polarity: Option<bool>, replace: Replace<'_>, into: &mut CtlBuilder) -> CtlId {
    let opposite = polarity.map(|positive| !positive);
    let mut copy = |id: CtlId, polarity| branching(from, id, polarity, replace, into);
    let node = match from.node(id) {
        CtlNode::Atom(atom) => match replace(atom, polarity) {
            Some(value) => CtlNode::Constant(value),
            None => CtlNode::Atom(atom),
        },
        CtlNode::Constant(value) => CtlNode::Constant(value),
        CtlNode::Not(a) => CtlNode::Not(copy(a, opposite)),
        CtlNode::And(a, b) => CtlNode::And(copy(a, polarity), copy(b, polarity)),
        CtlNode::Or(a, b) => CtlNode::Or(copy(a, polarity), copy(b, polarity)),
        CtlNode::Implies(a, b) => CtlNode::Implies(copy(a, None), copy(b, polarity)),
        CtlNode::Equivalent(a, b) => CtlNode::Equivalent(copy(a, None), copy(b, None)),
        CtlNode::Next(path, a) => CtlNode::Next(path, copy(a, polarity)),
        CtlNode::Globally(path, a) => CtlNode::Globally(path, copy(a, polarity)),
        CtlNode::Finally(path, a) => CtlNode::Finally(path, copy(a, polarity)),
        CtlNode::Until(path, a, b) => CtlNode::Until(path, copy(a, polarity), copy(b, polarity)),
    };
    into.node(node)
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn linear(text: &str) -> Vec<String> {
        let ltl = parse::ltl(text).unwrap();
        ltl.stronger(9).iter().map(|s| s.formula.formula.display(&ltl.atoms).to_string()).collect()
    }

    #[test]
    fn each_occurrence_becomes_the_constant_of_its_polarity() {
        assert_eq!(linear("[] p"), ["[] false"]);
        assert_eq!(linear("!p U q"), ["!true U q", "!p U false"]);
        assert_eq!(linear("<> p && [] p"), ["<> false && [] p", "<> p && [] false"]);
        assert_eq!(linear("[] (p -> <> q)"), ["[] !p", "[] (p -> <> false)"]);
        assert_eq!(linear("p <-> q"), [""; 0]);
        assert_eq!(linear("(p <-> q) || r"), ["(p <-> q) || false"]);
    }

    #[test]
    fn a_stronger_formula_implies_the_original_on_random_words() {
        use crate::lasso::{Lasso, holds};
        let texts = ["[] (p -> <> q)", "!(p U !q) || r", "[] <> p -> <> [] q", "(p W q) V (r -> X p)"];
        for text in texts {
            let ltl = parse::ltl(text).unwrap();
            let stronger = ltl.stronger(9);
            assert!(!stronger.is_empty(), "{text}");
            for seed in 0..2000u64 {
                let letter = |i: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(i << 7) >> (i * 3)) & 7;
                let word = Lasso::new(&[letter(0), letter(1), letter(2)], &[letter(3), letter(4)]).unwrap();
                for s in stronger.iter().filter(|s| holds(&s.formula.formula, &word)) {
                    assert!(holds(&ltl.formula, &word), "{text}: {:?}", s.part);
                }
            }
        }
    }

    #[test]
    fn branching_formulas_have_stronger_ones_too() {
        let ctl = parse::ctl("AG (p -> EF !q)").unwrap();
        let texts: Vec<String> = ctl.stronger(9).iter().map(|s| s.formula.to_string()).collect();
        assert_eq!(texts, ["AG !p", "AG (p -> EF !true)"]);
    }
}
