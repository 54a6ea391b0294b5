//! Tokens to syntax tree: recursive descent with recovery, so that one error does not hide the next.

mod command;
mod declare;
mod error;
mod expression;
#[cfg(test)]
mod tests;

use super::ast::{Activation, Expr, Model, Name, Process};
use super::token::{Keyword, Punct, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::source::{FileId, Span, join};

/// Something was wrong, and has been reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

pub(super) struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The token the last complaint was about: one is enough for each.
    complained_at: Option<usize>,
    errors: usize,
    depth: usize,
    /// Temporal operators are allowed.
    in_formula: bool,
    /// The name of the process or model being read, which its last `END` repeats.
    inside: Option<Name>,
}

/// Parses a whole model. The diagnostics have the errors; the result is what could be recognised. None if not even the name of
/// the model could be.
pub(super) fn model(file: FileId, text: &str, tokens: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    let mut parser = Parser::new(file, text, tokens, diagnostics);
    let name = parser.heading().ok()?;
    let (declarations, processes) = (Vec::new(), Vec::new());
    let mut model = Model { name, declarations, processes, activations: Vec::new(), assertion: None };
    // An error has been reported.
    let _ = parser.body(&mut model);
    Some(model)
}

/// Parses a single expression: a condition given beside the model.
pub(super) fn condition(
    file: FileId,
    text: &str,
    tokens: Vec<Token>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Expr> {
    let mut parser = Parser::new(file, text, tokens, diagnostics);
    let expr = parser.expression().ok()?;
    match parser.kind() {
        TokenKind::Eof => Some(expr),
        _ => {
            parser.unexpected("an operator or the end of the condition");
            None
        }
    }
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, tokens: Vec<Token>, diagnostics: &'a mut Vec<Diagnostic>) -> Parser<'a> {
        Parser {
            file,
            text,
            tokens,
            at: 0,
            diagnostics,
            complained_at: None,
            errors: 0,
            depth: 0,
            in_formula: false,
            inside: None,
        }
    }

    /// `MODEL name;`
    fn heading(&mut self) -> Parsed<Name> {
        self.keyword(Keyword::Model, "`MODEL`")?;
        let name = self.name("the name of the model")?;
        self.semicolon("the name of the model");
        Ok(name)
    }

    /// All after the heading.
    fn body(&mut self, model: &mut Model) -> Parsed<()> {
        model.declarations = self.declarations();
        while self.errors < limits::MAX_ERRORS {
            if self.at_keyword(Keyword::Process) {
                self.process(&mut model.processes);
            } else if self.at_keyword(Keyword::Begin) || self.kind() == TokenKind::Eof {
                break;
            } else {
                self.unexpected("`PROCESS` or the `BEGIN` of the model");
                self.recover_to_unit();
            }
        }
        self.inside = Some(model.name.clone());
        let begin = self.keyword(Keyword::Begin, "`BEGIN` and the processes of the model")?;
        model.activations = self.activations();
        self.end_of_body(begin, &model.name)?;
        if self.eat(Punct::Semicolon).is_none() && !matches!(self.kind(), TokenKind::Eof) {
            self.optional_semicolon();
        }
        model.assertion = self.assertion()?;
        if self.kind() != TokenKind::Eof {
            return Err(self.unexpected("the end of the text"));
        }
        Ok(())
    }

    /// `END M ASSERT …` is as good as `END M; ASSERT …`; anything else after the model is not.
    fn optional_semicolon(&mut self) {
        if !self.at_keyword(Keyword::Assert) {
            self.unexpected("`;` or the end of the text");
        }
    }

    fn assertion(&mut self) -> Parsed<Option<Expr>> {
        if self.eat_keyword(Keyword::Assert).is_none() {
            return Ok(None);
        }
        self.in_formula = true;
        let formula = self.expression()?;
        self.eat(Punct::Semicolon);
        Ok(Some(formula))
    }

    /// A process. One with an error is added as far as it was recognised.
    fn process(&mut self, into: &mut Vec<Process>) {
        let mut process = None;
        if self.process_definition(&mut process).is_err() {
            self.bump();
            self.recover_to_unit();
        }
        into.extend(process);
        self.inside = None;
    }

    fn process_definition(&mut self, into: &mut Option<Process>) -> Parsed<()> {
        let start = self.keyword(Keyword::Process, "`PROCESS`")?;
        let name = self.name("the name of the process")?;
        self.inside = Some(name.clone());
        let (parameters, declarations, commands) = (Vec::new(), Vec::new(), Vec::new());
        let span = join(start, name.span);
        let process = into.insert(Process { name: name.clone(), span, parameters, declarations, commands });
        process.parameters = self.parameters()?;
        self.semicolon("the heading of the process");
        process.declarations = self.declarations();
        process.span = join(start, self.last());
        let begin = self.keyword(Keyword::Begin, "`BEGIN` or a declaration")?;
        process.commands = self.commands();
        process.span = join(start, self.last());
        self.end_of_body(begin, &name)?;
        process.span = join(start, self.last());
        self.semicolon("the end of the process");
        Ok(())
    }

    /// `END name`.
    fn end_of_body(&mut self, begin: Span, name: &Name) -> Parsed<()> {
        self.capitals(&[Keyword::End]);
        if !self.at_keyword(Keyword::End) {
            return Err(self.unclosed("`END`", &format!("the body of `{}`", name.text), begin));
        }
        self.bump();
        let end = match self.kind() {
            TokenKind::Name => self.name("a name")?,
            _ => return Err(self.unexpected(&format!("`{}`, which ends here", name.text))),
        };
        if end.text != name.text {
            let what = format!("this is the end of `{}`, not of `{}`", name.text, end.text);
            let diagnostic = Diagnostic::error(end.span, what, format!("expected `{}`", name.text));
            self.say(diagnostic.label(name.span, "what ends here"));
        }
        Ok(())
    }

    fn activations(&mut self) -> Vec<Activation> {
        let mut activations = Vec::new();
        loop {
            match self.activation() {
                Ok(activation) => activations.push(activation),
                Err(Failed) => self.recover_in_body(),
            }
            if self.eat(Punct::Semicolon).is_none() {
                return activations;
            }
        }
    }

    fn activation(&mut self) -> Parsed<Activation> {
        self.capitals(&[Keyword::End]);
        let process = match self.kind() {
            TokenKind::Name => self.name("a process")?,
            _ => return Err(self.unexpected("a process to start")),
        };
        let mut span = process.span;
        let mut arguments = Vec::new();
        if let Some(open) = self.eat(Punct::LeftParen) {
            loop {
                arguments.push(self.expression()?);
                if self.eat(Punct::Comma).is_none() {
                    break;
                }
            }
            span = join(span, self.close(Punct::RightParen, "the arguments", open)?);
        }
        if matches!(self.kind(), TokenKind::Punct(Punct::Assign | Punct::Bang | Punct::Hook)) {
            let what = "the body of the model starts processes and does nothing else";
            let here = "only `Process(arguments)` can stand here";
            return Err(self.report(Diagnostic::error(self.peek().span, what, here)));
        }
        Ok(Activation { process, arguments, span })
    }

    fn peek(&self) -> Token {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> Token {
        let end = self.text.len() as u32;
        let eof = Token { kind: TokenKind::Eof, span: Span { file: self.file, start: end, end } };
        self.tokens.get(self.at + n).copied().unwrap_or(eof)
    }

    fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    fn bump(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len());
        token
    }

    fn word(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn at_punct(&self, punct: Punct) -> bool {
        self.kind() == TokenKind::Punct(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> Option<Span> {
        self.at_punct(punct).then(|| self.bump().span)
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> Option<Span> {
        self.at_keyword(keyword).then(|| self.bump().span)
    }

    fn expect(&mut self, punct: Punct, what: &str) -> Parsed<Span> {
        self.eat(punct).ok_or_else(|| self.unexpected(what))
    }

    fn keyword(&mut self, keyword: Keyword, what: &str) -> Parsed<Span> {
        self.eat_keyword(keyword).ok_or_else(|| self.unexpected(what))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.kind() {
            TokenKind::Name => {
                let span = self.bump().span;
                Ok(Name { text: self.word(span).to_string(), span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// `;` after `what`. A missing one is reported where it should stand, and reading goes on as if it were there.
    fn semicolon(&mut self, what: &str) {
        if self.eat(Punct::Semicolon).is_none() {
            self.missing_semicolon(what);
        }
    }

    /// Bounds the recursion: deeper nesting is an error, not a stack overflow.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limits::MAX_NESTING {
            let span = self.peek().span;
            self.complained_at = None;
            let failed = self.report(Diagnostic::error(span, "this is nested too deeply", "here"));
            self.stop();
            return Err(failed);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}
