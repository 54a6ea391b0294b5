//! Checking a model raw, and comparing what was counted with what a table says.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use kripke_engine::{Compiled, InWords, Words};
use kripke_lang::LoadOptions;
use kripke_lang::diagnostic::{Diagnostic, Severity};
use kripke_lang::source::Loader;
use kripke_model::ir::{Expr, Goal};
use kripke_model::{Interpreter, Model, Representation, Successors};
use kripke_reduce::compact::{Codec, Compacted};
use kripke_reduce::words::word_layout;
use kripke_search::{Budget, Cycles, End, Limit, Options, Order, Outcome, Progress, StoreKind, explore};

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
    pub bad_prefixes: u64,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub states: u64,
    pub seconds: u64,
}

impl Counts {
    pub fn errors(&self) -> u64 {
        self.assertions + self.invalid_ends + self.faults + self.bad_prefixes
    }

    /// As in the tables: `ok`, or the kinds of errors.
    pub fn verdict(&self) -> String {
        let kinds = [
            ("assertion", self.assertions),
            ("invalid-end-state", self.invalid_ends),
            ("fault", self.faults),
            ("claim", self.bad_prefixes),
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
    /// Whether the search sees compact states.
    pub compact: bool,
}

/// Models up to this size are searched in every way there is.
const EVERY_WAY: u64 = 20_000;
/// Models up to this size are also interpreted, and kept as trees.
const SOME_WAYS: u64 = 1_000_000;

impl Setup {
    /// As people do.
    const USUAL: Setup =
        Setup { compiled: true, order: Order::BreadthFirst, store: StoreKind::Exact, threads: 2, compact: false };

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
                all.push(Setup { compiled, order: Order::DepthFirst, store, threads: 1, compact: false });
                for (threads, compact) in [(1, false), (2, false), (3, false), (3, true)] {
                    all.push(Setup { compiled, order: Order::BreadthFirst, store, threads, compact });
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
    let model = match load(path).and_then(with_claim) {
        Ok(model) => model,
        Err(why) => return Measured::Rejected(why),
    };
    if let Err(why) = model.validate() {
        return Measured::Stopped(format!("the claim is not well formed: {why}"));
    }
    count_every_way(&Arc::new(model), bounds)
}

/// The model with its claim as the observer.
fn with_claim(mut model: Model) -> Result<Model, String> {
    let mut claims = model.properties.iter_mut().filter_map(|p| p.observer.take());
    let (Some(claim), None) = (claims.next(), claims.next()) else {
        return Err("not exactly one claim that can be checked".to_string());
    };
    model.observer = Some(claim);
    Ok(model)
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

/// Whether a state can be reached in which a condition is true; none if the search could not be finished.
pub fn reaches(path: &Path, condition: &str, bounds: Bounds) -> Result<Option<bool>, String> {
    let (mut model, conditions) = load_with(path, &[condition.to_string()])?;
    let text = condition.to_string();
    model.goal = conditions.into_iter().next().map(|condition| Goal { condition, text, span: None });
    let model = Arc::new(model);
    for all_errors in [false, true] {
        let options =
            Options { all_errors, assertions: false, end_states: false, threads: Some(2), ..Options::default() };
        let outcome = search_model(&model, bounds, &options, false, Setup::USUAL)?;
        match outcome.end {
            End::Stopped(_) => return Ok(None),
            // A fault ends a search that does not count all errors.
            End::Violation if outcome.statistics.errors.goals == 0 && !all_errors => {}
            _ => return Ok(Some(outcome.statistics.errors.goals > 0)),
        }
    }
    Ok(None)
}

/// Whether the only claim of a model holds; none if the search could not be finished.
pub fn holds(path: &Path, bounds: Bounds) -> Result<Option<bool>, String> {
    let model = Arc::new(with_claim(load(path)?)?);
    let cycles = Some(Cycles::default());
    let options = Options { assertions: false, end_states: false, threads: Some(1), cycles, ..Options::default() };
    let outcome = search_model(&model, bounds, &options, false, Setup::USUAL)?;
    Ok(match outcome.end {
        End::Exhausted(_) | End::Decided(_) => Some(true),
        End::Violation => Some(false),
        End::Stopped(_) => None,
    })
}

fn search(model: &Arc<Model>, bounds: Bounds, all_errors: bool, setup: Setup) -> Measured {
    let Setup { order, store, threads, .. } = setup;
    // With a never claim SPIN does not look at end states.
    let end_states = model.observer.is_none();
    let options = Options { all_errors, end_states, order, store, threads: Some(threads), ..Options::default() };
    // As with `--raw`: SPIN does not look at claims when it does not reduce.
    let outcome = match search_model(model, bounds, &options, !all_errors, setup) {
        Ok(outcome) => outcome,
        Err(why) => return Measured::Rejected(why),
    };
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
                bad_prefixes: s.errors.bad_prefixes,
            })
        }
    }
}

/// `claims`: those of exclusive access to channels are checked. Of the setup, only how states are expanded counts.
fn search_model(
    model: &Arc<Model>,
    bounds: Bounds,
    options: &Options,
    claims: bool,
    Setup { compiled, compact, .. }: Setup,
) -> Result<Outcome, String> {
    let interpreter = Interpreter::new(model.clone()).map_err(|why| why.to_string())?;
    let interpreter = if claims { interpreter } else { interpreter.without_claims() };
    let codec = compact.then(|| Codec::of(&interpreter));
    // As in the program, states are in words and transitions come from the cache, where that is possible.
    let words = if compiled && !compact { word_layout(&interpreter) } else { None };
    let words = words.map(Words::new).filter(|words| words.holds(interpreter.initial_state())).map(Arc::new);
    let explored =
        explore_compiled(model, &interpreter, (bounds, options), words.as_ref(), (compiled, claims, codec.as_ref()))?;
    match words {
        Some(words) if words.has_escaped() => {
            explore_compiled(model, &interpreter, (bounds, options), None, (compiled, claims, codec.as_ref()))
        }
        _ => Ok(explored),
    }
}

fn explore_compiled(
    model: &Arc<Model>,
    interpreter: &Interpreter,
    (bounds, options): (Bounds, &Options),
    words: Option<&Arc<Words>>,
    (compiled, claims, codec): (bool, bool, Option<&Codec>),
) -> Result<Outcome, String> {
    let omit_types = codec.is_none() && words.is_none();
    let code = kripke_engine::Options { claims, omit_types, cache: true, ..kripke_engine::Options::default() };
    let compile = || match words {
        Some(words) => Compiled::in_words(model.clone(), code, words.clone()),
        None => Compiled::new(model.clone(), code),
    };
    let compiled = match compiled.then(compile) {
        // What can't be compiled is interpreted.
        Some(Err(_)) if model.observer.is_some() => None,
        Some(Err(why)) => return Err(why.to_string()),
        Some(Ok(compiled)) => Some(Mutex::new(compiled)),
        None => None,
    };
    let successors = || -> Box<dyn Successors> {
        let all: Box<dyn Successors> = match &compiled {
            Some(compiled) => Box::new(compiled.lock().unwrap_or_else(PoisonError::into_inner).for_thread()),
            None => Box::new(interpreter.for_thread()),
        };
        match (codec, words) {
            (Some(codec), _) => Box::new(Compacted::new(all, codec.clone())),
            (None, Some(words)) if all.word_bits().is_none() => Box::new(InWords::new(all, words.clone())),
            (None, _) => all,
        }
    };
    let budget = Budget {
        max_states: Some(bounds.states),
        deadline: Instant::now().checked_add(Duration::from_secs(bounds.seconds)),
        ..Budget::default()
    };
    Ok(explore(&successors, options, &budget, &Progress::new()))
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
    load_with(path, &[]).map(|(model, _)| model)
}

fn load_with(path: &Path, conditions: &[String]) -> Result<(Model, Vec<Expr>), String> {
    let mut loaded = kripke_lang::load(path, &Disk, &LoadOptions::default());
    let first = |diagnostics: Vec<Diagnostic>| {
        let error = diagnostics.into_iter().find(|d| d.severity == Severity::Error);
        error.map_or_else(|| "no model and no error".to_string(), |d| d.message)
    };
    let conditions = loaded.conditions(conditions).map_err(first)?;
    Ok((loaded.model.ok_or("no model and no error")?, conditions))
}
