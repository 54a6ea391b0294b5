//! Formulas of linear temporal logic (LTL), as written: nothing is simplified, and every formula can be printed.
//!
//! A formula is a list of nodes. Operands precede their node, and equal nodes are shared, so traversals are loops.

use std::collections::HashMap;
use std::fmt;

use crate::atoms::{AtomId, Atoms};
use crate::parse;

/// The number of a node of a [`Formula`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of a [`Formula`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The constant true.
    True,
    /// The constant false.
    False,
    /// A proposition.
    Atom(AtomId),
    /// A unary operator with its operand.
    Unary(Unary, NodeId),
    /// A binary operator with its operands.
    Binary(Binary, NodeId, NodeId),
}

/// A unary operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `!`, negation.
    Not,
    /// `X`, next.
    Next,
    /// `[]`, always.
    Globally,
    /// `<>`, eventually.
    Finally,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `&&`, conjunction.
    And,
    /// `||`, disjunction.
    Or,
    /// `->`, implication.
    Implies,
    /// `<->`, equivalence.
    Equivalent,
    /// `U`, strong until.
    Until,
    /// `W`, weak until.
    WeakUntil,
    /// `V`, release: the dual of until.
    Release,
}

/// An LTL formula. Atoms are numbers; their texts are in [`Ltl::atoms`](crate::Ltl).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
    root: NodeId,
}

/// A builder for formulas, with one entry per distinct node.
#[derive(Clone, Debug, Default)]
pub struct FormulaBuilder {
    nodes: Vec<Node>,
    known: HashMap<Node, NodeId>,
}

impl FormulaBuilder {
    /// Returns the node, which may exist already. Its operands must be nodes of this builder.
    pub fn node(&mut self, node: Node) -> NodeId {
        let parts = match node {
            Node::True | Node::False | Node::Atom(_) => 0,
            Node::Unary(_, a) => a.index() + 1,
            Node::Binary(_, a, b) => a.index().max(b.index()) + 1,
        };
        assert!(parts <= self.nodes.len(), "a node's parts come before it");
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            NodeId(nodes.len() as u32 - 1)
        })
    }

    /// The node for an atom.
    pub fn atom(&mut self, atom: AtomId) -> NodeId {
        self.node(Node::Atom(atom))
    }

    /// The node for a unary operator.
    pub fn unary(&mut self, op: Unary, a: NodeId) -> NodeId {
        self.node(Node::Unary(op, a))
    }

    /// The node for a binary operator.
    pub fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        self.node(Node::Binary(op, a, b))
    }

    /// The formula with this root.
    pub fn finish(self, root: NodeId) -> Formula {
        assert!(root.index() < self.nodes.len(), "the root is a node of this builder");
        Formula { nodes: self.nodes, root }
    }
}

impl Formula {
    /// All nodes. Operands precede their node.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The root node.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The node with this number.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// A subformula as a formula.
    #[must_use]
    pub fn part(&self, root: NodeId) -> Formula {
        Formula { root, ..self.clone() }
    }

    /// The negation of the formula.
    #[must_use]
    pub fn negated(&self) -> Formula {
        let mut nodes = self.nodes.clone();
        nodes.push(Node::Unary(Unary::Not, self.root));
        Formula { root: NodeId(nodes.len() as u32 - 1), nodes }
    }

    /// The largest number of an atom plus one.
    pub fn atom_count(&self) -> usize {
        let atoms = self.nodes.iter().filter_map(|n| if let Node::Atom(a) = n { Some(a.index() + 1) } else { None });
        atoms.max().unwrap_or(0)
    }

    /// Whether the formula has a next operator. Without one, its truth is invariant under stuttering.
    pub fn uses_next(&self) -> bool {
        self.nodes.iter().any(|n| matches!(n, Node::Unary(Unary::Next, _)))
    }

    /// Whether the formula has no temporal operator.
    pub fn is_propositional(&self) -> bool {
        self.nodes.iter().all(|n| match n {
            Node::Unary(op, _) => *op == Unary::Not,
            Node::Binary(op, ..) => !matches!(op, Binary::Until | Binary::WeakUntil | Binary::Release),
            _ => true,
        })
    }

    /// Text in SPIN's syntax that is read back as the same formula.
    pub fn display<'a>(&'a self, atoms: &'a Atoms) -> impl fmt::Display + 'a {
        Shown { formula: self, atoms }
    }
}

struct Shown<'a> {
    formula: &'a Formula,
    atoms: &'a Atoms,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.formula.root, 0)
    }
}

impl Shown<'_> {
    /// Writes a node, in brackets if it binds less tightly than `least`.
    fn write(&self, f: &mut fmt::Formatter<'_>, id: NodeId, least: u8) -> fmt::Result {
        match self.formula.node(id) {
            Node::True => f.write_str("true"),
            Node::False => f.write_str("false"),
            Node::Atom(a) => f.write_str(&bracketed(&self.atoms.get(a).text)),
            Node::Unary(op, a) => {
                f.write_str(match op {
                    Unary::Not => "!",
                    Unary::Next => "X ",
                    Unary::Globally => "[] ",
                    Unary::Finally => "<> ",
                })?;
                self.write(f, a, u8::MAX)
            }
            Node::Binary(op, a, b) => {
                let (sign, level) = sign(op);
                if level < least {
                    f.write_str("(")?;
                }
                self.write(f, a, level)?;
                write!(f, " {sign} ")?;
                self.write(f, b, level + 1)?;
                if level < least { f.write_str(")") } else { Ok(()) }
            }
        }
    }
}

/// Text of an expression as an operand: a single word stays as it is; otherwise the first form that is `readable` is
/// used, brackets first.
pub(crate) fn operand(text: &str, readable: impl Fn(&str) -> bool) -> String {
    let word = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let forms = [format!("({text})"), format!("{{{text}}}"), format!("\"{text}\"")];
    if word && readable(text) {
        return text.to_string();
    }
    let [brackets, ..] = &forms;
    forms.iter().find(|form| readable(form)).unwrap_or(brackets).clone()
}

/// Whether a text is read as the single proposition `atom`.
fn is_proposition(text: &str, atom: &str) -> bool {
    parse::ltl(text).is_ok_and(
        |read| matches!(read.formula.node(read.formula.root()), Node::Atom(a) if read.atoms.get(a).text == atom),
    )
}

/// Text of an expression as an operand of a formula.
pub(crate) fn bracketed(text: &str) -> String {
    operand(text, |form| is_proposition(form, text))
}

fn sign(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Implies => ("->", 1),
        Binary::Equivalent => ("<->", 1),
        Binary::Or => ("||", 2),
        Binary::And => ("&&", 3),
        Binary::Until => ("U", 4),
        Binary::WeakUntil => ("W", 4),
        Binary::Release => ("V", 4),
    }
}
