//! Process types: parameters, bodies, and which of them run from the start.

use std::collections::HashMap;

use kripke_model::ir::{Claim, Direction, Expr, Init, LocId, Location, Process, ProcessId, Start, Trace};

use super::build::{Builder, Exclusive};
use super::declarations::{Declared, When};
use super::elements::Body;
use super::emit::{Drawn, draw, shorten};
use super::environment::{Environment, Signature};
use super::frames::{Frame, Place};
use super::graph::graph;
use super::numbers::{Head, numbers};
use super::references::References;
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{self, ProcKind, Proctype};
use crate::promela::numbering::{self, Numbering};
use crate::source::Span;

/// Processes that may run at once.
const MAX_PROCESSES: usize = 255;

/// A process type whose elements are known.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    pub source: &'a Proctype,
    pub body: Body<'a>,
    pub claims: Vec<Exclusive<'a>>,
    pub unit: usize,
    /// SPIN's numbers for the body.
    pub head: Option<Head>,
}

/// A trace whose elements are known.
#[derive(Debug)]
pub(super) struct PendingTrace<'a> {
    pub body: Body<'a>,
    pub frame: Frame,
    pub negated: bool,
    pub unit: usize,
    pub span: Span,
    /// SPIN's numbers for the body.
    pub head: Option<Head>,
}

/// Declares a process type and takes its body apart into elements.
pub(super) fn declare<'a>(env: &mut Environment<'_>, source: &'a Proctype, unit: usize) -> Pending<'a> {
    if let Some(first) = env.taken(&source.name.text).filter(|_| source.kind != ProcKind::Init) {
        env.redeclared(&source.name, first);
    }
    let mut frame = Frame::new();
    for decl in &source.params {
        parameters(env, &mut frame, decl, unit);
    }
    let arity = frame.vars.len();
    let end = Span { start: source.span.end.saturating_sub(1).max(source.span.start), ..source.span };
    let mut builder = Builder::new(env, frame, unit);
    builder.body(&source.body, end);
    let Builder { frame, body, claims, .. } = builder;
    let (name, span) = (source.name.text.clone(), source.name.span);
    env.processes.push(Signature { name, span, arity, frame, labels: HashMap::new() });
    Pending { source, body, claims, unit, head: None }
}

fn parameters(env: &mut Environment<'_>, frame: &mut Frame, decl: &ast::Decl, unit: usize) {
    let Some(shape) = env.shape(&decl.ty, decl.span) else { return };
    for var in &decl.vars {
        let at = Place { scope: 0, declared: frame.symbols.len() };
        let taken = frame.find(&var.name.text, at).map(|s| s.span).or_else(|| env.taken(&var.name.text));
        if let Some(first) = taken {
            env.redeclared(&var.name, first);
            continue;
        }
        let view = View { env, frame: Some(frame), at, unit };
        let Some(Declared { mut symbol, vars, .. }) = view.declare(shape, var, When::Param, false) else { continue };
        symbol.first = frame.vars.len() as u32;
        frame.vars.extend(vars.into_iter().map(|(v, _)| v));
        frame.symbols.push(symbol);
    }
}

/// Takes the body of a trace apart into elements.
pub(super) fn declare_trace<'a>(
    env: &mut Environment<'_>,
    body: &'a ast::Block,
    negated: bool,
    (span, end): (Span, Span),
    unit: usize,
) -> PendingTrace<'a> {
    let mut builder = Builder::new(env, Frame::new(), unit);
    builder.trace = true;
    builder.body(body, end);
    let Builder { frame, body, .. } = builder;
    PendingTrace { body, frame, negated, unit, span, head: None }
}

/// Draws the graphs of all process types, and so learns where their labels are.
pub(super) fn draw_all<'a>(
    env: &mut Environment<'_>,
    pending: Vec<Pending<'a>>,
    references: &References,
) -> Option<Vec<(Pending<'a>, Drawn<'a>)>> {
    let mut out = Vec::new();
    let mut complete = true;
    let mut broken = Vec::new();
    for (i, mut process) in pending.into_iter().enumerate() {
        let name = &env.processes[i].name;
        for remote in references.labels.iter().filter(|l| l.process == *name) {
            process.body.make_visible(&remote.label);
        }
        let mut body = std::mem::replace(&mut process.body, Body::new());
        let Some(mut graph) = graph(&mut body, &env.processes[i].frame, env) else {
            complete = false;
            env.processes[i].labels = body.labels.iter().map(|l| (l.name.clone(), None)).collect();
            process.body = body;
            broken.push((i, process));
            continue;
        };
        let shortened = !env.options.every_step && !env.uses.priorities && !env.uses.numbers;
        if process.source.provided.is_none() && shortened {
            shorten(&body, &mut graph);
        }
        let drawn = draw(body, graph, env.uses.numbers);
        env.processes[i].labels = drawn.labels();
        out.push((process, drawn));
    }
    // A process without a graph is checked nevertheless, to report its other errors.
    for (i, process) in broken {
        let frame = &env.processes[i].frame;
        for element in &process.body.elements {
            View { env, frame: Some(frame), at: element.at, unit: process.unit }.action(element);
        }
    }
    complete.then_some(out)
}

/// The finished process type, and its numbers.
pub(super) fn finish(
    env: &Environment<'_>,
    id: usize,
    pending: &Pending<'_>,
    drawn: &Drawn<'_>,
) -> (Process, numbering::Body) {
    let signature = &env.processes[id];
    let frame = &signature.frame;
    let at = Place { scope: 0, declared: frame.symbols.len() };
    let head = View { env, frame: Some(frame), at, unit: pending.unit };
    let emitted = drawn.emit(frame, head);
    let body = pending.head.clone().map(|start| numbers(start, drawn, &emitted, head)).unwrap_or_default();
    let process = Process {
        name: signature.name.clone(),
        params: signature.arity,
        locals: frame.vars.clone(),
        locations: emitted.locations,
        edges: emitted.edges,
        entry: drawn.entry(),
        provided: pending.source.provided.as_ref().map(|e| head.expr(e)),
        priority: 1,
        claims: exclusive(env, frame, pending),
        span: pending.source.span,
    };
    (process, body)
}

fn exclusive(env: &Environment<'_>, frame: &Frame, pending: &Pending<'_>) -> Vec<Claim> {
    let mut out = Vec::new();
    for claim in &pending.claims {
        let view = View { env, frame: Some(frame), at: claim.at, unit: pending.unit };
        let Some(reference) = view.whole(claim.channel) else { continue };
        if !reference.is_channel() {
            env.error(claim.channel.span, "only a channel can be claimed", "not a channel");
            continue;
        }
        if !reference.place.index.is_empty() || reference.symbol.is_some_and(|s| s.len.is_some()) {
            let help = "give it a name first: `chan c = q[3]; xr c`";
            let what = "an element of an array can't be claimed";
            env.report(Diagnostic::error(claim.channel.span, what, "part of an array").help(help));
            continue;
        }
        let direction = if claim.send { Direction::Send } else { Direction::Receive };
        out.push(Claim { direction, channel: Expr::Load(reference.place), span: claim.channel.span });
    }
    out
}

/// The processes that run from the start, in the order of the text.
pub(super) fn starts(env: &Environment<'_>, pending: &[(Pending<'_>, Drawn<'_>)]) -> Vec<Start> {
    let mut out: Vec<Start> = Vec::new();
    for (i, (process, _)) in pending.iter().enumerate() {
        let source = process.source;
        let view = env.outside(process.unit);
        let count = match (&source.active, source.kind) {
            (_, ProcKind::Init) => 1,
            (None, _) => 0,
            (Some(n), _) => view.constant_value(n, "the number of processes").unwrap_or(0).max(0) as usize,
        };
        if out.len() + count > MAX_PROCESSES {
            let message = format!("at most {MAX_PROCESSES} processes can run");
            env.error(source.name.span, message, format!("{} at the start", out.len() + count));
            break;
        }
        let priority = source.priority.as_ref().and_then(|p| view.constant_value(p, "a priority")).unwrap_or(1);
        if !(1..=255).contains(&priority) {
            env.error(source.name.span, "a priority is a number from 1 to 255", format!("{priority} is not"));
        }
        let args = vec![Expr::Const(0); env.processes[i].arity];
        let start = Start { process: ProcessId(i as u32), args, priority };
        out.extend(std::iter::repeat_n(start, count));
    }
    out
}

/// The finished trace automaton.
pub(super) fn finish_trace(
    env: &Environment<'_>,
    mut pending: PendingTrace<'_>,
    numbering: &mut Numbering,
) -> Option<Trace> {
    let graph = graph(&mut pending.body, &pending.frame, env)?;
    let drawn = draw(pending.body, graph, false);
    let inside = View { frame: Some(&pending.frame), ..env.outside(pending.unit) };
    let emitted = drawn.emit(&pending.frame, inside);
    numbering.trace = pending.head.map(|start| numbers(start, &drawn, &emitted, inside));
    // A trace that never ends has no location for its closing brace; an unreachable one stands for it.
    let mut locations = emitted.locations;
    let end = drawn.end().unwrap_or_else(|| {
        locations.push(Location::default());
        LocId(locations.len() as u32 - 1)
    });
    let automaton = Process {
        name: if pending.negated { "notrace".into() } else { "trace".into() },
        params: 0,
        locals: pending.frame.vars.clone(),
        locations,
        edges: emitted.edges,
        entry: drawn.entry(),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span: pending.span,
    };
    Some(Trace { automaton, negated: pending.negated, end })
}

/// A condition on enabled processes has no clear meaning in a rendezvous, in which two processes move at once.
pub(super) fn check_rendezvous(env: &Environment<'_>) {
    let Some(channel) = env.channels.iter().find(|c| c.capacity == 0) else { return };
    let here = format!("`{}` is one", channel.name);
    if env.uses.priorities {
        env.error(channel.span, "priorities can't be combined with rendezvous channels", here);
    } else if env.uses.enabled {
        env.error(channel.span, "`enabled()` can't be combined with rendezvous channels", here);
    }
}

/// Channels exist from the start of their process: all that are declared must be numbered in a byte.
pub(super) fn count_channels(env: &Environment<'_>) {
    let locals = env.processes.iter().flat_map(|p| &p.frame.vars);
    let mut total = 0;
    for var in env.vars.iter().chain(locals) {
        if matches!(var.init, Init::Channels(_)) {
            total += var.len();
            if total > 255 {
                return env.error(var.span, "at most 255 channels can be declared", format!("{total} up to here"));
            }
        }
    }
}
