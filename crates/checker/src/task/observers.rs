//! Observers that look at labels of the model only: acceptance cycles and non-progress cycles.

use kripke_model::Model;
use kripke_model::ir::{Edge, EdgeId, Expr, FileId, Guard, LocId, Location, Observer, Process, Span, Then};

/// Accepts the runs that visit an `accept` label of the model infinitely often.
pub(super) fn acceptance(model: &Model) -> Observer {
    labels(plain_span(model))
}

/// Accepts the runs that visit `progress` labels only finitely often.
pub(super) fn non_progress(model: &Model) -> Observer {
    no_progress(plain_span(model))
}

fn plain_span(model: &Model) -> Span {
    let nowhere = Span { file: FileId(0), start: 0, end: 0 };
    model.processes.first().map_or(nowhere, |p| p.span)
}

/// One accepting-by-label state with a loop.
fn labels(span: Span) -> Observer {
    let locations = vec![location(&[0], false)];
    let automaton = automaton(locations, vec![edge(Guard::Always, 0, span)], span);
    Observer { automaton, stutters: true, labels: true, marks: Vec::new() }
}

/// Guesses the last visit to a `progress` label, and accepts while there is no other.
fn no_progress(span: Span) -> Observer {
    let locations = vec![location(&[0, 1], false), location(&[2], true)];
    let none = || Guard::When(Expr::NonProgress);
    let edges = vec![edge(Guard::Always, 0, span), edge(none(), 1, span), edge(none(), 1, span)];
    Observer { automaton: automaton(locations, edges, span), stutters: false, labels: false, marks: Vec::new() }
}

fn location(edges: &[u32], accept: bool) -> Location {
    Location { edges: edges.iter().map(|e| EdgeId(*e)).collect(), accept, ..Location::default() }
}

fn edge(guard: Guard, target: u32, span: Span) -> Edge {
    Edge {
        level: 0,
        guard,
        sync: None,
        effects: Vec::new(),
        chain: None,
        target: LocId(target),
        then: Then::Yield,
        span,
        inside: None,
        label: String::new(),
    }
}

fn automaton(locations: Vec<Location>, edges: Vec<Edge>, span: Span) -> Process {
    Process {
        name: "property".to_string(),
        params: 0,
        locals: Vec::new(),
        locations,
        edges,
        entry: LocId(0),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span,
    }
}
