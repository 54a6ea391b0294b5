//! Claims and formulas as properties, and what may not stand in them.

use kripke_model::ir::{Expr, Property, PropertyKind};

use super::environment::Environment;
use super::view::is_predefined;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, Block, Name, StmtKind};
use crate::source::Span;

/// Words with a meaning of their own in a formula.
const WORDS: [&str; 32] = [
    "true",
    "false",
    "always",
    "eventually",
    "until",
    "stronguntil",
    "weakuntil",
    "release",
    "implies",
    "equivalent",
    "next",
    "U",
    "V",
    "W",
    "X",
    "R",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "enabled",
    "pc_value",
    "timeout",
    "get_priority",
    "skip",
    "run",
    "eval",
    "np_",
    "STDIN",
    "c_expr",
    "M",
];

pub(super) fn never(name: Option<&Name>, nth: usize, span: Span) -> Property {
    let name = name.map_or_else(|| format!("never_{nth}"), |n| n.text.clone());
    Property { name, kind: PropertyKind::Never, text: String::new(), formula: String::new(), observer: None, span }
}

pub(super) fn formula(name: Option<&Name>, nth: usize, (text, expanded): (&str, &str), span: Span) -> Property {
    let name = name.map_or_else(|| format!("ltl_{nth}"), |n| n.text.clone());
    Property {
        name,
        kind: PropertyKind::Ltl,
        text: text.to_string(),
        formula: expanded.to_string(),
        observer: None,
        span,
    }
}

/// Complains about statements that a claim can't have.
pub(super) fn check_never(env: &Environment<'_>, block: &Block) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| check_never(env, &o.body)),
            StmtKind::Atomic(b) | StmtKind::DStep(b) | StmtKind::Block(b) | StmtKind::Inline { body: b, .. } => {
                check_never(env, b);
            }
            StmtKind::Send { .. } | StmtKind::Receive { .. } => {
                env.error(stmt.span, "a claim can't send or receive", "it may only look");
            }
            StmtKind::Decl(_) => env.error(stmt.span, "a claim can't have variables of its own", "declared here"),
            _ => {}
        }
    }
}

/// A condition on states. No process evaluates it; all declarations are visible.
pub(super) fn condition(env: &Environment<'_>, condition: &ast::Expr) -> Expr {
    let lowered = env.outside(usize::MAX).expr(condition);
    let mut own = None;
    lowered.walk(&mut |e| match e {
        Expr::Pid => own = Some("`_pid` and `_priority` belong to a process"),
        Expr::Input => own = Some("nothing can be read from `STDIN` here"),
        _ => {}
    });
    if let Some(what) = own {
        env.error(condition.span, what, "no process judges this condition");
    }
    lowered
}

/// Complains about names in a formula that mean nothing.
pub(super) fn check_formula(env: &Environment<'_>, text: &str, span: Span) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    let mut before = ' ';
    let mut reported: Vec<&str> = Vec::new();
    while let Some(start) = rest.find(word) {
        before = rest[..start].trim_end().chars().next_back().unwrap_or(before);
        rest = &rest[start..];
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        rest = &rest[end..];
        let qualified = ['@', ':', '.'].contains(&before);
        before = ' ';
        let known = name.starts_with(|c: char| c.is_ascii_digit())
            || WORDS.contains(&name)
            || is_predefined(name)
            || env.taken(name).is_some();
        if !qualified && !known && !reported.contains(&name) {
            let message = format!("`{name}` is not declared");
            let mut diagnostic = Diagnostic::error(span, message, "used in this formula");
            let names = env.globals.iter().map(|s| s.name.as_str()).chain(env.constants.keys().map(String::as_str));
            if let Some(close) = env.closest(name, names) {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
            env.report(diagnostic);
            reported.push(name);
        }
    }
}
