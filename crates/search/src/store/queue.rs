//! Queues of state ids in the order of expansion, addressed by position.

use std::fmt::Debug;
use std::ops::Range;

use super::StateId;

/// A sequence of ids that grows at its end.
pub trait Queue: Default + Debug + Send + Sync {
    /// Whether all positions are kept for ever, because that takes little memory.
    const KEEPS_ALL: bool;

    /// Appends an id.
    fn push(&mut self, id: StateId);

    /// Moves all ids of `other` to the end of this queue.
    fn append(&mut self, other: &mut Self);

    /// The number of ids that were appended.
    fn len(&self) -> u64;

    /// Whether no id was appended.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the ids at these positions to `into`.
    fn copy(&self, positions: Range<u64>, into: &mut Vec<StateId>);

    /// The position of an id within these positions.
    fn find(&self, positions: Range<u64>, id: StateId) -> Option<u64> {
        const PIECE: u64 = 1 << 12;
        let mut ids = Vec::new();
        let mut pieces = positions.clone().step_by(PIECE as usize);
        pieces.find_map(|start| {
            ids.clear();
            self.copy(start..positions.end.min(start + PIECE), &mut ids);
            ids.iter().position(|other| *other == id).map(|ahead| start + ahead as u64)
        })
    }

    /// Declares that these positions are no longer needed.
    fn forget(&mut self, positions: Range<u64>);

    /// Memory of the queue, in bytes.
    fn bytes(&self) -> u64;
}

/// A queue of runs of consecutive numbers.
#[derive(Default, Debug)]
pub struct Runs {
    runs: Vec<Run>,
    len: u64,
}

/// Consecutive numbers.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The position of the first number.
    at: u64,
    first: u64,
}

impl Runs {
    fn push_run(&mut self, first: u64, count: u64) {
        if self.runs.last().is_none_or(|run| run.first + (self.len - run.at) != first) {
            self.runs.push(Run { at: self.len, first });
        }
        self.len += count;
    }

    fn end(&self, run: usize) -> u64 {
        self.runs.get(run + 1).map_or(self.len, |next| next.at)
    }
}

impl Queue for Runs {
    const KEEPS_ALL: bool = true;

    #[inline]
    fn push(&mut self, id: StateId) {
        self.push_run(id.get(), 1);
    }

    fn append(&mut self, other: &mut Runs) {
        for (i, run) in other.runs.iter().enumerate() {
            self.push_run(run.first, other.end(i) - run.at);
        }
        *other = Runs { runs: std::mem::take(&mut other.runs), len: 0 };
        other.runs.clear();
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn copy(&self, positions: Range<u64>, into: &mut Vec<StateId>) {
        let mut at = positions.start;
        let mut run = self.runs.partition_point(|run| run.at <= at).saturating_sub(1);
        while at < positions.end {
            let end = self.end(run).min(positions.end);
            let Run { at: start, first } = self.runs[run];
            into.extend((at..end).map(|position| StateId::new(first + (position - start))));
            at = end;
            run += 1;
        }
    }

    fn forget(&mut self, _: Range<u64>) {}

    fn bytes(&self) -> u64 {
        (self.runs.capacity() * size_of::<Run>()) as u64
    }
}

/// A number that is an id in some store.
pub trait IdNumber: Copy + PartialEq + Debug + Send + Sync + 'static {
    /// The number of an id.
    fn of(id: StateId) -> Self;

    /// The id.
    fn id(self) -> StateId;
}

impl IdNumber for u64 {
    #[inline(always)]
    fn of(StateId(id): StateId) -> u64 {
        id as u64
    }

    #[inline(always)]
    fn id(self) -> StateId {
        StateId(u128::from(self))
    }
}

impl IdNumber for u128 {
    #[inline(always)]
    fn of(StateId(id): StateId) -> u128 {
        id
    }

    #[inline(always)]
    fn id(self) -> StateId {
        StateId(self)
    }
}

/// A queue of arbitrary ids, which are numbers of this type, or of something else.
#[derive(Debug)]
pub struct Pieces<N = u64> {
    pieces: Vec<Piece<N>>,
    len: u64,
}

impl<N> Default for Pieces<N> {
    fn default() -> Pieces<N> {
        Pieces { pieces: Vec::new(), len: 0 }
    }
}

/// A part of the queue.
#[derive(Debug)]
struct Piece<N> {
    /// The position of the first item.
    at: u64,
    items: Vec<N>,
}

/// Items per piece. Pieces are small so that forgotten positions are freed soon.
const PIECE: usize = 1 << 13;

impl<N: Copy> Pieces<N> {
    /// Appends an item.
    #[inline]
    pub(crate) fn push_item(&mut self, item: N) {
        match self.pieces.last_mut() {
            Some(piece) if piece.items.len() < PIECE => piece.items.push(item),
            _ => self.add_piece(item),
        }
        self.len += 1;
    }

    /// Appends an item in a piece of its own. A long queue has its pieces made at once: to let each grow would touch twice the
    /// memory.
    #[cold]
    fn add_piece(&mut self, item: N) {
        let mut items = if self.len < PIECE as u64 { Vec::new() } else { Vec::with_capacity(PIECE) };
        items.push(item);
        self.pieces.push(Piece { at: self.len, items });
    }

    /// Moves all items of `other` to the end.
    pub(crate) fn append_items(&mut self, other: &mut Pieces<N>) {
        let small = |piece: &Piece<N>, more: usize| piece.items.len() + more <= PIECE;
        for mut piece in other.pieces.drain(..) {
            let count = piece.items.len();
            match self.pieces.last_mut() {
                Some(last) if small(last, count) => last.items.append(&mut piece.items),
                _ => self.pieces.push(Piece { at: self.len, items: piece.items }),
            }
            self.len += count as u64;
        }
        other.len = 0;
    }

    /// The number of items that were appended.
    pub(crate) fn item_count(&self) -> u64 {
        self.len
    }

    /// Calls `each` with the items at these positions.
    pub(crate) fn for_items(&self, positions: Range<u64>, mut each: impl FnMut(&[N])) {
        let mut at = positions.start;
        let mut piece = self.pieces.partition_point(|piece| piece.at <= at).saturating_sub(1);
        while at < positions.end {
            let Piece { at: start, items } = &self.pieces[piece];
            let end = (start + items.len() as u64).min(positions.end);
            each(&items[(at - start) as usize..(end - start) as usize]);
            at = end;
            piece += 1;
        }
    }

    /// Frees the items at these positions.
    pub(crate) fn forget_items(&mut self, positions: Range<u64>) {
        let first = self.pieces.partition_point(|piece| piece.at < positions.start);
        let end = self.pieces.partition_point(|piece| piece.at + piece.items.len() as u64 <= positions.end);
        self.pieces.drain(first..end.max(first));
    }

    /// Memory of the items, in bytes.
    pub(crate) fn item_bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| (piece.items.capacity() * size_of::<N>()) as u64).sum()
    }
}

impl<N: IdNumber> Queue for Pieces<N> {
    const KEEPS_ALL: bool = false;

    #[inline]
    fn push(&mut self, id: StateId) {
        self.push_item(N::of(id));
    }

    fn append(&mut self, other: &mut Pieces<N>) {
        self.append_items(other);
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn copy(&self, positions: Range<u64>, into: &mut Vec<StateId>) {
        self.for_items(positions, |ids| into.extend(ids.iter().map(|id| id.id())));
    }

    fn forget(&mut self, positions: Range<u64>) {
        self.forget_items(positions);
    }

    fn bytes(&self) -> u64 {
        self.item_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<Q: Queue>(ids: &[u64]) {
        let mut whole = Q::default();
        let mut part = Q::default();
        for (i, &id) in ids.iter().enumerate() {
            part.push(StateId::new(id));
            if i % 7 == 3 {
                whole.append(&mut part);
                assert!(part.is_empty());
            }
        }
        whole.append(&mut part);
        assert_eq!(whole.len(), ids.len() as u64);
        for from in (0..ids.len()).step_by(ids.len() / 50 + 1) {
            for to in [from, from + 1, (from + 5_000).min(ids.len()), ids.len()] {
                let mut got = Vec::new();
                whole.copy(from as u64..to as u64, &mut got);
                assert!(got.iter().map(|id| id.get()).eq(ids[from..to].iter().copied()));
                for at in [from, (from + to) / 2, to.saturating_sub(1)] {
                    let there = (from..to).contains(&at).then_some(at as u64);
                    assert_eq!(whole.find(from as u64..to as u64, StateId::new(ids[at])), there);
                }
            }
            whole.forget(0..from as u64);
        }
    }

    #[test]
    fn every_position_has_its_state() {
        let lists = [
            (0..50_000).collect::<Vec<u64>>(),
            (0..30_000).rev().collect(),
            (0..40_000).map(|n| n / 100 * 1000 + n % 100).collect(),
            vec![3],
        ];
        for ids in &lists {
            check::<Runs>(ids);
            check::<Pieces>(ids);
            check::<Pieces<u128>>(ids);
        }
    }
}
