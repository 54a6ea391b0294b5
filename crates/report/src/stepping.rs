//! The views of a program that steps through a run: marks in the source, values with what changed, queues, history. Each view is
//! data about one position of a run; a front end draws it.

use kripke_model::interpret::Move;
use kripke_model::ir::{Edge, FileId, ProcessId, Shows, VarId};
use kripke_model::layout::{ProcessView, View};

use crate::escape::visible;
use crate::names::{Item, Names, What, channel_item, variables};
use crate::run::{End, Run};
use crate::source::Lines;
use crate::table::{line, mover};
use crate::width::width;

/// A line of the source at which a process is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    /// The file.
    pub file: FileId,
    /// The line, counted from 1.
    pub line: u32,
    /// The process number.
    pub pid: u8,
    /// The name of the process.
    pub process: String,
    /// Whether the process can execute a statement of this line.
    pub enabled: bool,
}

/// The lines of the next statements of all processes after `steps` steps; `moves` are the enabled moves there.
pub fn marks(run: &Run, names: &Names, steps: usize, moves: &[Move]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for p in &run.view(steps).processes {
        let process = visible(&names.process(run.model(), p.process, p.pid)).into_owned();
        for (edge, id) in outgoing(run, p) {
            let at = place(run, edge);
            let enabled = moves.iter().any(|m| executes(m, p.pid).any(|taken| taken == id));
            let mark = Mark { file: at.0, line: at.1, pid: p.pid, process: process.clone(), enabled };
            match marks.iter_mut().find(|m| (m.file, m.line, m.pid) == (mark.file, mark.line, mark.pid)) {
                Some(known) => known.enabled |= enabled,
                None => marks.push(mark),
            }
        }
    }
    marks.sort();
    marks
}

/// The edges that leave the location of a process, with their numbers.
fn outgoing<'a>(run: &'a Run, at: &ProcessView) -> impl Iterator<Item = (&'a Edge, u32)> {
    let process = &run.model().processes[at.process.index()];
    process.locations[at.location.index()].edges.iter().map(|id| (&process.edges[id.index()], id.0))
}

/// The numbers of the edges that a process takes in a move.
fn executes(taken: &Move, pid: u8) -> impl Iterator<Item = u32> {
    let own = (taken.pid == pid).then_some(taken.edge.0);
    let others = taken.partner.iter().chain(&taken.others).filter(move |p| p.pid == pid).map(|p| p.edge.0);
    own.into_iter().chain(others)
}

fn place(run: &Run, edge: &Edge) -> (FileId, u32) {
    let at = run.lines().of(Lines::own(edge));
    (at.file, at.first)
}

/// The file and the line of the statement that a move executes.
pub fn place_of(run: &Run, taken: &Move) -> Option<(FileId, u32)> {
    (!run.is_pause(taken)).then(|| place(run, run.edge(taken.process, taken.edge)))
}

/// The variables of one owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The number and the name of the process; none for the globals.
    pub owner: Option<(u8, String)>,
    /// The line of the next statement of the process: none for the globals, and at the end of a process.
    pub place: Option<(FileId, u32)>,
    /// The variables in the order of their declarations.
    pub values: Vec<Value>,
}

/// A variable with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The name.
    pub name: String,
    /// The value; an array in brackets.
    pub value: String,
    /// The value before the last step, if it was another one.
    pub was: Option<String>,
}

/// The variables after `steps` steps, and what the last step changed.
pub fn variables_of(run: &Run, names: &Names, steps: usize) -> Vec<Group> {
    let view = run.view(steps);
    let before = (steps > 0).then(|| run.view(steps - 1));
    let owners = std::iter::once(None).chain(view.processes.iter().map(|p| Some((p.pid, p.process))));
    owners
        .map(|owner| Group {
            owner: owner.map(|(pid, process)| (pid, visible(&names.process(run.model(), process, pid)).into_owned())),
            place: owner.and_then(|(pid, _)| position(run, &view, pid)),
            values: values(run, names, (&view, before.as_ref()), owner),
        })
        .filter(|group| group.owner.is_some() || !group.values.is_empty())
        .collect()
}

fn values(run: &Run, names: &Names, states: (&View, Option<&View>), owner: Option<(u8, ProcessId)>) -> Vec<Value> {
    let mut out = Vec::new();
    for (i, var) in variables(run.model(), owner).iter().enumerate() {
        if var.hidden || (var.ty.shows == Shows::Channel && owner.is_none()) {
            continue;
        }
        let text = |view: &View| {
            let item = |at| Item { owner, what: What::Element { var: VarId(i as u32), at } };
            let read = |at| names.read(run.model(), view, item(at));
            if var.dims.is_empty() {
                return read(0);
            }
            let all: Vec<String> = (0..var.len() as u32).map_while(read).collect();
            (!all.is_empty()).then(|| format!("[{}]", all.join(" ")))
        };
        let Some(value) = text(states.0) else { continue };
        let was = states.1.and_then(text).filter(|was| *was != value);
        let clean = |text: &str| visible(text).into_owned();
        out.push(Value { name: clean(&var.name), value: clean(&value), was: was.map(|was| clean(&was)) });
    }
    out
}

fn position(run: &Run, view: &View, pid: u8) -> Option<(FileId, u32)> {
    let process = view.processes.iter().find(|p| p.pid == pid)?;
    outgoing(run, process).next().map(|(edge, _)| place(run, edge))
}

/// A channel with its messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queue {
    /// The name.
    pub name: String,
    /// The number of messages that it holds; 0 for a rendezvous channel.
    pub capacity: usize,
    /// The messages, the one that is received first in front.
    pub messages: Vec<String>,
    /// Whether the last step changed the contents.
    pub changed: bool,
}

/// The channels after `steps` steps.
pub fn queues(run: &Run, names: &Names, steps: usize) -> Vec<Queue> {
    let (model, view) = (run.model(), run.view(steps));
    let before = (steps > 0).then(|| run.view(steps - 1));
    let mut out = Vec::new();
    for (i, channel) in view.channels.iter().enumerate() {
        let Some(item) = channel_item(&view, i) else { continue };
        let declaration = &model.channels[channel.declaration.index()];
        let message = |values: &Vec<i32>| {
            let fields = values.iter().zip(&declaration.fields);
            let texts: Vec<String> = fields.map(|(value, ty)| names.value(model, &view, *ty, *value)).collect();
            visible(&texts.join(",")).into_owned()
        };
        let was = before.as_ref().and_then(|view| view.channels.get(i)).map(|channel| &channel.messages);
        out.push(Queue {
            name: visible(&names.item(model, item)).into_owned(),
            capacity: declaration.capacity as usize,
            messages: channel.messages.iter().map(message).collect(),
            changed: was.is_some_and(|was| *was != channel.messages),
        });
    }
    out
}

/// A step of the history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Past {
    /// The number of the process; none if no process moves.
    pub pid: Option<u8>,
    /// The name of the process; two names for a rendezvous.
    pub process: String,
    /// The line of the statement.
    pub line: String,
    /// The statement.
    pub statement: String,
    /// The printed output.
    pub output: String,
}

/// A move in words.
pub fn past(run: &Run, names: &Names, taken: &Move) -> Past {
    Past {
        pid: (!run.is_pause(taken)).then_some(taken.pid),
        process: visible(&mover(run, names, taken)).into_owned(),
        line: line(run, taken),
        statement: run.statements(taken),
        output: visible(&taken.output).into_owned(),
    }
}

/// A line of the source, without its end, with tabs as blanks.
pub fn source_line(run: &Run, file: FileId, line: u32) -> String {
    let text = run.model().files.get(file.index()).map_or("", |file| &file.text);
    let line = text.split('\n').nth((line as usize).saturating_sub(1)).unwrap_or_default();
    untabbed(&visible(line.trim_end_matches('\r')))
}

/// The lines of a file.
pub fn source_lines(run: &Run, file: FileId) -> Vec<String> {
    let text = run.model().files.get(file.index()).map_or("", |file| &file.text);
    text.lines().map(|line| untabbed(&visible(line))).collect()
}

/// Columns between two tab stops.
const TAB: usize = 4;

fn untabbed(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for part in line.split_inclusive('\t') {
        out.push_str(part.trim_end_matches('\t'));
        if part.ends_with('\t') {
            let columns = TAB - width(&out) % TAB;
            out.extend(std::iter::repeat_n(' ', columns));
        }
    }
    out
}

/// The lines of the source that contain a text, in any case. Conditions that were asked for are no source.
pub fn search_source(run: &Run, text: &str) -> Vec<(FileId, u32)> {
    let wanted = text.to_lowercase();
    let files = run.model().files.iter().enumerate().filter(|(_, file)| !file.asked);
    let lines = files.flat_map(|(n, file)| (1..).zip(file.text.lines()).map(move |(at, line)| (n, at, line)));
    let found = lines.filter(|(_, _, line)| line.to_lowercase().contains(&wanted));
    found.map(|(file, at, _)| (FileId(file as u32), at)).collect()
}

/// The steps of a run whose process, statement or output contains a text, in any case.
pub fn search_run(run: &Run, names: &Names, text: &str) -> Vec<usize> {
    let wanted = text.to_lowercase();
    let contains = |taken: &Move| {
        let Past { process, statement, output, .. } = past(run, names, taken);
        [process, statement, output].iter().any(|text| text.to_lowercase().contains(&wanted))
    };
    (1..).zip(run.moves().iter()).filter(|(_, taken)| contains(taken)).map(|(step, _)| step).collect()
}

/// The steps of the cycle of a run: the first and the last one. The first is beyond the last if no process moves in the cycle.
pub fn cycle(run: &Run) -> Option<(usize, usize)> {
    match run.end() {
        End::Cycle(before) => Some((before + 1, run.moves().len())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn marks_say_where_processes_are_and_which_can_move() {
        let (run, _) = sample::counterexample(sample::mutex());
        let names = run.names();
        let all = |moves: &[Move]| -> Vec<(u32, String, bool)> {
            marks(&run, &names, 1, moves).into_iter().map(|m| (m.line, m.process, m.enabled)).collect()
        };
        let (first, second) = (run.moves()[0].clone(), run.moves()[1].clone());
        assert_eq!(first.process, ProcessId(1), "q moves first");
        assert_eq!(all(&[second]), [(3, "p".to_string(), true), (11, "q".to_string(), false)]);
    }

    #[test]
    fn values_say_what_they_were() {
        let (run, _) = sample::counterexample(sample::mutex());
        let names = run.names();
        let changed = |steps| -> Vec<(String, String, Option<String>)> {
            let groups = variables_of(&run, &names, steps);
            let values = groups.into_iter().flat_map(|group| group.values);
            values.filter(|v| v.was.is_some()).map(|v| (v.name, v.value, v.was)).collect()
        };
        assert_eq!(changed(0), []);
        let all: Vec<_> = (0..=run.moves().len()).flat_map(changed).map(|(name, ..)| name).collect();
        assert_eq!(all.iter().filter(|name| *name == "critical").count(), 2, "{all:?}");
        let last = run.moves().len() - 1;
        assert_eq!(changed(last), [("critical".to_string(), "2".to_string(), Some("1".to_string()))]);
    }

    #[test]
    fn text_is_found_in_the_source_and_in_the_run() {
        let (run, _) = sample::counterexample(sample::mutex());
        let names = run.names();
        let lines: Vec<u32> = search_source(&run, "CRITICAL++").into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, [5, 12]);
        assert_eq!(search_run(&run, &names, "critical++").len(), 2);
        assert_eq!(search_run(&run, &names, "no such text"), [0; 0]);
        assert_eq!(source_line(&run, FileId(0), 5), "critical++");
        assert_eq!(untabbed("\tx\ty"), "    x   y");
    }

    #[test]
    fn channels_are_queues() {
        let (run, _) = sample::counterexample(sample::handshake());
        let names = run.names();
        let all = queues(&run, &names, 2);
        assert_eq!((all[0].name.as_str(), all[0].capacity), ("c", 0));
        assert_eq!(all[1].messages, ["msg,3"]);
        assert!(all[1].changed && !all[0].changed);
        let step = past(&run, &names, &run.moves()[0]);
        assert_eq!((step.process.as_str(), step.line.as_str()), ("sender → receiver(2)", "3→6"));
    }
}
