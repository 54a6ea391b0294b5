//! Measures the speed of state expansion without a store: `expand MODEL...`.
//!
//! Collects the first states in breadth-first order, then expands them in rounds like a search, by compiled code and
//! by the interpreter.

use std::collections::HashSet;
use std::hint::black_box;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use kripke_engine::{Compiled, Options, Words};
use kripke_lang::source::Loader;
use kripke_model::{Batch, Choice, Interpreter, Model, Successors};
use kripke_reduce::words::word_layout;

/// The maximal number of states collected per model.
const STATES: usize = 300_000;

/// The number of states expanded before the batch is cleared.
const ROUND: usize = 32;

/// The number of repetitions.
const RUNS: u64 = 5;

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

fn collect(successors: &mut dyn Successors) -> Vec<Vec<u8>> {
    let mut batch = Batch::new();
    successors.initial(&mut batch);
    let mut states = vec![batch.state(0).to_vec()];
    let mut seen: HashSet<Vec<u8>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < STATES {
        batch.clear();
        successors.expand(&states[next], Choice::All, &mut batch);
        next += 1;
        for state in batch.states() {
            if !seen.contains(state) {
                seen.insert(state.to_vec());
                states.push(state.to_vec());
            }
        }
    }
    states
}

/// The time in nanoseconds. It is the processor time of this thread where the system reports it, which other load
/// affects less.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let running = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let running = running.and_then(|text| text.split_whitespace().next()?.parse().ok());
    running.unwrap_or_else(|| START.elapsed().as_secs_f64() * 1e9)
}

/// The number of transitions, and the nanoseconds for the expansion of all states, many in one call.
fn measure_together(successors: &mut dyn Successors, states: &[Vec<u8>]) -> (u64, f64) {
    let (mut batch, mut ends) = (Batch::new(), Vec::new());
    let (mut transitions, mut start) = (0, 0.0);
    for run in 0..=RUNS {
        if run == 1 {
            (transitions, start) = (0, now());
        }
        for round in states.chunks(ROUND) {
            batch.clear();
            ends.clear();
            let round: Vec<&[u8]> = round.iter().map(|state| &state[..]).collect();
            while ends.len() < round.len() {
                black_box(successors.expand_all(&round[ends.len()..], &mut batch, &mut ends));
            }
            transitions += batch.len() as u64;
        }
    }
    (transitions / RUNS, (now() - start) / RUNS as f64)
}

/// Expands states in words, by code and with the transition cache: nanoseconds for each successor.
fn in_words(model: &Arc<Model>, options: Options) -> Option<[f64; 2]> {
    let interpreter = Interpreter::new(model.clone()).ok()?;
    let words = Arc::new(Words::new(word_layout(&interpreter)?));
    let speed = |cache| {
        let options = Options { cache, ..options };
        let mut compiled = Compiled::in_words(model.clone(), options, words.clone()).ok()?;
        let states = collect(&mut compiled);
        let (transitions, time) = measure_together(&mut compiled, &states);
        Some(time / transitions.max(1) as f64)
    };
    Some([speed(false)?, speed(true)?])
}

/// The number of transitions, and the nanoseconds for the expansion of all states.
fn measure(successors: &mut dyn Successors, states: &[Vec<u8>]) -> (u64, f64) {
    let mut batch = Batch::new();
    let (mut transitions, mut start) = (0, 0.0);
    for run in 0..=RUNS {
        // The first repetition warms up.
        if run == 1 {
            (transitions, start) = (0, now());
        }
        for round in states.chunks(ROUND) {
            batch.clear();
            for state in round {
                black_box(successors.expand(state, Choice::All, &mut batch));
            }
            transitions += batch.len() as u64;
        }
    }
    (transitions / RUNS, (now() - start) / RUNS as f64)
}

fn main() {
    println!(
        "{:24} {:>9} {:>6} {:>6} {:>9} {:>9} {:>9} {:>5} {:>8} {:>8} {:>8}",
        "model", "states", "bytes", "edges", "ns/state", "ns/edge", "interpr.", "rare", "ms", "words", "cached"
    );
    for arg in std::env::args().skip(1) {
        let path = Path::new(&arg);
        let Some(model) = kripke_lang::load(path, &Disk, &Default::default()).model.map(Arc::new) else { continue };
        let options = Options {
            claims: false,
            omit_types: false,
            coverage: std::env::var_os("COVERAGE").is_some(),
            ..Options::default()
        };
        let [words, cached] = in_words(&model, options).unwrap_or([f64::NAN; 2]);
        let (Ok(mut compiled), Ok(interpreter)) = (Compiled::new(model.clone(), options), Interpreter::new(model))
        else {
            continue;
        };
        let mut interpreter = interpreter.without_claims();
        let states = collect(&mut compiled);
        let before = compiled.fallbacks();
        let (transitions, time) = measure(&mut compiled, &states);
        let rare = (compiled.fallbacks() - before) / RUNS;
        let (_, interpreted) = measure(&mut interpreter, &states);
        let (n, edges) = (states.len() as f64, transitions.max(1) as f64);
        let bytes = states.iter().map(Vec::len).sum::<usize>() as f64 / n;
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        println!(
            "{name:24} {n:9} {bytes:6.1} {:6.2} {:9.1} {:9.1} {:9.1} {rare:5} {:8.1} {words:8.1} {cached:8.1}",
            edges / n,
            time / n,
            time / edges,
            interpreted / edges,
            compiled.compile_seconds() * 1e3
        );
    }
}
