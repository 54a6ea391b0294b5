//! Tokens as the grammar sees them: inlines expanded, names classified, semicolons where SPIN puts them.
//!
//! SPIN's lexer inserts and drops semicolons in three ways, all of which are kept here because models depend on them:
//! * inside a sequence and outside parentheses, a line that ends with something that can end a statement ends it;
//! * after `}` and after `else`, one is inserted unless what follows makes it pointless;
//! * one in front of `}`, `;` or `->` is dropped.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::promela::ast::VarRef;
use crate::promela::token::{Keyword, Punct, Token, TokenKind};
use crate::source::{FileId, Span};

/// A token and what it is to the grammar.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub sym: Sym,
    pub token: Token,
}

/// An `inline` definition: text with parameters.
#[derive(Debug)]
pub(super) struct Inline {
    pub name: Rc<str>,
    pub params: Vec<Rc<str>>,
    /// With its braces.
    pub body: Rc<[Token]>,
    pub span: Span,
}

/// A source of tokens: the program, the body of an inline being called, or an argument of such a call.
pub(super) struct Frame {
    tokens: Rc<[Token]>,
    at: usize,
    pub call: Option<Call>,
    /// Flags of the parameter's name that this argument replaces.
    first: Option<(bool, bool)>,
    /// The place of that name in the body of the inline.
    within: Option<Span>,
}

pub(super) struct Call {
    pub inline: Rc<Inline>,
    args: HashMap<Rc<str>, Rc<[Token]>>,
    /// The place of the outermost call.
    pub place: Span,
    /// `x` of `x = f()`.
    pub result: Option<VarRef>,
}

impl Frame {
    pub fn program(tokens: Vec<Token>) -> Frame {
        Frame { tokens: tokens.into(), at: 0, call: None, first: None, within: None }
    }

    pub fn body(inline: Rc<Inline>, args: Vec<Vec<Token>>, place: Span, result: Option<VarRef>) -> Frame {
        let tokens = inline.body.clone();
        let args = inline.params.iter().cloned().zip(args.into_iter().map(Rc::from)).collect();
        Frame { tokens, at: 0, call: Some(Call { inline, args, place, result }), first: None, within: None }
    }
}

impl Parser<'_> {
    /// The next token of the text itself, with inline parameters replaced.
    pub(super) fn raw(&mut self) -> Token {
        loop {
            let top = self.frames.len() - 1;
            let frame = &mut self.frames[top];
            let Some(token) = frame.tokens.get(frame.at) else {
                if top > 0 {
                    self.frames.pop();
                    continue;
                }
                if self.deferred.is_empty() {
                    return self.end_of_text();
                }
                *frame = Frame::program(std::mem::take(&mut self.deferred));
                self.defer = false;
                continue;
            };
            let mut token = token.clone();
            frame.at += 1;
            if let Some((newline, space)) = frame.first.take() {
                (token.newline, token.space) = (newline, space);
            }
            self.fed += 1;
            if self.fed > limits::MAX_TOKENS {
                let what = format!("the text is too large: over {} tokens after expansion", limits::MAX_TOKENS);
                self.fatal(Diagnostic::error(token.span, what, "while expanding this"));
                return self.end_of_text();
            }
            if let Some(call) = &frame.call {
                if token.kind == TokenKind::Ident
                    && let Some(arg) = call.args.get(&token.text)
                {
                    let first = Some((token.newline, token.space));
                    let within = token.within.or(Some(token.span));
                    let argument = Frame { tokens: arg.clone(), at: 0, call: None, first, within };
                    self.frames.push(argument);
                    continue;
                }
                token.within = Some(token.span);
                (token.typed, token.span) = (token.span, call.place);
            }
            if token.kind == TokenKind::Ident && token.origin != token.span {
                self.sources.typed(token.span, &token.text, token.origin);
            }
            token.within = frame.within.or(token.within);
            token.argument |= frame.within.is_some();
            return token;
        }
    }

    fn end_of_text(&self) -> Token {
        let span = match self.log.last() {
            Some(token) => after(token.span),
            None => Span { file: FileId(0), start: 0, end: 0 },
        };
        Token {
            kind: TokenKind::Eof,
            text: "".into(),
            span,
            origin: span,
            within: None,
            argument: false,
            typed: span,
            newline: false,
            space: false,
            painted: false,
        }
    }

    /// The next token with the semicolons that line ends imply.
    fn lex(&mut self) -> Lexeme {
        loop {
            let token = match self.unread.take() {
                Some(token) => token,
                None => {
                    let token = self.raw();
                    if self.line_ends_statement(&token) {
                        self.unread = Some(token);
                        self.last_lexed = Sym::Punct(Punct::Semicolon);
                        return self.implied();
                    }
                    token
                }
            };
            if self.defer && token.is_ident("ltl") && self.frames.len() == 1 {
                self.defer_formula(token);
                continue;
            }
            let sym = self.classify(&token);
            self.last_lexed = sym;
            return Lexeme { sym, token };
        }
    }

    /// Whether the line before `token` ends a statement.
    fn line_ends_statement(&self, token: &Token) -> bool {
        let after_brace = self.last_lexed == Sym::Punct(Punct::RightBrace);
        token.newline
            && self.in_sequence
            && self.parens == 0
            && ends_statement(self.last_lexed)
            // SPIN looks for `unless` by its first letter.
            && !(after_brace && token.text.starts_with('u'))
    }

    fn implied(&self) -> Lexeme {
        let mut token = self.end_of_text();
        token.kind = TokenKind::Punct(Punct::Semicolon);
        token.text = "\n".into();
        Lexeme { sym: Sym::Punct(Punct::Semicolon), token }
    }

    /// The next token for the grammar.
    fn next(&mut self) -> Lexeme {
        let mut lexeme = match self.hold.take() {
            Some(lexeme) => {
                self.last_lexed = lexeme.sym;
                lexeme
            }
            None => {
                let lexeme = self.lex();
                let insert = match self.last_fed {
                    Sym::Keyword(Keyword::Else) => !follows_else(lexeme.sym),
                    Sym::Punct(Punct::RightBrace) => !follows_brace(lexeme.sym),
                    _ => false,
                };
                if insert {
                    self.hold = Some(lexeme);
                    self.last_fed = Sym::Eof;
                    self.last_lexed = Sym::Punct(Punct::Semicolon);
                    return self.implied();
                }
                self.drop_semicolon(lexeme)
            }
        };
        // The lookahead behind a semicolon was classified before the grammar had seen what stands in front of it.
        lexeme.sym = self.reclassify(&lexeme);
        self.last_fed = lexeme.sym;
        lexeme
    }

    fn drop_semicolon(&mut self, lexeme: Lexeme) -> Lexeme {
        if !is_separator(lexeme.sym) {
            return lexeme;
        }
        let ahead = self.lex();
        if is_separator(ahead.sym) || ahead.sym == Sym::Punct(Punct::RightBrace) {
            return ahead;
        }
        self.hold = Some(ahead);
        lexeme
    }

    fn reclassify(&self, lexeme: &Lexeme) -> Sym {
        if lexeme.token.kind == TokenKind::Ident { self.classify(&lexeme.token) } else { lexeme.sym }
    }

    pub(super) fn peek(&mut self) -> &Lexeme {
        if self.ahead.is_none() {
            self.ahead = Some(self.next());
        }
        match &self.ahead {
            Some(lexeme) => lexeme,
            None => unreachable!("filled above"),
        }
    }

    /// Takes the next token.
    pub(super) fn bump(&mut self) -> Token {
        let lexeme = match self.ahead.take() {
            Some(lexeme) => lexeme,
            None => self.next(),
        };
        match lexeme.sym {
            Sym::Punct(Punct::LeftParen) => self.parens += 1,
            Sym::Punct(Punct::RightParen) => self.parens = self.parens.saturating_sub(1),
            _ => {}
        }
        if lexeme.sym != Sym::Eof {
            self.log.push(lexeme.token.clone());
        }
        lexeme.token
    }

    /// Starts reading an inline's body. Nothing may have been looked at beyond the call.
    pub(super) fn enter(&mut self, frame: Frame) {
        self.frames.push(frame);
        self.last_lexed = Sym::Punct(Punct::Semicolon);
    }

    pub(super) fn classify(&self, token: &Token) -> Sym {
        match token.kind {
            TokenKind::Ident => {}
            TokenKind::Number => return Sym::Number,
            TokenKind::Str => return Sym::Str,
            TokenKind::Char => return Sym::Char,
            TokenKind::Punct(p) => return Sym::Punct(p),
            TokenKind::Unknown => return Sym::Unknown,
            TokenKind::Eof => return Sym::Eof,
        }
        if self.in_formula
            && let Some(op) = super::ltl::operator(&token.text)
        {
            return Sym::Temporal(op);
        }
        if let Some(keyword) = Keyword::from_text(&token.text)
            // `in` is a name like any other outside `for (…)`.
            && (keyword != Keyword::In || self.in_for)
        {
            return Sym::Keyword(keyword);
        }
        let text = &token.text;
        if self.names.symbols.contains_key(text) {
            Sym::Symbol
        } else if self.names.types.contains_key(text) {
            Sym::TypeName
        } else if self.names.processes.contains_key(text) {
            Sym::ProcName
        } else if self.names.inlines.contains_key(text) {
            Sym::InlineName
        } else {
            Sym::Name
        }
    }
}

/// The empty place behind a span.
pub(super) fn after(span: Span) -> Span {
    Span { start: span.end, ..span }
}

pub(super) fn is_separator(sym: Sym) -> bool {
    matches!(sym, Sym::Punct(Punct::Semicolon | Punct::Arrow))
}

/// Whether a line that ends with this token ends a statement.
fn ends_statement(sym: Sym) -> bool {
    use Keyword as K;
    match sym {
        Sym::Punct(p) => matches!(
            p,
            Punct::RightBrace | Punct::RightParen | Punct::RightBracket | Punct::Increment | Punct::Decrement
        ),
        Sym::Keyword(k) => matches!(
            k,
            K::Od
                | K::Fi
                | K::Else
                | K::Break
                | K::CCode
                | K::CExpr
                | K::CDecl
                | K::True
                | K::False
                | K::Skip
                | K::Timeout
        ),
        Sym::Name | Sym::Number | Sym::Char | Sym::Symbol => true,
        _ => false,
    }
}

fn follows_else(sym: Sym) -> bool {
    is_separator(sym) || sym == Sym::Keyword(Keyword::Fi)
}

fn follows_brace(sym: Sym) -> bool {
    use Keyword as K;
    match sym {
        Sym::Keyword(k) => matches!(k, K::Proctype | K::Init | K::Never | K::Fi | K::Od | K::Unless),
        Sym::Punct(p) => matches!(p, Punct::Separator | Punct::RightBrace | Punct::Semicolon | Punct::Arrow),
        Sym::Eof => true,
        _ => false,
    }
}
