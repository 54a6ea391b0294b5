//! State formulas: the subformulas without a temporal operator.
//!
//! In a state formula `&&`, `||` and `->` are evaluated from left to right and only as far as needed: `[] (i < 4 ->
//! a[i] == 0)` does not read an element where `i` is 4. Automata and the CTL search use valuations, for which all
//! propositions are evaluated in every state. So if the evaluation of a proposition may be a fault, the largest state
//! formula around it becomes one proposition. It is evaluated as written, and its faults are those of the formula.

use kripke_model::ir::{BinaryOp, Expr, UnaryOp};

use crate::atoms::{AtomId, Atoms, Span};
use crate::ctl::{Ctl, CtlBuilder, CtlId, CtlNode};
use crate::formula::{Binary, FormulaBuilder, Node, NodeId, Unary};
use crate::limits::MAX_ATOMS;
use crate::parse::Ltl;

/// A formula with the conditions of its propositions.
#[derive(Clone, Debug)]
pub struct Grouped<F> {
    /// The formula.
    pub formula: F,
    /// The condition of each proposition.
    pub conditions: Vec<Expr>,
}

/// The kind of a node: boolean or temporal.
#[derive(Clone, Copy)]
enum Kind {
    Constant(bool),
    Atom(AtomId),
    Not(usize),
    Join(Join, usize, usize),
    /// A temporal operator with its operands.
    Temporal(usize, Option<usize>),
}

#[derive(Clone, Copy)]
enum Join {
    And,
    Or,
    Implies,
    Equivalent,
}

/// The decision for each node.
struct Plan {
    /// The condition, for a state formula.
    conditions: Vec<Option<Expr>>,
    /// Whether the node becomes one proposition.
    grouped: Vec<bool>,
    /// Whether the node is a part of the new formula.
    needed: Vec<bool>,
}

impl Plan {
    /// Decides for all nodes. `risky` marks the propositions whose evaluation may be a fault.
    fn new(nodes: &[Kind], root: usize, conditions: &[Expr], risky: &[bool]) -> Plan {
        let mut values: Vec<Option<Expr>> = Vec::new();
        let mut risks: Vec<bool> = Vec::new();
        for node in nodes {
            values.push(condition(node, &values, conditions));
            risks.push(match *node {
                Kind::Constant(_) => false,
                Kind::Atom(atom) => risky[atom.index()],
                Kind::Not(a) => risks[a],
                Kind::Join(_, a, b) => risks[a] || risks[b],
                Kind::Temporal(a, b) => risks[a] || b.is_some_and(|b| risks[b]),
            });
        }
        let groups = |(at, node): (usize, &Kind)| {
            values[at].is_some() && risks[at] && matches!(node, Kind::Atom(_) | Kind::Join(..))
        };
        let grouped: Vec<bool> = nodes.iter().enumerate().map(groups).collect();
        let mut needed = vec![false; nodes.len()];
        needed[root] = true;
        for at in (0..=root).rev().filter(|at| !grouped[*at]) {
            let parts = match nodes[at] {
                Kind::Constant(_) | Kind::Atom(_) => [None, None],
                Kind::Not(a) => [Some(a), None],
                Kind::Join(_, a, b) => [Some(a), Some(b)],
                Kind::Temporal(a, b) => [Some(a), b],
            };
            let is_needed = needed[at];
            parts.into_iter().flatten().for_each(|part| needed[part] |= is_needed);
        }
        Plan { conditions: values, grouped, needed }
    }
}

fn condition(node: &Kind, values: &[Option<Expr>], conditions: &[Expr]) -> Option<Expr> {
    Some(match *node {
        Kind::Constant(value) => Expr::Const(i32::from(value)),
        Kind::Atom(atom) => conditions.get(atom.index())?.clone(),
        Kind::Not(a) => not(values[a].clone()?),
        Kind::Join(join, a, b) => {
            let (a, b) = (values[a].clone()?, values[b].clone()?);
            match join {
                Join::And => Expr::binary(BinaryOp::And, a, b),
                Join::Or => Expr::binary(BinaryOp::Or, a, b),
                Join::Implies => Expr::binary(BinaryOp::Or, not(a), b),
                Join::Equivalent => Expr::binary(BinaryOp::Eq, not(a), not(b)),
            }
        }
        Kind::Temporal(..) => return None,
    })
}

pub(crate) fn not(e: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(e))
}

/// The propositions of a new formula.
#[derive(Default)]
struct Propositions {
    atoms: Atoms,
    conditions: Vec<Expr>,
}

impl Propositions {
    fn intern(&mut self, text: &str, span: Span, condition: Option<&Expr>) -> Option<AtomId> {
        let atom = self.atoms.intern(text, span);
        if atom.index() == self.conditions.len() {
            self.conditions.push(condition?.clone());
        }
        (self.atoms.len() <= MAX_ATOMS).then_some(atom)
    }
}

impl Ltl {
    fn kinds(&self) -> Vec<Kind> {
        let kind = |node: &Node| match *node {
            Node::True => Kind::Constant(true),
            Node::False => Kind::Constant(false),
            Node::Atom(atom) => Kind::Atom(atom),
            Node::Unary(Unary::Not, a) => Kind::Not(a.index()),
            Node::Unary(Unary::Next | Unary::Globally | Unary::Finally, a) => Kind::Temporal(a.index(), None),
            Node::Binary(op, a, b) => {
                let (a, b) = (a.index(), b.index());
                match op {
                    Binary::And => Kind::Join(Join::And, a, b),
                    Binary::Or => Kind::Join(Join::Or, a, b),
                    Binary::Implies => Kind::Join(Join::Implies, a, b),
                    Binary::Equivalent => Kind::Join(Join::Equivalent, a, b),
                    Binary::Until | Binary::WeakUntil | Binary::Release => Kind::Temporal(a, Some(b)),
                }
            }
        };
        self.formula.nodes().iter().map(kind).collect()
    }

    /// The condition of a subformula, if it is a state formula.
    pub(crate) fn state_formula(&self, part: NodeId, conditions: &[Expr]) -> Option<Expr> {
        let mut values: Vec<Option<Expr>> = Vec::new();
        for kind in &self.kinds()[..=part.index()] {
            values.push(condition(kind, &values, conditions));
        }
        values.pop().flatten()
    }

    /// The formula with one proposition for each state formula whose evaluation may be a fault. Returns `None` if
    /// there would be too many propositions.
    pub fn grouped(&self, conditions: &[Expr], risky: &[bool]) -> Option<Grouped<Ltl>> {
        let plan = Plan::new(&self.kinds(), self.formula.root().index(), conditions, risky);
        let (mut new, mut builder) = (Propositions::default(), FormulaBuilder::default());
        let mut parts = vec![NodeId(0); plan.needed.len()];
        for (at, node) in self.formula.nodes().iter().enumerate().filter(|(at, _)| plan.needed[*at]) {
            let part = |id: NodeId| parts[id.index()];
            let made = match *node {
                _ if plan.grouped[at] => {
                    let text = self.formula.part(NodeId(at as u32)).display(&self.atoms).to_string();
                    Node::Atom(new.intern(&text, Span::default(), plan.conditions[at].as_ref())?)
                }
                Node::Atom(atom) => {
                    let known = self.atoms.get(atom);
                    Node::Atom(new.intern(&known.text, known.span, conditions.get(atom.index()))?)
                }
                Node::Unary(op, a) => Node::Unary(op, part(a)),
                Node::Binary(op, a, b) => Node::Binary(op, part(a), part(b)),
                Node::True | Node::False => *node,
            };
            parts[at] = builder.node(made);
        }
        let formula = builder.finish(parts[self.formula.root().index()]);
        Some(Grouped { formula: Ltl { formula, atoms: new.atoms }, conditions: new.conditions })
    }
}

impl Ctl {
    fn kinds(&self) -> Vec<Kind> {
        let kind = |node: &CtlNode| match *node {
            CtlNode::Constant(value) => Kind::Constant(value),
            CtlNode::Atom(atom) => Kind::Atom(atom),
            CtlNode::Not(a) => Kind::Not(a.index()),
            CtlNode::And(a, b) => Kind::Join(Join::And, a.index(), b.index()),
            CtlNode::Or(a, b) => Kind::Join(Join::Or, a.index(), b.index()),
            CtlNode::Implies(a, b) => Kind::Join(Join::Implies, a.index(), b.index()),
            CtlNode::Equivalent(a, b) => Kind::Join(Join::Equivalent, a.index(), b.index()),
            CtlNode::Next(_, a) | CtlNode::Globally(_, a) | CtlNode::Finally(_, a) => Kind::Temporal(a.index(), None),
            CtlNode::Until(_, a, b) => Kind::Temporal(a.index(), Some(b.index())),
        };
        self.nodes().iter().map(kind).collect()
    }

    /// The formula with one proposition for each state formula whose evaluation may be a fault. Returns `None` if
    /// there would be too many propositions.
    pub fn grouped(&self, conditions: &[Expr], risky: &[bool]) -> Option<Grouped<Ctl>> {
        let plan = Plan::new(&self.kinds(), self.root().index(), conditions, risky);
        let (mut new, mut builder) = (Propositions::default(), CtlBuilder::default());
        let mut parts = vec![CtlId(0); plan.needed.len()];
        for (at, node) in self.nodes().iter().enumerate().filter(|(at, _)| plan.needed[*at]) {
            let part = |id: CtlId| parts[id.index()];
            let made = match *node {
                _ if plan.grouped[at] => {
                    let text = self.part(CtlId(at as u32)).to_string();
                    CtlNode::Atom(new.intern(&text, Span::default(), plan.conditions[at].as_ref())?)
                }
                CtlNode::Atom(atom) => {
                    let known = self.atoms.get(atom);
                    CtlNode::Atom(new.intern(&known.text, known.span, conditions.get(atom.index()))?)
                }
                CtlNode::Constant(_) => *node,
                CtlNode::Not(a) => CtlNode::Not(part(a)),
                CtlNode::And(a, b) => CtlNode::And(part(a), part(b)),
                CtlNode::Or(a, b) => CtlNode::Or(part(a), part(b)),
                CtlNode::Implies(a, b) => CtlNode::Implies(part(a), part(b)),
                CtlNode::Equivalent(a, b) => CtlNode::Equivalent(part(a), part(b)),
                CtlNode::Next(path, a) => CtlNode::Next(path, part(a)),
                CtlNode::Globally(path, a) => CtlNode::Globally(path, part(a)),
                CtlNode::Finally(path, a) => CtlNode::Finally(path, part(a)),
                CtlNode::Until(path, a, b) => CtlNode::Until(path, part(a), part(b)),
            };
            parts[at] = builder.node(made);
        }
        let formula = builder.finish(parts[self.root().index()], new.atoms);
        Some(Grouped { formula, conditions: new.conditions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// The propositions after grouping, with their conditions as text. Propositions that read an array element are
    /// risky.
    fn propositions(atoms: &Atoms) -> Vec<&str> {
        atoms.iter().map(|(_, atom)| atom.text.as_str()).collect()
    }

    fn risky(atoms: &Atoms) -> (Vec<Expr>, Vec<bool>) {
        let number = |(id, _): (AtomId, &crate::Atom)| Expr::Const(id.0 as i32);
        (atoms.iter().map(number).collect(), atoms.iter().map(|(_, atom)| atom.text.contains('[')).collect())
    }

    #[test]
    fn the_largest_state_formula_around_a_risky_proposition_is_one() {
        for (text, want) in [
            ("[] (a[i] == 0 && i < 4)", vec!["a[i] == 0) && (i < 4"]),
            ("[] (i < 4 -> a[i] == 0)", vec!["i < 4) -> (a[i] == 0"]),
            ("[] (p -> <> a[i] == 0)", vec!["p", "a[i] == 0"]),
            ("[] (p -> <> q)", vec!["p", "q"]),
            ("!(a[i] == 0) U (p && q)", vec!["a[i] == 0", "p", "q"]),
        ] {
            let ltl = parse::ltl(text).unwrap();
            let (conditions, risky) = risky(&ltl.atoms);
            let grouped = ltl.grouped(&conditions, &risky).unwrap();
            let found = propositions(&grouped.formula.atoms);
            assert_eq!(found.len(), want.len(), "{text}: {found:?}");
            let bare = |text: &str| text.trim_start_matches('(').trim_end_matches(')').to_string();
            assert_eq!(found.iter().map(|t| bare(t)).collect::<Vec<_>>(), want, "{text}");
            assert_eq!(grouped.conditions.len(), found.len());
        }
    }

    #[test]
    fn a_state_formula_is_evaluated_from_left_to_right() {
        let ltl = parse::ltl("[] (p -> a[i])").unwrap();
        let grouped = ltl.grouped(&[Expr::Const(7), Expr::Const(8)], &[false, true]).unwrap();
        let Expr::Binary(BinaryOp::Or, a, b) = &grouped.conditions[0] else { panic!("{:?}", grouped.conditions) };
        assert!(
            matches!((&**a, &**b), (Expr::Unary(UnaryOp::Not, p), Expr::Const(8)) if matches!(**p, Expr::Const(7)))
        );
    }

    #[test]
    fn formulas_about_branching_are_grouped_alike() {
        let ctl = parse::ctl("AG (i < 4 && a[i] == 0 -> EF p)").unwrap();
        let (conditions, risky) = risky(&ctl.atoms);
        let grouped = ctl.grouped(&conditions, &risky).unwrap();
        assert_eq!(propositions(&grouped.formula.atoms).len(), 2, "{}", grouped.formula);
        assert_eq!(grouped.formula.atoms.get(AtomId(1)).text, "p");
    }
}
