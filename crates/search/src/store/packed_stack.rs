//! The stack of a depth-first search with a lossy store: states that wait, and below them those they were found from.
//!
//! An expanded state lies below all that was found from it: so when it comes to the top nobody needs it any more, and every
//! state here has a way to the initial one. Most of a large stack lies still while
//! the search is busy at its top. So only the uppermost states are kept ready; what lies below is
//! [packed](super::packed_block), and takes some eight bytes for each state.

use kripke_model::{Batch, State};

use super::lossy::{Keeper, Waiting};
use super::memory_quota::Account;
use super::packed_block::{Entry, Layer, NOWHERE, Segment};
use super::{Full, StateId};

/// States that are packed together.
const SEGMENT: usize = if cfg!(test) { 1 << 5 } else { 1 << 10 };
/// More are not kept ready.
const READY: usize = 3 * SEGMENT;
/// So many entries are looked at to find states that wait. In a stack of long ways without branches there are few.
const REACH: usize = 64;

/// Each worker has a stack of its own.
#[derive(Debug)]
pub struct Piles;

impl Waiting for Piles {
    type Keeper<'a> = Pile;

    const LINKED: bool = false;

    fn new(_: usize) -> Piles {
        Piles
    }

    fn keeper(&self) -> Pile {
        Pile::default()
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// One worker's stack. Entries have indices, from its bottom.
#[derive(Default, Debug)]
pub struct Pile {
    /// What lies below, from the bottom.
    packed: Vec<Segment>,
    /// So many of these at the bottom were given to another worker: their states wait no more here.
    given: usize,
    packed_bytes: u64,
    /// The uppermost entries.
    top: Layer,
    /// The index of the first of these.
    base: u64,
    /// How many states wait.
    waiting: u64,
    /// Which entries of the top are being expanded, from above. Their ids are places in this list.
    taken: Vec<usize>,
    /// What was found meanwhile; origins are places in that list.
    fresh: Layer,
    rooms: Rooms,
}

/// Used again and again.
#[derive(Default, Debug)]
struct Rooms {
    /// Which of the uppermost entries are needed, and their indices then.
    needed: Vec<bool>,
    moved: Vec<u64>,
    order: Vec<usize>,
}

impl Keeper for Pile {
    fn check(&mut self, _: usize, account: &mut Account<'_>) -> Result<(), Full> {
        account.check(0)
    }

    /// It has an id only when it is taken.
    #[inline]
    fn add(&mut self, state: &State, origin: Option<StateId>, account: &mut Account<'_>) -> Result<StateId, Full> {
        account.spend(state.len() as u64, 0);
        let (origin, depth) = origin.map_or((NOWHERE, 0), |id| (id.0, self.depth(id) + 1));
        self.fresh.push(state, Entry { origin, depth, waits: true });
        Ok(StateId::NONE)
    }

    #[inline]
    fn get(&self, id: StateId) -> &State {
        self.top.state(self.taken[id.0 as usize])
    }
}

impl Pile {
    /// How many states wait.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    pub fn bytes(&self) -> u64 {
        self.packed_bytes + self.top.memory() + self.fresh.memory()
    }

    /// Takes some states from the top, to be expanded.
    pub fn take(&mut self, count: usize, into: &mut Vec<StateId>) {
        loop {
            while self.top.last().is_some_and(|entry| !entry.waits) {
                self.top.truncate(self.top.len() - 1);
            }
            if !self.top.is_empty() || !self.unpack() {
                break;
            }
        }
        let waiting = self.top.entries().enumerate().rev().take(REACH).filter(|(_, entry)| entry.waits);
        self.taken.extend(waiting.map(|(at, _)| at).take(count));
        into.extend((0..self.taken.len()).map(|n| StateId(n as u64)));
    }

    /// Puts a state on top that was found from the one at this index, or from nowhere. Its index.
    pub fn put(&mut self, state: &State, origin: Option<u64>, depth: u32, waits: bool) -> u64 {
        let index = self.base + self.top.len() as u64;
        self.top.push(state, Entry { origin: origin.unwrap_or(NOWHERE), depth, waits });
        self.waiting += u64::from(waits);
        if self.top.len() > READY {
            self.pack();
        }
        index
    }

    /// How deep a state is that was taken.
    pub fn depth(&self, id: StateId) -> u32 {
        self.top.entry(self.taken[id.0 as usize]).depth
    }

    /// Those that were taken are expanded. Puts what was found on top, unless it is too deep, in an order that is to be
    /// arranged: the last goes uppermost.
    pub fn settle(&mut self, max_depth: u32, arrange: impl FnOnce(&mut [usize])) {
        self.drop_needless(max_depth);
        let Pile { top, taken, fresh, rooms: Rooms { moved, order, .. }, waiting, .. } = self;
        let from = taken.last().copied().unwrap_or(top.len());
        order.clear();
        order.extend((0..fresh.len()).filter(|&n| fresh.entry(n).depth <= max_depth));
        arrange(order);
        for &n in &*order {
            let entry = fresh.entry(n);
            let origin = if entry.origin == NOWHERE { NOWHERE } else { moved[taken[entry.origin as usize] - from] };
            top.push(fresh.state(n), Entry { origin, ..entry });
        }
        *waiting = *waiting + order.len() as u64 - taken.len() as u64;
        fresh.truncate(0);
        taken.clear();
        while self.top.len() > READY {
            self.pack();
        }
    }

    /// Drops those of the uppermost entries, down to the lowest that was taken, from which nothing was found and that are not
    /// on the way to one from which something was; the others move together.
    fn drop_needless(&mut self, max_depth: u32) {
        let Pile { top, base, taken, fresh, rooms: Rooms { needed, moved, .. }, .. } = self;
        let Some(&from) = taken.last() else { return };
        let first = *base + from as u64;
        needed.clear();
        needed.resize(top.len() - from, false);
        for child in fresh.entries().filter(|child| child.depth <= max_depth) {
            needed[taken[child.origin as usize] - from] = true;
        }
        for (at, entry) in top.entries().enumerate().skip(from).rev() {
            if needed[at - from] && entry.origin != NOWHERE && entry.origin >= first {
                needed[(entry.origin - first) as usize] = true;
            }
        }
        moved.clear();
        let mut to = from;
        for at in from..top.len() {
            moved.push(*base + to as u64);
            if needed[at - from] {
                let entry = top.entry(at);
                let is_near = entry.origin != NOWHERE && entry.origin >= first;
                let origin = if is_near { moved[(entry.origin - first) as usize] } else { entry.origin };
                top.lower(at, to, Entry { origin, waits: false, ..entry });
                to += 1;
            }
        }
        top.truncate(to);
    }

    /// The states from the initial one to one that was taken.
    pub fn path(&self, id: StateId) -> Batch {
        let (mut back, mut open) = (Layer::default(), Layer::default());
        let mut first = u64::MAX;
        let mut index = self.base + self.taken[id.0 as usize] as u64;
        while index != NOWHERE {
            let (layer, at) = if index >= self.base {
                (&self.top, (index - self.base) as usize)
            } else {
                if index < first {
                    let segment = &self.packed[self.packed.partition_point(|segment| segment.first <= index) - 1];
                    first = segment.first;
                    open.truncate(0);
                    segment.unpack(&mut open);
                }
                (&open, (index - first) as usize)
            };
            back.push(layer.state(at), layer.entry(at));
            index = layer.entry(at).origin;
        }
        let mut path = Batch::new();
        (0..back.len()).rev().for_each(|at| path.push(back.state(at)));
        path
    }

    /// A stack for another worker: with half of what waits here, from the end that is nearest to the initial state.
    pub fn divide(&mut self) -> Option<Pile> {
        let left = self.packed.len() - self.given;
        let (upto, cut) = if left > 0 {
            (self.given + left.div_ceil(2), 0)
        } else {
            let waiting = || self.top.entries().enumerate().filter(|(_, entry)| entry.waits);
            let half = waiting().count() / 2;
            (self.packed.len(), waiting().take(half).last().map_or(0, |(at, _)| at + 1))
        };
        let waiting = self.packed[self.given..upto].iter().map(|segment| u64::from(segment.waiting)).sum::<u64>()
            + self.top.entries().take(cut).filter(|entry| entry.waits).count() as u64;
        if waiting == 0 && left == 0 {
            return None;
        }
        let packed = self.packed[..upto].to_vec();
        let packed_bytes = packed.iter().map(Segment::memory).sum();
        let base = packed.last().map_or(0, |segment| segment.first + u64::from(segment.entries));
        let mut top = Layer::default();
        (0..cut).for_each(|at| top.push(self.top.state(at), self.top.entry(at)));
        self.top.settle(cut);
        let given = std::mem::replace(&mut self.given, upto);
        self.waiting -= waiting;
        Some(Pile { packed, given, packed_bytes, top, base, waiting, ..Pile::default() })
    }

    fn pack(&mut self) {
        let segment = Segment::pack(&self.top, SEGMENT, self.base);
        self.top.drop_first(SEGMENT);
        self.base += SEGMENT as u64;
        self.packed_bytes += segment.memory();
        self.packed.push(segment);
    }

    /// Makes the uppermost packed states ready, if there are any.
    fn unpack(&mut self) -> bool {
        let Some(segment) = self.packed.pop() else { return false };
        self.packed_bytes -= segment.memory();
        self.base = segment.first;
        segment.unpack(&mut self.top);
        if self.packed.len() < self.given {
            self.given = self.packed.len();
            self.top.settle(self.top.len());
        }
        true
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::Capacity;
    use super::super::memory_quota::Ledger;
    use super::super::pool::mix;
    use super::*;

    /// A tree of numbers with few branches in some places and many in others.
    fn children(n: u64, most: u64) -> impl Iterator<Item = u64> {
        let count = if n % 64 < 50 { n % 3 } else { mix(n) % 40 };
        (0..count).map(move |k| n * 41 + k + 1).filter(move |&child| child < most)
    }

    fn state(n: u64) -> Vec<u8> {
        [&n.to_le_bytes()[..], &vec![7; n as usize % 3]].concat()
    }

    fn number(state: &State) -> u64 {
        u64::from_le_bytes(*state.first_chunk().unwrap())
    }

    /// Searches the tree with several stacks in turn, which share their work, and says what was visited.
    fn search(most: u64, max_depth: u32, piles: usize) -> Vec<u64> {
        let ledger = Ledger::new(Capacity::UNLIMITED, 1, 0);
        let mut account = ledger.account();
        let mut piles: Vec<Pile> = (0..piles).map(|_| Pile::default()).collect();
        let add = |pile: &mut Pile, account: &mut Account<'_>, n, origin| {
            pile.check(8, account).unwrap();
            pile.add(&state(n), origin, account).unwrap();
        };
        // Several roots, one after the other, so that the tree is large whatever its branches are.
        (0..41).for_each(|root| add(&mut piles[0], &mut account, root, None));
        piles[0].settle(max_depth, <[_]>::reverse);
        let (mut visited, mut work) = (Vec::new(), Vec::new());
        while piles.iter().any(|pile| pile.waiting() > 0) {
            for at in 0..piles.len() {
                if piles[at].waiting() == 0
                    && let Some(part) = (0..piles.len()).find_map(|from| piles[from].divide())
                {
                    piles[at] = part;
                }
                work.clear();
                piles[at].take(16, &mut work);
                for &id in &work {
                    let n = number(piles[at].get(id));
                    let path = piles[at].path(id);
                    assert_eq!(path.len(), piles[at].depth(id) as usize + 1);
                    assert_eq!(path.state(path.len() - 1), state(n));
                    for pair in 1..path.len() {
                        let from = number(path.state(pair - 1));
                        assert!(children(from, most).any(|child| child == number(path.state(pair))), "{from} to {n}");
                    }
                    visited.push(n);
                    children(n, most).for_each(|child| add(&mut piles[at], &mut account, child, Some(id)));
                }
                piles[at].settle(max_depth, <[_]>::reverse);
            }
        }
        visited.sort_unstable();
        visited
    }

    /// The same, without a stack.
    fn all(most: u64, max_depth: u32) -> Vec<u64> {
        let mut visited: Vec<(u64, u32)> = (0..41).map(|root| (root, 0)).collect();
        let mut at = 0;
        while let Some(&(n, depth)) = visited.get(at) {
            visited.extend(children(n, most).filter(|_| depth < max_depth).map(|child| (child, depth + 1)));
            at += 1;
        }
        let mut visited: Vec<u64> = visited.into_iter().map(|(n, _)| n).collect();
        visited.sort_unstable();
        visited
    }

    #[test]
    fn everything_is_visited_once_and_has_its_way() {
        for (most, max_depth, piles) in [(1 << 28, u32::MAX, 1), (1 << 28, u32::MAX, 3), (1 << 30, 4, 2), (40, 0, 1)] {
            let (got, wanted) = (search(most, max_depth, piles), all(most, max_depth));
            assert!(got == wanted, "{most} {max_depth} {piles}: {} of {}", got.len(), wanted.len());
        }
    }

    #[test]
    fn a_long_way_takes_little() {
        let ledger = Ledger::new(Capacity::UNLIMITED, 1, 0);
        let (mut pile, mut account, mut work) = (Pile::default(), ledger.account(), Vec::new());
        let state = |n: u64| [&[3; 40][..], &n.to_le_bytes()].concat();
        pile.check(48, &mut account).unwrap();
        pile.add(&state(0), None, &mut account).unwrap();
        pile.settle(u32::MAX, |_| ());
        for n in 1..100_000u64 {
            work.clear();
            pile.take(1, &mut work);
            for child in [n << 32 | n, n] {
                pile.check(48, &mut account).unwrap();
                pile.add(&state(child), Some(work[0]), &mut account).unwrap();
            }
            pile.settle(u32::MAX, |_| ());
        }
        assert_eq!(pile.waiting(), 100_000);
        assert!(pile.bytes() < 200_000 * 12, "{} bytes", pile.bytes());
        work.clear();
        pile.take(1, &mut work);
        let path = pile.path(work[0]);
        assert_eq!(path.len(), 100_000);
        assert!((0..100_000).all(|n| path.state(n) == state(n as u64)));
    }
}
