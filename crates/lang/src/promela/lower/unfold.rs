//! Every step of a claim as one edge.
//!
//! In an atomic sequence a claim takes several steps while the system waits, and if it can't go on, it could as well
//! not have started. Such a sequence is one edge for every way through it, guarded by all its guards. Nothing is
//! stored on the way.

use kripke_model::ir::{BinaryOp, Edge, EdgeId, Effect, Expr, Guard, LocId, Location, Then, UnaryOp};

use super::emit::Emitted;
use crate::source::Span;

/// Ways through the atomic sequences of a claim, taken together.
const MAX_WAYS: usize = 10_000;
/// Steps of one atomic sequence, and edges of a location in it: guards are nested that deeply.
const MAX_NESTED: usize = 200;

/// Why a claim can't be an observer.
#[derive(Debug)]
pub(super) struct Trouble {
    pub span: Span,
    pub why: String,
}

/// The claim with plain edges only. It does not print, and it stays at its end.
pub(super) fn unfold(claim: Emitted) -> Result<Emitted, Trouble> {
    let mut unfolding = Unfolding { claim: &claim, edges: Vec::new(), executes: Vec::new() };
    let mut locations = claim.locations.clone();
    for (i, location) in locations.iter_mut().enumerate() {
        let first = unfolding.edges.len();
        unfolding.ways(LocId(i as u32), None, &mut Vec::new())?;
        location.edges = (first..unfolding.edges.len()).map(|e| EdgeId(e as u32)).collect();
    }
    Ok(Emitted { locations, edges: unfolding.edges, executes: unfolding.executes })
}

struct Unfolding<'e> {
    claim: &'e Emitted,
    edges: Vec<Edge>,
    executes: Vec<Vec<u32>>,
}

/// The steps of an atomic sequence so far.
struct Before {
    edge: Edge,
    executes: Vec<u32>,
}

impl Unfolding<'_> {
    /// All ways on from a location, after `before`. `path` are the locations passed since the sequence began.
    fn ways(&mut self, at: LocId, before: Option<&Before>, path: &mut Vec<LocId>) -> Result<(), Trouble> {
        let claim = self.claim;
        let location = &claim.locations[at.index()];
        let plain = before.is_none() && is_plain(claim, location);
        if path.len() > MAX_NESTED || (!plain && location.edges.len() > MAX_NESTED) {
            let span = before.map_or_else(|| location_span(claim, location), |before| before.edge.span);
            return trouble(span, "an atomic sequence in it is too long");
        }
        for (i, id) in location.edges.iter().enumerate() {
            let edge = &claim.edges[id.index()];
            if matches!(edge.guard, Guard::Youngest) {
                continue;
            }
            let mut edge = single(edge)?;
            if !plain {
                edge.guard = explicit(claim, location, i);
                edge.level = 0;
            }
            let mut executes = claim.executes[id.index()].clone();
            if let Some(before) = before {
                edge = after(&before.edge, edge)?;
                executes.splice(0..0, before.executes.iter().copied());
            }
            if edge.then == Then::Yield {
                self.edges.push(edge);
                self.executes.push(executes);
            } else {
                let target = edge.target;
                if path.contains(&target) {
                    return trouble(edge.span, "an atomic sequence in it has no end");
                }
                path.push(target);
                self.ways(target, Some(&Before { edge, executes }), path)?;
                path.pop();
            }
            if self.edges.len() > MAX_WAYS {
                return trouble(location_span(claim, location), "there are too many ways through its atomic sequences");
            }
        }
        Ok(())
    }
}

fn trouble<T>(span: Span, why: &str) -> Result<T, Trouble> {
    Err(Trouble { span, why: why.to_string() })
}

fn location_span(claim: &Emitted, location: &Location) -> Span {
    claim.edges[location.edges[0].index()].span
}

/// Whether the guards of a location can stay as they are.
fn is_plain(claim: &Emitted, location: &Location) -> bool {
    location.edges.iter().all(|id| {
        let edge = &claim.edges[id.index()];
        edge.then == Then::Yield && edge.level == 0
    })
}

/// An edge without what doesn't matter, if an observer can take it.
fn single(edge: &Edge) -> Result<Edge, Trouble> {
    let mut edge = edge.clone();
    if edge.chain.is_some() {
        return trouble(edge.span, "it has a `d_step`");
    }
    edge.effects.retain(|e| !matches!(e, Effect::Print(_)));
    let changes = |e: &Effect| !matches!(e, Effect::Assign(..) | Effect::Assert(_) | Effect::Require { .. });
    if edge.effects.iter().any(changes) {
        return trouble(edge.span, "it does more than assign");
    }
    Ok(edge)
}

/// The condition under which an edge is taken, independent of the other edges of its location.
fn explicit(claim: &Emitted, location: &Location, nth: usize) -> Guard {
    let edge = |i: usize| &claim.edges[location.edges[i].index()];
    let own = edge(nth);
    let is_else = |e: &Edge| matches!(e.guard, Guard::Else);
    let wins = |i: &usize| match is_else(own) {
        true => !is_else(edge(*i)),
        false => edge(*i).level < own.level,
    };
    let condition = |e: &Edge| match &e.guard {
        Guard::When(condition) => Some(condition.clone()),
        _ => None,
    };
    let mut all = if is_else(own) { None } else { condition(own) };
    for winner in (0..location.edges.len()).filter(wins) {
        let holds = condition(edge(winner)).unwrap_or(Expr::Const(1));
        all = and(all, Some(Expr::Unary(UnaryOp::Not, Box::new(holds))));
    }
    all.map_or(Guard::Always, Guard::When)
}

fn and(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Expr::binary(BinaryOp::And, a, b)),
        (a, b) => a.or(b),
    }
}

/// One edge for two steps.
fn after(before: &Edge, edge: Edge) -> Result<Edge, Trouble> {
    let condition = |guard: &Guard| match guard {
        Guard::When(condition) => Some(condition.clone()),
        _ => None,
    };
    let waits = condition(&edge.guard);
    let assigns = before.effects.iter().any(|e| matches!(e, Effect::Assign(..)));
    if (waits.is_some() && !before.effects.is_empty()) || (assigns && !edge.effects.is_empty()) {
        return trouble(edge.span, "an atomic sequence in it goes on after an assignment or an assertion");
    }
    let guard = and(condition(&before.guard), waits).map_or(Guard::Always, Guard::When);
    let effects = before.effects.iter().chain(&edge.effects).cloned().collect();
    let label = if edge.label == "(end)" { before.label.clone() } else { format!("{}; {}", before.label, edge.label) };
    Ok(Edge { guard, effects, label, span: before.span, inside: before.inside.clone(), ..edge })
}
