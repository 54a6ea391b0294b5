//! The process of each successor, as computed by an expansion, against the single moves behind it, on random models.
//!
//! `KRIPKE_RANDOM_MODELS` is the number of models, `KRIPKE_RANDOM_SEED` the first seed.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use kripke_model::ProcessStructure;
use kripke_model::interpret::{Move, Point, Target};
use kripke_model::ir::Scheduling;
use kripke_model::{Batch, Choice, Fault, FindingKind, Interpreter, Mover, Movers, Successors};
use kripke_tests::random_model::random_model;

/// The number of states per model.
const STATES: usize = 100;
/// The maximal number of successors of a tested state.
const MOST: usize = 30;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// The process of a step, from its first single move.
fn first_mover(moves: &[Move], interpreter: &Interpreter) -> Mover {
    let model = interpreter.model();
    match moves.first() {
        Some(first) if first.process.index() >= model.processes.len() => Mover::Observer,
        Some(_) if model.scheduling == Scheduling::Synchronous => Mover::Everybody,
        Some(first) => Mover::Process(first.pid),
        None => panic!("a step without moves"),
    }
}

/// The processes with a single move.
fn enabled(state: &[u8], interpreter: &mut Interpreter) -> BTreeSet<u8> {
    let poll = FindingKind::Fault(Fault::PollRendezvous);
    let is_step = |m: &Move| m.to.is_some() || m.findings.iter().any(|finding| finding.kind != poll);
    let moves = interpreter.moves(&Point::free(state.to_vec()));
    let movers = |m: &Move| std::iter::once(m.pid).chain(m.others.iter().map(|o| o.pid)).collect::<Vec<u8>>();
    moves.iter().filter(|m| is_step(m)).flat_map(movers).collect()
}

/// The number of compared successors, and of those that follow a successor of an older process.
#[derive(Default)]
struct Seen {
    successors: usize,
    out_of_order: usize,
}

fn walk(seed: u64, seen: &mut Seen) {
    let Ok(mut interpreter) = Interpreter::new(Arc::new(random_model(seed))) else { return };
    let mut known = HashSet::from([interpreter.initial_state().to_vec()]);
    let mut queue: VecDeque<Vec<u8>> = known.iter().cloned().collect();
    let (mut batch, mut movers) = (Batch::new(), Movers::default());
    while let Some(state) = queue.pop_front() {
        batch.clear();
        interpreter.expand(&state, Choice::All, &mut batch);
        // An explanation takes an expansion for each successor.
        let endless = batch.findings().iter().any(|finding| finding.kind == FindingKind::EndlessSequence);
        if endless || batch.len() > MOST {
            continue;
        }
        interpreter.movers(&state, &mut movers);
        assert_eq!(movers.by.len(), batch.len(), "seed {seed}");
        assert_eq!(movers.alive, interpreter.processes(&state), "seed {seed}");
        let mut before = u8::MAX;
        for (number, by) in movers.by.iter().enumerate() {
            let moves = interpreter.explain(&state, Target::Successor(number)).expect("it is there");
            assert_eq!(*by, first_mover(&moves, &interpreter), "seed {seed}, successor {number} of {state:?}");
            if let Mover::Process(pid) = *by {
                seen.out_of_order += usize::from(pid > before);
                before = pid;
            }
        }
        seen.successors += batch.len();
        // A blocked observer blocks all processes.
        if interpreter.model().observer.is_none() {
            let said: BTreeSet<u8> = movers.enabled.iter().copied().collect();
            assert_eq!(said, enabled(&state, &mut interpreter), "seed {seed}: {state:?}");
        }
        for next in batch.states() {
            if known.len() < STATES && known.insert(next.to_vec()) {
                queue.push_back(next.to_vec());
            }
        }
    }
}

#[test]
fn an_expansion_says_who_moves() {
    let (first, count) = (setting("KRIPKE_RANDOM_SEED", 0), setting("KRIPKE_RANDOM_MODELS", 300).min(1000));
    let mut seen = Seen::default();
    (first..first + count).for_each(|seed| walk(seed, &mut seen));
    assert!(seen.successors > 20 * count as usize, "models must do something");
    assert!(seen.out_of_order > 0, "successors of atomic sequences come after those of older processes");
}
