//! The state space of a system without labels: states, levels and edges.

use std::collections::HashMap;

use kripke_model::{Batch, Choice, State, Successors};

use super::adjacency::Adjacency;

/// The states of a system in the order of a breadth-first search.
#[derive(Clone, Default, Debug)]
pub struct Space {
    /// The states. The first one is initial.
    pub states: Vec<Box<State>>,
    /// Whether each state is accepting.
    pub accepting: Vec<bool>,
    /// The distance of each state from the initial one.
    pub levels: Vec<u32>,
    /// The transitions.
    pub edges: Adjacency,
    /// Whether all reachable states and their transitions are there.
    pub complete: bool,
}

/// Explores a system, up to this number of states. `visit` is called with each state before it is expanded; the exploration ends
/// when it returns false.
pub fn space<S: Successors>(system: &mut S, most: usize, mut visit: impl FnMut(&mut S, &State) -> bool) -> Space {
    let mut batch = Batch::new();
    system.initial(&mut batch);
    let mut numbers = Numbers { hidden: system.hidden_prefix(), most, ..Numbers::default() };
    let mut space = Space { complete: true, ..Space::default() };
    numbers.of(batch.state(0), 0, &mut space);
    let mut at = 0;
    while at < space.states.len() {
        let state = space.states[at].clone();
        if !visit(system, &state) {
            space.complete = false;
            break;
        }
        batch.clear();
        space.accepting[at] = system.expand(&state, Choice::All, &mut batch).accepting;
        let level = space.levels[at] + 1;
        let targets: Vec<u32> = batch.states().filter_map(|target| numbers.of(target, level, &mut space)).collect();
        space.complete &= targets.len() == batch.len();
        space.edges.push(targets);
        at += 1;
    }
    // States that were not expanded have no edges.
    space.edges.pad(space.states.len());
    space
}

/// The numbers of states. States that differ in hidden variables only are one.
#[derive(Default)]
struct Numbers {
    numbers: HashMap<Box<State>, u32>,
    hidden: usize,
    most: usize,
}

impl Numbers {
    /// The number of a state, which is added to the space if it is new; none if there are too many states.
    fn of(&mut self, state: &State, level: u32, space: &mut Space) -> Option<u32> {
        let key = &state[self.hidden.min(state.len())..];
        if let Some(number) = self.numbers.get(key) {
            return Some(*number);
        }
        let number = u32::try_from(space.states.len()).ok().filter(|number| (*number as usize) < self.most)?;
        self.numbers.insert(key.into(), number);
        space.states.push(state.into());
        space.accepting.push(false);
        space.levels.push(level);
        Some(number)
    }
}
