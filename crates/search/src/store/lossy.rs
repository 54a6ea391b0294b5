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

    /// What the filter computes of a hash before it looks it up.
    type Place: Copy + Send + Debug;

    /// Creates the data of one worker.
    fn local(&self) -> Self::Local;

    fn bytes(&self) -> u64;

    /// Where a hash belongs.
    fn place(&self, hash: u64) -> Self::Place;

    /// Prefetches the memory that [`Filter::add`] needs.
    fn prefetch(&self, place: Self::Place, access: &SharedAccess<'_>);

    /// Adds a hash and returns whether it is new. `may` is called before a new hash is added.
    fn add(
        &self,
        place: Self::Place,
        access: &SharedAccess<'_>,
        local: &mut Self::Local,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal>;

    /// Adds hashes up to one that is refused. Appends to `new` the positions of those that are new. Returns the number of hashes
    /// that were not refused.
    #[inline(always)]
    fn add_all(
        &self,
        places: &[Self::Place],
        access: &SharedAccess<'_>,
        local: &mut Self::Local,
        new: &mut Vec<u32>,
    ) -> usize {
        for (at, &place) in places.iter().enumerate() {
            match self.add(place, access, local, || Ok(())) {
                Ok(true) => new.push(at as u32),
                Ok(false) => {}
                Err(_) => return at,
            }
        }
        places.len()
    }

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
            places: Vec::new(),
            new: Vec::new(),
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
    /// The places of the states in the batch that is interned next.
    places: Vec<F::Place>,
    /// The states of the batch that are new, counted from some state on.
    new: Vec<u32>,
    /// The open states whose successors are in the batch.
    open: Vec<StateId>,
}

/// The parents of the states of a batch.
struct Origins<'e> {
    open: &'e [StateId],
    /// Where the successors of each open state end.
    ends: &'e [usize],
    at: usize,
}

impl Origins<'_> {
    /// The parent of a state. States are asked for in order.
    #[inline(always)]
    fn of(&mut self, state: usize) -> Option<StateId> {
        while self.ends.get(self.at).is_some_and(|&end| end <= state) {
            self.at += 1;
        }
        (self.at < self.ends.len()).then(|| self.open[self.at])
    }
}

impl<'a, F: Filter, W: OpenSet> LossyHandle<'a, F, W> {
    /// Interns the batch, and calls `each` with all states or only new ones. `ends` gives the position where the successors of each
    /// open state end. Returns also the number of states before an error.
    #[inline(always)]
    fn intern_all<const ONLY_NEW: bool>(
        &mut self,
        batch: &Batch,
        ends: &[usize],
        mut each: impl FnMut(usize, Seen),
    ) -> (usize, Result<(), Full>) {
        self.prefetch(batch);
        let mut access = self.access.take().expect("a handle enters before it interns");
        let open = std::mem::take(&mut self.open);
        let mut origins = Origins { open: &open, ends, at: 0 };
        let mut interned = if access.resize_is_requested() { self.store.grow(&mut access) } else { Ok(()) };
        let mut at = 0;
        while at < batch.len() && interned.is_ok() {
            at = self.intern_some::<ONLY_NEW>(&access, batch, at, &mut origins, &mut each);
            if at < batch.len() {
                // For this state the filter has to grow, or there is no room.
                let place = self.places[at];
                interned = self.intern_one(&mut access, batch.state(at), place, origins.of(at)).map(|id| {
                    if id.is_some() || !ONLY_NEW {
                        each(at, Seen::plain(id.unwrap_or(StateId::NONE), id.is_some()));
                    }
                    at += 1;
                });
            }
        }
        self.access = Some(access);
        self.open = open;
        self.open.clear();
        self.places.clear();
        self.allowance.publish();
        (at, interned)
    }

    /// Interns states from `first` on: first all that the filter takes without growing, and then those that are new. Returns the
    /// first state that is left. An open set with links has to be asked for each state.
    #[inline(always)]
    fn intern_some<const ONLY_NEW: bool>(
        &mut self,
        access: &SharedAccess<'a>,
        batch: &Batch,
        first: usize,
        origins: &mut Origins<'_>,
        each: &mut impl FnMut(usize, Seen),
    ) -> usize {
        let LossyHandle { store, local, open_set, allowance, places, new, .. } = self;
        let Ok(count) = (if W::LINKED { Ok(0) } else { allowance.check_some(places.len() - first) }) else {
            return first;
        };
        new.clear();
        let done = store.filter.add_all(&places[first..first + count], access, local, new);
        if let Some(sample) = &store.sample {
            let mut sample = sample.lock().unwrap_or_else(PoisonError::into_inner);
            new.iter().for_each(|&at| sample.add(super::hash(batch.state(first + at as usize))));
        }
        if ONLY_NEW {
            new.iter().for_each(|&at| each(first + at as usize, Seen::plain(StateId::NONE, true)));
        } else {
            let mut next = new.iter().peekable();
            for at in 0..done {
                let is_new = next.next_if(|&&new| new as usize == at).is_some();
                each(first + at, Seen::plain(StateId::NONE, is_new));
            }
        }
        for at in new.iter().map(|&at| first + at as usize) {
            let added = open_set.add(batch.state(at), origins.of(at), allowance);
            debug_assert!(added.is_ok(), "it was checked before");
        }
        first + done
    }

    /// Inserts a state of another store into the filter. The quota does not count it.
    pub(crate) fn insert_known(&mut self, state: &State) -> Result<(), Full> {
        let place = self.store.filter.place(self.store.function.seeded(state, self.store.seed));
        let mut access = self.access.take().expect("a handle enters before it interns");
        let known = loop {
            match self.store.filter.add(place, &access, &mut self.local, || Ok(())) {
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
        place: F::Place,
        origin: Option<StateId>,
    ) -> Result<Option<StateId>, Full> {
        let LossyHandle { store, local, open_set, allowance, .. } = self;
        loop {
            match store.filter.add(place, access, local, || open_set.check(state.len(), allowance)) {
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

    /// Finds the places of the states that were added to the batch since the last call, and prefetches them.
    #[inline(always)]
    fn find_places<'b>(&mut self, states: impl Iterator<Item = &'b State>) {
        let LossyStore { filter, seed, function, .. } = self.store;
        let access = self.access.as_ref().expect("a handle enters before it interns");
        self.places.extend(states.map(|state| {
            let place = filter.place(function.seeded(state, *seed));
            filter.prefetch(place, access);
            place
        }));
    }

    /// The same for states of so many bytes. Hashing a number of bytes that is known takes much less time.
    #[inline]
    fn find_places_sized<const LENGTH: usize>(&mut self, batch: &Batch) {
        let states = batch.chunks_from::<LENGTH>(self.places.len());
        self.find_places(states.iter().map(|state| &state[..]));
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

    fn open_all<'s>(&'s mut self, ids: &[StateId], _: &'s mut Vec<u8>) -> Vec<&'s State> {
        self.open.extend_from_slice(ids);
        ids.iter().map(|&id| self.open_set.get(id)).collect()
    }

    #[inline]
    fn prefetch(&mut self, batch: &Batch) {
        let width = if self.places.is_empty() { batch.width() } else { None };
        match width {
            Some(8) => self.find_places_sized::<8>(batch),
            Some(16) => self.find_places_sized::<16>(batch),
            Some(24) => self.find_places_sized::<24>(batch),
            Some(32) => self.find_places_sized::<32>(batch),
            _ => {
                let known = self.places.len();
                self.find_places(batch.states_from(known));
            }
        }
    }

    #[inline]
    fn intern(&mut self, batch: &Batch, ends: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        self.intern_all::<false>(batch, ends, |_, seen| each(seen)).1
    }

    #[inline]
    fn intern_new(&mut self, batch: &Batch, ends: &[usize], each: impl FnMut(usize, Seen)) -> (u64, Result<(), Full>) {
        let (count, interned) = self.intern_all::<true>(batch, ends, each);
        (count as u64, interned)
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
