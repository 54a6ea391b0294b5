//! Tokens to syntax tree: recursive descent, which goes on after an error.

mod declare;
mod error;
mod expr;
mod process;
#[cfg(test)]
mod tests;

use super::ast::{Expr, Kind, Name, System};
use super::token::{Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Something was wrong, and has been reported.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

/// Reads a whole file. The tokens end with one that marks the end.
pub(super) fn parse(tokens: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) -> System {
    let mut parser = Parser::new(tokens, diagnostics);
    let mut system = System::default();
    parser.system(&mut system);
    system
}

/// Reads one expression and nothing else.
pub(super) fn parse_expression(tokens: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
    let mut parser = Parser::new(tokens, diagnostics);
    let expr = parser.expr().ok()?;
    if parser.peek().kind != TokenKind::Eof {
        parser.unexpected("an operator or the end of the expression");
        return None;
    }
    Some(expr)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    errors: usize,
    /// The token of the last error.
    complained_at: Option<usize>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(tokens: Vec<Token>, diagnostics: &'a mut Vec<Diagnostic>) -> Parser<'a> {
        Parser { tokens, at: 0, diagnostics, errors: 0, complained_at: None, depth: 0 }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn peek_second(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, text: &str) -> Option<Token> {
        self.peek().is(text).then(|| self.bump())
    }

    fn expect(&mut self, text: &str) -> Parse<Token> {
        self.eat(text).ok_or_else(|| self.unexpected(&format!("`{text}`")))
    }

    /// The `;` at the end of something.
    fn end_of(&mut self, what: &str) -> Parse<()> {
        match self.eat(";") {
            Some(_) => Ok(()),
            None => Err(self.missing(";", what)),
        }
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        if self.peek().kind != TokenKind::Ident {
            return Err(self.not_a_name(what));
        }
        let Token { text, span, .. } = self.bump();
        Ok(Name { text, span })
    }

    /// `item {, item}`
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut all = vec![item(self)?];
        while self.eat(",").is_some() {
            all.push(item(self)?);
        }
        Ok(all)
    }

    fn system(&mut self, system: &mut System) {
        loop {
            let token = self.peek().clone();
            let read = match &*token.text {
                _ if token.kind == TokenKind::Eof => break,
                "const" | "byte" | "int" if token.kind == TokenKind::Keyword => self.variables(&mut system.variables),
                "channel" if token.kind == TokenKind::Keyword => self.channels(&mut system.channels),
                "process" if token.kind == TokenKind::Keyword => self.process(&mut system.processes),
                "system" if token.kind == TokenKind::Keyword => self.kind(system),
                _ => Err(self.unexpected("a declaration, a `process` or the `system` line")),
            };
            if read.is_err() {
                self.skip_to_declaration(token.span);
            }
        }
    }

    /// `system async property P;`
    fn kind(&mut self, system: &mut System) -> Parse<()> {
        let keyword = self.bump();
        if system.kind.is_some() {
            return Err(self.report(Diagnostic::error(keyword.span, "there is a `system` line already", "again here")));
        }
        let kind = self.bump();
        system.kind = Some(match &*kind.text {
            "async" => Kind::Async,
            "sync" => Kind::Sync,
            _ => {
                self.at -= usize::from(kind.kind != TokenKind::Eof);
                return Err(self.unexpected("`async` or `sync`"));
            }
        });
        if self.eat("property").is_some() {
            system.property = Some(self.name("the name of the property process")?);
        }
        self.end_of("the `system` line")?;
        if self.peek().kind != TokenKind::Eof {
            return Err(self.unexpected("the end of the file after the `system` line"));
        }
        Ok(())
    }
}

/// From the start of one to the end of the other.
fn join(a: Span, b: Span) -> Span {
    crate::source::join(a, b)
}
