//! Where states live: a store keeps each distinct state once, and knows it by an id.

mod arena;
mod exact;
mod hardware;
mod ledger;
mod meeting;
mod pool;
mod queue;
mod quotient;
#[cfg(all(test, shuttle))]
mod schedules;
mod segments;
mod shape;
mod table;
mod tree;

use std::fmt;

use kripke_model::{Batch, State};

pub use exact::{ExactHandle, ExactStore};
pub use queue::{Pieces, Queue, Runs};
pub use tree::{TreeHandle, TreeStore};

/// What a store knows a state by. Means something to that store alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub(crate) u64);

impl StateId {
    /// Names no state.
    pub(crate) const NONE: StateId = StateId(u64::MAX);

    /// For stores that number their states.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        u32::try_from(self.0).expect("a number that this store has given")
    }
}

/// What interning said of one state of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    pub id: StateId,
    /// The state was not in the store before this entry.
    pub new: bool,
}

/// The store can't take another state. What it holds stays valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// Its memory is used up.
    Memory,
    /// It holds as many states as it may, or as there are numbers for.
    States,
}

/// Whether a store may take a state for one it has seen though it has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omission {
    /// Never: states are compared in full.
    Exact,
    /// Possibly: a search with such a store proves nothing.
    Lossy,
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Omission::Exact => "exact",
            Omission::Lossy => "lossy",
        })
    }
}

/// What a store may grow to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    pub bytes: u64,
    pub states: u64,
}

impl Capacity {
    pub const UNLIMITED: Capacity = Capacity { bytes: u64::MAX, states: u64::MAX };
}

/// A set of states, used by several workers at once. Each has a [`Handle`].
pub trait Store: Sync {
    type Handle<'a>: Handle
    where
        Self: 'a;

    /// What fits the ids that handles give.
    type Queue: Queue;

    /// To be called once for each worker.
    fn handle(&self) -> Self::Handle<'_>;

    /// How many states there are.
    fn len(&self) -> u64;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The length of the longest state.
    fn longest(&self) -> u64;

    /// The memory in use.
    fn bytes(&self) -> u64;

    fn omission(&self) -> Omission;
}

/// A worker's access to a store.
pub trait Handle: Send {
    /// To be called before interning. All who have entered must intern or leave from time to time, because the store
    /// grows only when none of them uses it.
    fn enter(&mut self);

    fn leave(&mut self);

    /// Like [`Handle::fetch`], for a state whose successors are interned next. Several may be open at once.
    fn open(&mut self, id: StateId, into: &mut Vec<u8>) {
        self.fetch(id, into);
    }

    /// Looks up all states of the batch and adds those not yet there: `seen` has one entry for each, in order.
    /// After an error, `seen` covers the entries that were done. `ends` says where in the batch the successors of each
    /// open state end; states after the last end come from nowhere. Closes all open states.
    fn intern(&mut self, batch: &Batch, ends: &[usize], seen: &mut Vec<Seen>) -> Result<(), Full>;

    /// Replaces the content of `into` by the state.
    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>);

    /// Whether [`Handle::visit`] was called for this state. The mark belongs to the handle: only one may use it.
    fn is_visited(&self, id: StateId) -> bool;

    fn visit(&mut self, id: StateId);
}

/// The hash of a state: the same on every machine and in every run.
#[inline]
pub(crate) fn hash(state: &State) -> u64 {
    const SEED: rapidhash::v3::RapidSecrets = rapidhash::v3::RapidSecrets::seed_cpp(0);
    rapidhash::v3::rapidhash_v3_nano_inline::<true, false>(state, &SEED)
}
