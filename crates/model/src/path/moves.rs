//! The moves of a run. Equal ones are stored once: a run of millions of steps has some hundred different ones.

use std::collections::HashMap;
use std::ops::{Index, Range};

use crate::interpret::Move;
use crate::ir::EdgeId;

/// Spreads the bits of a hash: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A list of moves without their targets.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    distinct: Vec<Move>,
    /// For a hash, the index of the first move with it in `distinct`. Another one with the same hash is not shared.
    known: HashMap<u64, u32>,
    /// The moves, as indices in `distinct`.
    taken: Vec<u32>,
}

impl Moves {
    /// The number of moves.
    pub fn len(&self) -> usize {
        self.taken.len()
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// The move with this index.
    pub fn get(&self, index: usize) -> Option<&Move> {
        self.taken.get(index).map(|number| &self.distinct[*number as usize])
    }

    /// The last move.
    pub fn last(&self) -> Option<&Move> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All moves in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Move> + ExactSizeIterator {
        self.taken.iter().map(|number| &self.distinct[*number as usize])
    }

    /// The moves with these indices.
    pub fn part(&self, indices: Range<usize>) -> Vec<&Move> {
        self.taken[indices].iter().map(|number| &self.distinct[*number as usize]).collect()
    }

    /// The moves without repetitions. Two of them may be equal.
    pub fn distinct(&self) -> &[Move] {
        &self.distinct
    }

    /// The moves as indices in [`Moves::distinct`].
    pub fn numbers(&self) -> &[u32] {
        &self.taken
    }

    /// Appends a move, without its target.
    pub(super) fn push(&mut self, step: &Move) {
        let hash = hash(step);
        let same = self.known.get(&hash).copied().filter(|number| is_same(&self.distinct[*number as usize], step));
        let number = same.unwrap_or_else(|| {
            let number = self.distinct.len() as u32;
            self.distinct.push(Move { to: None, ..step.clone() });
            self.known.entry(hash).or_insert(number);
            number
        });
        self.taken.push(number);
    }

    /// Keeps only the first moves.
    pub(super) fn truncate(&mut self, len: usize) {
        self.taken.truncate(len);
    }

    /// The moves with these indices, without what only others need.
    pub(super) fn copied(&self, indices: Range<usize>) -> Moves {
        let mut part = Moves::default();
        self.part(indices).into_iter().for_each(|step| part.push(step));
        part
    }
}

impl Index<usize> for Moves {
    type Output = Move;

    fn index(&self, index: usize) -> &Move {
        &self.distinct[self.taken[index] as usize]
    }
}

/// Whether two moves are equal, apart from their targets. Most lists are empty, and `memcmp` is slow for empty ones.
fn is_same(one: &Move, other: &Move) -> bool {
    fn equal<T: PartialEq>(one: &[T], other: &[T]) -> bool {
        one.len() == other.len() && (one.is_empty() || one == other)
    }
    (one.pid, one.process, one.edge, one.partner) == (other.pid, other.process, other.edge, other.partner)
        && equal(&one.others, &other.others)
        && equal(&one.chain, &other.chain)
        && equal(one.output.as_bytes(), other.output.as_bytes())
        && equal(&one.findings, &other.findings)
}

/// A hash of the parts in which moves usually differ.
fn hash(step: &Move) -> u64 {
    let mut hash = 0;
    let mut add = |number: u32| hash = (hash ^ u64::from(number)).wrapping_mul(MULTIPLIER).rotate_left(29);
    let mut add_process = |pid: u8, edge: EdgeId| {
        add(pid.into());
        add(edge.0);
    };
    add_process(step.pid, step.edge);
    step.partner.iter().chain(&step.others).for_each(|partner| add_process(partner.pid, partner.edge));
    step.chain.iter().for_each(|edge| add(edge.0));
    step.output.bytes().for_each(|byte| add(byte.into()));
    hash
}
