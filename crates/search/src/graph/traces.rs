//! Traces: the subset construction over visible actions.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::lts::{Edge, HIDDEN, Lts};

/// A set of states that is closed under hidden transitions.
pub(super) type Set = BTreeSet<u32>;

/// The states that hidden transitions lead to.
pub(super) fn closed(out: &[Vec<(u32, u32)>], states: impl IntoIterator<Item = u32>) -> Set {
    let mut set: Set = states.into_iter().collect();
    let mut todo: Vec<u32> = set.iter().copied().collect();
    while let Some(state) = todo.pop() {
        for &(label, to) in &out[state as usize] {
            if label == HIDDEN && set.insert(to) {
                todo.push(to);
            }
        }
    }
    set
}

/// The sets that each visible action leads to.
pub(super) fn steps(out: &[Vec<(u32, u32)>], set: &Set) -> BTreeMap<u32, Set> {
    let mut by_label: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(label, to) in set.iter().flat_map(|state| &out[*state as usize]) {
        if label != HIDDEN {
            by_label.entry(label).or_default().push(to);
        }
    }
    by_label.into_iter().map(|(label, states)| (label, closed(out, states))).collect()
}

/// The deterministic system with the same traces. An error is the number of states at which it was given up.
pub(super) fn deterministic(lts: &Lts, most: usize) -> Result<Lts, usize> {
    let out = lts.outgoing();
    let first = closed(&out, [lts.initial]);
    let mut number: HashMap<Set, u32> = HashMap::from([(first.clone(), 0)]);
    let mut queue = VecDeque::from([first]);
    let mut edges = Vec::new();
    while let Some(set) = queue.pop_front() {
        let from = number[&set];
        for (label, to) in steps(&out, &set) {
            let next = number.len() as u32;
            let to = *number.entry(to).or_insert_with_key(|to| {
                queue.push_back(to.clone());
                next
            });
            edges.push(Edge { from, label, to });
        }
        if number.len() > most {
            return Err(number.len());
        }
    }
    Ok(Lts { initial: 0, states: number.len() as u32, labels: lts.labels.clone(), edges, marks: Vec::new() })
}

/// A shortest trace that one of two states has and the other has not, and whether it is the first one that has it. An error is the
/// number of pairs of sets at which the search was given up.
pub(super) fn difference(lts: &Lts, a: u32, b: u32, most: usize) -> Result<Option<(Vec<u32>, bool)>, usize> {
    let out = lts.outgoing();
    let first = (closed(&out, [a]), closed(&out, [b]));
    let mut seen: HashMap<(Set, Set), usize> = HashMap::from([(first.clone(), 0)]);
    let mut from: Vec<(usize, u32)> = vec![(0, HIDDEN)];
    let mut queue = VecDeque::from([first]);
    while let Some(pair) = queue.pop_front() {
        let at = seen[&pair];
        let (left, right) = (steps(&out, &pair.0), steps(&out, &pair.1));
        let labels: BTreeSet<u32> = left.keys().chain(right.keys()).copied().collect();
        for label in labels {
            let (Some(l), Some(r)) = (left.get(&label), right.get(&label)) else {
                return Ok(Some((trace(&from, at, label), left.contains_key(&label))));
            };
            let next = (l.clone(), r.clone());
            if !seen.contains_key(&next) {
                seen.insert(next.clone(), from.len());
                from.push((at, label));
                queue.push_back(next);
            }
        }
        if seen.len() > most {
            return Err(seen.len());
        }
    }
    Ok(None)
}

fn trace(from: &[(usize, u32)], mut at: usize, last: u32) -> Vec<u32> {
    let mut labels = vec![last];
    while at != 0 {
        let (before, label) = from[at];
        labels.push(label);
        at = before;
    }
    labels.reverse();
    labels
}
