//! Conversion of the syntax tree to LTL or CTL.

use super::{Infix, Prefix, Tree, TreeKind, TreeNode};
use crate::atoms::Atoms;
use crate::ctl::{Ctl, CtlBuilder, CtlId, CtlNode, Path};
use crate::formula::{Binary, Formula, FormulaBuilder, Node, Unary};
use crate::problem::Problem;

/// The tree as an LTL formula.
pub fn ltl(tree: &Tree) -> Result<Formula, Problem> {
    let mut builder = FormulaBuilder::default();
    let mut ids = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let id = match node.kind {
            TreeKind::Constant(true) => builder.node(Node::True),
            TreeKind::Constant(false) => builder.node(Node::False),
            TreeKind::Atom(a) => builder.atom(a),
            TreeKind::Prefix(op, a) => {
                let op = match op {
                    Prefix::Not => Unary::Not,
                    Prefix::Next => Unary::Next,
                    Prefix::Globally => Unary::Globally,
                    Prefix::Finally => Unary::Finally,
                    _ => return Err(Problem::new(node.span, "linear temporal logic has no path quantifiers")),
                };
                builder.unary(op, ids[a])
            }
            TreeKind::Infix(op, a, b) => builder.binary(binary(op), ids[a], ids[b]),
        };
        ids.push(id);
    }
    let root = ids[ids.len() - 1];
    Ok(builder.finish(root))
}

fn binary(op: Infix) -> Binary {
    match op {
        Infix::And => Binary::And,
        Infix::Or => Binary::Or,
        Infix::Implies => Binary::Implies,
        Infix::Equivalent => Binary::Equivalent,
        Infix::Until => Binary::Until,
        Infix::WeakUntil => Binary::WeakUntil,
        Infix::Release => Binary::Release,
    }
}

/// A part of a CTL formula: a state formula, or a path formula that needs a quantifier.
#[derive(Clone, Copy)]
enum Part {
    State(CtlId),
    Next(CtlId),
    Globally(CtlId),
    Finally(CtlId),
    Joined(Infix, CtlId, CtlId),
}

/// The tree as a CTL formula.
pub fn ctl(tree: &Tree, atoms: Atoms) -> Result<Ctl, Problem> {
    let mut builder = CtlBuilder::default();
    let mut parts: Vec<Part> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let part = part(&mut builder, tree, &parts, node)?;
        parts.push(part);
    }
    let root = state(tree, &parts, parts.len() - 1)?;
    Ok(builder.finish(root, atoms))
}

/// The part as a state formula.
fn state(tree: &Tree, parts: &[Part], i: usize) -> Result<CtlId, Problem> {
    match parts[i] {
        Part::State(id) => Ok(id),
        _ => Err(Problem::new(tree.nodes[i].span, "in CTL, a path quantifier stands before every temporal operator")
            .here("expected `A` or `E` before this")
            .help("write `AG p`, `EF p`, `A[p U q]`, …")),
    }
}

fn part(b: &mut CtlBuilder, tree: &Tree, parts: &[Part], node: &TreeNode) -> Result<Part, Problem> {
    let at = |i| state(tree, parts, i);
    let part = match node.kind {
        TreeKind::Constant(value) => Part::State(b.node(CtlNode::Constant(value))),
        TreeKind::Atom(a) => Part::State(b.node(CtlNode::Atom(a))),
        TreeKind::Prefix(Prefix::All, a) => Part::State(quantified(b, Path::All, parts[a], node)?),
        TreeKind::Prefix(Prefix::Exists, a) => Part::State(quantified(b, Path::Exists, parts[a], node)?),
        TreeKind::Prefix(op, a) => {
            let a = at(a)?;
            match op {
                Prefix::Next => Part::Next(a),
                Prefix::Globally => Part::Globally(a),
                Prefix::Finally => Part::Finally(a),
                Prefix::AllNext => Part::State(b.node(CtlNode::Next(Path::All, a))),
                Prefix::ExistsNext => Part::State(b.node(CtlNode::Next(Path::Exists, a))),
                Prefix::AllGlobally => Part::State(b.node(CtlNode::Globally(Path::All, a))),
                Prefix::ExistsGlobally => Part::State(b.node(CtlNode::Globally(Path::Exists, a))),
                Prefix::AllFinally => Part::State(b.node(CtlNode::Finally(Path::All, a))),
                Prefix::ExistsFinally => Part::State(b.node(CtlNode::Finally(Path::Exists, a))),
                Prefix::Not | Prefix::All | Prefix::Exists => Part::State(b.node(CtlNode::Not(a))),
            }
        }
        TreeKind::Infix(op, x, y) => {
            let (x, y) = (at(x)?, at(y)?);
            match op {
                Infix::And => Part::State(b.node(CtlNode::And(x, y))),
                Infix::Or => Part::State(b.node(CtlNode::Or(x, y))),
                Infix::Implies => Part::State(b.node(CtlNode::Implies(x, y))),
                Infix::Equivalent => Part::State(b.node(CtlNode::Equivalent(x, y))),
                Infix::Until | Infix::WeakUntil | Infix::Release => Part::Joined(op, x, y),
            }
        }
    };
    Ok(part)
}

fn quantified(b: &mut CtlBuilder, path: Path, part: Part, node: &TreeNode) -> Result<CtlId, Problem> {
    Ok(match part {
        Part::State(_) => {
            return Err(Problem::new(node.span, "in CTL, a temporal operator follows every path quantifier")
                .help("write `A[p U q]`, `E(p U q)`, `AG p`, `EF p`, …"));
        }
        Part::Next(a) => b.node(CtlNode::Next(path, a)),
        Part::Globally(a) => b.node(CtlNode::Globally(path, a)),
        Part::Finally(a) => b.node(CtlNode::Finally(path, a)),
        Part::Joined(Infix::WeakUntil, x, y) => b.weak_until(path, x, y),
        Part::Joined(Infix::Release, x, y) => b.release(path, x, y),
        Part::Joined(_, x, y) => b.node(CtlNode::Until(path, x, y)),
    })
}
