//! The events of a search, one by one, in a graph that is known.

use std::collections::VecDeque;

use super::build::StateGraph;

/// An event of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A new state is stored: the initial one, or the target of a step.
    New {
        /// The step that leads to it.
        step: Option<usize>,
        /// The state.
        state: u32,
    },
    /// A step leads to a state that is stored already.
    Matched {
        /// The step.
        step: usize,
    },
    /// A breadth-first search takes a state from the queue and expands it.
    Expanded {
        /// The state.
        state: u32,
    },
    /// All steps of a state have been explored.
    Done {
        /// The state.
        state: u32,
    },
    /// A state with an error is found. The search ends if it looks for the first error only.
    Error {
        /// The state.
        state: u32,
    },
    /// A red search begins in an accepting state whose steps have all been explored.
    Seed {
        /// The state.
        state: u32,
    },
    /// The red search takes a step to a state that is not red yet.
    Red {
        /// The step.
        step: usize,
    },
    /// The red search finds a red state.
    RedMatched {
        /// The step.
        step: usize,
    },
    /// The red search has explored all steps of a state.
    RedDone {
        /// The state.
        state: u32,
    },
    /// A step to a state on the blue stack closes a cycle with an accepting state.
    Cycle {
        /// The step.
        step: usize,
    },
}

/// The order of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walk {
    /// Depth-first: the open states are on a stack.
    Depth,
    /// Breadth-first: the open states are in a queue.
    Breadth,
    /// Nested depth-first: a blue search, and red searches for cycles through accepting states.
    Nested,
}

/// The events of a search, up to the first error or to the end.
pub fn walk(graph: &StateGraph, order: Walk, all_errors: bool) -> Vec<Event> {
    match order {
        Walk::Depth => depth_first(graph, all_errors),
        Walk::Breadth => breadth_first(graph, all_errors),
        Walk::Nested => super::nested::nested(graph, all_errors),
    }
}

fn depth_first(graph: &StateGraph, all_errors: bool) -> Vec<Event> {
    let out = graph.outgoing();
    let mut seen = vec![false; graph.states.len()];
    let mut events = Vec::new();
    let mut stack: Vec<(u32, usize)> = Vec::new();
    let mut next = (None, 0);
    loop {
        let (step, state) = next;
        seen[state as usize] = true;
        events.push(Event::New { step, state });
        if graph.is_bad(state as usize) {
            events.push(Event::Error { state });
            if !all_errors {
                return events;
            }
        }
        stack.push((state, out[state as usize].start));
        next = loop {
            let Some((state, at)) = stack.last_mut() else { return events };
            if *at == out[*state as usize].end {
                events.push(Event::Done { state: *state });
                stack.pop();
                continue;
            }
            let step = *at;
            *at += 1;
            let to = graph.steps[step].to;
            if !seen[to as usize] {
                break (Some(step), to);
            }
            events.push(Event::Matched { step });
        };
    }
}

fn breadth_first(graph: &StateGraph, all_errors: bool) -> Vec<Event> {
    let out = graph.outgoing();
    let mut seen = vec![false; graph.states.len()];
    let mut events = vec![Event::New { step: None, state: 0 }];
    let mut queue = VecDeque::from([0]);
    seen[0] = true;
    while let Some(state) = queue.pop_front() {
        events.push(Event::Expanded { state });
        if graph.is_bad(state as usize) {
            events.push(Event::Error { state });
            if !all_errors {
                return events;
            }
        }
        for step in out[state as usize].clone() {
            let to = graph.steps[step].to;
            if std::mem::replace(&mut seen[to as usize], true) {
                events.push(Event::Matched { step });
            } else {
                events.push(Event::New { step: Some(step), state: to });
                queue.push_back(to);
            }
        }
        events.push(Event::Done { state });
    }
    events
}
