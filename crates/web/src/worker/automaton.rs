//! Automata of processes and properties, as pictures and as data.

use kripke::picture;
use kripke_model::ir::{Model, Process};
use kripke_report::automaton::reachable;
use kripke_report::diagram::{Diagram, svg};
use kripke_report::source::Lines;
use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::files::Named;
use super::model::{loaded, place};

/// The automaton with a name.
pub(super) fn named(named: &Named, name: &str) -> Answer {
    let model = loaded(named)?.model;
    let missing = || Failure::new(404, &format!("there is no automaton `{name}`"));
    let diagram = picture::named(&model, name)?.ok_or_else(missing)?;
    let mut value = drawn(&diagram);
    if let Some(process) = source(&model, name) {
        add_places(&mut value, &model, process);
    }
    Ok(value)
}

/// The process whose automaton is drawn under a name.
fn source<'m>(model: &'m Model, name: &str) -> Option<&'m Process> {
    let claims = model.observer.iter().map(|o| &o.automaton);
    let named = model.processes.iter().chain(claims).find(|process| process.name == name);
    named.or_else(|| model.properties.iter().find(|p| p.name == name)?.observer.as_ref().map(|o| &o.automaton))
}

/// A diagram as SVG and as data.
pub(super) fn drawn(diagram: &Diagram) -> Value {
    let nodes: Vec<Value> = diagram
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            json!({
                "id": id,
                "lines": node.lines,
                "initial": node.initial,
                "accepting": node.accepting,
                "role": node.role.word(),
                "location": null,
                "line": null,
            })
        })
        .collect();
    let arrows: Vec<Value> = diagram
        .arrows
        .iter()
        .enumerate()
        .map(|(id, arrow)| {
            let label = arrow.label.join(" ");
            json!({ "id": id, "from": arrow.from, "to": arrow.to, "label": label, "file": null, "line": null })
        })
        .collect();
    json!({ "title": diagram.title, "svg": svg(diagram), "nodes": nodes, "arrows": arrows })
}

/// Adds locations to nodes, and places to nodes and arrows, which are those of [`reachable`] locations in order.
fn add_places(value: &mut Value, model: &Model, process: &Process) {
    let lines = Lines::new(model);
    let mut arrow = 0;
    for (node, location) in reachable(process).into_iter().enumerate() {
        value["nodes"][node]["location"] = location.0.into();
        for (nth, edge) in process.locations[location.index()].edges.iter().enumerate() {
            let (file, line) = place(model, &lines, Lines::own(&process.edges[edge.index()]));
            if nth == 0 {
                value["nodes"][node]["line"] = line.into();
            }
            value["arrows"][arrow]["line"] = line.into();
            value["arrows"][arrow]["file"] = json!(file);
            arrow += 1;
        }
    }
}
