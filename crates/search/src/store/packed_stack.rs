//! The stack of a depth-first search with a lossy store: states that wait, and below them those they were found from.
//!
//! An expanded state lies below all that was found from it: so when it comes to the top nobody needs it any more, and every
//! state here has a way to the initial one. Most of a large stack lies still while
//! the search is busy at its top. So only the uppermost states are kept ready; what lies below is
//! [packed](super::packed_block), and takes some eight bytes for each state.

use kripke_model::{Batch, State};

use super::lossy::{OpenSet, OpenSetHandle};
use super::memory_quota::Allowance;
use super::packed_block::{Entry, NO_ORIGIN, PackedBlock, UnpackedStates};
use super::{Full, StateId};

/// States that are packed together.
const BLOCK: usize = if cfg!(test) { 1 << 5 } else { 1 << 10 };
/// More are not kept ready.
const READY: usize = 3 * BLOCK;
/// So many entries are looked at to find states that wait. In a stack of long ways without branches there are few.
const REACH: usize = 64;

/// Each worker has a stack of its own.
#[derive(Debug)]
pub struct PackedStacks;

impl OpenSet for PackedStacks {
    type Handle<'a> = PackedStack;

    const LINKED: bool = false;

    fn new(_: usize) -> PackedStacks {
        PackedStacks
    }

    fn handle(&self) -> PackedStack {
        PackedStack::default()
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// One worker's stack. Entries have indices, from its bottom.
#[derive(Default, Debug)]
pub struct PackedStack {
    /// What lies below, from the bottom.
    packed: Vec<PackedBlock>,
    /// So many of these at the bottom were given to another worker: their states wait no more here.
    given: usize,
    packed_bytes: u64,
    /// The uppermost entries.
    top: UnpackedStates,
    /// The index of the first of these.
    base: u64,
    /// How many states wait.
    waiting: u64,
    /// Which entries of the top are being expanded, from above. Their ids are places in this list.
    taken: Vec<usize>,
    /// What was found meanwhile; origins are places in that list.
    fresh: UnpackedStates,
    scratch: Scratch,
}

/// Used again and again.
#[derive(Default, Debug)]
struct Scratch {
    /// Which of the uppermost entries are needed, and their indices then.
    needed: Vec<bool>,
    moved: Vec<u64>,
    order: Vec<usize>,
}

impl OpenSetHandle for PackedStack {
    fn check(&mut self, _: usize, allowance: &mut Allowance<'_>) -> Result<(), Full> {
        allowance.check(0)
    }

    /// It has an id only when it is taken.
    #[inline]
    fn add(&mut self, state: &State, origin: Option<StateId>, allowance: &mut Allowance<'_>) -> Result<StateId, Full> {
        allowance.spend(state.len() as u64, 0);
        let (origin, depth) = origin.map_or((NO_ORIGIN, 0), |id| (id.0, self.depth(id) + 1));
        self.fresh.push(state, Entry { origin, depth, is_open: true });
        Ok(StateId::NONE)
    }

    #[inline]
    fn get(&self, id: StateId) -> &State {
        self.top.state(self.taken[id.0 as usize])
    }
}

impl PackedStack {
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
            while self.top.last().is_some_and(|entry| !entry.is_open) {
                self.top.truncate(self.top.len() - 1);
            }
            if !self.top.is_empty() || !self.unpack() {
                break;
            }
        }
        let waiting = self.top.entries().enumerate().rev().take(REACH).filter(|(_, entry)| entry.is_open);
        self.taken.extend(waiting.map(|(at, _)| at).take(count));
        into.extend((0..self.taken.len()).map(|n| StateId(n as u64)));
    }

    /// Puts a state on top that was found from the one at this index, or from nowhere. Its index.
    pub fn push(&mut self, state: &State, origin: Option<u64>, depth: u32, is_open: bool) -> u64 {
        let index = self.base + self.top.len() as u64;
        self.top.push(state, Entry { origin: origin.unwrap_or(NO_ORIGIN), depth, is_open });
        self.waiting += u64::from(is_open);
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
    pub fn push_found(&mut self, max_depth: u32, arrange: impl FnOnce(&mut [usize])) {
        self.drop_unneeded(max_depth);
        let PackedStack { top, taken, fresh, scratch: Scratch { moved, order, .. }, waiting, .. } = self;
        let from = taken.last().copied().unwrap_or(top.len());
        order.clear();
        order.extend((0..fresh.len()).filter(|&n| fresh.entry(n).depth <= max_depth));
        arrange(order);
        for &n in &*order {
            let entry = fresh.entry(n);
            let origin = if entry.origin == NO_ORIGIN { NO_ORIGIN } else { moved[taken[entry.origin as usize] - from] };
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
    fn drop_unneeded(&mut self, max_depth: u32) {
        let PackedStack { top, base, taken, fresh, scratch: Scratch { needed, moved, .. }, .. } = self;
        let Some(&from) = taken.last() else { return };
        let first = *base + from as u64;
        needed.clear();
        needed.resize(top.len() - from, false);
        for child in fresh.entries().filter(|child| child.depth <= max_depth) {
            needed[taken[child.origin as usize] - from] = true;
        }
        for (at, entry) in top.entries().enumerate().skip(from).rev() {
            if needed[at - from] && entry.origin != NO_ORIGIN && entry.origin >= first {
                needed[(entry.origin - first) as usize] = true;
            }
        }
        moved.clear();
        let mut to = from;
        for at in from..top.len() {
            moved.push(*base + to as u64);
            if needed[at - from] {
                let entry = top.entry(at);
                let is_near = entry.origin != NO_ORIGIN && entry.origin >= first;
                let origin = if is_near { moved[(entry.origin - first) as usize] } else { entry.origin };
                top.lower(at, to, Entry { origin, is_open: false, ..entry });
                to += 1;
            }
        }
        top.truncate(to);
    }

    /// The states from the initial one to one that was taken.
    pub fn path(&self, id: StateId) -> Batch {
        let (mut back, mut open) = (UnpackedStates::default(), UnpackedStates::default());
        let mut first = u64::MAX;
        let mut index = self.base + self.taken[id.0 as usize] as u64;
        while index != NO_ORIGIN {
            let (layer, at) = if index >= self.base {
                (&self.top, (index - self.base) as usize)
            } else {
                if index < first {
                    let block = &self.packed[self.packed.partition_point(|block| block.first <= index) - 1];
                    first = block.first;
                    open.truncate(0);
                    block.unpack(&mut open);
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

    /// A stack for another worker: with half of what is_open here, from the end that is nearest to the initial state.
    pub fn split(&mut self) -> Option<PackedStack> {
        let left = self.packed.len() - self.given;
        let (upto, cut) = if left > 0 {
            (self.given + left.div_ceil(2), 0)
        } else {
            let waiting = || self.top.entries().enumerate().filter(|(_, entry)| entry.is_open);
            let half = waiting().count() / 2;
            (self.packed.len(), waiting().take(half).last().map_or(0, |(at, _)| at + 1))
        };
        let waiting = self.packed[self.given..upto].iter().map(|block| u64::from(block.waiting)).sum::<u64>()
            + self.top.entries().take(cut).filter(|entry| entry.is_open).count() as u64;
        if waiting == 0 && left == 0 {
            return None;
        }
        let packed = self.packed[..upto].to_vec();
        let packed_bytes = packed.iter().map(PackedBlock::memory).sum();
        let base = packed.last().map_or(0, |block| block.first + u64::from(block.entries));
        let mut top = UnpackedStates::default();
        (0..cut).for_each(|at| top.push(self.top.state(at), self.top.entry(at)));
        self.top.close_first(cut);
        let given = std::mem::replace(&mut self.given, upto);
        self.waiting -= waiting;
        Some(PackedStack { packed, given, packed_bytes, top, base, waiting, ..PackedStack::default() })
    }

    fn pack(&mut self) {
        let block = PackedBlock::pack(&self.top, BLOCK, self.base);
        self.top.drop_first(BLOCK);
        self.base += BLOCK as u64;
        self.packed_bytes += block.memory();
        self.packed.push(block);
    }

    /// Makes the uppermost packed states ready, if there are any.
    fn unpack(&mut self) -> bool {
        let Some(block) = self.packed.pop() else { return false };
        self.packed_bytes -= block.memory();
        self.base = block.first;
        block.unpack(&mut self.top);
        if self.packed.len() < self.given {
            self.given = self.packed.len();
            self.top.close_first(self.top.len());
        }
        true
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::Capacity;
    use super::super::memory_quota::MemoryQuota;
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
    fn search(most: u64, max_depth: u32, stacks: usize) -> Vec<u64> {
        let quota = MemoryQuota::new(Capacity::UNLIMITED, 1, 0);
        let mut allowance = quota.allowance();
        let mut stacks: Vec<PackedStack> = (0..stacks).map(|_| PackedStack::default()).collect();
        let add = |stack: &mut PackedStack, allowance: &mut Allowance<'_>, n, origin| {
            stack.check(8, allowance).unwrap();
            stack.add(&state(n), origin, allowance).unwrap();
        };
        // Several roots, one after the other, so that the tree is large whatever its branches are.
        (0..41).for_each(|root| add(&mut stacks[0], &mut allowance, root, None));
        stacks[0].push_found(max_depth, <[_]>::reverse);
        let (mut visited, mut work) = (Vec::new(), Vec::new());
        while stacks.iter().any(|stack| stack.waiting() > 0) {
            for at in 0..stacks.len() {
                if stacks[at].waiting() == 0
                    && let Some(part) = (0..stacks.len()).find_map(|from| stacks[from].split())
                {
                    stacks[at] = part;
                }
                work.clear();
                stacks[at].take(16, &mut work);
                for &id in &work {
                    let n = number(stacks[at].get(id));
                    let path = stacks[at].path(id);
                    assert_eq!(path.len(), stacks[at].depth(id) as usize + 1);
                    assert_eq!(path.state(path.len() - 1), state(n));
                    for pair in 1..path.len() {
                        let from = number(path.state(pair - 1));
                        assert!(children(from, most).any(|child| child == number(path.state(pair))), "{from} to {n}");
                    }
                    visited.push(n);
                    children(n, most).for_each(|child| add(&mut stacks[at], &mut allowance, child, Some(id)));
                }
                stacks[at].push_found(max_depth, <[_]>::reverse);
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
        for (most, max_depth, stacks) in [(1 << 28, u32::MAX, 1), (1 << 28, u32::MAX, 3), (1 << 30, 4, 2), (40, 0, 1)] {
            let (got, wanted) = (search(most, max_depth, stacks), all(most, max_depth));
            assert!(got == wanted, "{most} {max_depth} {stacks}: {} of {}", got.len(), wanted.len());
        }
    }

    #[test]
    fn a_long_way_takes_little() {
        let quota = MemoryQuota::new(Capacity::UNLIMITED, 1, 0);
        let (mut stack, mut allowance, mut work) = (PackedStack::default(), quota.allowance(), Vec::new());
        let state = |n: u64| [&[3; 40][..], &n.to_le_bytes()].concat();
        stack.check(48, &mut allowance).unwrap();
        stack.add(&state(0), None, &mut allowance).unwrap();
        stack.push_found(u32::MAX, |_| ());
        for n in 1..100_000u64 {
            work.clear();
            stack.take(1, &mut work);
            for child in [n << 32 | n, n] {
                stack.check(48, &mut allowance).unwrap();
                stack.add(&state(child), Some(work[0]), &mut allowance).unwrap();
            }
            stack.push_found(u32::MAX, |_| ());
        }
        assert_eq!(stack.waiting(), 100_000);
        assert!(stack.bytes() < 200_000 * 12, "{} bytes", stack.bytes());
        work.clear();
        stack.take(1, &mut work);
        let path = stack.path(work[0]);
        assert_eq!(path.len(), 100_000);
        assert!((0..100_000).all(|n| path.state(n) == state(n as u64)));
    }
}
