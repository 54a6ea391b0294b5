//! The results of the table of transitions: the moves of processes.

use std::collections::HashMap;

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
    /// The position of all differences but the first two, or of all changes.
    more: u32,
    /// The first two differences.
    pub first: [[u64; N]; 2],
}

impl<const N: usize> Moves<N> {
    /// Nothing is known.
    const UNKNOWN: Moves<N> = Moves { count: 0xff, inner: 0, more: 0, first: [[0; N]; 2] };
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
    /// Their differences. The last ones, so many, are those that an atomic sequence leads to.
    Moves(Vec<[u64; N]>, usize),
    /// The same for moves that overwrite or copy bits.
    Changes(Vec<Change<N>>, usize),
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
    /// The other differences of results with several moves.
    more: Vec<[u64; N]>,
    /// The result with these differences, of which so many belong to atomic sequences.
    known: HashMap<(Vec<[u64; N]>, usize), ResultId>,
    /// The changes of results that are given by them.
    changes: Vec<Change<N>>,
    known_changes: HashMap<(Vec<Change<N>>, usize), ResultId>,
}

impl<const N: usize> Results<N> {
    pub fn new() -> Results<N> {
        Results {
            list: vec![Moves::UNKNOWN, Moves::LEFT_OUT, Moves::APART, Moves::BELOW],
            more: Vec::new(),
            known: HashMap::new(),
            changes: Vec::new(),
            known_changes: HashMap::new(),
        }
    }

    /// All differences of a result but the first two.
    #[inline(always)]
    pub fn more(&self, moves: &Moves<N>) -> &[[u64; N]] {
        let first = moves.more as usize;
        &self.more[first..first + moves.count().saturating_sub(2)]
    }

    /// The differences of a result from this one on.
    pub fn from<'a>(&'a self, moves: &'a Moves<N>, first: usize) -> impl Iterator<Item = &'a [u64; N]> {
        moves.first.iter().take(moves.count()).chain(self.more(moves)).skip(first)
    }

    /// The changes of a result that is given by them.
    pub fn changes(&self, moves: &Moves<N>) -> &[Change<N>] {
        let first = moves.more as usize;
        &self.changes[first..first + moves.count()]
    }

    /// The number of a result.
    pub fn add(&mut self, learned: Learned<N>) -> ResultId {
        let number = u16::try_from(self.list.len()).map(ResultId);
        let (id, result) = match (learned, number) {
            (Learned::Moves(moves, inner), Ok(number)) if moves.len() <= MOST_MOVES => {
                let (count, more) = (moves.len() as u8, self.more.len() as u32);
                let first = [0, 1].map(|i| moves.get(i).copied().unwrap_or([0; N]));
                let rest: Vec<[u64; N]> = moves.iter().skip(2).copied().collect();
                let id = *self.known.entry((moves, inner)).or_insert(number);
                if id == number {
                    self.more.extend(rest);
                }
                (id, Moves { count, inner: inner as u8, more, first })
            }
            (Learned::Changes(moves, inner), Ok(number)) if moves.len() <= MOST_MOVES => {
                let (count, more) = (moves.len() as u8, self.changes.len() as u32);
                let id = *self.known_changes.entry((moves.clone(), inner)).or_insert(number);
                if id == number {
                    self.changes.extend(moves);
                }
                (id, Moves { count, inner: CHANGES | inner as u8, more, first: [[0; N]; 2] })
            }
            (Learned::Apart, _) => return ResultId::APART,
            _ => return ResultId::LEFT_OUT,
        };
        if number == Ok(id) {
            self.list.push(result);
        }
        id
    }
}
