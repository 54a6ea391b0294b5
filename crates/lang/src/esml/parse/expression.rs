//! Expressions, and the formulas of correctness specifications, which are expressions with temporal operators.
//!
//! The two descriptions of the language differ: its grammar has `&` and `OR` bind weakest, its table of operators has
//! them with `*` and `+`. Here `OR` binds weakest, then `&`, relations, sums, products; where the readings would give
//! different results for well-typed operands, a warning asks for parentheses (see the lowering).

use super::{Parsed, Parser};
use crate::diagnostic::{Diagnostic, warn};
use crate::esml::ast::{Access, AccessStep, BinaryOp, Expr, ExprKind, Name, PathOperator, Paths, UnaryOp};
use crate::esml::token::{Keyword, Punct, TokenKind};
use crate::limits;
use crate::source::{Span, join};

/// Lowering makes an expression up to four times as tall.
const MAX_HEIGHT: u32 = limits::MAX_EXPR_HEIGHT / 4;

/// The weakest level of binary operators.
const WEAKEST: u8 = 1;
const RELATION: u8 = 3;
const STRONGEST: u8 = 5;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let left = p.binary(WEAKEST)?;
            if !p.in_formula || p.eat(Punct::Implies).is_none() {
                return Ok(left);
            }
            let right = p.expression()?;
            p.make(join(left.span, right.span), left.height.max(right.height), |_| {
                ExprKind::Implies(Box::new(left), Box::new(right))
            })
        })
    }

    /// A chain of operators of this level, whose operands are of stronger levels.
    fn binary(&mut self, level: u8) -> Parsed<Expr> {
        if level > STRONGEST {
            return self.factor();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(op) = self.operator(level) {
            self.bump();
            let right = self.binary(level + 1)?;
            self.doubtful(op, &left, &right);
            let (span, height) = (join(left.span, right.span), left.height.max(right.height));
            left = self.make(span, height, |_| ExprKind::Binary(op, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn operator(&self, level: u8) -> Option<BinaryOp> {
        let (op, its) = match self.kind() {
            TokenKind::Keyword(Keyword::Or) => (BinaryOp::Or, WEAKEST),
            TokenKind::Punct(Punct::And) => (BinaryOp::And, 2),
            TokenKind::Punct(Punct::Equal) => (BinaryOp::Eq, RELATION),
            TokenKind::Punct(Punct::Hash) => (BinaryOp::Ne, RELATION),
            TokenKind::Punct(Punct::Less) => (BinaryOp::Lt, RELATION),
            TokenKind::Punct(Punct::LessEqual) => (BinaryOp::Le, RELATION),
            TokenKind::Punct(Punct::Greater) => (BinaryOp::Gt, RELATION),
            TokenKind::Punct(Punct::GreaterEqual) => (BinaryOp::Ge, RELATION),
            TokenKind::Punct(Punct::Plus) => (BinaryOp::Add, 4),
            TokenKind::Punct(Punct::Minus) => (BinaryOp::Sub, 4),
            TokenKind::Punct(Punct::Star) => (BinaryOp::Mul, STRONGEST),
            TokenKind::Keyword(Keyword::Div) => (BinaryOp::Div, STRONGEST),
            TokenKind::Keyword(Keyword::Mod) => (BinaryOp::Rem, STRONGEST),
            _ => return None,
        };
        (its == level).then_some(op)
    }

    /// `a OR b & c`: by the grammar read from left to right it would be `(a OR b) & c`.
    fn doubtful(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let is_and = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::And, ..)) && !e.grouped;
        if op == BinaryOp::Or && is_and(right) && self.errors == 0 {
            let what = "`&` binds stronger than `OR`";
            let warning = Diagnostic::warning(join(left.span, right.span), what, "is this what you mean?");
            warn(self.diagnostics, warning.label(right.span, "taken together").help("parentheses make it certain"));
        }
    }

    fn make(&mut self, span: Span, height: u32, kind: impl FnOnce(&mut Self) -> ExprKind) -> Parsed<Expr> {
        if height >= MAX_HEIGHT {
            return Err(self.report(Diagnostic::error(span, "this expression is too large", "nested too deeply")));
        }
        Ok(Expr { kind: kind(self), span, height: height + 1, grouped: false })
    }

    fn leaf(&mut self, span: Span, kind: ExprKind) -> Expr {
        Expr { kind, span, height: 0, grouped: false }
    }

    fn factor(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        match self.kind() {
            TokenKind::Number => self.number(),
            TokenKind::Keyword(k @ (Keyword::True | Keyword::False)) => {
                self.bump();
                Ok(self.leaf(start, ExprKind::Bool(k == Keyword::True)))
            }
            TokenKind::Name => {
                let name = self.name("a variable")?;
                let access = self.access(name)?;
                let height = access.steps.iter().map(|s| match s {
                    AccessStep::Index(e) => e.height + 1,
                    AccessStep::Field(_) => 0,
                });
                let (span, height) = (access.span, height.max().unwrap_or(0));
                self.make(span, height, |_| ExprKind::Access(access))
            }
            TokenKind::Keyword(k @ (Keyword::Len | Keyword::Head)) => {
                self.bump();
                let open = self.expect(Punct::LeftParen, "`(` and a list")?;
                let list = self.expression()?;
                let end = self.close(Punct::RightParen, "the argument", open)?;
                let height = list.height;
                self.make(join(start, end), height, |_| match k {
                    Keyword::Len => ExprKind::Len(Box::new(list)),
                    _ => ExprKind::Head(Box::new(list)),
                })
            }
            TokenKind::Punct(Punct::LeftParen) => {
                self.bump();
                let mut inner = self.expression()?;
                let end = self.close(Punct::RightParen, "this parenthesis", start)?;
                (inner.span, inner.grouped) = (join(start, end), true);
                Ok(inner)
            }
            TokenKind::Punct(Punct::Minus) => self.unary(UnaryOp::Neg),
            TokenKind::Punct(Punct::Not) => self.unary(UnaryOp::Not),
            TokenKind::Keyword(k) if self.in_formula => self.temporal(k),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn unary(&mut self, op: UnaryOp) -> Parsed<Expr> {
        let mut operators = vec![(op, self.bump().span)];
        while let Some(op) = self.prefix() {
            operators.push((op, self.bump().span));
        }
        let mut operand = self.factor()?;
        for (op, start) in operators.into_iter().rev() {
            let (span, height) = (join(start, operand.span), operand.height);
            operand = self.make(span, height, |_| ExprKind::Unary(op, Box::new(operand)))?;
        }
        Ok(operand)
    }

    fn prefix(&self) -> Option<UnaryOp> {
        match self.kind() {
            TokenKind::Punct(Punct::Minus) => Some(UnaryOp::Neg),
            TokenKind::Punct(Punct::Not) => Some(UnaryOp::Not),
            _ => None,
        }
    }

    fn number(&mut self) -> Parsed<Expr> {
        let span = self.bump().span;
        match self.word(span).parse() {
            Ok(n) => Ok(self.leaf(span, ExprKind::Number(n))),
            Err(_) => {
                let what = format!("this number is too large: {} is the largest", i32::MAX);
                self.say(Diagnostic::error(span, what, "too large"));
                Ok(self.leaf(span, ExprKind::Number(0)))
            }
        }
    }

    /// The fields and indices after a name.
    pub(super) fn access(&mut self, root: Name) -> Parsed<Access> {
        let mut steps = Vec::new();
        loop {
            if self.eat(Punct::Dot).is_some() {
                steps.push(AccessStep::Field(self.name("the name of a field")?));
            } else if let Some(open) = self.eat(Punct::LeftBracket) {
                let index = self.expression()?;
                self.close(Punct::RightBracket, "this index", open)?;
                steps.push(AccessStep::Index(Box::new(index)));
            } else {
                let span = if steps.is_empty() { root.span } else { join(root.span, self.last()) };
                return Ok(Access { root, steps, span });
            }
        }
    }

    /// By the grammar the operand of `AG` and its like reaches as far to the right as it can.
    fn temporal(&mut self, keyword: Keyword) -> Parsed<Expr> {
        let operator = match keyword {
            Keyword::Ag => PathOperator::Globally(Paths::All),
            Keyword::Eg => PathOperator::Globally(Paths::Some),
            Keyword::Af => PathOperator::Finally(Paths::All),
            Keyword::Ef => PathOperator::Finally(Paths::Some),
            Keyword::Ax => PathOperator::Next(Paths::All),
            Keyword::Ex => PathOperator::Next(Paths::Some),
            Keyword::A => return self.until(Paths::All),
            Keyword::E => return self.until(Paths::Some),
            _ => return Err(self.unexpected("a formula")),
        };
        let start = self.bump().span;
        let operand = self.expression()?;
        self.wide_operand(keyword, start, &operand);
        self.make(join(start, operand.span), operand.height, |_| ExprKind::Temporal(operator, Box::new(operand)))
    }

    fn wide_operand(&mut self, keyword: Keyword, start: Span, operand: &Expr) {
        let first = match &operand.kind {
            ExprKind::Binary(_, left, _) | ExprKind::Implies(left, _) if !operand.grouped => left,
            _ => return,
        };
        if first.grouped {
            let what = format!("`{}` applies to all that follows", keyword.text());
            let warning = Diagnostic::warning(join(start, operand.span), what, "is this what you mean?");
            warn(self.diagnostics, warning.label(operand.span, "its operand").help("parentheses make it certain"));
        }
    }

    /// `A(f U g)`
    fn until(&mut self, paths: Paths) -> Parsed<Expr> {
        let start = self.bump().span;
        let open = self.expect(Punct::LeftParen, "`(`")?;
        let left = self.expression()?;
        self.keyword(Keyword::U, "`U`")?;
        let right = self.expression()?;
        let end = self.close(Punct::RightParen, "this formula", open)?;
        let height = left.height.max(right.height);
        self.make(join(start, end), height, |_| ExprKind::Until(paths, Box::new(left), Box::new(right)))
    }
}
