//! What explains a counterexample: propositions, remarks, and the steps that matter.

use kripke::explain::Explained;
use kripke::replay;
use kripke::replay::TrailRequest;
use kripke::request::Request;
use kripke::stepping::Opened;
use kripke_report::explanation::waiting;
use kripke_report::run::{End, Run};
use kripke_report::select::Selection;
use kripke_report::trail_file::TrailFile;
use serde_json::{Value, json};

use super::failure::Failure;
use super::files::Named;

/// The explanation of a counterexample.
#[derive(Default)]
pub(super) struct Why {
    /// Propositions as columns, remarks, and steps without which the error occurs, too.
    pub selection: Selection,
}

/// The request of a trail file.
fn request(trail: &TrailFile) -> Result<Request, Failure> {
    let request: TrailRequest = serde_json::from_value(trail.request.clone())
        .map_err(|e| Failure::wrong(&format!("the request of the trail makes no sense: {e}")))?;
    if !request.is_known() {
        return Err(Failure::wrong(&"the trail was written by a newer version of Kripke"));
    }
    Ok(request.request())
}

/// Opens the replay of a trail of Kripke or of SPIN, with its explanation.
pub(super) fn open(named: &Named, text: &str, seed: u64) -> Result<(Opened, Why), Failure> {
    if kripke::spin::trail::is_trail(text) {
        let opened = Opened::spin_trail(&named.file, &named.source, text, seed, &named.files)?;
        return Ok((opened, Why::default()));
    }
    let trail = TrailFile::read(text).map_err(|e| Failure::wrong(&e))?;
    let request = request(&trail)?;
    let why = explained(named, &trail, &request)?;
    Ok((Opened::trail(&named.file, trail, request, seed, &named.files)?, why))
}

fn explained(named: &Named, trail: &TrailFile, request: &Request) -> Result<Why, Failure> {
    let mut prepared = replay::prepare(&named.file, request, &[], &named.files)?;
    let mut interpreter = prepared.interpreter;
    let choices = trail.trail(interpreter.model()).map_err(|e| Failure::wrong(&e))?;
    let (_, replayed) =
        choices.replay_whole(&mut interpreter, &mut prepared.searched).map_err(|e| Failure::wrong(&e))?;
    let run = Run::replayed(&interpreter, &replayed);
    let names = run.names();
    let explained =
        Explained { kind: prepared.kind, question: prepared.question.as_ref(), replayed: &replayed, names: &names };
    Ok(Why { selection: explained.selection(Selection::default(), &mut interpreter) })
}

/// The processes that wait at the end of a run that ends in an invalid end state.
pub(super) fn blocked(run: &Run) -> Vec<Value> {
    if *run.end() != End::InvalidEnd {
        return Vec::new();
    }
    let all = waiting(run, &run.names());
    all.iter()
        .map(|w| json!({ "process": w.process, "place": w.place, "statements": w.statements, "at_end": w.at_end }))
        .collect()
}
