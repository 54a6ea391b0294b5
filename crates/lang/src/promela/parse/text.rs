//! Statements as text, for traces and listings: one line, canonically spaced.

use super::Parser;
use crate::promela::ast::StmtKind;
use crate::promela::token::{Punct, Token, TokenKind};

/// Longer texts of compound statements are cut.
const MAX_COMPOUND: usize = 60;

impl Parser<'_> {
    /// The text of a statement whose tokens were taken from the `start`th on.
    pub(super) fn statement_text(&self, start: usize, kind: &StmtKind) -> String {
        let tokens = &self.log[start.min(self.log.len())..];
        match kind {
            StmtKind::If(_) => "if".into(),
            StmtKind::Do(_) => "do".into(),
            StmtKind::Inline { name, .. } => {
                // The call, without the body that was read in its place.
                match tokens.iter().position(|t| t.is(Punct::LeftBrace)) {
                    Some(end) => spaced(&tokens[..end], MAX_COMPOUND),
                    None => name.text.clone(),
                }
            }
            StmtKind::Atomic(_)
            | StmtKind::DStep(_)
            | StmtKind::Block(_)
            | StmtKind::Unless { .. }
            | StmtKind::For { .. } => spaced(tokens, MAX_COMPOUND),
            _ => spaced(tokens, usize::MAX),
        }
    }
}

fn is_word(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Ident | TokenKind::Number)
}

/// Tokens in canonical spacing, up to about `most` bytes.
fn spaced(tokens: &[Token], most: usize) -> String {
    let mut out = String::new();
    let mut before: Option<&Token> = None;
    let mut conditional = false;
    for token in tokens {
        let implied = &*token.text == "\n";
        let text = if implied { ";" } else { &*token.text };
        if before.is_some_and(|b| gap(b, token, conditional)) && !out.ends_with(' ') {
            out.push(' ');
        }
        if out.len() + text.len() > most {
            out.push('…');
            return out;
        }
        out.push_str(text);
        conditional |= token.is(Punct::Arrow);
        before = Some(token);
    }
    out
}

/// Whether there is a space between two tokens.
fn gap(before: &Token, token: &Token, conditional: bool) -> bool {
    use Punct as P;
    let around = |t: &Token| match t.kind {
        TokenKind::Punct(p) => {
            matches!(
                p,
                P::Equal | P::AndAnd | P::OrOr | P::Arrow | P::Separator | P::DotDot | P::LeftBrace | P::RightBrace
            ) || (p == P::Colon && conditional)
        }
        _ => false,
    };
    if token.is(P::Semicolon) {
        return false;
    }
    let apart =
        |t: &Token| is_word(t) || [P::RightParen, P::RightBracket, P::Increment, P::Decrement].iter().any(|p| t.is(*p));
    around(before)
        || around(token)
        || before.is(P::Semicolon)
        || (apart(before) && is_word(token))
        || (is_word(before) && token.kind == TokenKind::Str)
}
