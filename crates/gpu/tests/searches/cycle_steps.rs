//! The steps of a search for accepting cycles, as sets of states.

use std::collections::{HashMap, HashSet};

use kripke_model::State;
use kripke_search::CycleStep;

#[derive(Default)]
pub struct CycleSteps {
    pub accepting: HashSet<Vec<u8>>,
    pub inside: HashSet<Vec<u8>>,
    pub queue: Vec<Vec<u8>>,
    step: Option<CycleStep>,
    /// States that were reached, or visited by a round.
    seen: HashSet<Vec<u8>>,
    /// The number of transitions from states that were reached.
    degree: HashMap<Vec<u8>, usize>,
    start: Vec<u8>,
    pub has_come_round: bool,
}

impl CycleSteps {
    pub fn begin(&mut self, step: CycleStep, known: &HashSet<Vec<u8>>) {
        assert!(self.queue.is_empty(), "the step before has ended");
        self.step = Some(step);
        match step {
            CycleStep::Include => self.inside = known.clone(),
            CycleStep::Reach => {
                self.degree.clear();
                self.seen = self.inside.intersection(&self.accepting).cloned().collect();
                self.queue = self.seen.iter().cloned().collect();
            }
            CycleStep::Eliminate => {
                let (inside, without) = self.seen.drain().partition(|state| self.degree.contains_key(state));
                (self.inside, self.queue) = (inside, Vec::from_iter::<HashSet<_>>(without));
            }
            CycleStep::Rounds => self.seen.clear(),
        }
    }

    pub fn begin_round(&mut self, state: &State) -> bool {
        self.start = state.to_vec();
        self.has_come_round = false;
        self.queue.clear();
        let is_new = self.inside.contains(state) && self.seen.insert(state.to_vec());
        self.queue.extend(is_new.then(|| state.to_vec()));
        is_new
    }

    pub fn candidates(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.inside.iter().filter(|state| self.accepting.contains(*state) && !self.seen.contains(*state))
    }

    pub fn tell(&mut self, state: &State) {
        self.has_come_round |= self.step == Some(CycleStep::Rounds) && self.start == state;
        if !self.inside.contains(state) {
            return;
        }
        let degree = self.degree.entry(state.to_vec()).or_default();
        match self.step {
            Some(CycleStep::Eliminate) => {
                *degree -= 1;
                if *degree == 0 {
                    self.inside.remove(state);
                    self.queue.push(state.to_vec());
                }
            }
            _ => {
                *degree += 1;
                if self.seen.insert(state.to_vec()) {
                    self.queue.push(state.to_vec());
                }
            }
        }
    }
}
