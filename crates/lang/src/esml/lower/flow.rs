//! The graph of a process: locations and the steps between them.

use kripke_model::ir::{Edge, EdgeId, Effect, Expr, Guard, LocId, Location, Sync, Then};

use super::Lowering;
use super::values::not;
use crate::source::Span;

#[derive(Debug, Default)]
pub(super) struct Flow {
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
}

/// A step without its target.
#[derive(Debug)]
pub(super) struct Step {
    pub guard: Guard,
    pub sync: Option<Sync>,
    pub effects: Vec<Effect>,
    pub span: Span,
    pub label: String,
}

impl Flow {
    pub(super) fn location(&mut self) -> LocId {
        self.locations.push(Location::default());
        LocId(self.locations.len() as u32 - 1)
    }

    pub(super) fn step(&mut self, from: LocId, to: LocId, step: Step) {
        let Step { guard, sync, effects, span, label } = step;
        let id = EdgeId(self.edges.len() as u32);
        self.edges.push(Edge {
            level: 0,
            guard,
            sync,
            effects,
            chain: None,
            target: to,
            then: Then::Yield,
            span,
            inside: None,
            label,
        });
        self.locations[from.index()].edges.push(id);
    }
}

impl Lowering<'_> {
    /// A step that does nothing yet, labelled with its text.
    pub(super) fn step(&self, span: Span) -> Step {
        Step { guard: Guard::Always, sync: None, effects: Vec::new(), span, label: self.label(span) }
    }

    /// A step that is always a fault.
    pub(super) fn fault(&self, span: Span, guard: Guard, message: &str) -> Step {
        let effects = vec![require(Expr::Const(0), message)];
        Step { guard, effects, ..self.step(span) }
    }

    /// If `defined` is not certain, the fault of a `HEAD` without one.
    pub(super) fn headless(&self, span: Span, defined: Option<&Expr>) -> Option<Step> {
        Some(self.fault(span, Guard::When(not(defined?.clone())), NO_HEAD))
    }

    /// The text of a stretch of the source, on one line and without comments.
    pub(super) fn label(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let mut label = String::new();
        let (mut depth, mut rest) = (0usize, text);
        while let Some(c) = rest.chars().next() {
            let step = if rest.starts_with("(*") {
                depth += 1;
                2
            } else if depth > 0 && rest.starts_with("*)") {
                depth -= 1;
                label.push(' ');
                2
            } else {
                if depth == 0 {
                    label.push(c);
                }
                c.len_utf8()
            };
            rest = &rest[step..];
        }
        label.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

pub(super) const NO_HEAD: &str = "HEAD of an empty list";

pub(super) fn require(condition: Expr, message: &str) -> Effect {
    Effect::Require { condition, message: message.to_string() }
}
