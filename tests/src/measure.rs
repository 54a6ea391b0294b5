//! Checking a model raw, and comparing what was counted with what a table says.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use kripke_engine::Compiled;
use kripke_lang::diagnostic::Severity;
use kripke_lang::source::Loader;
use kripke_model::{Interpreter, Model, Successors};
use kripke_search::{Budget, End, Limit, Options, Progress, explore};

/// What checking a model gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Measured {
    /// The text was refused, for this reason.
    Rejected(String),
    /// The search could not be finished.
    Stopped(String),
    Counted(Counts),
}

/// The figures of a complete search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub assertions: u64,
    pub invalid_ends: u64,
    pub faults: u64,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub states: u64,
    pub seconds: u64,
}

impl Counts {
    pub fn errors(&self) -> u64 {
        self.assertions + self.invalid_ends + self.faults
    }

    /// As in the tables: `ok`, or the kinds of errors.
    pub fn verdict(&self) -> String {
        let kinds = [("assertion", self.assertions), ("invalid-end-state", self.invalid_ends), ("fault", self.faults)];
        let found: Vec<_> = kinds.iter().filter(|(_, n)| *n > 0).map(|(kind, _)| *kind).collect();
        if found.is_empty() { "ok".to_string() } else { found.join("+") }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { states, transitions, .. } = self;
        write!(f, "{states} states, {transitions} transitions, {} errors ({})", self.errors(), self.verdict())
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measured::Rejected(why) => write!(f, "rejected: {}", why.lines().next().unwrap_or_default()),
            Measured::Stopped(why) => write!(f, "stopped: {why}"),
            Measured::Counted(counts) => counts.fmt(f),
        }
    }
}

/// Models up to this size are also run as compiled code.
const COMPILED_TOO: u64 = 100_000;

/// Every error of the model in a file.
pub fn count_all(path: &Path, bounds: Bounds) -> Measured {
    let interpreted = search(path, bounds, true, false);
    if !matches!(interpreted, Measured::Counted(counts) if counts.states <= COMPILED_TOO) {
        return interpreted;
    }
    let compiled = search(path, bounds, true, true);
    if interpreted == compiled {
        interpreted
    } else {
        Measured::Stopped(format!("compiled code gives {compiled}, the interpreter {interpreted}"))
    }
}

/// Whether the model in a file has an error; the other counts are those up to the first.
pub fn find_first(path: &Path, bounds: Bounds) -> Measured {
    search(path, bounds, false, false)
}

fn search(path: &Path, bounds: Bounds, all_errors: bool, compile: bool) -> Measured {
    let model = match load(path) {
        Ok(model) => Arc::new(model),
        Err(why) => return Measured::Rejected(why),
    };
    let mut interpreter = match Interpreter::new(model.clone()) {
        Ok(interpreter) => interpreter,
        Err(why) => return Measured::Rejected(why.to_string()),
    };
    if all_errors {
        // As with `--raw`: SPIN does not look at claims when it does not reduce.
        interpreter = interpreter.without_claims();
    }
    let options = Options { all_errors, ..Options::default() };
    let budget = Budget {
        max_states: Some(bounds.states),
        deadline: Instant::now().checked_add(Duration::from_secs(bounds.seconds)),
        ..Budget::default()
    };
    let code = kripke_engine::Options { claims: !all_errors, ..kripke_engine::Options::default() };
    let mut compiled = match compile.then(|| Compiled::new(model, code)) {
        None => None,
        Some(Ok(compiled)) => Some(compiled),
        Some(Err(why)) => return Measured::Rejected(why.to_string()),
    };
    let successors: &mut dyn Successors = compiled.as_mut().map_or(&mut interpreter, |c| c);
    let outcome = explore(successors, &options, &budget, &Progress::new());
    match outcome.end {
        End::Stopped(Limit::EndlessSequence(_)) => Measured::Stopped("endless sequence".to_string()),
        End::Stopped(limit) => Measured::Stopped(limit.to_string()),
        End::Exhausted(_) | End::Violation => {
            let s = outcome.statistics;
            Measured::Counted(Counts {
                states: s.states,
                transitions: s.transitions,
                assertions: s.errors.assertions,
                invalid_ends: s.errors.invalid_ends,
                faults: s.errors.faults,
            })
        }
    }
}

/// Files of this machine.
struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

/// The model in a file, or what is wrong with its text.
pub fn load(path: &Path) -> Result<Model, String> {
    let loaded = kripke_lang::load(path, &Disk, &kripke_lang::LoadOptions::default());
    let mut errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let first = errors.next().map(|d| d.message.clone());
    loaded.model.ok_or_else(|| first.unwrap_or_else(|| "no model and no error".to_string()))
}
