//! Processes as threads, and their next statements as stack frames.

use kripke_model::interpret::Move;
use kripke_model::ir::{Edge, EdgeId, Span};
use kripke_model::layout::ProcessView;
use kripke_report::escape::visible;
use kripke_report::run::flat;
use kripke_report::source::Lines;
use serde_json::{Value, json};

use crate::debuggee::{Debuggee, Executed};
use crate::lines::{Counting, source};

/// The thread of a run in which no process is alive: clients need one.
const NO_PROCESS: i64 = 1_000;

/// The number of a process as a thread.
pub fn thread(pid: u8) -> i64 {
    i64::from(pid) + 1
}

/// The process of a thread; none for the one that stands for no process.
pub fn process(thread: i64) -> Result<Option<u8>, String> {
    let pid = thread.checked_sub(1).and_then(|pid| u8::try_from(pid).ok());
    if pid.is_none() && thread != NO_PROCESS {
        return Err(format!("there is no thread {thread}"));
    }
    Ok(pid)
}

/// The process of a frame.
pub fn process_of_frame(frame: i64) -> Option<u8> {
    frame.checked_sub(1).filter(|frame| *frame >= 0).and_then(|frame| u8::try_from(frame / 2).ok())
}

/// The threads: the processes that are alive.
pub fn threads(debuggee: &Debuggee) -> Vec<Value> {
    let (run, names) = (debuggee.session.run(), debuggee.session.names());
    let view = run.view(debuggee.session.at());
    let name = |p: &ProcessView| visible(&names.process(run.model(), p.process, p.pid)).into_owned();
    let all: Vec<Value> = view.processes.iter().map(|p| json!({ "id": thread(p.pid), "name": name(p) })).collect();
    if all.is_empty() { vec![json!({ "id": NO_PROCESS, "name": "no process is alive" })] } else { all }
}

/// The numbers of the processes that are alive.
pub fn alive(debuggee: &Debuggee) -> Vec<u8> {
    let view = debuggee.session.run().view(debuggee.session.at());
    view.processes.iter().map(|p| p.pid).collect()
}

/// The thread that a client should look at.
pub fn focus(debuggee: &Debuggee) -> i64 {
    debuggee.focus().map_or(NO_PROCESS, thread)
}

/// The stack of a process: its next statement, and the call of the inline that it is in.
pub fn stack(debuggee: &Debuggee, pid: u8, counting: Counting) -> Vec<Value> {
    let run = debuggee.session.run();
    let view = run.view(debuggee.session.at());
    let Some(process) = view.processes.iter().find(|p| p.pid == pid) else { return Vec::new() };
    let name = visible(&debuggee.session.names().process(run.model(), process.process, pid)).into_owned();
    let id = i64::from(pid) * 2 + 1;
    let Some(edge) = next_statement(debuggee, process) else {
        let text = format!("{name}: at its end");
        return vec![json!({ "id": id, "name": text, "line": 0, "column": 0, "presentationHint": "subtle" })];
    };
    let frame = |id: i64, name: String, span: Span| {
        let mut frame = counting.place(run.model(), span);
        frame["id"] = json!(id);
        frame["name"] = json!(name);
        frame["source"] = source(run, span.file);
        frame
    };
    let statement = flat(&edge.label);
    match &edge.inside {
        None => vec![frame(id, format!("{name}: {statement}"), edge.span)],
        Some(inside) => {
            let inner = format!("{}(): {statement}", visible(&inside.name));
            vec![frame(id, inner, Lines::own(edge)), frame(id + 1, name, edge.span)]
        }
    }
}

/// The statement that a process executes next: in the next step of the run, in a move that is enabled, or the first one. At a failed
/// assertion it is the assertion.
fn next_statement<'a>(debuggee: &'a Debuggee, process: &ProcessView) -> Option<&'a Edge> {
    let run = debuggee.session.run();
    let declared = run.model().processes.get(process.process.index())?;
    if let Some(failed) = failed_assertion(debuggee).filter(|failed| failed.pid == process.pid) {
        return Some(run.edge(failed.process, failed.edge));
    }
    let outgoing = &declared.locations.get(process.location.index())?.edges;
    let taken = |taken: &Move| {
        let executed = Debuggee::executed(run, taken).into_iter().filter(|e| e.pid == process.pid);
        executed.map(|e| e.edge).find(|edge| outgoing.contains(edge))
    };
    let next = debuggee.next_move().and_then(taken);
    let enabled = || debuggee.session.moves().iter().find_map(taken);
    let edge: EdgeId = next.or_else(enabled).or_else(|| outgoing.first().copied())?;
    declared.edges.get(edge.index())
}

/// The assertion that the last step has executed and that is false.
fn failed_assertion(debuggee: &Debuggee) -> Option<Executed> {
    let run = debuggee.session.run();
    debuggee.error().filter(|(filter, _)| *filter == "assertion")?;
    let last = debuggee.session.at().checked_sub(1)?;
    Debuggee::executed(run, run.moves().get(last)?).pop()
}
