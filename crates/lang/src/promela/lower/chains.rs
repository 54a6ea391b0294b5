//! `d_step`: one edge whose inside runs through locations of its own.
//!
//! Inside, the first executable option is taken. A choice that starts with a choice offers the options of both, as
//! everywhere else.

use kripke_model::ir::{BinaryOp, Edge, Expr, Guard, LocId, Location, Then};

use super::elements::{ElementId, Kind, SequenceId};
use super::emit::{Emitter, MAX_HOPS};
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::StmtKind;

/// The end of an indivisible sequence.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    pub target: LocId,
    pub then: Then,
}

impl Emitter<'_, '_, '_> {
    /// A whole `d_step`: usually one edge. Receives at its start are part of edges themselves, one each, so that
    /// somebody can offer a rendezvous.
    pub fn indivisible(&mut self, mut edge: Edge, e: ElementId, ending: Ending) -> Vec<Edge> {
        let body = &self.drawn.body;
        let inner = body.elements[e].subs[0];
        edge.label = self.chain_text(inner);
        let mut options = Vec::new();
        if let Some(first) = self.settle(body.first(inner)) {
            self.options(first, &mut options);
        }
        edge.guard = self.entry_guard(inner, &options);
        let receives = options.iter().all(|o| self.is_receive(*o));
        let split = receives && (options.len() == 1 || options.iter().all(|o| self.is_handshake(*o)));
        if options.is_empty() || !split {
            edge.chain = Some(self.chain(body.first(inner), ending));
            self.drain(ending);
            return vec![edge];
        }
        let mut edges = Vec::new();
        for option in options {
            let mut edge = edge.clone();
            edge.sync = self.actions[option].sync.clone();
            let rest = self.drawn.body.elements[option].next.and_then(|n| self.settle(n));
            edge.chain = rest.map(|rest| self.chain(rest, ending));
            self.drain(ending);
            edges.push(edge);
        }
        edges
    }

    fn is_receive(&self, e: ElementId) -> bool {
        matches!(&self.drawn.body.elements[e].kind, Kind::Step(s) if matches!(**s, StmtKind::Receive { .. }))
    }

    /// Whether a receive is from a channel declared as a rendezvous.
    fn is_handshake(&self, e: ElementId) -> bool {
        let element = &self.drawn.body.elements[e];
        let Kind::Step(statement) = &element.kind else { return false };
        let StmtKind::Receive { channel, .. } = &**statement else { return false };
        let view = View { env: self.env, frame: Some(self.frame), at: element.at, unit: usize::MAX };
        view.symbol(&channel.parts[0].name.text).is_some_and(|(s, _)| matches!(s.channel, Some((0, _))))
    }

    /// What an indivisible sequence waits for besides its own first step. Before a selection is entered, only those of
    /// its options are asked that wait for something (or can always go on by a condition); if there are none, it is
    /// entered.
    fn entry_guard(&self, inner: SequenceId, options: &[ElementId]) -> Guard {
        let kind = |e: ElementId| &self.drawn.body.elements[e].kind;
        if matches!(kind(self.drawn.body.first(inner)), Kind::Else) {
            return Guard::Else;
        }
        let mut conditions = Vec::new();
        let mut silent = false;
        for option in options {
            match (kind(*option), &self.actions[*option].guard) {
                (Kind::Step(s), Guard::When(c)) if matches!(**s, StmtKind::Expr(_)) => conditions.push(c.clone()),
                (Kind::Step(s), _) if matches!(**s, StmtKind::Send { .. } | StmtKind::Receive { .. }) => {
                    return Guard::Always;
                }
                (Kind::Skip | Kind::Else, _) => return Guard::Always,
                _ => silent = true,
            }
        }
        let all = conditions.into_iter().reduce(|a, b| Expr::binary(BinaryOp::Or, a, b));
        all.filter(|_| silent).map_or(Guard::Always, Guard::When)
    }

    fn chain_text(&self, sequence: SequenceId) -> String {
        let body = &self.drawn.body;
        let run = body.run(sequence, body.sequences[sequence].extent);
        let texts = run.into_iter().filter_map(|e| {
            let element = &body.elements[e];
            (!matches!(element.kind, Kind::Joint | Kind::Exit)).then_some(element.text.as_str())
        });
        texts.filter(|t| !t.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// The location inside an indivisible sequence from which `e` is executed.
    fn chain(&mut self, e: ElementId, ending: Ending) -> LocId {
        let Some(e) = self.settle(e) else { return self.chain_exit(ending) };
        if let Some(location) = self.chains.get(&e) {
            return *location;
        }
        let location = LocId(self.out.locations.len() as u32);
        self.out.locations.push(Location::default());
        self.chains.insert(e, location);
        self.unfinished.push((e, location));
        location
    }

    /// Gives the new locations their edges, which may lead to more of them.
    fn drain(&mut self, ending: Ending) {
        while let Some((e, location)) = self.unfinished.pop() {
            let mut options = Vec::new();
            self.options(e, &mut options);
            for option in options {
                self.chain_step(location, option, ending);
            }
        }
    }

    /// A sequence that has nothing to execute.
    fn chain_exit(&mut self, ending: Ending) -> LocId {
        let location = LocId(self.out.locations.len() as u32);
        self.out.locations.push(Location::default());
        let span = self.drawn.body.elements[0].span;
        let (target, then) = (ending.target, ending.then);
        let (guard, label) = (Guard::Always, String::new());
        let edge =
            Edge { level: 0, guard, sync: None, effects: vec![], chain: None, target, then, span, inside: None, label };
        self.push(location, edge, None);
        location
    }

    fn chain_step(&mut self, from: LocId, e: ElementId, ending: Ending) {
        let element = &self.drawn.body.elements[e];
        let next = match &element.kind {
            Kind::Goto(target) => self.drawn.body.target(target, element.at.scope, self.frame),
            _ => element.next,
        };
        let (target, then) = match next.and_then(|n| self.settle(n)) {
            Some(next) => (self.chain(next, ending), Then::Chain),
            None => (ending.target, ending.then),
        };
        let mut edge = self.edge(e, target, then);
        // The first executable option is taken, so `else` is executable if it is reached.
        if matches!(edge.guard, Guard::Else) {
            edge.guard = Guard::Always;
        }
        let lost = self.lost(&edge);
        self.push(from, edge, Some(e));
        if let Some(lost) = lost {
            self.push(from, lost, Some(e));
        }
    }

    /// The steps possible at an element: its own, or those its options start with.
    fn options(&self, e: ElementId, out: &mut Vec<ElementId>) {
        let body = &self.drawn.body;
        if !matches!(body.elements[e].kind, Kind::If | Kind::Do) {
            out.push(e);
            return;
        }
        for sub in &body.elements[e].subs {
            let mut at = body.first(*sub);
            loop {
                let element = &body.elements[at];
                at = match (&element.kind, element.next) {
                    (Kind::Joint, Some(next)) => next,
                    (Kind::Unless | Kind::Block, _) => body.first(element.subs[0]),
                    _ => break,
                };
            }
            self.options(at, out);
        }
    }

    /// The element executed when control comes to `e` inside an indivisible sequence; none if that ends it.
    fn settle(&self, e: ElementId) -> Option<ElementId> {
        let body = &self.drawn.body;
        let mut at = e;
        for _ in 0..MAX_HOPS {
            let element = &body.elements[at];
            if !element.indivisible {
                return None;
            }
            at = match &element.kind {
                Kind::Joint | Kind::Exit => element.next?,
                Kind::Goto(target) => body.target(target, element.at.scope, self.frame)?,
                Kind::Block | Kind::Unless => body.first(element.subs[0]),
                _ => return Some(at),
            };
        }
        let span = body.elements[e].span;
        self.env.report(Diagnostic::error(span, "these jumps only lead to each other", "an endless loop"));
        None
    }
}
