//! The table of transitions of a thread, for states of so many words.
//!
//! A *row* belongs to some edges of a process at a location. It knows the bits of a state that decide about the moves there: the
//! key. For each key that was met it has the number of a *result*: the successors, each as the difference (exclusive or) from
//! the state. Many keys have the same result. A key of few bits is the index of the number; for longer keys there is a hash
//! table of all rows.
//!
//! Where the key would be too long, a row is a *level*: its key has the bits that decide which others matter. For each value of
//! them there is another row, or several, with the same edges.

use std::collections::HashMap;
use std::ops::Range;

use super::footprint::{Footprint, Groups};
use super::select::{BitMask, SelectBits};

/// The most bits of a key that is an index.
const INDEX_BITS: u32 = 18;
/// The same for rows below a level, which are many.
const INDEX_BITS_BELOW: u32 = 12;
/// The same for levels.
const INDEX_BITS_OF_LEVEL: u32 = 12;
/// The most bits of a key that is considered short: a state space has many states with the same key.
const SHORT_KEY: u32 = 24;
/// The most bits of a key of several processes together.
const JOINT_BITS: u32 = 12;
/// The most keys of all rows whose keys are indices, and the most slots of the hash table.
const MOST_INDEXED: usize = 1 << 20;
const MOST_HASHED: usize = 1 << 19;
/// The most rows for single values of the keys of levels, and the most such values.
const MOST_BELOW: usize = 1 << 16;
const MOST_VALUES: usize = 1 << 20;
/// The most moves of a result.
pub(super) const MOST_MOVES: usize = 48;

/// The bits that a move overwrites, and the difference from the state without them.
pub(super) type Change<const N: usize> = [[u64; N]; 2];

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

    /// They have to be taken from the rows below a level.
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
struct ResultId(u16);

impl ResultId {
    const UNKNOWN: ResultId = ResultId(0);
    const LEFT_OUT: ResultId = ResultId(1);
    const APART: ResultId = ResultId(2);
    const BELOW: ResultId = ResultId(3);
}

/// What a table is told about the moves of a row in a state.
pub(super) enum Learned<const N: usize> {
    /// Their differences. The last ones, so many, are those that an atomic sequence leads to.
    Moves(Vec<[u64; N]>, usize),
    /// The same for moves that overwrite bits.
    Changes(Vec<Change<N>>, usize),
    /// They can't be taken from the table.
    LeftOut,
    /// A joint row does not have them: they have to be taken from the row of each process.
    Apart,
}

/// How the result of a key is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The footprints are not known yet.
    Fresh,
    /// The key is an index.
    Indexed,
    /// The key is in the hash table.
    Hashed,
    /// Each value of the key has rows of its own. The value 0 has its first row here in the list, or [`NO_INDEX`] if keys are in
    /// the hash table.
    Level(u32),
    /// There are no results: the footprint has no bounds, or too many bits.
    LeftOut,
}

/// The moves of a process from a location by some of its edges.
#[derive(Clone, Debug)]
struct Row<const N: usize> {
    key: BitMask<N>,
    /// The index of the key whose bits are zero, if keys are indices.
    first: u32,
    /// The row of the next edges of the location, if there is one.
    next: u32,
}

/// Stands for an index in a row whose keys are not indices.
const NO_INDEX: u32 = u32::MAX;

/// What a row is about.
#[derive(Clone, Debug)]
pub(super) struct About<const N: usize> {
    kind: Kind,
    /// The edges, by their positions in the list of the location.
    pub edges: Range<usize>,
    /// The bits that the moves can change.
    pub changed: [u64; N],
    /// Bits that they may overwrite, and that are not in the key.
    pub written: [u64; N],
    /// The bits of the keys of the levels above. The row is about one value of them.
    pub above: [u64; N],
}

/// A slot of the hash table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    row: u32,
    /// The number of the result, or for a level the first row below it. 0 in a vacant slot.
    value: u32,
}

const VACANT: Slot = Slot { key: 0, row: 0, value: 0 };

#[derive(Debug)]
pub(super) struct Table<const N: usize> {
    rows: Vec<Row<N>>,
    about: Vec<About<N>>,
    indexed: Vec<ResultId>,
    /// The first row below a level for a value of its key, or 0.
    below: Vec<u32>,
    /// The number of rows below levels.
    rows_below: usize,
    /// The number of slots is a power of two.
    hashed: Vec<Slot>,
    used: usize,
    results: Vec<Moves<N>>,
    /// The other differences of results with several moves.
    more: Vec<[u64; N]>,
    /// The result with these differences, of which so many belong to atomic sequences.
    known: HashMap<(Vec<[u64; N]>, usize), ResultId>,
    /// The changes of results that are given by them.
    changes: Vec<Change<N>>,
    known_changes: HashMap<(Vec<Change<N>>, usize), ResultId>,
}

impl<const N: usize> Table<N> {
    const FEWEST_HASHED: usize = 1 << 8;

    pub fn new() -> Table<N> {
        Table {
            rows: Vec::new(),
            about: Vec::new(),
            indexed: Vec::new(),
            below: Vec::new(),
            rows_below: 0,
            hashed: vec![VACANT; Self::FEWEST_HASHED],
            used: 0,
            results: vec![Moves::UNKNOWN, Moves::LEFT_OUT, Moves::APART, Moves::BELOW],
            more: Vec::new(),
            known: HashMap::new(),
            changes: Vec::new(),
            known_changes: HashMap::new(),
        }
    }

    /// Adds so many rows, each for a location.
    pub fn add_rows(&mut self, count: usize) -> usize {
        let first = self.rows.len();
        let row = Row { key: BitMask::new([0; N]), first: NO_INDEX, next: 0 };
        self.rows.resize(first + count, row);
        let about = About { kind: Kind::Fresh, edges: 0..0, changed: [0; N], written: [0; N], above: [0; N] };
        self.about.resize(first + count, about);
        first
    }

    /// What the table has for a row and a state.
    #[inline(always)]
    pub fn look<S: SelectBits>(&self, row: usize, state: &[u64; N]) -> &Moves<N> {
        debug_assert!(row < self.rows.len(), "there is a row for all values of the bits that denote a location");
        // SAFETY: sites have been made with so many rows.
        let of = unsafe { self.rows.get_unchecked(row) };
        let result = if of.first == NO_INDEX {
            self.look_elsewhere::<S>(row, state)
        } else {
            let index = of.first as usize + of.key.select::<S>(state) as usize;
            debug_assert!(index < self.indexed.len());
            // SAFETY: the list has an entry for each value of the bits of the key.
            unsafe { *self.indexed.get_unchecked(index) }
        };
        // SAFETY: these are numbers of results, which are never removed.
        unsafe { self.results.get_unchecked(usize::from(result.0)) }
    }

    #[inline(never)]
    fn look_elsewhere<S: SelectBits>(&self, row: usize, state: &[u64; N]) -> ResultId {
        match self.about[row].kind {
            // Numbers of results have 16 bits.
            Kind::Hashed => ResultId(self.hashed[self.place(row, self.rows[row].key.select::<S>(state))].value as u16),
            Kind::Indexed | Kind::Fresh => ResultId::UNKNOWN,
            Kind::LeftOut => ResultId::LEFT_OUT,
            Kind::Level(_) => ResultId::BELOW,
        }
    }

    /// The first row below a level that is about the values that a state has, or 0 if there is none yet.
    #[inline(never)]
    pub fn below<S: SelectBits>(&self, level: usize, state: &[u64; N]) -> usize {
        let Kind::Level(first) = self.about[level].kind else { return 0 };
        let value = self.rows[level].key.select::<S>(state);
        let row = match first {
            NO_INDEX => self.hashed[self.place(level, value)].value,
            _ => self.below[first as usize + value as usize],
        };
        row as usize
    }

    /// The bits that decide about the moves of a row, those of the levels above it included.
    pub fn key(&self, row: usize) -> [u64; N] {
        let (key, above) = (self.rows[row].key.bits(), self.about[row].above);
        std::array::from_fn(|i| key[i] | above[i])
    }

    /// The row of the next edges of the same location, or 0.
    #[inline(always)]
    pub fn next(&self, row: usize) -> usize {
        debug_assert!(row < self.rows.len());
        // SAFETY: as above.
        unsafe { self.rows.get_unchecked(row) }.next as usize
    }

    /// Whether the footprints of the location of a row are not known: [`Table::describe`] has to be told.
    pub fn is_fresh(&self, row: usize) -> bool {
        self.about[row].kind == Kind::Fresh
    }

    /// A row and those of the other edges of its location.
    pub fn chain(&self, row: usize) -> impl Iterator<Item = usize> + use<'_, N> {
        std::iter::successors(Some(row), |row| Some(self.next(*row)).filter(|next| *next != 0))
    }

    /// Adds a row whose key has the bits of all of these. Nothing if they are too many, or if one has no results.
    pub fn add_joint(&mut self, rows: &[usize]) -> Option<usize> {
        let is_plain = |about: &About<N>| about.written == [0; N] && matches!(about.kind, Kind::Indexed | Kind::Hashed);
        if rows.iter().any(|row| !is_plain(&self.about[*row])) {
            return None;
        }
        if let [only] = rows {
            return Some(*only);
        }
        let key = rows.iter().fold(BitMask::new([0; N]), |key, row| key.with(&self.rows[*row].key));
        if key.count() > JOINT_BITS || self.indexed.len() + (1 << key.count()) > MOST_INDEXED {
            return None;
        }
        let row = self.add_rows(1);
        (self.rows[row].key, self.rows[row].first) = (key, self.indexed.len() as u32);
        self.about[row].kind = Kind::Indexed;
        self.indexed.resize(self.indexed.len() + (1 << key.count()), ResultId::UNKNOWN);
        Some(row)
    }

    /// The place of a key in the hash table: its slot, or a vacant one.
    #[inline(always)]
    fn place(&self, row: usize, key: u64) -> usize {
        let mask = self.hashed.len() - 1;
        let row_hash = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut hash = (key ^ row_hash).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash ^= hash >> 32;
        let mut at = hash as usize & mask;
        loop {
            let slot = &self.hashed[at];
            if slot.value == 0 || slot.key == key && slot.row == row as u32 {
                return at;
            }
            at = (at + 1) & mask;
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

    pub fn about(&self, row: usize) -> &About<N> {
        &self.about[row]
    }

    /// Tells the footprints of the moves from the location of a row, for groups of its edges.
    pub fn describe(&mut self, first: usize, groups: Groups) {
        let mut row = first;
        for (i, (edges, footprint)) in groups.into_iter().enumerate() {
            if i > 0 {
                let next = self.add_rows(1);
                self.about[next].above = self.about[row].above;
                self.rows[next].next = self.rows[row].next;
                self.rows[row].next = next as u32;
                row = next;
            }
            self.describe_edges(row, edges, footprint);
        }
    }

    /// Adds the rows below a level for the values that a state has, with the footprints of the moves for groups of its edges.
    pub fn describe_below<S: SelectBits>(&mut self, level: usize, state: &[u64; N], groups: Groups) {
        let Kind::Level(first) = self.about[level].kind else { return };
        let row = self.add_rows(1);
        self.about[row].above = self.key(level);
        // After the last of its rows come those after the level.
        self.rows[row].next = self.rows[level].next;
        self.rows_below += groups.len();
        match self.rows_below <= MOST_BELOW {
            true => self.describe(row, groups),
            false => self.about[row].kind = Kind::LeftOut,
        }
        let value = self.rows[level].key.select::<S>(state);
        match first {
            NO_INDEX => self.add_hashed(level, value, row as u32),
            _ => self.below[first as usize + value as usize] = row as u32,
        }
    }

    fn describe_edges(&mut self, row: usize, edges: Range<usize>, footprint: Option<Footprint>) {
        let (of, about) = (&mut self.rows[row], &mut self.about[row]);
        (about.kind, about.edges) = (Kind::LeftOut, edges);
        let Some(Footprint { key, written, changed, first }) = footprint else { return };
        about.changed.copy_from_slice(&changed);
        about.written.copy_from_slice(&written);
        if first.iter().any(|bits| *bits != 0) {
            of.key = BitMask::new(std::array::from_fn(|i| first[i]));
            let (first, bits) = (self.below.len(), of.key.count());
            about.kind = Kind::Level(NO_INDEX);
            if bits <= INDEX_BITS_OF_LEVEL && first + (1 << bits) <= MOST_VALUES {
                about.kind = Kind::Level(first as u32);
                self.below.resize(first + (1 << bits), 0);
            }
            return;
        }
        of.key = BitMask::new(std::array::from_fn(|i| key[i]));
        let bits = of.key.count();
        let most = if about.above == [0; N] { INDEX_BITS } else { INDEX_BITS_BELOW };
        if bits <= most && self.indexed.len() + (1 << bits) <= MOST_INDEXED {
            (about.kind, of.first) = (Kind::Indexed, self.indexed.len() as u32);
            self.indexed.resize(self.indexed.len() + (1 << bits), ResultId::UNKNOWN);
        } else if bits <= 64 {
            about.kind = Kind::Hashed;
        }
    }

    /// Tells the moves of a row in a state.
    pub fn learn<S: SelectBits>(&mut self, row: usize, state: &[u64; N], learned: Learned<N>) {
        let result = self.result(learned);
        let of = &self.rows[row];
        let key = of.key.select::<S>(state);
        if of.first != NO_INDEX {
            self.indexed[of.first as usize + key as usize] = result;
        } else {
            self.add_hashed(row, key, u32::from(result.0));
        }
    }

    fn add_hashed(&mut self, row: usize, key: u64, value: u32) {
        if 4 * self.used < 3 * self.hashed.len() || self.grow() {
            let at = self.place(row, key);
            self.hashed[at] = Slot { key, row: row as u32, value };
            self.used += 1;
        } else {
            self.about[row].kind = Kind::LeftOut;
        }
    }

    fn result(&mut self, learned: Learned<N>) -> ResultId {
        let number = u16::try_from(self.results.len()).map(ResultId);
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
            self.results.push(result);
        }
        id
    }

    /// Whether most keys are short.
    pub fn has_short_keys(&self) -> bool {
        let is_last = |about: &About<N>| !matches!(about.kind, Kind::Fresh | Kind::Level(_));
        let keys = self.rows.iter().zip(&self.about).filter(|(_, about)| is_last(about));
        let (all, long) = keys.fold((0, 0), |(all, long), (row, about)| {
            let is_long = about.kind == Kind::LeftOut || row.key.count() > SHORT_KEY;
            (all + 1, long + usize::from(is_long))
        });
        long <= all / 4
    }

    /// Doubles the hash table, unless it is too large.
    fn grow(&mut self) -> bool {
        let slots = self.hashed.len();
        if slots >= MOST_HASHED {
            return false;
        }
        let old = std::mem::replace(&mut self.hashed, vec![VACANT; 2 * slots]);
        for slot in old.into_iter().filter(|slot| slot.value != 0) {
            let at = self.place(slot.row as usize, slot.key);
            self.hashed[at] = slot;
        }
        true
    }
}
