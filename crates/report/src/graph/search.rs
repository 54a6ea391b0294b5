//! The pictures of a search, one for each event, after Erigone's VMC: states on the stack, open, matched and in error.

use kripke_search::graph::{Event, Walk};

use super::{ModelGraph, Shown};
use crate::diagram::{Frame, Key};
use crate::number::counted;

/// The state of a search that is drawn.
struct Search<'g> {
    graph: &'g ModelGraph,
    order: Walk,
    /// The arrow of each step.
    place: &'g [usize],
    nodes: Vec<&'static str>,
    arrows: Vec<&'static str>,
    /// The open states: the stack, or the queue with the state that is expanded.
    open: Vec<u32>,
    stored: u64,
    matched: u64,
}

/// A frame for each event of a search in a graph that is shown as a whole. `place` has the arrow of each step, and `arrows` is
/// the number of arrows.
pub fn frames(
    graph: &ModelGraph,
    shown: &Shown,
    events: &[Event],
    order: Walk,
    (place, arrows): (&[usize], usize),
) -> Vec<Frame> {
    let mut search = Search {
        graph,
        order,
        place,
        nodes: vec!["new"; shown.nodes.len()],
        arrows: vec!["new"; arrows],
        open: Vec::new(),
        stored: 0,
        matched: 0,
    };
    events.iter().enumerate().map(|(number, event)| search.frame(number, *event)).collect()
}

/// The meaning of the colours in the pictures of a search.
pub fn search_legend(order: Walk) -> Vec<Key> {
    let open = match order {
        Walk::Depth => ("stack", "on the stack"),
        Walk::Breadth => ("open", "in the queue"),
    };
    let keys = [("current", "current"), open, ("matched", "matched"), ("bad", "error"), ("new", "not found yet")];
    keys.into_iter().map(|(class, text)| Key::Class(class, text.to_string())).collect()
}

impl Search<'_> {
    fn frame(&mut self, number: usize, event: Event) -> Frame {
        self.arrows.iter_mut().filter(|class| **class == "taken").for_each(|class| *class = "");
        let said = match event {
            Event::New { step, state } => self.found(step, state),
            Event::Matched { step } => self.match_state(step),
            Event::Expanded { .. } => "the next state of the queue is expanded".to_string(),
            Event::Done { .. } => "the state has no more steps".to_string(),
            Event::Error { state } => format!("error: {}", self.error(state)),
        };
        let mut frame = Frame { nodes: self.classes(event), arrows: self.arrows.clone(), ..Frame::default() };
        let held = if self.order == Walk::Depth { "on the stack" } else { "in the queue" };
        frame.caption = format!(
            "{number}. {said}   ({} stored, {} {held}, {} matched)",
            counted(self.stored, "state"),
            self.open.len(),
            self.matched
        );
        match event {
            Event::Done { state } => self.close(state),
            Event::Expanded { state } if self.order == Walk::Breadth => self.open.retain(|open| *open != state),
            _ => {}
        }
        frame
    }

    fn found(&mut self, step: Option<usize>, state: u32) -> String {
        self.stored += 1;
        self.open.push(state);
        self.nodes[state as usize] = if self.order == Walk::Depth { "stack" } else { "open" };
        let Some(step) = step else { return "the initial state".to_string() };
        self.arrows[self.place[step]] = "taken";
        format!("{} leads to a new state", self.label(step))
    }

    fn match_state(&mut self, step: usize) -> String {
        self.matched += 1;
        self.arrows[self.place[step]] = "taken";
        format!("{} leads to a known state", self.label(step))
    }

    fn close(&mut self, state: u32) {
        self.open.retain(|open| *open != state);
        if self.nodes[state as usize] != "bad" {
            self.nodes[state as usize] = "";
        }
    }

    /// The classes of the nodes while an event is shown.
    fn classes(&mut self, event: Event) -> Vec<&'static str> {
        let steps = &self.graph.graph.steps;
        let current = match event {
            Event::New { state, .. } if self.order == Walk::Depth => Some(state),
            Event::New { step, .. } => step.map(|step| steps[step].from),
            Event::Matched { step } => Some(steps[step].from),
            Event::Expanded { state } | Event::Done { state } => Some(state),
            Event::Error { state } => {
                self.nodes[state as usize] = "bad";
                None
            }
        };
        let mut nodes = self.nodes.clone();
        if let Some(state) = current.filter(|state| nodes[*state as usize] != "bad") {
            nodes[state as usize] = "current";
        }
        if let Event::Matched { step } = event {
            nodes[steps[step].to as usize] = "matched";
        }
        nodes
    }

    fn label(&self, step: usize) -> String {
        let action = &self.graph.actions[self.graph.graph.steps[step].action as usize];
        action.label(super::Labels::Full)
    }

    fn error(&self, state: u32) -> String {
        let (flags, findings) = (self.graph.graph.flags[state as usize], &self.graph.graph.findings[state as usize]);
        match findings.first() {
            Some(finding) => match &finding.kind {
                kripke_model::FindingKind::Assertion => "a failed assertion in the next step".to_string(),
                kripke_model::FindingKind::Fault(fault) => fault.to_string(),
                kripke_model::FindingKind::EndlessSequence => "an endless sequence in the next step".to_string(),
            },
            None if flags.invalid_end => "invalid end state".to_string(),
            None if flags.goal => "the condition holds".to_string(),
            None => "a bad prefix of the property".to_string(),
        }
    }
}
