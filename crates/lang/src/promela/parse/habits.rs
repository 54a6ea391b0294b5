//! Habits of other languages and frequent mistakes, each with a message that names it.

use super::feed::Lexeme;
use super::{Failed, Parser, Sym};
use crate::diagnostic::{Diagnostic, warn};
use crate::promela::ast::{Option_, StmtKind};
use crate::promela::token::{Punct, Token, TokenKind};
use crate::source::join;

impl Parser<'_> {
    /// The diagnostic for a token that other languages have in this place.
    pub(super) fn habit(&self, lexeme: &Lexeme, expected: &str) -> Option<Diagnostic> {
        let last = self.log.last()?;
        match lexeme.sym {
            Sym::Punct(Punct::Equal) if is_operator(last) && !lexeme.token.space => {
                let operator = &last.text;
                let name = self.log.len().checked_sub(2).and_then(|at| self.log.get(at));
                let name = name.filter(|token| token.kind == TokenKind::Ident).map_or("x", |token| &*token.text);
                let message = format!("there is no `{operator}=` in Promela");
                let span = join(last.span, lexeme.token.span);
                Some(Diagnostic::error(span, message, "").help(format!("write `{name} = {name} {operator} …`")))
            }
            Sym::Punct(Punct::LeftParen | Punct::LeftBrace) if expected == "`::` and an option" => {
                let help = match &*last.text {
                    "if" => "write `if :: condition -> … :: else -> … fi`",
                    _ => "write `do :: condition -> … :: else -> break od`",
                };
                let message = format!("this is the `{}` of C, not of Promela", last.text);
                Some(Diagnostic::error(last.span, message, "").help(help))
            }
            _ => None,
        }
    }

    /// Whether a loop has the head of C: `for (i = 0; …` or `for (int i = 0; …`.
    pub(super) fn at_for_of_c(&mut self) -> bool {
        self.at_declaration() || self.at(Punct::Equal)
    }

    /// Reports the `for` of C, and skips the loop.
    pub(super) fn for_of_c(&mut self) -> Failed {
        let span = self.here();
        let name = self.log.last().filter(|token| token.kind == TokenKind::Ident && &*token.text != "for");
        let name = name.map_or("i".to_string(), |token| token.text.to_string());
        let help = format!("write `for ({name} : 0 .. 9) {{ … }}`; the variable is declared before");
        let failed = self.report(Diagnostic::error(span, "this is the `for` of C, not of Promela", "").help(help));
        self.in_for = false;
        while !matches!(self.sym(), Sym::Eof | Sym::Punct(Punct::LeftBrace | Punct::RightBrace)) {
            self.bump();
        }
        if self.at(Punct::LeftBrace) {
            self.skip_balanced(Punct::LeftBrace, Punct::RightBrace);
        }
        failed
    }

    /// Warns of an assignment in the place of a guard: `:: x = 1 -> …` beside options that have conditions. Options that are all
    /// assignments are a choice of values.
    pub(super) fn assignment_as_guard(&mut self, options: &[Option_], arrows: &[bool]) {
        let first = |option: &Option_| option.body.stmts.first().map(|stmt| stmt.kind.clone());
        let is_guard = |kind: &StmtKind| matches!(kind, StmtKind::Expr(_) | StmtKind::Else | StmtKind::Receive { .. });
        if !options.iter().filter_map(first).any(|kind| is_guard(&kind)) {
            return;
        }
        for (option, _) in options.iter().zip(arrows).filter(|(_, arrow)| **arrow) {
            let Some(stmt) = option.body.stmts.first() else { continue };
            if matches!(stmt.kind, StmtKind::Assign(..)) {
                let help = format!("to compare, write `{}`", stmt.text.replacen(" = ", " == ", 1));
                let message = "an assignment in the place of a guard: it can always be executed";
                warn(self.diagnostics, Diagnostic::warning(stmt.span, message, "assigns").help(help));
            }
        }
    }

    /// Whether the first statement in the tokens from `start` on ends with an arrow.
    pub(super) fn ends_with_arrow(&self, start: usize) -> bool {
        let mut depth = 0usize;
        for token in &self.log[start.min(self.log.len())..] {
            match token.kind {
                TokenKind::Punct(Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightParen | Punct::RightBracket | Punct::RightBrace) => {
                    depth = depth.saturating_sub(1);
                }
                TokenKind::Punct(Punct::Arrow) if depth == 0 => return true,
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Warns of a label that differs from a special one only in its case: `End` is no end state.
    pub(super) fn almost_special(&mut self, label: &Token) {
        let lower = label.text.to_lowercase();
        let bare = lower.trim_start_matches('_');
        let special = [("end", "valid end states"), ("progress", "progress states"), ("accept", "accepting states")];
        for (prefix, what) in
            special.iter().filter(|(prefix, _)| bare.starts_with(prefix) && !label.text.starts_with(prefix))
        {
            let message = format!("label `{}` has no special meaning", label.text);
            let help = format!("labels of {what} begin with `{prefix}`, in lower case");
            self.odd_labels.push((label.text.clone(), Diagnostic::warning(label.span, message, "").help(help)));
        }
    }

    /// Reports the odd labels that are only labels: no `goto` and no condition names them.
    pub(super) fn report_odd_labels(&mut self) {
        for (label, diagnostic) in std::mem::take(&mut self.odd_labels) {
            let pairs = self.log.windows(2).filter(|pair| pair[0].text == label);
            let named = pairs.into_iter().any(|pair| pair[1].kind != TokenKind::Punct(Punct::Colon));
            if !named {
                warn(self.diagnostics, diagnostic);
            }
        }
    }
}

fn is_operator(token: &Token) -> bool {
    matches!(&*token.text, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>")
}
