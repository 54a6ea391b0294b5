//! What the tests search, and the comparison of two outcomes.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use kripke_cluster::{Algorithm, Cluster, Components, Medium, Searched};
use kripke_engine::Compiled;
use kripke_model::ir::Observer;
use kripke_model::{Interpreter, Model, Representation, Successors};
use kripke_search::{Budget, Cycles, End, Options, Outcome, Progress, StoreKind, explore};
use kripke_tests::measure::load;
use kripke_tests::places;
use kripke_tests::random_model::random_model;

/// A model, ready to be searched.
pub struct System {
    pub name: String,
    pub interpreter: Interpreter,
    compiled: Option<Mutex<Compiled>>,
}

impl System {
    pub fn new(model: Model, compiled: bool) -> Option<System> {
        let (name, model) = (model.name.clone(), Arc::new(model));
        let interpreter = Interpreter::new(model.clone()).ok()?.without_claims();
        if interpreter.hidden_prefix() > 0 {
            return None;
        }
        let options = kripke_engine::Options { claims: false, ..kripke_engine::Options::default() };
        let compiled = compiled.then(|| Compiled::new(model, options).ok()).flatten().map(Mutex::new);
        Some(System { name, interpreter, compiled })
    }

    pub fn successors(&self) -> Box<dyn Successors> {
        match &self.compiled {
            Some(compiled) => Box::new(compiled.lock().unwrap_or_else(PoisonError::into_inner).for_thread()),
            None => Box::new(self.interpreter.for_thread()),
        }
    }

    /// The search of one process.
    pub fn plain(&self, options: &Options, budget: &Budget) -> Outcome {
        let options = Options { store: StoreKind::Exact, threads: Some(1), ..options.clone() };
        explore(&|| self.successors(), &options, budget, &Progress::new())
    }

    /// The search of several ranks.
    pub fn reach(&self, cluster: &Cluster, options: &Options, budget: &Budget) -> kripke_cluster::Result<Searched> {
        kripke_cluster::reachability(cluster, &|| self.successors(), options, budget, &Progress::new())
    }

    /// The search of several ranks for accepting cycles.
    pub fn cycles(&self, cluster: &Cluster, algorithm: Algorithm) -> kripke_cluster::Result<Searched> {
        let (options, budget, progress) = (cycle_options(), Budget::default(), Progress::new());
        let (successors, components) = (|| self.successors(), Components::of(&self.interpreter));
        kripke_cluster::accepting_cycles(
            (cluster, algorithm, components.as_ref()),
            &successors,
            &options,
            &budget,
            &progress,
        )
    }

    /// Compares the answers to a question about cycles, and replays the trails of the second.
    pub fn compare_cycles(&self, plain: &Outcome, ours: &Outcome, what: &str) {
        let name = &self.name;
        let kind = |outcome: &Outcome| match &outcome.end {
            End::Violation if outcome.statistics.errors.cycles > 0 => "a cycle".to_string(),
            other => end(other),
        };
        // A search that goes another way may meet another error first.
        if !matches!((&plain.end, &ours.end), (End::Violation, End::Violation)) {
            assert_eq!(kind(plain), kind(ours), "{name}, {what}");
        }
        if matches!(ours.end, End::Exhausted(_)) {
            let counts = |outcome: &Outcome| (outcome.statistics.states, outcome.statistics.transitions);
            assert_eq!(counts(plain), counts(ours), "{name}, {what}");
        }
        assert_eq!(ours.violations.len(), usize::from(matches!(ours.end, End::Violation)), "{name}, {what}");
        for violation in &ours.violations {
            let replayed = violation.trail.replay(&mut self.interpreter.for_thread());
            assert!(replayed.is_ok(), "{name}, {what}: {replayed:?}");
        }
    }

    /// Compares two outcomes, and replays the trails of the second.
    pub fn compare(&self, plain: &Outcome, ours: &Outcome, what: &str) {
        let name = &self.name;
        assert_eq!(end(&plain.end), end(&ours.end), "{name}, {what}");
        if !matches!(plain.end, End::Stopped(_)) {
            let counts = |outcome: &Outcome| {
                let s = &outcome.statistics;
                (s.states, s.transitions, s.depth, s.errors)
            };
            assert_eq!(counts(plain), counts(ours), "{name}, {what}");
        }
        let errors = |outcome: &Outcome| -> Vec<_> {
            outcome.violations.iter().map(|v| (v.error.clone(), v.trail.choices.len(), v.trail.ending)).collect()
        };
        assert_eq!(errors(plain), errors(ours), "{name}, {what}");
        for violation in &ours.violations {
            let replayed = violation.trail.replay(&mut self.interpreter.for_thread());
            assert!(replayed.is_ok(), "{name}, {what}: {replayed:?}");
        }
    }
}

/// A question about cycles.
pub fn cycle_options() -> Options {
    Options {
        cycles: Some(Cycles { algorithm: kripke_search::Algorithm::Nested, ..Cycles::default() }),
        ..Options::default()
    }
}

/// The model with each of its claims as its observer.
pub fn with_claims(model: &Model) -> Vec<Model> {
    let claims =
        model.properties.iter().filter_map(|property| Some((property.name.clone(), property.observer.clone()?)));
    let with = |(name, observer): (String, Observer)| Model {
        name: format!("{} with {name}", model.name),
        observer: Some(Observer { marks: Vec::new(), ..observer }),
        ..model.clone()
    };
    claims.map(with).collect()
}

/// How a search ended, without figures that may differ.
pub fn end(end: &End) -> String {
    match end {
        End::Exhausted(exhausted) => format!("exhausted with {:?}", exhausted.errors()),
        End::Decided(_) => "decided".to_string(),
        End::Violation => "violation".to_string(),
        End::Stopped(limit) => format!("stopped: {limit}"),
    }
}

/// The models of this project in some folders.
pub fn own_models(folders: &[&str]) -> Vec<Model> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(places::root().join(folder)).expect("a folder of models");
        paths.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    paths.sort();
    let is_model = |path: &&PathBuf| {
        path.extension().is_some_and(|ending| ["pml", "dve", "mdve", "esml"].iter().any(|known| ending == *known))
    };
    let named = |path: &PathBuf| Some(Model { name: path.display().to_string(), ..load(path).ok()? });
    paths.iter().filter(is_model).filter_map(named).collect()
}

/// Small random models with an observer and at most so many states. Acceptance is defined on states.
pub fn random_products(first: u64, number: usize, states: u64) -> Vec<System> {
    let budget = Budget { max_states: Some(states), ..Budget::default() };
    let options = Options { all_errors: true, cycles: None, ..cycle_options() };
    let small = |system: &System| !matches!(system.plain(&options, &budget).end, End::Stopped(_));
    let product = |seed: u64| {
        let mut model = random_model(seed);
        model.observer.as_mut()?.marks.clear();
        System::new(model, false)
    };
    (first..).filter_map(product).filter(small).take(number).collect()
}

/// Small random models with at most so many states.
pub fn random_systems(first: u64, number: usize, states: u64) -> Vec<System> {
    let budget = Budget { max_states: Some(states), ..Budget::default() };
    let options = Options { all_errors: true, ..Options::default() };
    let small = |system: &System| !matches!(system.plain(&options, &budget).end, End::Stopped(_));
    (first..).filter_map(|seed| System::new(random_model(seed), false)).filter(small).take(number).collect()
}

/// The number of cases, from the environment if it says so.
pub fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

pub fn threads(ranks: usize) -> Cluster {
    Cluster { ranks, medium: Medium::Threads }
}
