//! The results of the table of transitions: the moves of processes.

use std::collections::HashMap;
use std::ops::Range;

use super::sleep::{SharedSteps, Step, Steps};

/// The most moves of a result.
pub(super) const MOST_MOVES: usize = 48;

/// What a move does to a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Change<const N: usize> {
    /// The bits that are overwritten.
    pub overwritten: [u64; N],
    /// The difference from the state without them.
    pub difference: [u64; N],
    /// Bits of the state that are added then.
    pub copies: Box<[Copied]>,
}

/// Bits of a state that are copied from one word to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Copied {
    pub from: u8,
    pub to: u8,
    /// The distance to the left.
    pub rotation: u8,
    /// The bits in the word to which they are copied.
    pub bits: u64,
}

const CHANGES: u8 = 1 << 7;

/// The moves of a result.
#[derive(Clone, Debug)]
pub(super) struct Moves<const N: usize> {
    /// The number of moves, or what is known instead, and how many of them an atomic sequence leads to: these are the last ones. The
    /// highest bit says that moves are given as changes.
    count: u8,
    inner: u8,
    /// The number of the first step, or the position of the first change. Those of the others follow.
    pub number: u32,
    /// The first two differences.
    pub first: [[u64; N]; 2],
}

impl<const N: usize> Moves<N> {
    /// Nothing is known.
    const UNKNOWN: Moves<N> = Moves { count: 0xff, inner: 0, number: 0, first: [[0; N]; 2] };
    /// The moves can't be taken from the table.
    const LEFT_OUT: Moves<N> = Moves { count: 0xfe, ..Self::UNKNOWN };

    /// They have to be taken from the row of each process.
    const APART: Moves<N> = Moves { count: 0xfd, ..Self::UNKNOWN };

    /// There are no rows below a level yet.
    const BELOW: Moves<N> = Moves { count: 0xfc, ..Self::UNKNOWN };

    /// Whether there are at most two moves, and no atomic sequence leads to them.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        (self.count <= 2) & (self.inner == 0)
    }

    /// The number of moves.
    #[inline(always)]
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// The number of moves that an atomic sequence leads to. They are the last ones.
    pub fn inner(&self) -> usize {
        usize::from(self.inner & !CHANGES)
    }

    /// Whether moves are given as changes.
    pub fn are_changes(&self) -> bool {
        self.inner & CHANGES != 0
    }

    pub fn are_unknown(&self) -> bool {
        self.count == Self::UNKNOWN.count
    }

    pub fn are_apart(&self) -> bool {
        self.count == Self::APART.count
    }

    pub fn are_below(&self) -> bool {
        self.count == Self::BELOW.count
    }

    pub fn are_left_out(&self) -> bool {
        self.count == Self::LEFT_OUT.count
    }
}

/// The number of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ResultId(pub u16);

impl ResultId {
    pub const UNKNOWN: ResultId = ResultId(0);
    pub const LEFT_OUT: ResultId = ResultId(1);
    pub const APART: ResultId = ResultId(2);
    pub const BELOW: ResultId = ResultId(3);
}

/// What a table is told about the moves of a row in a state.
pub(super) enum Learned<const N: usize> {
    /// Their steps. The last ones, so many, are those that an atomic sequence leads to.
    Moves(Vec<Step<N>>, usize),
    /// The same for moves that overwrite or copy bits.
    Changes(Vec<(Change<N>, Step<N>)>, usize),
    /// They can't be taken from the table.
    LeftOut,
    /// A joint row does not have them: they have to be taken from the row of each process.
    Apart,
}

/// All results.
#[derive(Debug)]
pub(super) struct Results<const N: usize> {
    /// By number.
    pub list: Vec<Moves<N>>,
    pub steps: Steps<N>,
    /// The result with so many steps from this number on, of which so many belong to atomic sequences.
    known: HashMap<(u32, usize, usize), ResultId>,
    /// The changes of results that are given by them, with the numbers of their steps.
    changes: Vec<(Change<N>, u32)>,
    known_changes: HashMap<(Vec<(Change<N>, Step<N>)>, usize), ResultId>,
}

impl<const N: usize> Results<N> {
    pub fn new(steps: SharedSteps) -> Results<N> {
        Results {
            list: vec![Moves::UNKNOWN, Moves::LEFT_OUT, Moves::APART, Moves::BELOW],
            steps: Steps::new(steps),
            known: HashMap::new(),
            changes: Vec::new(),
            known_changes: HashMap::new(),
        }
    }

    /// The numbers of the steps of a result from this one on.
    #[inline(always)]
    pub fn from(&self, moves: &Moves<N>, first: usize) -> Range<u32> {
        moves.number + first as u32..moves.number + moves.count() as u32
    }

    /// The changes of a result that is given by them, with the numbers of their steps.
    pub fn changes(&self, moves: &Moves<N>) -> &[(Change<N>, u32)] {
        let first = moves.number as usize;
        &self.changes[first..first + moves.count()]
    }

    /// The number of a result.
    pub fn add(&mut self, learned: Learned<N>) -> ResultId {
        let Ok(id) = u16::try_from(self.list.len()).map(ResultId) else { return ResultId::LEFT_OUT };
        match learned {
            Learned::Moves(moves, inner) if moves.len() <= MOST_MOVES => {
                let number = self.steps.number(&moves);
                *self.known.entry((number, moves.len(), inner)).or_insert_with(|| {
                    let first = [0, 1].map(|i| moves.get(i).map_or([0; N], |step| step.difference));
                    self.list.push(Moves { count: moves.len() as u8, inner: inner as u8, number, first });
                    id
                })
            }
            Learned::Changes(moves, inner) if moves.len() <= MOST_MOVES => {
                *self.known_changes.entry((moves, inner)).or_insert_with_key(|(moves, _)| {
                    let steps: Vec<Step<N>> = moves.iter().map(|(_, step)| *step).collect();
                    let (first, number) = (self.changes.len() as u32, self.steps.number(&steps));
                    self.changes.extend(moves.iter().map(|(change, _)| change.clone()).zip(number..));
                    let (count, inner) = (moves.len() as u8, CHANGES | inner as u8);
                    self.list.push(Moves { count, inner, number: first, first: [[0; N]; 2] });
                    id
                })
            }
            Learned::Apart => ResultId::APART,
            _ => ResultId::LEFT_OUT,
        }
    }
}
