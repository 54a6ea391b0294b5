//! Expressions, with C's precedence.
//!
//! SPIN has two kinds: `full(q)`, `empty(q)` and their negations may only be combined with `&&` and `||`, never be
//! negated or calculated with, so that the reduction can rely on them. [`Operand::probe`] keeps track of that.

use super::ltl::TemporalOp;
use super::{Failed, Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::promela::ast::{BinaryOp, Expr, ExprKind, Name, UnaryOp, VarPart, VarRef};
use crate::promela::token::{Keyword, Punct, Token};
use crate::source::{Span, join};

/// An expression on its way.
pub(super) struct Operand {
    expr: Expr,
    /// The place of a channel poll in it, which can't be an operand of arithmetic.
    pub(super) probe: Option<Span>,
    height: u32,
}

#[derive(Clone, Copy)]
enum Infix {
    Plain(BinaryOp),
    Temporal,
}

#[derive(Clone, Copy)]
enum Prefix {
    Plain(UnaryOp),
    Temporal,
}

impl Operand {
    pub(super) fn leaf(kind: ExprKind, span: Span) -> Operand {
        Operand { expr: Expr { kind, span }, probe: None, height: 1 }
    }
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn full_expr(&mut self) -> Parsed<Expr> {
        let operand = self.binary(None)?;
        Ok(self.finished(operand))
    }

    /// An expression that is complete; what it is part of is taller.
    fn finished(&mut self, operand: Operand) -> Expr {
        self.inside = self.inside.max(operand.height);
        operand.expr
    }

    /// An expression that can be calculated with.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let operand = self.binary(None)?;
        self.no_probe(&operand)?;
        Ok(self.finished(operand))
    }

    /// The rest of an expression that begins with a variable.
    pub(super) fn full_expr_after(&mut self, var: VarRef) -> Parsed<Expr> {
        let span = var.span;
        let first = if self.at(Punct::At) { self.remote(var)? } else { Operand::leaf(variable(var), span) };
        let first = Operand { height: self.inside + 1, ..first };
        Ok(self.binary(Some(first))?.expr)
    }

    pub(super) fn full_expr_from(&mut self, first: Expr) -> Parsed<Expr> {
        let first = Operand { expr: first, probe: None, height: self.inside + 1 };
        Ok(self.binary(Some(first))?.expr)
    }

    fn no_probe(&mut self, operand: &Operand) -> Parsed<()> {
        let Some(span) = operand.probe else { return Ok(()) };
        let word = self.log.iter().rev().find(|t| t.span == span).map(|t| t.text.clone());
        let word = word.as_deref().unwrap_or("empty");
        let opposite = match word {
            "empty" => "nempty",
            "nempty" => "empty",
            "full" => "nfull",
            _ => "full",
        };
        let what = format!("`{word}(…)` can only be combined with `&&` and `||`");
        let help = format!("its negation is `{opposite}(…)`; to calculate, use `len(…)`");
        Err(self.report(Diagnostic::error(span, what, "").help(help)))
    }

    /// Operands joined by operators. What waits for an operand that binds tighter is kept in a list, not on the stack: text with
    /// many levels of operators inside many parentheses would need too much of it.
    fn binary(&mut self, first: Option<Operand>) -> Parsed<Operand> {
        let mut waiting: Vec<(Operand, Infix, u8)> = Vec::new();
        let mut operand = match first {
            Some(first) => first,
            None => self.nested(Self::unary)?,
        };
        loop {
            let next = self.infix();
            let least = next.map_or(0, |(_, level)| level);
            while let Some((left, op, _)) = waiting.pop_if(|(_, _, level)| *level >= least) {
                operand = self.combine(op, left, operand)?;
            }
            let Some((op, level)) = next else { return Ok(operand) };
            self.bump();
            waiting.push((operand, op, level));
            operand = self.nested(Self::unary)?;
        }
    }

    fn combine(&mut self, op: Infix, left: Operand, right: Operand) -> Parsed<Operand> {
        if !matches!(op, Infix::Plain(BinaryOp::And | BinaryOp::Or)) {
            self.no_probe(&left)?;
            self.no_probe(&right)?;
        }
        let span = join(left.expr.span, right.expr.span);
        let height = self.height(left.height.max(right.height), right.expr.span)?;
        let kind = match op {
            Infix::Plain(op) => ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)),
            // Formulas are only checked here, and kept as text; the names in them are kept, too.
            Infix::Temporal => ExprKind::Binary(BinaryOp::And, Box::new(left.expr), Box::new(right.expr)),
        };
        Ok(Operand { expr: Expr { kind, span }, probe: left.probe.or(right.probe), height })
    }

    /// The operator that comes next, and how tightly it binds.
    fn infix(&mut self) -> Option<(Infix, u8)> {
        use BinaryOp as B;
        use TemporalOp as T;
        let (op, level) = match self.sym() {
            Sym::Temporal(T::Implies | T::Equivalent) => return Some((Infix::Temporal, 1)),
            Sym::Temporal(T::Until) => return Some((Infix::Temporal, 4)),
            Sym::Punct(punct) => match punct {
                Punct::OrOr => (B::Or, 2),
                Punct::AndAnd => (B::And, 3),
                Punct::Or => (B::BitOr, 5),
                Punct::Caret => (B::BitXor, 6),
                Punct::And => (B::BitAnd, 7),
                Punct::EqualEqual => (B::Eq, 8),
                Punct::NotEqual => (B::Ne, 8),
                Punct::Greater => (B::Gt, 9),
                Punct::Less => (B::Lt, 9),
                Punct::GreaterEqual => (B::Ge, 9),
                Punct::LessEqual => (B::Le, 9),
                Punct::ShiftLeft => (B::Shl, 10),
                Punct::ShiftRight => (B::Shr, 10),
                Punct::Plus => (B::Add, 11),
                Punct::Minus => (B::Sub, 11),
                Punct::Star => (B::Mul, 12),
                Punct::Slash => (B::Div, 12),
                Punct::Percent => (B::Rem, 12),
                _ => return None,
            },
            _ => return None,
        };
        Some((Infix::Plain(op), level))
    }

    fn unary(&mut self) -> Parsed<Operand> {
        let mut operators = Vec::new();
        while let Some(operator) = self.prefix() {
            operators.push((operator, self.bump().span));
        }
        let mut operand = self.primary()?;
        for (operator, at) in operators.into_iter().rev() {
            operand = self.apply(operator, at, operand)?;
        }
        Ok(operand)
    }

    fn prefix(&mut self) -> Option<Prefix> {
        Some(match self.sym() {
            Sym::Punct(Punct::Minus) => Prefix::Plain(UnaryOp::Neg),
            Sym::Punct(Punct::Bang) => Prefix::Plain(UnaryOp::Not),
            Sym::Punct(Punct::Tilde) => Prefix::Plain(UnaryOp::Complement),
            Sym::Temporal(TemporalOp::Unary) => Prefix::Temporal,
            _ => return None,
        })
    }

    fn apply(&mut self, operator: Prefix, at: Span, operand: Operand) -> Parsed<Operand> {
        self.no_probe(&operand)?;
        let height = self.height(operand.height, at)?;
        let span = join(at, operand.expr.span);
        let kind = match operator {
            Prefix::Plain(op) => ExprKind::Unary(op, Box::new(operand.expr)),
            Prefix::Temporal => ExprKind::Unary(UnaryOp::Not, Box::new(operand.expr)),
        };
        Ok(Operand { expr: Expr { kind, span }, probe: None, height })
    }

    /// The height of what has parts of this height; `at` is where it is too much.
    fn height(&mut self, parts: u32, at: Span) -> Parsed<u32> {
        if parts >= limits::MAX_EXPR_HEIGHT {
            let what = format!("this expression is too large: over {} operators in a row", limits::MAX_EXPR_HEIGHT);
            self.fatal(Diagnostic::error(at, what, ""));
            return Err(Failed);
        }
        Ok(parts + 1)
    }

    pub(super) fn at_expression(&mut self) -> bool {
        use Keyword as K;
        match self.sym() {
            Sym::Name | Sym::ProcName | Sym::Symbol | Sym::Number | Sym::Char => true,
            Sym::Punct(p) => matches!(p, Punct::LeftParen | Punct::Minus | Punct::Bang | Punct::Tilde),
            Sym::Keyword(k) => matches!(
                k,
                K::True
                    | K::False
                    | K::Skip
                    | K::Run
                    | K::Len
                    | K::Empty
                    | K::Nempty
                    | K::Full
                    | K::Nfull
                    | K::Enabled
                    | K::PcValue
                    | K::GetPriority
                    | K::Timeout
                    | K::Np
            ),
            _ => false,
        }
    }

    /// An operand is taller than the expressions inside it: indices, arguments.
    fn primary(&mut self) -> Parsed<Operand> {
        let outside = std::mem::take(&mut self.inside);
        let operand = self.bare_primary()?;
        let height = operand.height.max(self.inside + 1);
        self.inside = outside;
        Ok(Operand { height, ..operand })
    }

    fn bare_primary(&mut self) -> Parsed<Operand> {
        use Keyword as K;
        let span = self.here();
        match self.sym() {
            Sym::Punct(Punct::LeftParen) => self.parenthesised(),
            Sym::Name => self.variable_or_poll(),
            Sym::ProcName => {
                let token = self.bump();
                let var = VarRef::single(&token);
                self.remote(var)
            }
            _ if self.at_constant() => {
                let expr = self.primary_constant()?;
                Ok(Operand { expr, probe: None, height: 1 })
            }
            Sym::Keyword(K::Run) => self.run(),
            Sym::Keyword(K::Timeout) => {
                self.bump();
                Ok(Operand::leaf(ExprKind::Timeout, span))
            }
            Sym::Keyword(K::Np) => {
                self.bump();
                Ok(Operand::leaf(ExprKind::NonProgress, span))
            }
            Sym::Keyword(K::Len | K::Empty | K::Nempty | K::Full | K::Nfull) => self.channel_query(),
            Sym::Keyword(K::Enabled | K::PcValue | K::GetPriority) => self.process_query(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `(e)` or `(c -> a : b)`
    fn parenthesised(&mut self) -> Parsed<Operand> {
        let open = self.bump();
        let inner = self.binary(None)?;
        if self.eat(Punct::Arrow).is_some() {
            self.no_probe(&inner)?;
            let yes = self.expr()?;
            self.expect(Punct::Colon)?;
            let no = self.expr()?;
            let close = self.close(Punct::RightParen, "the condition", open.span)?;
            let kind = ExprKind::Cond(Box::new([inner.expr, yes, no]));
            let condition = Operand::leaf(kind, join(open.span, close.span));
            return Ok(Operand { height: inner.height + 1, ..condition });
        }
        let close = self.close(Punct::RightParen, "the parenthesis", open.span)?;
        let span = join(open.span, close.span);
        Ok(Operand { expr: Expr { span, ..inner.expr }, ..inner })
    }

    fn variable_or_poll(&mut self) -> Parsed<Operand> {
        let var = self.var_ref()?;
        match self.sym() {
            Sym::Punct(Punct::At) => self.remote(var),
            Sym::Punct(Punct::Query | Punct::QueryQuery) => {
                let random = &*self.bump().text == "??";
                if !self.at(Punct::LeftBracket) {
                    let span = self.log.last().map_or(var.span, |t| t.span);
                    let what = "a receive is a statement and cannot be part of an expression";
                    let help = "to ask whether a message could be received, write `q?[…]`";
                    return Err(self.report(Diagnostic::error(span, what, "").help(help)));
                }
                let expr = self.poll(var, random)?;
                Ok(Operand { expr, probe: None, height: 1 })
            }
            _ => {
                let span = var.span;
                Ok(Operand::leaf(variable(var), span))
            }
        }
    }

    /// `[args]` behind `q?`
    pub(super) fn poll(&mut self, channel: VarRef, random: bool) -> Parsed<Expr> {
        let open = self.bump();
        let args = self.receive_args()?;
        let close = self.close(Punct::RightBracket, "the message", open.span)?;
        let span = join(channel.span, close.span);
        Ok(Expr { kind: ExprKind::Poll { channel, args, random }, span })
    }
}

fn variable(var: VarRef) -> ExprKind {
    if var.parts.len() == 1 && var.parts[0].name.text == "STDIN" { ExprKind::Stdin } else { ExprKind::Var(var) }
}

impl Expr {
    pub(super) fn number(value: i32, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(value), span }
    }

    pub(super) fn negated(self, minus: Span) -> Expr {
        let span = join(minus, self.span);
        Expr { kind: ExprKind::Unary(UnaryOp::Neg, Box::new(self)), span }
    }

    /// Its value, if it is a literal.
    pub(super) fn constant(&self) -> Option<i32> {
        match self.kind {
            ExprKind::Const(v) => Some(v),
            _ => None,
        }
    }
}

impl VarRef {
    pub(super) fn single(token: &Token) -> VarRef {
        let (name, span) = (Name::of(token), token.span);
        VarRef { parts: vec![VarPart { name, index: None }], span, argument: token.argument }
    }
}
