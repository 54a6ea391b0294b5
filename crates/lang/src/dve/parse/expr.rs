//! Expressions.
//!
//! `and` and `or` bind equally strongly, and so do `&`, `|` and `^`: Table 2.1 of the language's definition.

use kripke_model::ir::{BinaryOp, UnaryOp};

use super::{Parse, Parser, join};
use crate::diagnostic::Diagnostic;
use crate::dve::ast::{Expr, ExprKind, Name};
use crate::dve::token::{Token, TokenKind};
use crate::limits;
use crate::source::Span;

/// A binary operator.
#[derive(Clone, Copy)]
enum Infix {
    Imply,
    Operator(BinaryOp),
}

/// The operator a token is, and how strongly it binds.
fn infix(token: &Token) -> Option<(u8, Infix)> {
    if !matches!(token.kind, TokenKind::Symbol | TokenKind::Keyword) {
        return None;
    }
    let (level, op) = match &*token.text {
        "imply" => return Some((1, Infix::Imply)),
        "or" | "||" => (2, BinaryOp::Or),
        "and" | "&&" => (2, BinaryOp::And),
        "|" => (3, BinaryOp::BitOr),
        "&" => (3, BinaryOp::BitAnd),
        "^" => (3, BinaryOp::BitXor),
        "==" => (4, BinaryOp::Eq),
        "!=" => (4, BinaryOp::Ne),
        "<" => (5, BinaryOp::Lt),
        "<=" => (5, BinaryOp::Le),
        ">" => (5, BinaryOp::Gt),
        ">=" => (5, BinaryOp::Ge),
        "<<" => (6, BinaryOp::Shl),
        ">>" => (6, BinaryOp::Shr),
        "+" => (7, BinaryOp::Add),
        "-" => (7, BinaryOp::Sub),
        "*" => (8, BinaryOp::Mul),
        "/" => (8, BinaryOp::Div),
        "%" => (8, BinaryOp::Rem),
        _ => return None,
    };
    Some((level, Infix::Operator(op)))
}

fn prefix(token: &Token) -> Option<UnaryOp> {
    match &*token.text {
        "-" if token.is("-") => Some(UnaryOp::Neg),
        "~" if token.is("~") => Some(UnaryOp::Complement),
        "not" if token.is("not") => Some(UnaryOp::Not),
        _ => None,
    }
}

impl Parser<'_> {
    /// Operands joined by operators. What waits for an operand that binds tighter is kept in a list, not on the stack: text with
    /// many levels of operators inside many brackets would need too much of it.
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        let mut waiting: Vec<(Expr, Infix, u8)> = Vec::new();
        let mut operand = self.nested(Self::unary)?;
        loop {
            let next = infix(self.peek());
            let least = next.map_or(0, |(level, _)| level);
            while let Some((left, operator, _)) = waiting.pop_if(|(_, _, level)| *level >= least) {
                operand = self.combine(operator, left, operand)?;
            }
            let Some((level, operator)) = next else { return Ok(operand) };
            self.bump();
            waiting.push((operand, operator, level));
            operand = self.nested(Self::unary)?;
        }
    }

    fn combine(&mut self, operator: Infix, left: Expr, right: Expr) -> Parse<Expr> {
        let span = join(left.span, right.span);
        let height = left.height.max(right.height) + 1;
        if height > limits::MAX_EXPR_HEIGHT {
            return Err(self.too_deep(span));
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match operator {
            Infix::Imply => ExprKind::Imply(left, right),
            Infix::Operator(op) => ExprKind::Binary(op, left, right),
        };
        Ok(Expr { kind, span, height })
    }

    fn unary(&mut self) -> Parse<Expr> {
        let mut operators = Vec::new();
        while let Some(operator) = prefix(self.peek()) {
            operators.push((operator, self.peek().span));
            self.bump();
        }
        let mut operand = self.operand()?;
        for (op, at) in operators.into_iter().rev() {
            let (span, height) = (join(at, operand.span), operand.height + 1);
            if height > limits::MAX_EXPR_HEIGHT {
                return Err(self.too_deep(span));
            }
            operand = Expr { kind: ExprKind::Unary(op, Box::new(operand)), span, height };
        }
        Ok(operand)
    }

    fn operand(&mut self) -> Parse<Expr> {
        let token = self.peek().clone();
        let simple = |kind, span| Ok(Expr { kind, span, height: 1 });
        match token.kind {
            TokenKind::Number => {
                let value = token.text.parse::<i32>();
                let Ok(value) = value else {
                    let message = format!("{} is too large for a number", shorten(&token.text));
                    let wrong = Diagnostic::error(token.span, message, "at most 2147483647");
                    return Err(self.report(wrong));
                };
                self.bump();
                simple(ExprKind::Number(value), token.span)
            }
            TokenKind::Keyword if token.is("true") || token.is("false") => {
                self.bump();
                simple(ExprKind::Number(i32::from(&*token.text == "true")), token.span)
            }
            TokenKind::Symbol if token.is("(") => {
                self.bump();
                let inner = self.expr()?;
                let close = self.close(")", "this bracket", token.span)?;
                let height = inner.height + 1;
                Ok(Expr { kind: ExprKind::Group(Box::new(inner)), span: join(token.span, close), height })
            }
            TokenKind::Ident => {
                self.bump();
                self.named(Name { text: token.text, span: token.span })
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `x`, `a[i]`, `P.s`, `P->x`, `P->a[i]`
    fn named(&mut self, name: Name) -> Parse<Expr> {
        let start = name.span;
        if self.eat(".").is_some() {
            let state = self.name("the name of a state")?;
            let span = join(start, state.span);
            return Ok(Expr { kind: ExprKind::At(name, state), span, height: 1 });
        }
        if self.eat("->").is_some() {
            let variable = self.name("the name of a variable")?;
            let (index, end) = self.index(variable.span)?;
            let height = index.as_ref().map_or(0, |i| i.height) + 1;
            return Ok(Expr { kind: ExprKind::Remote(name, variable, index), span: join(start, end), height });
        }
        let (index, end) = self.index(start)?;
        let height = index.as_ref().map_or(0, |i| i.height) + 1;
        let kind = match index {
            Some(index) => ExprKind::Element(name, index),
            None => ExprKind::Name(name),
        };
        Ok(Expr { kind, span: join(start, end), height })
    }

    fn index(&mut self, name: Span) -> Parse<(Option<Box<Expr>>, Span)> {
        let Some(open) = self.eat("[") else { return Ok((None, name)) };
        let index = self.expr()?;
        let close = self.close("]", "an index", open.span)?;
        Ok((Some(Box::new(index)), close))
    }

    /// One level deeper, if that is not absurdly deep.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Parse<Expr>) -> Parse<Expr> {
        if self.depth >= limits::MAX_NESTING {
            let span = self.peek().span;
            return Err(self.too_deep(span));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> super::Failed {
        self.report(Diagnostic::error(span, "this expression is nested too deeply", "split it up"))
    }
}

/// A long text, cut.
fn shorten(text: &str) -> String {
    if text.len() > 20 { format!("{}…", &text[..20]) } else { text.to_string() }
}
