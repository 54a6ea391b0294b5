//! Local declarations: part of the process from the start, and steps where they come late.

use super::build::{Builder, contains_run};
use super::declarations::{Declared, When};
use super::elements::{Kind, Statement};
use super::text;
use super::types::Shape;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, StmtKind};
use crate::source::Span;

impl<'a> Builder<'_, 'a, '_> {
    /// Declares local variables. Past the first statement, a declaration is a step: it sets the variable, again each
    /// time control passes.
    pub fn declaration(&mut self, decl: &'a ast::Decl) {
        let Some(shape) = self.env.shape(&decl.ty, decl.span) else { return };
        for var in &decl.vars {
            self.declare(shape, decl, var);
        }
    }

    fn declare(&mut self, shape: Shape, decl: &'a ast::Decl, var: &'a ast::VarDecl) {
        let when = if self.starting { When::Start } else { When::Step };
        if let Some(first) = self.name_taken(&var.name.text) {
            return self.env.redeclared(&var.name, first);
        }
        let is_channel = matches!(var.init, Some(ast::Init::Channel { .. }));
        if is_channel && when == When::Step {
            let message = format!("the channel `{}` is created too late", var.name.text);
            let help = "move the declaration to the start of the process";
            let here = "a channel must be declared before the first statement";
            self.env.report(Diagnostic::error(var.span, message, here).help(help));
            return;
        }
        if let Some(ast::Init::Expr(e)) = &var.init
            && contains_run(e)
        {
            let help = "declare it first, then write `x = run ...`";
            let what = "`run` can't be used in a declaration";
            self.env.report(Diagnostic::error(e.span, what, "not possible here").help(help));
            return;
        }
        let hidden = decl.visibility == Some(ast::Visibility::Hidden);
        let Some(Declared { mut symbol, vars, channels }) = self.view().declare(shape, var, when, hidden) else {
            return;
        };
        symbol.first = self.frame.vars.len() as u32;
        symbol.scope = self.scope;
        self.frame.vars.extend(vars.into_iter().map(|(v, _)| v));
        self.frame.symbols.push(symbol);
        self.env.enter_channels(channels);
        if when == When::Step {
            self.declaration_step(shape, var);
        }
    }

    fn declaration_step(&mut self, shape: Shape, var: &'a ast::VarDecl) {
        let value = match &var.init {
            None => ast::Expr { kind: ast::ExprKind::Const(0), span: var.span },
            Some(ast::Init::Expr(e)) => e.clone(),
            Some(_) => {
                self.env.error(var.span, "a list of values is possible before the first statement only", "too late");
                return;
            }
        };
        let zero = ast::Expr { kind: ast::ExprKind::Const(0), span: var.span };
        let part = ast::VarPart { name: var.name.clone(), index: var.len.as_ref().map(|_| zero) };
        let target = ast::VarRef { parts: vec![part], span: var.name.span, argument: false };
        let text = format!("{} = {}", text::var(&target), text::expr(&value));
        let kind = match shape {
            Shape::Record(_) => Kind::Nothing,
            Shape::Scalar(_) => Kind::Step(Statement::Made(Box::new(StmtKind::Assign(target, value)))),
        };
        let node = self.leaf(kind, var.span, &text);
        self.add(node, &[]);
    }

    pub fn name_taken(&self, name: &str) -> Option<Span> {
        self.frame.find(name, self.place()).map(|s| s.span).or_else(|| self.env.taken(name))
    }
}
