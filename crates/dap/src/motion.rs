//! Motions along the run, and the reasons why they stop.

use kripke_model::Random;
use kripke_report::run::Run;
use serde_json::{Value, json};

use crate::breakpoints::Breakpoints;
use crate::client::Client;
use crate::debuggee::{Debuggee, Onward};
use crate::lines::{Counting, source};
use crate::{evaluate, frames};

/// A motion along the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Motion {
    /// None: the start of the session.
    Start,
    /// One step of the run.
    Next,
    /// Steps until a process has moved.
    Into(u8),
    /// Steps until a process has left the inline that it is in.
    Out(u8),
    /// One step back.
    Back,
    /// Steps until a breakpoint, an error, or the end. The breakpoints of the current state count if `here`.
    Continue { here: bool },
    /// Steps back until a breakpoint or the start.
    Reverse,
    /// To a step of the run.
    Jump(usize),
    /// The enabled move with this index.
    Take(usize),
    /// Steps until a condition holds, in which the names of a process are known.
    Until(String, Option<u8>),
    /// Back to the trail that was left.
    Rejoin,
}

/// The reason why a motion stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    reason: &'static str,
    text: String,
    pid: Option<u8>,
    ids: Vec<i64>,
}

impl Stop {
    fn new(reason: &'static str, text: impl Into<String>) -> Stop {
        Stop { reason, text: text.into(), pid: None, ids: Vec::new() }
    }

    /// Whether a request of the client stopped the motion.
    pub fn is_pause(&self) -> bool {
        self.reason == "pause"
    }

    /// The event for the client.
    pub fn event(&self, debuggee: &Debuggee) -> Value {
        let mut body = json!({
            "reason": self.reason,
            "description": capitalised(&debuggee.position()),
            "threadId": self.pid.map_or_else(|| frames::focus(debuggee), frames::thread),
            "allThreadsStopped": true,
        });
        if !self.text.is_empty() {
            body["text"] = json!(self.text);
        }
        if !self.ids.is_empty() {
            body["hitBreakpointIds"] = json!(self.ids);
        }
        body
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Moves along a run.
pub struct Mover<'a> {
    pub debuggee: &'a mut Debuggee,
    pub breakpoints: &'a Breakpoints,
    /// The names of the filters of errors that stop a motion.
    pub filters: &'a [String],
    pub client: &'a Client,
    pub counting: Counting,
    /// Steps that a motion takes at most.
    pub steps: usize,
    pub random: &'a mut Random,
}

impl Mover<'_> {
    pub fn go(&mut self, motion: &Motion) -> Stop {
        let stop = match motion {
            Motion::Start => Ok(Stop::new("entry", "")),
            Motion::Next => self.step().map(|()| Stop::new("step", "")),
            Motion::Into(pid) => self.until_moved(*pid),
            Motion::Out(pid) => self.out(*pid),
            Motion::Back => Ok(self.back()),
            Motion::Continue { here } => self.forward(*here),
            Motion::Reverse => Ok(self.reverse()),
            Motion::Jump(step) => {
                self.debuggee.jump(*step);
                Ok(Stop::new("goto", ""))
            }
            Motion::Take(index) => self.take(*index).map(|()| Stop::new("step", "")),
            Motion::Until(condition, pid) => self.until(condition, *pid),
            Motion::Rejoin => {
                self.debuggee.session.rejoin();
                Ok(Stop::new("goto", ""))
            }
        };
        stop.unwrap_or_else(|stop| stop)
    }

    /// One step, which may end with an error.
    fn step(&mut self) -> Result<(), Stop> {
        let cycle = self.debuggee.cycle();
        match self.debuggee.onward() {
            Onward::Step => {}
            Onward::Again => {
                let (first, last) = cycle.unwrap_or_default();
                self.client
                    .say(&format!("end of the cycle: the run goes on with step {first}; {first} to {last} repeat"));
            }
            Onward::End(why) => return Err(Stop::new("end", why)),
        }
        self.arrived()
    }

    fn take(&mut self, index: usize) -> Result<(), Stop> {
        if self.debuggee.session.take(index) {
            self.debuggee.laps = if self.debuggee.cycle().is_some() { self.debuggee.laps } else { 0 };
            return self.arrived();
        }
        Err(Stop::new("end", "there is no such move"))
    }

    /// Prints the output of the last step, and stops at an error.
    fn arrived(&mut self) -> Result<(), Stop> {
        self.print();
        match self.debuggee.error() {
            Some((filter, what)) if self.filters.iter().any(|chosen| chosen == filter) => {
                Err(Stop::new("exception", what))
            }
            _ => Ok(()),
        }
    }

    /// Prints the output of the last step.
    fn print(&self) {
        let run = self.debuggee.session.run();
        let taken = self.debuggee.session.at().checked_sub(1).and_then(|at| run.moves().get(at));
        let Some(taken) = taken.filter(|taken| !taken.output.is_empty()) else { return };
        let mut body = json!({ "category": "stdout", "output": taken.output });
        if let Some(executed) = Debuggee::executed(run, taken).first() {
            let (file, line) = Debuggee::lines(run, *executed)[0];
            body["source"] = source(run, file);
            body["line"] = json!(self.counting.shown(line));
        }
        self.client.event("output", body);
    }

    fn back(&mut self) -> Stop {
        match self.debuggee.back() {
            true => Stop::new("step", ""),
            false => Stop::new("entry", "this is the start of the run"),
        }
    }

    /// Goes on until `reached` says why to stop, for a limited number of steps that no trail determines.
    fn walk(
        &mut self,
        mut step: impl FnMut(&mut Self) -> Result<(), Stop>,
        mut reached: impl FnMut(&mut Self) -> Option<Stop>,
    ) -> Result<Stop, Stop> {
        let mut free = 0;
        while free < self.steps {
            if self.client.is_interrupted() {
                return Err(Stop::new("pause", ""));
            }
            free += usize::from(!self.debuggee.session.is_on_trail());
            step(self)?;
            if let Some(stop) = reached(self) {
                return Ok(stop);
            }
        }
        Err(Stop::new("step", format!("{free} steps were taken")))
    }

    fn forward(&mut self, here: bool) -> Result<Stop, Stop> {
        match self.at_breakpoint().filter(|_| here) {
            Some(stop) => Ok(stop),
            None => self.walk(Self::step, Self::at_breakpoint),
        }
    }

    fn reverse(&mut self) -> Stop {
        loop {
            if self.client.is_interrupted() {
                return Stop::new("pause", "");
            }
            if !self.debuggee.back() {
                return Stop::new("entry", "this is the start of the run");
            }
            if let Some(stop) = self.at_breakpoint() {
                return stop;
            }
        }
    }

    /// The stop at the breakpoints that are hit in the current state; prints their messages.
    fn at_breakpoint(&mut self) -> Option<Stop> {
        if self.breakpoints.is_empty() {
            return None;
        }
        self.debuggee.determine();
        let reached = self.breakpoints.reached(self.debuggee);
        reached.messages.iter().for_each(|message| self.client.say(message));
        let stop = Stop { pid: reached.pid, ids: reached.ids, ..Stop::new("breakpoint", "") };
        (!stop.ids.is_empty()).then_some(stop)
    }

    fn until(&mut self, condition: &str, pid: Option<u8>) -> Result<Stop, Stop> {
        self.walk(Self::step, |mover| match evaluate::number(mover.debuggee, condition, pid) {
            Ok(Some(0) | None) => None,
            Ok(Some(_)) => Some(Stop::new("step", format!("{condition} holds"))),
            Err(why) => Some(Stop::new("step", why)),
        })
    }

    /// Goes on until a process has moved. Where a simulation ends, the process moves if it can.
    fn until_moved(&mut self, pid: u8) -> Result<Stop, Stop> {
        let moved = |mover: &mut Self| {
            let last = mover.debuggee.session.at().checked_sub(1)?;
            let run = mover.debuggee.session.run();
            let has_moved = executes(run, last, pid);
            has_moved.then(|| Stop { pid: Some(pid), ..Stop::new("step", "") })
        };
        self.walk(|mover| mover.step_of(pid), moved)
    }

    fn step_of(&mut self, pid: u8) -> Result<(), Stop> {
        let session = &self.debuggee.session;
        let run = session.run();
        let own = |n: &usize| Debuggee::executed(run, &session.moves()[*n]).iter().any(|e| e.pid == pid);
        let own: Vec<usize> = (0..session.moves().len()).filter(own).collect();
        let free = self.debuggee.next_index().is_none() && !session.is_on_trail();
        if free && !own.is_empty() {
            let chosen = own[self.random.below(own.len())];
            return self.take(chosen);
        }
        self.step()
    }

    fn out(&mut self, pid: u8) -> Result<Stop, Stop> {
        let depth = |mover: &Self| frames::stack(mover.debuggee, pid, mover.counting).len();
        if depth(self) < 2 {
            return self.until_moved(pid);
        }
        let outside = |mover: &mut Self| (depth(mover) < 2).then(|| Stop { pid: Some(pid), ..Stop::new("step", "") });
        self.walk(|mover| mover.step_of(pid), outside)
    }
}

fn executes(run: &Run, index: usize, pid: u8) -> bool {
    run.moves().get(index).is_some_and(|taken| Debuggee::executed(run, taken).iter().any(|e| e.pid == pid))
}
