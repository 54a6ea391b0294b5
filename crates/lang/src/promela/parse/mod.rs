//! Tokens to syntax tree: recursive descent after SPIN's grammar, with recovery.
//!
//! The parser mirrors SPIN's yacc grammar rule by rule, including what it knows while reading: which names are
//! already types, proctypes, inlines or symbolic constants. It looks one token ahead and no further, and only when it
//! must, because where a line ends matters (see [`feed`]).

mod call;
mod condition;
mod declare;
mod error;
mod expr;
mod feed;
mod habits;
mod ltl;
mod message;
mod operand;
mod statement;
mod text;
mod unit;

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::{Expr, Inside, Name, Proctype, Program};
use super::preprocess::Condition;
use super::token::{Keyword, Punct, Token};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::source::{Sources, Span, encloses, join};
use feed::{Frame, Inline, Lexeme};
use ltl::TemporalOp;

/// The grammatical class of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sym {
    Keyword(Keyword),
    /// A name that is none of the following.
    Name,
    /// Of a typedef.
    TypeName,
    ProcName,
    InlineName,
    /// Of an mtype.
    Symbol,
    Number,
    Char,
    Str,
    Punct(Punct),
    Temporal(TemporalOp),
    Unknown,
    Eof,
}

/// A diagnostic has been given.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The names that a program declares, as far as the grammar depends on them, and where.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    symbols: HashMap<Rc<str>, Span>,
    types: HashMap<Rc<str>, Span>,
    processes: HashMap<Rc<str>, Span>,
    inlines: HashMap<Rc<str>, Rc<Inline>>,
}

impl Names {
    /// The names of the inlines and the places of their definitions.
    pub fn inlines(&self) -> impl Iterator<Item = (&str, Span)> {
        self.inlines.values().map(|inline| (&*inline.name, inline.span))
    }
}

/// Parses a program. The diagnostics have the errors; the result is what could be recognised.
pub(super) fn parse(tokens: Vec<Token>, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> (Program, Names) {
    let mut parser = Parser::new(tokens, Names::default(), sources, diagnostics);
    let program = parser.program();
    parser.report_odd_labels();
    (program, parser.names)
}

/// Parses conditions, each as if it stood at the end of the program that declares `names`.
pub(super) fn parse_conditions(
    conditions: Vec<Condition>,
    names: &Names,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Expr> {
    let mut parser = Parser::new(Vec::new(), names.clone(), sources, diagnostics);
    conditions.into_iter().filter_map(|c| parser.condition(c).ok()).collect()
}

struct Parser<'a> {
    sources: &'a mut Sources,
    /// Labels that look like special ones, with what there is to say of them.
    odd_labels: Vec<(Rc<str>, Diagnostic)>,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The sources of tokens, a stack that is never empty.
    frames: Vec<Frame>,
    /// Formulas are read after everything else, wherever they stand.
    deferred: Vec<Token>,
    defer: bool,
    fed: usize,
    unread: Option<Token>,
    hold: Option<Lexeme>,
    ahead: Option<Lexeme>,
    last_lexed: Sym,
    last_fed: Sym,
    /// Inside the braces of a body or a typedef, where line ends may count as semicolons.
    in_sequence: bool,
    /// Open parentheses, inside which they don't.
    parens: usize,
    in_for: bool,
    in_formula: bool,
    /// Names declared so far.
    names: Names,
    /// The recognised part of a process with an error.
    unfinished: Option<Proctype>,
    /// All tokens taken, for the text of statements.
    log: Vec<Token>,
    depth: usize,
    /// The height of the tallest expression that is part of the operand or statement being read.
    inside: u32,
    errors: usize,
    /// The number of tokens taken at the last error: one error per place.
    complained_at: Option<usize>,
    stopped: bool,
}

impl<'a> Parser<'a> {
    fn new(
        tokens: Vec<Token>,
        names: Names,
        sources: &'a mut Sources,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Parser<'a> {
        Parser {
            sources,
            odd_labels: Vec::new(),
            diagnostics,
            frames: vec![Frame::program(tokens)],
            deferred: Vec::new(),
            defer: true,
            fed: 0,
            unread: None,
            hold: None,
            ahead: None,
            last_lexed: Sym::Eof,
            last_fed: Sym::Eof,
            in_sequence: false,
            parens: 0,
            in_for: false,
            in_formula: false,
            names,
            unfinished: None,
            log: Vec::new(),
            depth: 0,
            inside: 0,
            errors: 0,
            complained_at: None,
            stopped: false,
        }
    }

    fn sym(&mut self) -> Sym {
        self.peek().sym
    }

    fn at(&mut self, punct: Punct) -> bool {
        self.sym() == Sym::Punct(punct)
    }

    fn at_keyword(&mut self, keyword: Keyword) -> bool {
        self.sym() == Sym::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> Option<Token> {
        if self.at(punct) { Some(self.bump()) } else { None }
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> Option<Token> {
        if self.at_keyword(keyword) { Some(self.bump()) } else { None }
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Token> {
        match self.eat(punct) {
            Some(token) => Ok(token),
            None => Err(self.unexpected(&format!("`{}`", punct.text()))),
        }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Token> {
        match self.eat_keyword(keyword) {
            Some(token) => Ok(token),
            None => Err(self.unexpected(&format!("`{}`", keyword.text()))),
        }
    }

    /// A name that means nothing yet (or is a variable or a label).
    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.sym() {
            Sym::Name => {
                let token = self.bump();
                Ok(Name::of(&token))
            }
            _ => Err(self.not_a_name(what)),
        }
    }

    /// The place where the next token stands.
    fn here(&mut self) -> Span {
        self.peek().token.span
    }

    /// From the `start`th token taken to the last one.
    fn span_from(&mut self, start: usize) -> Span {
        match (self.log.get(start), self.log.last()) {
            (Some(first), Some(last)) => join(first.span, last.span),
            _ => self.here(),
        }
    }

    /// The place of the text from token `start` on inside the inline that is being read.
    fn inside(&self, start: usize) -> Option<Inside> {
        let call = self.frames.iter().rev().find_map(|frame| frame.call.as_ref())?;
        let (open, close) = (call.inline.body.first()?, call.inline.body.last()?);
        let body = join(open.span, close.span);
        let is_own = |token: &&Token| token.span == call.place && encloses(body, token.typed);
        let mut own = self.log.get(start..)?.iter().filter(is_own).map(|token| token.typed);
        let first = own.next()?;
        let span = join(first, own.next_back().unwrap_or(first));
        Some(Inside { name: call.inline.name.to_string(), span })
    }

    /// Runs `inner` one level deeper, unless that is absurdly deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limits::MAX_NESTING {
            let span = self.here();
            let what = format!("this is nested too deeply: over {} levels", limits::MAX_NESTING);
            self.fatal(Diagnostic::error(span, what, ""));
            return Err(Failed);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}

#[cfg(test)]
mod tests;
