//! Lassos: shortest stems and cycles through stored states.

use std::collections::{HashMap, VecDeque};

use kripke_model::Choice;

use super::super::worker::Worker;
use crate::budget::Limit;
use crate::store::{StateId, Store};

/// The choices from one state to another.
pub(in crate::explore) fn stem<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    from: StateId,
    to: StateId,
) -> Result<Vec<u32>, Limit> {
    if from == to {
        return Ok(Vec::new());
    }
    shortest_path(worker, from, |id| id == to, |_| true)
        .map(|found| found.map(|(choices, _)| choices).expect("the search has reached the state"))
}

/// The choices of a cycle through a state.
pub(in crate::explore) fn cycle_through<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    id: StateId,
) -> Result<Vec<u32>, Limit> {
    shortest_path(worker, id, |to| to == id, |_| true)
        .map(|found| found.map(|(choices, _)| choices).expect("the state is on a cycle"))
}

/// The shortest path of at least one transition to a wanted state, through allowed and stored states. Returns its
/// choices and its last state.
pub(in crate::explore) fn shortest_path<S: Store>(
    worker: &mut Worker<'_, '_, S>,
    from: StateId,
    wanted: impl Fn(StateId) -> bool,
    allowed: impl Fn(StateId) -> bool,
) -> Result<Option<(Vec<u32>, StateId)>, Limit> {
    // The parent of each state and its number there. None marks a state that was not stored before.
    let mut parents: HashMap<StateId, Option<(StateId, u32)>> = HashMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(id) = queue.pop_front() {
        let (mut number, mut arrived) = (0, None);
        worker.expand_again(id, Choice::All, |seen| {
            if arrived.is_none() {
                if seen.new {
                    parents.insert(seen.id, None);
                } else if wanted(seen.id) && parents.get(&seen.id) != Some(&None) {
                    arrived = Some((seen.id, number));
                } else if allowed(seen.id) && seen.id != from && !parents.contains_key(&seen.id) {
                    parents.insert(seen.id, Some((id, number)));
                    queue.push_back(seen.id);
                }
            }
            number += 1;
        })?;
        if let Some((end, last)) = arrived {
            let mut choices = vec![last];
            let mut at = id;
            while let Some(Some((before, choice))) = parents.get(&at).filter(|_| at != from) {
                choices.push(*choice);
                at = *before;
            }
            choices.reverse();
            return Ok(Some((choices, end)));
        }
    }
    Ok(None)
}
