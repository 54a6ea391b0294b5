//! Statements.

use super::feed::is_separator;
use super::{Failed, Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{Block, Expr, ExprKind, ForRange, Name, Option_, Stmt, StmtKind, VarRef};
use crate::promela::token::{Keyword, Punct, Token};
use crate::source::{Span, join};

impl Parser<'_> {
    /// Statements up to `}`, `::`, `fi` or `od`. Always succeeds: errors are reported and skipped.
    pub(super) fn sequence(&mut self) -> Block {
        let mut stmts = Vec::new();
        let parens = self.parens;
        loop {
            let start = self.log.len();
            self.inside = 0;
            match self.nested(Self::step) {
                Ok(step) => stmts.push(step),
                Err(Failed) => {
                    self.recover_in_sequence(parens);
                    stmts.push(self.broken(start));
                }
            }
            if !self.at_end_of_sequence() && !is_separator(self.sym()) {
                self.unexpected("`;` or `->` between statements");
                self.recover_in_sequence(parens);
            }
            let mut separated = false;
            while is_separator(self.sym()) {
                separated = true;
                self.bump();
            }
            if self.at_end_of_sequence() || !separated {
                return Block { stmts };
            }
        }
    }

    fn broken(&mut self, start: usize) -> Stmt {
        let span = self.span_from(start);
        Stmt { labels: Vec::new(), kind: StmtKind::Error, span, text: String::new(), within: None, inside: None }
    }

    fn at_end_of_sequence(&mut self) -> bool {
        matches!(
            self.sym(),
            Sym::Eof | Sym::Punct(Punct::RightBrace | Punct::Separator) | Sym::Keyword(Keyword::Fi | Keyword::Od)
        )
    }

    /// A declaration, an exclusive-use claim, or a statement with its escape.
    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.log.len();
        if self.at_declaration() {
            let decl = self.declaration()?;
            return Ok(self.finish(start, Vec::new(), StmtKind::Decl(decl)));
        }
        if matches!(self.sym(), Sym::Keyword(Keyword::Xr | Keyword::Xs)) {
            return self.exclusive(start);
        }
        let main = self.statement()?;
        if self.eat_keyword(Keyword::Unless).is_none() {
            return Ok(main);
        }
        let escape = self.statement()?;
        Ok(self.finish(start, Vec::new(), StmtKind::Unless { main: Box::new(main), escape: Box::new(escape) }))
    }

    fn exclusive(&mut self, start: usize) -> Parsed<Stmt> {
        let send = &*self.bump().text == "xs";
        let mut channels = vec![self.var_ref()?];
        while self.eat(Punct::Comma).is_some() {
            channels.push(self.var_ref()?);
        }
        Ok(self.finish(start, Vec::new(), StmtKind::Exclusive { send, channels }))
    }

    fn finish(&mut self, start: usize, labels: Vec<Name>, kind: StmtKind) -> Stmt {
        let text = self.statement_text(start, &kind);
        let mut within = self.log.get(start..).unwrap_or_default().iter().filter_map(|token| token.within);
        let within = within.next().map(|first| (first, within.next_back().unwrap_or(first)));
        Stmt { labels, kind, span: self.span_from(start), text, within, inside: self.inside(start) }
    }

    /// A statement with its labels.
    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        loop {
            let start = self.log.len();
            if self.sym() != Sym::Name {
                let kind = self.unlabelled()?;
                return Ok(self.finish(start, labels, kind));
            }
            let first = self.bump();
            if self.eat(Punct::Colon).is_none() {
                let kind = self.after_name(first)?;
                return Ok(self.finish(start, labels, kind));
            }
            labels.push(Name::of(&first));
            self.almost_special(&first);
            if self.at_end_of_sequence() || is_separator(self.sym()) {
                // A label alone labels a skip.
                let kind = StmtKind::Expr(Expr::number(1, first.span));
                return Ok(Stmt { labels, kind, span: first.span, text: "skip".into(), within: None, inside: None });
            }
            if self.at_declaration() || matches!(self.sym(), Sym::Keyword(Keyword::Xr | Keyword::Xs)) {
                let what = format!("label `{}` stands in front of a declaration", first.text);
                let diagnostic = Diagnostic::error(first.span, what, "").help("labels can only mark statements");
                return Err(self.report(diagnostic));
            }
        }
    }

    /// A statement that begins with a name which has been taken.
    fn after_name(&mut self, first: Token) -> Parsed<StmtKind> {
        let span = first.span;
        let var = self.var_ref_after(first)?;
        Ok(match self.sym() {
            Sym::Punct(Punct::Equal) => {
                self.bump();
                if self.sym() == Sym::InlineName {
                    return self.call(Some(var));
                }
                StmtKind::Assign(var, self.full_expr()?)
            }
            Sym::Punct(Punct::Increment) => {
                self.bump();
                StmtKind::Increment(var)
            }
            Sym::Punct(Punct::Decrement) => {
                self.bump();
                StmtKind::Decrement(var)
            }
            Sym::Punct(Punct::Bang | Punct::BangBang) => self.send(var)?,
            Sym::Punct(Punct::Query | Punct::QueryQuery) => self.receive_or_poll(var)?,
            Sym::Punct(Punct::LeftParen) => return Err(self.not_callable(&var, span)),
            Sym::Keyword(Keyword::Fi | Keyword::Od | Keyword::Unless) => StmtKind::Expr(self.full_expr_after(var)?),
            Sym::Name | Sym::Keyword(_) | Sym::Str | Sym::Punct(Punct::LeftBrace) => {
                return Err(self.two_names(&var, span));
            }
            _ => StmtKind::Expr(self.full_expr_after(var)?),
        })
    }

    fn not_callable(&mut self, var: &VarRef, span: Span) -> Failed {
        let name = var.parts[0].name.text.clone();
        if let Some(help) = c_habit(&name) {
            return self.report(Diagnostic::error(span, format!("there is no `{name}` in Promela"), "").help(help));
        }
        let names: Vec<&str> = self.names.inlines.keys().map(|k| &**k).collect();
        let help = match crate::spelling::nearest(&name, &names).or(crate::spelling::nearest(&name, Keyword::ALL)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "inlines must be defined before they are called; proctypes are started with `run`".into(),
        };
        self.report(Diagnostic::error(span, format!("there is no inline `{name}`"), "not defined above").help(help))
    }

    /// `prinft "x"`, `foo bar`: what was the first word meant to be?
    fn two_names(&mut self, var: &VarRef, span: Span) -> Failed {
        let name = &var.parts[0].name.text;
        let near = crate::spelling::nearest(name, Keyword::ALL).filter(|_| var.parts.len() == 1);
        match near {
            Some(near) => {
                let what = format!("`{name}` is neither a type nor a keyword");
                self.report(Diagnostic::error(span, what, "").help(format!("did you mean `{near}`?")))
            }
            None => self.unexpected("`;` or `->` between statements"),
        }
    }

    fn unlabelled(&mut self) -> Parsed<StmtKind> {
        use Keyword as K;
        let Sym::Keyword(keyword) = self.sym() else {
            return match self.sym() {
                Sym::Punct(Punct::LeftBrace) => Ok(StmtKind::Block(self.block("the block")?)),
                Sym::InlineName => self.call(None),
                _ => Ok(StmtKind::Expr(self.expression_statement()?)),
            };
        };
        match keyword {
            K::If => Ok(StmtKind::If(self.options(K::Fi)?)),
            K::Do => Ok(StmtKind::Do(self.options(K::Od)?)),
            K::Atomic => {
                self.bump();
                Ok(StmtKind::Atomic(self.block("the atomic sequence")?))
            }
            K::DStep => {
                self.bump();
                Ok(StmtKind::DStep(self.block("the d_step")?))
            }
            K::For => self.for_loop(),
            K::Select => self.select(),
            K::Break => {
                self.bump();
                Ok(StmtKind::Break)
            }
            K::Goto => {
                self.bump();
                Ok(StmtKind::Goto(self.name("a label")?))
            }
            K::Else => {
                self.bump();
                Ok(StmtKind::Else)
            }
            K::Assert => {
                self.bump();
                Ok(StmtKind::Assert(self.full_expr()?))
            }
            K::Printf | K::Printm => self.print(),
            K::SetPriority => self.set_priority(),
            K::Return => self.return_value(),
            K::CCode | K::CDecl | K::CExpr | K::CState | K::CTrack => Err(self.embedded_c()),
            K::Typedef => {
                let span = self.here();
                let what = "a typedef can only be at the top level";
                Err(self.report(Diagnostic::error(span, what, "").help("move it in front of the proctypes")))
            }
            _ => Ok(StmtKind::Expr(self.expression_statement()?)),
        }
    }

    fn expression_statement(&mut self) -> Parsed<Expr> {
        if self.at_expression() { self.full_expr() } else { Err(self.unexpected("a statement")) }
    }

    /// `{ statements }`
    pub(super) fn block(&mut self, what: &str) -> Parsed<Block> {
        let open = self.expect(Punct::LeftBrace)?;
        let block = self.sequence();
        self.close(Punct::RightBrace, what, open.span)?;
        Ok(block)
    }

    fn options(&mut self, end: Keyword) -> Parsed<Vec<Option_>> {
        let open = self.bump();
        let mut options = Vec::new();
        if !self.at(Punct::Separator) {
            return Err(self.unexpected("`::` and an option"));
        }
        let mut arrows = Vec::new();
        while let Some(mark) = self.eat(Punct::Separator) {
            let start = self.log.len();
            let body = self.sequence();
            arrows.push(self.ends_with_arrow(start));
            let last = self.log.last().map_or(mark.span, |t| t.span);
            options.push(Option_ { body, span: join(mark.span, last) });
        }
        if self.eat_keyword(end).is_none() {
            return Err(self.unclosed(&format!("`{}`", end.text()), &format!("this `{}`", open.text), open.span));
        }
        self.assignment_as_guard(&options, &arrows);
        Ok(options)
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(Punct::LeftParen)?;
        self.in_for = true;
        let range = self.for_range();
        self.in_for = false;
        let range = range?;
        self.close(Punct::RightParen, "the range", open.span)?;
        self.eat(Punct::Semicolon);
        let body = self.block("the loop")?;
        Ok(StmtKind::For { range, body })
    }

    fn for_range(&mut self) -> Parsed<ForRange> {
        if self.at_for_of_c() {
            return Err(self.for_of_c());
        }
        let var = self.var_ref()?;
        if self.at_for_of_c() {
            return Err(self.for_of_c());
        }
        if self.eat_keyword(Keyword::In).is_some() {
            return Ok(ForRange::In { var, over: self.var_ref()? });
        }
        if self.eat(Punct::Colon).is_none() {
            return Err(self.unexpected("`:` and a range, or `in` and an array or a channel"));
        }
        let low = self.expr()?;
        self.expect(Punct::DotDot)?;
        let high = self.expr()?;
        Ok(ForRange::Between { var, low, high })
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        let in_inline = self.frames.len() > 1;
        self.bump();
        let open = self.expect(Punct::LeftParen)?;
        let var = self.var_ref()?;
        self.expect(Punct::Colon)?;
        let from = self.log.len();
        let low = self.expr()?;
        let low_digits = self.lone_number(from);
        self.expect(Punct::DotDot)?;
        let from = self.log.len();
        let high = self.expr()?;
        let high_digits = self.lone_number(from);
        self.close(Punct::RightParen, "the range", open.span)?;
        let plain = var.parts.len() == 1
            && var.parts[0].index.is_none()
            && var.parts[0].name.text.bytes().all(|b| b.is_ascii_alphanumeric());
        let mut spread = false;
        if let (Some(a), Some(b), true, false) = (low_digits, high_digits, plain, in_inline) {
            if a > b {
                let what = "the range of this select is empty";
                let span = join(low.span, high.span);
                return Err(self.report(Diagnostic::error(span, what, format!("{a} is more than {b}"))));
            }
            spread = b - a <= 32;
        }
        Ok(StmtKind::Select { var, low, high, spread })
    }

    /// The value, if the tokens taken since `from` are one literal number.
    fn lone_number(&self, from: usize) -> Option<i64> {
        match &self.log[from..] {
            [token] if self.classify(token) == Sym::Number => token.text.parse().ok(),
            _ => None,
        }
    }

    fn print(&mut self) -> Parsed<StmtKind> {
        let keyword = self.bump();
        let open = self.expect(Punct::LeftParen)?;
        if &*keyword.text == "printm" {
            let value = if self.at_constant() {
                self.primary_constant()?
            } else {
                let var = self.var_ref()?;
                let span = var.span;
                Expr { kind: ExprKind::Var(var), span }
            };
            self.close(Punct::RightParen, "the printm", open.span)?;
            return Ok(StmtKind::Printm(value));
        }
        if self.sym() != Sym::Str {
            return Err(self.unexpected("a format string"));
        }
        let format = unescape(&self.bump().text);
        let mut args = Vec::new();
        while self.eat(Punct::Comma).is_some() {
            args.push(self.expr()?);
        }
        self.close(Punct::RightParen, "the printf", open.span)?;
        Ok(StmtKind::Printf { format, args })
    }

    fn set_priority(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(Punct::LeftParen)?;
        let process = self.expr()?;
        self.expect(Punct::Comma)?;
        let priority = self.expr()?;
        self.close(Punct::RightParen, "the arguments", open.span)?;
        Ok(StmtKind::SetPriority(process, priority))
    }
}

/// Promela's replacements for words of C.
fn c_habit(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" => "write `do :: condition -> … :: else -> break od`",
        "switch" => "write `if :: x == 1 -> … :: else -> … fi`",
        "sleep" | "wait" => "time does not pass in a model; to wait for a condition, write it as a statement",
        "malloc" | "free" => "all data is declared; there is no dynamic memory",
        _ => return None,
    })
}

/// The text of a string constant: without its quotes, escapes resolved.
fn unescape(quoted: &str) -> String {
    let inside = &quoted[1..quoted.len() - 1];
    let mut out = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('f') => out.push('\x0c'),
            Some('b') => out.push('\x08'),
            Some('a') => out.push('\x07'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}
