//! Replayed trails: the replay executes moves only up to the chosen one, so it is compared with expansions of whole states and
//! with single moves, on random runs of random models, of the models of the checkout and of the corpus.
//!
//! `KRIPKE_REPLAYS` is the number of random models.

use std::sync::Arc;

use kripke_model::interpret::{Move, Point};
use kripke_model::trail::{Ending, Replayed};
use kripke_model::{Batch, Choice, Finding, Flags, Interpreter, Model, Random, Successors, Trail};
use kripke_tests::random_model::random_model;
use kripke_tests::{models, parallel, places};

/// The most transitions of a run.
const LENGTH: usize = 40;
/// The runs of each model.
const RUNS: u64 = 3;

/// What was compared.
#[derive(Clone, Copy, Default)]
struct Seen {
    transitions: usize,
    /// Transitions of which the chosen successor is not the last one.
    not_last: usize,
    moves: usize,
    findings: usize,
    invalid_ends: usize,
    cycles: usize,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.transitions += other.transitions;
        self.not_last += other.not_last;
        self.moves += other.moves;
        self.findings += other.findings;
        self.invalid_ends += other.invalid_ends;
        self.cycles += other.cycles;
    }
}

/// A random run, by expansions of whole states.
#[derive(Default)]
struct Walk {
    choices: Vec<u32>,
    states: Vec<Vec<u8>>,
    /// What the expansions of all states but the last say.
    flags: Vec<Flags>,
    /// What the expansion of the last state says.
    last: Flags,
    findings: Vec<Finding>,
    not_last: usize,
}

fn walk(interpreter: &mut Interpreter, random: &mut Random) -> Walk {
    let mut walk = Walk { states: vec![interpreter.initial_state().to_vec()], ..Walk::default() };
    let mut batch = Batch::new();
    loop {
        batch.clear();
        let state = &walk.states[walk.choices.len()];
        let flags = interpreter.expand(state, Choice::All, &mut batch);
        if batch.is_empty() || walk.choices.len() == LENGTH || (!batch.findings().is_empty() && random.percent(20)) {
            walk.last = flags;
            walk.findings = batch.findings().to_vec();
            return walk;
        }
        let choice = random.below(batch.len());
        walk.not_last += usize::from(choice + 1 < batch.len());
        walk.choices.push(choice as u32);
        walk.flags.push(flags);
        walk.states.push(batch.state(choice).to_vec());
    }
}

/// Executes the trail with all endings that it can have, and with wrong ones.
fn compare(walk: &Walk, interpreter: &mut Interpreter) -> Result<Seen, String> {
    let trail = |ending| Trail { choices: walk.choices.clone(), ending };
    let mut seen = Seen { transitions: walk.choices.len(), not_last: walk.not_last, ..Seen::default() };
    let replayed = trail(Ending::State).replay(interpreter).map_err(|e| e.to_string())?;
    if !replayed.states().eq(walk.states.iter().cloned()) {
        return Err(format!("other states on {:?}", walk.choices));
    }
    seen.moves = compare_moves(&replayed, interpreter)?;
    for (n, finding) in walk.findings.iter().enumerate() {
        let replayed = trail(Ending::Finding(n as u32)).replay(interpreter).map_err(|e| e.to_string())?;
        if replayed.finding() != Some(finding) {
            return Err(format!("another finding {n} after {:?}", walk.choices));
        }
        seen.findings += 1;
    }
    for (ending, is_right) in [
        (Ending::Finding(walk.findings.len() as u32), false),
        (Ending::InvalidEnd, walk.last.invalid_end),
        (Ending::Goal, walk.last.goal),
        (Ending::BadPrefix, walk.last.bad_prefix),
    ] {
        if trail(ending).replay(interpreter).is_ok() != is_right {
            return Err(format!("{ending:?} after {:?}", walk.choices));
        }
    }
    seen.invalid_ends += usize::from(walk.last.invalid_end);
    seen.cycles = compare_cycle(walk, interpreter)?;
    Ok(seen)
}

/// A cycle is one if the last state occurred before and the observer, if there is one without acceptance sets, accepts between.
fn compare_cycle(walk: &Walk, interpreter: &mut Interpreter) -> Result<usize, String> {
    let sets = interpreter.model().observer.as_ref().map(|observer| observer.all_marks());
    let end = walk.choices.len();
    for start in (0..end).filter(|_| sets.is_none_or(|sets| sets == 0)) {
        let closes = walk.states[start] == walk.states[end];
        let accepts = sets.is_none() || walk.flags[start..].iter().any(|flags| flags.accepting);
        let trail = Trail { choices: walk.choices.clone(), ending: Ending::Cycle(start as u32) };
        if trail.replay(interpreter).is_ok() != (closes && accepts) {
            return Err(format!("a cycle from {start} on in {:?}", walk.choices));
        }
    }
    Ok(walk.states[..end].iter().filter(|state| **state == walk.states[end]).count())
}

/// Each move of a run is one of the single moves where it begins. Those of an observer are not single moves. The number of moves.
fn compare_moves(replayed: &Replayed, interpreter: &mut Interpreter) -> Result<usize, String> {
    if interpreter.model().observer.is_some() {
        return Ok(0);
    }
    let path = replayed.path();
    for (n, taken) in path.moves().iter().enumerate() {
        let (at, to) = (path.point(n), path.point(n + 1));
        if !single_moves(&at, interpreter).iter().any(|other| is_same(taken, other, &to)) {
            return Err(format!("move {n} is none of the single moves of {at:?}: {taken:?}"));
        }
    }
    Ok(path.moves().len())
}

fn single_moves(at: &Point, interpreter: &mut Interpreter) -> Vec<Move> {
    match at.control {
        Some(_) => interpreter.moves_in_control(at),
        None => interpreter.moves(at),
    }
}

/// Whether a move is the same as another one. A blocked process gives control up at the end of its last move.
fn is_same(taken: &Move, other: &Move, to: &Point) -> bool {
    let parts = |m: &Move| (m.pid, m.process, m.edge, m.partner, m.others.clone(), m.chain.clone());
    let reached = other.to.as_ref().is_some_and(|reached| reached.state == to.state);
    parts(taken) == parts(other) && taken.output == other.output && taken.findings == other.findings && reached
}

fn compare_model(model: Model, seed: u64) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let Ok(mut interpreter) = Interpreter::new(Arc::new(model)) else { return Ok(seen) };
    for run in 0..RUNS {
        let walk = walk(&mut interpreter, &mut Random::new(seed ^ run << 32));
        seen.add(compare(&walk, &mut interpreter)?);
    }
    Ok(seen)
}

fn sum(results: Vec<Result<Result<Seen, String>, String>>) -> Seen {
    let mut sum = Seen::default();
    let wrong: Vec<String> =
        results.into_iter().filter_map(|r| r.and_then(|r| r).map(|seen| sum.add(seen)).err()).collect();
    assert!(wrong.is_empty(), "{} models:\n{}", wrong.len(), wrong.join("\n"));
    sum
}

#[test]
fn random_models_are_replayed_as_they_are_expanded() {
    let seeds: Vec<u64> = (0..places::setting("KRIPKE_REPLAYS", 2_000u64)).collect();
    let work = |seed: &u64| compare_model(random_model(*seed), *seed).map_err(|what| format!("seed {seed}: {what}"));
    let seen = sum(parallel::map(&seeds, work));
    assert!(seen.transitions > 10 * seeds.len() && seen.not_last > seeds.len() && seen.moves > seeds.len());
    assert!(seen.findings > 10 && seen.invalid_ends > 10 && seen.cycles > 10);
}

#[test]
fn models_are_replayed_as_they_are_expanded() {
    let work = |model: Model, name: &str| compare_model(model, 1).map_err(|what| format!("{name}: {what}"));
    let seen = sum(models::map_all(work));
    assert!(seen.transitions > 1_000 && seen.not_last > 100 && seen.moves > 1_000 && seen.cycles > 10);
}
