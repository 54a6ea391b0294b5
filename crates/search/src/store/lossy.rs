//! Lossy stores: they keep a fingerprint or a few bits per state, so they may take a new state for a visited one.
//!
//! The hash of a state goes into a [`Filter`]. The state itself is kept only while it is open or on a path to an open
//! state: in a [linked open set](super::open_set), in any order, or in a [packed stack](super::packed_stack) per
//! worker.
#![expect(private_bounds, reason = "filters are internal")]

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use kripke_model::{Batch, State};

use super::capture_recapture::Sample;
use super::hash_function::HashFunction;
use super::memory_quota::{Allowance, MemoryQuota};
use super::omission::OmissionEstimate;
use super::open_set::LinkedOpenSet;
use super::pool::mix;
use super::queue::Pieces;
use super::resize_barrier::{ExclusiveAccess, ResizeBarrier, SharedAccess};
use super::table::Refusal;
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};

/// A set of hashes that may report false positives.
pub(crate) trait Filter: Sync + Debug {
    /// Data of the filter that belongs to one worker.
    type Local: Send + Debug;

    /// Creates the data of one worker.
    fn local(&self) -> Self::Local;

    fn bytes(&self) -> u64;

    /// Prefetches the memory that [`Filter::add`] needs.
    fn prefetch(&self, hash: u64, access: &SharedAccess<'_>);

    /// Adds a hash and returns whether it is new. `may` is called before a new hash is added.
    fn add(
        &self,
        hash: u64,
        access: &SharedAccess<'_>,
        local: &mut Self::Local,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal>;

    /// Plans growth within the bytes that `reserve` grants. False if it granted too few.
    fn plan(&self, exclusive: &ExclusiveAccess<'_>, reserve: impl FnMut(u64) -> bool) -> bool;

    /// Grows as planned.
    fn grow(&self, exclusive: &ExclusiveAccess<'_>, release: impl FnMut(u64));

    /// Estimates the omitted states when `states` are stored, of which the first `known` were inserted without
    /// omissions.
    fn omissions(&self, known: u64, states: u64) -> OmissionEstimate;
}

/// The open states of a search, in full.
pub(crate) trait OpenSet: Sync + Debug {
    /// The access of one worker.
    type Handle<'a>: OpenSetHandle
    where
        Self: 'a;

    /// Whether ids stay valid until release and parents are known.
    const LINKED: bool;

    fn new(workers: usize) -> Self;

    /// Creates the handle of one worker. It is called once per worker.
    fn handle(&self) -> Self::Handle<'_>;

    /// Memory besides what the allowances have spent on states.
    fn bytes(&self) -> u64;
}

/// The access of one worker to the open states.
pub(crate) trait OpenSetHandle: Send + Debug {
    /// Checks that the allowance permits a state of this length.
    fn check(&mut self, length: usize, allowance: &mut Allowance<'_>) -> Result<(), Full>;

    /// Adds a state that was checked before.
    fn add(&mut self, state: &State, origin: Option<StateId>, allowance: &mut Allowance<'_>) -> Result<StateId, Full>;

    fn get(&self, id: StateId) -> &State;

    fn release(&mut self, id: StateId) {
        let _ = id;
    }

    fn hold(&mut self, id: StateId) {
        let _ = id;
    }

    fn origin(&self, id: StateId) -> Option<StateId> {
        let _ = id;
        None
    }
}

/// A store with a filter for visited states and an open set of full states.
#[derive(Debug)]
pub struct LossyStore<F, W = LinkedOpenSet> {
    filter: F,
    barrier: ResizeBarrier,
    open_set: W,
    quota: MemoryQuota,
    seed: u64,
    /// The hash function of states.
    function: HashFunction,
    /// A sample of the stored states, for capture-recapture.
    sample: Option<Mutex<Sample>>,
    inherited: Inherited,
}

/// Counters taken over from a previous store.
#[derive(Clone, Copy, Default, Debug)]
struct Inherited {
    /// States in the filter that the quota does not count.
    states: u64,
    /// The first `known` states were inserted without omissions.
    known: u64,
    /// Memory of the open states.
    bytes: u64,
    longest: u64,
    omissions: Option<OmissionEstimate>,
}

impl<F: Filter, W: OpenSet> LossyStore<F, W> {
    pub(super) fn with(filter: F, capacity: Capacity, workers: usize) -> LossyStore<F, W> {
        let quota = MemoryQuota::new(capacity, workers, filter.bytes());
        LossyStore {
            filter,
            barrier: ResizeBarrier::new(),
            open_set: W::new(workers),
            quota,
            seed: 0,
            function: HashFunction::default(),
            sample: None,
            inherited: Inherited::default(),
        }
    }

    /// Sets the seed of the hash function. Stores with different seeds omit different states.
    #[must_use]
    pub fn seeded(self, seed: u64) -> LossyStore<F, W> {
        LossyStore { seed: mix(seed), ..self }
    }

    /// The store with another hash function of states.
    #[must_use]
    pub fn hashed_by(self, function: HashFunction) -> LossyStore<F, W> {
        LossyStore { function, ..self }
    }

    /// Collects a sample of the stored states.
    #[must_use]
    pub fn sampled(self) -> LossyStore<F, W> {
        LossyStore { sample: Some(Mutex::default()), ..self }
    }

    /// Declares that all states so far were inserted without omissions, `elsewhere` of them by another store.
    pub(crate) fn mark_exact(&mut self, elsewhere: u64) {
        self.inherited.states = elsewhere;
        self.inherited.known = self.len();
    }

    pub(super) fn filter(&self) -> &F {
        &self.filter
    }

    /// Continues with another filter, which `fill` initialises from the present one. Open states and their ids stay
    /// valid.
    pub(super) fn replace_filter<G: Filter>(
        self,
        filter: G,
        capacity: Capacity,
        workers: usize,
        fill: impl FnOnce(&F, &G, &SharedAccess<'_>),
    ) -> LossyStore<G, W> {
        let (states, longest, omissions) = (self.len(), self.longest(), self.omissions());
        let bytes = self.inherited.bytes + self.quota.bytes();
        let barrier = ResizeBarrier::new();
        fill(&self.filter, &filter, &barrier.enter());
        let capacity = Capacity { states: capacity.states.saturating_sub(states), ..capacity };
        let quota = MemoryQuota::new(capacity, workers, filter.bytes() + bytes);
        let inherited = Inherited { states, known: states, bytes, longest, omissions };
        let LossyStore { open_set, seed, function, sample, .. } = self;
        LossyStore { filter, barrier, open_set, quota, seed, function, sample, inherited }
    }

    /// The sample of the stored states.
    pub fn sample(self) -> Sample {
        self.sample.map(|sample| sample.into_inner().unwrap_or_else(PoisonError::into_inner)).unwrap_or_default()
    }

    #[cold]
    fn grow(&self, access: &mut SharedAccess<'_>) -> Result<(), Full> {
        let LossyStore { filter, quota, .. } = self;
        let grown = access.resize(
            |exclusive| filter.plan(exclusive, |bytes| quota.reserve(bytes)),
            |exclusive| filter.grow(exclusive, |bytes| quota.release(bytes)),
        );
        if grown { Ok(()) } else { Err(Full::Memory) }
    }
}

impl<F: Filter, W: OpenSet> Store for LossyStore<F, W> {
    type Handle<'a>
        = LossyHandle<'a, F, W>
    where
        F: 'a,
        W: 'a;
    type Queue = Pieces;

    const LINKED: bool = W::LINKED;

    fn handle(&self) -> LossyHandle<'_, F, W> {
        LossyHandle {
            store: self,
            access: None,
            local: self.filter.local(),
            open_set: self.open_set.handle(),
            allowance: self.quota.allowance(),
            hashes: Vec::new(),
            open: Vec::new(),
        }
    }

    fn len(&self) -> u64 {
        self.inherited.states + self.quota.states()
    }

    fn longest(&self) -> u64 {
        self.inherited.longest.max(self.quota.longest())
    }

    fn bytes(&self) -> u64 {
        self.filter.bytes() + self.open_set.bytes() + self.inherited.bytes + self.quota.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Lossy
    }

    fn omissions(&self) -> Option<OmissionEstimate> {
        let omissions = self.filter.omissions(self.inherited.known, self.len());
        Some(self.inherited.omissions.map_or(omissions, |before| omissions.after(before, self.len())))
    }
}

/// The access of one worker to a lossy store.
#[derive(Debug)]
pub struct LossyHandle<'a, F: Filter, W: OpenSet + 'a> {
    store: &'a LossyStore<F, W>,
    access: Option<SharedAccess<'a>>,
    local: F::Local,
    pub(crate) open_set: W::Handle<'a>,
    allowance: Allowance<'a>,
    /// Hashes of the states in the batch that is interned next.
    hashes: Vec<u64>,
    /// The open states whose successors are in the batch.
    open: Vec<StateId>,
}

impl<'a, F: Filter, W: OpenSet> LossyHandle<'a, F, W> {
    /// Interns the batch. `ends` gives the position where the successors of each open state end.
    fn intern_all(
        &mut self,
        access: &mut SharedAccess<'a>,
        batch: &Batch,
        ends: &[usize],
        each: &mut impl FnMut(Seen),
    ) -> Result<(), Full> {
        let mut origin = 0;
        for i in 0..batch.len() {
            while ends.get(origin).is_some_and(|&end| end <= i) {
                origin += 1;
            }
            let origin = if origin < ends.len() { Some(self.open[origin]) } else { None };
            let id = self.intern_one(access, batch.state(i), self.hashes[i], origin)?;
            each(Seen::plain(id.unwrap_or(StateId::NONE), id.is_some()));
        }
        Ok(())
    }

    /// Inserts a state of another store into the filter. The quota does not count it.
    pub(crate) fn insert_known(&mut self, state: &State) -> Result<(), Full> {
        let hash = self.store.function.seeded(state, self.store.seed);
        let mut access = self.access.take().expect("a handle enters before it interns");
        let known = loop {
            match self.store.filter.add(hash, &access, &mut self.local, || Ok(())) {
                Ok(_) => break Ok(()),
                Err(Refusal::Full(full)) => break Err(full),
                Err(Refusal::SegmentFull) => {
                    access.request_resize();
                    if let Err(full) = self.store.grow(&mut access) {
                        break Err(full);
                    }
                }
            }
        };
        self.access = Some(access);
        known
    }

    /// Adds a state to the open set, whether or not the filter contains it.
    pub(crate) fn push_open(&mut self, state: &State) -> Result<StateId, Full> {
        self.open_set.check(state.len(), &mut self.allowance)?;
        let id = self.open_set.add(state, None, &mut self.allowance)?;
        self.allowance.publish();
        Ok(id)
    }

    #[inline(always)]
    fn intern_one(
        &mut self,
        access: &mut SharedAccess<'a>,
        state: &State,
        hash: u64,
        origin: Option<StateId>,
    ) -> Result<Option<StateId>, Full> {
        let LossyHandle { store, local, open_set, allowance, .. } = self;
        loop {
            match store.filter.add(hash, access, local, || open_set.check(state.len(), allowance)) {
                Ok(false) => return Ok(None),
                Ok(true) => {
                    if let Some(sample) = &store.sample {
                        sample.lock().unwrap_or_else(PoisonError::into_inner).add(super::hash(state));
                    }
                    return open_set.add(state, origin, allowance).map(Some);
                }
                Err(Refusal::Full(full)) => return Err(full),
                Err(Refusal::SegmentFull) => {
                    access.request_resize();
                    store.grow(access)?;
                }
            }
        }
    }
}

impl<F: Filter, W: OpenSet> Handle for LossyHandle<'_, F, W> {
    fn enter(&mut self) {
        if self.access.is_none() {
            self.access = Some(self.store.barrier.enter());
        }
    }

    fn leave(&mut self) {
        self.access = None;
    }

    #[inline]
    fn open<'s>(&'s mut self, id: StateId, _: &'s mut Vec<u8>) -> &'s State {
        self.open.push(id);
        self.open_set.get(id)
    }

    #[inline]
    fn prefetch(&mut self, batch: &Batch) {
        let LossyStore { filter, seed, function, .. } = self.store;
        let access = self.access.as_ref().expect("a handle enters before it interns");
        for state in batch.states_from(self.hashes.len()) {
            let hash = function.seeded(state, *seed);
            filter.prefetch(hash, access);
            self.hashes.push(hash);
        }
    }

    #[inline]
    fn intern(&mut self, batch: &Batch, ends: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        self.prefetch(batch);
        let mut access = self.access.take().expect("a handle enters before it interns");
        let grown = if access.resize_is_requested() { self.store.grow(&mut access) } else { Ok(()) };
        let interned = grown.and_then(|()| self.intern_all(&mut access, batch, ends, &mut each));
        self.access = Some(access);
        self.hashes.clear();
        self.open.clear();
        self.allowance.publish();
        interned
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.open_set.get(id));
    }

    #[inline]
    fn release(&mut self, id: StateId) {
        self.open_set.release(id);
    }

    fn hold(&mut self, id: StateId) {
        self.open_set.hold(id);
    }

    fn origin(&self, id: StateId) -> Option<StateId> {
        self.open_set.origin(id)
    }

    /// A state that is not new was visited or will be; the filter cannot tell which state it was.
    #[inline]
    fn is_visited(&self, id: StateId) -> bool {
        id == StateId::NONE
    }

    fn visit(&mut self, id: StateId) -> bool {
        !self.is_visited(id)
    }
}
