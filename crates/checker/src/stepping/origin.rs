//! Where the run of a session comes from, and conditions on its states, which are read after the model.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_model::interpret::Move;
use kripke_model::ir::Expr;
use kripke_model::{Interpreter, Model};
use kripke_report::run::{End, Run};
use kripke_report::trail_file::TrailFile;

use super::Session;
use crate::error::Error;
use crate::files::{Disk, Files};
use crate::load::{self, InputError};
use crate::replay;
use crate::request::{Request, Source};

/// Where the run of a session comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A simulation of a model.
    Model {
        /// The file of the model.
        file: PathBuf,
        /// How its text is read.
        source: Source,
        /// Whether exclusive-access claims are not checked.
        raw: bool,
    },
    /// A trail file.
    Trail {
        /// The file of the model.
        file: PathBuf,
        /// The request of the trail.
        request: Box<Request>,
        /// The trail file.
        trail: Box<TrailFile>,
        /// The kind and the name of the property, unless the question is safety.
        property: Option<(&'static str, String)>,
    },
    /// A trail of SPIN.
    SpinTrail {
        /// The file of the model.
        file: PathBuf,
        /// How its text is read.
        source: Source,
    },
}

impl Origin {
    /// Whether the run is a trail.
    pub fn is_trail(&self) -> bool {
        !matches!(self, Origin::Model { .. })
    }

    pub(super) fn property(&self) -> Option<(&str, &str)> {
        match self {
            Origin::Trail { property, .. } => property.as_ref().map(|(kind, name)| (*kind, &**name)),
            Origin::Model { .. } | Origin::SpinTrail { .. } => None,
        }
    }

    /// The file of the model, how its text is read, and whether exclusive-access claims are not checked.
    pub(super) fn model(&self) -> (&Path, &Source, bool) {
        match self {
            Origin::Model { file, source, raw } => (file, source, *raw),
            Origin::Trail { file, request, .. } => (file, &request.source, request.reductions.raw),
            Origin::SpinTrail { file, source } => (file, source, true),
        }
    }

    /// Reads the model again, followed by conditions. The run is the one that the session started with.
    fn open(&self, conditions: &[String], files: &dyn Files) -> Result<Reopened, ConditionError> {
        if let Origin::Trail { file, request, trail, .. } = self {
            let mut prepared = replay::prepare(file, request, conditions, files)?;
            let (mut interpreter, conditions) = (prepared.interpreter, prepared.watched);
            let run = trail
                .trail(interpreter.model())
                .ok()
                .and_then(|trail| trail.replay_whole(&mut interpreter, &mut prepared.searched).ok())
                .map(|(_, replayed)| Run::replayed(&interpreter, &replayed));
            return Ok(Reopened { interpreter, run, conditions });
        }
        let (file, source, raw) = self.model();
        let loaded = load::load_with(file, source, files, |_| Ok((conditions.to_vec(), conditions.len())))?;
        let conditions = loaded.conditions;
        let mut interpreter =
            load::interpreter(Arc::new(loaded.model), raw).map_err(|e| ConditionError::new(&e.to_string()))?;
        let initial = interpreter.initial_point();
        let run = (!self.is_trail()).then(|| Run::new(&interpreter, &initial));
        Ok(Reopened { interpreter, run, conditions })
    }
}

/// A model that was read again.
struct Reopened {
    interpreter: Interpreter,
    /// The run that the session started with, if it could be made again.
    run: Option<Run>,
    conditions: Vec<Expr>,
}

/// The reason why a condition can't be used.
#[derive(Clone, Debug)]
pub struct ConditionError {
    /// In one line.
    pub brief: String,
    /// The diagnostics as text.
    pub full: String,
}

impl ConditionError {
    fn new(text: &str) -> ConditionError {
        ConditionError { brief: text.to_string(), full: format!("{text}\n") }
    }

    fn unread() -> ConditionError {
        ConditionError::new("the condition can't be read")
    }
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.brief)
    }
}

impl std::error::Error for ConditionError {}

impl From<InputError> for ConditionError {
    fn from(error: InputError) -> ConditionError {
        let first = error.complaints.iter().find(|c| c.severity == "error").map(|c| c.message.clone());
        ConditionError { brief: first.unwrap_or_else(|| error.brief()), full: error.text }
    }
}

impl From<Error> for ConditionError {
    fn from(error: Error) -> ConditionError {
        match error {
            Error::Input(error) => error.into(),
            other => ConditionError::new(&other.to_string()),
        }
    }
}

impl Session {
    /// Reads a condition. If states need something for it that they do not have, the model is replaced, and the run is executed
    /// again. All expressions that are watched are read with it, since they belong to the same model.
    pub(super) fn condition(&mut self, text: &str) -> Result<Expr, ConditionError> {
        let watched = self.watches.iter().map(|watch| watch.text.clone());
        let texts: Vec<String> = watched.chain([text.to_string()]).collect();
        let mut opened = self.origin.open(&texts, &self.texts)?;
        let condition = opened.conditions.pop().ok_or_else(ConditionError::unread)?;
        if !is_same_model(opened.interpreter.model(), self.interpreter.model()) {
            self.adopt(opened.interpreter, opened.run)?;
            for (watch, expr) in self.watches.iter_mut().zip(opened.conditions) {
                watch.expr = expr;
            }
        }
        Ok(condition)
    }

    fn adopt(&mut self, mut interpreter: Interpreter, run: Option<Run>) -> Result<(), ConditionError> {
        let differs = || ConditionError::new("with this condition the model has other steps than the run so far");
        let trail = run.ok_or_else(differs)?;
        let mut run = trail.clone();
        if !self.is_on_trail() {
            let shared = self.left.unwrap_or(0);
            run.rewind(shared.min(run.moves().len()));
            for taken in self.run.moves().iter().skip(shared) {
                let point = run.point(run.moves().len());
                let moves = interpreter.moves(&point);
                let same = moves.into_iter().find(|m| self.is_alike(taken, m, &run));
                run.push(same.ok_or_else(differs)?);
            }
            self.set_end(&mut run);
        }
        if run.moves().len() != self.len() {
            return Err(differs());
        }
        self.trail = self.trail.is_some().then_some(trail);
        self.names = run.names();
        self.evaluated.clear();
        (self.interpreter, self.run) = (interpreter, run);
        self.revision += 1;
        Ok(())
    }

    fn set_end(&self, run: &mut Run) {
        if let End::Finding(_) | End::InvalidEnd = self.run.end() {
            run.finish(self.run.end().clone());
        }
    }

    /// Whether a move of another form of the model is the same as one of this run: the same processes execute the same text.
    fn is_alike(&self, own: &Move, other: &Move, run: &Run) -> bool {
        let movers = |m: &Move| (m.pid, m.partner.map(|p| p.pid), m.others.len());
        let place = |run: &Run, m: &Move| run.edge(m.process, m.edge).span;
        movers(own) == movers(other)
            && self.run.statements(own) == run.statements(other)
            && place(&self.run, own) == place(run, other)
    }
}

/// Whether two models are equal up to the texts of conditions.
fn is_same_model(one: &Model, other: &Model) -> bool {
    let bare = |model: &Model| Model { files: Vec::new(), ..model.clone() };
    bare(one) == bare(other)
}

/// The files of a model as they were when it was read. Files that are no part of the model are read from the disk.
#[derive(Clone, Debug)]
pub(super) struct Remembered(Vec<(String, String)>);

impl Remembered {
    pub(super) fn new(model: &Model) -> Remembered {
        let read = model.files.iter().filter(|file| !file.asked);
        Remembered(read.map(|file| (file.name.clone(), file.text.clone())).collect())
    }

    fn find(&self, path: &Path) -> Option<Vec<u8>> {
        let name = path.display().to_string();
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| text.clone().into_bytes())
    }
}

impl Files for Remembered {
    fn named(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.find(path).map_or_else(|| Disk.named(path), Ok)
    }

    fn included(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.find(path).map_or_else(|| Disk.included(path), Ok)
    }
}
