//! Sleep sets: a breadth-first search with them finds the same states in each level, and counts the same transitions, as a plain
//! search with the interpreter, whichever of several transitions has discovered a state. On random models and on the corpus.
//!
//! `KRIPKE_RANDOM_MODELS` is the number of random models, `KRIPKE_CORPUS_STATES` the number of states per model of the corpus.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use kripke_engine::{Compiled, Options, Words};
use kripke_model::{Arrival, Batch, Choice, Interpreter, Model, Random, State, Successors};
use kripke_reduce::words::word_layout;
use kripke_tests::places;
use kripke_tests::random_model::random_model;

use crate::corpus::{Disk, models};

/// The states of each level, and the number of transitions from all but the last level.
#[derive(PartialEq, Eq, Default, Debug)]
struct Explored {
    levels: Vec<BTreeSet<Vec<u8>>>,
    transitions: u64,
}

/// The search without sleep sets: complete levels until there are so many states. Nothing if the model can't be explored.
fn plain(interpreter: &mut Interpreter, states: usize) -> Explored {
    let first = interpreter.initial_state().to_vec();
    let (mut seen, mut level) = (HashSet::from([first.clone()]), BTreeSet::from([first]));
    let (mut explored, mut batch) = (Explored::default(), Batch::new());
    while !level.is_empty() && seen.len() < states {
        let mut next = BTreeSet::new();
        for state in &level {
            batch.clear();
            interpreter.expand(state, Choice::All, &mut batch);
            explored.transitions += batch.len() as u64;
            next.extend(batch.states().filter(|state| seen.insert(state.to_vec())).map(<[u8]>::to_vec));
        }
        explored.levels.push(std::mem::replace(&mut level, next));
    }
    explored.levels.push(level);
    explored
}

/// The search with sleep sets by several threads in turn. Returns also the number of transitions that were left out.
fn awake(threads: &mut [Compiled], levels: usize, random: &mut Random) -> (Explored, u64) {
    let (mut explored, mut batch, mut left_out) = (Explored::default(), Batch::new(), 0);
    threads[0].initial(&mut batch);
    let mut seen = HashSet::from([batch.state(0).to_vec()]);
    let mut level = vec![(batch.state(0).to_vec(), Arrival::UNKNOWN)];
    while explored.levels.len() < levels && !level.is_empty() {
        let mut next: BTreeMap<Vec<u8>, Vec<Arrival>> = BTreeMap::new();
        random.shuffle(&mut level);
        for round in level.chunks(1 + random.below(40)) {
            let states: Vec<&State> = round.iter().map(|(state, _)| state.as_slice()).collect();
            let arrivals: Vec<Arrival> = round.iter().map(|(_, arrival)| *arrival).collect();
            let (thread, mut ends) = (random.below(threads.len()), Vec::new());
            batch.clear();
            while ends.len() < states.len() {
                let done = ends.len();
                threads[thread].expand_awake(&states[done..], &arrivals[done..], &mut batch, &mut ends);
            }
            assert_eq!(ends.last(), Some(&batch.len()));
            explored.transitions += batch.len() as u64 + batch.asleep();
            left_out += batch.asleep();
            for (i, state) in batch.states().enumerate().filter(|(_, state)| !seen.contains(*state)) {
                next.entry(state.to_vec()).or_default().push(batch.arrival(i));
            }
        }
        seen.extend(next.keys().cloned());
        explored.levels.push(level.drain(..).map(|(state, _)| threads[0].decode(&state)).collect());
        // Any of the transitions may be the one that counts.
        level = next.into_iter().map(|(state, all)| (state, *random.pick(&all))).collect();
    }
    explored.levels.push(level.iter().map(|(state, _)| threads[0].decode(state)).collect());
    (explored, left_out)
}

/// Compares both searches of a model. Returns the numbers of transitions, and of those that were left out. Nothing if states of the
/// model do not fit into words.
fn compare(model: &Arc<Model>, states: usize, seed: u64) -> Option<(u64, u64)> {
    let mut interpreter = Interpreter::new(model.clone()).ok()?;
    let words = Arc::new(Words::new(word_layout(&interpreter)?));
    let code = Compiled::in_words(model.clone(), Options { cache: true, ..Options::default() }, words.clone()).ok()?;
    let expected = plain(&mut interpreter, states);
    let mut threads = [code.for_thread(), code.for_thread()];
    let (found, left_out) = awake(&mut threads, expected.levels.len() - 1, &mut Random::new(seed));
    if words.has_escaped() {
        return None;
    }
    assert!(found == expected, "seed {seed}: {left_out} of {} transitions left out\n{model}", expected.transitions);
    Some((expected.transitions, left_out))
}

#[test]
fn random_models_have_the_same_levels_with_sleep_sets() {
    let (first, count) = (places::setting("KRIPKE_RANDOM_SEED", 0), places::setting("KRIPKE_RANDOM_MODELS", 300));
    let (mut compared, mut all, mut without) = (0, 0, 0);
    for seed in first..first + count {
        if let Some((transitions, left_out)) = compare(&Arc::new(random_model(seed)), 1000, seed) {
            (compared, all, without) = (compared + 1, all + transitions, without + left_out);
        }
    }
    println!("{compared} of {count} models compared, {without} of {all} transitions left out");
    assert!(compared * 4 > count, "many models must have states in words");
    assert!(without * 500 > all, "sleep sets must leave transitions out");
}

#[test]
fn the_corpus_has_the_same_levels_with_sleep_sets() {
    let Some(corpus) = places::corpus() else { return };
    let (mut compared, mut all, mut without) = (0, 0, 0);
    for path in models(&corpus.join("promela")) {
        let loaded = kripke_lang::load(&path, &Disk, &Default::default());
        let Some(model) = loaded.model.map(Arc::new) else { continue };
        let states = places::setting("KRIPKE_CORPUS_STATES", 2000);
        if let Some((transitions, left_out)) = compare(&model, states as usize, compared) {
            (compared, all, without) = (compared + 1, all + transitions, without + left_out);
        }
    }
    println!("{compared} models compared, {without} of {all} transitions left out");
    assert!(compared > 200, "{compared} models compared");
    assert!(without * 10 > all, "{without} of {all} transitions are left out");
}
