//! The tree store: recursive state compression (Laarman, van de Pol, Weber, *Parallel recursive state space
//! compression for free*, 2011). States are trees of pairs; all nodes but the roots are shared.

use std::ops::Range;
use std::sync::{OnceLock, PoisonError};

use kripke_model::{Batch, State};

use super::memory_quota::{Allowance, MemoryQuota};
use super::pool::{NUMBER_BITS, Pool, PoolWriter};
use super::queue::Pieces;
use super::resize_barrier::{ResizeBarrier, SharedAccess};
use super::table::Refusal;
use super::table_segments::UnreportedCounts;
use super::tree_shape::{Node, Roots, Shape, WINDOW, bytes_of};
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};
use crate::sync::{Mutex, Ordering};

/// Maximum number of shapes. A shape index and two numbers fit into an id and leave one bit.
const SHAPES: usize = 1 << (63 - 2 * NUMBER_BITS);
/// Number of shapes for states of a single length. The other shapes are for ranges of lengths.
const FINE: usize = SHAPES / 2;

/// Keeps a state in four to eight bytes, plus the nodes that it does not share. It is exact and grows on demand.
#[derive(Debug)]
pub struct TreeStore<const NOTES: bool = false> {
    barrier: ResizeBarrier,
    shapes: Box<[OnceLock<Shape>]>,
    /// The number of shapes in use.
    known: Mutex<usize>,
    quota: MemoryQuota,
    workers: usize,
    /// The number of bits of every state, if states are in words.
    words: Option<u32>,
}

impl TreeStore {
    /// A store for this number of workers.
    pub fn new(capacity: Capacity, workers: usize) -> TreeStore {
        TreeStore::with_notes(capacity, workers)
    }
}

impl<const NOTES: bool> TreeStore<NOTES> {
    /// A store for this number of workers, with or without notes.
    pub fn with_notes(capacity: Capacity, workers: usize) -> TreeStore<NOTES> {
        TreeStore {
            barrier: ResizeBarrier::new(),
            shapes: (0..SHAPES).map(|_| OnceLock::new()).collect(),
            known: Mutex::new(0),
            quota: MemoryQuota::new(capacity, workers, 0),
            workers,
            words: None,
        }
    }

    /// A store of states in words of so many bits, if they are in words.
    #[must_use]
    pub fn with_words(self, bits: Option<u32>) -> TreeStore<NOTES> {
        TreeStore { words: bits, ..self }
    }

    /// Adds bytes to the quota.
    pub(crate) fn allow(&self, bytes: u64) {
        self.quota.release(bytes);
    }

    /// Calls `each` with all states until it fails. All handles must have left.
    pub(crate) fn each<E>(&self, mut each: impl FnMut(&State) -> Result<(), E>) -> Result<(), E> {
        let (access, mut numbers, mut state) = (self.barrier.enter(), Vec::new(), Vec::new());
        for shape in self.shapes() {
            for (class, set) in shape.classes() {
                set.each(&access, |key| {
                    state.clear();
                    shape.assemble(Roots::restore(class, key), &mut numbers, &mut state);
                    each(&state)
                })?;
            }
        }
        Ok(())
    }

    fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter().map_while(OnceLock::get)
    }

    /// The shape for this length only, or else the first one for a range with it. Other workers may add shapes meanwhile: those for
    /// one length come first, so one pass never misses the former and then finds the latter.
    fn find_shape(&self, length: usize) -> Option<usize> {
        self.shapes().position(|shape| shape.is_for(length) || shape.covers(length))
    }

    /// The shape for states of this length. It refuses more shapes than ids can name, in release builds too.
    fn shape(&self, length: usize) -> Result<usize, Full> {
        if let Some(shape) = self.find_shape(length) {
            return Ok(shape);
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = self.find_shape(length) {
            return Ok(shape);
        }
        if *known == SHAPES {
            return Err(Full::States);
        }
        let shape = match self.words {
            Some(bits) if length == bytes_of(bits) => Shape::of_words(bits, self.workers),
            _ if *known < FINE => Shape::new(length, self.workers),
            _ => Shape::coarse(length, self.workers),
        };
        let shape = shape.with_notes(NOTES);
        if !self.quota.reserve(shape.bytes()) {
            return Err(Full::Memory);
        }
        assert!(self.shapes[*known].set(shape).is_ok(), "shapes are added one by one");
        *known += 1;
        Ok(*known - 1)
    }
}

impl<const NOTES: bool> Store for TreeStore<NOTES> {
    type Handle<'a> = TreeHandle<'a, NOTES>;
    type Queue = Pieces;

    const NOTES: bool = NOTES;

    fn handle(&self) -> TreeHandle<'_, NOTES> {
        TreeHandle {
            store: self,
            access: None,
            allowance: self.quota.allowance(),
            writers: Vec::new(),
            window: Window::default(),
            open: Vec::new(),
            opened: 0,
            numbers: Vec::new(),
        }
    }

    fn len(&self) -> u64 {
        self.quota.states()
    }

    fn longest(&self) -> u64 {
        self.quota.longest()
    }

    fn bytes(&self) -> u64 {
        self.quota.bytes() + self.shapes().map(Shape::bytes).sum::<u64>()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
    }
}

/// The access of one worker to a tree store.
#[derive(Debug)]
pub struct TreeHandle<'a, const NOTES: bool = false> {
    store: &'a TreeStore<NOTES>,
    access: Option<SharedAccess<'a>>,
    allowance: Allowance<'a>,
    /// The data of this worker for each shape it has used.
    writers: Vec<Option<ShapeWriter>>,
    window: Window,
    /// The open states, whose successors are interned next. Successors share most of their nodes.
    open: Vec<Open>,
    /// The number of open states.
    opened: usize,
    /// A buffer for assembling states.
    numbers: Vec<u32>,
}

/// A state and the numbers of its nodes.
#[derive(Default, Debug)]
struct Open {
    shape: usize,
    /// The state, if its words are compared with those of successors.
    state: Vec<u8>,
    numbers: Vec<u32>,
}

/// The data of one worker for a shape.
#[derive(Debug)]
struct ShapeWriter {
    pools: Vec<PoolWriter>,
    /// Unreported counts for each class of roots.
    unreported: Vec<Option<UnreportedCounts>>,
}

/// The numbers of the nodes of the states in a window, node by node.
#[derive(Default, Debug)]
struct Window {
    numbers: Vec<[u32; WINDOW]>,
    /// A bit for each state in which the node differs from that of the parent.
    changed: Vec<u64>,
    contents: Vec<u64>,
    /// The open state that is the parent of each state.
    origins: Vec<Option<usize>>,
}

impl<'a, const NOTES: bool> TreeHandle<'a, NOTES> {
    /// Interns a window of states of equal length.
    fn intern_window(
        &mut self,
        access: &mut SharedAccess<'a>,
        batch: &Batch,
        window: Range<usize>,
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        if access.resize_is_requested() {
            self.grow(access)?;
        }
        let length = batch.state(window.start).len();
        let index = self.store.shape(length)?;
        let shape = self.store.shapes[index].get().expect("the shape exists");
        if self.writers.len() <= index {
            self.writers.resize_with(index + 1, || None);
        }
        for origin in &mut self.window.origins {
            *origin = origin.filter(|&origin| self.open[origin].shape == index);
        }
        let mut writer = self.writers[index].take().unwrap_or_else(|| ShapeWriter::new(shape));
        let mut scratch = std::mem::take(&mut self.window);
        let count = window.len();
        let mut states: [&State; WINDOW] = [&[]; WINDOW];
        states.iter_mut().zip(window).for_each(|(state, at)| *state = batch.state(at));
        let interned = self
            .number_nodes(access, shape, &mut writer, &mut scratch, &states[..count])
            .and_then(|()| self.intern_roots(access, (index, length), &mut writer, &scratch, count, each));
        self.window = scratch;
        self.writers[index] = Some(writer);
        interned
    }

    /// Numbers the nodes of all states in the window, node by node. All memory is prefetched before it is used.
    fn number_nodes(
        &mut self,
        access: &mut SharedAccess<'a>,
        shape: &Shape,
        writer: &mut ShapeWriter,
        window: &mut Window,
        states: &[&State],
    ) -> Result<(), Full> {
        let Window { numbers, changed, contents, origins } = window;
        numbers.resize(shape.nodes.len(), [0; WINDOW]);
        changed.resize(shape.nodes.len(), 0);
        contents.resize(WINDOW, 0);
        let orphans = origins.iter().enumerate().fold(0, |bits, (i, origin)| bits | u64::from(origin.is_none()) << i);
        for (at, node) in shape.nodes.iter().enumerate() {
            let mut bits = orphans;
            match *node {
                Node::Part(part) => {
                    for (i, (origin, state)) in origins.iter().zip(states).enumerate() {
                        let number = part.of(state);
                        numbers[at][i] = number;
                        if let Some(origin) = origin {
                            bits |= u64::from(self.open[*origin].numbers[at] != number) << i;
                        }
                    }
                    changed[at] = bits;
                    continue;
                }
                Node::Word(index) => {
                    for (i, (origin, state)) in origins.iter().zip(states).enumerate() {
                        contents[i] = shape.word(state, index);
                        if let Some(origin) = origin {
                            bits |= u64::from(shape.word(&self.open[*origin].state, index) != contents[i]) << i;
                        }
                    }
                }
                Node::Pair(left, right) => {
                    bits |= changed[left] | changed[right];
                    for i in ones(bits) {
                        contents[i] = u64::from(numbers[left][i]) << 32 | u64::from(numbers[right][i]);
                    }
                }
            }
            for (number, origin) in numbers[at].iter_mut().zip(&*origins) {
                if let Some(origin) = origin {
                    *number = self.open[*origin].numbers[at];
                }
            }
            changed[at] = bits;
            let own = shape.pool_of(at);
            let pool = &shape.pools[own];
            if pool.is_large() {
                prefetch(pool, access, contents, bits);
            }
            for i in ones(bits) {
                numbers[at][i] = loop {
                    match pool.number(contents[i], access, &mut writer.pools[own], &mut self.allowance) {
                        Ok(number) => break number,
                        Err(Refusal::Full(full)) => return Err(full),
                        Err(Refusal::SegmentFull) => {
                            access.request_resize();
                            self.grow(access)?;
                        }
                    }
                };
            }
        }
        Ok(())
    }

    fn intern_roots(
        &mut self,
        access: &mut SharedAccess<'a>,
        (index, length): (usize, usize),
        writer: &mut ShapeWriter,
        window: &Window,
        count: usize,
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        let shape = self.store.shapes[index].get().expect("the shape exists");
        let mut keys = [(Roots(0, 0), 0, 0); WINDOW];
        for (i, entry) in keys[..count].iter_mut().enumerate() {
            let roots = shape.roots(|node| window.numbers[node][i]);
            let (class, key) = roots.classify();
            *entry = (roots, class, key);
            let (set, made) = shape.set(class, self.store.workers);
            if made && !self.store.quota.reserve(set.bytes()) {
                return Err(Full::Memory);
            }
            set.prefetch(key, access);
        }
        for &(roots, class, key) in &keys[..count] {
            let (set, _) = shape.set(class, self.store.workers);
            let unreported = writer.unreported[class].get_or_insert_with(|| set.unreported());
            let added = loop {
                match set.add(key, access, unreported, || self.allowance.check(0)) {
                    Ok(added) => break added,
                    Err(Refusal::Full(full)) => return Err(full),
                    Err(Refusal::SegmentFull) => {
                        access.request_resize();
                        self.grow(access)?;
                    }
                }
            };
            if added.is_new() {
                self.allowance.spend(length as u64, 0);
            }
            each(added.seen(pack(index, roots)));
        }
        Ok(())
    }

    #[cold]
    fn grow(&self, access: &mut SharedAccess<'a>) -> Result<(), Full> {
        let quota = &self.store.quota;
        let reserve = |bytes| quota.reserve(bytes);
        let release = |bytes| quota.release(bytes);
        let shapes = || self.store.shapes();
        let planned = access.resize(
            |exclusive| {
                shapes().flat_map(|shape| &shape.pools).all(|pool| pool.plan(exclusive, reserve))
                    && shapes().flat_map(Shape::sets).all(|set| set.plan(exclusive, reserve))
            },
            |exclusive| {
                shapes().flat_map(|shape| &shape.pools).for_each(|pool| pool.grow(exclusive, release));
                shapes().flat_map(Shape::sets).for_each(|set| set.grow(exclusive, release));
            },
        );
        if planned { Ok(()) } else { Err(Full::Memory) }
    }

    fn intern_all(
        &mut self,
        access: &mut SharedAccess<'a>,
        batch: &Batch,
        ends: &[usize],
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        let mut start = 0;
        let mut origin = 0;
        while start < batch.len() {
            let length = batch.state(start).len();
            let most = batch.len().min(start + WINDOW);
            let end = (start + 1..most).find(|&i| batch.state(i).len() != length).unwrap_or(most);
            self.window.origins.clear();
            for i in start..end {
                while ends.get(origin).is_some_and(|&end| end <= i) {
                    origin += 1;
                }
                self.window.origins.push((origin < ends.len()).then_some(origin));
            }
            self.intern_window(access, batch, start..end, each)?;
            start = end;
        }
        Ok(())
    }

    /// Opens a state and appends it to `room`.
    fn open_one(&mut self, id: StateId, room: &mut Vec<u8>) {
        if self.opened == self.open.len() {
            self.open.push(Open::default());
        }
        let open = &mut self.open[self.opened];
        self.opened += 1;
        let (shape, roots) = unpack(id);
        open.shape = shape;
        let shape = self.store.shapes[shape].get().expect("the id belongs to this store");
        let start = room.len();
        shape.assemble(roots, &mut open.numbers, room);
        if shape.has_words() {
            open.state.clear();
            open.state.extend_from_slice(&room[start..]);
        }
    }

    fn access(&self) -> &SharedAccess<'a> {
        self.access.as_ref().expect("a handle enters before it is used")
    }

    /// The set that contains the root of a state, and its key there.
    fn root(&self, id: StateId) -> (&'a super::quotient::QuotientSet, u64) {
        let (shape, roots) = unpack(id);
        let (class, key) = roots.classify();
        let shape = self.store.shapes[shape].get().expect("the id belongs to this store");
        (shape.set(class, self.store.workers).0, key)
    }
}

/// Prefetches all memory for numbering these contents.
fn prefetch(pool: &Pool, access: &SharedAccess<'_>, contents: &[u64], which: u64) {
    for i in ones(which) {
        pool.prefetch(access, contents[i]);
    }
    for i in ones(which) {
        pool.prefetch_pair(access, contents[i]);
    }
}

/// The positions of the bits that are set.
#[inline]
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let at = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            at
        })
    })
}

impl ShapeWriter {
    fn new(shape: &Shape) -> ShapeWriter {
        let classes = NUMBER_BITS as usize + 1;
        ShapeWriter {
            pools: shape.pools.iter().map(|pool| pool.writer(shape.recent)).collect(),
            unreported: (0..classes).map(|_| None).collect(),
        }
    }
}

impl<const NOTES: bool> Handle for TreeHandle<'_, NOTES> {
    fn enter(&mut self) {
        if self.access.is_none() {
            self.access = Some(self.store.barrier.enter());
        }
    }

    fn leave(&mut self) {
        self.access = None;
    }

    fn open<'s>(&'s mut self, id: StateId, room: &'s mut Vec<u8>) -> &'s State {
        room.clear();
        self.open_one(id, room);
        room
    }

    fn open_all<'s>(&'s mut self, ids: &[StateId], room: &'s mut Vec<u8>) -> Vec<&'s State> {
        room.clear();
        let mut ends = Vec::with_capacity(ids.len());
        for &id in ids {
            self.open_one(id, room);
            ends.push(room.len());
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(&ends).map(|(start, &end)| &room[start..end]).collect()
    }
    fn intern(&mut self, batch: &Batch, ends: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        assert!(ends.len() <= self.opened, "each open state has an end");
        let mut access = self.access.take().expect("a handle enters before it interns");
        let interned = self.intern_all(&mut access, batch, ends, &mut each);
        self.opened = 0;
        self.access = Some(access);
        self.allowance.publish();
        interned
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        let (shape, roots) = unpack(id);
        let shape = self.store.shapes[shape].get().expect("the id belongs to this store");
        into.clear();
        shape.assemble(roots, &mut self.numbers, into);
    }

    fn is_visited(&self, id: StateId) -> bool {
        let (set, key) = self.root(id);
        set.is_visited(key, self.access())
    }

    fn visit(&mut self, id: StateId) -> bool {
        let (set, key) = self.root(id);
        set.visit(key, self.access())
    }

    fn was_visited(&self, seen: Seen) -> bool {
        seen.visited
    }

    fn note(&self, id: StateId) -> u32 {
        let (set, key) = self.root(id);
        set.note(key, self.access()).load(Ordering::Acquire)
    }

    fn set_note(&mut self, id: StateId, note: u32) {
        let (set, key) = self.root(id);
        set.note(key, self.access()).store(note, Ordering::Release);
    }

    fn add_to_note(&self, id: StateId, bits: u32) -> u32 {
        let (set, key) = self.root(id);
        set.note(key, self.access()).fetch_or(bits, Ordering::AcqRel)
    }

    fn set_first_note(&self, id: StateId, note: u32) -> u32 {
        let (set, key) = self.root(id);
        let before = set.note(key, self.access()).compare_exchange(0, note, Ordering::AcqRel, Ordering::Acquire);
        before.unwrap_or_else(|other| other)
    }
}

fn pack(shape: usize, Roots(first, second): Roots) -> StateId {
    StateId::new((shape as u64) << (2 * NUMBER_BITS) | u64::from(first) << NUMBER_BITS | u64::from(second))
}

fn unpack(id: StateId) -> (usize, Roots) {
    let id = id.get();
    let number = |id: u64| (id & ((1 << NUMBER_BITS) - 1)) as u32;
    ((id >> (2 * NUMBER_BITS)) as usize, Roots(number(id >> NUMBER_BITS), number(id)))
}
