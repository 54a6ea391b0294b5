//! Formulas of computation tree logic (CTL).
//!
//! A [`Ctl`] is a list of nodes, like a [`Formula`](crate::Formula). Operands precede their node, and equal nodes are
//! shared.

use std::collections::HashMap;
use std::fmt;

use crate::atoms::{AtomId, Atoms};
use crate::formula::{Binary, FormulaBuilder, Node, NodeId, Unary, operand};
use crate::parse;
use crate::parse::Ltl;

/// The number of a node of a [`Ctl`] formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CtlId(pub u32);

impl CtlId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A path quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Path {
    /// `A`: on all paths.
    All,
    /// `E`: on some path.
    Exists,
}

/// A node of a [`Ctl`] formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CtlNode {
    /// A constant.
    Constant(bool),
    /// A proposition.
    Atom(AtomId),
    /// Negation.
    Not(CtlId),
    /// Conjunction.
    And(CtlId, CtlId),
    /// Disjunction.
    Or(CtlId, CtlId),
    /// Implication.
    Implies(CtlId, CtlId),
    /// Equivalence.
    Equivalent(CtlId, CtlId),
    /// `AX`, `EX`.
    Next(Path, CtlId),
    /// `AG`, `EG`.
    Globally(Path, CtlId),
    /// `AF`, `EF`.
    Finally(Path, CtlId),
    /// `A[x U y]`, `E[x U y]`.
    Until(Path, CtlId, CtlId),
}

/// A CTL formula with its propositions. `W` and `R` are expressed by the other operators.
#[derive(Clone, PartialEq, Debug)]
pub struct Ctl {
    nodes: Vec<CtlNode>,
    root: CtlId,
    /// The propositions.
    pub atoms: Atoms,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CtlBuilder {
    nodes: Vec<CtlNode>,
    known: HashMap<CtlNode, CtlId>,
}

impl CtlBuilder {
    /// Returns the node, which may exist already. Its operands must be nodes of this builder.
    pub fn node(&mut self, node: CtlNode) -> CtlId {
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            CtlId(nodes.len() as u32 - 1)
        })
    }

    fn not(&mut self, a: CtlId) -> CtlId {
        self.node(CtlNode::Not(a))
    }

    fn other(path: Path) -> Path {
        match path {
            Path::All => Path::Exists,
            Path::Exists => Path::All,
        }
    }

    /// Release by duality: `Q(x R y)` is the negation of `Q'(!x U !y)` with the dual quantifier `Q'`.
    pub fn release(&mut self, path: Path, x: CtlId, y: CtlId) -> CtlId {
        let (x, y) = (self.not(x), self.not(y));
        let until = self.node(CtlNode::Until(Self::other(path), x, y));
        self.not(until)
    }

    /// Weak until: `x W y` is `y R (x || y)`.
    pub fn weak_until(&mut self, path: Path, x: CtlId, y: CtlId) -> CtlId {
        let either = self.node(CtlNode::Or(x, y));
        self.release(path, y, either)
    }

    /// The formula with this root.
    pub fn finish(self, root: CtlId, atoms: Atoms) -> Ctl {
        Ctl { nodes: self.nodes, root, atoms }
    }
}

impl Ctl {
    /// All nodes. Operands precede their node.
    pub fn nodes(&self) -> &[CtlNode] {
        &self.nodes
    }

    /// The root node.
    pub fn root(&self) -> CtlId {
        self.root
    }

    /// A subformula as a formula.
    #[must_use]
    pub fn part(&self, root: CtlId) -> Ctl {
        Ctl { root, ..self.clone() }
    }

    /// The LTL formula with the same meaning, if the formula is `AG p` for a propositional `p`.
    pub fn invariant(&self) -> Option<Ltl> {
        let CtlNode::Globally(Path::All, inner) = self.node(self.root) else { return None };
        let mut builder = FormulaBuilder::default();
        let mut parts: Vec<NodeId> = Vec::new();
        for node in &self.nodes[..=inner.index()] {
            let part = |id: CtlId| parts[id.index()];
            let same = match *node {
                CtlNode::Constant(true) => Node::True,
                CtlNode::Constant(false) => Node::False,
                CtlNode::Atom(atom) => Node::Atom(atom),
                CtlNode::Not(x) => Node::Unary(Unary::Not, part(x)),
                CtlNode::And(x, y) => Node::Binary(Binary::And, part(x), part(y)),
                CtlNode::Or(x, y) => Node::Binary(Binary::Or, part(x), part(y)),
                CtlNode::Implies(x, y) => Node::Binary(Binary::Implies, part(x), part(y)),
                CtlNode::Equivalent(x, y) => Node::Binary(Binary::Equivalent, part(x), part(y)),
                CtlNode::Next(..) | CtlNode::Globally(..) | CtlNode::Finally(..) | CtlNode::Until(..) => return None,
            };
            parts.push(builder.node(same));
        }
        let always = builder.unary(Unary::Globally, parts[inner.index()]);
        Some(Ltl { formula: builder.finish(always), atoms: self.atoms.clone() })
    }

    /// The node with this number.
    pub fn node(&self, id: CtlId) -> CtlNode {
        self.nodes[id.index()]
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, id: CtlId, inner: bool) -> fmt::Result {
        let quantifier = |path| if path == Path::All { 'A' } else { 'E' };
        let unary = |f: &mut fmt::Formatter<'_>, path, op, a| {
            write!(f, "{}{op} ", quantifier(path))?;
            self.write(f, a, true)
        };
        match self.node(id) {
            CtlNode::Constant(value) => write!(f, "{value}"),
            CtlNode::Atom(a) => {
                f.write_str(&operand(&self.atoms.get(a).text, |form| is_proposition(form, &self.atoms.get(a).text)))
            }
            CtlNode::Not(a) => {
                f.write_str("!")?;
                self.write(f, a, true)
            }
            CtlNode::And(x, y) => self.joined(f, ("&&", x, y), inner),
            CtlNode::Or(x, y) => self.joined(f, ("||", x, y), inner),
            CtlNode::Implies(x, y) => self.joined(f, ("->", x, y), inner),
            CtlNode::Equivalent(x, y) => self.joined(f, ("<->", x, y), inner),
            CtlNode::Next(path, a) => unary(f, path, 'X', a),
            CtlNode::Globally(path, a) => unary(f, path, 'G', a),
            CtlNode::Finally(path, a) => unary(f, path, 'F', a),
            CtlNode::Until(path, x, y) => {
                write!(f, "{}[", quantifier(path))?;
                self.write(f, x, true)?;
                f.write_str(" U ")?;
                self.write(f, y, true)?;
                f.write_str("]")
            }
        }
    }

    fn joined(&self, f: &mut fmt::Formatter<'_>, (sign, x, y): (&str, CtlId, CtlId), brackets: bool) -> fmt::Result {
        f.write_str(if brackets { "(" } else { "" })?;
        self.write(f, x, true)?;
        write!(f, " {sign} ")?;
        self.write(f, y, true)?;
        f.write_str(if brackets { ")" } else { "" })
    }
}

/// Whether a text is read as the single proposition `atom`.
fn is_proposition(text: &str, atom: &str) -> bool {
    parse::ctl(text)
        .is_ok_and(|read| matches!(read.node(read.root()), CtlNode::Atom(a) if read.atoms.get(a).text == atom))
}

/// Text that is read back as the same formula.
impl fmt::Display for Ctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.root, false)
    }
}
