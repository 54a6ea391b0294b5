//! Opening sessions: a simulation of a model, or the replay of a trail.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use kripke_report::run::{End, Run};
use kripke_report::trail_file::TrailFile;

use super::{Origin, Session};
use crate::error::Error;
use crate::files::Files;
use crate::load::{self, InputError};
use crate::replay;
use crate::request::{Request, Source};
use crate::spin::trail::SpinTrail;
use crate::spin::{Numbered, Steps, follow};
use crate::task::Kind;

/// A session that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The session, at the start of the run.
    pub session: Session,
    /// Warnings about the text of the model, rendered for a terminal; perhaps none.
    pub warnings: String,
    /// A remark about the trail.
    pub remark: Option<String>,
}

/// The reason why a session can't be opened.
#[derive(Clone, Debug)]
pub enum OpenError {
    /// The model can't be read, or the request of the trail is refused.
    Model(Error),
    /// The trail is no trail, or none of this model.
    Trail(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Model(error) => error.fmt(f),
            OpenError::Trail(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<Error> for OpenError {
    fn from(error: Error) -> OpenError {
        OpenError::Model(error)
    }
}

impl From<InputError> for OpenError {
    fn from(error: InputError) -> OpenError {
        OpenError::Model(error.into())
    }
}

impl Opened {
    /// A simulation of a model. A raw one does not check exclusive-access claims.
    pub fn simulation(
        file: &Path,
        source: &Source,
        raw: bool,
        seed: u64,
        files: &dyn Files,
    ) -> Result<Opened, OpenError> {
        let loaded = load::load(file, source, &[], files)?;
        let mut interpreter =
            load::interpreter(Arc::new(loaded.model), raw).map_err(|e| InputError::whole(file, &e.to_string()))?;
        let initial = interpreter.initial_point();
        let run = Run::new(&interpreter, &initial);
        let origin = Origin::Model { file: file.to_path_buf(), source: source.clone(), raw };
        Ok(Opened { session: Session::new(interpreter, run, origin, seed), warnings: loaded.warnings, remark: None })
    }

    /// The replay of a trail file, whose request is `request`.
    pub fn trail(
        file: &Path,
        trail: TrailFile,
        request: Request,
        seed: u64,
        files: &dyn Files,
    ) -> Result<Opened, OpenError> {
        let wrong = |e: &dyn fmt::Display| OpenError::Trail(e.to_string());
        let mut prepared = replay::prepare(file, &request, &[], files)?;
        let mut interpreter = prepared.interpreter;
        let choices = trail.trail(interpreter.model()).map_err(|e| wrong(&e))?;
        let replayed = choices.replay_whole(&mut interpreter, &mut prepared.searched).map_err(|e| wrong(&e))?.1;
        let mut run = Run::replayed(&interpreter, &replayed);
        if prepared.kind == Kind::Ctl && trail.error.is_some() && *run.end() == End::Fine {
            run.finish(End::Refuted);
        }
        let (request, trail, property) = (Box::new(request), Box::new(trail), prepared.property);
        let origin = Origin::Trail { file: file.to_path_buf(), request, trail, property };
        Ok(Opened { session: Session::new(interpreter, run, origin, seed), warnings: prepared.warnings, remark: None })
    }

    /// The replay of a trail of SPIN.
    pub fn spin_trail(
        file: &Path,
        source: &Source,
        text: &str,
        seed: u64,
        files: &dyn Files,
    ) -> Result<Opened, OpenError> {
        let trail = SpinTrail::parse(text).map_err(|e| OpenError::Trail(e.to_string()))?;
        let mut model = Numbered::load(file, source, Steps::Short, files)?;
        let followed = follow(&mut model, &trail).map_err(|e| OpenError::Trail(e.to_string()))?;
        let origin = Origin::SpinTrail { file: file.to_path_buf(), source: source.clone() };
        let session = Session::new(model.interpreter, followed.run, origin, seed);
        Ok(Opened { session, warnings: model.warnings, remark: followed.remark })
    }
}
