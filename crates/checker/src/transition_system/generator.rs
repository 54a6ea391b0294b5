//! The successor generator of a transition system written in Rust, alone or in product with a Büchi automaton.
//!
//! A stored state is the serialised state; in a product, the location of the automaton comes before it in four bytes. The
//! automaton reads the state that a step leaves, as in the product of Vardi and Wolper.

use kripke_logic::{Buchi, Valuation};
use kripke_model::Parts;
use kripke_model::trail::{Ending, Trail};
use kripke_model::{AcceptanceMarks, ActionLabels, ProcessStructure, Representation, StateLabels};
use kripke_model::{Batch, Choice, Flags, Mover, Movers, State, Successors};
use std::borrow::Cow;

use super::verdict::{SystemRun, SystemStep};
use super::{Steps, TransitionSystem};

/// Bytes of the automaton's location.
const LOCATION: usize = 4;

/// What a search looks for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim<'q> {
    /// Errors of the system itself.
    Nothing,
    /// A state without this proposition.
    Invariant(usize),
    /// A run that the automaton accepts. Its atoms are propositions with these numbers.
    Automaton { automaton: &'q Buchi, numbers: &'q [usize] },
    /// Propositions with these numbers label the states.
    Labels { numbers: &'q [usize] },
}

/// Generates successors.
pub(super) struct Generator<'a, T: TransitionSystem> {
    system: &'a T,
    aim: Aim<'a>,
    steps: Vec<(u8, u32, T::State)>,
    bytes: Vec<u8>,
}

impl<'a, T: TransitionSystem> Generator<'a, T> {
    pub fn new(system: &'a T, aim: Aim<'a>) -> Generator<'a, T> {
        Generator { system, aim, steps: Vec::new(), bytes: Vec::new() }
    }

    fn prefix(&self) -> usize {
        if matches!(self.aim, Aim::Automaton { .. }) { LOCATION } else { 0 }
    }

    fn state_of(&self, state: &State) -> T::State {
        postcard::from_bytes(&state[self.prefix()..]).expect("a stored state is a serialised state")
    }

    /// Fills `self.bytes` with a state, after the location of the automaton if there is one.
    fn encode(&mut self, location: u32, state: &T::State) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        if self.prefix() > 0 {
            bytes.extend_from_slice(&location.to_le_bytes());
        }
        self.bytes = postcard::to_extend(state, bytes).expect("states can be serialised");
    }

    fn location(&self, state: &State) -> u32 {
        if self.prefix() == 0 { 0 } else { u32::from_le_bytes([state[0], state[1], state[2], state[3]]) }
    }

    /// Fills `self.steps` with the steps of the system.
    fn step(&mut self, state: &T::State) {
        self.steps.clear();
        self.system.expand(state, &mut Steps { steps: &mut self.steps });
    }

    /// The propositions with these numbers in a state, a bit each.
    fn valuation(&self, numbers: &[usize], state: &T::State) -> Valuation {
        let bits = numbers.iter().enumerate();
        bits.filter(|(_, number)| self.system.holds(**number, state)).fold(0, |all, (bit, _)| all | 1 << bit)
    }

    /// The locations that the automaton can move to in a state.
    fn targets(&self, stored: &State, state: &T::State) -> Vec<u32> {
        let Aim::Automaton { automaton, numbers } = self.aim else { return vec![0] };
        let letter = self.valuation(numbers, state);
        let edges = automaton.states[self.location(stored) as usize].edges.iter();
        edges.filter(|edge| edge.guard.holds(letter)).map(|edge| edge.to.0).collect()
    }

    /// Calls `each` with every successor and the process and action of its step; with nothing where a system without steps
    /// stutters. Returns the decoded state.
    fn successors(&mut self, stored: &State, mut each: impl FnMut(Option<(u8, u32)>, &State)) -> T::State {
        let state = self.state_of(stored);
        let targets = self.targets(stored, &state);
        self.step(&state);
        let steps = std::mem::take(&mut self.steps);
        let stutters = steps.is_empty() && self.prefix() > 0;
        for location in targets {
            if stutters {
                self.encode(location, &state);
                each(None, &self.bytes);
            }
            for (process, action, to) in &steps {
                self.encode(location, to);
                each(Some((*process, *action)), &self.bytes);
            }
        }
        self.steps = steps;
        state
    }

    /// Executes a trail.
    pub fn replay(&mut self, trail: &Trail) -> SystemRun<T::State> {
        let mut initial = Batch::new();
        self.initial(&mut initial);
        let mut at = initial.state(0).to_vec();
        let mut steps = Vec::new();
        for &choice in &trail.choices {
            let mut all = Vec::new();
            let from = self.successors(&at, |step, to| all.push((step, to.to_vec())));
            let (taken, to) = all.swap_remove(choice as usize);
            let action = taken.map_or("no step".to_string(), |(_, action)| self.system.action_name(action));
            steps.push(SystemStep { from, process: taken.map(|(process, _)| process), action });
            at = to;
        }
        let cycle = match trail.ending {
            Ending::Cycle(start) => Some(start as usize),
            _ => None,
        };
        SystemRun { steps, last: self.state_of(&at), cycle }
    }
}

impl<T: TransitionSystem> Successors for Generator<'_, T> {
    fn initial(&mut self, out: &mut Batch) {
        let location = match self.aim {
            Aim::Automaton { automaton, .. } => automaton.initial.0,
            _ => 0,
        };
        let state = self.system.initial();
        self.encode(location, &state);
        out.push(&self.bytes);
    }

    fn expand(&mut self, state: &State, _: Choice, out: &mut Batch) -> Flags {
        let before = out.len();
        let decoded = self.successors(state, |_, to| out.push(to));
        let invalid_end = out.len() == before && self.steps.is_empty() && !self.system.may_end(&decoded);
        match self.aim {
            Aim::Invariant(number) => {
                let goal = !self.system.holds(number, &decoded);
                Flags { goal, invalid_end, ..Flags::default() }
            }
            Aim::Automaton { automaton, .. } => {
                let accepting = automaton.states[self.location(state) as usize].accepting;
                Flags { accepting, ..Flags::default() }
            }
            Aim::Nothing | Aim::Labels { .. } => Flags { invalid_end, ..Flags::default() },
        }
    }
}

impl<T: TransitionSystem> Representation for Generator<'_, T> {
    fn hidden_prefix(&self) -> usize {
        0
    }

    fn word_bits(&self) -> Option<u32> {
        None
    }

    fn decode<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        Cow::Borrowed(state)
    }
}

impl<T: TransitionSystem> StateLabels for Generator<'_, T> {
    fn state_labels(&mut self, state: &State) -> Option<u64> {
        let Aim::Labels { numbers } = self.aim else { return Some(0) };
        Some(self.valuation(numbers, &self.state_of(state)))
    }
}

impl<T: TransitionSystem> ActionLabels for Generator<'_, T> {
    fn action_labels(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.successors(state, |step, _| {
            out.push(step.map_or(Vec::new(), |(process, action)| vec![u32::from(process), action]));
        });
    }
}

impl<T: TransitionSystem> AcceptanceMarks for Generator<'_, T> {
    fn acceptance_marks(&mut self, _: &State, _: &mut Vec<u32>) {}
}

impl<T: TransitionSystem> ProcessStructure for Generator<'_, T> {
    fn movers(&mut self, state: &State, out: &mut Movers) {
        out.clear();
        out.alive = self.system.processes();
        self.successors(state, |step, _| out.by.push(step.map_or(Mover::Observer, |(pid, _)| Mover::Process(pid))));
        out.enabled = self.steps.iter().map(|(process, ..)| *process).collect();
        out.enabled.sort_unstable();
        out.enabled.dedup();
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        parts.ends.clear();
        self.expand(state, Choice::All, out)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, _: &mut Batch) -> Flags {
        self.expand(state, Choice::All, out)
    }

    fn full_expansions(&mut self, most: usize) -> usize {
        most
    }

    fn note_explored(&mut self, _: usize) {}
}
