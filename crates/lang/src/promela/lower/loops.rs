//! `for` and `select`: the loops they stand for.

use super::build::{Builder, NodeKind};
use super::declarations::{Declared, When};
use super::elements::{BreakId, Kind, SequenceId, Statement, Target};
use super::text;
use super::types::Shape;
use crate::promela::ast::{self, Block, Stmt, StmtKind};
use crate::source::Span;

impl<'a> Builder<'_, 'a, '_> {
    /// `for`: the start value, then a loop of condition, body and increment.
    pub fn for_loop(&mut self, stmt: &'a Stmt, range: &'a ast::ForRange, body: &'a Block) -> NodeKind<'a> {
        let exit = self.open_loop();
        let (var, compare, bound) = match range {
            ast::ForRange::Between { var, low, high } => {
                self.counts(var, (low, high), stmt.span);
                self.assign(var, low.clone(), stmt);
                (var.clone(), ast::BinaryOp::Le, high.clone())
            }
            ast::ForRange::In { var, over } => {
                let Some(parts) = self.for_in(stmt, var, over) else {
                    self.loops.pop();
                    return NodeKind::Leaf(Kind::Skip);
                };
                parts
            }
        };
        let outer = self.open();
        self.compare(&var, compare, bound, stmt);
        if let ast::ForRange::In { var: element, over } = range
            && compare == ast::BinaryOp::Lt
        {
            self.rotate(element, over, stmt);
        }
        let scope = self.frame.open(self.scope);
        let outside = std::mem::replace(&mut self.scope, scope);
        self.statements(body);
        self.scope = outside;
        self.increment(&var, stmt);
        let round = self.leave(outer, stmt.span);
        let outer = self.open();
        let node = self.leaf(Kind::Else, stmt.span, "else");
        self.add(node, &[]);
        let done = self.jump_out(exit, outer, stmt);
        NodeKind::Do(vec![done, round], exit)
    }

    fn jump_out(&mut self, exit: BreakId, outer: SequenceId, stmt: &'a Stmt) -> SequenceId {
        let node = self.leaf(Kind::Goto(Target::Break(exit)), stmt.span, "break");
        self.add(node, &[]);
        self.leave(outer, stmt.span)
    }

    /// `select`: one assignment per value, or a loop that may stop at any value.
    pub fn select(
        &mut self,
        stmt: &'a Stmt,
        (var, low, high): (&'a ast::VarRef, &'a ast::Expr, &'a ast::Expr),
        spread: bool,
    ) -> NodeKind<'a> {
        self.counts(var, (low, high), stmt.span);
        if spread && let (ast::ExprKind::Const(a), ast::ExprKind::Const(b)) = (&low.kind, &high.kind) {
            let mut options = Vec::new();
            for value in *a..=*b {
                let outer = self.open();
                self.assign(var, ast::Expr { kind: ast::ExprKind::Const(value), span: low.span }, stmt);
                options.push(self.leave(outer, stmt.span));
            }
            return NodeKind::If(options);
        }
        self.assign(var, low.clone(), stmt);
        let outer = self.open();
        self.compare(var, ast::BinaryOp::Lt, high.clone(), stmt);
        let exit = self.open_loop();
        self.increment(var, stmt);
        let more = self.leave(outer, stmt.span);
        let outer = self.open();
        let done = self.jump_out(exit, outer, stmt);
        NodeKind::Do(vec![done, more], exit)
    }

    /// `for (x in array)` and `for (x in channel)`: what counts, and up to where.
    fn for_in(
        &mut self,
        stmt: &'a Stmt,
        var: &'a ast::VarRef,
        over: &'a ast::VarRef,
    ) -> Option<(ast::VarRef, ast::BinaryOp, ast::Expr)> {
        let view = self.view();
        let over_ref = view.whole(over)?;
        let var_ref = view.reference(var)?;
        let constant = |n: u32| ast::Expr { kind: ast::ExprKind::Const(n as i32), span: over.span };
        let symbol = over_ref.symbol.clone();
        let Shape::Record(record) = var_ref.shape else {
            let Some(len) = symbol.and_then(|s| s.len) else {
                let message = format!("`{}` is not an array", over_ref.name);
                self.env.error(over.span, message, "nothing to go through");
                return None;
            };
            self.assign(var, constant(0), stmt);
            return Some((var.clone(), ast::BinaryOp::Le, constant(len - 1)));
        };
        let Some((capacity, Some(message))) = symbol.and_then(|s| s.channel) else {
            let message = format!("`{}` is not a channel of records", over_ref.name);
            self.env.error(over.span, message, "each message must be a single record");
            return None;
        };
        if capacity == 0 || message != record {
            let message = format!("`{}` does not hold records like `{}`", over_ref.name, var_ref.name);
            self.env.error(over.span, message, "the types differ, or it holds nothing");
            return None;
        }
        let counter = self.counter(capacity, over.span);
        self.assign(&counter, constant(0), stmt);
        let len = ast::ExprKind::Channel(ast::ChannelQuery::Len, over.clone());
        Some((counter, ast::BinaryOp::Lt, ast::Expr { kind: len, span: over.span }))
    }

    /// The counter of a loop over a channel: one per block, however many such loops it has.
    fn counter(&mut self, capacity: u32, span: Span) -> ast::VarRef {
        let text = format!("(for {})", self.scope);
        let name = ast::Name { text: text.clone(), span, origin: span };
        if self.frame.find(&text, self.place()).is_none() {
            let ty = if capacity > 255 { ast::TypeName::Short } else { ast::TypeName::Byte };
            let decl = ast::VarDecl { name: name.clone(), width: None, len: None, init: None, span };
            let declared =
                self.env.shape(&ty, span).and_then(|shape| self.view().declare(shape, &decl, When::Step, false));
            if let Some(Declared { mut symbol, vars, .. }) = declared {
                symbol.first = self.frame.vars.len() as u32;
                symbol.scope = self.scope;
                self.frame.vars.extend(vars.into_iter().map(|(v, _)| v));
                self.frame.symbols.push(symbol);
            }
        }
        ast::VarRef { parts: vec![ast::VarPart { name, index: None }], span, argument: false }
    }

    /// Takes the first message into the loop's variable and puts it back at the end.
    fn rotate(&mut self, var: &'a ast::VarRef, over: &'a ast::VarRef, stmt: &'a Stmt) {
        let receive = StmtKind::Receive {
            channel: over.clone(),
            args: vec![ast::RecvArg::Var(var.clone())],
            random: false,
            keep: false,
        };
        let value = ast::Expr { kind: ast::ExprKind::Var(var.clone()), span: var.span };
        let send = StmtKind::Send { channel: over.clone(), args: vec![value], sorted: false };
        let (channel, element) = (text::var(over), text::var(var));
        self.synthetic(receive, stmt, &format!("{channel}?{element}"));
        self.synthetic(send, stmt, &format!("{channel}!{element}"));
    }

    fn counts(&self, var: &ast::VarRef, (low, high): (&ast::Expr, &ast::Expr), span: Span) {
        if let (ast::ExprKind::Const(a), ast::ExprKind::Const(b)) = (&low.kind, &high.kind)
            && a > b
        {
            self.env.error(span, format!("from {a} up to {b} there is nothing"), "the bounds are the wrong way round");
        }
        let simple = var.parts.len() == 1 && var.parts[0].index.is_none();
        if !simple {
            self.env.error(var.span, "only a plain variable can count", "not a plain variable");
        } else if let Some((symbol, _)) = self.view().symbol(&var.parts[0].name.text)
            && (symbol.len.is_some() || matches!(symbol.shape, Shape::Record(_)) || symbol.channel.is_some())
        {
            self.env.error(span, format!("`{}` can't count", symbol.name), "not a number");
        }
    }

    fn synthetic(&mut self, kind: StmtKind, stmt: &'a Stmt, text: &str) {
        let node = self.leaf(Kind::Step(Statement::Made(Box::new(kind))), stmt.span, text);
        self.add(node, &[]);
    }

    fn assign(&mut self, var: &ast::VarRef, value: ast::Expr, stmt: &'a Stmt) {
        let text = format!("{} = {}", text::var(var), text::expr(&value));
        self.synthetic(StmtKind::Assign(var.clone(), value), stmt, &text);
    }

    fn increment(&mut self, var: &ast::VarRef, stmt: &'a Stmt) {
        self.synthetic(StmtKind::Increment(var.clone()), stmt, &format!("{}++", text::var(var)));
    }

    fn compare(&mut self, var: &ast::VarRef, op: ast::BinaryOp, bound: ast::Expr, stmt: &'a Stmt) {
        let var = ast::Expr { kind: ast::ExprKind::Var(var.clone()), span: var.span };
        let kind = ast::ExprKind::Binary(op, Box::new(var), Box::new(bound));
        let condition = ast::Expr { kind, span: stmt.span };
        let text = text::expr(&condition);
        self.synthetic(StmtKind::Expr(condition), stmt, &text);
    }
}
