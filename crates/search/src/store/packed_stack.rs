//! The open set of a lossy depth-first search: a stack of open states and, below them, the states on the paths to
//! them.
//!
//! An expanded state is below all its descendants. When it reaches the top of the stack it is therefore no longer
//! needed, and every state on the stack has a complete path from the initial state. Most of a large stack is
//! unchanged for a long time, so only its uppermost states are kept unpacked. The states below are in [packed
//! blocks](super::packed_block), at about eight bytes per state.

use kripke_model::{Batch, State};

use super::lossy::{OpenSet, OpenSetHandle};
use super::memory_quota::Allowance;
use super::packed_block::{Entry, NO_ORIGIN, PackedBlock, UnpackedStates};
use super::{Full, StateId};

/// States per packed block.
const BLOCK: usize = if cfg!(test) { 1 << 5 } else { 1 << 10 };
/// Maximum number of unpacked states.
const READY: usize = 3 * BLOCK;
/// Number of top entries that are searched for open states. A stack of long paths without branching contains few. Each has a bit of a
/// number.
const REACH: usize = u64::BITS as usize;

/// The open set of a search in which each worker has its own stack.
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

/// The stack of one worker. Entries have indices, counted from the bottom.
#[derive(Default, Debug)]
pub struct PackedStack {
    /// The packed blocks, from the bottom.
    packed: Vec<PackedBlock>,
    /// The number of blocks at the bottom that were given to another worker. Their states are no longer open in this
    /// stack.
    given: usize,
    packed_bytes: u64,
    /// The uppermost entries.
    top: UnpackedStates,
    /// The index of the first of these.
    base: u64,
    /// The number of open states.
    waiting: u64,
    /// The entries of `top` that are being expanded, from above. Their ids are positions in this list.
    taken: Vec<usize>,
    /// New successors of the entries in `taken`. The distance of a successor is one more than the position of its parent in that
    /// list.
    fresh: UnpackedStates,
    /// The order of these: a buffer.
    order: Vec<usize>,
}

/// The entries from the lowest taken one on that stay on the stack. There are at most as many as the bits of a number.
#[derive(Clone, Copy, Debug)]
struct Needed {
    from: usize,
    bits: u64,
}

impl Needed {
    /// The number of needed entries below one of these entries.
    #[inline]
    fn below(self, at: usize) -> usize {
        (self.bits & ((1 << at) - 1)).count_ones() as usize
    }
}

impl OpenSetHandle for PackedStack {
    fn check(&mut self, _: usize, allowance: &mut Allowance<'_>) -> Result<(), Full> {
        allowance.check(0)
    }

    /// A state gets its id only when it is taken.
    #[inline]
    fn add(&mut self, state: &State, origin: Option<StateId>, allowance: &mut Allowance<'_>) -> Result<StateId, Full> {
        allowance.spend(state.len() as u64, 0);
        let distance = origin.map_or(NO_ORIGIN, |id| 1 + id.get() as u32);
        self.fresh.push(state, Entry { distance, depth: 0, is_open: true });
        Ok(StateId::NONE)
    }

    #[inline]
    fn get(&self, id: StateId) -> &State {
        self.top.state(self.taken[id.0 as usize])
    }
}

impl PackedStack {
    /// The number of open states.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Memory of the stack, in bytes.
    pub fn bytes(&self) -> u64 {
        self.packed_bytes + self.top.memory() + self.fresh.memory()
    }

    /// Takes up to `count` open states from the top for expansion.
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
        into.extend((0..self.taken.len()).map(|n| StateId::new(n as u64)));
    }

    /// Pushes a state whose parent has the index `origin`, and returns the index of the state.
    pub fn push(&mut self, state: &State, origin: Option<u64>, depth: u32, is_open: bool) -> u64 {
        let index = self.base + self.top.len() as u64;
        let distance = origin.map_or(NO_ORIGIN, |origin| distance(index - origin));
        self.top.push(state, Entry { distance, depth, is_open });
        self.waiting += u64::from(is_open);
        if self.top.len() > READY {
            self.pack();
        }
        index
    }

    /// The depth of a state that was taken.
    pub fn depth(&self, id: StateId) -> u32 {
        self.top.entry(self.taken[id.0 as usize]).depth
    }

    /// Marks the taken states as expanded and pushes their successors up to `max_depth`. `arrange` permutes them; the
    /// last one becomes the top.
    pub fn push_found(&mut self, max_depth: u32, arrange: impl FnOnce(&mut [usize])) {
        self.leave_out_deeper(max_depth);
        arrange(&mut self.order);
        // The depths of the taken entries, before those move.
        let mut depths = [0; REACH];
        for (depth, &at) in depths.iter_mut().zip(&self.taken) {
            *depth = self.top.entry(at).depth;
        }
        let needed = self.drop_unneeded();
        let PackedStack { top, taken, fresh, order, waiting, .. } = self;
        for &n in &*order {
            let entry = match fresh.entry(n).distance {
                NO_ORIGIN => Entry { distance: NO_ORIGIN, depth: 0, is_open: true },
                position => {
                    let parent = position as usize - 1;
                    let origin = needed.from + needed.below(taken[parent] - needed.from);
                    Entry { distance: distance((top.len() - origin) as u64), depth: depths[parent] + 1, is_open: true }
                }
            };
            top.push(fresh.state(n), entry);
        }
        *waiting = *waiting + order.len() as u64 - taken.len() as u64;
        fresh.truncate(0);
        taken.clear();
        while self.top.len() > READY {
            self.pack();
        }
    }

    /// Puts the successors up to this depth in order.
    fn leave_out_deeper(&mut self, max_depth: u32) {
        let PackedStack { top, taken, fresh, order, .. } = self;
        order.clear();
        if max_depth == u32::MAX {
            order.extend(0..fresh.len());
            return;
        }
        let is_wanted = |&n: &usize| match fresh.entry(n).distance {
            NO_ORIGIN => true,
            position => top.entry(taken[position as usize - 1]).depth < max_depth,
        };
        order.extend((0..fresh.len()).filter(is_wanted));
    }

    /// Removes expanded top entries, down to the lowest taken one, that have no new successors and are not ancestors
    /// of an entry with new successors. The other entries move together.
    fn drop_unneeded(&mut self) -> Needed {
        let PackedStack { top, taken, fresh, order, .. } = self;
        let Some(&from) = taken.last() else { return Needed { from: top.len(), bits: 0 } };
        assert!(top.len() - from <= REACH, "only the uppermost entries are taken");
        let mut bits = 0u64;
        for &n in &*order {
            bits |= 1 << (taken[fresh.entry(n).distance as usize - 1] - from);
        }
        let mut unseen = bits;
        while unseen != 0 {
            let at = unseen.ilog2();
            let distance = top.entry(from + at as usize).distance;
            let parent = if distance != NO_ORIGIN && distance <= at { 1 << (at - distance) } else { 0 };
            unseen = (unseen & !(1 << at)) | parent;
            bits |= parent;
        }
        let needed = Needed { from, bits };
        let (mut to, mut rest) = (0, bits);
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let entry = top.entry(from + at);
            let parent = at.checked_sub(entry.distance as usize);
            let lowered = parent.map_or(at - to, |parent| at - to - (parent - needed.below(parent)));
            top.lower(
                from + at,
                from + to,
                Entry { distance: entry.distance - lowered as u32, is_open: false, ..entry },
            );
            to += 1;
        }
        top.truncate(from + to);
        needed
    }

    /// The states from the initial state to a taken one.
    pub fn path(&self, id: StateId) -> Batch {
        let (mut back, mut open) = (UnpackedStates::default(), UnpackedStates::default());
        let mut first = u64::MAX;
        let mut index = self.base + self.taken[id.0 as usize] as u64;
        loop {
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
            match layer.entry(at).distance {
                NO_ORIGIN => break,
                distance => index -= u64::from(distance),
            }
        }
        let mut path = Batch::new();
        (0..back.len()).rev().for_each(|at| path.push(back.state(at)));
        path
    }

    /// Splits the stack for work stealing: the new stack gets half of the open states, from the end that is nearest
    /// to the initial state.
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

    /// Unpacks the uppermost packed block, if there is one.
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

fn distance(entries: u64) -> u32 {
    u32::try_from(entries).expect("a parent is not far below its successors")
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::Capacity;
    use super::super::memory_quota::MemoryQuota;
    use super::super::pool::mix;
    use super::*;

    /// A tree of numbers whose branching varies between its regions.
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

    /// Searches the tree with several stacks in turn, which share their work, and returns the visited numbers.
    fn search(most: u64, max_depth: u32, stacks: usize) -> Vec<u64> {
        let quota = MemoryQuota::new(Capacity::UNLIMITED, 1, 0);
        let mut allowance = quota.allowance();
        let mut stacks: Vec<PackedStack> = (0..stacks).map(|_| PackedStack::default()).collect();
        let add = |stack: &mut PackedStack, allowance: &mut Allowance<'_>, n, origin| {
            stack.check(8, allowance).unwrap();
            stack.add(&state(n), origin, allowance).unwrap();
        };
        // Several roots make the tree large whatever its branching is.
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

    /// The reference: a search with a list.
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
    fn each_state_is_visited_once_and_has_a_path() {
        for (most, max_depth, stacks) in [(1 << 28, u32::MAX, 1), (1 << 28, u32::MAX, 3), (1 << 30, 4, 2), (40, 0, 1)] {
            let (got, wanted) = (search(most, max_depth, stacks), all(most, max_depth));
            assert!(got == wanted, "{most} {max_depth} {stacks}: {} of {}", got.len(), wanted.len());
        }
    }

    #[test]
    fn a_long_path_takes_little_memory() {
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
