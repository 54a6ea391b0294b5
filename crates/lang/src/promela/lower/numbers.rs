//! What SPIN's listings and trails say about the statements of a body.

use std::collections::HashMap;

use kripke_model::ir::LocId;

use super::build::contains_run;
use super::comment::{Context, statement};
use super::elements::{Body, Element, ElementId, Kind, Target};
use super::emit::{Drawn, Emitted};
use super::global::is_global;
use super::graph::Graph;
use super::view::View;
use crate::promela::ast::StmtKind;
use crate::promela::numbering::{self, Merging, State};
use crate::source::Span;

/// The part of a body's name and place that its numbers depend on.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub name: String,
    pub init: bool,
    /// The number of the body among all bodies.
    pub unit: u32,
    /// The number of its first statement in the whole text.
    pub first: u32,
    /// One more than the highest number that the text itself gives; later ones have no number in the whole text.
    pub count: u32,
}

/// The numbers given so far in a text.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counter {
    bodies: u32,
    statements: u32,
}

impl Counter {
    /// The head of the next body of the text.
    pub fn head(&mut self, name: &str, init: bool, body: &Body<'_>) -> Head {
        let head =
            Head { name: name.to_string(), init, unit: self.bodies, first: self.statements, count: body.numbers };
        self.bodies += 1;
        self.statements += body.numbers - 1;
        head
    }
}

/// The numbers of a body.
pub(super) fn numbers(head: Head, drawn: &Drawn<'_>, emitted: &Emitted, view: View<'_, '_>) -> numbering::Body {
    let states = states(&drawn.body, &drawn.graph, &head, view);
    let Head { name, init, unit, .. } = head;
    let by_location: HashMap<LocId, u32> =
        drawn.locations.iter().map(|(number, location)| (*location, *number)).collect();
    let location = |i| by_location.get(&LocId(i as u32)).copied().unwrap_or(0);
    let locations = (0..emitted.locations.len()).map(location).collect();
    numbering::Body { name, init, unit, states, locations, edges: emitted.executes.clone() }
}

fn states(body: &Body<'_>, graph: &Graph, head: &Head, view: View<'_, '_>) -> Vec<State> {
    let mut states = vec![State::default(); body.numbers as usize];
    for (e, element) in body.elements.iter().enumerate() {
        let number = element.number as usize;
        let steps = graph.steps[number].iter().map(|step| body.elements[step.element].number).collect();
        states[number] = State {
            transition: if element.number < head.count { head.first + element.number - 1 } else { u32::MAX },
            kind: kind(element),
            text: text(body, e, view),
            span: graph.shown[number].map_or(place(element), |e| place(&body.elements[e])),
            place: place(element),
            steps,
            skipped: skipped(element) || graph.pulled[number],
            instead: graph.instead[number],
            end: graph.marks[number].end,
            merging: merging(body, e, view),
        };
    }
    let opens = |e: &&Element<'_>| matches!(e.kind, Kind::If | Kind::Do | Kind::Block | Kind::Atomic);
    for sequence in body.elements.iter().filter(opens).flat_map(|e| &e.subs) {
        let first = body.elements[body.first(*sequence)].number;
        states[first as usize].skipped = true;
    }
    states
}

fn kind(element: &Element<'_>) -> numbering::Kind {
    match element.kind {
        Kind::Step(_) | Kind::Nothing => numbering::Kind::Statement,
        Kind::Skip | Kind::Else => numbering::Kind::Generic,
        Kind::Goto(_) | Kind::Joint | Kind::Exit => numbering::Kind::Jump,
        Kind::DStep => numbering::Kind::Indivisible,
        Kind::End => numbering::Kind::End,
        Kind::If | Kind::Do | Kind::Unless | Kind::Block | Kind::Atomic => numbering::Kind::Structure,
    }
}

/// Statements without code of their own need not be reached.
fn skipped(element: &Element<'_>) -> bool {
    matches!(element.kind, Kind::Skip | Kind::Else | Kind::Goto(_) | Kind::Joint | Kind::Exit)
}

/// The part of an element in statement merging: what is local, or inside an atomic sequence, and has no label and no escape.
fn merging(body: &Body<'_>, e: ElementId, view: View<'_, '_>) -> Merging {
    let element = &body.elements[e];
    let names = View { at: element.at, ..view };
    let local = |kind: &StmtKind| element.in_atomic() || !is_global(kind, names);
    if !element.escapes.is_empty() {
        return Merging::Alone;
    }
    let inside = match &element.kind {
        Kind::Goto(_) | Kind::Joint | Kind::Exit => true,
        Kind::Step(step) => match &**step {
            StmtKind::Expr(e) if contains_run(e) => return Merging::Alone,
            StmtKind::Send { .. } if view.env.channels.iter().any(|c| c.capacity == 0) => return Merging::Alone,
            kind @ (StmtKind::Expr(_) | StmtKind::Send { .. } | StmtKind::Receive { .. }) => {
                return if local(kind) { Merging::Start } else { Merging::Alone };
            }
            StmtKind::SetPriority(..) => false,
            kind => local(kind),
        },
        Kind::Skip => return Merging::Start,
        _ => false,
    };
    let labelled = body.labels.iter().any(|label| label.element == e);
    if inside && !labelled { Merging::Inside } else { Merging::Alone }
}

/// The place whose line SPIN gives a statement: that of its first variable, or of the last operand of an expression.
fn place(element: &Element<'_>) -> Option<Span> {
    let end = |span: Span| Span { start: span.end.saturating_sub(1).max(span.start), ..span };
    let step = match &element.kind {
        Kind::Step(step) => step,
        Kind::End => return Some(end(element.span)),
        _ => return Some(element.within.map_or(element.span, |(first, _)| first)),
    };
    if let Some((first, last)) = element.within {
        let condition = matches!(**step, StmtKind::Expr(_) | StmtKind::Assert(_));
        return Some(if condition { last } else { first });
    }
    Some(match &**step {
        StmtKind::Assign(var, _) | StmtKind::Increment(var) | StmtKind::Decrement(var) => var.span,
        StmtKind::Send { channel, .. } | StmtKind::Receive { channel, .. } => channel.span,
        StmtKind::Expr(e) | StmtKind::Assert(e) => super::comment::last(e),
        _ => element.span,
    })
}

fn text(body: &Body<'_>, e: ElementId, view: View<'_, '_>) -> String {
    let element = &body.elements[e];
    match &element.kind {
        Kind::Step(step) => statement(step, Context { view: View { at: element.at, ..view } }),
        Kind::Skip => "(1)".to_string(),
        Kind::Nothing => String::new(),
        Kind::Else => "else".to_string(),
        Kind::Goto(Target::Label(label)) => format!("goto {label}"),
        Kind::Goto(Target::Break(exit)) => format!("goto :b{exit}"),
        Kind::Joint => ".(goto)".to_string(),
        Kind::Exit => "break".to_string(),
        Kind::If => "IF".to_string(),
        Kind::Do => "DO".to_string(),
        Kind::Unless => "unless".to_string(),
        Kind::Block => "sub-sequence".to_string(),
        Kind::Atomic => "ATOMIC".to_string(),
        Kind::DStep => "D_STEP".to_string(),
        Kind::End => "-end-".to_string(),
    }
}
