//! From the graph of a body to the locations and edges of the model.

use std::collections::HashMap;

use kripke_model::ir::{ChannelQuery, Edge, EdgeId, Expr, Guard, LocId, Location, Sync, Then};

use super::actions::Action;
use super::chains::Ending;
use super::elements::{Body, ElementId, Kind};
use super::environment::Environment;
use super::frames::Frame;
use super::graph::{Graph, Step};
use super::view::View;
use crate::promela::ast::StmtKind;

/// Jumps passed over between two steps.
pub(super) const MAX_HOPS: usize = 500;

/// A body whose graph is known.
#[derive(Debug)]
pub(super) struct Drawn<'a> {
    pub body: Body<'a>,
    pub graph: Graph,
    /// The location each number became.
    pub locations: HashMap<u32, LocId>,
    /// The number of locations outside indivisible sequences; those inside come after them.
    pub count: usize,
}

/// The finished graph of a process.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    /// The numbers of the elements that each edge executes.
    pub executes: Vec<Vec<u32>>,
}

/// Passes over joints and jumps that an atomic sequence would stop at only to do nothing. Not where it makes a
/// difference that the process could be interrupted there, as it is after a send: a rendezvous gives control away.
pub(super) fn shorten(body: &Body<'_>, graph: &mut Graph) {
    let old = graph.steps.clone();
    let sends = |e: ElementId| matches!(&body.elements[e].kind, Kind::Step(s) if matches!(**s, StmtKind::Send { .. }));
    for step in graph.steps.iter_mut().flatten().filter(|step| !sends(step.element)) {
        for _ in 0..MAX_HOPS {
            let next = match &old[step.to as usize][..] {
                [only] if step.keeps => only,
                _ => break,
            };
            if !matches!(body.elements[next.element].kind, Kind::Joint | Kind::Exit | Kind::Goto(_)) {
                break;
            }
            (step.to, step.keeps) = (next.to, next.keeps);
        }
    }
}

/// Numbers the locations that can be reached. With `keep_numbers`, every location has the number SPIN gives it.
pub(super) fn draw<'a>(body: Body<'a>, graph: Graph, keep_numbers: bool) -> Drawn<'a> {
    let mut reached = vec![false; graph.steps.len()];
    let mut work = vec![graph.entry];
    while let Some(number) = work.pop() {
        if !std::mem::replace(&mut reached[number as usize], true) {
            work.extend(graph.steps[number as usize].iter().map(|s| s.to).filter(|to| *to != 0));
        }
    }
    let mut locations = HashMap::new();
    for number in 0..graph.steps.len() as u32 {
        if keep_numbers || reached[number as usize] {
            locations.insert(number, LocId(locations.len() as u32));
        }
    }
    let count = locations.len();
    Drawn { body, graph, locations, count }
}

impl Drawn<'_> {
    /// The locations of the labels, as other processes see them; of several with one name, the first.
    pub fn labels(&self) -> HashMap<String, Option<LocId>> {
        let mut out = HashMap::new();
        for label in &self.body.labels {
            let number = self.body.elements[label.element].number;
            out.entry(label.name.clone()).or_insert(self.locations.get(&number).copied());
        }
        out
    }

    pub fn entry(&self) -> LocId {
        self.locations[&self.graph.entry]
    }

    /// The location of the closing brace.
    pub fn end(&self) -> Option<LocId> {
        let last = self.body.sequences[self.body.root].last?;
        self.locations.get(&self.body.elements[last].number).copied()
    }

    /// Statements mean what they mean in `view`, wherever they stand in it.
    pub fn emit(&self, frame: &Frame, view: View<'_, '_>) -> Emitted {
        let actions = self.body.elements.iter().map(|element| View { at: element.at, ..view }.action(element));
        let actions = actions.collect();
        let out = Emitted { locations: vec![Location::default(); self.count], ..Emitted::default() };
        let env = view.env;
        let mut emitter = Emitter { drawn: self, frame, env, actions, out, chains: HashMap::new(), unfinished: vec![] };
        emitter.locations();
        emitter.out
    }
}

pub(super) struct Emitter<'x, 'a, 'd> {
    pub drawn: &'x Drawn<'a>,
    pub frame: &'x Frame,
    pub env: &'x Environment<'d>,
    pub actions: Vec<Action>,
    pub out: Emitted,
    /// Locations inside indivisible sequences.
    pub chains: HashMap<ElementId, LocId>,
    /// Locations without edges so far.
    pub unfinished: Vec<(ElementId, LocId)>,
}

impl Emitter<'_, '_, '_> {
    fn locations(&mut self) {
        let drawn = self.drawn;
        for label in &drawn.body.labels {
            let number = drawn.body.elements[label.element].number;
            if let Some(location) = drawn.locations.get(&number) {
                self.out.locations[location.index()].labels.push(label.name.clone());
            }
        }
        let mut numbers: Vec<(&u32, &LocId)> = drawn.locations.iter().collect();
        numbers.sort();
        for (number, location) in numbers {
            let marks = drawn.graph.marks[*number as usize];
            let place = &mut self.out.locations[location.index()];
            (place.end, place.accept, place.progress) = (marks.end, marks.accept, marks.progress);
            for step in &drawn.graph.steps[*number as usize] {
                self.step(*location, step);
            }
        }
    }

    pub fn push(&mut self, from: LocId, edge: Edge, element: Option<ElementId>) {
        let id = EdgeId(self.out.edges.len() as u32);
        self.out.edges.push(edge);
        self.out.executes.push(element.map(|e| self.drawn.body.elements[e].number).into_iter().collect());
        self.out.locations[from.index()].edges.push(id);
    }

    fn step(&mut self, from: LocId, step: &Step) {
        let target = self.drawn.locations.get(&step.to).copied().unwrap_or(from);
        let then = if step.keeps { Then::Keep } else { Then::Yield };
        let mut edge = self.edge(step.element, target, then);
        edge.level = step.level;
        if matches!(self.drawn.body.elements[step.element].kind, Kind::DStep) {
            for edge in self.indivisible(edge, step.element, Ending { target, then }) {
                self.push(from, edge, Some(step.element));
            }
        } else {
            let lost = self.lost(&edge);
            self.push(from, edge, Some(step.element));
            if let Some(lost) = lost {
                self.push(from, lost, Some(step.element));
            }
        }
    }

    /// The step of a send whose message is lost since the channel is full.
    pub fn lost(&self, edge: &Edge) -> Option<Edge> {
        let Some(Sync::Send { channel, .. }) = edge.sync.as_ref().filter(|_| self.env.options.lossy) else {
            return None;
        };
        let full = Expr::Channel(ChannelQuery::Full, Box::new(channel.clone()));
        Some(Edge { guard: Guard::When(full), sync: None, ..edge.clone() })
    }

    pub fn edge(&self, e: ElementId, target: LocId, then: Then) -> Edge {
        let element = &self.drawn.body.elements[e];
        let Action { guard, sync, effects } = self.actions[e].clone();
        let label = match element.kind {
            Kind::Joint | Kind::Exit => String::from("(end)"),
            _ => element.text.clone(),
        };
        let (span, inside) = (element.span, element.inside.clone());
        Edge { level: 0, guard, sync, effects, chain: None, target, then, span, inside, label }
    }
}
