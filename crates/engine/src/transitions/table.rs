//! The table of transitions of a thread, for states of so many words.
//!
//! A *row* belongs to some edges of a process at a location. It knows the bits of a state that decide about the moves there: the
//! key. For each key that was met it has the [moves](Moves): their number, and the number of the first of their steps, each a
//! difference (exclusive or) from the state. A key of few bits is an index; for longer keys there is a hash table of all rows.
//!
//! Where the key would be too long, a row is a *level*: its key has the bits that decide which others matter. For each value of
//! them there is another row, or several, with the same edges.

use std::ops::Range;

use super::footprint::{Footprint, Groups};
use super::results::{Learned, Moves, Results};
use super::select::{BitMask, SelectBits};
use super::sleep::SharedSteps;

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
    kind: Kind,
}

/// Stands for an index in a row whose keys are not indices.
const NO_INDEX: u32 = u32::MAX;

/// What a row is about.
#[derive(Clone, Debug)]
pub(super) struct About<const N: usize> {
    /// The edges, by their positions in the list of the location.
    pub edges: Range<usize>,
    /// The bits that the moves can change.
    pub changed: [u64; N],
    /// Bits that they may overwrite or copy, and that are not in the key.
    pub free: [u64; N],
    /// The bits of the keys of the levels above. The row is about one value of them.
    pub above: [u64; N],
}

/// A slot of the hash table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    row: u32,
    /// The [`Moves`], or for a level the first row below it. 0 in a vacant slot.
    value: u32,
}

const VACANT: Slot = Slot { key: 0, row: 0, value: 0 };

#[derive(Debug)]
pub(super) struct Table<const N: usize> {
    rows: Vec<Row<N>>,
    about: Vec<About<N>>,
    indexed: Vec<Moves>,
    /// The first row below a level for a value of its key, or 0.
    below: Vec<u32>,
    /// The number of rows below levels.
    rows_below: usize,
    /// The number of slots is a power of two.
    hashed: Vec<Slot>,
    used: usize,
    pub results: Results<N>,
}

impl<const N: usize> Table<N> {
    const FEWEST_HASHED: usize = 1 << 8;

    pub fn new(steps: SharedSteps) -> Table<N> {
        Table {
            rows: Vec::new(),
            about: Vec::new(),
            indexed: Vec::new(),
            below: Vec::new(),
            rows_below: 0,
            hashed: vec![VACANT; Self::FEWEST_HASHED],
            used: 0,
            results: Results::new(steps),
        }
    }

    /// Adds so many rows, each for a location.
    pub fn add_rows(&mut self, count: usize) -> usize {
        let first = self.rows.len();
        let row = Row { key: BitMask::new([0; N]), first: NO_INDEX, next: 0, kind: Kind::Fresh };
        self.rows.resize(first + count, row);
        let about = About { edges: 0..0, changed: [0; N], free: [0; N], above: [0; N] };
        self.about.resize(first + count, about);
        first
    }

    /// What the table has for a row and a state. If the row is a level, it is the row below it that the moves belong to.
    #[inline(always)]
    pub fn look<S: SelectBits>(&self, row: usize, state: &[u64; N]) -> (usize, Moves) {
        debug_assert!(row < self.rows.len(), "there is a row for all values of the bits that denote a location");
        // SAFETY: sites have been made with so many rows.
        let of = unsafe { self.rows.get_unchecked(row) };
        if of.first == NO_INDEX {
            return self.look_elsewhere::<S>(row, state);
        }
        let index = of.first as usize + of.key.select::<S>(state) as usize;
        debug_assert!(index < self.indexed.len());
        // SAFETY: the list has an entry for each value of the bits of the key.
        (row, unsafe { *self.indexed.get_unchecked(index) })
    }

    #[inline(never)]
    fn look_elsewhere<S: SelectBits>(&self, mut row: usize, state: &[u64; N]) -> (usize, Moves) {
        loop {
            let of = &self.rows[row];
            let key = of.key.select::<S>(state);
            let moves = match of.kind {
                Kind::Fresh => Moves::UNKNOWN,
                Kind::Indexed => self.indexed[of.first as usize + key as usize],
                Kind::Hashed => match self.hashed[self.place(row, key)].value {
                    0 => Moves::UNKNOWN,
                    moves => Moves(moves),
                },
                Kind::LeftOut => Moves::LEFT_OUT,
                Kind::Level(first) => {
                    let below = match first {
                        NO_INDEX => self.hashed[self.place(row, key)].value,
                        _ => self.below[first as usize + key as usize],
                    };
                    if below > 0 {
                        row = below as usize;
                        continue;
                    }
                    Moves::BELOW
                }
            };
            return (row, moves);
        }
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
        self.rows[row].kind == Kind::Fresh
    }

    /// A row and those of the other edges of its location.
    pub fn chain(&self, row: usize) -> impl Iterator<Item = usize> + use<'_, N> {
        std::iter::successors(Some(row), |row| Some(self.next(*row)).filter(|next| *next != 0))
    }

    /// Adds a row whose key has the bits of all of these. Nothing if they are too many, or if one has no results.
    pub fn add_joint(&mut self, rows: &[usize]) -> Option<usize> {
        if rows.iter().any(|row| !matches!(self.rows[*row].kind, Kind::Indexed | Kind::Hashed)) {
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
        self.rows[row].kind = Kind::Indexed;
        self.indexed.resize(self.indexed.len() + (1 << key.count()), Moves::UNKNOWN);
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
        let Kind::Level(first) = self.rows[level].kind else { return };
        let row = self.add_rows(1);
        self.about[row].above = self.key(level);
        // After the last of its rows come those after the level.
        self.rows[row].next = self.rows[level].next;
        self.rows_below += groups.len();
        match self.rows_below <= MOST_BELOW {
            true => self.describe(row, groups),
            false => self.rows[row].kind = Kind::LeftOut,
        }
        let value = self.rows[level].key.select::<S>(state);
        match first {
            NO_INDEX => self.add_hashed(level, value, row as u32),
            _ => self.below[first as usize + value as usize] = row as u32,
        }
    }

    fn describe_edges(&mut self, row: usize, edges: Range<usize>, footprint: Option<Footprint>) {
        let (of, about) = (&mut self.rows[row], &mut self.about[row]);
        (of.kind, about.edges) = (Kind::LeftOut, edges);
        let Some(Footprint { key, free, changed, first }) = footprint else { return };
        about.changed.copy_from_slice(&changed);
        about.free.copy_from_slice(&free);
        if first.iter().any(|bits| *bits != 0) {
            of.key = BitMask::new(std::array::from_fn(|i| first[i]));
            let (first, bits) = (self.below.len(), of.key.count());
            of.kind = Kind::Level(NO_INDEX);
            if bits <= INDEX_BITS_OF_LEVEL && first + (1 << bits) <= MOST_VALUES {
                of.kind = Kind::Level(first as u32);
                self.below.resize(first + (1 << bits), 0);
            }
            return;
        }
        of.key = BitMask::new(std::array::from_fn(|i| key[i]));
        let bits = of.key.count();
        let most = if about.above == [0; N] { INDEX_BITS } else { INDEX_BITS_BELOW };
        if bits <= most && self.indexed.len() + (1 << bits) <= MOST_INDEXED {
            (of.kind, of.first) = (Kind::Indexed, self.indexed.len() as u32);
            self.indexed.resize(self.indexed.len() + (1 << bits), Moves::UNKNOWN);
        } else if bits <= 64 {
            of.kind = Kind::Hashed;
        }
    }

    /// Tells the moves of a row in a state.
    pub fn learn<S: SelectBits>(&mut self, row: usize, state: &[u64; N], learned: Learned<N>) {
        let moves = self.results.add(learned);
        let of = &self.rows[row];
        let key = of.key.select::<S>(state);
        if of.first != NO_INDEX {
            self.indexed[of.first as usize + key as usize] = moves;
        } else {
            self.add_hashed(row, key, moves.0);
        }
    }

    fn add_hashed(&mut self, row: usize, key: u64, value: u32) {
        if 4 * self.used < 3 * self.hashed.len() || self.grow() {
            let at = self.place(row, key);
            self.hashed[at] = Slot { key, row: row as u32, value };
            self.used += 1;
        } else {
            self.rows[row].kind = Kind::LeftOut;
        }
    }

    /// Whether most keys are short.
    pub fn has_short_keys(&self) -> bool {
        let keys = self.rows.iter().filter(|row| !matches!(row.kind, Kind::Fresh | Kind::Level(_)));
        let (all, long) = keys.fold((0, 0), |(all, long), row| {
            let is_long = row.kind == Kind::LeftOut || row.key.count() > SHORT_KEY;
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
