//! The units of a program: proctypes, claims, inlines, types, global declarations.

use std::rc::Rc;

use super::feed::{Inline, is_separator};
use super::{Failed, Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{Block, Decl, Expr, Name, ProcKind, Proctype, Program, Unit};
use crate::promela::token::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut units = Vec::new();
        loop {
            while is_separator(self.sym()) {
                self.bump();
            }
            if self.sym() == Sym::Eof {
                break;
            }
            let start = self.log.len();
            match self.unit() {
                Ok(unit) => units.extend(unit),
                Err(Failed) => {
                    units.extend(self.unfinished.take().map(Unit::Proctype));
                    if self.log.len() == start {
                        self.bump();
                    }
                    self.recover_in_program();
                }
            }
        }
        Program { units }
    }

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        use Keyword as K;
        Ok(Some(match self.sym() {
            Sym::Keyword(K::Active | K::Proctype | K::DProctype) => Unit::Proctype(self.proctype()?),
            Sym::Keyword(K::Init) => Unit::Proctype(self.init()?),
            Sym::Keyword(K::Never) => self.never()?,
            Sym::Keyword(K::Trace | K::Notrace) => self.trace()?,
            Sym::Keyword(K::Ltl) => self.ltl()?,
            Sym::Keyword(K::Typedef) => self.typedef()?,
            Sym::Keyword(K::Inline) => {
                self.inline()?;
                return Ok(None);
            }
            _ if self.at_declaration() => self.declaration_unit()?,
            Sym::Keyword(K::CCode | K::CDecl | K::CExpr | K::CState | K::CTrack) => {
                self.embedded_c();
                return Ok(None);
            }
            Sym::Punct(Punct::RightBrace) => {
                let token = self.bump();
                let what = "this `}` closes nothing";
                self.report(Diagnostic::error(token.span, what, "no block is open here"));
                return Ok(None);
            }
            _ => return Err(self.not_a_unit()),
        }))
    }

    fn not_a_unit(&mut self) -> Failed {
        let lexeme = self.peek().clone();
        let text = &lexeme.token.text;
        if lexeme.sym == Sym::Name && crate::spelling::nearest(text, Keyword::ALL).is_some() {
            return self.unexpected("a declaration, a proctype or init");
        }
        let what = format!(
            "expected a declaration, a proctype or init, found {}",
            super::error::describe(lexeme.sym, &lexeme.token)
        );
        let diagnostic = Diagnostic::error(lexeme.token.span, what, "");
        let diagnostic = match lexeme.sym {
            Sym::Name | Sym::Keyword(_) | Sym::ProcName | Sym::InlineName => {
                diagnostic.help("statements stand inside the braces of a proctype or of init")
            }
            Sym::Punct(Punct::Comma) => {
                diagnostic.help("after `{ … }` a declaration ends; declare the other variables separately")
            }
            _ => diagnostic,
        };
        self.report(super::error::with_origin(diagnostic, &lexeme.token))
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let start = self.log.len();
        let mut active = None;
        if let Some(token) = self.eat_keyword(Keyword::Active) {
            active = Some(Expr::number(1, token.span));
            if let Some(open) = self.eat(Punct::LeftBracket) {
                active = Some(self.constant()?);
                self.close(Punct::RightBracket, "the number of processes", open.span)?;
            }
        }
        let kind = match self.sym() {
            Sym::Keyword(Keyword::Proctype) => ProcKind::Proctype,
            Sym::Keyword(Keyword::DProctype) => ProcKind::Deterministic,
            _ => return Err(self.unexpected("`proctype`")),
        };
        self.bump();
        let name = self.name("the name of a proctype")?;
        self.names.processes.insert(name.text.as_str().into(), name.span);
        let open = self.expect(Punct::LeftParen)?;
        let params = self.parameters(open.span)?;
        let priority = self.priority()?;
        let provided = self.provided()?;
        let mut body = Block::default();
        let read = self.body("proctype", &mut body);
        let span = self.span_from(start);
        self.process_of(Proctype { kind, name, params, active, priority, provided, body, span }, read)
    }

    /// A process, or its recognised part after an error in its body.
    fn process_of(&mut self, process: Proctype, read: Parsed<()>) -> Parsed<Proctype> {
        if read.is_ok() {
            return Ok(process);
        }
        self.unfinished = Some(process);
        Err(Failed)
    }

    fn parameters(&mut self, open: Span) -> Parsed<Vec<Decl>> {
        let mut params = Vec::new();
        while !self.at(Punct::RightParen) {
            if !self.at_declaration() {
                if params.is_empty() && !matches!(self.sym(), Sym::Name) {
                    return Err(self.unclosed("`)`", "the parameter list", open));
                }
                return Err(self.unexpected("a parameter's type"));
            }
            let decl = self.declaration()?;
            if let Some(var) = decl.vars.iter().find(|v| v.init.is_some()) {
                let what = "a parameter cannot have an initial value";
                return Err(self.report(Diagnostic::error(var.span, what, "")));
            }
            params.push(decl);
            if self.eat(Punct::Semicolon).is_none() && !self.at(Punct::RightParen) {
                return Err(self.unclosed("`)`", "the parameter list", open));
            }
        }
        self.bump();
        Ok(params)
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<Expr>> {
        if self.eat_keyword(Keyword::Priority).is_none() {
            return Ok(None);
        }
        self.literal().map(Some)
    }

    fn provided(&mut self) -> Parsed<Option<Expr>> {
        if self.eat_keyword(Keyword::Provided).is_none() {
            return Ok(None);
        }
        let open = self.expect(Punct::LeftParen)?;
        let condition = self.full_expr()?;
        self.close(Punct::RightParen, "the condition", open.span)?;
        Ok(Some(condition))
    }

    fn init(&mut self) -> Parsed<Proctype> {
        let start = self.log.len();
        let token = self.bump();
        let name = Name::of(&token);
        let priority = self.priority()?;
        let mut body = Block::default();
        let read = self.body("init", &mut body);
        let span = self.span_from(start);
        let (kind, params) = (ProcKind::Init, Vec::new());
        self.process_of(Proctype { kind, name, params, active: None, priority, provided: None, body, span }, read)
    }

    /// `{ … }` of a process, inside which line ends may end statements. The block has what was recognised, also after an error.
    fn body(&mut self, what: &str, block: &mut Block) -> Parsed<()> {
        let open = match self.eat(Punct::LeftBrace) {
            Some(open) => open,
            None => return Err(self.unexpected(&format!("`{{` and the body of the {what}"))),
        };
        self.in_sequence = true;
        *block = self.sequence();
        let closed = self.close_block(open.span, "the body");
        self.in_sequence = false;
        closed
    }

    /// The `}` of a body, after which line ends no longer count.
    fn close_block(&mut self, open: Span, what: &str) -> Parsed<()> {
        if !self.at(Punct::RightBrace) {
            return Err(self.unclosed("`}`", what, open));
        }
        self.bump();
        Ok(())
    }

    fn never(&mut self) -> Parsed<Unit> {
        let token = self.bump();
        let name = if self.sym() == Sym::Name { Some(self.name("a name")?) } else { None };
        let mut body = Block::default();
        self.body("claim", &mut body)?;
        let end = self.log.last().map_or(token.span, |last| last.span);
        Ok(Unit::Never { name, body, span: token.span, end })
    }

    fn trace(&mut self) -> Parsed<Unit> {
        let token = self.bump();
        let negated = &*token.text == "notrace";
        let mut body = Block::default();
        self.body("trace", &mut body)?;
        let end = self.log.last().map_or(token.span, |last| last.span);
        Ok(Unit::Trace { negated, body, span: token.span, end })
    }

    fn typedef(&mut self) -> Parsed<Unit> {
        self.bump();
        let name = self.name("the name of a type")?;
        let open = self.expect(Punct::LeftBrace)?;
        self.in_sequence = true;
        let mut fields = Vec::new();
        while !self.at(Punct::RightBrace) {
            if !self.at_declaration() {
                return Err(self.unclosed("`}`", "the typedef", open.span));
            }
            fields.push(self.declaration()?);
            if self.eat(Punct::Semicolon).is_none() && !self.at(Punct::RightBrace) {
                return Err(self.unclosed("`}`", "the typedef", open.span));
            }
        }
        if fields.is_empty() {
            return Err(self.unexpected("a field of the type"));
        }
        self.bump();
        self.in_sequence = false;
        self.names.types.insert(name.text.as_str().into(), name.span);
        Ok(Unit::Typedef { name, fields })
    }

    fn inline(&mut self) -> Parsed<()> {
        self.bump();
        let lexeme = self.peek().clone();
        if !matches!(lexeme.sym, Sym::Name | Sym::InlineName) {
            return Err(self.not_a_name("the name of an inline"));
        }
        let name = self.bump();
        let open = self.expect(Punct::LeftParen)?;
        let mut params = Vec::new();
        while !self.at(Punct::RightParen) {
            params.push(self.inline_parameter()?);
            if self.eat(Punct::Comma).is_none() && !self.at(Punct::RightParen) {
                return Err(self.unclosed("`)`", "the parameter list", open.span));
            }
        }
        self.bump();
        let body = self.inline_body(&name)?;
        if let Some(first) = self.names.inlines.get(&name.text) {
            let first = first.span;
            let what = format!("inline `{}` is defined twice", name.text);
            self.complained_at = None;
            self.report(Diagnostic::error(name.span, what, "").label(first, "first defined here"));
        }
        self.sources.used(name.origin, name.span);
        let inline = Inline { name: name.text.clone(), params, body, span: name.span };
        self.names.inlines.insert(name.text, Rc::new(inline));
        Ok(())
    }

    fn inline_parameter(&mut self) -> Parsed<Rc<str>> {
        Ok(self.name("the name of a parameter")?.text.into())
    }

    /// The text of an inline, braces included; it is parsed anew at each call.
    fn inline_body(&mut self, name: &Token) -> Parsed<Rc<[Token]>> {
        let first = self.raw();
        if !first.is(Punct::LeftBrace) {
            self.unread = Some(first);
            return Err(self.unexpected("`{` and the body of the inline"));
        }
        let open = first.span;
        let mut tokens = vec![first];
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.raw();
            match token.kind {
                TokenKind::Punct(Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightBrace) => depth -= 1,
                TokenKind::Eof => {
                    let what = format!("the body of inline `{}` is never closed", name.text);
                    self.fatal(Diagnostic::error(open, what, "opened here"));
                    return Err(Failed);
                }
                _ => {}
            }
            tokens.push(token);
        }
        Ok(tokens.into())
    }
}
