//! The results of the table of transitions: the moves of processes.

use std::collections::HashMap;

use super::sleep::{SharedSteps, Step, Steps};

/// The most moves of a result.
pub(super) const MOST_MOVES: usize = 48;

/// The most steps. More would hardly be used again.
const MOST_STEPS: usize = 1 << 16;

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

/// What the table has for a key: the number of moves and that of their first step, the others follow; or what is known instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moves(pub u32);

impl Moves {
    /// Nothing is known.
    pub const UNKNOWN: Moves = Moves(0xff);
    /// The moves can't be taken from the table.
    pub const LEFT_OUT: Moves = Moves(0xfe);
    /// They have to be taken from the row of each process.
    pub const APART: Moves = Moves(0xfd);
    /// There are no rows below a level yet.
    pub const BELOW: Moves = Moves(0xfc);
    /// The number is that of a special result.
    const SPECIAL: u32 = 0x80;

    /// So many moves, by the steps from a number on, or a special result.
    fn new(number: u32, count: u32) -> Moves {
        if number < 1 << 24 { Moves(number << 8 | count) } else { Moves::LEFT_OUT }
    }

    /// Whether these are steps that no atomic sequence leads to.
    #[inline(always)]
    pub fn are_plain(self) -> bool {
        self.count() <= MOST_MOVES
    }

    /// The number of moves.
    #[inline(always)]
    pub fn count(self) -> usize {
        usize::from(self.0 as u8)
    }

    /// The number of the first step, or of the special result.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0 >> 8
    }

    fn is_special(self) -> bool {
        self.count() as u32 == Self::SPECIAL
    }
}

/// A result with moves that atomic sequences lead to, or that overwrite or copy bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Special {
    /// The number of moves, and how many of them no atomic sequence leads to: these are the first ones.
    pub count: u32,
    pub direct: u32,
    /// The number of the first step, or the position of the first change.
    pub number: u32,
    /// Moves are given as changes.
    pub are_changes: bool,
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
    pub steps: Steps<N>,
    special: Vec<Special>,
    /// The changes of results that are given by them, with the numbers of their steps.
    changes: Vec<(Change<N>, u32)>,
    known_steps: HashMap<Special, Moves>,
    known_changes: HashMap<(Vec<(Change<N>, Step<N>)>, usize), Moves>,
}

impl<const N: usize> Results<N> {
    pub fn new(steps: SharedSteps) -> Results<N> {
        Results {
            steps: Steps::new(steps),
            special: Vec::new(),
            changes: Vec::new(),
            known_steps: HashMap::new(),
            known_changes: HashMap::new(),
        }
    }

    /// A special result.
    #[inline(always)]
    pub fn special(&self, moves: Moves) -> Option<&Special> {
        if moves.is_special() { self.special.get(moves.number() as usize) } else { None }
    }

    /// The changes of a result that is given by them, with the numbers of their steps.
    pub fn changes(&self, special: &Special) -> &[(Change<N>, u32)] {
        let first = special.number as usize;
        &self.changes[first..first + special.count as usize]
    }

    /// What the table has for a result.
    pub fn add(&mut self, learned: Learned<N>) -> Moves {
        match learned {
            Learned::Apart => Moves::APART,
            _ if self.steps.len() >= MOST_STEPS => Moves::LEFT_OUT,
            Learned::Moves(moves, 0) if moves.len() <= MOST_MOVES => {
                Moves::new(self.steps.number(&moves), moves.len() as u32)
            }
            Learned::Moves(moves, inner) if moves.len() <= MOST_MOVES => {
                let (count, direct) = (moves.len() as u32, (moves.len() - inner) as u32);
                let special = Special { count, direct, number: self.steps.number(&moves), are_changes: false };
                *self.known_steps.entry(special).or_insert_with(|| add_special(&mut self.special, special))
            }
            Learned::Changes(moves, inner) if moves.len() <= MOST_MOVES => {
                *self.known_changes.entry((moves, inner)).or_insert_with_key(|(moves, _)| {
                    let steps: Vec<Step<N>> = moves.iter().map(|(_, step)| *step).collect();
                    let (number, step) = (self.changes.len() as u32, self.steps.number(&steps));
                    self.changes.extend(moves.iter().map(|(change, _)| change.clone()).zip(step..));
                    let (count, direct) = (moves.len() as u32, (moves.len() - inner) as u32);
                    add_special(&mut self.special, Special { count, direct, number, are_changes: true })
                })
            }
            _ => Moves::LEFT_OUT,
        }
    }
}

fn add_special(all: &mut Vec<Special>, special: Special) -> Moves {
    all.push(special);
    Moves::new(all.len() as u32 - 1, Moves::SPECIAL)
}
