//! The spanning tree of a breadth-first search with one worker: from which state each state was discovered.
//!
//! One worker expands states in the order of the queue, so the parent of a state is not before the parent of the state before it.
//! The tree has a bit one for each state, and a zero for each expanded state behind the ones of its children: two bits for a state.
//! The zeros before the one of a state count its parent (unary coding of the increments, as by Elias and Fano).
//!
//! Positions alone do not tell states. For each there are 16 bits of a hash, too. A trail goes back by positions to a level that is
//! in the queue, and then forwards by successors with the recorded fingerprints. Where several successors have the same one, all are
//! followed: the state at the end of the trail is known and decides.

use std::ops::Range;

use kripke_model::{Batch, State};

use super::ROUND;
use crate::store::{Pieces, StateId};

/// The distance of samples, in bits.
const SAMPLING: u64 = 1024;

/// Parents and fingerprints of the states in the queue, by their positions.
#[derive(Default, Debug)]
pub(super) struct SpanningTree {
    fingerprints: Pieces<u16>,
    words: Vec<u64>,
    /// The number of bits in the words.
    len: u64,
    samples: Vec<Sample>,
    /// The new states of the round, by their indices in the batch of successors.
    round: Vec<i32>,
    /// The position behind the last expanded state.
    expanded: u64,
    /// The tree does not grow any more.
    closed: bool,
}

/// From this bit on are the children of the states from position `from` on. The first child is at position `at`.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: u64,
    from: u64,
    bit: u64,
}

/// A state that may be at a position of a path, its predecessor among those of the position before, and its number among the
/// successors.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub state: Vec<u8>,
    from: usize,
    pub choice: usize,
}

impl SpanningTree {
    /// The tree of these initial states.
    pub fn new(roots: impl IntoIterator<Item = StateId>) -> SpanningTree {
        let mut tree = SpanningTree::default();
        roots.into_iter().for_each(|root| tree.add(0, root));
        tree.round.clear();
        tree
    }

    /// Adds the next state of the queue: a new successor with this index in its batch.
    #[inline]
    pub fn add(&mut self, index: usize, id: StateId) {
        self.fingerprints.push_item(fingerprint_of(id));
        self.round.push(index as i32);
    }

    /// Records the parents of the states that were added in the round, which has expanded states from this position on. Their successors
    /// end at these indices in the batch.
    pub fn end_round(&mut self, from: u64, ends: &[usize]) {
        assert!(ends.len() <= ROUND, "a round has few states");
        let count = self.round.len() as u64;
        let is_sampled = self.samples.last().is_some_and(|last| self.len - last.bit < SAMPLING);
        if !is_sampled || from != self.expanded {
            self.samples.push(Sample { at: self.fingerprints.item_count() - count, from, bit: self.len });
        }
        // To count the ends up to an index takes no branch.
        let mut bounds = [i32::MAX; ROUND];
        bounds.iter_mut().zip(ends).for_each(|(bound, end)| *bound = *end as i32);
        let end = self.len + ends.len() as u64 + count;
        self.words.resize(end.div_ceil(64) as usize, 0);
        for (number, &index) in self.round.iter().enumerate() {
            let zeros: i32 = bounds.iter().map(|&bound| i32::from(bound <= index)).sum();
            let bit = self.len + zeros as u64 + number as u64;
            self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        self.round.clear();
        (self.len, self.expanded) = (end, from + ends.len() as u64);
    }

    /// The position of the parent of a state, which is not the initial state.
    fn parent(&self, position: u64) -> u64 {
        let Sample { at, from, bit } = self.samples[self.samples.partition_point(|sample| sample.at <= position) - 1];
        let ahead = position - at;
        let (mut number, mut ones) = ((bit / 64) as usize, ahead);
        let mut word = self.words[number] & !0 << (bit % 64);
        while ones >= u64::from(word.count_ones()) {
            ones -= u64::from(word.count_ones());
            number += 1;
            word = self.words[number];
        }
        (0..ones).for_each(|_| word &= word - 1);
        let found = number as u64 * 64 + u64::from(word.trailing_zeros());
        from + (found - bit - ahead)
    }

    /// The last `steps + 1` positions on the way to a state.
    pub fn path(&self, end: u64, steps: usize) -> Vec<u64> {
        let mut path = vec![end];
        for step in 0..steps {
            path.push(self.parent(path[step]));
        }
        path.reverse();
        path
    }

    /// The positions among these that may be those of a state.
    pub fn find(&self, positions: Range<u64>, state: &State) -> Vec<u64> {
        let (mut found, mut at, wanted) = (Vec::new(), positions.start, fingerprint(state));
        self.fingerprints.for_items(positions, |piece| {
            let same = piece.iter().zip(at..).filter(|(fingerprint, _)| **fingerprint == wanted);
            found.extend(same.map(|(_, position)| position));
            at += piece.len() as u64;
        });
        found
    }

    /// Whether the state at a position may be this one.
    pub fn is_like(&self, position: u64, state: &State) -> bool {
        let mut same = false;
        self.fingerprints.for_items(position..position + 1, |piece| same = piece[0] == fingerprint(state));
        same
    }

    /// The steps from the first of two states to the second along these positions, if they lead there.
    pub fn run_along(
        &self,
        path: &[u64],
        (first, last): (Vec<u8>, &State),
        mut expand: impl FnMut(&State, &mut Batch),
    ) -> Option<Vec<Step>> {
        let mut steps = vec![vec![Step { state: first, from: 0, choice: 0 }]];
        let mut batch = Batch::new();
        for &position in &path[1..] {
            let mut next: Vec<Step> = Vec::new();
            for (from, step) in steps[steps.len() - 1].iter().enumerate() {
                batch.clear();
                expand(&step.state, &mut batch);
                for (choice, state) in batch.states().enumerate().filter(|(_, state)| self.is_like(position, state)) {
                    if next.iter().all(|known| known.state != *state) {
                        next.push(Step { state: state.to_vec(), from, choice });
                    }
                }
            }
            steps.push(next);
        }
        let mut at = steps[steps.len() - 1].iter().position(|step| step.state == *last)?;
        let mut run = Vec::with_capacity(path.len());
        for states in steps.iter().rev() {
            run.push(states[at].clone());
            at = states[at].from;
        }
        run.reverse();
        Some(run)
    }

    /// The number of states in the tree.
    pub fn len(&self) -> u64 {
        self.fingerprints.item_count()
    }

    /// Lets the tree have no further states.
    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Memory, in bytes.
    pub fn bytes(&self) -> u64 {
        let (words, samples) = (self.words.len() * size_of::<u64>(), self.samples.len() * size_of::<Sample>());
        self.fingerprints.item_count() * size_of::<u16>() as u64 + (words + samples) as u64
    }
}

/// The fingerprint of a state that is its own id.
#[inline]
fn fingerprint_of(StateId(id): StateId) -> u16 {
    let folded = id as u64 ^ ((id >> 64) as u64).rotate_left(32);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as u16
}

fn fingerprint(state: &State) -> u16 {
    let mut bytes = [0; 16];
    bytes[..state.len()].copy_from_slice(state);
    fingerprint_of(StateId(u128::from_le_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use kripke_model::Random;

    use super::*;

    /// A tree of states with random numbers of successors, of which random ones are new, and the parent of each state.
    fn random_tree(random: &mut Random, states: usize) -> (SpanningTree, Vec<u64>, Vec<u64>) {
        let (mut parents, mut ids) = (vec![0], vec![random.next_u64()]);
        let mut tree = SpanningTree::new([StateId::new(ids[0])]);
        let (mut from, fertile) = (0, random.one_of(&[1, 3, 40]));
        while parents.len() < states {
            let (mut ends, mut index) = (Vec::new(), 0);
            let expanded = (1 + random.below(ROUND)).min(parents.len() - from);
            for parent in from..from + expanded {
                // The last state that is known has a child, so that the tree grows.
                let least = usize::from(parent + 1 == parents.len());
                for n in 0..least.max(random.below(fertile * 2)) {
                    if random.one_in(fertile) || n + 1 == least {
                        ids.push(random.next_u64());
                        parents.push(parent as u64);
                        tree.add(index, StateId::new(ids[ids.len() - 1]));
                    }
                    index += 1;
                }
                ends.push(index);
            }
            tree.end_round(from as u64, &ends);
            from += expanded;
        }
        (tree, parents, ids)
    }

    #[test]
    fn every_state_has_its_parent_and_its_fingerprint() {
        let random = &mut Random::new(11);
        for round in 0..60 {
            let states = random.one_of(&[2, 100, 5_000, 60_000]);
            let (tree, parents, ids) = random_tree(random, states);
            for (position, parent) in parents.iter().enumerate().skip(1) {
                assert_eq!(tree.parent(position as u64), *parent, "round {round}, position {position}");
            }
            let end = random.below(ids.len()) as u64;
            let state = ids[end as usize].to_le_bytes();
            assert!(tree.is_like(end, &state));
            let found = tree.find(0..ids.len() as u64, &state);
            assert!(found.contains(&end) && found.iter().all(|at| tree.is_like(*at, &state)));
            assert_eq!(tree.find(end..end, &state), []);
            let back = std::iter::successors(Some(end), |at| (*at > 0).then(|| parents[*at as usize]));
            let mut expected: Vec<u64> = back.collect();
            expected.reverse();
            assert_eq!(tree.path(end, expected.len() - 1), expected);
            let (bytes, count) = (tree.bytes(), ids.len() as u64);
            assert!(count < 1000 || bytes < count * 5 / 2 + parents[ids.len() - 1] / 4, "{bytes} B for {count} states");
        }
    }

    /// A breadth-first search of a random graph whose nodes have these ids: the tree, the nodes by position, and their depths.
    fn search(edges: &[Vec<usize>], ids: &[u64]) -> (SpanningTree, Vec<usize>, Vec<usize>) {
        let mut tree = SpanningTree::new([StateId::new(ids[0])]);
        let (mut queue, mut depths, mut from) = (vec![0], vec![0], 0);
        let mut known = vec![false; ids.len()];
        known[0] = true;
        while from < queue.len() {
            let end = queue.len().min(from + ROUND);
            let (mut ends, mut index) = (Vec::new(), 0);
            for at in from..end {
                for &next in &edges[queue[at]] {
                    if !std::mem::replace(&mut known[next], true) {
                        tree.add(index, StateId::new(ids[next]));
                        queue.push(next);
                        depths.push(depths[at] + 1);
                    }
                    index += 1;
                }
                ends.push(index);
            }
            tree.end_round(from as u64, &ends);
            from = end;
        }
        (tree, queue, depths)
    }

    #[test]
    fn there_is_a_shortest_run_to_every_state_even_if_all_fingerprints_are_equal() {
        let random = &mut Random::new(3);
        let all: Vec<u64> = (0..).filter(|id| fingerprint_of(StateId::new(*id)) == 77).take(150).collect();
        for round in 0..30 {
            let nodes = 1 + random.below(all.len());
            let ids: Vec<u64> =
                if round % 2 == 0 { all.clone() } else { all.iter().map(|_| random.next_u64()).collect() };
            let edges: Vec<Vec<usize>> =
                (0..nodes).map(|_| (0..1 + random.below(3)).map(|_| random.below(nodes)).collect()).collect();
            let (tree, queue, depths) = search(&edges, &ids);
            let node = |state: &State| ids.iter().position(|id| id.to_le_bytes() == *state).unwrap();
            for (position, &end) in queue.iter().enumerate() {
                let last = ids[end].to_le_bytes();
                let found = tree.find(0..queue.len() as u64, &last);
                assert!(found.contains(&(position as u64)));
                let path = tree.path(position as u64, depths[position]);
                let expand = |state: &State, batch: &mut Batch| {
                    edges[node(state)].iter().for_each(|next| batch.push(&ids[*next].to_le_bytes()));
                };
                let run = tree.run_along(&path, (ids[0].to_le_bytes().to_vec(), &last), expand).unwrap();
                assert_eq!((run.len(), &run[run.len() - 1].state[..]), (depths[position] + 1, &last[..]));
                for pair in run.windows(2) {
                    assert_eq!(edges[node(&pair[0].state)][pair[1].choice], node(&pair[1].state));
                }
            }
        }
    }
}
