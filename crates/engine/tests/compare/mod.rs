//! Explores a model with the interpreter and compares what an engine says of every state.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kripke_engine::Compiled;
use kripke_model::ir::Scheduling;
use kripke_model::{Batch, Choice, FindingKind, Flags, Interpreter, Model, Parts, Successors};

/// A model is not explored further when it has taken so long.
const ENOUGH: Duration = Duration::from_secs(1);

pub struct Seen {
    pub states: u64,
    /// Expanded by the interpreter after all.
    pub rare: u64,
}

/// Compares the successors of every state, up to so many, and what was covered if that is wanted.
pub fn explore(model: &Arc<Model>, mut compiled: Compiled, coverage: bool, limit: usize) -> Result<Seen, String> {
    let mut interpreter = Interpreter::new(model.clone()).map_err(|e| e.to_string())?;
    let (mut expected, mut found) = (Batch::new(), Batch::new());
    let mut seen = HashSet::new();
    let mut queue = Vec::new();
    interpreter.initial(&mut expected);
    queue.push(expected.state(0).to_vec());
    seen.insert(expected.state(0).to_vec());
    let mut next = 0;
    let mut endless = 0;
    // Endless sequences take long to find, and so do all the ways through some others: a few are enough.
    let started = Instant::now();
    while next < queue.len() && endless < 3 && started.elapsed() < ENOUGH {
        let state = queue[next].clone();
        next += 1;
        // Batches are not empty when a state is expanded into them.
        if next % 7 == 0 {
            expected.clear();
            found.clear();
            expected.push(&[1, 2, 3]);
            found.push(&[1, 2, 3]);
        } else {
            expected.clear();
            found.clear();
        }
        let first = expected.len();
        let choice = if next % 5 == 0 { Choice::One((next / 5 % 3) as u8) } else { Choice::All };
        for choice in [choice, Choice::All] {
            let flags = interpreter.expand(&state, choice, &mut expected);
            let kept = compiled.kept(&state);
            if compiled.whole(&kept) != state {
                return Err(format!("state {state:?} is not what {kept:?} stands for"));
            }
            let got = compiled.expand(&kept, choice, &mut found);
            if flags != got {
                return Err(format!("state {state:?} {choice:?}: flags {flags:?}, compiled {got:?}"));
            }
            same(&expected, &found, &compiled, usize::from(next % 7 == 0))
                .map_err(|e| format!("state {state:?} {choice:?}: {e}"))?;
        }
        if next % 3 == 0 {
            same_parts(&state, &mut interpreter, &mut compiled).map_err(|e| format!("state {state:?}: {e}"))?;
        }
        endless += usize::from(expected.findings().iter().any(|f| f.kind == FindingKind::EndlessSequence));
        for i in first..expected.len() {
            let successor = expected.state(i);
            if seen.len() < limit && seen.insert(successor.to_vec()) {
                queue.push(successor.to_vec());
            }
        }
    }
    // After an endless sequence the interpreter stops, which code may notice later.
    if coverage && endless == 0 && interpreter.coverage() != compiled.coverage() {
        return Err(format!("coverage {:?}, compiled {:?}", interpreter.coverage(), compiled.coverage()));
    }
    Ok(Seen { states: next as u64, rare: compiled.rare() })
}

/// All but so many states at the beginning are what an engine has kept.
fn same(expected: &Batch, found: &Batch, compiled: &Compiled, skip: usize) -> Result<(), String> {
    for i in skip..expected.len().min(found.len()) {
        let (expected, found) = (expected.state(i), compiled.whole(found.state(i)));
        if expected != found {
            return Err(format!("successor {i} is {expected:?}, compiled {found:?}"));
        }
    }
    if expected.len() != found.len() {
        return Err(format!("{} successors, compiled {}", expected.len(), found.len()));
    }
    if expected.findings() != found.findings() {
        return Err(format!("findings {:?}, compiled {:?}", expected.findings(), found.findings()));
    }
    Ok(())
}

/// Who moves to which successors is the same, and together they are all.
fn same_parts(state: &[u8], interpreter: &mut Interpreter, compiled: &mut Compiled) -> Result<(), String> {
    let mut all = Batch::new();
    interpreter.expand(state, Choice::All, &mut all);
    if !all.findings().is_empty() || interpreter.model().scheduling == Scheduling::Synchronous {
        return Ok(());
    }
    let (expected, flags, parts) = parts_of(state, interpreter);
    let kept = compiled.kept(state);
    let (mut found, got, found_parts) = parts_of(&kept, compiled);
    found.iter_mut().for_each(|(_, state)| *state = compiled.whole(state));
    let same_who = expected.is_empty() || parts.standing == found_parts.standing;
    if (&expected, flags) != (&found, got) || !same_who {
        return Err(format!("parts {expected:?} {flags:?} {parts:?}, compiled {found:?} {got:?} {found_parts:?}"));
    }
    // In the order of all successors: trails name them by it.
    let all: Vec<&[u8]> = all.states().collect();
    let together: Vec<&[u8]> = expected.iter().map(|(_, state)| &state[..]).collect();
    if together != all && !parts.ends.is_empty() {
        return Err(format!("parts {expected:?}, in all {all:?}"));
    }
    Ok(())
}

type Moves = Vec<(u8, Vec<u8>)>;

/// Successors and who moves to them, in order; none if that is not known.
fn parts_of(state: &[u8], successors: &mut impl Successors) -> (Moves, Flags, Parts) {
    let (mut batch, mut parts) = (Batch::new(), Parts::default());
    batch.push(&[1, 2, 3]);
    let flags = successors.expand_parts(state, &mut batch, &mut parts);
    let mut moves = Vec::new();
    let mut start = parts.first;
    for &(pid, end) in &parts.ends {
        moves.extend((start..end).map(|i| (pid, batch.state(i).to_vec())));
        start = end;
    }
    (moves, flags, parts)
}
