//! Conditions on states, read as if they stood at the end of the program.

use super::{Failed, Frame, Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::Expr;
use crate::promela::preprocess::Condition;
use crate::source::Span;

impl Parser<'_> {
    /// One expression, and nothing after it.
    pub(super) fn condition(&mut self, condition: Condition) -> Parsed<Expr> {
        if self.stopped {
            return Err(Failed);
        }
        self.complained_at = None;
        if condition.tokens.is_empty() {
            let nothing = Span { file: condition.file, start: 0, end: 0 };
            return Err(self.report(Diagnostic::error(nothing, "this condition is empty", "write an expression")));
        }
        self.frames = vec![Frame::program(condition.tokens)];
        self.log.clear();
        (self.ahead, self.hold, self.unread) = (None, None, None);
        (self.last_lexed, self.last_fed) = (Sym::Eof, Sym::Eof);
        (self.in_sequence, self.in_for, self.defer) = (false, false, false);
        (self.parens, self.depth, self.inside) = (0, 0, 0);
        let expr = self.full_expr()?;
        if self.sym() == Sym::Eof { Ok(expr) } else { Err(self.unexpected("an operator or the end of the condition")) }
    }
}
