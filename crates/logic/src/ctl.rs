//! Formulas of computation tree logic.
//!
//! Like a [`Formula`](crate::Formula), a list of nodes, each after its parts, equal ones shared.

use std::collections::HashMap;
use std::fmt;

use crate::atoms::{AtomId, Atoms};
use crate::formula::{Binary, FormulaBuilder, Node, NodeId, Unary, operand};
use crate::parse;
use crate::parse::Ltl;

/// A node of a [`Ctl`] formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CtlId(pub u32);

impl CtlId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// On which paths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Path {
    All,
    Exists,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CtlNode {
    Constant(bool),
    Atom(AtomId),
    Not(CtlId),
    And(CtlId, CtlId),
    Or(CtlId, CtlId),
    Implies(CtlId, CtlId),
    Equivalent(CtlId, CtlId),
    Next(Path, CtlId),
    Globally(Path, CtlId),
    Finally(Path, CtlId),
    Until(Path, CtlId, CtlId),
}

/// A formula with its propositions. `W` and `R` are written in terms of the others.
#[derive(Clone, PartialEq, Debug)]
pub struct Ctl {
    nodes: Vec<CtlNode>,
    root: CtlId,
    pub atoms: Atoms,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CtlBuilder {
    nodes: Vec<CtlNode>,
    known: HashMap<CtlNode, CtlId>,
}

impl CtlBuilder {
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

    /// `Q(x R y)` is the negation of `Q'(!x U !y)`, for the other quantifier.
    pub fn release(&mut self, path: Path, x: CtlId, y: CtlId) -> CtlId {
        let (x, y) = (self.not(x), self.not(y));
        let until = self.node(CtlNode::Until(Self::other(path), x, y));
        self.not(until)
    }

    /// `x W y` is `y R (x || y)`.
    pub fn weak_until(&mut self, path: Path, x: CtlId, y: CtlId) -> CtlId {
        let either = self.node(CtlNode::Or(x, y));
        self.release(path, y, either)
    }

    pub fn finish(self, root: CtlId, atoms: Atoms) -> Ctl {
        Ctl { nodes: self.nodes, root, atoms }
    }
}

impl Ctl {
    /// All nodes, each after its parts.
    pub fn nodes(&self) -> &[CtlNode] {
        &self.nodes
    }

    pub fn root(&self) -> CtlId {
        self.root
    }

    /// A part of it as a formula.
    #[must_use]
    pub fn part(&self, root: CtlId) -> Ctl {
        Ctl { root, ..self.clone() }
    }

    /// The same as a formula about runs, if it says that something without temporal operators is always true.
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

/// Whether a text is read as one proposition, `atom`.
fn is_proposition(text: &str, atom: &str) -> bool {
    parse::ctl(text)
        .is_ok_and(|read| matches!(read.node(read.root()), CtlNode::Atom(a) if read.atoms.get(a).text == atom))
}

/// As text that reads back as the same formula.
impl fmt::Display for Ctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.root, false)
    }
}
