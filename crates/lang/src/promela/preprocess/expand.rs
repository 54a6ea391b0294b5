//! Macros and their expansion.

use std::cell::Cell;
use std::rc::Rc;

use super::{Frame, Preprocessor};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::promela::lex::lex;
use crate::promela::token::{Punct, Token, TokenKind};
use crate::source::{Expansion, ExpansionKind, Span, join};

#[derive(Debug)]
pub struct Macro {
    pub name: Rc<str>,
    /// `None` for an object-like macro.
    pub params: Option<Vec<Rc<str>>>,
    /// The last parameter takes all remaining arguments.
    pub variadic: bool,
    pub body: Vec<Token>,
    pub definition: Option<Span>,
    /// The number of frames on the stack that are its expansions.
    pub active: Cell<u32>,
}

impl Macro {
    fn param(&self, token: &Token) -> Option<usize> {
        if token.kind != TokenKind::Ident {
            return None;
        }
        self.params.as_ref()?.iter().position(|p| *p == token.text)
    }

    /// Whether two definitions are equal, as C defines it.
    pub fn same_as(&self, other: &Macro) -> bool {
        let texts = |m: &Macro| m.body.iter().map(|t| t.text.clone()).collect::<Vec<_>>();
        self.params == other.params && texts(self) == texts(other)
    }
}

/// An argument as typed, and expanded when first needed.
struct Arg {
    raw: Vec<Token>,
    expanded: Option<Vec<Token>>,
}

impl Preprocessor<'_> {
    /// Replaces a macro's name (already taken from the input) by its expansion. False if it is a function-like macro
    /// without arguments, which stands for itself.
    pub(super) fn expand(&mut self, found: &Rc<Macro>, name: &Token) -> bool {
        let mut place = name.span;
        let mut args = Vec::new();
        if let Some(params) = &found.params {
            match self.next_raw() {
                Some(token) if token.is(Punct::LeftParen) => {}
                other => {
                    self.pushed = other;
                    return false;
                }
            }
            let Some((collected, close)) = self.arguments(found, name) else { return true };
            if name.span == name.origin && close.span == close.origin {
                place = join(name.span, close.span);
            }
            let Some(fitted) = self.fit(found, params.len(), collected, place) else { return true };
            args = fitted;
        }
        if self.frames.len() > limits::MAX_MACRO_DEPTH {
            self.fatal(Diagnostic::error(
                place,
                "macros are nested too deeply",
                format!("while expanding `{}`", name.text),
            ));
            return true;
        }
        let kind = ExpansionKind::Macro;
        let record = Expansion { kind, name: found.name.to_string(), definition: found.definition };
        self.sources.expanded(place, record);
        if let Some(definition) = found.definition {
            self.sources.used(name.origin, definition);
        }
        let mut tokens = self.substitute(found, &mut args, place);
        self.produced += tokens.len() + 1;
        if self.produced > limits::MAX_MACRO_WORK {
            self.too_much();
            return true;
        }
        match tokens.first_mut() {
            Some(first) => (first.newline, first.space) = (name.newline, name.space),
            None => {
                self.pending.0 |= name.newline;
                self.pending.1 |= name.space;
            }
        }
        found.active.set(found.active.get() + 1);
        self.frames.push(Frame::Expansion { tokens, at: 0, of: Some(found.clone()) });
        true
    }

    /// The arguments of a call after its `(`, and the closing parenthesis.
    fn arguments(&mut self, found: &Macro, name: &Token) -> Option<(Vec<Vec<Token>>, Token)> {
        let count = found.params.as_ref().map_or(0, Vec::len);
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let Some(mut token) = self.next_raw() else {
                let message = format!("the call of macro `{}` is never closed", name.text);
                self.fatal(Diagnostic::error(name.span, message, "expected a matching `)`"));
                return None;
            };
            match token.kind {
                TokenKind::Punct(Punct::RightParen) if depth == 0 => return Some((args, token)),
                TokenKind::Punct(Punct::RightParen) => depth -= 1,
                TokenKind::Punct(Punct::LeftParen) => depth += 1,
                TokenKind::Punct(Punct::Comma) if depth == 0 && !(found.variadic && args.len() >= count) => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            token.space |= token.newline;
            token.newline = false;
            self.produced += 1;
            if self.produced > limits::MAX_MACRO_WORK {
                self.too_much();
                return None;
            }
            if let Some(last) = args.last_mut() {
                last.push(token);
            }
        }
    }

    /// As many arguments as parameters, or an error.
    fn fit(&mut self, found: &Macro, wanted: usize, mut given: Vec<Vec<Token>>, place: Span) -> Option<Vec<Arg>> {
        if wanted == 0 && given.len() == 1 && given[0].is_empty() {
            given.clear();
        }
        if found.variadic && given.len() + 1 == wanted {
            given.push(Vec::new());
        }
        if given.len() != wanted {
            let message = format!(
                "macro `{}` takes {wanted} argument{}, but {} given",
                found.name,
                if wanted == 1 { "" } else { "s" },
                match given.len() {
                    1 => "1 is".to_string(),
                    n => format!("{n} are"),
                }
            );
            let mut diagnostic = Diagnostic::error(place, message, "");
            if let Some(definition) = found.definition {
                diagnostic = diagnostic.label(definition, "defined here");
            }
            self.error(diagnostic);
            return None;
        }
        Some(given.into_iter().map(|raw| Arg { raw, expanded: None }).collect())
    }

    fn substitute(&mut self, found: &Macro, args: &mut [Arg], place: Span) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        // Whether what stood in front of a `##` came to nothing.
        let mut left_empty = false;
        let body = &found.body;
        let mut i = 0;
        while i < body.len() && self.produced + out.len() <= limits::MAX_MACRO_WORK {
            let token = &body[i];
            let pasting = body.get(i + 1).is_some_and(|t| t.is(Punct::HashHash));
            if token.is(Punct::Hash)
                && let Some(p) = body.get(i + 1).and_then(|t| found.param(t))
            {
                out.push(stringify(&args[p].raw, token, place));
                i += 1;
            } else if token.is(Punct::HashHash) && i > 0 && i + 1 < body.len() {
                i += 1;
                let right = match found.param(&body[i]) {
                    Some(p) => args[p].raw.clone(),
                    None => vec![placed(&body[i], place)],
                };
                let was_empty = right.is_empty();
                paste(&mut out, right, left_empty, place);
                left_empty = left_empty && was_empty;
            } else if let Some(p) = found.param(token) {
                let mut tokens = if pasting { args[p].raw.clone() } else { self.expanded(&mut args[p]) };
                left_empty = tokens.is_empty();
                if let Some(first) = tokens.first_mut() {
                    first.space = token.space;
                }
                out.append(&mut tokens);
            } else {
                left_empty = false;
                out.push(placed(token, place));
            }
            i += 1;
        }
        out
    }

    fn expanded(&mut self, arg: &mut Arg) -> Vec<Token> {
        if let Some(tokens) = &arg.expanded {
            return tokens.clone();
        }
        let tokens = self.expand_alone(arg.raw.clone());
        arg.expanded = Some(tokens.clone());
        tokens
    }

    /// Expands tokens as if nothing followed them.
    pub(super) fn expand_alone(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.depth >= limits::MAX_MACRO_DEPTH {
            if let Some(first) = tokens.first() {
                self.fatal(Diagnostic::error(first.span, "macro arguments are nested too deeply", ""));
            }
            return Vec::new();
        }
        self.depth += 1;
        let floor = std::mem::replace(&mut self.floor, self.frames.len());
        let pending = std::mem::take(&mut self.pending);
        self.frames.push(Frame::Expansion { tokens, at: 0, of: None });
        let mut out = Vec::new();
        while let Some(token) = self.next_expanded() {
            out.push(token);
        }
        self.floor = floor;
        self.pending = pending;
        self.depth -= 1;
        self.produced += out.len();
        out
    }
}

/// A token of a macro's body, as it appears where the macro is used.
fn placed(token: &Token, place: Span) -> Token {
    Token { span: place, newline: false, ..token.clone() }
}

fn stringify(arg: &[Token], hash: &Token, place: Span) -> Token {
    let mut text = String::from("\"");
    for (i, token) in arg.iter().enumerate() {
        if i > 0 && token.space {
            text.push(' ');
        }
        if matches!(token.kind, TokenKind::Str | TokenKind::Char) {
            text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            text.push_str(&token.text);
        }
    }
    text.push('"');
    Token { kind: TokenKind::Str, text: text.into(), ..placed(hash, place) }
}

/// `##`: joins the last token of `out` and the first of `right`.
fn paste(out: &mut Vec<Token>, mut right: Vec<Token>, left_empty: bool, place: Span) {
    if right.is_empty() {
        return;
    }
    let Some(left) = (if left_empty { None } else { out.pop() }) else {
        return out.append(&mut right);
    };
    let first = right.remove(0);
    let text = format!("{}{}", left.text, first.text);
    for (i, token) in lex(left.origin.file, &text, &mut Vec::new()).into_iter().enumerate() {
        let space = if i == 0 { left.space } else { token.space };
        out.push(Token { span: place, origin: left.origin, newline: false, space, ..token });
    }
    out.append(&mut right);
}
