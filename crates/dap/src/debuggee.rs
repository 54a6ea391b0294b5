//! The run that is debugged, and the position in it. A cycle is passed any number of times, in both directions.

use kripke::stepping::{Session, Stop as Walk};
use kripke_model::interpret::Move;
use kripke_model::ir::{EdgeId, FileId, ProcessId};
use kripke_report::run::{End, Run};
use kripke_report::source::Lines;
use kripke_report::{screen, stepping};

/// A session with the number of times that its cycle was passed.
#[derive(Debug)]
pub struct Debuggee {
    pub session: Session,
    /// The number of times that the end of the cycle was passed.
    pub laps: usize,
}

/// The outcome of a step on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Onward {
    /// A step of the run.
    Step,
    /// The end of the cycle was passed, and its first step was taken again.
    Again,
    /// There is no step, and why.
    End(String),
}

/// A statement that a move executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Executed {
    /// The process that executes it.
    pub pid: u8,
    /// The type of the process.
    pub process: ProcessId,
    /// The edge of the statement.
    pub edge: EdgeId,
}

/// The kinds of error at which a run stops, as the client can choose them: name, title.
pub const FILTERS: [(&str, &str); 4] = [
    ("assertion", "Failed assertions"),
    ("fault", "Faults: division by 0, index out of range, …"),
    ("end-state", "Invalid end states (deadlocks)"),
    ("property", "Violated properties: goals, bad prefixes, ends of cycles"),
];

impl Debuggee {
    pub fn new(session: Session) -> Debuggee {
        Debuggee { session, laps: 0 }
    }

    /// The first and the last step of the cycle. The first is beyond the last if the last state repeats.
    pub fn cycle(&self) -> Option<(usize, usize)> {
        stepping::cycle(self.session.run())
    }

    /// Takes the next step of the run, also of its cycle, or a random one where a simulation ends.
    pub fn onward(&mut self) -> Onward {
        if self.session.forward() {
            return Onward::Step;
        }
        match self.cycle() {
            Some((first, last)) if first <= last => {
                self.session.jump(first);
                self.laps += 1;
                Onward::Again
            }
            Some(_) => Onward::End("no process can move, the last state repeats for ever".to_string()),
            None if self.session.is_on_trail() => Onward::End("the trail ends here".to_string()),
            None => self.random(),
        }
    }

    fn random(&mut self) -> Onward {
        let walked = self.session.random(1);
        match walked.stop {
            _ if walked.steps > 0 => Onward::Step,
            Walk::Error => Onward::End("the run ends with an error".to_string()),
            _ => Onward::End("no process can move".to_string()),
        }
    }

    /// Goes back by one step, also of an earlier pass of the cycle. Returns false at the start.
    pub fn back(&mut self) -> bool {
        let again = self.cycle().filter(|(first, _)| self.laps > 0 && self.session.at() == *first);
        match again {
            Some((_, last)) => {
                self.laps -= 1;
                self.session.jump(last)
            }
            None => self.session.back(1),
        }
    }

    /// Goes to a step of the run, in the first pass of the cycle. Returns false if the run is shorter.
    pub fn jump(&mut self, step: usize) -> bool {
        self.laps = 0;
        self.session.jump(step)
    }

    /// The index of the next move of the run, if it is determined.
    pub fn next_index(&self) -> Option<usize> {
        let (at, len) = (self.session.at(), self.session.len());
        let again = || self.cycle().filter(|(first, last)| first <= last).map(|(first, _)| first - 1);
        if at < len { Some(at) } else { again() }
    }

    /// The next move of the run, if it is determined.
    pub fn next_move(&self) -> Option<&Move> {
        self.next_index().map(|index| &self.session.run().moves()[index])
    }

    /// Determines the next move of a simulation by chance, so that a breakpoint before it can be found.
    pub fn determine(&mut self) {
        if self.next_index().is_none() && !self.session.is_on_trail() && self.session.random(1).steps > 0 {
            self.session.back(1);
        }
    }

    /// The statements that a move of the run executes.
    pub fn executed(run: &Run, taken: &Move) -> Vec<Executed> {
        if run.is_pause(taken) {
            return Vec::new();
        }
        let own = Executed { pid: taken.pid, process: taken.process, edge: taken.edge };
        let partners = taken.partner.iter().chain(&taken.others);
        let partners = partners.map(|p| Executed { pid: p.pid, process: p.process, edge: p.edge });
        let chained = taken.partner.map_or(own, |p| Executed { pid: p.pid, process: p.process, edge: p.edge });
        let chain = taken.chain.iter().map(|edge| Executed { edge: *edge, ..chained });
        std::iter::once(own).chain(partners).chain(chain).collect()
    }

    /// The lines of a statement: its own one, and that of the call if it is inside an inline.
    pub fn lines(run: &Run, executed: Executed) -> Vec<(FileId, u32)> {
        let edge = run.edge(executed.process, executed.edge);
        let mut lines = vec![run.lines().of(Lines::own(edge))];
        if edge.inside.is_some() {
            lines.push(run.lines().of(edge.span));
        }
        lines.into_iter().map(|line| (line.file, line.first)).collect()
    }

    /// The process that a client should look at: the one that moves next, or the one that has moved last.
    pub fn focus(&self) -> Option<u8> {
        let run = self.session.run();
        let alive = |pid: &u8| run.view(self.session.at()).processes.iter().any(|p| p.pid == *pid);
        let mover = |taken: &Move| (!run.is_pause(taken)).then_some(taken.pid);
        let last = || self.session.at().checked_sub(1).and_then(|n| mover(&run.moves()[n]));
        let first = || run.view(self.session.at()).processes.first().map(|p| p.pid);
        self.next_move().and_then(mover).filter(alive).or_else(|| last().filter(alive)).or_else(first)
    }

    /// The error at the current position: the name of its filter, and the error in words.
    pub fn error(&self) -> Option<(&'static str, String)> {
        let run = self.session.run();
        let step = self.session.at().checked_sub(1).and_then(|n| run.moves().get(n));
        if self.session.at() < self.session.len() {
            // An error inside of a run that goes on is one of its last move.
            let finding = step.and_then(|taken| taken.findings.first())?;
            let part = End::Finding(finding.clone());
            return Some((filter(&part)?, screen::headline(run.model(), &part.error()?).0));
        }
        let filter = filter(run.end())?;
        let (what, place) = screen::verdict(run, self.session.property())?;
        Some((filter, place.map_or(what.clone(), |place| format!("{what} ({place})"))))
    }

    /// The position in words.
    pub fn position(&self) -> String {
        let (at, len) = (self.session.at(), self.session.len());
        let steps = if self.session.is_replay() { format!("step {at} of {len}") } else { format!("step {at}") };
        match self.cycle() {
            Some((first, last)) if at >= first && self.laps == 0 => format!("{steps}, cycle {first} to {last}"),
            Some((first, last)) if at >= first => {
                format!("{steps}, cycle {first} to {last}, pass {}", self.laps + 1)
            }
            _ => steps,
        }
    }
}

/// The filter of the error at the end of a run.
fn filter(end: &End) -> Option<&'static str> {
    match end {
        End::Fine => None,
        End::Finding(_) => end.error().map(|error| if screen::is_fault(&error) { "fault" } else { "assertion" }),
        End::InvalidEnd => Some("end-state"),
        End::Goal | End::BadPrefix | End::Refuted | End::Cycle(_) => Some("property"),
    }
}
