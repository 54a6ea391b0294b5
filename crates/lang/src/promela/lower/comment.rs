//! Statements as SPIN prints them: every operator in parentheses, no white space, symbolic constants by name.

use super::view::View;
use crate::promela::ast::{BinaryOp, Expr, ExprKind, RecvArg, StmtKind, UnaryOp, VarRef};
use crate::source::Span;

/// The text of a statement.
pub(super) fn statement(kind: &StmtKind, view: View<'_, '_>) -> String {
    match kind {
        StmtKind::Expr(e) => format!("({})", expr(e)),
        StmtKind::Assign(v, e) => format!("{} = {}", var(v), expr(e)),
        StmtKind::Increment(v) => format!("{0} = ({0}+1)", var(v)),
        StmtKind::Decrement(v) => format!("{0} = ({0}-1)", var(v)),
        StmtKind::Send { channel, args, sorted } => {
            format!("{}{}{}", var(channel), if *sorted { "!!" } else { "!" }, list(args, expr))
        }
        StmtKind::Receive { channel, args, random, keep } => {
            let (open, close) = if *keep { ("<", ">") } else { ("", "") };
            let operator = if *random { "??" } else { "?" };
            format!("{}{operator}{open}{}{close}", var(channel), list(args, pattern))
        }
        StmtKind::Assert(e) => format!("assert({})", expr(e)),
        StmtKind::Printf { format, args } => {
            let args: String = args.iter().map(|a| format!(",{}", expr(a))).collect();
            format!("printf('{}'{args})", escaped(format))
        }
        StmtKind::Printm(e) => format!("printm({}, 0)", symbol(e, view).unwrap_or_else(|| expr(e))),
        StmtKind::SetPriority(p, n) => format!("set_priority({}, {})", expr(p), expr(n)),
        _ => String::new(),
    }
}

/// The number of a symbolic constant.
fn symbol(e: &Expr, view: View<'_, '_>) -> Option<String> {
    let ExprKind::Var(v) = &e.kind else { return None };
    view.constant_ref(v).map(|value| value.to_string())
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

fn var(v: &VarRef) -> String {
    let parts = v.parts.iter().map(|p| match &p.index {
        Some(index) => format!("{}[{}]", p.name.text, expr(index)),
        None => p.name.text.clone(),
    });
    parts.collect::<Vec<_>>().join(".")
}

fn pattern(arg: &RecvArg) -> String {
    match arg {
        RecvArg::Var(v) => var(v),
        RecvArg::Const(n, _) => n.to_string(),
        RecvArg::Eval(e) => format!("eval({})", expr(e)),
    }
}

/// The text of an expression.
fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Const(n) => n.to_string(),
        ExprKind::Var(v) => var(v),
        ExprKind::Unary(op, a) => unary(*op, a),
        ExprKind::Binary(op, a, b) => format!("({}{}{})", expr(a), operator(*op), expr(b)),
        ExprKind::Cond(parts) => {
            let [c, a, b] = &**parts;
            format!("( ({}) -> ({}) : ({}) )", expr(c), expr(a), expr(b))
        }
        ExprKind::Channel(query, v) => format!("{}({})", query.name(), var(v)),
        ExprKind::Poll { channel, args, random } => {
            format!("{}{}[{}]", var(channel), if *random { "??" } else { "?" }, list(args, pattern))
        }
        ExprKind::Run { process, args, .. } => format!("run {}({})", process.text, list(args, expr)),
        ExprKind::Timeout => "timeout".to_string(),
        ExprKind::NonProgress => "np_".to_string(),
        ExprKind::Stdin => "STDIN".to_string(),
        ExprKind::Enabled(p) => format!("enabled({})", expr(p)),
        ExprKind::PcValue(p) => format!("pc_value({})", expr(p)),
        ExprKind::GetPriority(p) => format!("get_priority({})", expr(p)),
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("({}{}._p=={})", process.text, number(pid.as_deref()), label.text)
        }
        ExprKind::RemoteVar { process, pid, var: v } => {
            format!("{}{}.{}", process.text, number(pid.as_deref()), var(v))
        }
        ExprKind::Error => String::new(),
    }
}

fn unary(op: UnaryOp, a: &Expr) -> String {
    match (op, &a.kind) {
        (UnaryOp::Neg, ExprKind::Const(n)) => format!("-({n})"),
        _ => format!("{}({})", op.symbol(), expr(a)),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    op.symbol()
}

fn number(pid: Option<&Expr>) -> String {
    pid.map_or(String::new(), |p| format!("[{}]", expr(p)))
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
