//! Statements as SPIN prints them: every operator in parentheses, no white space, symbolic constants by name.

use kripke_model::ir::Shows;

use super::types::Shape;
use super::view::View;
use crate::promela::ast::{Expr, ExprKind, RecvArg, StmtKind, VarRef};
use crate::source::Span;

/// What the names in a statement mean.
#[derive(Clone, Copy)]
pub(super) struct Context<'e, 'a> {
    pub view: View<'e, 'a>,
}

/// The text of a statement.
pub(super) fn statement(kind: &StmtKind, context: Context<'_, '_>) -> String {
    context.statement(kind)
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(",")
}

/// A format string with its escapes as typed.
fn escaped(format: &str) -> String {
    let mut out = String::new();
    for c in format.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' => out.push('\''),
            c => out.push(c),
        }
    }
    out
}

impl Context<'_, '_> {
    fn statement(self, kind: &StmtKind) -> String {
        match kind {
            StmtKind::Expr(e) => format!("({})", self.expr(e)),
            StmtKind::Assign(v, e) => format!("{} = {}", self.var(v), self.expr(e)),
            StmtKind::Increment(v) => format!("{0} = ({0}+1)", self.var(v)),
            StmtKind::Decrement(v) => format!("{0} = ({0}-1)", self.var(v)),
            StmtKind::Send { channel, args, sorted } => {
                let operator = if *sorted { "!!" } else { "!" };
                format!("{}{operator}{}", self.var(channel), list(args, |e| self.sent(e)))
            }
            StmtKind::Receive { channel, args, random, keep } => {
                let (open, close) = if *keep { ("<", ">") } else { ("", "") };
                let operator = if *random { "??" } else { "?" };
                format!("{}{operator}{open}{}{close}", self.var(channel), self.patterns(args))
            }
            StmtKind::Assert(e) => format!("assert({})", self.expr(e)),
            StmtKind::Printf { format, args } => {
                let args: String = args.iter().map(|a| format!(",{}", self.expr(a))).collect();
                format!("printf('{}'{args})", escaped(format))
            }
            StmtKind::Printm(e) => {
                let value = self.symbol(e).unwrap_or_else(|| self.expr(e));
                format!("printm({value}, {})", self.symbols_of(e).unwrap_or_else(|| "0".to_string()))
            }
            StmtKind::SetPriority(p, n) => format!("set_priority({}, {})", self.expr(p), self.expr(n)),
            _ => String::new(),
        }
    }

    /// The number of a symbolic constant.
    fn symbol(self, e: &Expr) -> Option<String> {
        let ExprKind::Var(v) = &e.kind else { return None };
        self.view.constant_ref(v).map(|value| value.to_string())
    }

    /// The name of the `mtype` of a variable, if it has a name of its own.
    fn symbols_of(self, e: &Expr) -> Option<String> {
        let ExprKind::Var(VarRef { parts, .. }) = &e.kind else { return None };
        let [part] = &parts[..] else { return None };
        let Shape::Scalar(scalar) = self.view.symbol(&part.name.text)?.0.shape else { return None };
        let Shows::Symbol(kind) = scalar.ty.shows else { return None };
        let name = self.view.env.enums[kind.index()].name.strip_prefix("mtype:")?;
        Some(format!("'{name}'"))
    }

    /// A variable or a constant. A symbolic constant that is the argument of an inline is a number.
    fn var(self, v: &VarRef) -> String {
        if v.argument
            && let Some(value) = self.view.constant_ref(v)
        {
            return value.to_string();
        }
        let parts = v.parts.iter().map(|p| match &p.index {
            Some(index) => format!("{}[{}]", p.name.text, self.expr(index)),
            None => p.name.text.clone(),
        });
        parts.collect::<Vec<_>>().join(".")
    }

    /// An argument of a send.
    fn sent(self, e: &Expr) -> String {
        let record = if let ExprKind::Var(v) = &e.kind { self.record(v) } else { None };
        record.unwrap_or_else(|| self.expr(e))
    }

    /// A whole record: the list of its fields.
    fn record(self, v: &VarRef) -> Option<String> {
        let mut parts = v.parts.iter();
        let mut shape = self.view.symbol(&parts.next()?.name.text)?.0.shape;
        for part in parts {
            let Shape::Record(record) = shape else { return None };
            shape = self.view.env.records[record].fields.iter().find(|field| field.name == part.name.text)?.shape;
        }
        let mut out = Vec::new();
        if let Shape::Record(record) = shape {
            self.fields(&self.var(v), record, &mut out);
        }
        (!out.is_empty()).then(|| out.join(","))
    }

    fn fields(self, prefix: &str, record: usize, out: &mut Vec<String>) {
        for field in &self.view.env.records[record].fields {
            let name = format!("{prefix}.{}", field.name);
            let names = match field.len {
                Some(len) => (0..len).map(|i| format!("{name}[{i}]")).collect(),
                None => vec![name],
            };
            for name in names {
                match field.shape {
                    Shape::Record(inner) => self.fields(&name, inner, out),
                    Shape::Scalar(_) => out.push(name),
                }
            }
        }
    }

    fn patterns(self, args: &[RecvArg]) -> String {
        list(args, |arg| match arg {
            RecvArg::Var(v) => self.record(v).unwrap_or_else(|| self.var(v)),
            RecvArg::Const(n, _) => n.to_string(),
            RecvArg::Eval(e) => format!("eval({})", self.expr(e)),
        })
    }

    /// The text of an expression.
    fn expr(self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Const(n) => n.to_string(),
            ExprKind::Var(v) => self.var(v),
            ExprKind::Unary(op, a) => format!("{}({})", op.symbol(), self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({}{}{})", self.expr(a), op.symbol(), self.expr(b)),
            ExprKind::Cond(parts) => {
                let [c, a, b] = &**parts;
                format!("( ({}) -> ({}) : ({}) )", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Channel(query, v) => format!("{}({})", query.name(), self.var(v)),
            ExprKind::Poll { channel, args, random } => {
                format!("{}{}[{}]", self.var(channel), if *random { "??" } else { "?" }, self.patterns(args))
            }
            ExprKind::Run { process, args, .. } => format!("run {}({})", process.text, list(args, |e| self.expr(e))),
            _ => self.rare(e),
        }
    }

    fn rare(self, e: &Expr) -> String {
        let number = |pid: Option<&Expr>| pid.map_or(String::new(), |p| format!("[{}]", self.expr(p)));
        match &e.kind {
            ExprKind::Timeout => "timeout".to_string(),
            ExprKind::NonProgress => "np_".to_string(),
            ExprKind::Stdin => "STDIN".to_string(),
            ExprKind::Enabled(p) => format!("enabled({})", self.expr(p)),
            ExprKind::PcValue(p) => format!("pc_value({})", self.expr(p)),
            ExprKind::GetPriority(p) => format!("get_priority({})", self.expr(p)),
            ExprKind::RemoteLabel { process, pid, label } => {
                format!("({}{}._p=={})", process.text, number(pid.as_deref()), label.text)
            }
            ExprKind::RemoteVar { process, pid, var } => {
                format!("{}{}.{}", process.text, number(pid.as_deref()), self.var(var))
            }
            _ => String::new(),
        }
    }
}

/// The place of the last operand.
pub(super) fn last(e: &Expr) -> Span {
    match &e.kind {
        ExprKind::Binary(_, _, b) => last(b),
        ExprKind::Unary(_, a) | ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => last(a),
        ExprKind::Cond(parts) => last(&parts[2]),
        ExprKind::Channel(_, v) => v.span,
        ExprKind::Var(v) => v.span,
        _ => e.span,
    }
}
