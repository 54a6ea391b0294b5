//! Announcements about the current position of a session.

use std::fmt;

use kripke_report::number::counted;
use kripke_report::run::{End, Run};
use kripke_report::{screen, stepping};

use super::Session;

/// Something to know about the current position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// The last move left the trail, after this many steps of it.
    Left(usize),
    /// The last move dropped the rest of the run, this many steps.
    Dropped(usize),
    /// The cycle starts here: its first and its last step.
    CycleStart(usize, usize),
    /// The cycle ends here: its first and its last step.
    CycleEnd(usize, usize),
    /// The last state repeats for ever.
    LastStateRepeats,
    /// The end of the trail, after this many steps.
    TrailEnd(usize),
    /// The error at the end of the run: what is wrong, and where.
    Error(String),
    /// A valid end state: no process can move.
    ValidEnd,
    /// No process can move, but the trail goes on: only the automaton of the property moves.
    OnlyObserver,
}

impl Remark {
    /// Whether it is an error of the model.
    pub fn is_error(&self) -> bool {
        matches!(self, Remark::Error(_))
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Left(0) => f.write_str("the trail is left at its start"),
            Remark::Left(step) => write!(f, "the trail is left after step {step}"),
            Remark::Dropped(steps) => write!(f, "leaving the run here: {} dropped", counted(*steps as u64, "step")),
            Remark::CycleStart(first, last) if first == last => {
                write!(f, "the cycle starts here: step {first} repeats for ever")
            }
            Remark::CycleStart(first, last) => {
                write!(f, "the cycle starts here: steps {first} to {last} repeat for ever")
            }
            Remark::CycleEnd(first, _) => write!(f, "end of the cycle: step {first} follows again"),
            Remark::LastStateRepeats => f.write_str("cycle: no process can move, the last state repeats"),
            Remark::TrailEnd(steps) => write!(f, "end of the trail, {}", counted(*steps as u64, "step")),
            Remark::Error(what) => write!(f, "✗ {what}"),
            Remark::ValidEnd => f.write_str("valid end state: no process can move"),
            Remark::OnlyObserver => f.write_str("no process can move; the trail goes on with the property alone"),
        }
    }
}

impl Session {
    /// The error at the end of the trail that is replayed.
    pub fn verdict(&self) -> Option<Remark> {
        error(self.trail.as_ref()?, self.origin.property())
    }

    /// The announcements for the current position.
    pub fn remarks(&self) -> Vec<Remark> {
        let mut out = Vec::new();
        let last = self.at == self.len();
        if self.left.is_some_and(|left| left + 1 == self.at) {
            out.extend(self.left.map(Remark::Left));
        } else if self.dropped > 0 {
            out.push(Remark::Dropped(self.dropped));
        }
        if let Some((first, end)) = stepping::cycle(&self.run) {
            match (self.at + 1 == first, last) {
                (true, true) => out.push(Remark::LastStateRepeats),
                (true, false) => out.push(Remark::CycleStart(first, end)),
                (false, true) => out.push(Remark::CycleEnd(first, end)),
                (false, false) => {}
            }
        }
        if last && let Some(error) = error(&self.run, self.property()) {
            out.push(error);
        } else if self.is_stuck() && *self.run.end() == End::Fine {
            out.push(Remark::ValidEnd);
        } else if self.moves.is_empty() && !last {
            out.push(Remark::OnlyObserver);
        }
        if last && self.is_on_trail() {
            out.push(Remark::TrailEnd(self.len()));
        }
        out
    }
}

/// The error of a run.
fn error(run: &Run, property: Option<(&str, &str)>) -> Option<Remark> {
    let (what, place) = screen::verdict(run, property)?;
    Some(Remark::Error(place.map_or(what.clone(), |place| format!("{what}   {place}"))))
}
