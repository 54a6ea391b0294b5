//! Compact states: every reached state is decoded to itself, and no two states have the same code.
//!
//! `KRIPKE_RANDOM_MODELS` is the number of random models, `KRIPKE_RANDOM_SEED` the first seed, and
//! `KRIPKE_CORPUS_STATES` the number of states per model of the corpus. The corpus is skipped if it is not beside the
//! checkout.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_lang::source::Loader;
use kripke_model::Representation;
use kripke_model::{Batch, Choice, Interpreter, Model, Movers, State, Successors};
use kripke_reduce::compact::{Codec, Compacted};
use kripke_tests::places;
use kripke_tests::random_model::random_model;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn movers(successors: &mut impl Successors, state: &State) -> Movers {
    let mut out = Movers::default();
    successors.movers(state, &mut out);
    out
}

/// The figures of a model.
#[derive(Default)]
struct Seen {
    states: usize,
    bytes: usize,
    compact: usize,
    shapes: usize,
}

/// Visits states in breadth-first order.
fn walk(model: Arc<Model>, limit: usize) -> Result<Seen, String> {
    let mut plain = Interpreter::new(model).map_err(|e| e.to_string())?;
    let (mut encoder, mut decoder) = (Codec::of(&plain), Codec::of(&plain));
    let mut compacted = Compacted::new(plain.for_thread(), encoder.clone());
    let hidden = plain.hidden_prefix();
    assert_eq!(compacted.hidden_prefix(), hidden);
    let mut known: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut queue = VecDeque::from([plain.initial_state().to_vec()]);
    let (mut seen, mut back, mut lengths) = (Seen::default(), Vec::new(), Vec::new());
    while let Some(state) = queue.pop_front() {
        let mut compact = Vec::new();
        encoder.encode(&state, &mut compact);
        decoder.decode(&compact, &mut back);
        if back != state {
            return Err(format!("{state:?} comes back as {back:?}"));
        }
        if compact[..hidden] != state[..hidden] {
            return Err(format!("hidden variables of {state:?} are not in front"));
        }
        match known.insert(compact.clone(), state.clone()) {
            Some(other) if other == state => continue,
            Some(other) => return Err(format!("{state:?} and {other:?} are both {compact:?}")),
            None => {}
        }
        seen.states += 1;
        seen.bytes += state.len();
        seen.compact += compact.len();
        lengths.push(state.len());
        let (mut usual, mut small) = (Batch::new(), Batch::new());
        let flags = plain.expand(&state, Choice::All, &mut usual);
        if compacted.expand(&compact, Choice::All, &mut small) != flags
            || small.findings() != usual.findings()
            || small.len() != usual.len()
            || movers(&mut compacted, &compact) != movers(&mut plain, &state)
        {
            return Err(format!("{state:?} does something else"));
        }
        for (n, next) in usual.states().enumerate() {
            decoder.decode(small.state(n), &mut back);
            if back != next {
                return Err(format!("successor {n} of {state:?} is {back:?}, not {next:?}"));
            }
            if known.len() + queue.len() < limit {
                queue.push_back(next.to_vec());
            }
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    seen.shapes = lengths.len();
    Ok(seen)
}

#[test]
fn random_models_come_back() {
    let (first, count) = (setting("KRIPKE_RANDOM_SEED", 0), setting("KRIPKE_RANDOM_MODELS", 300));
    let (mut all, mut varied) = (Seen::default(), 0);
    for seed in first..first + count {
        let model = Arc::new(random_model(seed));
        if Interpreter::new(model.clone()).is_err() {
            continue;
        }
        let seen = walk(model.clone(), 500).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{model}"));
        all.states += seen.states;
        all.bytes += seen.bytes;
        all.compact += seen.compact;
        varied += usize::from(seen.shapes > 1);
    }
    println!(
        "{} states, {} bytes packed, {} compact, {varied} models of several shapes",
        all.states, all.bytes, all.compact
    );
    assert!(all.states as u64 > 20 * count, "models must do something");
    assert!(all.compact < all.bytes, "compact states must be smaller");
    assert!(varied > 0 || count < 100, "some models must create processes");
}

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// Every model below a folder.
fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| ["pml", "prom", "pm", "esml", "dve"].iter().any(|l| e == *l)) {
            found.push(path);
        }
    }
}

#[test]
fn the_corpus_comes_back() {
    let mut paths = Vec::new();
    places::corpus().iter().for_each(|corpus| models(corpus, &mut paths));
    models(&places::root().join("examples"), &mut paths);
    paths.sort();
    let limit = setting("KRIPKE_CORPUS_STATES", 300) as usize;
    let (mut count, mut all, mut wrong) = (0, Seen::default(), Vec::new());
    for path in &paths {
        let Some(model) = kripke_lang::load(path, &Disk, &Default::default()).model.map(Arc::new) else { continue };
        if Interpreter::new(model.clone()).is_err() {
            continue;
        }
        match walk(model, limit) {
            Ok(seen) => {
                count += 1;
                all.states += seen.states;
                all.bytes += seen.bytes;
                all.compact += seen.compact;
            }
            Err(e) => wrong.push(format!("{}: {e}", path.display())),
        }
    }
    println!("{count} models, {} states, {} bytes packed, {} compact", all.states, all.bytes, all.compact);
    assert!(wrong.is_empty(), "{} models differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 0, "no model was read");
}
