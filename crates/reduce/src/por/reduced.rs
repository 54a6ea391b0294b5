//! Successors of which some are put aside.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Audit, Independence, Keeping, Movers};
use kripke_model::{Batch, Choice, FindingKind, Flags, Parts, State, Successors};

/// Knows which successors of a state can wait.
#[derive(Debug)]
pub struct Reduced<S> {
    pub successors: S,
    independence: Arc<Independence>,
    parts: Parts,
    movers: Movers,
    /// Whether to look for moves to leave out at all, and if so, at gates.
    luck: Luck,
    gates: Luck,
    audit: Option<Audit>,
}

/// Whether it is worth looking for moves to leave out. Where few are, most states are not looked at so closely.
#[derive(Debug)]
struct Luck {
    /// How many more, until that is judged.
    tries: u32,
    /// Moves there were, and moves left out.
    moves: usize,
    saved: usize,
    /// States still to be passed over, and how many the last time.
    pause: u32,
    last: u32,
}

impl Luck {
    /// So many more tries show whether it is worth it: if one move in so many is saved. If not, there is a pause, the
    /// longer the more often that happens.
    const TRIES: u32 = 1 << 8;
    const WORTH: usize = 16;
    const PAUSES: (u32, u32) = (16 * Luck::TRIES, 256 * Luck::TRIES);

    /// To be judged after so many tries for the first time.
    fn after(tries: u32) -> Luck {
        Luck { tries, moves: 0, saved: 0, pause: 0, last: 0 }
    }

    fn tries(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if self.tries == 0 {
            let worth = self.saved * Luck::WORTH >= self.moves;
            let (least, most) = Luck::PAUSES;
            let pause = if worth { 0 } else { (2 * self.last).clamp(least, most) };
            *self = Luck { pause, last: pause, ..Luck::after(Luck::TRIES) };
            return pause == 0;
        }
        self.tries -= 1;
        true
    }
}

impl<S> Reduced<S> {
    pub fn new(successors: S, independence: Arc<Independence>) -> Reduced<S> {
        let (parts, movers) = (Parts::default(), Movers::default());
        // Small models are looked at closely, but for gates, which cost more.
        let (luck, gates) = (Luck::after(1 << 12), Luck::after(1 << 9));
        Reduced { successors, independence, parts, movers, luck, gates, audit: None }
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

    fn movers(&mut self, state: &State, out: &mut kripke_model::Movers) {
        self.successors.movers(state, out);
    }

    fn atoms(&mut self, state: &State) -> Option<u64> {
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
        let Reduced { successors, independence, parts, movers, luck, gates, audit } = self;
        // Runs that never end need all states to be judged by themselves alone.
        let always = independence.keeping == Keeping::Runs;
        if !always && !luck.tries() {
            return successors.expand(state, Choice::All, out);
        }
        let findings = out.findings().len();
        let flags = successors.expand_parts(state, out, parts);
        // Where a step was not taken, it is not known who can move.
        if out.findings()[findings..].iter().any(|finding| finding.kind != FindingKind::Assertion) {
            return flags;
        }
        let (first, all) = (parts.first, out.len());
        let mut looked = false;
        let chosen = independence.choose(state, parts, movers, || {
            looked = always || gates.tries();
            looked
        });
        if let Some(chosen) = chosen {
            independence.serve();
            if let Some(audit) = audit {
                audit.look(&successors.plain(state), chosen.set);
            }
            parts.keep(chosen.set, out, chosen.watched.then_some(rest));
            gates.saved += chosen.saved_by_gates;
        }
        gates.moves += if looked { all - first } else { 0 };
        luck.moves += all - first;
        luck.saved += all - out.len();
        flags
    }
}
