//! The states that a search did not reach, as SPIN decides it.
//!
//! A state counts as reached if a step begins or ends there, or if its statement was tried. SPIN does not ask for jumps, for
//! `else` and `skip`, and for the first statements of options, since the selection stands for them.

use kripke_lang::promela::numbering::{Body, Kind, State};
use kripke_model::ir::{Effect, LocId, Process, Span};
use kripke_report::source::Lines;
use kripke_report::spin::{self, Entry};

use super::Numbered;
use super::search::Counts;

/// The unreached states of all process types, in the order of the text.
pub fn unreached(model: &Numbered, counts: &Counts) -> Vec<spin::Body> {
    let Counts { executed, events, .. } = counts;
    let ir = model.interpreter.model();
    let lines = Lines::of_preprocessor(ir);
    let created = created(model, executed);
    let mut out: Vec<(u32, spin::Body)> = Vec::new();
    for (i, body) in model.numbering.processes.iter().enumerate() {
        let reached = reached(body, &ir.processes[i], &executed[i], created[i]);
        let title = if body.init { "init".to_string() } else { format!("proctype {}", body.name) };
        out.push((body.unit, list(title, body, &reached, &lines)));
    }
    for body in &model.numbering.claims {
        let reached = body.states.iter().map(|state| state.skipped).collect::<Vec<_>>();
        out.push((body.unit, list(format!("claim {}", body.name), body, &reached, &lines)));
    }
    if let (Some(body), Some(trace), false) = (&model.numbering.trace, &ir.trace, events.is_empty()) {
        let title = format!("claim :{}:", trace.automaton.name);
        out.push((body.unit, list(title, body, &reached_by_trace(body, events), &lines)));
    }
    out.sort_by_key(|(unit, _)| *unit);
    out.into_iter().map(|(_, body)| body).collect()
}

/// The process types of which a process existed.
fn created(model: &Numbered, executed: &[Vec<bool>]) -> Vec<bool> {
    let ir = model.interpreter.model();
    let mut created = vec![false; ir.processes.len()];
    ir.start.iter().for_each(|start| created[start.process.index()] = true);
    for (process, executed) in ir.processes.iter().zip(executed) {
        for edge in process.edges.iter().zip(executed).filter(|(_, executed)| **executed).map(|(edge, _)| edge) {
            for effect in &edge.effects {
                if let Effect::Run { process, .. } = effect {
                    created[process.index()] = true;
                }
            }
        }
    }
    created
}

/// Whether each state was reached.
fn reached(body: &Body, process: &Process, executed: &[bool], created: bool) -> Vec<bool> {
    let mut reached: Vec<bool> = body.states.iter().map(|state| state.skipped).collect();
    let mut visited = vec![false; process.locations.len()];
    let mut mark = |location: LocId, visited: &mut Vec<bool>| {
        visited[location.index()] = true;
        if let Some(state) = body.locations.get(location.index()) {
            reached[*state as usize] = true;
        }
    };
    if created {
        mark(process.entry, &mut visited);
    }
    for (i, location) in process.locations.iter().enumerate() {
        for edge in location.edges.iter().filter(|edge| executed[edge.index()]) {
            mark(LocId(i as u32), &mut visited);
            mark(process.edges[edge.index()].target, &mut visited);
        }
    }
    // A statement that was tried is reached.
    for (location, _) in process.locations.iter().zip(&visited).filter(|(_, visited)| **visited) {
        for state in location.edges.iter().flat_map(|edge| &body.edges[edge.index()]) {
            if matches!(body.states[*state as usize].kind, Kind::Statement | Kind::End) {
                reached[*state as usize] = true;
            }
        }
    }
    reached
}

/// Whether each state of a trace automaton was reached.
fn reached_by_trace(body: &Body, events: &[bool]) -> Vec<bool> {
    let mut reached: Vec<bool> = body.states.iter().map(|state| state.skipped).collect();
    for (state, _) in body.locations.iter().zip(events).filter(|(_, visited)| **visited) {
        reached[*state as usize] = true;
    }
    reached
}

fn list(title: String, body: &Body, reached: &[bool], lines: &Lines) -> spin::Body {
    let mut entries = Vec::new();
    let (mut unreached, states) = (0, body.states.len().saturating_sub(1));
    for (number, state) in body.states.iter().enumerate().skip(1) {
        let instead = state.instead != 0 && reached[state.instead as usize];
        if !reached[number] && !instead && report(body, number as u32, state, lines, &mut entries) {
            unreached += 1;
        }
    }
    spin::Body { title, entries, unreached, states }
}

/// Lists the statements of an unreached state. Returns whether the state counts as unreached.
fn report(body: &Body, number: u32, state: &State, lines: &Lines, entries: &mut Vec<Entry>) -> bool {
    let mut listed = false;
    for step in &state.steps {
        let statement = &body.states[*step as usize];
        if statement.text == ".(goto)" || statement.text.starts_with("goto :") {
            return false;
        }
        let text = match statement.kind {
            Kind::Indivisible => {
                format!("{}{}", statement.text, statement.place.map_or(0, |span| lines.of(span).first))
            }
            _ => statement.text.clone(),
        };
        let place = state.span.map_or_else(String::new, |span: Span| lines.place(span));
        entries.push(Entry { place, state: number, text });
        listed = true;
    }
    listed
}
