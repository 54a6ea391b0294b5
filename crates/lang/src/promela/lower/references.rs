//! Facts about the whole text that must be known before any process is built.

use std::collections::HashSet;

use super::environment::Uses;
use crate::promela::ast::{self, Block, Expr, ExprKind, ForRange, Program, RecvArg, StmtKind, Unit, VarRef};

/// A label of another process that some expression asks about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RemoteLabel {
    pub process: String,
    pub label: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct References {
    pub uses: Uses,
    pub labels: Vec<RemoteLabel>,
    /// Every name of a variable that the processes mention.
    pub mentioned: HashSet<String>,
    in_process: bool,
}

/// The references of the whole program, claims, formulas and conditions included: what they mention is part of the state,
/// whether or not they are checked.
pub(super) fn references(program: &Program, conditions: &[Expr]) -> References {
    let mut out = References::default();
    for unit in &program.units {
        match unit {
            Unit::Proctype(p) => {
                out.uses.priorities |= p.priority.is_some();
                out.in_process = true;
                p.provided.iter().for_each(|e| out.expr(e));
                out.block(&p.body);
                out.in_process = false;
            }
            Unit::Never { body, .. } | Unit::Trace { body, .. } => out.block(body),
            Unit::Ltl { expanded, .. } => out.formula(expanded),
            Unit::Decl(decl) => out.decl(decl),
            Unit::Mtype { .. } | Unit::Typedef { .. } => {}
        }
    }
    conditions.iter().for_each(|e| out.expr(e));
    out
}

impl References {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.statement(&stmt.kind);
        }
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Exclusive { channels, .. } => channels.iter().for_each(|c| self.var(c)),
            StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr(e),
            StmtKind::Assign(v, e) => {
                self.var(v);
                self.expr(e);
            }
            StmtKind::Increment(v) | StmtKind::Decrement(v) => self.var(v),
            StmtKind::Send { channel, args, .. } => {
                self.var(channel);
                args.iter().for_each(|a| self.expr(a));
            }
            StmtKind::Receive { channel, args, .. } => {
                self.var(channel);
                args.iter().for_each(|a| self.pattern(a));
            }
            StmtKind::Printf { args, .. } => args.iter().for_each(|a| self.expr(a)),
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| self.block(&o.body)),
            StmtKind::Atomic(b) | StmtKind::DStep(b) | StmtKind::Block(b) | StmtKind::Inline { body: b, .. } => {
                self.block(b);
            }
            StmtKind::Unless { main, escape } => {
                self.statement(&main.kind);
                self.statement(&escape.kind);
            }
            StmtKind::For { range, body } => {
                match range {
                    ForRange::Between { var, low, high } => {
                        self.var(var);
                        self.expr(low);
                        self.expr(high);
                    }
                    ForRange::In { var, over } => {
                        self.var(var);
                        self.var(over);
                    }
                }
                self.block(body);
            }
            StmtKind::Select { var, low, high, .. } => {
                self.var(var);
                self.expr(low);
                self.expr(high);
            }
            StmtKind::SetPriority(a, b) => {
                self.uses.priorities = true;
                self.expr(a);
                self.expr(b);
            }
            StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else | StmtKind::Error => {}
        }
    }

    fn decl(&mut self, decl: &ast::Decl) {
        for var in &decl.vars {
            match &var.init {
                Some(ast::Init::Expr(e)) => self.expr(e),
                Some(ast::Init::List(list)) => list.iter().for_each(|e| self.expr(e)),
                Some(ast::Init::Channel { .. }) | None => {}
            }
        }
    }

    fn pattern(&mut self, arg: &RecvArg) {
        match arg {
            RecvArg::Var(v) => self.var(v),
            RecvArg::Eval(e) => self.expr(e),
            RecvArg::Const(..) => {}
        }
    }

    fn var(&mut self, var: &VarRef) {
        for part in &var.parts {
            self.name(&part.name.text);
            part.index.iter().for_each(|i| self.expr(i));
        }
    }

    fn name(&mut self, name: &str) {
        if self.in_process && !self.mentioned.contains(name) {
            self.mentioned.insert(name.to_string());
        }
        match name {
            "_last" => self.uses.last = true,
            "_priority" => self.uses.priorities = true,
            "_p" => self.uses.numbers = true,
            _ => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Channel(_, v) => self.var(v),
            ExprKind::Unary(_, a) => self.expr(a),
            ExprKind::Enabled(a) => {
                self.uses.enabled = true;
                self.expr(a);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cond(parts) => parts.iter().for_each(|p| self.expr(p)),
            ExprKind::Poll { channel, args, .. } => {
                self.var(channel);
                args.iter().for_each(|a| self.pattern(a));
            }
            ExprKind::Run { args, priority, .. } => {
                self.uses.priorities |= priority.is_some();
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::PcValue(a) => {
                self.uses.numbers = true;
                self.expr(a);
            }
            ExprKind::GetPriority(a) => {
                self.uses.priorities = true;
                self.expr(a);
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                self.labels.push(RemoteLabel { process: process.text.clone(), label: label.text.clone() });
                pid.iter().for_each(|p| self.expr(p));
            }
            ExprKind::RemoteVar { pid, var, .. } => {
                self.var(var);
                pid.iter().for_each(|p| self.expr(p));
            }
            ExprKind::Timeout => self.uses.timeout = true,
            ExprKind::Const(_) | ExprKind::NonProgress | ExprKind::Stdin | ExprKind::Error => {}
        }
    }

    /// A formula is known as text only: finds `_last` and what is written `process[..]@label`.
    fn formula(&mut self, text: &str) {
        let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        words.iter().for_each(|w| self.name(w));
        for (at, _) in text.match_indices('@') {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let after = text[at + 1..].trim_start();
            let label = &after[..after.find(|c| !word(c)).unwrap_or(after.len())];
            let mut before = text[..at].trim_end();
            if before.ends_with(']') {
                before = before[..before.rfind('[').unwrap_or(0)].trim_end();
            }
            let process = &before[before.rfind(|c| !word(c)).map_or(0, |i| i + 1)..];
            self.labels.push(RemoteLabel { process: process.to_string(), label: label.to_string() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_formulas() {
        let mut found = References::default();
        found.formula("[] (p@cs -> <> q[ x + 1 ] @ done && _last == 1)");
        let labels: Vec<String> = found.labels.iter().map(|l| format!("{}@{}", l.process, l.label)).collect();
        assert_eq!(labels, ["p@cs", "q@done"]);
        assert!(found.uses.last);
    }
}
