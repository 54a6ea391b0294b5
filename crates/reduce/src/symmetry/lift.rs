//! From a way through representatives to a run.

use super::Symmetry;
use super::permutation::{Order, Room};
use kripke_model::interpret::Interpreter;
use kripke_model::trail::{Ending, Trail};
use kripke_model::{Batch, Choice, Finding, State, Successors};

/// A run of the original model.
#[derive(Clone, Debug)]
pub struct Lifted {
    pub trail: Trail,
    /// What it ends with, if that is a finding.
    pub finding: Option<Finding>,
    /// Whether processes had to end on the way.
    pub ends: bool,
}

/// How often a cycle is gone around until everybody is where they were.
const MAX_TURNS: usize = 1000;

impl Symmetry {
    /// Turns a trail of [representatives](super::Symmetric) of the [model](Symmetry::model) into one of the original. None if
    /// that can't be done, which is a bug.
    pub fn lift(&self, trail: &Trail, lasting: &mut Interpreter, original: &mut Interpreter) -> Option<Lifted> {
        let mut walk = Walk::new(self, lasting);
        let mut run = Run::new(original);
        let Ending::Cycle(start) = trail.ending else {
            for choice in &trail.choices {
                let next = walk.step(*choice, lasting)?;
                run.follow(&next, original)?;
            }
            return self.end(trail.ending, &walk, run, lasting, original);
        };
        let (stem, cycle) = trail.choices.split_at_checked(start as usize)?;
        for choice in stem {
            let next = walk.step(*choice, lasting)?;
            run.follow(&next, original)?;
        }
        let mut turns = vec![(run.state.clone(), run.choices.len())];
        while turns.len() <= MAX_TURNS {
            for choice in cycle {
                let next = walk.step(*choice, lasting)?;
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
        lasting: &mut Interpreter,
        original: &mut Interpreter,
    ) -> Option<Lifted> {
        let (mut ending, mut finding) = (ending, None);
        match ending {
            Ending::InvalidEnd => while run.die(original) {},
            Ending::Finding(n) => {
                let mut batch = Batch::new();
                lasting.expand(&walk.state, Choice::All, &mut batch);
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
                    if !run.die(original) {
                        return None;
                    }
                };
                (ending, finding) = (Ending::Finding(number as u32), Some(real));
            }
            Ending::State | Ending::Goal | Ending::Caught | Ending::Cycle(_) => {}
        }
        Some(Lifted { trail: Trail { choices: run.choices, ending }, finding, ends: run.ends })
    }
}

/// On the way from representative to representative.
struct Walk<'s> {
    symmetry: &'s Symmetry,
    /// The representative, and who is at each position of it.
    state: Vec<u8>,
    order: Order,
    room: Room,
    copy: Vec<u8>,
    batch: Batch,
}

impl<'s> Walk<'s> {
    fn new(symmetry: &'s Symmetry, lasting: &Interpreter) -> Walk<'s> {
        let mut state = lasting.initial_state().to_vec();
        let (mut room, mut copy) = (Room::default(), Vec::new());
        symmetry.action.canonical(&mut state, &mut room, &mut copy);
        let order = room.order.clone();
        Walk { symmetry, state, order, room, copy, batch: Batch::new() }
    }

    /// Goes on to a successor; gives the state that it is in fact.
    fn step(&mut self, choice: u32, lasting: &mut Interpreter) -> Option<Vec<u8>> {
        let action = &self.symmetry.action;
        self.batch.clear();
        lasting.expand(&self.state, Choice::All, &mut self.batch);
        if choice as usize >= self.batch.len() {
            return None;
        }
        let mut next = self.batch.state(choice as usize).to_vec();
        let mut real = next.clone();
        if action.applies(&next) {
            action.permute(&next, &inverse(&self.order), &mut real);
        }
        action.canonical(&mut next, &mut self.room, &mut self.copy);
        for (order, moved) in self.order.iter_mut().zip(&self.room.order) {
            *order = moved.iter().map(|position| order[*position]).collect();
        }
        self.state = next;
        Some(real)
    }

    /// The process that is at the position of this one.
    fn real(&self, pid: u8) -> u8 {
        for (members, order) in self.symmetry.groups.iter().zip(&self.order) {
            if let Some(position) = members.iter().position(|member| *member == usize::from(pid)) {
                return members[order[position]] as u8;
            }
        }
        pid
    }
}

fn inverse(order: &Order) -> Order {
    let invert = |order: &Vec<usize>| {
        let mut inverse = vec![0; order.len()];
        order.iter().enumerate().for_each(|(position, member)| inverse[*member] = position);
        inverse
    };
    order.iter().map(invert).collect()
}

/// A run of the original model, in which some of the youngest processes may have ended already.
struct Run {
    state: Vec<u8>,
    /// The same before any process ended.
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

    /// Goes on to a state, letting processes end if it can't be reached otherwise.
    fn follow(&mut self, next: &State, original: &mut Interpreter) -> Option<()> {
        loop {
            let wanted = if self.state.len() == self.whole { next } else { &next[..self.state.len()] };
            self.batch.clear();
            original.expand(&self.state, Choice::All, &mut self.batch);
            let exact = self.batch.states().position(|state| state == wanted);
            // Where somebody watches, the end of a process may be what is watched.
            let fewer = |state: &State| state.len() < self.state.len() && next.starts_with(state);
            let choice = exact.or_else(|| self.batch.states().position(fewer));
            if let Some(choice) = choice {
                self.whole = next.len();
                self.ends |= exact.is_none();
                self.take(choice);
                return Some(());
            }
            if !self.die(original) {
                return None;
            }
        }
    }

    /// Lets a process end, if one can.
    fn die(&mut self, original: &mut Interpreter) -> bool {
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
