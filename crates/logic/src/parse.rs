//! The parser of LTL and CTL formulas, in the syntax of SPIN, of DiVinE, or a mixture.
//!
//! Propositions are expressions of a language that the parser does not know. Boolean and temporal operators belong to
//! the formula; an operand is the longest sequence of other tokens (`expression.rs`). Precedence is that of SPIN's
//! `ltl` blocks, weakest first: `->` and `<->`, `||`, `&&`, `U V W`, prefix operators. All binary operators associate
//! to the left.

mod convert;
mod expression;
mod lex;
mod roles;

use crate::atoms::{AtomId, Atoms, Span};
use crate::ctl::Ctl;
use crate::formula::Formula;
use crate::limits;
use crate::problem::Problem;
use lex::{Kind, Token};
use roles::Role;

/// An LTL formula with its propositions.
#[derive(Clone, PartialEq, Debug)]
pub struct Ltl {
    /// The formula.
    pub formula: Formula,
    /// The propositions.
    pub atoms: Atoms,
}

impl Ltl {
    /// The negation of the formula.
    #[must_use]
    pub fn negated(&self) -> Ltl {
        Ltl { formula: self.formula.negated(), atoms: self.atoms.clone() }
    }
}

impl std::fmt::Display for Ltl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.formula.display(&self.atoms).fmt(f)
    }
}

/// Parses an LTL formula.
pub fn ltl(text: &str) -> Result<Ltl, Problem> {
    let mut atoms = Atoms::default();
    let formula = ltl_within(text, Span::new(0, text.len()), &mut atoms)?;
    Ok(Ltl { formula, atoms })
}

/// Parses an LTL formula that is a part of a text. Its propositions are added to `atoms`.
pub(crate) fn ltl_within(text: &str, part: Span, atoms: &mut Atoms) -> Result<Formula, Problem> {
    let tree = parse(text, part, Syntax::Ltl, atoms)?;
    convert::ltl(&tree)
}

/// Parses a CTL formula.
pub fn ctl(text: &str) -> Result<Ctl, Problem> {
    let mut atoms = Atoms::default();
    let tree = parse(text, Span::new(0, text.len()), Syntax::Ctl, &mut atoms)?;
    convert::ctl(&tree, atoms)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Syntax {
    Ltl,
    Ctl,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Prefix {
    Not,
    Next,
    Globally,
    Finally,
    All,
    Exists,
    AllNext,
    ExistsNext,
    AllGlobally,
    ExistsGlobally,
    AllFinally,
    ExistsFinally,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Infix {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

impl Infix {
    fn level(self) -> u8 {
        match self {
            Infix::Implies | Infix::Equivalent => 1,
            Infix::Or => 2,
            Infix::And => 3,
            Infix::Until | Infix::WeakUntil | Infix::Release => 4,
        }
    }
}

/// The syntax tree, before the distinction of LTL and CTL. Operands precede their node; the last node is the root.
struct Tree {
    nodes: Vec<TreeNode>,
}

struct TreeNode {
    kind: TreeKind,
    /// The place of the operator, or of the whole operand.
    span: Span,
    height: u32,
}

#[derive(Clone, Copy)]
enum TreeKind {
    Constant(bool),
    Atom(AtomId),
    Prefix(Prefix, usize),
    Infix(Infix, usize, usize),
}

fn parse(text: &str, part: Span, syntax: Syntax, atoms: &mut Atoms) -> Result<Tree, Problem> {
    let tokens = lex::tokens(text, part)?;
    let roles = roles::roles(&tokens, syntax)?;
    let text = &text[..part.end];
    let mut parser = Parser { text, tokens, roles, at: 0, depth: 0, atoms, nodes: Vec::new() };
    parser.binary(0)?;
    if parser.at < parser.tokens.len() {
        return Err(parser.misplaced());
    }
    Ok(Tree { nodes: parser.nodes })
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    roles: Vec<Role>,
    at: usize,
    depth: usize,
    atoms: &'a mut Atoms,
    nodes: Vec<TreeNode>,
}

impl Parser<'_> {
    fn role(&self) -> Option<Role> {
        self.roles.get(self.at).copied()
    }

    /// The place of the next token, or the end of the text.
    fn here(&self) -> Span {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at).map_or(Span::new(end, end), |t| t.span)
    }

    fn push(&mut self, kind: TreeKind, span: Span) -> Result<usize, Problem> {
        let below = match kind {
            TreeKind::Prefix(_, a) => self.nodes[a].height,
            TreeKind::Infix(_, a, b) => self.nodes[a].height.max(self.nodes[b].height),
            TreeKind::Constant(_) | TreeKind::Atom(_) => 0,
        };
        if below >= limits::MAX_HEIGHT {
            let what = format!("this formula is too large: over {} operators in a row", limits::MAX_HEIGHT);
            return Err(Problem::new(span, what));
        }
        self.nodes.push(TreeNode { kind, span, height: below + 1 });
        Ok(self.nodes.len() - 1)
    }

    /// Parses operands joined by operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<usize, Problem> {
        let mut left = self.prefixed()?;
        while let Some(Role::Infix(op)) = self.role()
            && op.level() >= least
        {
            let span = self.here();
            self.at += 1;
            // The level grows with each call, so the recursion is bounded.
            let right = self.binary(op.level() + 1)?;
            left = self.push(TreeKind::Infix(op, left, right), span)?;
        }
        Ok(left)
    }

    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth >= limits::MAX_NESTING {
            return Err(Problem::new(self.here(), "this is nested too deeply"));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn prefixed(&mut self) -> Result<usize, Problem> {
        let mut operators = Vec::new();
        let mut formula = loop {
            let Some(Role::Prefix(op)) = self.role() else { break self.operand()? };
            if let Some(atom) = self.negated_expression()? {
                break atom;
            }
            operators.push((op, self.here()));
            self.at += 1;
        };
        for (op, span) in operators.into_iter().rev() {
            formula = self.push(TreeKind::Prefix(op, formula), span)?;
        }
        Ok(formula)
    }

    fn operand(&mut self) -> Result<usize, Problem> {
        match self.role() {
            Some(Role::Open(close)) if self.is_formula(close) => {
                let open = self.here();
                self.at += 1;
                if self.at == close {
                    return Err(Problem::new(open.to(self.here()), "there is nothing between these brackets"));
                }
                let inner = self.nested(|p| p.binary(0))?;
                if self.at != close {
                    return Err(self.misplaced());
                }
                self.at += 1;
                if !self.at_boundary() {
                    let what = "a temporal formula can't be part of an expression";
                    return Err(Problem::new(self.here(), what).here("expected a logical or temporal operator"));
                }
                Ok(inner)
            }
            Some(Role::Operand | Role::Open(_) | Role::Sign) => self.expression(),
            _ => Err(self.expected_operand()),
        }
    }

    /// The error for a token in the place of an operator.
    fn misplaced(&self) -> Problem {
        let Some(token) = self.tokens.get(self.at) else { return self.expected_operand() };
        let what = format!("expected a logical or temporal operator before `{}`", token.text);
        Problem::new(token.span, what).here("expected `&&`, `||`, `->`, `U`, …")
    }

    fn expected_operand(&self) -> Problem {
        match self.tokens.get(self.at) {
            Some(token) => {
                let what = format!("expected a formula, found `{}`", token.text);
                Problem::new(token.span, what).here("expected a formula here")
            }
            None if self.tokens.is_empty() => Problem::new(self.here(), "there is no formula"),
            None => Problem::new(self.here(), "the formula ends too early").here("expected a formula here"),
        }
    }

    fn is_quoted(&self, i: usize) -> bool {
        self.tokens[i].kind == Kind::Quoted
    }
}

#[cfg(test)]
mod tests;
