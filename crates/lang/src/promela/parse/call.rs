//! Calls of inlines: their text is read in place of the call.

use super::feed::Frame;
use super::{Failed, Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::promela::ast::{Name, StmtKind, VarRef};
use crate::promela::token::{Punct, Token};
use crate::source::{Expansion, ExpansionKind};

impl Parser<'_> {
    /// `return e` inside an inline called as `x = f()` is `x = e`.
    pub(super) fn return_value(&mut self) -> Parsed<StmtKind> {
        let target = self.frames.iter().rev().find_map(|f| f.call.as_ref()).and_then(|c| c.result.clone());
        let token = self.bump();
        let value = self.full_expr()?;
        match target {
            Some(var) => Ok(StmtKind::Assign(var, value)),
            None => {
                let what = "`return` outside an inline that is called for its value";
                let help = "only an inline called as `x = name()` can return a value";
                Err(self.report(Diagnostic::error(token.span, what, "").help(help)))
            }
        }
    }

    /// A call of an inline; its body is read in place of the call.
    pub(super) fn call(&mut self, result: Option<VarRef>) -> Parsed<StmtKind> {
        let name = self.bump();
        let Some(inline) = self.names.inlines.get(&name.text).cloned() else { return Err(Failed) };
        let args = self.call_arguments(&name)?;
        let wanted = inline.params.len();
        if args.len() != wanted {
            let count = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
            let what = format!(
                "inline `{}` takes {}, but {} given",
                name.text,
                count(wanted),
                match args.len() {
                    1 => "1 is".to_string(),
                    n => format!("{n} are"),
                }
            );
            let diagnostic = Diagnostic::error(name.span, what, "").label(inline.span, "defined here");
            return Err(self.report(diagnostic));
        }
        let calls = self.frames.iter().filter_map(|f| f.call.as_ref());
        if calls.clone().any(|c| c.inline.name == name.text) {
            let what = format!("inline `{}` calls itself", name.text);
            let diagnostic = Diagnostic::error(name.span, what, "").label(inline.span, "defined here");
            return Err(self.report(diagnostic.label(name.origin, "called again here")));
        }
        if calls.count() >= limits::MAX_INLINE_DEPTH {
            let what = format!("inlines are nested too deeply: over {} levels", limits::MAX_INLINE_DEPTH);
            self.fatal(Diagnostic::error(name.span, what, ""));
            return Err(Failed);
        }
        let record =
            Expansion { kind: ExpansionKind::Inline, name: name.text.to_string(), definition: Some(inline.span) };
        self.sources.expanded(name.span, record);
        self.sources.used(name.origin, inline.span);
        self.enter(Frame::body(inline, args, name.span, result));
        let body = self.nested(|p| p.block("the body of the inline"))?;
        Ok(StmtKind::Inline { name: Name::of(&name), body })
    }

    /// The arguments of an inline call, as text.
    fn call_arguments(&mut self, name: &Token) -> Parsed<Vec<Vec<Token>>> {
        let open = self.expect(Punct::LeftParen)?;
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = self.raw();
            match self.classify(&token) {
                Sym::Eof => {
                    let what = format!("the call of inline `{}` is never closed", name.text);
                    self.fatal(Diagnostic::error(open.span, what, "opened here"));
                    return Err(Failed);
                }
                Sym::Punct(Punct::RightParen) if depth == 0 => {
                    self.log.push(token);
                    self.parens = self.parens.saturating_sub(1);
                    break;
                }
                Sym::Punct(Punct::LeftParen | Punct::LeftBracket) => depth += 1,
                Sym::Punct(Punct::RightParen | Punct::RightBracket) => depth = depth.saturating_sub(1),
                Sym::Punct(Punct::Comma) if depth == 0 => {
                    self.log.push(token);
                    args.push(Vec::new());
                    continue;
                }
                Sym::Punct(Punct::LeftBrace | Punct::RightBrace | Punct::Semicolon) => {
                    self.complained_at = None;
                    self.unread = Some(token);
                    return Err(self.unclosed("`)`", "the arguments", open.span));
                }
                _ => {}
            }
            self.log.push(token.clone());
            if let Some(last) = args.last_mut() {
                last.push(Token { newline: false, ..token });
            }
        }
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        Ok(args)
    }
}
