//! Lifting: from a path of representatives to a run of the original model.

use super::Symmetry;
use super::canonical::Scratch;
use super::permutation::Permutation;
use kripke_model::interpret::Interpreter;
use kripke_model::trail::{Ending, Trail};
use kripke_model::{Batch, Choice, Finding, State, Successors};

/// A run of the original model.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// Its choices in the original model.
    pub trail: Trail,
    /// The finding at its end, if there is one.
    pub finding: Option<Finding>,
    /// True if terminations were inserted.
    pub ends: bool,
}

/// The most repetitions of a cycle until the permutation is the identity.
const MAX_TURNS: usize = 1000;

impl Symmetry {
    /// Lifts a trail of [representatives](super::Symmetric) of the [searched model](Symmetry::model) to the original.
    /// None if that fails, which is a bug.
    pub fn lift(&self, trail: &Trail, searched: &mut Interpreter, original: &mut Interpreter) -> Option<Lifted> {
        let mut walk = Walk::new(self, searched);
        let mut run = Run::new(original);
        let Ending::Cycle(start) = trail.ending else {
            for choice in &trail.choices {
                let next = walk.step(*choice, searched)?;
                run.follow(&next, original)?;
            }
            return self.end(trail.ending, &walk, run, searched, original);
        };
        let (stem, cycle) = trail.choices.split_at_checked(start as usize)?;
        for choice in stem {
            let next = walk.step(*choice, searched)?;
            run.follow(&next, original)?;
        }
        let mut turns = vec![(run.state.clone(), run.choices.len())];
        while turns.len() <= MAX_TURNS {
            for choice in cycle {
                let next = walk.step(*choice, searched)?;
                run.follow(&next, original)?;
            }
            if let Some((_, first)) = turns.iter().find(|(state, _)| *state == run.state) {
                let ending = Ending::Cycle(*first as u32);
                return Some(Lifted { trail: Trail { choices: run.choices, ending }, finding: None, ends: run.ends });
            }
            turns.push((run.state.clone(), run.choices.len()));
        }
        None
    }

    fn end(
        &self,
        ending: Ending,
        walk: &Walk<'_>,
        mut run: Run,
        searched: &mut Interpreter,
        original: &mut Interpreter,
    ) -> Option<Lifted> {
        let (mut ending, mut finding) = (ending, None);
        match ending {
            Ending::InvalidEnd => while run.terminate(original) {},
            Ending::Finding(n) => {
                let mut batch = Batch::new();
                searched.expand(&walk.state, Choice::All, &mut batch);
                let found = batch.findings().get(n as usize)?.clone();
                let pid = walk.real(found.pid);
                let is = |other: &Finding| {
                    let same = std::mem::discriminant(&other.kind) == std::mem::discriminant(&found.kind);
                    same && (other.pid, other.edge) == (pid, found.edge)
                };
                let (number, real) = loop {
                    batch.clear();
                    original.expand(&run.state, Choice::All, &mut batch);
                    if let Some(number) = batch.findings().iter().position(is) {
                        break (number, batch.findings()[number].clone());
                    }
                    if !run.terminate(original) {
                        return None;
                    }
                };
                (ending, finding) = (Ending::Finding(number as u32), Some(real));
            }
            Ending::State | Ending::Goal | Ending::BadPrefix | Ending::Cycle(_) => {}
        }
        Some(Lifted { trail: Trail { choices: run.choices, ending }, finding, ends: run.ends })
    }
}

/// A path of representatives.
struct Walk<'s> {
    symmetry: &'s Symmetry,
    /// The representative, and the process at each position of it.
    state: Vec<u8>,
    permutation: Permutation,
    scratch: Scratch,
    batch: Batch,
}

impl<'s> Walk<'s> {
    fn new(symmetry: &'s Symmetry, searched: &Interpreter) -> Walk<'s> {
        let mut state = searched.initial_state().to_vec();
        let mut scratch = Scratch::default();
        symmetry.permutations.canonicalise(&mut state, &mut scratch);
        let permutation = scratch.permutation.clone();
        Walk { symmetry, state, permutation, scratch, batch: Batch::new() }
    }

    /// Continues with a successor. The state that corresponds to it without permutations.
    fn step(&mut self, choice: u32, searched: &mut Interpreter) -> Option<Vec<u8>> {
        let permutations = &self.symmetry.permutations;
        self.batch.clear();
        searched.expand(&self.state, Choice::All, &mut self.batch);
        if choice as usize >= self.batch.len() {
            return None;
        }
        let mut next = self.batch.state(choice as usize).to_vec();
        let mut real = next.clone();
        if permutations.applies(&next) {
            permutations.permute(&next, &inverse(&self.permutation), &mut real);
        }
        permutations.canonicalise(&mut next, &mut self.scratch);
        for (permutation, moved) in self.permutation.iter_mut().zip(&self.scratch.permutation) {
            *permutation = moved.iter().map(|position| permutation[*position]).collect();
        }
        self.state = next;
        Some(real)
    }

    /// The process at the position of this one.
    fn real(&self, pid: u8) -> u8 {
        for (members, permutation) in self.symmetry.groups.iter().zip(&self.permutation) {
            if let Some(position) = members.iter().position(|member| *member == usize::from(pid)) {
                return members[permutation[position]] as u8;
            }
        }
        pid
    }
}

fn inverse(permutation: &Permutation) -> Permutation {
    let invert = |permutation: &Vec<usize>| {
        let mut inverse = vec![0; permutation.len()];
        permutation.iter().enumerate().for_each(|(position, member)| inverse[*member] = position);
        inverse
    };
    permutation.iter().map(invert).collect()
}

/// A run of the original model, in which some of the youngest processes may have ended.
struct Run {
    state: Vec<u8>,
    /// The length of the state before any process ended.
    whole: usize,
    choices: Vec<u32>,
    ends: bool,
    batch: Batch,
}

impl Run {
    fn new(original: &Interpreter) -> Run {
        let state = original.initial_state().to_vec();
        Run { whole: state.len(), state, choices: Vec::new(), ends: false, batch: Batch::new() }
    }

    /// Continues with a state, after terminations if it cannot be reached otherwise.
    fn follow(&mut self, next: &State, original: &mut Interpreter) -> Option<()> {
        loop {
            let wanted = if self.state.len() == self.whole { next } else { &next[..self.state.len()] };
            self.batch.clear();
            original.expand(&self.state, Choice::All, &mut self.batch);
            let exact = self.batch.states().position(|state| state == wanted);
            // With an observer, the step may be the termination of a process.
            let fewer = |state: &State| state.len() < self.state.len() && next.starts_with(state);
            let choice = exact.or_else(|| self.batch.states().position(fewer));
            if let Some(choice) = choice {
                self.whole = next.len();
                self.ends |= exact.is_none();
                self.take(choice);
                return Some(());
            }
            if !self.terminate(original) {
                return None;
            }
        }
    }

    /// Executes a termination, if one is enabled.
    fn terminate(&mut self, original: &mut Interpreter) -> bool {
        self.batch.clear();
        original.expand(&self.state, Choice::All, &mut self.batch);
        let fewer = |state: &State| state.len() < self.state.len() && self.state.starts_with(state);
        let choice = self.batch.states().position(fewer);
        choice.into_iter().for_each(|choice| self.take(choice));
        self.ends |= choice.is_some();
        choice.is_some()
    }

    fn take(&mut self, choice: usize) {
        self.choices.push(choice as u32);
        self.state = self.batch.state(choice).to_vec();
    }
}
