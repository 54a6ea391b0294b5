//! Verdicts on transition systems written in Rust.

use std::fmt;

use kripke_search::Limit;

/// The verdict on one property.
#[derive(Clone, Debug)]
pub enum SystemVerdict<S> {
    /// Every state that the property is about was explored, and it holds.
    Holds {
        /// Stored states.
        states: u64,
        /// Executed transitions.
        transitions: u64,
    },
    /// A run violates the property. It was executed again and judged by the definition of the property.
    Violated(Box<SystemRun<S>>),
    /// A limit ended the search.
    Inconclusive(Limit),
}

/// A run of a transition system.
#[derive(Clone, Debug)]
pub struct SystemRun<S> {
    /// The steps, each with the state before it.
    pub steps: Vec<SystemStep<S>>,
    /// The last state.
    pub last: S,
    /// For a run that never ends: the step to which the last state returns. A system without steps repeats its last state.
    pub cycle: Option<usize>,
}

/// One step of a run.
#[derive(Clone, Debug)]
pub struct SystemStep<S> {
    /// The state before the step.
    pub from: S,
    /// The process that takes the step. A system without steps stutters: no process moves.
    pub process: Option<u8>,
    /// The name of the action.
    pub action: String,
}

impl<S> SystemVerdict<S> {
    /// Whether the property holds.
    pub fn holds(&self) -> bool {
        matches!(self, SystemVerdict::Holds { .. })
    }

    /// The run that violates the property.
    pub fn counterexample(&self) -> Option<&SystemRun<S>> {
        match self {
            SystemVerdict::Violated(run) => Some(run),
            _ => None,
        }
    }
}

impl<S: fmt::Debug> fmt::Display for SystemRun<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, SystemStep { from, process, action }) in self.steps.iter().enumerate() {
            if self.cycle == Some(number) {
                writeln!(f, "the cycle:")?;
            }
            let process = process.map_or(String::new(), |process| format!("process {process}: "));
            writeln!(f, "{from:?}\n  {process}{action}")?;
        }
        writeln!(f, "{:?}", self.last)
    }
}
