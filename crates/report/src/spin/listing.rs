//! A run as SPIN's simulator prints it.

use std::fmt::Write;

use kripke_model::interpret::Move;
use kripke_model::ir::{EdgeId, LocId, ProcessId, Shows, Type, Var};
use kripke_model::layout::View;

use crate::escape::visible;
use crate::names::{Names, element};
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
}

/// What is shown of each step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shown {
    /// Every statement.
    pub statements: bool,
    /// Changes of global variables.
    pub globals: bool,
    /// Changes of local variables.
    pub locals: bool,
    /// Messages that are sent.
    pub sends: bool,
    /// Messages that are received.
    pub receives: bool,
    /// The output of the model.
    pub output: bool,
    /// Both halves of a rendezvous have one number.
    pub together: bool,
}

/// The first lines: the processes that exist from the start.
pub fn creations(run: &Run, words: &dyn Words) -> String {
    let view = run.view(0);
    let line = |pid: u8, process| format!("  0:\tproc  - (:root:) creates proc {pid:2} ({})\n", words.process(process));
    view.processes.iter().map(|p| line(p.pid, p.process)).collect()
}

/// The lines of move `n`, from 1. `depth` is the number of SPIN's step before it. Also returns the number after it.
pub fn step(run: &Run, n: usize, depth: usize, words: &dyn Words, shown: Shown) -> (String, usize) {
    let taken = &run.moves()[n - 1];
    let (before, after) = (run.view(n - 1), run.view(n));
    let mut out = String::new();
    let mut depth = depth;
    if shown.output {
        for line in visible(&taken.output).lines() {
            let _ = writeln!(out, "{:1$}{line}", "", 6 + 4 * usize::from(taken.pid));
        }
    }
    let mut halves = vec![(taken.pid, taken.process, taken.edge)];
    halves.extend(taken.partner.map(|p| (p.pid, p.process, p.edge)));
    for (i, (pid, process, edge)) in halves.into_iter().enumerate() {
        depth += usize::from(i == 0 || !shown.together);
        if shown.statements {
            if i == 0 && !ends(run, taken) {
                out.push_str(&created(&before, &after, depth, pid, words));
            }
            out.push_str(&statement(&before, depth, (pid, process, edge), words));
        }
    }
    let names = Names::default();
    if shown.sends || shown.receives {
        out.push_str(&messages(run, taken, depth, (&before, &after), words, shown));
    }
    if shown.globals {
        out.push_str(&globals(run, &names, Some(&before), &after));
    }
    if shown.locals {
        out.push_str(&locals(run, &names, Some(&before), &after, words));
    }
    if let Some(finding) = taken.findings.first() {
        let Statement { text, place, .. } = words.statement(finding.process, finding.edge);
        let what = if text.starts_with("assert") { "assertion violated".to_string() } else { finding_words(run) };
        let _ = writeln!(out, "spin: {place}, Error: {what}");
        if text.starts_with("assert") {
            let _ = writeln!(out, "spin: text of failed assertion: {text}");
        }
    }
    (out, depth)
}

fn finding_words(run: &Run) -> String {
    match run.end() {
        End::Finding(finding) => crate::explanation::kind(&finding.kind).to_string(),
        _ => "error".to_string(),
    }
}

/// Whether a move removes its process.
fn ends(run: &Run, taken: &Move) -> bool {
    run.edge(taken.process, taken.edge).label == "-end-"
}

fn statement(before: &View, depth: usize, (pid, process, edge): (u8, ProcessId, EdgeId), words: &dyn Words) -> String {
    let Statement { state, text, place } = words.statement(process, edge);
    let priority = before.processes.iter().find(|p| p.pid == pid).map_or(1, |p| p.priority);
    let name = words.process(process);
    if text == "-end-" {
        return format!("{depth:3}: proc {pid} terminates\n");
    }
    let text = visible(&text.replace('\\', "\\\\")).into_owned();
    format!("{depth:3}:\tproc {pid:2} ({name}:{priority}) {place} (state {state})\t[{text}]\n")
}

/// The processes that a move has created.
fn created(before: &View, after: &View, depth: usize, pid: u8, words: &dyn Words) -> String {
    let creator = before.processes.iter().find(|p| p.pid == pid);
    let name = creator.map_or_else(String::new, |p| words.process(p.process));
    let new = after.processes.iter().skip(before.processes.len());
    new.map(|p| {
        format!("{depth:3}:\tproc {pid:2} ({name}:1) creates proc {:2} ({})\n", p.pid, words.process(p.process))
    })
    .collect()
}

/// Messages that are sent and received.
fn messages(
    run: &Run,
    taken: &Move,
    depth: usize,
    (before, after): (&View, &View),
    words: &dyn Words,
    shown: Shown,
) -> String {
    let mut out = String::new();
    let names = Names::default();
    for (i, (old, new)) in before.channels.iter().zip(&after.channels).enumerate() {
        let declared = &run.model().channels[new.declaration.index()];
        let (sent, message) = match () {
            () if new.messages.len() > old.messages.len() => (true, new.messages.last()),
            () if new.messages.len() < old.messages.len() => (false, old.messages.first()),
            () => continue,
        };
        let Some(message) = message.filter(|_| if sent { shown.sends } else { shown.receives }) else { continue };
        let fields = message.iter().zip(&declared.fields);
        let values: Vec<String> = fields.map(|(v, ty)| names.value(run.model(), after, *ty, *v)).collect();
        let place = words.statement(taken.process, taken.edge).place;
        let process = words.process(taken.process);
        let (verb, arrow) = if sent { ("Sent", "->") } else { ("Recv", "<-") };
        let _ = writeln!(
            out,
            "{depth:3}:\tproc {:2} ({process}:1) {place} {verb} {}\t{arrow} queue {} ({})",
            taken.pid,
            values.join(","),
            i + 1,
            declared.name
        );
    }
    out
}

/// One line for each element of a variable that changed, or for all.
fn changes(
    run: &Run,
    names: &Names,
    view: &View,
    owner: &str,
    vars: &[Var],
    (old, new): (Option<&[Vec<i32>]>, &[Vec<i32>]),
) -> String {
    let mut out = String::new();
    for (i, var) in vars.iter().enumerate().filter(|(_, var)| var.ty.shows != Shows::Channel) {
        for (at, value) in new.get(i).into_iter().flatten().enumerate() {
            let same = old.and_then(|old| old.get(i)?.get(at)) == Some(value);
            if !same {
                let name = element(run.model(), var, at as u32);
                let _ = writeln!(out, "\t\t{owner}{name} = {}", shown_value(run, names, view, var.ty, *value));
            }
        }
    }
    out
}

/// SPIN shows truth values as numbers.
fn shown_value(run: &Run, names: &Names, view: &View, ty: Type, value: i32) -> String {
    match ty.shows {
        Shows::Symbol(_) => names.value(run.model(), view, ty, value),
        _ => value.to_string(),
    }
}

fn globals(run: &Run, names: &Names, before: Option<&View>, after: &View) -> String {
    let old = before.map(|view| &view.globals[..]);
    changes(run, names, after, "", &run.model().globals, (old, &after.globals))
}

fn locals(run: &Run, names: &Names, before: Option<&View>, after: &View, words: &dyn Words) -> String {
    let mut out = String::new();
    for process in &after.processes {
        let owner = format!("{}({}):", words.process(process.process), process.pid);
        let old = before.and_then(|view| view.processes.iter().find(|p| p.pid == process.pid));
        // A new process has not changed anything yet.
        if before.is_some() && old.is_none() {
            continue;
        }
        let vars = &run.model().processes[process.process.index()].locals;
        let values = (old.map(|p| &p.locals[..]), &process.locals[..]);
        out.push_str(&changes(run, names, after, &owner, vars, values));
    }
    out
}

/// The last lines: the variables, and where each process is.
pub fn ending(run: &Run, depth: usize, total: usize, words: &dyn Words, shown: Shown) -> String {
    let view = run.view(run.moves().len());
    let mut out = String::new();
    if !view.processes.is_empty() {
        let _ = writeln!(out, "#processes: {}", view.processes.len());
        out.push_str(&globals(run, &Names::default(), None, &view));
        for process in view.processes.iter().rev() {
            let (Statement { state, place, .. }, end) = words.location(process.process, process.location);
            let name = words.process(process.process);
            let valid = if end { " <valid end state>" } else { "" };
            let pid = process.pid;
            let _ =
                writeln!(out, "{depth:3}:\tproc {pid:2} ({name}:{}) {place} (state {state}){valid}", process.priority);
            if shown.locals {
                let own = View { processes: vec![process.clone()], ..view.clone() };
                out.push_str(&locals(run, &Names::default(), None, &own, words));
            }
        }
    }
    let s = if total == 1 { "" } else { "es" };
    let _ = writeln!(out, "{total} process{s} created");
    out
}
