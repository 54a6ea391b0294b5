//! Whether a statement touches more than the process that executes it, as SPIN's statement merging sees it.

use super::view::View;
use crate::promela::ast::{Expr, ExprKind, StmtKind, VarRef};

/// Whether a statement refers to a global variable, a channel or another process.
pub(super) fn is_global(kind: &StmtKind, view: View<'_, '_>) -> bool {
    match kind {
        StmtKind::Assign(v, e) => var(v, view) || expr(e, view),
        StmtKind::Increment(v) | StmtKind::Decrement(v) => var(v, view),
        StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => expr(e, view),
        StmtKind::Printf { args, .. } => args.iter().any(|e| expr(e, view)),
        _ => true,
    }
}

fn var(v: &VarRef, view: View<'_, '_>) -> bool {
    let Some(first) = v.parts.first() else { return true };
    let name = &*first.name.text;
    let own = matches!(name, "_pid" | "_" | "_priority") || view.constant_ref(v).is_some();
    let local = own || view.symbol(name).is_some_and(|(_, local)| local);
    !local
}

fn expr(e: &Expr, view: View<'_, '_>) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Stdin | ExprKind::Error | ExprKind::Run { .. } => false,
        ExprKind::Var(v) => var(v, view),
        ExprKind::Unary(_, a) => expr(a, view),
        ExprKind::Binary(_, a, b) => expr(a, view) || expr(b, view),
        ExprKind::Cond(parts) => parts.iter().any(|e| expr(e, view)),
        _ => true,
    }
}
