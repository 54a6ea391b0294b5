//! Value-set analysis: every value of every reached state is in its set.
//!
//! The test shares no code with the analysis: it takes steps with the interpreter and looks at unpacked states.
//! `KRIPKE_VALUE_SETS` is the number of random programs and models, and `KRIPKE_VALUE_SET_STATES` the number of states
//! for each model.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load};
use kripke_model::ir::{LocId, VarId};
use kripke_model::layout::View;
use kripke_model::{Batch, Choice, Interpreter, Model, Successors};
use kripke_reduce::merge::merge;
use kripke_reduce::simplify::{Passes, simplify};
use kripke_reduce::value_sets::{ValueSet, ValueSets, VariableSets};
use kripke_tests::generate::program;
use kripke_tests::random_model::random_model;
use kripke_tests::{parallel, places};

/// The largest time for one model.
const MAX_TIME: Duration = Duration::from_secs(60);

/// The states that were looked at, and the largest time of an analysis.
#[derive(Clone, Copy, Default)]
struct Seen {
    models: usize,
    states: usize,
    slowest: Duration,
}

impl Seen {
    fn and(self, other: Seen) -> Seen {
        let slowest = self.slowest.max(other.slowest);
        Seen { models: self.models + other.models, states: self.states + other.states, slowest }
    }
}

fn check_variable(sets: &VariableSets, values: &[i32], name: &str) -> Result<(), String> {
    let all = sets.all();
    for (i, value) in values.iter().enumerate() {
        if !sets.element(i).contains(*value) || !all.contains(*value) {
            return Err(format!("{name}[{i}] is {value}, not in {:?}", sets.element(i)));
        }
        let (base, count) = sets.element(i).wrapped(32);
        if u64::from(value.wrapping_sub(base) as u32) >= count {
            return Err(format!("{name}[{i}] is {value}, not in {count} from {base}"));
        }
    }
    Ok(())
}

fn check_field(set: &ValueSet, value: i32, name: &str) -> Result<(), String> {
    if set.contains(value) && set.contains(0) { Ok(()) } else { Err(format!("{name} is {value}, not in {set:?}")) }
}

/// Whether all values of a state are in their sets, and written variables are known as written.
fn check(model: &Model, sets: &ValueSets, view: &View, first: &View) -> Result<(), String> {
    for (i, values) in view.globals.iter().enumerate() {
        let set = sets.global(VarId(i as u32));
        check_variable(set, values, &model.globals[i].name)?;
        if !set.is_written() && first.globals[i] != *values {
            return Err(format!("{} is written", model.globals[i].name));
        }
    }
    for process in &view.processes {
        let (pid, ty) = (usize::from(process.pid), &model.processes[process.process.index()]);
        for (i, values) in process.locals.iter().enumerate() {
            let set = sets.local(pid, process.process, VarId(i as u32));
            check_variable(set, values, &format!("{}({pid}).{}", ty.name, ty.locals[i].name))?;
        }
        let locations: &[LocId] = sets.locations(pid, process.process);
        if locations.binary_search(&process.location).is_err() {
            return Err(format!("{}({pid}) is at {:?}, not in {locations:?}", ty.name, process.location));
        }
    }
    for (number, channel) in view.channels.iter().enumerate() {
        for (i, value) in channel.messages.iter().flat_map(|message| message.iter().enumerate()) {
            let set = sets.field(number, channel.declaration, i);
            check_field(set, *value, &format!("field {i} of channel {}", number + 1))?;
        }
    }
    Ok(())
}

/// Visits states in random order, so that deep ones are among them.
fn explore(model: &Model, limit: usize, name: &str) -> Option<Seen> {
    let mut interpreter = Interpreter::new(Arc::new(model.clone())).ok()?;
    let start = Instant::now();
    let sets = ValueSets::new(&interpreter);
    let slowest = start.elapsed();
    if slowest > Duration::from_millis(50) {
        places::notice(&format!("{}: analysed in {slowest:?}", name.lines().next().unwrap_or(name)));
    }
    let first = interpreter.layout().view(interpreter.initial_state());
    let mut known = HashSet::from([interpreter.initial_state().to_vec()]);
    let mut open: Vec<Vec<u8>> = known.iter().cloned().collect();
    let (mut batch, mut random) = (Batch::new(), 1u64);
    while !open.is_empty() && start.elapsed() < MAX_TIME {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let state = open.swap_remove((random >> 33) as usize % open.len());
        let view = interpreter.layout().view(&state);
        check(model, &sets, &view, &first).unwrap_or_else(|e| panic!("{name}: {e}\n{view:?}\n{model}"));
        batch.clear();
        interpreter.expand(&state, Choice::All, &mut batch);
        for next in batch.states() {
            if known.len() < limit && !known.contains(next) {
                known.insert(next.to_vec());
                open.push(next.to_vec());
            }
        }
    }
    Some(Seen { models: 1, states: known.len(), slowest })
}

/// A model as it is, with each property it states, and after passes.
fn explore_all(model: &Model, limit: usize, name: &str) -> Seen {
    let mut models = vec![model.clone()];
    for property in &model.properties {
        models.extend(property.observer.clone().map(|o| Model { observer: Some(o), ..model.clone() }));
    }
    let mut simplified = model.clone();
    simplify(&mut simplified, &mut [], Passes { dead_variables: true, slicing: true });
    let mut merged = Model { observer: None, ..simplified.clone() };
    if !format!("{:?}", merged.goal).contains("ObserverAt") && merge(&mut merged) > 0 {
        models.push(merged);
    }
    models.push(simplified);
    let seen = models.iter().filter_map(|model| explore(model, limit, name));
    seen.fold(Seen::default(), Seen::and)
}

fn judge(what: &str, results: Vec<Result<Seen, String>>) -> Seen {
    let (mut all, mut wrong) = (Seen::default(), Vec::new());
    for result in results {
        match result {
            Ok(seen) => all = all.and(seen),
            Err(message) => wrong.push(message),
        }
    }
    let Seen { models, states, slowest } = all;
    places::notice(&format!("{what}: {models} models, {states} states, slowest analysis {slowest:?}"));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    all
}

fn limit(default: usize) -> usize {
    places::setting("KRIPKE_VALUE_SET_STATES", default)
}

/// A text in place of files.
struct Text(String);

impl Loader for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

#[test]
fn random_models_have_values_of_their_sets() {
    let seeds: Vec<u64> = (0..places::setting("KRIPKE_VALUE_SETS", 400)).collect();
    let work = |seed: &u64| explore_all(&random_model(*seed), limit(1000).min(5_000), &format!("seed {seed}"));
    let seen = judge("random models", parallel::map(&seeds, work));
    assert!(seen.states > 20 * seeds.len(), "models must do something");
}

#[test]
fn random_programs_have_values_of_their_sets() {
    let seeds: Vec<u64> = (0..places::setting("KRIPKE_VALUE_SETS", 400)).collect();
    let work = |seed: &u64| {
        let text = program(*seed).text();
        let loaded = load(Path::new("model.pml"), &Text(text.clone()), &LoadOptions::default());
        loaded.model.map_or_else(Seen::default, |model| explore_all(&model, limit(1000).min(5_000), &text))
    };
    let seen = judge("random programs", parallel::map(&seeds, work));
    assert!(seen.models >= seeds.len(), "programs must be read");
}

/// Every model below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let endings = ["pml", "prom", "pm", "promela", "esml", "dve", "mdve"];
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            found.push(path);
        }
    }
}

fn explore_files(what: &str, mut paths: Vec<PathBuf>, limit: usize) {
    paths.sort();
    let work = |path: &PathBuf| {
        let loaded = load(path, &Disk, &LoadOptions::default());
        loaded.model.map_or_else(Seen::default, |model| explore_all(&model, limit, &path.display().to_string()))
    };
    let seen = judge(what, parallel::map(&paths, work));
    assert!(seen.models > 0, "no model was read");
}

#[test]
fn our_models_have_values_of_their_sets() {
    let mut paths = Vec::new();
    for folder in ["examples", "tests/promela", "tests/esml", "tests/twins", "tests/claims"] {
        files(&places::root().join(folder), &mut paths);
    }
    explore_files("our models", paths, limit(2_000));
}

#[test]
fn the_corpus_has_values_of_its_sets() {
    let Some(corpus) = places::corpus() else { return };
    let mut paths = Vec::new();
    files(&corpus, &mut paths);
    explore_files("the corpus", paths, limit(300));
}

/// The bits of a number of values.
fn bits(count: u64) -> u64 {
    u64::from(u64::BITS - (count - 1).leading_zeros())
}

/// A state with the most processes among the first ones.
fn largest(interpreter: &Interpreter) -> View {
    let mut walker = interpreter.for_thread();
    let mut states = vec![interpreter.initial_state().to_vec()];
    let (mut known, mut batch, mut next) = (HashSet::new(), Batch::new(), 0);
    while next < states.len() && states.len() < 300 {
        batch.clear();
        walker.expand(&states[next], Choice::All, &mut batch);
        states.extend(batch.states().filter(|state| known.insert(state.to_vec())).map(<[u8]>::to_vec));
        next += 1;
    }
    let views = states.iter().map(|state| interpreter.layout().view(state));
    views.max_by_key(|view| view.processes.len()).expect("there is an initial state")
}

/// The bits of a state if each value is a field of its own.
fn state_bits(interpreter: &Interpreter) -> u64 {
    let (model, sets) = (interpreter.model(), ValueSets::new(interpreter));
    let view = largest(interpreter);
    let of = |sets: &VariableSets, ty: kripke_model::ir::Type, len: usize| -> u64 {
        let written = sets.is_written();
        (0..len).filter(|_| written).map(|i| bits(sets.element(i).wrapped(ty.bits).1)).sum()
    };
    let globals = model.globals.iter().enumerate().filter(|(_, var)| !var.hidden);
    let mut total: u64 = globals.map(|(i, var)| of(sets.global(VarId(i as u32)), var.ty, var.len())).sum();
    for process in &view.processes {
        let (pid, id) = (usize::from(process.pid), process.process);
        total += bits(sets.locations(pid, id).len() as u64);
        for (i, var) in model.processes[id.index()].locals.iter().enumerate() {
            total += of(sets.local(pid, id, VarId(i as u32)), var.ty, var.len());
        }
    }
    for (number, channel) in view.channels.iter().enumerate() {
        let declared = &model.channels[channel.declaration.index()];
        total += bits(u64::from(declared.capacity) + 1);
        for (i, ty) in declared.fields.iter().enumerate() {
            total += u64::from(declared.capacity) * bits(sets.field(number, channel.declaration, i).wrapped(ty.bits).1);
        }
    }
    total
}

/// The bits of states of models in the corpus, which must not become more.
const BITS: [(&str, u64); 24] = [
    ("promela/beem/lamport.6.prom", 38),
    ("promela/beem/bakery.6.prom", 52),
    ("promela/beem/at.4.prom", 44),
    ("promela/beem/peterson.4.prom", 50),
    ("promela/beem/bopdp.3.prom", 43),
    ("promela/beem/phils.5.prom", 36),
    ("promela/beem/msmie.4.prom", 92),
    ("promela/beem/krebs.4.prom", 108),
    ("promela/beem/elevator_planning.2.prom", 67),
    ("promela/beem/fischer.6.prom", 46),
    ("promela/beem/lann.3.prom", 52),
    ("promela/beem/bridge.2.prom", 49),
    ("dve/beem/lamport/lamport.6.dve", 38),
    ("dve/beem/bakery/bakery.6.dve", 52),
    ("dve/beem/at/at.4.dve", 42),
    ("dve/beem/peterson/peterson.4.dve", 50),
    ("dve/beem/bopdp/bopdp.3.dve", 43),
    ("dve/beem/phils/phils.5.dve", 36),
    ("dve/beem/msmie/msmie.4.dve", 90),
    ("dve/beem/krebs/krebs.4.dve", 97),
    ("dve/beem/elevator_planning/elevator_planning.2.dve", 51),
    ("dve/beem/fischer/fischer.6.dve", 44),
    ("dve/beem/lann/lann.3.dve", 45),
    ("dve/beem/bridge/bridge.2.dve", 41),
];

/// The model of a file of the corpus, if it can be run.
fn interpreter(file: &Path) -> Option<Interpreter> {
    Interpreter::new(Arc::new(load(file, &Disk, &LoadOptions::default()).model?)).ok()
}

#[test]
fn states_of_the_corpus_take_few_bits() {
    let Some(corpus) = places::corpus() else { return };
    let mut wrong = Vec::new();
    for (file, most) in BITS {
        let interpreter = interpreter(&corpus.join(file)).unwrap_or_else(|| panic!("{file} can't be run"));
        let bits = state_bits(&interpreter);
        if bits > most {
            wrong.push(format!("{file}: {bits} bits, not {most}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
