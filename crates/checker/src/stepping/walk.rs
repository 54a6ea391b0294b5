//! Several steps at once: random ones, and steps until a condition holds.

use std::fmt;

use kripke_model::ir::Expr;
use kripke_report::number::counted;

use super::{ConditionError, Session};

/// Several steps that were taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walked {
    /// The number of steps.
    pub steps: usize,
    /// Why no more were taken.
    pub stop: Stop,
}

/// The reason why a walk stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// As many steps were taken as were allowed.
    Steps,
    /// As many steps were taken as were allowed, and the condition did not hold after any of them.
    Unmet,
    /// The condition holds.
    Condition,
    /// The condition can't be evaluated in this state.
    Fault,
    /// The trail ends here.
    TrailEnd,
    /// No process can move.
    NoMove,
    /// The last step has an error.
    Error,
}

impl fmt::Display for Walked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = counted(self.steps as u64, "step");
        match self.stop {
            Stop::Steps => write!(f, "{steps} taken"),
            Stop::Unmet => write!(f, "the condition did not hold in {steps}"),
            Stop::Condition => write!(f, "the condition holds after {steps}"),
            Stop::Fault => write!(f, "stopped after {steps}: the condition can't be evaluated in this state"),
            Stop::TrailEnd => write!(f, "stopped after {steps}: the trail ends here"),
            Stop::NoMove => write!(f, "stopped after {steps}: no process can move"),
            Stop::Error => write!(f, "stopped after {steps}: an error"),
        }
    }
}

impl Session {
    /// Takes random moves, at most this many.
    pub fn random(&mut self, steps: usize) -> Walked {
        self.dropped = 0;
        let walked = self.walk(steps, |session| session.random_move(), |_| None);
        self.arrive();
        walked
    }

    /// Goes on along the run, and with random moves where it ends, until a condition holds: an expression in the language of the
    /// model. It takes at least one step and at most this many. A trail is not left.
    pub fn until(&mut self, condition: &str, steps: usize) -> Result<Walked, ConditionError> {
        let condition = self.condition(condition)?;
        self.dropped = 0;
        let walked = self.walk(steps, Session::onward, |session| session.judge(&condition));
        self.arrive();
        let stop = if walked.stop == Stop::Steps { Stop::Unmet } else { walked.stop };
        Ok(Walked { stop, ..walked })
    }

    /// Takes steps until one of the functions says why to stop.
    fn walk(
        &mut self,
        most: usize,
        mut step: impl FnMut(&mut Session) -> Option<Stop>,
        mut judge: impl FnMut(&mut Session) -> Option<Stop>,
    ) -> Walked {
        for steps in 0..most {
            if let Some(stop) = step(self) {
                return Walked { steps, stop };
            }
            if let Some(stop) = judge(self) {
                return Walked { steps: steps + 1, stop };
            }
        }
        Walked { steps: most, stop: Stop::Steps }
    }

    /// A step along the run, or a random move at its end.
    fn onward(&mut self) -> Option<Stop> {
        match self.at < self.len() {
            true => {
                self.at += 1;
                None
            }
            false if self.is_on_trail() => Some(Stop::TrailEnd),
            false => self.random_move(),
        }
    }

    fn random_move(&mut self) -> Option<Stop> {
        if self.run.ends_at(self.at) || (self.at == self.len() && self.at > 0 && self.has_failed()) {
            return Some(Stop::Error);
        }
        let mut moves = self.enabled();
        if moves.is_empty() {
            return Some(Stop::NoMove);
        }
        let chosen = moves.swap_remove(self.random.below(moves.len()));
        self.follow(chosen);
        None
    }

    /// Whether the last step of the run has an error, after which a walk does not go on by itself.
    fn has_failed(&self) -> bool {
        self.run.moves().last().is_some_and(|last| !last.findings.is_empty())
    }

    fn judge(&mut self, condition: &Expr) -> Option<Stop> {
        let state = self.run.point(self.at).state;
        match self.interpreter.holds(condition, &state) {
            Some(true) => Some(Stop::Condition),
            Some(false) => None,
            None => Some(Stop::Fault),
        }
    }
}
