//! The events of a nested depth-first search, one by one (Courcoubetis, Vardi, Wolper, Yannakakis, 1992), with the early detection of
//! Schwoon and Esparza (2005): a step of the blue search from an accepting state, or to one, that closes a cycle on the blue stack,
//! and a step of a red search to the blue stack. `explore/liveness/nested_dfs.rs` is the search of checks.

use std::ops::Range;

use super::build::StateGraph;
use super::walk::Event;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colour {
    White,
    /// On the blue stack.
    Cyan,
    Blue,
    Red,
}

struct Nested<'g> {
    graph: &'g StateGraph,
    out: Vec<Range<usize>>,
    colour: Vec<Colour>,
    events: Vec<Event>,
    all_errors: bool,
    /// The first error was found, and the search looks for no other.
    ended: bool,
}

/// The events up to the first error or accepting cycle, or to the end.
pub(super) fn nested(graph: &StateGraph, all_errors: bool) -> Vec<Event> {
    let colour = vec![Colour::White; graph.states.len()];
    let mut search = Nested { graph, out: graph.outgoing(), colour, events: Vec::new(), all_errors, ended: false };
    search.blue();
    search.events
}

impl Nested<'_> {
    fn accepting(&self, state: u32) -> bool {
        self.graph.flags[state as usize].accepting
    }

    fn error(&mut self, event: Event) {
        self.events.push(event);
        self.ended |= !self.all_errors;
    }

    fn enter(&mut self, step: Option<usize>, state: u32) -> (u32, usize) {
        self.colour[state as usize] = Colour::Cyan;
        self.events.push(Event::New { step, state });
        if self.graph.is_bad(state as usize) {
            self.error(Event::Error { state });
        }
        (state, self.out[state as usize].start)
    }

    fn blue(&mut self) {
        let mut stack = vec![self.enter(None, 0)];
        while let Some((state, at)) = stack.last_mut().filter(|_| !self.ended) {
            let (state, step) = (*state, *at);
            if step == self.out[state as usize].end {
                self.events.push(Event::Done { state });
                if self.accepting(state) {
                    self.events.push(Event::Seed { state });
                    self.red(state);
                }
                if self.colour[state as usize] == Colour::Cyan {
                    self.colour[state as usize] = Colour::Blue;
                }
                stack.pop();
                continue;
            }
            *at += 1;
            let to = self.graph.steps[step].to;
            match self.colour[to as usize] {
                Colour::White => stack.push(self.enter(Some(step), to)),
                Colour::Cyan if self.accepting(state) || self.accepting(to) => self.error(Event::Cycle { step }),
                _ => self.events.push(Event::Matched { step }),
            }
        }
    }

    /// Searches for a step to the blue stack from an accepting state, which is still on it.
    fn red(&mut self, seed: u32) {
        let mut stack = vec![(seed, self.out[seed as usize].start)];
        while let Some((state, at)) = stack.last_mut().filter(|_| !self.ended) {
            let (state, step) = (*state, *at);
            if step == self.out[state as usize].end {
                self.colour[state as usize] = Colour::Red;
                self.events.push(Event::RedDone { state });
                stack.pop();
                continue;
            }
            *at += 1;
            let to = self.graph.steps[step].to;
            match self.colour[to as usize] {
                Colour::Cyan => self.error(Event::Cycle { step }),
                Colour::Blue => {
                    self.colour[to as usize] = Colour::Red;
                    self.events.push(Event::Red { step });
                    stack.push((to, self.out[to as usize].start));
                }
                Colour::Red | Colour::White => self.events.push(Event::RedMatched { step }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kripke_model::{Flags, Mover};

    use super::super::build::Step;
    use super::*;

    /// A graph with some accepting states, from the digits of a number.
    fn random(seed: &mut u64, states: u32) -> StateGraph {
        let mut next = |below: u32| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) as u32 % below
        };
        let flags = (0..states).map(|_| Flags { accepting: next(4) == 0, ..Flags::default() }).collect();
        let mut steps = Vec::new();
        for from in 0..states {
            for successor in 0..next(3) {
                steps.push(Step { from, successor, to: next(states), by: Mover::Observer, action: 0 });
            }
        }
        let all = states as usize;
        StateGraph { states: vec![vec![0]; all], flags, findings: vec![vec![]; all], steps, ..StateGraph::default() }
    }

    /// Whether an accepting state is reachable from the first state and from itself, by the closure of the steps.
    fn has_cycle(graph: &StateGraph) -> bool {
        let count = graph.states.len();
        let mut reaches = vec![vec![false; count]; count];
        graph.steps.iter().for_each(|step| reaches[step.from as usize][step.to as usize] = true);
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        (0..count).any(|s| graph.flags[s].accepting && reaches[s][s] && (s == 0 || reaches[0][s]))
    }

    #[test]
    fn cycles_are_found_where_there_are_some() {
        let (mut seed, mut found) = (7, [0, 0]);
        for _ in 0..2000 {
            let graph = random(&mut seed, 9);
            let cycle = nested(&graph, false).iter().any(|event| matches!(event, Event::Cycle { .. }));
            assert_eq!(cycle, has_cycle(&graph), "{graph:?}");
            found[usize::from(cycle)] += 1;
        }
        assert!(found.iter().all(|count| *count > 200), "{found:?}");
    }
}
