//! Checking a model raw, and comparing what was counted with what a table says.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use kripke_engine::Compiled;
use kripke_lang::diagnostic::Severity;
use kripke_lang::source::Loader;
use kripke_model::{Interpreter, Model, Successors};
use kripke_search::{Budget, End, Limit, Options, Order, Progress, StoreKind, explore};

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
    /// States in which the claim has come to its end.
    pub caught: u64,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub states: u64,
    pub seconds: u64,
}

impl Counts {
    pub fn errors(&self) -> u64 {
        self.assertions + self.invalid_ends + self.faults + self.caught
    }

    /// As in the tables: `ok`, or the kinds of errors.
    pub fn verdict(&self) -> String {
        let kinds = [
            ("assertion", self.assertions),
            ("invalid-end-state", self.invalid_ends),
            ("fault", self.faults),
            ("claim", self.caught),
        ];
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

/// With what to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    pub compiled: bool,
    pub order: Order,
    pub store: StoreKind,
    pub threads: usize,
}

/// Models up to this size are searched in every way there is.
const EVERY_WAY: u64 = 20_000;
/// Models up to this size are also interpreted, and kept as trees.
const SOME_WAYS: u64 = 1_000_000;

impl Setup {
    /// As people do.
    const USUAL: Setup = Setup { compiled: true, order: Order::BreadthFirst, store: StoreKind::Exact, threads: 2 };

    /// The other ways for a model of so many states.
    fn others(states: u64) -> Vec<Setup> {
        if states > SOME_WAYS {
            return Vec::new();
        }
        if states > EVERY_WAY {
            let interpreted = Setup { compiled: false, threads: 1, ..Setup::USUAL };
            return vec![interpreted, Setup { store: StoreKind::Tree, ..Setup::USUAL }];
        }
        let mut all = Vec::new();
        for compiled in [true, false] {
            for store in [StoreKind::Exact, StoreKind::Tree] {
                all.push(Setup { compiled, order: Order::DepthFirst, store, threads: 1 });
                for threads in [1, 2, 3] {
                    all.push(Setup { compiled, order: Order::BreadthFirst, store, threads });
                }
            }
        }
        all.retain(|setup| *setup != Setup::USUAL);
        all
    }
}

/// Every error of the model in a file. However a small model is searched, the counts must be the same.
pub fn count_all(path: &Path, bounds: Bounds) -> Measured {
    load(path).map_or_else(Measured::Rejected, |model| count_every_way(&Arc::new(model), bounds))
}

/// The same together with the claim of the model, which is to be its only one.
pub fn count_with_claim(path: &Path, bounds: Bounds) -> Measured {
    let mut model = match load(path) {
        Ok(model) => model,
        Err(why) => return Measured::Rejected(why),
    };
    let mut claims = model.properties.iter_mut().filter_map(|p| p.observer.take());
    match (claims.next(), claims.next()) {
        (Some(claim), None) => model.observer = Some(claim),
        _ => return Measured::Rejected("not exactly one claim that can be checked".to_string()),
    }
    if let Err(why) = model.validate() {
        return Measured::Stopped(format!("the claim is not well formed: {why}"));
    }
    count_every_way(&Arc::new(model), bounds)
}

fn count_every_way(model: &Arc<Model>, bounds: Bounds) -> Measured {
    let usual = search(model, bounds, true, Setup::USUAL);
    if let Measured::Counted(counts) = usual {
        for setup in Setup::others(counts.states) {
            let other = search(model, bounds, true, setup);
            if other != usual {
                return Measured::Stopped(format!("{setup:?} gives {other}, the usual way {usual}"));
            }
        }
    }
    usual
}

/// Whether the model in a file has an error; the other counts are those up to the first.
pub fn find_first(path: &Path, bounds: Bounds) -> Measured {
    load(path).map_or_else(Measured::Rejected, |model| search(&Arc::new(model), bounds, false, Setup::USUAL))
}

fn search(model: &Arc<Model>, bounds: Bounds, all_errors: bool, setup: Setup) -> Measured {
    // As with `--raw`: SPIN does not look at claims when it does not reduce.
    let claims = !all_errors;
    let interpreter = match Interpreter::new(model.clone()) {
        Ok(interpreter) if claims => interpreter,
        Ok(interpreter) => interpreter.without_claims(),
        Err(why) => return Measured::Rejected(why.to_string()),
    };
    let code = kripke_engine::Options { claims, ..kripke_engine::Options::default() };
    let compiled = match setup.compiled.then(|| Compiled::new(model.clone(), code)) {
        // What can't be compiled is interpreted.
        Some(Err(_)) if model.observer.is_some() => None,
        Some(Err(why)) => return Measured::Rejected(why.to_string()),
        Some(Ok(compiled)) => Some(Mutex::new(compiled)),
        None => None,
    };
    let successors = || -> Box<dyn Successors> {
        match &compiled {
            Some(compiled) => Box::new(compiled.lock().unwrap_or_else(PoisonError::into_inner).for_thread()),
            None => Box::new(interpreter.for_thread()),
        }
    };
    let Setup { order, store, threads, .. } = setup;
    let options = Options { all_errors, order, store, threads: Some(threads), ..Options::default() };
    let budget = Budget {
        max_states: Some(bounds.states),
        deadline: Instant::now().checked_add(Duration::from_secs(bounds.seconds)),
        ..Budget::default()
    };
    let outcome = explore(&successors, &options, &budget, &Progress::new());
    match outcome.end {
        End::Stopped(Limit::EndlessSequence(_)) => Measured::Stopped("endless sequence".to_string()),
        End::Stopped(limit) => Measured::Stopped(limit.to_string()),
        End::Exhausted(_) | End::Decided(_) | End::Violation => {
            let s = outcome.statistics;
            Measured::Counted(Counts {
                states: s.states,
                transitions: s.transitions,
                assertions: s.errors.assertions,
                invalid_ends: s.errors.invalid_ends,
                faults: s.errors.faults,
                caught: s.errors.caught,
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
