//! Never claims: automata that look on while the processes move.
//!
//! A claim moves first, then the system. What it does to variables is therefore the same as in a model whose observer
//! moves last only if the processes neither see nor touch those variables.

use std::collections::HashSet;

use kripke_model::ir::{Edge, Effect, Expr, Observer, Place, Process, VarId, VarRef};

use super::build::Builder;
use super::elements;
use super::emit::draw;
use super::environment::Environment;
use super::frames::Frame;
use super::graph::graph;
use super::numbers::{Head, numbers};
use super::references::References;
use super::unfold::{Trouble, unfold};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::Block;
use crate::promela::numbering::Body;
use crate::source::Span;

/// A claim whose elements are known.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    pub body: elements::Body<'a>,
    frame: Frame,
    unit: usize,
    span: Span,
    /// SPIN's numbers for the body.
    pub head: Option<Head>,
}

/// Takes the body of a claim apart into elements.
pub(super) fn declare<'a>(
    env: &mut Environment<'_>,
    body: &'a Block,
    (span, end): (Span, Span),
    unit: usize,
) -> Pending<'a> {
    let mut builder = Builder::new(env, Frame::new(), unit);
    builder.body(body, end);
    let Builder { frame, mut body, .. } = builder;
    body.watches = true;
    Pending { body, frame, unit, span, head: None }
}

/// The finished observer and its numbers; none, with a warning, if the claim does what an observer can't.
pub(super) fn finish(
    env: &Environment<'_>,
    mut pending: Pending<'_>,
    name: &str,
    references: &References,
) -> Option<(Observer, Body)> {
    let graph = graph(&mut pending.body, &pending.frame, env)?;
    let drawn = draw(pending.body, graph, false);
    let emitted = drawn.emit(&pending.frame, env.outside(pending.unit));
    if env.failed() {
        return None;
    }
    let unfolded = unfold(emitted).and_then(|emitted| {
        let changed = changed(env, &emitted.edges, references)?;
        Ok((emitted, changed))
    });
    let (emitted, changed) = match unfolded {
        Ok(unfolded) => unfolded,
        Err(Trouble { span, why }) => {
            env.report(Diagnostic::warning(span, "this claim can't be checked", why));
            return None;
        }
    };
    if let Some((var, span)) = changed {
        let here = format!("changes `{}`", env.vars[var.index()].name);
        env.report(Diagnostic::warning(span, "a claim with side effects", here));
    }
    let head = pending.head.map(|start| numbers(start, &drawn, &emitted, env.outside(pending.unit)));
    let automaton = Process {
        name: name.to_string(),
        params: 0,
        locals: Vec::new(),
        locations: emitted.locations,
        edges: emitted.edges,
        entry: drawn.entry(),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span: pending.span,
    };
    let observer = Observer { automaton, stutters: true, labels: true, marks: Vec::new() };
    Some((observer, head.unwrap_or_default()))
}

/// A variable that the claim changes, and where. It is trouble if the order of the claim's step and the system's can
/// make a difference.
fn changed(env: &Environment<'_>, edges: &[Edge], references: &References) -> Result<Option<(VarId, Span)>, Trouble> {
    let assignments = || {
        let all = |edge: &'_ Edge| edge.effects.iter().map(|e| (e.clone(), edge.span)).collect::<Vec<_>>();
        edges.iter().flat_map(all).filter_map(|(effect, span)| match effect {
            Effect::Assign(Place { var: VarRef::Global(var), index }, value) => Some((var, index, value, span)),
            _ => None,
        })
    };
    let own: HashSet<VarId> = assignments().map(|(var, ..)| var).collect();
    for (var, index, value, span) in assignments() {
        let name = &env.vars[var.index()].name;
        let whole = name.split('.').next().unwrap_or(name);
        if references.mentioned.contains(whole) {
            return Err(Trouble { span, why: format!("it changes `{name}`, which processes use, too") });
        }
        if !index.iter().chain([&value]).all(|e| depends_on(e, &own)) {
            return Err(Trouble { span, why: format!("it stores in `{name}` what depends on the system") });
        }
    }
    Ok(assignments().next().map(|(var, _, _, span)| (var, span)))
}

/// Whether the value consists of these variables only.
fn depends_on(expr: &Expr, own: &HashSet<VarId>) -> bool {
    match expr {
        Expr::Const(_) => true,
        Expr::Load(Place { var: VarRef::Global(var), index }) => {
            own.contains(var) && index.iter().all(|e| depends_on(e, own))
        }
        Expr::Unary(_, a) => depends_on(a, own),
        Expr::Binary(_, a, b) => depends_on(a, own) && depends_on(b, own),
        Expr::Cond(parts) => parts.iter().all(|e| depends_on(e, own)),
        _ => false,
    }
}
