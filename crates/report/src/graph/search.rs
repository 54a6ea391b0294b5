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
    /// The stack of the red search.
    red: Vec<u32>,
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
        red: Vec::new(),
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
        Walk::Nested => ("open", "on the blue stack"),
    };
    let mut keys =
        vec![("current", "current"), open, ("matched", "matched"), ("bad", "error"), ("new", "not found yet")];
    if order == Walk::Nested {
        keys.splice(2..2, [("red", "on the red stack"), ("reddened", "red: on no accepting cycle")]);
    }
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
            Event::Seed { .. } | Event::Red { .. } | Event::RedMatched { .. } | Event::RedDone { .. } => {
                self.red_search(event)
            }
            Event::Cycle { step } => {
                self.arrows[self.place[step]] = "taken";
                format!("{} leads to the blue stack: an accepting cycle", self.label(step))
            }
        };
        let mut frame = Frame { nodes: self.classes(event), arrows: self.arrows.clone(), ..Frame::default() };
        let held = match self.order {
            Walk::Depth => format!("{} on the stack", self.open.len()),
            Walk::Breadth => format!("{} in the queue", self.open.len()),
            Walk::Nested => format!("{} on the blue stack, {} on the red", self.open.len(), self.red.len()),
        };
        frame.caption =
            format!("{number}. {said}   ({} stored, {held}, {} matched)", counted(self.stored, "state"), self.matched);
        self.after(event);
        frame
    }

    /// The changes that are shown with the next event.
    fn after(&mut self, event: Event) {
        match event {
            Event::Done { state } if self.order != Walk::Nested || !self.accepting(state) => self.close(state),
            Event::RedDone { state } => {
                self.red.retain(|red| *red != state);
                self.open.retain(|open| *open != state);
                self.nodes[state as usize] = "reddened";
            }
            Event::Expanded { state } if self.order == Walk::Breadth => self.open.retain(|open| *open != state),
            _ => {}
        }
    }

    fn accepting(&self, state: u32) -> bool {
        self.graph.graph.flags[state as usize].accepting
    }

    fn red_search(&mut self, event: Event) -> String {
        match event {
            Event::Seed { state } => {
                self.red.push(state);
                self.nodes[state as usize] = "red";
                "the state is accepting: a red search begins".to_string()
            }
            Event::Red { step } => {
                let to = self.graph.graph.steps[step].to;
                self.red.push(to);
                self.nodes[to as usize] = "red";
                self.arrows[self.place[step]] = "taken";
                format!("red search: {}", self.label(step))
            }
            Event::RedMatched { step } => {
                self.arrows[self.place[step]] = "taken";
                format!("red search: {} leads to a red state", self.label(step))
            }
            _ => "red search: the state has no more steps".to_string(),
        }
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
            Event::New { state, .. } if self.order != Walk::Breadth => Some(state),
            Event::New { step, .. } => step.map(|step| steps[step].from),
            Event::Matched { step } | Event::RedMatched { step } => Some(steps[step].from),
            Event::Expanded { state } | Event::Done { state } | Event::Seed { state } => Some(state),
            Event::Red { step } => Some(steps[step].to),
            Event::RedDone { state } => Some(state),
            Event::Cycle { step } => {
                self.mark_cycle(step);
                None
            }
            Event::Error { state } => {
                self.nodes[state as usize] = "bad";
                None
            }
        };
        let mut nodes = self.nodes.clone();
        if let Some(state) = current.filter(|state| nodes[*state as usize] != "bad") {
            nodes[state as usize] = "current";
        }
        if let Event::Matched { step } | Event::RedMatched { step } = event {
            nodes[steps[step].to as usize] = "matched";
        }
        nodes
    }

    /// The states of an accepting cycle: the red stack, and the blue stack from the target of the step on.
    fn mark_cycle(&mut self, step: usize) {
        let to = self.graph.graph.steps[step].to;
        let start = self.open.iter().position(|open| *open == to).unwrap_or(0);
        let cycle: Vec<u32> = self.open[start..].iter().chain(&self.red).copied().collect();
        cycle.into_iter().for_each(|state| self.nodes[state as usize] = "bad");
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
