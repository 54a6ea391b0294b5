//! A complete exploration by the interpreter.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use kripke_model::interpret::Target;
use kripke_model::{Batch, Choice, FindingKind, Flags, Interpreter, Successors};

/// The size of a state space and the errors in it.
#[derive(Default, Debug)]
pub struct Counts {
    states: usize,
    transitions: usize,
    assertions: usize,
    faults: usize,
    endless: usize,
    deadlocks: usize,
    goals: usize,
    bad_prefixes: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states, {} transitions", self.states, self.transitions)?;
        let errors = [
            (self.assertions, "assertions"),
            (self.faults, "faults"),
            (self.endless, "endless sequences"),
            (self.deadlocks, "deadlocks"),
            (self.goals, "goals"),
            (self.bad_prefixes, "caught"),
        ];
        errors.iter().filter(|(count, _)| *count > 0).try_for_each(|(count, what)| write!(f, ", {count} {what}"))
    }
}

impl Counts {
    fn add(&mut self, flags: Flags, batch: &Batch) {
        self.transitions += batch.len();
        self.deadlocks += usize::from(flags.invalid_end);
        self.goals += usize::from(flags.goal);
        self.bad_prefixes += usize::from(flags.bad_prefix);
        for finding in batch.findings() {
            match finding.kind {
                FindingKind::Assertion => self.assertions += 1,
                FindingKind::Fault(_) => self.faults += 1,
                FindingKind::EndlessSequence => self.endless += 1,
            }
        }
    }
}

/// Visits all reachable states. Every successor must have an explanation that leads to it.
pub fn explore(mut interpreter: Interpreter) -> Counts {
    let mut batch = Batch::new();
    interpreter.initial(&mut batch);
    let mut seen: HashSet<Vec<u8>> = batch.states().map(<[u8]>::to_vec).collect();
    let mut queue: VecDeque<Vec<u8>> = seen.iter().cloned().collect();
    let mut counts = Counts::default();
    while let Some(state) = queue.pop_front() {
        batch.clear();
        let flags = interpreter.expand(&state, Choice::All, &mut batch);
        counts.add(flags, &batch);
        for (i, next) in batch.states().enumerate() {
            let moves = interpreter.explain(&state, Target::Successor(i)).expect("every successor is explained");
            assert_eq!(moves.last().and_then(|m| m.to.as_ref()).map(|to| &*to.state), Some(next));
            if seen.insert(next.to_vec()) {
                queue.push_back(next.to_vec());
            }
        }
    }
    counts.states = seen.len();
    counts
}
