//! From links between states to trails.

use kripke_model::{Batch, Choice, Successors, Trail};

use super::judge::Found;
use crate::outcome::Violation;
use crate::store::{StateId, Store};

/// Steps of all trails together, except that the first trail is always rebuilt. A depth-first search may find a
/// hundred errors, each ten million steps deep.
const STEPS: usize = 1 << 24;

/// Rebuilds the trail of each error as long as there is room.
pub(super) fn rebuild(
    found: &[Found],
    successors: &mut dyn Successors,
    store: &impl Store,
    parents: &[StateId],
) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut steps = 0;
    for error in found {
        let path = path(error.at, parents);
        steps += path.len();
        if steps > STEPS && !violations.is_empty() {
            break;
        }
        let trail = Trail { choices: choices(&path, successors, store), ending: error.ending };
        violations.push(Violation { wrong: error.wrong.clone(), trail });
    }
    violations
}

/// The states from the initial one to `end`.
fn path(end: StateId, parents: &[StateId]) -> Vec<StateId> {
    let mut path = vec![end];
    let mut at = end;
    while parents[at.index()] != at {
        at = parents[at.index()];
        path.push(at);
    }
    path.reverse();
    path
}

/// Which successor leads from each state of the path to the next.
fn choices(path: &[StateId], successors: &mut dyn Successors, store: &impl Store) -> Vec<u32> {
    let mut batch = Batch::new();
    let (mut state, mut next) = (Vec::new(), Vec::new());
    path.windows(2)
        .map(|pair| {
            store.fetch(pair[0], &mut state);
            store.fetch(pair[1], &mut next);
            batch.clear();
            successors.expand(&state, Choice::All, &mut batch);
            let choice = batch.states().position(|successor| successor == next);
            let choice = choice.expect("a state has the same successors each time it is expanded");
            u32::try_from(choice).expect("fewer than 2^32 successors of one state")
        })
        .collect()
}
