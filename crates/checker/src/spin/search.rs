//! The depth-first search of SPIN's verifiers.
//!
//! Every step of a process is one level of the stack: inner steps of atomic sequences, and both halves of a rendezvous. Processes
//! are tried from the highest number to the lowest, statements in the order of the text. Inner states are not stored. The counts,
//! the first error and its trail are those of a verifier without reductions.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kripke_model::interpret::{Move, Partner, Point};
use kripke_model::ir::{EdgeId, ProcessId, Sync};
use kripke_model::{Fault, Finding, FindingKind, Interpreter, Model, Representation};

use super::Numbered;
use super::trail::{Line, SpinTrail};

/// The options of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The maximal number of steps on the stack.
    pub max_depth: u64,
    /// A run that reaches the maximal depth is an error.
    pub bounded: bool,
    /// Failed assertions are errors.
    pub assertions: bool,
    /// Invalid end states are errors.
    pub end_states: bool,
    /// A state in which messages are left is no valid end state.
    pub empty_channels: bool,
    /// The search stops at the error with this number; 0 for no stop.
    pub upto: u64,
    /// Every error has a trail.
    pub every: bool,
    /// After an error, the search goes on for a shorter one.
    pub shorten: Shorten,
    /// The search stops when the program has so many bytes.
    pub memory: Option<u64>,
    /// The search stops at this time.
    pub deadline: Option<Instant>,
}

/// The number of stored states after which memory and time are looked at.
const LOOK: u64 = 1 << 14;

/// The treatment of the maximal depth after an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shorten {
    /// It stays.
    Never,
    /// It becomes the depth of the error.
    Step,
    /// It becomes half the depth of the error.
    Half,
}

/// The counts of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The number of stored states.
    pub stored: u64,
    /// The number of states that were known already, and of runs that were cut off.
    pub matched: u64,
    /// The number of inner steps of atomic sequences.
    pub atomic: u64,
    /// The number of steps on the longest stack.
    pub depth: u64,
    /// The number of errors.
    pub errors: u64,
    /// The bytes of the longest state.
    pub bytes: usize,
    /// The search was not stopped.
    pub done: bool,
    /// The edges that were executed, by process type.
    pub executed: Vec<Vec<bool>>,
    /// The locations that the trace automaton came to; empty if nothing is known of it.
    pub events: Vec<bool>,
}

/// An error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The number of the error, from 1.
    pub number: u64,
    /// The error in SPIN's words.
    pub message: String,
    /// The number of steps before the error; -1 for an error in the initial state.
    pub depth: i64,
    /// The run to the error, if one is asked for.
    pub trail: Option<SpinTrail>,
}

/// A listener to the search.
pub trait Listener {
    /// An error was found.
    fn error(&mut self, error: &Error);
    /// A run was cut off at the maximal depth, for the first time.
    fn limit(&mut self);
    /// SPIN prints a line.
    fn remark(&mut self, line: &str);
    /// The maximal depth was made smaller.
    fn shorter(&mut self, depth: u64);
    /// The search stops for lack of memory or time.
    fn exceeded(&mut self, limit: Exceeded);
    /// Another million states were stored.
    fn progress(&mut self, counts: &Counts, depth: u64);
}

/// The limit that ends a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// Memory.
    Memory,
    /// Time.
    Time,
}

/// One step of the stack.
#[derive(Clone, Debug)]
struct Step {
    pid: u8,
    process: ProcessId,
    edge: EdgeId,
    partner: Option<Partner>,
    chain: Vec<EdgeId>,
    findings: Vec<Finding>,
    to: Option<Point>,
}

impl From<Move> for Step {
    fn from(step: Move) -> Step {
        let Move { pid, process, edge, partner, chain, findings, to, .. } = step;
        Step { pid, process, edge, partner, chain, findings, to }
    }
}

/// A point of the stack.
struct Frame {
    steps: std::vec::IntoIter<Step>,
    depth: u64,
    /// The step that is being explored.
    current: Option<Step>,
    /// The state, if all its steps are errors after which SPIN takes the statement as not executable.
    stuck: Option<Vec<u8>>,
}

struct Search<'a> {
    model: &'a mut Numbered,
    options: Options,
    listener: &'a mut dyn Listener,
    known: HashSet<Box<[u8]>, std::hash::BuildHasherDefault<Mix>>,
    hidden: usize,
    frames: Vec<Frame>,
    counts: Counts,
    max_depth: u64,
    warned: bool,
    stopped: bool,
}

/// Searches all states.
pub fn search(model: &mut Numbered, options: Options, stop: &AtomicBool, listener: &mut dyn Listener) -> Counts {
    let executed = model.interpreter.model().processes.iter().map(|p| vec![false; p.edges.len()]).collect();
    let trace = model.interpreter.model().trace.as_ref();
    let events = trace.map_or_else(Vec::new, |trace| vec![false; trace.automaton.locations.len()]);
    let hidden = model.interpreter.hidden_prefix();
    let start = model.interpreter.initial_point();
    let max_depth = options.max_depth;
    let mut search = Search {
        model,
        options,
        listener,
        known: HashSet::default(),
        hidden,
        frames: Vec::new(),
        counts: Counts { executed, events, ..Counts::default() },
        max_depth,
        warned: false,
        stopped: false,
    };
    search.enter(start, 0);
    while !search.stopped && search.advance() {
        search.stopped |= stop.load(Ordering::Relaxed);
    }
    search.counts.done = !search.stopped;
    search.counts
}

impl Search<'_> {
    /// Explores the next step of the topmost point. Returns false at the end of the search.
    fn advance(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let depth = frame.depth;
        let Some(step) = frame.steps.next() else {
            frame.current = None;
            if let Some(state) = frame.stuck.take() {
                self.end(&state, depth);
            }
            self.frames.pop();
            return !self.stopped;
        };
        let to = step.to.clone();
        let length = 1 + u64::from(step.partner.is_some());
        let findings = step.findings.clone();
        self.execute(&step);
        frame_of(&mut self.frames).current = Some(step);
        for finding in &findings {
            let late = u64::from(length == 2 && Some(finding.pid) != self.current_pid());
            self.find(finding, depth + late);
            if self.stopped {
                return false;
            }
        }
        if let Some(to) = to {
            self.counts.atomic += u64::from(to.control.is_some());
            if length == 2 && depth + 1 >= self.max_depth {
                self.cut(depth + 1);
            } else {
                // Between the halves of a rendezvous, the stack is one step longer.
                self.counts.depth = self.counts.depth.max(depth + length - 1);
                self.enter(to, depth + length);
            }
        }
        true
    }

    fn current_pid(&self) -> Option<u8> {
        self.frames.last()?.current.as_ref().map(|step| step.pid)
    }

    /// Notes the edges of a step as executed.
    fn execute(&mut self, step: &Step) {
        if step.to.is_none() {
            return;
        }
        let executed = &mut self.counts.executed;
        executed[step.process.index()][step.edge.index()] = true;
        for edge in &step.chain {
            let process = step.partner.map_or(step.process, |partner| partner.process);
            executed[process.index()][edge.index()] = true;
        }
        if let Some(partner) = step.partner {
            executed[partner.process.index()][partner.edge.index()] = true;
        }
    }

    /// Notes a run that is too long.
    fn cut(&mut self, depth: u64) {
        if !self.warned {
            self.warned = true;
            self.listener.limit();
        }
        if self.options.bounded {
            self.error("depth limit reached".to_string(), depth as i64);
        }
        self.counts.matched += 1;
    }

    /// Comes to a point.
    fn enter(&mut self, point: Point, depth: u64) {
        if depth >= self.max_depth {
            return self.cut(depth);
        }
        let Point { state, control } = point;
        self.note_event(&state);
        let mut moves = Vec::new();
        if let Some(control) = control {
            moves = self.model.interpreter.moves_in_control(&Point { state: state.clone(), control: Some(control) });
        }
        let blocked = moves.is_empty();
        if control.is_some() {
            self.counts.depth = self.counts.depth.max(depth);
            if blocked && depth + 1 >= self.max_depth {
                return;
            }
        }
        if blocked {
            if !self.store(&state, depth) {
                self.counts.matched += 1;
                return;
            }
            self.counts.depth = self.counts.depth.max(depth);
            let free = Point::free(state.clone());
            moves = self.model.interpreter.moves(&free);
            self.note_offer(depth);
            if moves.is_empty() {
                return self.end(&free.state, depth);
            }
        }
        self.note_offer(depth);
        let stuck = (blocked && moves.iter().all(|step| self.is_disabled(step))).then_some(state);
        let steps = moves.into_iter().map(Step::from).collect::<Vec<_>>().into_iter();
        self.frames.push(Frame { steps, depth, current: None, stuck });
    }

    /// A message that is offered on a rendezvous channel is one step of the stack, even if no process receives it.
    fn note_offer(&mut self, depth: u64) {
        if self.model.interpreter.take_offered() && depth + 1 < self.max_depth {
            self.counts.depth = self.counts.depth.max(depth + 1);
        }
    }

    /// Whether SPIN takes the statement of a failed step as not executable.
    fn is_disabled(&self, step: &Move) -> bool {
        let disabled = |finding: &Finding| match finding.kind {
            FindingKind::Fault(Fault::PollRendezvous) => true,
            FindingKind::Fault(Fault::NoChannel) => self.is_send(finding),
            _ => false,
        };
        step.to.is_none() && step.findings.iter().all(disabled)
    }

    /// Whether the statement of a finding is a send.
    fn is_send(&self, finding: &Finding) -> bool {
        let process = &self.model.interpreter.model().processes[finding.process.index()];
        matches!(process.edges[finding.edge.index()].sync, Some(Sync::Send { .. }))
    }

    /// Notes the location of the trace automaton. One that forbids a trace comes to its end also by an operation that it has no
    /// edge for; such an end does not count.
    fn note_event(&mut self, state: &[u8]) {
        let model = self.model.interpreter.model();
        if let (Some(trace), Some(at)) = (&model.trace, self.model.interpreter.layout().event) {
            let location = usize::from(u16::from_le_bytes([state[at], state[at + 1]]));
            self.counts.events[location] |= !(trace.negated && location == trace.end.index());
        }
    }

    /// Notes that a forbidden trace has come to its end.
    fn note_forbidden_trace(&mut self) {
        if let Some(trace) = self.model.interpreter.model().trace.as_ref().filter(|trace| trace.negated) {
            self.counts.events[trace.end.index()] = true;
        }
    }

    /// Stores a state. Returns false if it is known.
    fn store(&mut self, state: &[u8], depth: u64) -> bool {
        let compared = &state[self.hidden..];
        if self.known.contains(compared) {
            return false;
        }
        self.known.insert(compared.into());
        self.counts.stored += 1;
        self.counts.bytes = self.counts.bytes.max(state.len());
        if self.counts.stored.is_multiple_of(LOOK) {
            self.look();
        }
        if self.counts.stored.is_multiple_of(1_000_000) {
            self.listener.progress(&self.counts, depth);
        }
        true
    }

    /// Stops the search if it has had enough memory or time.
    fn look(&mut self) {
        let Options { memory, deadline, .. } = self.options;
        let limit = match () {
            () if memory.is_some_and(|most| crate::memory::now() > most) => Exceeded::Memory,
            () if deadline.is_some_and(|end| Instant::now() > end) => Exceeded::Time,
            () => return,
        };
        self.listener.exceeded(limit);
        self.stopped = true;
    }

    /// Judges a state in which no process can move.
    fn end(&mut self, state: &[u8], depth: u64) {
        if !self.options.end_states || depth + 1 >= self.max_depth {
            return;
        }
        let full = self.options.empty_channels && has_messages(&self.model.interpreter, state);
        let invalid = full || self.model.interpreter.invalid_end(state);
        self.model.interpreter.take_offered();
        if invalid {
            self.error("invalid end state".to_string(), depth as i64 - 1);
        }
    }

    fn find(&mut self, finding: &Finding, depth: u64) {
        if finding.kind == FindingKind::Fault(Fault::PollRendezvous) {
            self.listener.remark("==>> a test of the contents of a rv channel always returns FALSE");
        }
        if let Some(message) = self.message(finding) {
            self.error(message, depth as i64);
        }
        match finding.kind {
            FindingKind::Fault(Fault::NoChannel) => self.receive_from_none(finding, depth),
            FindingKind::Fault(Fault::TraceViolated) => self.note_forbidden_trace(),
            _ => {}
        }
    }

    /// SPIN goes on with a receive from a channel that does not exist, until its own tables fail.
    fn receive_from_none(&mut self, finding: &Finding, depth: u64) {
        let process = &self.model.interpreter.model().processes[finding.process.index()];
        let Some(Sync::Receive { anywhere, .. }) = &process.edges[finding.edge.index()].sync else { return };
        let second = match anywhere {
            true => "ref to unknown chan (recv-poll)",
            false => "ref to uninitialized chan name (receiving)",
        };
        for message in [second, "qrecv bad queue#"] {
            if !self.stopped {
                self.error(message.to_string(), depth as i64);
            }
        }
        self.stopped = true;
    }

    /// The words of SPIN for an error; none if it does not count.
    fn message(&self, finding: &Finding) -> Option<String> {
        let ignored = !self.options.assertions;
        match &finding.kind {
            FindingKind::Assertion if ignored => None,
            FindingKind::Assertion => {
                let state = self.model.state(finding.process, finding.edge)?;
                let text = &self.model.body(finding.process)?.states.get(state as usize)?.text;
                Some(assertion(text, self.model.interpreter.model()))
            }
            FindingKind::Fault(Fault::IndexOutOfRange { .. }) if ignored => None,
            FindingKind::Fault(Fault::IndexOutOfRange { .. }) => {
                Some("assertion violated - invalid array index".to_string())
            }
            FindingKind::Fault(Fault::NoChannel) => {
                let asked = if self.is_send(finding) { "qfull" } else { "len" };
                Some(format!("ref to uninitialized chan name ({asked})"))
            }
            FindingKind::Fault(Fault::PollRendezvous) => Some("error to poll rendezvous channel".to_string()),
            FindingKind::Fault(Fault::TraceViolated) => Some("event_trace error (no matching event)".to_string()),
            FindingKind::Fault(Fault::BlockedChain) => Some("block in d_step seq".to_string()),
            FindingKind::Fault(fault) => Some(fault.to_string()),
            FindingKind::EndlessSequence => None,
        }
    }

    /// Reports an error.
    fn error(&mut self, message: String, depth: i64) {
        self.counts.errors += 1;
        let number = self.counts.errors;
        let wanted = self.options.every || self.options.shorten != Shorten::Never || number == self.options.upto;
        let trail = wanted.then(|| self.trail());
        self.listener.error(&Error { number, message, depth, trail });
        if self.options.shorten != Shorten::Never {
            let shorter = depth.max(0) as u64;
            self.max_depth = if self.options.shorten == Shorten::Step { shorter + 1 } else { shorter / 2 };
            self.warned = true;
            self.listener.shorter(self.max_depth);
        } else {
            self.stopped |= self.options.upto != 0 && number >= self.options.upto;
        }
    }

    /// The steps on the stack.
    fn trail(&self) -> SpinTrail {
        let mut trail = SpinTrail::default();
        for step in self.frames.iter().filter_map(|frame| frame.current.as_ref()) {
            let mut push = |pid: u8, process: ProcessId, edge: EdgeId| {
                let state = self.model.state(process, edge);
                let body = self.model.body(process);
                let state = state.zip(body).and_then(|(state, body)| body.states.get(state as usize));
                let transition = state.map_or(-1, |state| i64::from(state.transition));
                let depth = trail.lines.len() as i64 + 1;
                trail.lines.push(Line { depth, process: i64::from(pid), transition });
            };
            push(step.pid, step.process, step.edge);
            if let Some(partner) = step.partner {
                push(partner.pid, partner.process, partner.edge);
            }
        }
        trail
    }
}

/// The message of a failed assertion. In it, SPIN writes the condition as C: a blank before each unary operator, and symbolic
/// constants as numbers.
pub fn assertion(text: &str, model: &Model) -> String {
    let condition = text.strip_prefix("assert(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let mut out = String::from("assertion violated ");
    let mut rest = condition;
    let mut before = '(';
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if word > 0 {
            out.push_str(&number(&rest[..word], model).unwrap_or_else(|| rest[..word].to_string()));
            (before, rest) = ('x', &rest[word..]);
            continue;
        }
        let operand = before.is_alphanumeric() || [')', ']'].contains(&before);
        if "!-~".contains(c) && rest[1..].starts_with('(') && !operand {
            out.push(' ');
        }
        out.push(c);
        (before, rest) = (c, &rest[c.len_utf8()..]);
    }
    out
}

/// The number of a symbolic constant.
fn number(name: &str, model: &Model) -> Option<String> {
    let symbols = model.enums.iter().flat_map(|e| &e.symbols);
    symbols.filter(|(known, _)| known == name).map(|(_, value)| value.to_string()).next()
}

fn frame_of(frames: &mut [Frame]) -> &mut Frame {
    let last = frames.len() - 1;
    &mut frames[last]
}

/// Whether a channel has a message.
fn has_messages(interpreter: &Interpreter, state: &[u8]) -> bool {
    interpreter.layout().view(state).channels.iter().any(|channel| !channel.messages.is_empty())
}

/// A hash function for states: multiply and rotate, eight bytes at a time.
#[derive(Clone, Copy, Default)]
struct Mix(u64);

impl std::hash::Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(26) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_assertions_are_written_as_c() {
        let symbols = vec![("ack".to_string(), 2)];
        let enums = vec![kripke_model::ir::Enum { name: "mtype".to_string(), symbols }];
        let model = Model { enums, ..Model::default() };
        for (text, message) in [
            ("assert((x==2))", "assertion violated (x==2)"),
            ("assert(0)", "assertion violated 0"),
            ("assert(!((m==ack)))", "assertion violated  !((m==2))"),
            ("assert((a[1]-(b-(c))!=-(1)))", "assertion violated (a[1]-(b-(c))!= -(1))"),
        ] {
            assert_eq!(assertion(text, &model), message);
        }
    }
}
