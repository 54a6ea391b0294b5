//! Formulas of linear temporal logic: checked here, kept as text for the temporal checker.

use std::rc::Rc;

use super::{Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{Expr, Unit};
use crate::promela::token::{Punct, Token, TokenKind};
use crate::source::join;

/// Operators, as far as the grammar tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TemporalOp {
    /// `[] <> X`
    Unary,
    /// `U V W`
    Until,
    Implies,
    Equivalent,
}

/// The temporal operator a word stands for inside a formula.
pub(super) fn operator(word: &str) -> Option<TemporalOp> {
    Some(match word {
        "X" | "next" | "always" | "eventually" => TemporalOp::Unary,
        "U" | "V" | "W" | "until" | "stronguntil" | "weakuntil" | "release" => TemporalOp::Until,
        "implies" => TemporalOp::Implies,
        "equivalent" => TemporalOp::Equivalent,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Sets a formula aside, from its `ltl` to its closing brace.
    pub(super) fn defer_formula(&mut self, keyword: Token) {
        let start = keyword.span;
        let mut formula = vec![keyword];
        let earlier = std::mem::take(&mut self.deferred);
        let mut depth = 0usize;
        loop {
            let token = self.raw();
            let kind = token.kind;
            if kind == TokenKind::Eof || (depth == 0 && starts_unit(&token)) {
                let what = "this formula is never closed";
                self.fatal(Diagnostic::error(start, what, "opened here").help("write `ltl name { formula }`"));
                return;
            }
            formula.push(token);
            match kind {
                TokenKind::Punct(Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightBrace) if depth <= 1 => break,
                TokenKind::Punct(Punct::RightBrace) => depth -= 1,
                _ => {}
            }
        }
        self.deferred = earlier;
        self.deferred.append(&mut formula);
    }

    /// `ltl [name] { formula }`
    pub(super) fn ltl(&mut self) -> Parsed<Unit> {
        let keyword = self.bump();
        let name = if self.sym() == Sym::Name { Some(self.name("a name")?) } else { None };
        self.expect(Punct::LeftBrace)?;
        // Nothing has been looked at beyond the brace: the formula's tokens can still be rewritten.
        let mut tokens = Vec::new();
        let mut depth = 1usize;
        loop {
            let token = self.raw();
            match token.kind {
                TokenKind::Punct(Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightBrace) => depth -= 1,
                TokenKind::Eof => depth = 0,
                _ => {}
            }
            if depth == 0 {
                let operands = self.formula(&tokens, token.clone())?;
                let expanded = joined(&tokens);
                let text = match (tokens.first(), tokens.last()) {
                    (Some(a), Some(b)) if a.span.file == b.span.file => {
                        self.sources.text(join(a.span, b.span)).to_string()
                    }
                    _ => expanded.clone(),
                };
                return Ok(Unit::Ltl { name, text, expanded, operands, span: join(keyword.span, token.span) });
            }
            tokens.push(token);
        }
    }

    /// Checks a formula's syntax, and returns its operands. `close` is its closing brace.
    fn formula(&mut self, tokens: &[Token], close: Token) -> Parsed<Expr> {
        let mut rewritten = rewrite(tokens);
        rewritten.push(close);
        self.in_formula = true;
        let resume = std::mem::replace(&mut self.frames, vec![super::Frame::program(rewritten)]);
        let result = self.full_expr();
        let closed = result.and_then(|operands| {
            while super::feed::is_separator(self.sym()) {
                self.bump();
            }
            if self.at(Punct::RightBrace) {
                Ok(operands)
            } else {
                Err(self.unexpected("a temporal or logical operator"))
            }
        });
        self.in_formula = false;
        self.parens = 0;
        (self.ahead, self.hold, self.unread) = (None, None, None);
        self.last_fed = Sym::Punct(Punct::RightBrace);
        if !self.stopped {
            self.frames = resume;
        }
        closed
    }
}

fn starts_unit(token: &Token) -> bool {
    matches!(&*token.text, "proctype" | "active" | "init" | "never" | "inline" | "typedef")
        && token.kind == TokenKind::Ident
}

/// Symbols that only formulas have; the language's own lexer cuts them in two.
const SYMBOLS: [&str; 5] = ["[]", "<>", "<->", "/\\", "\\/"];

/// The symbol that begins here, if the lexer has cut it in two.
fn symbol(tokens: &[Token]) -> Option<&'static str> {
    let [first, second, ..] = tokens else { return None };
    let cut = |s: &&&str| !second.space && s.strip_prefix(&*first.text) == Some(&*second.text);
    SYMBOLS.iter().find(cut).copied()
}

/// Symbols that only formulas have become words.
fn rewrite(tokens: &[Token]) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let word = |text: &str| Token { kind: TokenKind::Ident, text: Rc::from(text), ..token.clone() };
        let punct = |p: Punct| Token { kind: TokenKind::Punct(p), text: p.text().into(), ..token.clone() };
        let symbol = symbol(&tokens[i..]);
        out.push(match symbol.unwrap_or(&*token.text) {
            "[]" => word("always"),
            "<>" => word("eventually"),
            "<->" => word("equivalent"),
            "/\\" => punct(Punct::AndAnd),
            "\\/" => punct(Punct::OrOr),
            "->" => word("implies"),
            _ => token.clone(),
        });
        i += if symbol.is_some() { 2 } else { 1 };
    }
    out
}

/// The formula as text that can be read again: tokens with spaces between them, symbols and references whole.
fn joined(tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let symbol = symbol(&tokens[i..]);
        if i > 0 && !belong_together(&tokens[i - 1..]) {
            out.push(' ');
        }
        out.push_str(symbol.unwrap_or(&*token.text));
        i += if symbol.is_some() { 2 } else { 1 };
    }
    out
}

/// Whether the first two tokens are parts of a reference: `a[0]`, `a.b`, `P@label`. Brackets that could be read as an operator
/// stay apart.
fn belong_together(tokens: &[Token]) -> bool {
    let text = |i: usize| tokens.get(i).map_or("", |token| &*token.text);
    match (text(0), text(1)) {
        ("." | "@", _) | (_, "." | "@") => true,
        ("[", next) => next != "]",
        ("]", "]") => true,
        (previous, "]") => previous != "[",
        (_, "[") => (tokens[0].kind == TokenKind::Ident || text(0) == "]") && text(2) != "]",
        _ => false,
    }
}
