//! Where states live: a store gives each distinct state a dense number.

mod arena;
mod exact;
mod hardware;
mod table;

use std::fmt;

use kripke_model::{Batch, State};

pub use exact::ExactStore;

/// The number of a stored state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// How many states can have a number. The largest `u32` names no state, so that tables can use it as a mark.
    pub const CAPACITY: u64 = u32::MAX as u64;

    /// Refuses, in release builds too, what does not fit: a number cut short would silently merge states.
    pub fn new(index: u64) -> Option<StateId> {
        if index < StateId::CAPACITY { Some(StateId(index as u32)) } else { None }
    }

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
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
    pub const UNLIMITED: Capacity = Capacity { bytes: u64::MAX, states: StateId::CAPACITY };
}

/// A set of states with a number for each: 0, 1, 2, … in the order in which they first came.
///
/// A store belongs to one worker. A store shared by several is one whose *handles* implement this trait, each with its
/// own scratch memory; then the numbers are dense per handle only.
pub trait Store {
    /// Looks up all states of the batch and adds those not yet there: `seen` has one entry for each, in order.
    /// After an error, `seen` covers the entries that were done.
    fn intern(&mut self, batch: &Batch, seen: &mut Vec<Seen>) -> Result<(), Full>;

    /// Replaces the content of `into` by the state.
    fn fetch(&self, id: StateId, into: &mut Vec<u8>);

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

/// The hash of a state: the same on every machine and in every run.
#[inline]
fn hash(state: &State) -> u64 {
    const SEED: rapidhash::v3::RapidSecrets = rapidhash::v3::RapidSecrets::seed_cpp(0);
    rapidhash::v3::rapidhash_v3_nano_inline::<true, false>(state, &SEED)
}
