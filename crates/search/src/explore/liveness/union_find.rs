//! The concurrent union-find forest of UFSCC: sets of states on common cycles, and for each set the workers that have
//! entered it and a cyclic list of the states that no worker has finished (Bloemen, Laarman, van de Pol, *Multi-core
//! on-the-fly SCC decomposition*, 2016, figures 5 to 8).
//!
//! * A root is linked only to a root of greater [rank](rank), and only by the worker that has locked it. Links
//!   therefore form no cycles.
//! * A state in a list is live, busy (its link is being changed) or done. Two lists are joined by exchanging the
//!   links of a busy state of each. Links of done states change only to skip other done states. No two workers
//!   therefore change the same link.
//! * A worker that joins two lists locks the one whose root has the lesser rank first, so there is no deadlock.
//! * Bits that are added to a set go to its root. A worker that adds bits checks again whether the node is still a
//!   root; a worker that links the root collects its bits after linking. All these accesses are sequentially
//!   consistent, so one of the two sees the bits.

use super::pages::Pages;
use crate::sync::{AtomicU8, AtomicU32, AtomicU64, Ordering, yield_now};

/// Maximum number of workers.
pub(in crate::explore) const MOST_WORKERS: usize = 64;

/// Bit among the marks of a set: it has a cycle.
pub(super) const CYCLE: u32 = 1 << 31;

/// Status of a root: live, locked for linking, or complete (dead). Status of a state in a list: live, busy or done.
const LIVE: u8 = 0;
const LOCKED: u8 = 1;
const BUSY: u8 = 1;
const DEAD: u8 = 2;
const DONE: u8 = 2;

/// A node of the forest. Links store node numbers plus one; zero is a link to the node itself, so a node needs no
/// initialisation.
struct Node {
    parent: AtomicU32,
    next: AtomicU32,
    workers: AtomicU64,
    /// Acceptance marks of the set, in its root.
    marks: AtomicU32,
    /// Acceptance marks of the state.
    own: AtomicU32,
    set: AtomicU8,
    item: AtomicU8,
    expanded: AtomicU8,
}

pub(super) struct UnionFind {
    nodes: Pages<Node>,
}

/// The result of claiming a state for a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// The worker has not entered the set before.
    New,
    /// The worker has entered the set before, and the set is not complete.
    Known,
    /// The set is complete.
    Dead,
}

/// Two sets that are about to be united: the roots, of which the one of lesser rank is locked, and a state of each.
struct Locked {
    low: u32,
    high: u32,
    in_low: u32,
    in_high: u32,
}

/// The order of roots. States are numbered in the order in which they are found: by rank, the root of a large set changes a few
/// times only while states are added to it, and adding one locks the state alone.
fn rank(root: u32) -> u32 {
    root.wrapping_mul(0x9e37_79b1)
}

impl Default for Node {
    fn default() -> Node {
        let (number, flag) = (|| AtomicU32::new(0), || AtomicU8::new(0));
        Node {
            parent: number(),
            next: number(),
            workers: AtomicU64::new(0),
            marks: number(),
            own: number(),
            set: flag(),
            item: flag(),
            expanded: flag(),
        }
    }
}

impl UnionFind {
    pub fn new() -> UnionFind {
        UnionFind { nodes: Pages::new() }
    }

    pub fn bytes(&self) -> u64 {
        self.nodes.bytes()
    }

    fn node(&self, number: u32) -> &Node {
        self.nodes.get(number)
    }

    fn parent(&self, a: u32) -> u32 {
        self.node(a).parent.load(Ordering::SeqCst).checked_sub(1).unwrap_or(a)
    }

    fn next(&self, a: u32) -> u32 {
        self.node(a).next.load(Ordering::SeqCst).checked_sub(1).unwrap_or(a)
    }

    fn link(&self, a: u32, next: u32) {
        self.node(a).next.store(next + 1, Ordering::SeqCst);
    }

    fn is_root(&self, a: u32) -> bool {
        self.parent(a) == a
    }

    /// The root of a node. The path is halved on the way.
    fn find(&self, mut a: u32) -> u32 {
        loop {
            let parent = self.parent(a);
            if parent == a {
                return a;
            }
            let above = self.parent(parent);
            if above != parent {
                let cell = &self.node(a).parent;
                let _ = cell.compare_exchange(parent + 1, above + 1, Ordering::SeqCst, Ordering::SeqCst);
            }
            a = parent;
        }
    }

    /// Whether two states are in the same set.
    pub fn same(&self, a: u32, b: u32) -> bool {
        loop {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                return true;
            }
            if self.is_root(a) {
                return false;
            }
        }
    }

    /// Claims the set of a state for a worker. A set that the worker has entered may seem new while another worker unites it.
    pub fn claim(&self, id: u32, worker: usize) -> Claim {
        let bit = 1u64 << worker;
        let (mut root, mut added) = (self.find(id), false);
        loop {
            let node = self.node(root);
            if node.set.load(Ordering::SeqCst) == DEAD {
                return Claim::Dead;
            }
            // Most claims change nothing: all edges inside a large component lead to one root, and writing to it would make
            // workers wait for each other.
            let known = node.workers.load(Ordering::SeqCst) & bit != 0;
            if known || node.workers.fetch_or(bit, Ordering::SeqCst) & bit != 0 {
                // The worker that linked the root may have moved the bit that was just added. Entering a set twice is
                // harmless; assuming an earlier visit is not.
                return if added { Claim::New } else { Claim::Known };
            }
            added = true;
            if self.is_root(root) {
                return Claim::New;
            }
            root = self.find(root);
        }
    }

    /// Whether a worker has entered the set of a state.
    pub fn has(&self, id: u32, worker: usize) -> bool {
        self.node(self.find(id)).workers.load(Ordering::SeqCst) >> worker & 1 == 1
    }

    /// Whether the set of a state is complete.
    pub fn is_dead(&self, id: u32) -> bool {
        self.node(self.find(id)).set.load(Ordering::SeqCst) == DEAD
    }

    /// Whether a worker has expanded the state.
    pub fn is_expanded(&self, id: u32) -> bool {
        self.node(id).expanded.load(Ordering::Relaxed) != 0
    }

    /// Whether the state is expanded for the first time.
    pub fn first(&self, id: u32) -> bool {
        let expanded = &self.node(id).expanded;
        expanded.load(Ordering::SeqCst) == 0 && expanded.swap(1, Ordering::SeqCst) == 0
    }

    /// Adds marks to a state, and returns the marks of its set.
    pub fn mark_state(&self, id: u32, marks: u32) -> u32 {
        self.node(id).own.fetch_or(marks, Ordering::SeqCst);
        self.mark(id, marks)
    }

    /// Adds marks to the set of a state, and returns all its marks.
    pub fn mark(&self, id: u32, marks: u32) -> u32 {
        let mut root = self.find(id);
        loop {
            let node = self.node(root);
            let mut now = node.marks.load(Ordering::SeqCst);
            if now & marks != marks {
                now = node.marks.fetch_or(marks, Ordering::SeqCst) | marks;
            }
            if self.is_root(root) {
                return now;
            }
            root = self.find(root);
        }
    }

    /// A state with one of these marks in the set of a state.
    pub fn marked(&self, id: u32, marks: u32) -> Option<u32> {
        let root = self.find(id);
        let has_mark = |node: &Node| node.own.load(Ordering::SeqCst) & marks != 0;
        let found = self.nodes.iter().find(|(number, node)| has_mark(node) && self.find(*number) == root);
        found.map(|(number, _)| number)
    }

    /// A state of the set that is not done. If there is none, the set becomes complete.
    pub fn pick(&self, id: u32) -> Option<u32> {
        match self.live(id) {
            Ok(live) => Some(live),
            Err(last) => {
                self.complete(last);
                None
            }
        }
    }

    /// A state of the list that is not done, or the last state of the list that is.
    fn live(&self, mut a: u32) -> Result<u32, u32> {
        loop {
            if self.is_live(a) {
                return Ok(a);
            }
            let b = self.next(a);
            if a == b {
                return Err(a);
            }
            if self.is_live(b) {
                return Ok(b);
            }
            let c = self.next(b);
            self.link(a, c);
            a = c;
        }
    }

    /// Whether a state is not done. Waits while it is busy.
    fn is_live(&self, a: u32) -> bool {
        loop {
            match self.node(a).item.load(Ordering::SeqCst) {
                LIVE => return true,
                DONE => return false,
                _ => yield_now(),
            }
        }
    }

    fn complete(&self, a: u32) {
        loop {
            let root = self.find(a);
            let set = &self.node(root).set;
            let changed = set.compare_exchange(LIVE, DEAD, Ordering::SeqCst, Ordering::SeqCst);
            if changed.is_ok() && self.is_root(root) || changed == Err(DEAD) {
                return;
            }
            yield_now();
        }
    }

    /// Marks a state as done, because all its successors were visited.
    pub fn finish(&self, id: u32) {
        let item = &self.node(id).item;
        while item.compare_exchange(LIVE, DONE, Ordering::SeqCst, Ordering::SeqCst) == Err(BUSY) {
            yield_now();
        }
    }

    /// Unites the sets of two states that are on a common cycle.
    pub fn unite(&self, a: u32, b: u32) {
        let Some(Locked { low, high, in_low, in_high }) = self.lock(a, b) else { return };
        // Neither list is empty: they contain the states that the worker is visiting, or the sets are already united. They are
        // joined at these states, where other workers seldom join lists.
        if let Some(first) = self.hold(in_low) {
            if let Some(second) = self.hold(in_high) {
                let (x, y) = (self.next(first), self.next(second));
                self.link(first, y);
                self.link(second, x);
                self.node(low).parent.store(high + 1, Ordering::SeqCst);
                self.merge_bits(low, high);
                self.node(second).item.store(LIVE, Ordering::SeqCst);
            }
            self.node(first).item.store(LIVE, Ordering::SeqCst);
        }
        self.node(low).set.store(LIVE, Ordering::SeqCst);
    }

    /// Locks the root of lesser rank of the sets of two states, unless the sets are united or complete.
    fn lock(&self, a: u32, b: u32) -> Option<Locked> {
        loop {
            let (root_a, root_b) = (self.find(a), self.find(b));
            if root_a == root_b {
                return None;
            }
            let locked = if rank(root_a) < rank(root_b) {
                Locked { low: root_a, high: root_b, in_low: a, in_high: b }
            } else {
                Locked { low: root_b, high: root_a, in_low: b, in_high: a }
            };
            let set = &self.node(locked.low).set;
            match set.compare_exchange(LIVE, LOCKED, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) if self.is_root(locked.low) => return Some(locked),
                Ok(_) => set.store(LIVE, Ordering::SeqCst),
                Err(DEAD) => return None,
                Err(_) => yield_now(),
            }
        }
    }

    /// Makes a live state of the list busy.
    fn hold(&self, a: u32) -> Option<u32> {
        loop {
            let live = self.live(a).ok()?;
            let item = &self.node(live).item;
            if item.compare_exchange(LIVE, BUSY, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return Some(live);
            }
        }
    }

    /// Moves the bits of a linked root to the new root.
    fn merge_bits(&self, low: u32, mut high: u32) {
        let from = self.node(low);
        loop {
            high = self.find(high);
            let to = self.node(high);
            // All edges inside a large component lead to its root, so it is written only if bits are added.
            let workers = from.workers.load(Ordering::SeqCst);
            if to.workers.load(Ordering::SeqCst) & workers != workers {
                to.workers.fetch_or(workers, Ordering::SeqCst);
            }
            let marks = from.marks.load(Ordering::SeqCst);
            if to.marks.load(Ordering::SeqCst) & marks != marks {
                to.marks.fetch_or(marks, Ordering::SeqCst);
            }
            if self.is_root(high) {
                return;
            }
        }
    }
}

/// Tests of thread interleavings: `RUSTFLAGS="--cfg shuttle" cargo test --release -p kripke-search --lib schedules`
#[cfg(all(test, shuttle))]
mod schedules {
    use std::sync::Arc;

    use super::*;

    const SCHEDULES: usize = 10_000;

    /// Runs each part in a worker, on the same forest.
    fn together(parts: Vec<fn(&UnionFind)>) -> Arc<UnionFind> {
        let sets = Arc::new(UnionFind::new());
        let work = |part: fn(&UnionFind)| {
            let sets = Arc::clone(&sets);
            shuttle::thread::spawn(move || part(&sets))
        };
        let workers: Vec<_> = parts.into_iter().map(work).collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        sets
    }

    /// Finishes all states of a set, and returns them.
    fn empty(sets: &UnionFind, from: u32) -> Vec<u32> {
        let mut picked = Vec::new();
        while let Some(id) = sets.pick(from) {
            picked.push(id);
            sets.finish(id);
        }
        picked.sort_unstable();
        picked
    }

    /// Three workers close a cycle in overlapping parts. The result is one set with all bits and all states.
    #[test]
    fn schedules_of_joining() {
        shuttle::check_random(
            || {
                let sets = together(vec![
                    |sets| {
                        assert_eq!(sets.claim(1, 0), Claim::New);
                        sets.unite(0, 1);
                        sets.unite(1, 2);
                        // While another worker links the root, its bits are not yet in the new root.
                        assert_ne!(sets.claim(2, 0), Claim::Dead);
                    },
                    |sets| {
                        sets.mark_state(3, 1);
                        sets.unite(3, 4);
                        sets.unite(2, 3);
                    },
                    |sets| {
                        sets.unite(4, 0);
                        sets.mark(4, 2);
                    },
                ]);
                assert!((1..5).all(|n| sets.same(0, n)), "one ring");
                assert_eq!(sets.mark(0, 0), 3, "all marks");
                assert_eq!(sets.claim(2, 0), Claim::Known, "all workers");
                assert_eq!(sets.marked(0, 1), Some(3));
                assert_eq!(empty(&sets, 2), [0, 1, 2, 3, 4], "the list contains each state once");
                assert_eq!(sets.claim(4, 7), Claim::Dead);
            },
            SCHEDULES,
        );
    }

    /// A worker enters a set for the first time while others unite it with another.
    #[test]
    fn schedules_of_claiming() {
        shuttle::check_random(
            || {
                let sets = together(vec![
                    |sets| assert_eq!(sets.claim(0, 5), Claim::New, "the worker has not entered the set"),
                    |sets| sets.unite(0, 1),
                    |sets| sets.unite(1, 2),
                ]);
                assert!(sets.has(2, 5));
                assert_eq!(sets.claim(1, 5), Claim::Known);
            },
            SCHEDULES,
        );
    }

    /// States are finished while sets are united.
    #[test]
    fn schedules_of_finishing() {
        shuttle::check_random(
            || {
                let sets = together(vec![
                    |sets| {
                        sets.unite(0, 1);
                        sets.finish(0);
                        assert!(sets.pick(0).is_some());
                    },
                    |sets| {
                        sets.unite(2, 3);
                        sets.finish(3);
                        sets.unite(1, 3);
                    },
                    |sets| {
                        sets.unite(4, 1);
                        sets.finish(4);
                        assert!(sets.pick(4).is_some());
                    },
                ]);
                assert!((1..5).all(|n| sets.same(0, n)), "one set");
                assert_eq!(empty(&sets, 3), [1, 2], "unfinished states");
                assert_eq!(sets.claim(0, 0), Claim::Dead);
            },
            SCHEDULES,
        );
    }
}
