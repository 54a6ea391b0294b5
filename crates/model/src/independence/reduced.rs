//! Successors of which some are put aside.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Audit, Independence, Keeping, Movers};
use crate::successors::{Batch, Choice, Flags, Parts, State, Successors};

/// Knows which successors of a state can wait.
#[derive(Debug)]
pub struct Reduced<S> {
    pub successors: S,
    independence: Arc<Independence>,
    parts: Parts,
    movers: Movers,
    luck: Luck,
    audit: Option<Audit>,
}

/// Whether it is worth looking for moves to leave out. Where it seldom is, most states are not looked at so closely.
#[derive(Default, Debug)]
struct Luck {
    tries: u32,
    hits: u32,
    /// States still to be passed over.
    pause: u32,
}

impl Luck {
    /// So many tries show whether it is worth it: if one in so many succeeds. If not, there is a long pause.
    const TRIES: u32 = 1 << 10;
    const WORTH: u32 = Luck::TRIES / 32;
    const PAUSE: u32 = 16 * Luck::TRIES;

    fn tries(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.tries == Luck::TRIES {
            let pause = if self.hits < Luck::WORTH { Luck::PAUSE } else { 0 };
            *self = Luck { pause, ..Luck::default() };
        }
        self.tries += 1;
        true
    }
}

impl<S> Reduced<S> {
    pub fn new(successors: S, independence: Arc<Independence>) -> Reduced<S> {
        let (parts, movers, luck) = (Parts::default(), Movers::default(), Luck::default());
        Reduced { successors, independence, parts, movers, luck, audit: None }
    }

    /// Tries out whether what is put aside may wait.
    #[must_use]
    pub fn auditing(self, audit: Option<Audit>) -> Reduced<S> {
        Reduced { audit, ..self }
    }
}

impl<S: Successors> Successors for Reduced<S> {
    fn uncompared(&self) -> usize {
        self.successors.uncompared()
    }

    fn processes(&mut self, state: &State) -> u8 {
        self.successors.processes(state)
    }

    fn atoms(&mut self, state: &State) -> u64 {
        self.successors.atoms(state)
    }

    fn steps(&mut self, state: &State, out: &mut Vec<Vec<u32>>) {
        self.successors.steps(state, out);
    }

    fn marks(&mut self, state: &State, out: &mut Vec<u32>) {
        self.successors.marks(state, out);
    }

    fn initial(&mut self, out: &mut Batch) {
        self.successors.initial(out);
    }

    fn plain<'s>(&mut self, state: &'s State) -> Cow<'s, State> {
        self.successors.plain(state)
    }

    fn expand(&mut self, state: &State, choice: Choice, out: &mut Batch) -> Flags {
        self.successors.expand(state, choice, out)
    }

    fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Flags {
        self.successors.expand_parts(state, out, parts)
    }

    fn expand_ample(&mut self, state: &State, out: &mut Batch, rest: &mut Batch) -> Flags {
        let Reduced { successors, independence, parts, movers, luck, audit } = self;
        // Runs that never end need all states to be judged by themselves alone.
        if independence.keeping == Keeping::Errors && !luck.tries() {
            return successors.expand(state, Choice::All, out);
        }
        let findings = out.findings().len();
        let flags = successors.expand_parts(state, out, parts);
        if out.findings().len() > findings {
            return flags;
        }
        if let Some(chosen) = independence.choose(parts, movers) {
            luck.hits += 1;
            independence.serve();
            if let Some(audit) = audit {
                audit.look(&successors.plain(state), chosen.set);
            }
            parts.keep(chosen.set, out, chosen.watched.then_some(rest));
        }
        flags
    }
}
