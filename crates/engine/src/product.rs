//! The product of system and observer: each successor once per enabled edge of the observer.

use kripke_model::ir::{EdgeId, LocId, Observer};
use kripke_model::layout::ObserverAt;
use kripke_model::{Batch, Choice, Flags, State};

use crate::context::{ACCEPTING, GOAL, status};
use crate::driver::Driver;

/// The result of the observer and the goal in a state.
pub(crate) struct Observation {
    /// The flags of the state.
    pub flags: Flags,
    /// The targets of the observer's enabled edges.
    pub targets: Vec<LocId>,
}

impl Driver {
    /// Appends every successor of a state of a model with an observer or a goal. `None` if the program can't.
    pub(crate) fn expand_watched(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Option<Flags> {
        let mut observed = self.observation(state)?;
        let all = choice == Choice::All;
        if !all {
            observed.flags = Flags::default();
        }
        let functions = self.functions();
        let (Some(observer), Some(at)) = (&functions.model.observer, functions.layout.observer) else {
            return Some(Flags { goal: observed.flags.goal, ..self.expand_system(state, choice, out)? });
        };
        if observed.targets.is_empty() {
            return Some(observed.flags);
        }
        let stutters = observer.stutters && all;
        let first = out.len();
        let Flags { invalid_end, .. } = self.expand_system(state, choice, out)?;
        if out.len() == first && stutters {
            match self.functions().words {
                Some(_) => {
                    let bytes: Vec<u8> = self.context.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    out.push(&bytes[..self.stored]);
                }
                None => out.push(state),
            }
        }
        self.join(out, first, at, &observed.targets);
        Some(Flags { invalid_end, ..observed.flags })
    }

    /// Evaluates the observer and the goal in a state.
    pub(crate) fn observation(&mut self, state: &State) -> Option<Observation> {
        let observed = self.observe(state)?;
        let functions = self.functions();
        let goal = observed & GOAL != 0;
        let Some(observer) = &functions.model.observer else {
            return Some(Observation { flags: Flags { goal, ..Flags::default() }, targets: Vec::new() });
        };
        let location = functions.layout.observer_location(state)?;
        let here = &observer.automaton.locations[location.index()];
        let accepting = here.accept || observed & ACCEPTING != 0;
        let flags = Flags { goal, bad_prefix: here.end, accepting, invalid_end: false };
        Some(Observation { flags, targets: targets(observer, location, observed) })
    }

    /// Makes a copy of each state from `first` on for every target of the observer.
    pub(crate) fn join(&self, out: &mut Batch, first: usize, at: ObserverAt, targets: &[LocId]) {
        repeat(out, first, targets.len());
        let functions = self.functions();
        let (bytes, ends) = out.parts();
        let mut start = if first == 0 { 0 } else { ends[first - 1] as usize };
        for (i, end) in ends[first..].iter().enumerate() {
            let target = targets[i % targets.len()].0;
            match (&functions.words, functions.observer_in_words) {
                (None, _) => set_location(&mut bytes[start..], at, target),
                (Some(_), Some(position)) => position.set(target, &mut bytes[start..*end as usize]),
                // The observer has one location.
                (Some(_), None) => {}
            }
            start = *end as usize;
        }
    }

    /// Calls the observer function for a state.
    fn observe(&mut self, state: &State) -> Option<u64> {
        let observe = self.functions().observe?;
        let root = self.load(state)?;
        // SAFETY: the tables describe this state, which the function only reads.
        let answer = unsafe { observe(&raw mut *self.context, root, 0, 0) };
        (answer == status::DONE).then_some(self.context.observed)
    }
}

/// The targets of the observer's enabled edges.
fn targets(observer: &Observer, at: LocId, observed: u64) -> Vec<LocId> {
    let edges = observer.automaton.locations[at.index()].edges.iter().enumerate();
    let open = edges.filter(|(bit, _)| observed >> bit & 1 == 1);
    open.map(|(_, id): (usize, &EdgeId)| observer.automaton.edges[id.index()].target).collect()
}

/// Replaces each state from `first` on by so many copies.
fn repeat(out: &mut Batch, first: usize, count: usize) {
    if count > 1 {
        let copies: Vec<Vec<u8>> = out.states_from(first).map(<[u8]>::to_vec).collect();
        out.truncate(first);
        copies.iter().for_each(|copy| (0..count).for_each(|_| out.push(copy)));
    }
}

/// Sets the location of the observer in a packed state.
fn set_location(state: &mut [u8], at: ObserverAt, location: u32) {
    state[at.offset] = location as u8;
    if at.wide {
        state[at.offset + 1] = (location >> 8) as u8;
    }
}
