//! Stores that remember only a hash of each state, or less: they may take a new state for an old one.
//!
//! The hash goes into a [`Filter`]; the state itself is kept only as long as it waits to be expanded, or is on the way to one
//! that does: in a [yard](super::open_set), in any order, or in a [pile](super::packed_stack) for each worker.
#![expect(private_bounds, reason = "filters are made here alone")]

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use kripke_model::{Batch, State};

use super::capture_recapture::Sample;
use super::memory_quota::{Account, Ledger};
use super::omission::Missed;
use super::open_set::Yard;
use super::pool::mix;
use super::queue::Pieces;
use super::resize_barrier::{Meeting, Seat, Sitting};
use super::table::Refusal;
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};

/// What remembers hashes.
pub(crate) trait Filter: Sync + Debug {
    /// What each worker has of it.
    type Share: Send + Debug;

    fn share(&self) -> Self::Share;

    fn bytes(&self) -> u64;

    /// Starts to load what [`Filter::add`] will need.
    fn prefetch(&self, hash: u64, seat: &Seat<'_>);

    /// Adds a hash. Whether it is new, as far as the filter can tell; `may` is asked before a new one is added.
    fn add(
        &self,
        hash: u64,
        seat: &Seat<'_>,
        share: &mut Self::Share,
        may: impl FnMut() -> Result<(), Full>,
    ) -> Result<bool, Refusal>;

    fn plan(&self, sitting: &Sitting<'_>, reserve: impl FnMut(u64) -> bool) -> bool;

    fn grow(&self, sitting: &Sitting<'_>, release: impl FnMut(u64));

    /// What was probably missed when so many states are stored, of which the first so many were known for sure.
    fn missed(&self, known: u64, states: u64) -> Missed;
}

/// Where states wait, in full.
pub(crate) trait Waiting: Sync + Debug {
    type Keeper<'a>: Keeper
    where
        Self: 'a;

    /// Whether ids of states mean something until these are released, and origins are known.
    const LINKED: bool;

    fn new(workers: usize) -> Self;

    /// To be called once for each worker.
    fn keeper(&self) -> Self::Keeper<'_>;

    /// What is needed besides what was spent for states.
    fn bytes(&self) -> u64;
}

/// One worker's access to states that wait.
pub(crate) trait Keeper: Send + Debug {
    /// Checks that a state of this length can be let in.
    fn check(&mut self, length: usize, account: &mut Account<'_>) -> Result<(), Full>;

    /// Lets a state in for which that was checked.
    fn add(&mut self, state: &State, origin: Option<StateId>, account: &mut Account<'_>) -> Result<StateId, Full>;

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

/// Remembers states by a filter, and those that wait in full.
#[derive(Debug)]
pub struct LossyStore<F, W = Yard> {
    filter: F,
    meeting: Meeting,
    waiting: W,
    ledger: Ledger,
    seed: u64,
    /// Of the states stored, if it is wanted.
    sample: Option<Mutex<Sample>>,
    past: Past,
}

/// What is from another store.
#[derive(Clone, Copy, Default, Debug)]
struct Past {
    /// States in the filter that are not in the ledger.
    states: u64,
    /// So many states, the first ones, were known before they came here.
    known: u64,
    /// Memory of those that wait.
    bytes: u64,
    longest: u64,
    missed: Option<Missed>,
}

impl<F: Filter, W: Waiting> LossyStore<F, W> {
    pub(super) fn with(filter: F, capacity: Capacity, workers: usize) -> LossyStore<F, W> {
        let ledger = Ledger::new(capacity, workers, filter.bytes());
        LossyStore {
            filter,
            meeting: Meeting::new(),
            waiting: W::new(workers),
            ledger,
            seed: 0,
            sample: None,
            past: Past::default(),
        }
    }

    /// Stores with different seeds take different states for the same.
    #[must_use]
    pub fn seeded(self, seed: u64) -> LossyStore<F, W> {
        LossyStore { seed: mix(seed), ..self }
    }

    /// Takes a sample of the states stored.
    #[must_use]
    pub fn sampled(self) -> LossyStore<F, W> {
        LossyStore { sample: Some(Mutex::default()), ..self }
    }

    /// All states here were known for sure, so many of them by another store alone.
    pub(crate) fn vouch(&mut self, elsewhere: u64) {
        self.past.states = elsewhere;
        self.past.known = self.len();
    }

    pub(super) fn filter(&self) -> &F {
        &self.filter
    }

    /// Goes on with another filter, into which what is in this one is to be put. States that wait stay where they are, and
    /// keep their ids.
    pub(super) fn exchange<G: Filter>(
        self,
        filter: G,
        capacity: Capacity,
        workers: usize,
        fill: impl FnOnce(&F, &G, &Seat<'_>),
    ) -> LossyStore<G, W> {
        let (states, longest, missed) = (self.len(), self.longest(), self.missed());
        let bytes = self.past.bytes + self.ledger.bytes();
        let meeting = Meeting::new();
        fill(&self.filter, &filter, &meeting.enter());
        let capacity = Capacity { states: capacity.states.saturating_sub(states), ..capacity };
        let ledger = Ledger::new(capacity, workers, filter.bytes() + bytes);
        let past = Past { states, known: states, bytes, longest, missed };
        LossyStore { filter, meeting, waiting: self.waiting, ledger, seed: self.seed, sample: self.sample, past }
    }

    /// The sample, if one was wanted; nothing else.
    pub fn sample(self) -> Sample {
        self.sample.map(|sample| sample.into_inner().unwrap_or_else(PoisonError::into_inner)).unwrap_or_default()
    }

    #[cold]
    fn grow(&self, seat: &mut Seat<'_>) -> Result<(), Full> {
        let LossyStore { filter, ledger, .. } = self;
        let grown = seat.attend(
            |sitting| filter.plan(sitting, |bytes| ledger.reserve(bytes)),
            |sitting| filter.grow(sitting, |bytes| ledger.release(bytes)),
        );
        if grown { Ok(()) } else { Err(Full::Memory) }
    }
}

impl<F: Filter, W: Waiting> Store for LossyStore<F, W> {
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
            seat: None,
            share: self.filter.share(),
            keeper: self.waiting.keeper(),
            account: self.ledger.account(),
            hashes: Vec::new(),
            open: Vec::new(),
        }
    }

    fn len(&self) -> u64 {
        self.past.states + self.ledger.states()
    }

    fn longest(&self) -> u64 {
        self.past.longest.max(self.ledger.longest())
    }

    fn bytes(&self) -> u64 {
        self.filter.bytes() + self.waiting.bytes() + self.past.bytes + self.ledger.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Lossy
    }

    fn missed(&self) -> Option<Missed> {
        let missed = self.filter.missed(self.past.known, self.len());
        Some(self.past.missed.map_or(missed, |before| missed.after(before, self.len())))
    }
}

/// A worker's access to a lossy store.
#[derive(Debug)]
pub struct LossyHandle<'a, F: Filter, W: Waiting + 'a> {
    store: &'a LossyStore<F, W>,
    seat: Option<Seat<'a>>,
    share: F::Share,
    pub(crate) keeper: W::Keeper<'a>,
    account: Account<'a>,
    /// Of the states in the batch that is to be interned next.
    hashes: Vec<u64>,
    /// The states whose successors these are.
    open: Vec<StateId>,
}

impl<'a, F: Filter, W: Waiting> LossyHandle<'a, F, W> {
    /// Where the first states in the batch come from is in `ends`.
    fn intern_all(
        &mut self,
        seat: &mut Seat<'a>,
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
            let id = self.intern_one(seat, batch.state(i), self.hashes[i], origin)?;
            each(Seen { id: id.unwrap_or(StateId::NONE), new: id.is_some() });
        }
        Ok(())
    }

    /// Takes over a state that another store has seen. It is not counted.
    pub(crate) fn know(&mut self, state: &State) -> Result<(), Full> {
        let hash = mix(super::hash(state) ^ self.store.seed);
        let mut seat = self.seat.take().expect("a handle has entered when it interns");
        let known = loop {
            match self.store.filter.add(hash, &seat, &mut self.share, || Ok(())) {
                Ok(_) => break Ok(()),
                Err(Refusal::Full(full)) => break Err(full),
                Err(Refusal::Crowded) => {
                    seat.call();
                    if let Err(full) = self.store.grow(&mut seat) {
                        break Err(full);
                    }
                }
            }
        };
        self.seat = Some(seat);
        known
    }

    /// Lets a state wait, whether or not it was seen.
    pub(crate) fn admit(&mut self, state: &State) -> Result<StateId, Full> {
        self.keeper.check(state.len(), &mut self.account)?;
        let id = self.keeper.add(state, None, &mut self.account)?;
        self.account.publish();
        Ok(id)
    }

    #[inline(always)]
    fn intern_one(
        &mut self,
        seat: &mut Seat<'a>,
        state: &State,
        hash: u64,
        origin: Option<StateId>,
    ) -> Result<Option<StateId>, Full> {
        let LossyHandle { store, share, keeper, account, .. } = self;
        loop {
            match store.filter.add(hash, seat, share, || keeper.check(state.len(), account)) {
                Ok(false) => return Ok(None),
                Ok(true) => {
                    if let Some(sample) = &store.sample {
                        sample.lock().unwrap_or_else(PoisonError::into_inner).add(super::hash(state));
                    }
                    return keeper.add(state, origin, account).map(Some);
                }
                Err(Refusal::Full(full)) => return Err(full),
                Err(Refusal::Crowded) => {
                    seat.call();
                    store.grow(seat)?;
                }
            }
        }
    }
}

impl<F: Filter, W: Waiting> Handle for LossyHandle<'_, F, W> {
    fn enter(&mut self) {
        if self.seat.is_none() {
            self.seat = Some(self.store.meeting.enter());
        }
    }

    fn leave(&mut self) {
        self.seat = None;
    }

    #[inline]
    fn open<'s>(&'s mut self, id: StateId, _: &'s mut Vec<u8>) -> &'s State {
        self.open.push(id);
        self.keeper.get(id)
    }

    #[inline]
    fn expect(&mut self, batch: &Batch) {
        let LossyStore { filter, seed, .. } = self.store;
        let seat = self.seat.as_ref().expect("a handle has entered when it interns");
        for state in batch.states_from(self.hashes.len()) {
            let hash = mix(super::hash(state) ^ seed);
            filter.prefetch(hash, seat);
            self.hashes.push(hash);
        }
    }

    #[inline]
    fn intern(&mut self, batch: &Batch, ends: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        self.expect(batch);
        let mut seat = self.seat.take().expect("a handle has entered when it interns");
        let called = if seat.is_called() { self.store.grow(&mut seat) } else { Ok(()) };
        let interned = called.and_then(|()| self.intern_all(&mut seat, batch, ends, &mut each));
        self.seat = Some(seat);
        self.hashes.clear();
        self.open.clear();
        self.account.publish();
        interned
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(self.keeper.get(id));
    }

    #[inline]
    fn release(&mut self, id: StateId) {
        self.keeper.release(id);
    }

    fn hold(&mut self, id: StateId) {
        self.keeper.hold(id);
    }

    fn origin(&self, id: StateId) -> Option<StateId> {
        self.keeper.origin(id)
    }

    /// What is not new was visited, or will be: nobody can tell which state it is.
    #[inline]
    fn is_visited(&self, id: StateId) -> bool {
        id == StateId::NONE
    }

    fn visit(&mut self, _: StateId) {}
}
