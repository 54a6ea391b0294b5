//! From an automaton over propositions to an observer over a model's conditions.

use kripke_model::ir::{self, BinaryOp, EdgeId, Expr, LocId, Location, Observer, Process, Then};

use crate::automaton::{Buchi, Generalised, MarkedEdge, State, StateId};
use crate::formula::{Node, Unary};
use crate::guard::{Cube, Guard};
use crate::parse::Ltl;
use crate::state::not;

/// What an observer is made for.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    pub name: &'a str,
    /// What is to blame in the model's text.
    pub span: ir::Span,
    /// Where the system can't move, its last state lasts for ever.
    pub stutters: bool,
    /// A run is lost as soon as nothing can save it. Otherwise it has to go on for ever as it must, which can take more
    /// than that.
    pub at_once: bool,
}

/// An observer that accepts what the automaton accepts. `conditions` are its propositions, in the order of their numbers.
///
/// From an accepting state that allows everything for ever nothing can save a run: where every finite run counts as one
/// that goes on, such a state is an [end](Location::end), and reaching it is all that has to be looked for.
pub fn observer(automaton: &Buchi, conditions: &[Expr], watch: Watch<'_>) -> Observer {
    let (mut locations, mut edges) = (Vec::new(), Vec::new());
    for (number, state) in automaton.states.iter().enumerate() {
        let lost = watch.at_once && watch.stutters && state.accepting && is_universal(state, number);
        let mut location = Location { accept: state.accepting && !lost, end: lost, ..Location::default() };
        for edge in &state.edges {
            location.edges.push(EdgeId(edges.len() as u32));
            edges.push(step(guard(&edge.guard, conditions), edge.to, watch));
        }
        locations.push(location);
    }
    finish(locations, edges, automaton.initial, watch)
}

/// The same for an automaton with acceptance sets of edges, at most 31.
pub fn marked_observer(automaton: &Generalised, conditions: &[Expr], watch: Watch<'_>) -> Observer {
    let (mut locations, mut edges, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    for (number, links) in automaton.states.iter().enumerate() {
        let universal =
            |e: &MarkedEdge| e.guard.is_true() && e.to.index() == number && e.marks == automaton.all_marks();
        let end = watch.at_once && watch.stutters && links.iter().any(universal);
        let mut location = Location { end, ..Location::default() };
        for edge in links {
            location.edges.push(EdgeId(edges.len() as u32));
            edges.push(step(guard(&edge.guard, conditions), edge.to, watch));
            marks.push(edge.marks as u32);
        }
        locations.push(location);
    }
    Observer { marks, ..finish(locations, edges, automaton.initial, watch) }
}

fn step(guard: ir::Guard, to: StateId, watch: Watch<'_>) -> ir::Edge {
    ir::Edge {
        level: 0,
        guard,
        sync: None,
        effects: Vec::new(),
        chain: None,
        target: LocId(to.0),
        then: Then::Yield,
        span: watch.span,
        label: watch.name.to_string(),
    }
}

fn finish(locations: Vec<Location>, edges: Vec<ir::Edge>, entry: StateId, watch: Watch<'_>) -> Observer {
    let automaton = Process {
        name: watch.name.to_string(),
        params: 0,
        locals: Vec::new(),
        locations,
        edges,
        entry: LocId(entry.0),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span: watch.span,
    };
    Observer { automaton, stutters: watch.stutters, labels: false, marks: Vec::new() }
}

fn is_universal(state: &State, number: usize) -> bool {
    state.edges.iter().any(|edge| edge.guard.is_true() && edge.to.index() == number)
}

fn guard(guard: &Guard, conditions: &[Expr]) -> ir::Guard {
    if guard.is_true() {
        return ir::Guard::Always;
    }
    let cube = |cube: &Cube| {
        let literal = |(atom, positive): (crate::AtomId, bool)| {
            let condition = conditions[atom.index()].clone();
            if positive { condition } else { not(condition) }
        };
        cube.literals().map(literal).reduce(|a, b| Expr::binary(BinaryOp::And, a, b)).unwrap_or(Expr::Const(1))
    };
    let any = guard.cubes().iter().map(cube).reduce(|a, b| Expr::binary(BinaryOp::Or, a, b));
    ir::Guard::When(any.unwrap_or(Expr::Const(0)))
}

/// If the formula says that something without temporal operators is always true: the condition of states in which it is
/// not.
pub fn broken_invariant(ltl: &Ltl, conditions: &[Expr]) -> Option<Expr> {
    let Node::Unary(Unary::Globally, inner) = ltl.formula.node(ltl.formula.root()) else { return None };
    ltl.state_formula(inner, conditions).map(not)
}
