//! Construction of an observer of a model from an automaton over propositions.

use kripke_model::ir::{self, BinaryOp, EdgeId, Expr, LocId, Location, Observer, Process, Then};

use crate::automaton::{Buchi, Generalised, MarkedEdge, State, StateId};
use crate::formula::{Node, Unary};
use crate::guard::{Cube, Guard};
use crate::parse::Ltl;
use crate::state_formula::not;

/// Parameters of an observer.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// The name of the observer's process.
    pub name: &'a str,
    /// The place in the model's text that findings in the observer refer to.
    pub span: ir::Span,
    /// Whether the last state of a deadlocked run repeats (stutter extension).
    pub stutters: bool,
    /// Whether a finite prefix that no continuation can repair is a violation. Otherwise only infinite runs are
    /// violations: with some fairness assumptions not every prefix has a continuation.
    pub at_once: bool,
}

/// The observer that accepts the language of the automaton. `conditions` are its propositions in the order of their
/// numbers.
///
/// With `at_once`, an accepting state that accepts every continuation becomes an [end](Location::end): reaching it is
/// a violation, and no search for cycles is needed.
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

/// The observer of a generalised automaton with at most 31 acceptance sets.
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
        inside: None,
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

/// The condition of the states that violate the formula, if the formula is `[] p` for a propositional `p`.
pub fn broken_invariant(ltl: &Ltl, conditions: &[Expr]) -> Option<Expr> {
    let Node::Unary(Unary::Globally, inner) = ltl.formula.node(ltl.formula.root()) else { return None };
    ltl.state_formula(inner, conditions).map(not)
}
