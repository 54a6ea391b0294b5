//! The table of transitions of a thread, for states of so many words.
//!
//! A *row* belongs to some edges of a process at a location. It knows the bits of a state that decide about the moves there: the
//! key. For each key that was met it has the number of a *result*: the successors, each as the difference (exclusive or) from
//! the state. Many keys have the same result. A key of few bits is the index of the number; for longer keys there is a hash
//! table of all rows.

use std::collections::HashMap;
use std::ops::Range;

use super::footprint::Footprint;
use super::select::{BitMask, SelectBits};
use super::sleep::{SharedSteps, Step, Steps};

/// The most bits of a key that is an index.
const INDEX_BITS: u32 = 18;
/// The most bits of a key that is considered short: a state space has many states with the same key.
const SHORT_KEY: u32 = 24;
/// The most bits of a key of several processes together.
const JOINT_BITS: u32 = 12;
/// The most keys of all rows whose keys are indices, and the most slots of the hash table.
const MOST_INDEXED: usize = 1 << 20;
const MOST_HASHED: usize = 1 << 19;
/// The most moves of a result.
pub(super) const MOST_MOVES: usize = 48;

/// The moves of a result.
#[derive(Clone, Debug)]
pub(super) struct Moves<const N: usize> {
    /// The number of moves, or what is known instead, and how many of them an atomic sequence leads to: these are the last ones.
    count: u8,
    inner: u8,
    /// The number of the first step. Those of the others follow.
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
        usize::from(self.inner)
    }

    pub fn are_unknown(&self) -> bool {
        self.count == Self::UNKNOWN.count
    }

    pub fn are_apart(&self) -> bool {
        self.count == Self::APART.count
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
}

/// What a table is told about the moves of a row in a state.
pub(super) enum Learned<const N: usize> {
    /// Their steps. The last ones, so many, are those that an atomic sequence leads to.
    Moves(Vec<Step<N>>, usize),
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
}

/// A slot of the hash table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    row: u32,
    result: ResultId,
}

const VACANT: Slot = Slot { key: 0, row: 0, result: ResultId::UNKNOWN };

#[derive(Debug)]
pub(super) struct Table<const N: usize> {
    rows: Vec<Row<N>>,
    about: Vec<About<N>>,
    indexed: Vec<ResultId>,
    /// The number of slots is a power of two.
    hashed: Vec<Slot>,
    used: usize,
    results: Vec<Moves<N>>,
    pub steps: Steps<N>,
    /// The result with so many steps from this number on, of which so many belong to atomic sequences.
    known: HashMap<(u32, usize, usize), ResultId>,
}

impl<const N: usize> Table<N> {
    const FEWEST_HASHED: usize = 1 << 8;

    pub fn new(steps: SharedSteps) -> Table<N> {
        Table {
            rows: Vec::new(),
            about: Vec::new(),
            indexed: Vec::new(),
            hashed: vec![VACANT; Self::FEWEST_HASHED],
            used: 0,
            results: vec![Moves::UNKNOWN, Moves::LEFT_OUT, Moves::APART],
            steps: Steps::new(steps),
            known: HashMap::new(),
        }
    }

    /// Adds so many rows, each for a location.
    pub fn add_rows(&mut self, count: usize) -> usize {
        let first = self.rows.len();
        let row = Row { key: BitMask::new([0; N]), first: NO_INDEX, next: 0 };
        self.rows.resize(first + count, row);
        self.about.resize(first + count, About { kind: Kind::Fresh, edges: 0..0, changed: [0; N] });
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
            Kind::Hashed => self.hashed[self.place(row, self.rows[row].key.select::<S>(state))].result,
            Kind::Indexed | Kind::Fresh => ResultId::UNKNOWN,
            Kind::LeftOut => ResultId::LEFT_OUT,
        }
    }

    /// The bits that decide about the moves of a row, besides the location.
    #[inline(always)]
    pub fn key(&self, row: usize) -> &[u64; N] {
        debug_assert!(row < self.rows.len());
        // SAFETY: as above.
        unsafe { self.rows.get_unchecked(row) }.key.bits()
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
        if rows.iter().any(|row| !matches!(self.about[*row].kind, Kind::Indexed | Kind::Hashed)) {
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
        let mut hash = (key ^ (row as u64) << 48).wrapping_mul(0xd6e8_feb8_6659_fd93);
        hash ^= hash >> 32;
        let mut at = hash as usize & mask;
        loop {
            let slot = &self.hashed[at];
            if slot.result == ResultId::UNKNOWN || slot.key == key && slot.row == row as u32 {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The numbers of the steps of a result from this one on.
    #[inline(always)]
    pub fn from(&self, moves: &Moves<N>, first: usize) -> Range<u32> {
        moves.number + first as u32..moves.number + moves.count() as u32
    }

    pub fn about(&self, row: usize) -> &About<N> {
        &self.about[row]
    }

    /// Tells the footprints of the moves from the location of a row, for groups of its edges.
    pub fn describe(&mut self, first: usize, groups: Vec<(Range<usize>, Option<Footprint>)>) {
        let mut row = first;
        for (i, (edges, footprint)) in groups.into_iter().enumerate() {
            if i > 0 {
                let next = self.add_rows(1);
                self.rows[row].next = next as u32;
                row = next;
            }
            self.describe_edges(row, edges, footprint);
        }
    }

    fn describe_edges(&mut self, row: usize, edges: Range<usize>, footprint: Option<Footprint>) {
        let (of, about) = (&mut self.rows[row], &mut self.about[row]);
        (about.kind, about.edges) = (Kind::LeftOut, edges);
        let Some(Footprint { key, changed }) = footprint else { return };
        about.changed.copy_from_slice(&changed);
        of.key = BitMask::new(std::array::from_fn(|i| key[i]));
        let bits = of.key.count();
        if bits <= INDEX_BITS && self.indexed.len() + (1 << bits) <= MOST_INDEXED {
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
        } else if 4 * self.used < 3 * self.hashed.len() || self.grow() {
            let at = self.place(row, key);
            self.hashed[at] = Slot { key, row: row as u32, result };
            self.used += 1;
        } else {
            self.about[row].kind = Kind::LeftOut;
        }
    }

    fn result(&mut self, learned: Learned<N>) -> ResultId {
        let (moves, inner) = match learned {
            Learned::Moves(moves, inner) if moves.len() <= MOST_MOVES => (moves, inner),
            Learned::Moves(..) | Learned::LeftOut => return ResultId::LEFT_OUT,
            Learned::Apart => return ResultId::APART,
        };
        let Ok(id) = u16::try_from(self.results.len()) else { return ResultId::LEFT_OUT };
        let number = self.steps.number(&moves);
        *self.known.entry((number, moves.len(), inner)).or_insert_with(|| {
            let first = [0, 1].map(|i| moves.get(i).map_or([0; N], |step| step.difference));
            self.results.push(Moves { count: moves.len() as u8, inner: inner as u8, number, first });
            ResultId(id)
        })
    }

    /// Whether most keys are short.
    pub fn has_short_keys(&self) -> bool {
        let keys = self.rows.iter().zip(&self.about).filter(|(_, about)| about.kind != Kind::Fresh);
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
        for slot in old.into_iter().filter(|slot| slot.result != ResultId::UNKNOWN) {
            let at = self.place(slot.row as usize, slot.key);
            self.hashed[at] = slot;
        }
        true
    }
}
