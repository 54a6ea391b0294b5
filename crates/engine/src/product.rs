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
            out.push(state);
        }
        join(out, first, at, &observed.targets);
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

/// Makes a copy of each state from `first` on for every target of the observer.
pub(crate) fn join(out: &mut Batch, first: usize, at: ObserverAt, targets: &[LocId]) {
    if targets.len() > 1 {
        let (start, copies): (usize, Vec<Vec<u8>>) = (first, out.states_from(first).map(<[u8]>::to_vec).collect());
        out.truncate(start);
        for copy in &copies {
            targets.iter().for_each(|_| out.push(copy));
        }
    }
    let (bytes, ends) = out.parts();
    let mut start = if first == 0 { 0 } else { ends[first - 1] as usize };
    for (i, end) in ends[first..].iter().enumerate() {
        let target = targets[i % targets.len()].0;
        bytes[start + at.offset] = target as u8;
        if at.wide {
            bytes[start + at.offset + 1] = (target >> 8) as u8;
        }
        start = *end as usize;
    }
}
