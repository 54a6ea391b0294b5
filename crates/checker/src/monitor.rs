//! Monitors: what the outside learns about a check while it runs, and how it stops one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kripke_search::Progress;

use crate::answer::Answer;

/// The phases of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The model is read.
    Reading,
    /// A question is translated, the model simplified and compiled.
    Preparing,
    /// States are explored.
    Searching,
    /// A counterexample is replayed and judged.
    Confirming,
    /// A finished answer is handed on.
    Writing,
}

impl Phase {
    /// Completes "out of time while …".
    pub fn words(self) -> &'static str {
        match self {
            Phase::Reading => "reading the model",
            Phase::Preparing => "preparing the search",
            Phase::Searching => "searching",
            Phase::Confirming => "confirming what was found",
            Phase::Writing => "writing what was found",
        }
    }
}

/// Listens to a check. Every method has a default that does nothing.
pub trait Monitor: Sync {
    /// The check enters a phase.
    fn phase(&self, phase: Phase) {
        let _ = phase;
    }

    /// The text of the model gave warnings, rendered for a terminal; perhaps none.
    fn warnings(&self, text: &str) {
        let _ = text;
    }

    /// An option has no effect, or the answer may surprise.
    fn warn(&self, message: &str) {
        let _ = message;
    }

    /// The model is read; so many questions will be answered.
    fn questions(&self, count: usize) {
        let _ = count;
    }

    /// A search begins. The monitor must call `search` once, and may read the progress meanwhile.
    fn search(&self, progress: &Arc<Progress>, memory: Option<u64>, search: &mut dyn FnMut()) {
        let _ = (progress, memory);
        search();
    }

    /// A question is answered. A shorter counterexample may still be looked for.
    fn answered(&self, answer: &Answer) {
        let _ = answer;
    }

    /// An answer is final.
    fn finished(&self, answer: &Answer) {
        let _ = answer;
    }

    /// A flag that stops the search when it is set.
    fn interrupt(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// A flag that is set while the program has more memory than it may have.
    fn memory_full(&self) -> Option<Arc<AtomicBool>> {
        None
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Monitor for Silent {}
