//! Formulas of linear temporal logic, as written: nothing is simplified here, and everything can be printed.
//!
//! A formula is a list of nodes, each after its parts, equal ones shared: walks over it are loops.

use std::collections::HashMap;
use std::fmt;

use crate::atoms::{AtomId, Atoms};
use crate::parse;

/// A node of a [`Formula`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    True,
    False,
    Atom(AtomId),
    Unary(Unary, NodeId),
    Binary(Binary, NodeId, NodeId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Not,
    Next,
    /// `[]`, always
    Globally,
    /// `<>`, eventually
    Finally,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    /// `V`
    Release,
}

/// A formula. Atoms are numbers; whose, the owner knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    nodes: Vec<Node>,
    root: NodeId,
}

/// A formula on its way.
#[derive(Clone, Debug, Default)]
pub struct FormulaBuilder {
    nodes: Vec<Node>,
    known: HashMap<Node, NodeId>,
}

impl FormulaBuilder {
    /// The node, which may exist already. Its parts must be nodes of this builder.
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

    pub fn atom(&mut self, atom: AtomId) -> NodeId {
        self.node(Node::Atom(atom))
    }

    pub fn unary(&mut self, op: Unary, a: NodeId) -> NodeId {
        self.node(Node::Unary(op, a))
    }

    pub fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        self.node(Node::Binary(op, a, b))
    }

    pub fn finish(self, root: NodeId) -> Formula {
        assert!(root.index() < self.nodes.len(), "the root is a node of this builder");
        Formula { nodes: self.nodes, root }
    }
}

impl Formula {
    /// All nodes, each after its parts.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn root(&self) -> NodeId {
        self.root
    }

    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// A part of it as a formula.
    #[must_use]
    pub fn part(&self, root: NodeId) -> Formula {
        Formula { root, ..self.clone() }
    }

    #[must_use]
    pub fn negated(&self) -> Formula {
        let mut nodes = self.nodes.clone();
        nodes.push(Node::Unary(Unary::Not, self.root));
        Formula { root: NodeId(nodes.len() as u32 - 1), nodes }
    }

    /// One more than the largest number of an atom.
    pub fn atom_count(&self) -> usize {
        let atoms = self.nodes.iter().filter_map(|n| if let Node::Atom(a) = n { Some(a.index() + 1) } else { None });
        atoms.max().unwrap_or(0)
    }

    /// Whether it speaks of the next state, so that stuttering can change its truth.
    pub fn uses_next(&self) -> bool {
        self.nodes.iter().any(|n| matches!(n, Node::Unary(Unary::Next, _)))
    }

    /// No temporal operator in it.
    pub fn is_propositional(&self) -> bool {
        self.nodes.iter().all(|n| match n {
            Node::Unary(op, _) => *op == Unary::Not,
            Node::Binary(op, ..) => !matches!(op, Binary::Until | Binary::WeakUntil | Binary::Release),
            _ => true,
        })
    }

    /// As text that reads back as the same formula, in SPIN's syntax.
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
    /// Writes a node; with brackets if it binds less tightly than `least`.
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

/// An expression as an operand: plain if it is one word, else in brackets, or in whatever else makes it `readable` as itself.
pub(crate) fn operand(text: &str, readable: impl Fn(&str) -> bool) -> String {
    let word = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let forms = [format!("({text})"), format!("{{{text}}}"), format!("\"{text}\"")];
    if word && readable(text) {
        return text.to_string();
    }
    let [brackets, ..] = &forms;
    forms.iter().find(|form| readable(form)).unwrap_or(brackets).clone()
}

/// Whether a text is read as one proposition, `atom`.
fn is_proposition(text: &str, atom: &str) -> bool {
    parse::ltl(text).is_ok_and(
        |read| matches!(read.formula.node(read.formula.root()), Node::Atom(a) if read.atoms.get(a).text == atom),
    )
}

/// An expression as an operand of a formula.
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
