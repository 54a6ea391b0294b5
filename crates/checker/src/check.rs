//! The front door: a model in a language, questions, a verdict.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kripke_report::run::Run;
use kripke_report::screen;
use kripke_report::table::Look;
use kripke_report::verdict::{Counterexample, Reason, Verdict as Judged};

use crate::answer::{Answer, Results};
use crate::error::Error;
use crate::files::{Disk, Files, Texts};
use crate::load::{self, InputError};
use crate::monitor::{Monitor, Silent};
use crate::request::{Fairness, Language, Request, Source, StoreKind};
use crate::run;

/// A model in Promela, DVE or ESML that can be read without errors.
#[derive(Clone)]
pub struct Model {
    file: PathBuf,
    source: Source,
    files: Arc<dyn Files + Send>,
    warnings: String,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("file", &self.file).field("source", &self.source).finish_non_exhaustive()
    }
}

impl Model {
    /// Reads a model from a file. The ending of its name decides the language.
    pub fn read(file: impl AsRef<Path>) -> Result<Model, InputError> {
        Model::load(file.as_ref(), Source::default(), Arc::new(Disk))
    }

    /// Reads a model from a text.
    pub fn parse(language: Language, text: &str) -> Result<Model, InputError> {
        let file = PathBuf::from("model");
        let files = Texts([(file.clone(), text.to_string())].into());
        Model::load(&file, Source { language: Some(language), ..Source::default() }, Arc::new(files))
    }

    /// Reads a model with macros and include directories, from any source of files.
    pub fn load(file: &Path, source: Source, files: Arc<dyn Files + Send>) -> Result<Model, InputError> {
        let warnings = load::load(file, &source, &[], &*files)?.warnings;
        Ok(Model { file: file.to_path_buf(), source, files, warnings })
    }

    /// Warnings about the text, rendered for a terminal.
    pub fn warnings(&self) -> &str {
        &self.warnings
    }
}

/// A check of a model: questions and options. Without questions it checks safety and every property that the model states.
#[derive(Clone, Debug)]
pub struct Check<'a> {
    model: &'a Model,
    request: Request,
}

impl<'a> Check<'a> {
    /// A check with all defaults.
    pub fn new(model: &'a Model) -> Check<'a> {
        Check { model, request: Request { source: model.source.clone(), ..Request::default() } }
    }

    /// Asks for assertions, end states and faults, beside other questions.
    #[must_use]
    pub fn safety(mut self) -> Self {
        self.request.questions.safety = true;
        self
    }

    /// Asks whether a formula of linear temporal logic holds on all runs.
    #[must_use]
    pub fn ltl(mut self, formula: &str) -> Self {
        self.request.questions.ltl.push(formula.to_string());
        self
    }

    /// Asks whether a formula of computation tree logic holds in the initial state.
    #[must_use]
    pub fn ctl(mut self, formula: &str) -> Self {
        self.request.questions.ctl.push(formula.to_string());
        self
    }

    /// Asks for a property that the model states.
    #[must_use]
    pub fn property(mut self, name: &str) -> Self {
        self.request.questions.properties.push(name.to_string());
        self
    }

    /// Asks whether a state with this condition can be reached. A reachable state is reported as a violation.
    #[must_use]
    pub fn reach(mut self, condition: &str) -> Self {
        self.request.questions.reach.push(condition.to_string());
        self
    }

    /// Asks for acceptance cycles.
    #[must_use]
    pub fn acceptance(mut self) -> Self {
        self.request.questions.acceptance = true;
        self
    }

    /// Asks for non-progress cycles.
    #[must_use]
    pub fn non_progress(mut self) -> Self {
        self.request.questions.non_progress = true;
        self
    }

    /// The fairness assumption.
    #[must_use]
    pub fn fairness(mut self, fairness: Fairness) -> Self {
        self.request.questions.fairness = fairness;
        self
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(mut self, threads: u16) -> Self {
        self.request.search.threads = Some(threads);
        self
    }

    /// The store of visited states.
    #[must_use]
    pub fn store(mut self, store: StoreKind) -> Self {
        self.request.search.store.kind = Some(store);
        self
    }

    /// The time after which the check is inconclusive.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.request.limits.timeout = Some(timeout);
        self
    }

    /// The number of states after which the check is inconclusive.
    #[must_use]
    pub fn max_states(mut self, states: u64) -> Self {
        self.request.limits.max_states = Some(states);
        self
    }

    /// All other options.
    pub fn request(&mut self) -> &mut Request {
        &mut self.request
    }

    /// Runs the check.
    pub fn run(&self) -> Result<Verdict, Error> {
        self.run_with(&Silent).map(|results| Verdict::of(&results))
    }

    /// Runs the check under a monitor, and gives every detail.
    pub fn run_with(&self, monitor: &dyn Monitor) -> Result<Results, Error> {
        run::check(&self.model.file, &self.request, &*self.model.files, monitor)
    }
}

/// The verdict of a check: the worst of all answers.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every question was answered by a complete search, and nothing is violated.
    Holds(Proof),
    /// A run violates a property. It was replayed and judged by the definition of the property.
    Violated(Violation),
    /// A limit ended the search, or the store may have omitted states.
    Inconclusive(Reason),
}

/// What was explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Stored states, of all searches together.
    pub states: u64,
    /// Executed transitions, of all searches together.
    pub transitions: u64,
}

/// A violated property and a run that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The name of the property.
    pub property: String,
    /// What is wrong, in one line.
    pub message: String,
    /// The number of steps of the run.
    pub steps: usize,
    /// The run as a table.
    pub trace: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n{}", self.property, self.message, self.trace)
    }
}

impl Verdict {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Holds(_))
    }

    /// The verdict that the results of a check amount to.
    pub fn of(results: &Results) -> Verdict {
        let answer = results.decisive();
        match &answer.verdict {
            Judged::Violated(violated) => Verdict::Violated(Violation::of(answer, &violated.first)),
            Judged::Inconclusive(reason) => Verdict::Inconclusive(reason.clone()),
            Judged::Holds(_) => {
                let sum = |of: fn(&Answer) -> u64| results.answers.iter().map(of).sum();
                Verdict::Holds(Proof {
                    states: sum(|a| a.outcome.statistics.states),
                    transitions: sum(|a| a.outcome.statistics.transitions),
                })
            }
        }
    }
}

impl Violation {
    fn of(answer: &Answer, found: &Counterexample) -> Violation {
        let run = Run::replayed(&answer.interpreter, found.replayed());
        let look = Look { width: 120, full: true };
        Violation {
            property: answer.task.name.clone(),
            message: screen::one_line(run.model(), found),
            steps: run.moves().len(),
            trace: screen::trace(&run, &run.names(), look),
        }
    }
}
