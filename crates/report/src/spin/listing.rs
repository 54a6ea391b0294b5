//! A run as SPIN's simulator prints it: in a random simulation, or along a trail.

use std::fmt::{self, Write};

use kripke_model::Interpreter;
use kripke_model::interpret::Move;
use kripke_model::ir::{EdgeId, Effect, LocId, ProcessId};
use kripke_model::layout::View;

use super::messages::{self, Message};
use super::variables::Variables;
use crate::escape::visible;
use crate::run::{End, Run};

/// SPIN's numbers and words for the parts of a model.
pub trait Words {
    /// The state number, the text and the place of the statement of an edge.
    fn statement(&self, process: ProcessId, edge: EdgeId) -> Statement;
    /// The state number and the place of a location, and whether it is a valid end state.
    fn location(&self, process: ProcessId, location: LocId) -> (Statement, bool);
    /// The name of a process type.
    fn process(&self, process: ProcessId) -> String;
}

/// A statement in SPIN's words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statement {
    /// The number of its state.
    pub state: u32,
    /// The text.
    pub text: String,
    /// The file and the line.
    pub place: String,
    /// The state is a valid end state.
    pub end: bool,
}

/// What is shown of each step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// Every statement.
    pub statements: bool,
    /// Changes of global variables, below statements.
    pub globals: bool,
    /// Changes of local variables, below statements.
    pub locals: bool,
    /// Messages that are sent.
    pub sends: bool,
    /// Messages that are received.
    pub receives: bool,
    /// Messages have one column for each process.
    pub columns: bool,
    /// The output of the model.
    pub output: bool,
    /// The output of a process is indented by its number.
    pub indent: bool,
    /// The first step that is shown.
    pub from: usize,
    /// The run is that of a trail, not a random one.
    pub trail: bool,
    /// There is a never claim, which SPIN counts as a process in one place.
    pub claim: bool,
}

/// One statement of a step.
#[derive(Clone, Copy, Debug)]
struct Part {
    pid: u8,
    process: ProcessId,
    edge: EdgeId,
    /// The edge whose number is shown: that of a `d_step` for its first statement.
    numbered: EdgeId,
    depth: usize,
}

/// A run that is printed step by step.
pub struct Listing<'a> {
    words: &'a dyn Words,
    shown: Shown,
    interpreter: Interpreter,
    variables: Variables,
    /// The next line of messages needs a header.
    header: bool,
    /// The number of processes that were created.
    created: usize,
}

impl fmt::Debug for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing")
            .field("shown", &self.shown)
            .field("variables", &self.variables)
            .finish_non_exhaustive()
    }
}

impl<'a> Listing<'a> {
    /// A listing of runs that begin in the first state of `run`. The interpreter is that of the model.
    pub fn new(run: &Run, interpreter: &Interpreter, words: &'a dyn Words, shown: Shown) -> Listing<'a> {
        let view = run.view(0);
        let mut variables = Variables::default();
        view.processes.iter().for_each(|p| variables.create(p.pid, &view));
        let interpreter = interpreter.for_thread();
        Listing { words, shown, interpreter, variables, header: true, created: view.processes.len() }
    }

    /// The first lines: the processes that exist from the start.
    pub fn start(&self, run: &Run) -> String {
        let view = run.view(0);
        let line = |pid: u8, process| match self.words.process(process) {
            name if self.shown.columns => format!("proc {pid} = {name}\n"),
            name => format!("  0:\tproc  - (:root:) creates proc {pid:2} ({name})\n"),
        };
        let shown = self.shown.columns || self.shown.statements && !self.shown.trail;
        view.processes.iter().filter(|_| shown).map(|p| line(p.pid, p.process)).collect()
    }

    /// The lines of move `n`, from 1. `depths` are the numbers of SPIN's steps for it: two for a rendezvous in a trail.
    pub fn step(&mut self, run: &Run, n: usize, depths: (usize, usize)) -> String {
        let taken = &run.moves()[n - 1];
        let (before, after) = (run.view(n - 1), run.view(n));
        let state = run.point(n - 1).state;
        let parts = parts(run, taken, depths);
        let mut out = String::new();
        let told: Vec<String> = parts.iter().map(|part| self.tell(run, taken, part, (&before, &state))).collect();
        let errors = self.errors(run, taken);
        if self.shown.trail {
            for (i, (part, told)) in parts.iter().zip(told).enumerate() {
                let last = i + 1 == parts.len();
                out.push_str(&told);
                if i == 0 && part.depth >= self.shown.from {
                    out.push_str(&self.output(taken));
                }
                if last {
                    out.push_str(&errors);
                }
                let first_half = taken.partner.is_some() && i == 0;
                self.note(run, part, (&before, &after));
                out.push_str(&self.create(run, (&before, &after), part, first_half));
                out.push_str(&self.talk(run, if first_half { &before } else { &after }, part));
            }
        } else {
            if depths.0 >= self.shown.from {
                out.push_str(&self.output(taken));
            }
            out.push_str(&errors);
            parts.iter().for_each(|part| self.note(run, part, (&before, &after)));
            let last = &parts[parts.len() - 1];
            out.push_str(&self.create(run, (&before, &after), last, false));
            if errors.is_empty() {
                out.push_str(&self.talk_at_once(run, &after, &parts, taken.partner.is_some(), &told));
            }
        }
        out
    }

    fn note(&mut self, run: &Run, part: &Part, views: (&View, &View)) {
        self.variables.note(run.edge(part.process, part.edge), part.pid, views, part.depth);
    }

    /// The lines of a simulated step: all statements, then all messages, then the variables.
    fn talk_at_once(&self, run: &Run, after: &View, parts: &[Part], rendezvous: bool, told: &[String]) -> String {
        let from = if rendezvous { 0 } else { parts.len() - 1 };
        let statements: String = match self.shown.statements && parts[0].depth >= self.shown.from {
            true => parts[from..].iter().map(|part| self.statement(run, part)).collect(),
            false => String::new(),
        };
        let told = told.concat();
        let dump = self.dump(run, after, &parts[parts.len() - 1]);
        if rendezvous { format!("{statements}{told}{dump}") } else { format!("{told}{statements}{dump}") }
    }

    /// The message line of a statement. Channels are numbered by their first use.
    fn tell(&mut self, run: &Run, taken: &Move, part: &Part, (before, state): (&View, &[u8])) -> String {
        let edge = run.edge(part.process, part.edge);
        for channel in messages::used(run.model(), edge, part.pid, state, &mut self.interpreter) {
            self.variables.number(channel, run.model(), before);
        }
        let whole = taken.chain.is_empty();
        let message = messages::message(run, taken, part.edge, (part.pid, whole), state, &mut self.interpreter);
        let Some(message) = message.filter(|_| part.depth >= self.shown.from) else { return String::new() };
        let Shown { sends, receives, columns, .. } = self.shown;
        let both = columns && !sends && !receives;
        // In a simulation, the receive of a rendezvous is a part of the send.
        let silent = !self.shown.trail && taken.partner.is_some() && !message.sent && !sends;
        let wanted = both || if message.sent { sends } else { receives && !silent };
        match () {
            () if !wanted || columns && message.polled => String::new(),
            () if columns => self.columns(&message, part, before),
            () => self.sentence(&message, taken, part, before),
        }
    }

    fn sentence(&self, message: &Message, taken: &Move, part: &Part, before: &View) -> String {
        let place = self.words.statement(part.process, part.edge).place;
        let (verb, arrow) = match (message.sent, message.kept) {
            (true, _) if taken.partner.is_some() => ("Sent", "->"),
            (true, _) => ("Send", "->"),
            (false, true) => ("[Recv]", "<-"),
            (false, false) => ("Recv", "<-"),
        };
        let number = self.variables.queue(message.channel);
        let Message { values, name, .. } = message;
        format!("{}{place} {verb} {values}\t{arrow} queue {number} ({name})\n", self.who(before, part))
    }

    fn columns(&mut self, message: &Message, part: &Part, before: &View) -> String {
        let mut out = String::new();
        if std::mem::take(&mut self.header) {
            out.push_str("q\\p");
            before.processes.iter().for_each(|p| out.push_str(&format!(" {:3}", p.pid)));
            out.push('\n');
        }
        let Message { values, name, sent, kept, channel, .. } = message;
        let sign = if *sent { '!' } else { '?' };
        let dots = "   .".repeat(usize::from(part.pid));
        let values = if *kept { format!("[{}]", values.replace(',', ",[")) } else { values.clone() };
        let _ = writeln!(out, "{:3}{dots}   {name}{sign}{values}", self.variables.queue(*channel));
        out
    }

    /// The number of the step and the process.
    fn who(&self, view: &View, part: &Part) -> String {
        let priority = view.processes.iter().find(|p| p.pid == part.pid).map_or(1, |p| p.priority);
        format!("{:3}:\tproc {:2} ({}:{priority}) ", part.depth, part.pid, self.words.process(part.process))
    }

    /// The output of the model.
    fn output(&self, taken: &Move) -> String {
        if !self.shown.output || taken.output.is_empty() {
            return String::new();
        }
        let width = if self.shown.indent { 6 + 4 * usize::from(taken.pid) } else { 0 };
        format!("{:width$}{}", "", visible(&taken.output))
    }

    /// The errors of a move.
    fn errors(&self, run: &Run, taken: &Move) -> String {
        let Some(finding) = taken.findings.first() else { return String::new() };
        let Statement { text, place, .. } = self.words.statement(finding.process, finding.edge);
        if text.starts_with("assert") {
            return format!("spin: {place}, Error: assertion violated\nspin: text of failed assertion: {text}\n");
        }
        let what = match run.end() {
            End::Finding(finding) => crate::explanation::kind(&finding.kind).to_string(),
            _ => "error".to_string(),
        };
        format!("spin: {place}, Error: {what}\n")
    }

    /// Notes the processes that a move has created, and announces them.
    fn create(&mut self, run: &Run, (before, after): (&View, &View), part: &Part, later: bool) -> String {
        let mut out = String::new();
        let creates = run.edge(part.process, part.edge).effects.iter().any(|e| matches!(e, Effect::Run { .. }));
        if later || !creates || ends(run, part) {
            return out;
        }
        for new in after.processes.iter().skip(before.processes.len()) {
            self.variables.create(new.pid, after);
            (self.header, self.created) = (true, self.created + 1);
            let (pid, name) = (new.pid, self.words.process(new.process));
            match self.shown {
                Shown { columns: true, .. } => out.push_str(&format!("proc {pid} = {name}\n")),
                Shown { statements: false, .. } => {}
                Shown { trail: true, .. } => out.push_str(&format!("Starting {name} with pid {pid}\n")),
                _ => out.push_str(&format!("{}creates proc {pid:2} ({name})\n", self.who(before, part))),
            }
        }
        out
    }

    /// The statement, and the variables it has changed.
    fn talk(&self, run: &Run, view: &View, part: &Part) -> String {
        let hidden = part.depth < self.shown.from && !ends(run, part);
        if !self.shown.statements || hidden {
            return String::new();
        }
        format!("{}{}", self.statement(run, part), self.dump(run, view, part))
    }

    fn statement(&self, run: &Run, part: &Part) -> String {
        let view = run.view(0);
        let Part { pid, depth, .. } = *part;
        if ends(run, part) && self.shown.trail {
            return format!("{depth:3}: proc {pid} terminates\n");
        }
        if ends(run, part) {
            return format!("{}{:2$}terminates\n", self.who(&view, part), "", 6 + 4 * usize::from(pid));
        }
        let Statement { state, place, end, .. } = self.words.statement(part.process, part.numbered);
        let text = self.words.statement(part.process, part.edge).text;
        let text = visible(&text.replace('\\', "\\\\")).into_owned();
        let valid = if end { " <valid end state>" } else { "" };
        format!("{}{place} (state {state}){valid}\t[{text}]\n", self.who(&view, part))
    }

    fn dump(&self, run: &Run, view: &View, part: &Part) -> String {
        let mut out = String::new();
        let Shown { statements, globals, locals, from, .. } = self.shown;
        if !statements || part.depth < from || ends(run, part) {
            return out;
        }
        let since = if part.depth == from { 0 } else { part.depth };
        if globals {
            out.push_str(&self.variables.globals(run.model(), view, Some(since)));
        }
        if locals && let Some(process) = view.processes.iter().find(|p| p.pid == part.pid) {
            let owner = format!("{}({})", self.words.process(process.process), process.pid);
            out.push_str(&self.variables.locals(run.model(), view, process, &owner, Some(since)));
        }
        out
    }

    /// The last lines: the variables, and where each process is.
    pub fn ending(&self, run: &Run, view: &View, depth: usize) -> String {
        let mut out = String::new();
        if self.shown.columns {
            out.push_str("-------------\nfinal state:\n-------------\n");
        }
        if !view.processes.is_empty() {
            let _ = writeln!(out, "#processes: {}", view.processes.len());
            out.push_str(&self.variables.globals(run.model(), view, None));
            for process in view.processes.iter().rev() {
                let (Statement { state, place, .. }, end) = self.words.location(process.process, process.location);
                let (name, pid) = (self.words.process(process.process), process.pid);
                let valid = if end { " <valid end state>" } else { "" };
                let priority = process.priority;
                let _ = writeln!(out, "{depth:3}:\tproc {pid:2} ({name}:{priority}) {place} (state {state}){valid}");
                if self.shown.locals {
                    let owner = format!("{name}({pid})");
                    out.push_str(&self.variables.locals(run.model(), view, process, &owner, None));
                }
            }
        }
        let s = if self.created == 1 && !self.shown.claim { "" } else { "es" };
        let _ = writeln!(out, "{} process{s} created", self.created);
        out
    }
}

/// Whether a statement removes its process.
fn ends(run: &Run, part: &Part) -> bool {
    run.edge(part.process, part.edge).label == "-end-"
}

/// The statements of a move, in the order of execution.
fn parts(run: &Run, taken: &Move, (first, second): (usize, usize)) -> Vec<Part> {
    let part = |pid, process, edge, depth| Part { pid, process, edge, numbered: edge, depth };
    let mut out = Vec::new();
    let (pid, process, depth) = match taken.partner {
        Some(partner) => {
            out.push(part(taken.pid, taken.process, taken.edge, first));
            out.push(part(partner.pid, partner.process, partner.edge, second));
            (partner.pid, partner.process, second)
        }
        None => (taken.pid, taken.process, first),
    };
    // An indivisible sequence may begin with a channel operation.
    if taken.partner.is_none() && run.edge(taken.process, taken.edge).sync.is_some() {
        out.push(part(pid, process, taken.edge, depth));
    }
    out.extend(taken.chain.iter().map(|edge| part(pid, process, *edge, depth)));
    match (taken.partner, out.first_mut()) {
        (None, Some(first)) => first.numbered = taken.edge,
        (None, None) => out.push(part(pid, process, taken.edge, depth)),
        _ => {}
    }
    out
}
