//! Sending and receiving.

use super::{Parsed, Parser, Sym};
use crate::promela::ast::{Expr, RecvArg, StmtKind, VarRef};
use crate::promela::token::{Keyword, Punct};
use crate::source::join;

impl Parser<'_> {
    /// `!a,b`, `!a(b,c)`, `!!a`: what follows the channel.
    pub(super) fn send(&mut self, channel: VarRef) -> Parsed<StmtKind> {
        let sorted = &*self.bump().text == "!!";
        let mut args = vec![self.expr()?];
        if let Some(open) = self.eat(Punct::LeftParen) {
            args.push(self.expr()?);
            while self.eat(Punct::Comma).is_some() {
                args.push(self.expr()?);
            }
            self.close(Punct::RightParen, "the message", open.span)?;
        } else {
            while self.eat(Punct::Comma).is_some() {
                args.push(self.expr()?);
            }
        }
        Ok(StmtKind::Send { channel, args, sorted })
    }

    /// `?a,b`, `??a`, `?<a>` are statements; `?[a]` begins an expression.
    pub(super) fn receive_or_poll(&mut self, channel: VarRef) -> Parsed<StmtKind> {
        let random = &*self.bump().text == "??";
        if self.at(Punct::LeftBracket) {
            let poll = self.poll(channel, random)?;
            return Ok(StmtKind::Expr(self.full_expr_from(poll)?));
        }
        if let Some(open) = self.eat(Punct::Less) {
            let args = self.receive_args()?;
            self.close(Punct::Greater, "the message", open.span)?;
            return Ok(StmtKind::Receive { channel, args, random, keep: true });
        }
        let args = self.receive_args()?;
        Ok(StmtKind::Receive { channel, args, random, keep: false })
    }

    /// `a,b`, `a(b,c)`, `(a,b)`
    pub(super) fn receive_args(&mut self) -> Parsed<Vec<RecvArg>> {
        let mut args = Vec::new();
        self.receive_args_into(&mut args)?;
        Ok(args)
    }

    fn receive_args_into(&mut self, args: &mut Vec<RecvArg>) -> Parsed<()> {
        loop {
            if !self.at(Punct::LeftParen) {
                args.push(self.receive_arg()?);
            }
            if let Some(open) = self.eat(Punct::LeftParen) {
                self.nested(|p| p.receive_args_into(args))?;
                self.close(Punct::RightParen, "the message", open.span)?;
                return Ok(());
            }
            if self.eat(Punct::Comma).is_none() {
                return Ok(());
            }
        }
    }

    fn receive_arg(&mut self) -> Parsed<RecvArg> {
        let span = self.here();
        match self.sym() {
            Sym::Keyword(Keyword::Eval) => {
                self.bump();
                let open = self.expect(Punct::LeftParen)?;
                let value = self.expr()?;
                self.close(Punct::RightParen, "the eval", open.span)?;
                Ok(RecvArg::Eval(value))
            }
            Sym::Name => Ok(RecvArg::Var(self.var_ref()?)),
            Sym::Symbol => {
                let name = self.bump();
                Ok(RecvArg::Var(VarRef::single(&name)))
            }
            Sym::Punct(Punct::Minus) => {
                self.bump();
                if !self.at_constant() {
                    return Err(self.unexpected("a constant"));
                }
                let value = self.primary_constant()?;
                match value.constant() {
                    Some(v) => Ok(RecvArg::Const(v.wrapping_neg(), join(span, value.span))),
                    None => Ok(RecvArg::Eval(Expr::negated(value, span))),
                }
            }
            _ if self.at_constant() => {
                let value = self.primary_constant()?;
                Ok(RecvArg::Const(value.constant().unwrap_or(0), value.span))
            }
            _ => Err(self.unexpected("a variable, a constant, `_` or `eval(…)`")),
        }
    }
}
