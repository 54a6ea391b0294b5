//! Teach mode: a small state graph and the events of a search in it.

use kripke::graph::state_graph;
use kripke::request::{Algorithm, Questions, Reductions, Request};
use kripke_report::diagram::{Diagram, Role, Sheet};
use kripke_report::graph::{Arrows, Naming, diagram, frames, search_legend, whole};
use kripke_search::graph::{Event, Walk, walk};
use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::files::Named;

/// The most states, and how many if the client does not say.
const MOST_STATES: u64 = 500;
const USUAL_STATES: u64 = 300;

/// The graph of a model and the events of a search.
pub(super) fn teach(request: &Value) -> Answer {
    let named = Named::of(request)?;
    named.text()?;
    let order = match request["order"].as_str() {
        Some("dfs") => Walk::Depth,
        Some("nested") => Walk::Nested,
        Some("bfs") | None => Walk::Breadth,
        Some(_) => return Err(Failure::new(400, "`order` is one of bfs, dfs, nested")),
    };
    let most = request["max_states"].as_u64().unwrap_or(USUAL_STATES).min(MOST_STATES) as usize;
    let (graph, _) = state_graph(&named.file, &asked(&named, request, order), None, most, &named.files)?;
    let shown = whole(&graph, Naming::default());
    let events = walk(&graph.graph, order, request["all_errors"] == true);
    let (drawing, place) = diagram(&shown, "", Arrows::Each);
    let pictures = frames(&graph, &shown, &events, order, (&place, drawing.arrows.len()));
    let drawing = Diagram { legend: search_legend(order), ..drawing };
    let states: Vec<Value> = shown
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let lines = &drawing.nodes[id].lines;
            let (error, end) = (super::graph::error(&graph, id), node.role == Role::End);
            json!({ "id": id, "lines": lines, "error": error, "accepting": node.accepting, "end": end })
        })
        .collect();
    let steps: Vec<Value> = shown
        .steps
        .iter()
        .map(|s| json!({ "from": s.from, "to": s.to, "process": s.process, "label": s.label, "pid": s.ink }))
        .collect();
    let told: Vec<Value> = events.iter().zip(&pictures).map(|(e, frame)| event(*e, &frame.caption)).collect();
    Ok(json!({ "states": states, "transitions": steps, "events": told, "svg": Sheet::new(&drawing).svg(None) }))
}

/// A nested search is one for accepting cycles, of the property that is named or of the labels of the model.
fn asked(named: &Named, request: &Value, order: Walk) -> Request {
    let texts = |name: &str| request[name].as_str().map(String::from).into_iter().collect::<Vec<_>>();
    let mut questions = Questions { properties: texts("property"), ltl: texts("ltl"), ..Questions::default() };
    if !questions.is_particular() {
        questions.acceptance = order == Walk::Nested;
        questions.safety = !questions.acceptance;
        questions.ignore_claims = order != Walk::Nested;
    }
    let mut asked = Request {
        source: named.source.clone(),
        questions,
        reductions: Reductions { raw: true, ..Reductions::default() },
        ..Request::default()
    };
    if order == Walk::Nested {
        // One acceptance set.
        asked.search.algorithm = Algorithm::Nested;
    }
    asked
}

fn event(event: Event, caption: &str) -> Value {
    let (kind, step, state) = match event {
        Event::New { step, state } => ("new", step, Some(state)),
        Event::Matched { step } => ("matched", Some(step), None),
        Event::Expanded { state } => ("expanded", None, Some(state)),
        Event::Done { state } => ("done", None, Some(state)),
        Event::Error { state } => ("error", None, Some(state)),
        Event::Seed { state } => ("seed", None, Some(state)),
        Event::Red { step } => ("red", Some(step), None),
        Event::RedMatched { step } => ("red-matched", Some(step), None),
        Event::RedDone { state } => ("red-done", None, Some(state)),
        Event::Cycle { step } => ("cycle", Some(step), None),
    };
    json!({ "kind": kind, "step": step, "state": state, "caption": caption })
}
