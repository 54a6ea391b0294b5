//! Stepping through runs of a model: the state of an interactive simulation or replay, without a screen.
//!
//! A [`Session`] is a run, a position in it and the moves that are enabled there. It goes forward and back, takes moves, takes random
//! ones, runs until a condition holds, and gives the run as a trail file. Front ends send commands and draw what the session has:
//! the plain one, the full-screen one, and others.

mod open;
mod origin;
mod remark;
mod save;
mod walk;
mod watch;

use std::collections::HashMap;

use kripke_model::interpret::Move;
use kripke_model::ir::Expr;
use kripke_model::layout::View;
use kripke_model::{Interpreter, Random};
use kripke_report::chart::{Chart, chart};
use kripke_report::names::Names;
use kripke_report::run::{End, Run};
use kripke_report::stepping::Value;

pub use open::{OpenError, Opened};
pub use origin::{ConditionError, Origin};
pub use remark::Remark;
pub use save::Saved;
pub use walk::{Stop, Walked};

use origin::Remembered;
use watch::Watch;

/// An interactive simulation or replay. After a step back, the rest of the run is kept until another move is taken.
#[derive(Debug)]
pub struct Session {
    interpreter: Interpreter,
    run: Run,
    names: Names,
    at: usize,
    moves: Vec<Move>,
    /// The trail that is replayed.
    trail: Option<Run>,
    /// The step at which the trail was left.
    left: Option<usize>,
    /// The number of steps that the last move has dropped.
    dropped: usize,
    /// Counts changes of the run, so that views of it can be kept.
    revision: u64,
    random: Random,
    watches: Vec<Watch>,
    /// Their values in the current state.
    watched: Vec<Value>,
    /// Expressions that were evaluated, as they were read.
    evaluated: HashMap<String, Expr>,
    origin: Origin,
    texts: Remembered,
}

impl Session {
    /// A session at the start of a run: one without moves for a simulation, a replayed one for a trail.
    pub fn new(interpreter: Interpreter, run: Run, origin: Origin, seed: u64) -> Session {
        let names = run.names();
        let trail = origin.is_trail().then(|| run.clone());
        let texts = Remembered::new(interpreter.model());
        let random = Random::new(seed);
        let mut session = Session {
            interpreter,
            run,
            names,
            at: 0,
            moves: Vec::new(),
            trail,
            left: None,
            dropped: 0,
            revision: 0,
            random,
            watches: Vec::new(),
            watched: Vec::new(),
            evaluated: HashMap::new(),
            origin,
            texts,
        };
        session.arrive();
        session
    }

    /// The run, with the steps after the current one.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The names of its processes.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The number of steps before the current state.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The number of steps of the run.
    pub fn len(&self) -> usize {
        self.run.moves().len()
    }

    /// Whether the run has no steps.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The moves that are enabled in the current state.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// A number that changes with the run.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether a trail is replayed, left or not.
    pub fn is_replay(&self) -> bool {
        self.trail.is_some()
    }

    /// Whether the run is the trail that is replayed.
    pub fn is_on_trail(&self) -> bool {
        self.trail.is_some() && self.left.is_none()
    }

    /// The step at which the trail was left.
    pub fn left(&self) -> Option<usize> {
        self.left
    }

    /// The kind and the name of the property that the trail violates.
    pub fn property(&self) -> Option<(&str, &str)> {
        self.origin.property().filter(|_| self.is_on_trail())
    }

    /// Whether a move is the next one of the run.
    pub fn is_next(&self, chosen: &Move) -> bool {
        let Some(next) = self.run.moves().get(self.at) else { return false };
        let leads = (!self.run.ends_at(self.at + 1)).then(|| self.run.view(self.at + 1));
        let to = chosen.to.as_ref().map(|point| self.interpreter.layout().view(&point.state));
        is_same_move(next, chosen) && leads.as_ref().map(system) == to.as_ref().map(system)
    }

    /// Takes the enabled move with this index. Returns false if there is none.
    pub fn take(&mut self, index: usize) -> bool {
        let Some(chosen) = self.moves.get(index).cloned() else { return false };
        self.dropped = 0;
        self.follow(chosen);
        self.arrive();
        true
    }

    /// The announcement of dropped steps was seen, and is not made again.
    pub fn announced(&mut self) {
        self.dropped = 0;
    }

    /// Goes on along the run. Returns false at its end.
    pub fn forward(&mut self) -> bool {
        let more = self.at < self.len();
        if more {
            self.go(self.at + 1);
        }
        more
    }

    /// Goes back by at most `steps` steps. Returns false at the start.
    pub fn back(&mut self, steps: usize) -> bool {
        let moves = self.at > 0;
        self.go(self.at.saturating_sub(steps));
        moves
    }

    /// Goes to a step of the run. Returns false if the run is shorter.
    pub fn jump(&mut self, step: usize) -> bool {
        let exists = step <= self.len();
        if exists {
            self.go(step);
        }
        exists
    }

    /// Returns to the trail, at the step at which it was left. Returns false if it was not left.
    pub fn rejoin(&mut self) -> bool {
        let (Some(trail), Some(left)) = (&self.trail, self.left) else { return false };
        self.run = trail.clone();
        self.names = self.run.names();
        self.left = None;
        self.revision += 1;
        self.go(left);
        true
    }

    /// The message sequence chart of a part of the run. Messages that were sent before are in their channels.
    pub fn chart(&mut self, from: usize, to: usize) -> Chart {
        let part = self.run.part(from, to);
        chart(&part, &self.names, &mut self.interpreter, false)
    }

    fn go(&mut self, step: usize) {
        self.at = step;
        self.dropped = 0;
        self.arrive();
    }

    /// Makes a move the next one of the run, and goes there. If it is another one, the rest of the run is dropped.
    fn follow(&mut self, chosen: Move) {
        if !self.is_next(&chosen) {
            if self.is_on_trail() {
                self.left = Some(self.at);
            }
            self.dropped += self.len() - self.at;
            self.run.rewind(self.at);
            let finding = chosen.findings.first().cloned();
            self.run.push(chosen);
            self.names.observe(&self.run.view(self.at + 1));
            if let Some(finding) = finding {
                self.run.finish(End::Finding(finding));
            }
            self.revision += 1;
        }
        self.at += 1;
    }

    /// Computes the moves of the current state.
    fn arrive(&mut self) {
        self.moves = self.enabled();
        self.watched = self.watch_values();
        if self.is_stuck() && *self.run.end() == End::Fine && !self.is_on_trail() {
            let state = self.run.point(self.at).state;
            if self.interpreter.invalid_end(&state) {
                self.run.finish(End::InvalidEnd);
            }
        }
    }

    fn enabled(&mut self) -> Vec<Move> {
        let ended = self.run.ends_at(self.at);
        if ended { Vec::new() } else { self.interpreter.moves(&self.run.point(self.at)) }
    }

    /// Whether the run can't go on: no move is enabled in its last state, which is no fault.
    fn is_stuck(&self) -> bool {
        self.at == self.len() && self.moves.is_empty() && !self.run.ends_at(self.at)
    }
}

/// The part of a state that the observer does not have.
fn system(view: &View) -> impl PartialEq + '_ {
    (&view.globals, &view.processes, &view.channels)
}

/// Whether two moves execute the same statements.
fn is_same_move(one: &Move, other: &Move) -> bool {
    let key = |m: &Move| (m.pid, m.process, m.edge, m.partner);
    key(one) == key(other) && one.chain == other.chain && one.others == other.others
}
