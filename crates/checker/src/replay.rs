//! Replaying: the part of a request that gives a trail its meaning, and the models to execute the trail in.

use std::path::Path;

use kripke_model::Interpreter;
use kripke_model::ir::Expr;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files::Files;
use crate::load::{self, InputError};
use crate::plan::{Facts, Plan};
use crate::question::Question;
use crate::request::{Algorithm, Fairness, Reductions, Request, Search, Source};
use crate::task::{self, Asked, Kind, Task};

/// The version of [`TrailRequest`] that this library writes.
const VERSION: u32 = 1;

/// The part of a request that gives a trail its meaning: numbers of successors mean nothing without it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrailRequest {
    version: u32,
    /// How the text of the model was read.
    pub source: Source,
    /// The question.
    pub question: Asked,
    /// Whether the claims of the model were ignored.
    #[serde(default)]
    pub ignore_claims: bool,
    /// The passes that changed the model: `raw`, or some of `merging`, `dead_variables`, `slicing`.
    pub passes: Vec<Pass>,
    /// Whether the observer is one for impartial runs.
    #[serde(default)]
    pub impartial: bool,
    /// Whether the observer has several acceptance sets.
    #[serde(default)]
    pub acceptance_sets: bool,
}

/// A pass from model to model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// No pass at all, and no check of exclusive-access claims.
    Raw,
    /// Statement merging.
    Merging,
    /// Dead-variable analysis.
    DeadVariables,
    /// Slicing.
    Slicing,
}

impl TrailRequest {
    /// The request that gives the trail of a task its meaning.
    pub fn new(request: &Request, task: &Task) -> TrailRequest {
        let Reductions { raw, dead_variables, slicing, .. } = request.reductions;
        let passes = [
            (raw, Pass::Raw),
            (task.merging, Pass::Merging),
            (dead_variables && !raw, Pass::DeadVariables),
            (slicing && !raw, Pass::Slicing),
        ];
        TrailRequest {
            version: VERSION,
            source: request.source.clone(),
            question: task.asked.clone(),
            ignore_claims: request.questions.ignore_claims,
            passes: passes.into_iter().filter(|(on, _)| *on).map(|(_, pass)| pass).collect(),
            impartial: task.question.is_some() && request.questions.fairness == Fairness::Impartial,
            acceptance_sets: task.model.observer.as_ref().is_some_and(|o| o.all_marks() != 0),
        }
    }

    /// The request of a run of the model alone, without a property and without passes.
    pub fn of_run(source: Source, raw: bool) -> TrailRequest {
        TrailRequest {
            version: VERSION,
            source,
            question: Asked::Safety,
            ignore_claims: true,
            passes: raw.then_some(Pass::Raw).into_iter().collect(),
            impartial: false,
            acceptance_sets: false,
        }
    }

    /// Whether this library knows the version.
    pub fn is_known(&self) -> bool {
        self.version <= VERSION
    }

    /// The request to be made again.
    pub fn request(&self) -> Request {
        let mut questions = self.question.questions(self.ignore_claims);
        if self.impartial {
            questions.fairness = Fairness::Impartial;
        }
        let has = |pass: Pass| self.passes.contains(&pass);
        let algorithm = if self.acceptance_sets { Algorithm::Scc } else { Algorithm::Auto };
        Request {
            source: self.source.clone(),
            questions,
            reductions: Reductions {
                raw: has(Pass::Raw),
                merging: has(Pass::Merging),
                dead_variables: has(Pass::DeadVariables),
                slicing: has(Pass::Slicing),
                ..Reductions::default()
            },
            search: Search { algorithm, ..Search::default() },
            ..Request::default()
        }
    }
}

/// The models that a trail is executed in.
#[derive(Debug)]
pub struct Replayable {
    /// The kind of the question.
    pub kind: Kind,
    /// The kind and the name of the property, unless the question is safety.
    pub property: Option<(&'static str, String)>,
    /// The interpreter of the model as counterexamples show it.
    pub interpreter: Interpreter,
    /// The interpreter of the searched model, whose successors the trail numbers.
    pub searched: Interpreter,
    /// The formula of the question.
    pub question: Option<Question>,
    /// The expressions to watch, in the order of their texts.
    pub watched: Vec<Expr>,
    /// Warnings about the text of the model, rendered.
    pub warnings: String,
}

/// Makes the models that the first question of a request is about, in the same way as a check does. The expressions in
/// `watch` are read after the model.
pub fn prepare(file: &Path, request: &Request, watch: &[String], files: &dyn Files) -> Result<Replayable, Error> {
    let problem = task::load_watching(file, request, watch, files)?;
    let (warnings, watched) = (problem.warnings.clone(), problem.watched.clone());
    let tasks = task::tasks(file, problem, request)?;
    let bad = |message: &str| Error::Input(InputError::whole(file, message));
    let mut task = tasks.into_iter().next().ok_or_else(|| bad("there is nothing to replay"))?;
    let facts = Facts { questions: vec![task.facts()], hidden: false, memory_taken: 0, memory: None };
    let plan = Plan::resolve(request, &facts)?;
    if plan.questions[0].merging.is_ok() {
        task.merge();
    }
    let interpreter = |model| load::interpreter(model, request.reductions.raw).map_err(|e| bad(&e.to_string()));
    Ok(Replayable {
        kind: task.kind,
        property: task.property().map(|(kind, name)| (kind, name.to_string())),
        question: task.question,
        watched,
        interpreter: interpreter(task.model)?,
        searched: interpreter(task.searched)?,
        warnings,
    })
}
