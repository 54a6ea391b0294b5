//! Compares an engine with the interpreter on the states of a model.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kripke_engine::Compiled;
use kripke_model::ir::Scheduling;
use kripke_model::{Batch, Choice, FindingKind, Flags, Interpreter, Model, Parts, Successors};

/// The time limit for one model.
const ENOUGH: Duration = Duration::from_secs(1);

/// The figures of a model.
pub struct Seen {
    /// The number of compared states.
    pub states: u64,
    /// The number of states that the engine left to the interpreter.
    pub rare: u64,
}

/// Compares the successors of states up to a limit, and the coverage if wanted.
pub fn explore(model: &Arc<Model>, compiled: Compiled, coverage: bool, limit: usize) -> Result<Seen, String> {
    explore_while(model, compiled, coverage, limit, &|_| true)
}

/// The same, of states that satisfy a condition.
pub fn explore_while(
    model: &Arc<Model>,
    mut compiled: Compiled,
    coverage: bool,
    limit: usize,
    condition: &dyn Fn(&[u8]) -> bool,
) -> Result<Seen, String> {
    let mut interpreter = Interpreter::new(model.clone()).map_err(|e| e.to_string())?;
    let (mut expected, mut found) = (Batch::new(), Batch::new());
    let mut seen = HashSet::new();
    let mut queue = Vec::new();
    interpreter.initial(&mut expected);
    queue.push(expected.state(0).to_vec());
    seen.insert(expected.state(0).to_vec());
    let mut next = 0;
    let mut endless = 0;
    // Sequences without end and sequences with very many paths take long, so a few are enough.
    let started = Instant::now();
    while next < queue.len() && endless < 3 && started.elapsed() < ENOUGH {
        let state = queue[next].clone();
        next += 1;
        if !condition(&state) {
            return Err(format!("state {state:?} is not to be compared"));
        }
        // A batch need not be empty when a state is expanded into it.
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
            let kept = compiled.encode(&state);
            if compiled.decode(&kept) != state {
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
        if next % 8 == 0 {
            let together: Vec<Vec<u8>> = queue[next - 8..next].to_vec();
            same_together(&together, &mut interpreter, &mut compiled)?;
        }
        endless += usize::from(expected.findings().iter().any(|f| f.kind == FindingKind::EndlessSequence));
        for i in first..expected.len() {
            let successor = expected.state(i);
            if seen.len() < limit && seen.insert(successor.to_vec()) {
                queue.push(successor.to_vec());
            }
        }
    }
    // The interpreter stops at a sequence without end, which compiled code may notice later.
    if coverage && endless == 0 && interpreter.coverage() != compiled.coverage() {
        return Err(format!("coverage {:?}, compiled {:?}", interpreter.coverage(), compiled.coverage()));
    }
    Ok(Seen { states: next as u64, rare: compiled.fallbacks() })
}

/// Compares two batches from state `skip` on. The states of the engine are in their stored form.
fn same(expected: &Batch, found: &Batch, compiled: &Compiled, skip: usize) -> Result<(), String> {
    for i in skip..expected.len().min(found.len()) {
        let (expected, found) = (expected.state(i), compiled.decode(found.state(i)));
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

/// Compares the successors by process, and tests that together they are all successors.
fn same_parts(state: &[u8], interpreter: &mut Interpreter, compiled: &mut Compiled) -> Result<(), String> {
    let mut all = Batch::new();
    interpreter.expand(state, Choice::All, &mut all);
    if !all.findings().is_empty() || interpreter.model().scheduling == Scheduling::Synchronous {
        return Ok(());
    }
    let (expected, flags, parts) = parts_of(state, interpreter);
    let kept = compiled.encode(state);
    let (mut found, got, found_parts) = parts_of(&kept, compiled);
    found.iter_mut().for_each(|(_, state)| *state = compiled.decode(state));
    let same_who = expected.is_empty() || parts.standing == found_parts.standing;
    if (&expected, flags) != (&found, got) || !same_who {
        return Err(format!("parts {expected:?} {flags:?} {parts:?}, compiled {found:?} {got:?} {found_parts:?}"));
    }
    // The order is that of all successors, which trails refer to.
    let all: Vec<&[u8]> = all.states().collect();
    let together: Vec<&[u8]> = expected.iter().map(|(_, state)| &state[..]).collect();
    if together != all && !parts.ends.is_empty() {
        return Err(format!("parts {expected:?}, in all {all:?}"));
    }
    Ok(())
}

/// Compares the successors of several states that are expanded together with those of one state after the other.
fn same_together(states: &[Vec<u8>], interpreter: &mut Interpreter, compiled: &mut Compiled) -> Result<(), String> {
    let kept: Vec<Vec<u8>> = states.iter().map(|state| compiled.encode(state)).collect();
    let kept: Vec<&[u8]> = kept.iter().map(|state| &state[..]).collect();
    let mut done = 0;
    while done < states.len() {
        let (mut expected, mut found, mut ends) = (Batch::new(), Batch::new(), Vec::new());
        let last = compiled.expand_all(&kept[done..], &mut found, &mut ends);
        if ends.is_empty() {
            return Err(format!("no state is expanded of {states:?}"));
        }
        for (n, (state, &end)) in states[done..].iter().zip(&ends).enumerate() {
            let flags = interpreter.expand(state, Choice::All, &mut expected);
            let wrong = |flags: Flags| (flags.invalid_end, flags.goal, flags.bad_prefix);
            let reported = if n + 1 == ends.len() { last } else { Flags::default() };
            if expected.len() != end || wrong(flags) != wrong(reported) {
                return Err(format!(
                    "together: state {state:?}: {flags:?}, {} states; {last:?}, {end}",
                    expected.len()
                ));
            }
        }
        same(&expected, &found, compiled, 0).map_err(|e| format!("together: {states:?}: {e}"))?;
        done += ends.len();
    }
    Ok(())
}

type Moves = Vec<(u8, Vec<u8>)>;

/// The successors by process, in order; empty if processes are not recorded.
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
