//! Expressions as text, for the labels of implicit steps (`for`, `select`, declarations).

use crate::promela::ast::{Expr, ExprKind, RecvArg, VarRef};

pub(super) fn var(v: &VarRef) -> String {
    let parts = v.parts.iter().map(|p| match &p.index {
        Some(index) => format!("{}[{}]", p.name.text, expr(index)),
        None => p.name.text.clone(),
    });
    parts.collect::<Vec<_>>().join(".")
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Const(n) => n.to_string(),
        ExprKind::Var(v) => var(v),
        ExprKind::Unary(op, a) => format!("{}{}", op.symbol(), operand(a)),
        ExprKind::Binary(op, a, b) => format!("{}{}{}", operand(a), op.symbol(), operand(b)),
        ExprKind::Cond(parts) => {
            let [c, a, b] = &**parts;
            format!("({} -> {} : {})", expr(c), expr(a), expr(b))
        }
        ExprKind::Channel(q, v) => format!("{}({})", q.name(), var(v)),
        ExprKind::Poll { channel, args, random } => {
            let args: Vec<String> = args.iter().map(pattern).collect();
            format!("{}{}[{}]", var(channel), if *random { "??" } else { "?" }, args.join(","))
        }
        ExprKind::Run { process, args, .. } => {
            let args: Vec<String> = args.iter().map(expr).collect();
            format!("run {}({})", process.text, args.join(","))
        }
        ExprKind::Timeout => "timeout".into(),
        ExprKind::NonProgress => "np_".into(),
        ExprKind::Stdin => "STDIN".into(),
        ExprKind::Enabled(p) => format!("enabled({})", expr(p)),
        ExprKind::PcValue(p) => format!("pc_value({})", expr(p)),
        ExprKind::GetPriority(p) => format!("get_priority({})", expr(p)),
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("{}{}@{}", process.text, number(pid.as_deref()), label.text)
        }
        ExprKind::RemoteVar { process, pid, var: v } => {
            format!("{}{}:{}", process.text, number(pid.as_deref()), var(v))
        }
        ExprKind::Error => "?".into(),
    }
}

fn number(pid: Option<&Expr>) -> String {
    pid.map_or(String::new(), |p| format!("[{}]", expr(p)))
}

fn pattern(arg: &RecvArg) -> String {
    match arg {
        RecvArg::Var(v) => var(v),
        RecvArg::Const(n, _) => n.to_string(),
        RecvArg::Eval(e) => format!("eval({})", expr(e)),
    }
}

fn operand(e: &Expr) -> String {
    match e.kind {
        ExprKind::Binary(..) => format!("({})", expr(e)),
        _ => expr(e),
    }
}
