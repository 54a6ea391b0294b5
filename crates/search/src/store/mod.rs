//! Where states live: a store keeps each distinct state once, and knows it by an id.

mod allocator;
mod arena;
mod bitstate;
mod cache;
mod capture_recapture;
mod exact;
mod hardware;
mod hash_compaction;
mod lossy;
mod memory_quota;
mod migration;
mod omission;
mod open_set;
mod packed_block;
mod packed_stack;
mod pool;
mod queue;
mod quotient;
mod reserved_memory;
mod resize_barrier;
#[cfg(all(test, shuttle))]
mod schedules;
mod table;
mod table_segments;
mod tree;
mod tree_shape;

use std::fmt;

use kripke_model::{Batch, State};

pub(crate) use allocator::spawn;
pub use allocator::{Allocator, when_out_of_memory};
pub use bitstate::{BitStore, Bits};
pub use cache::Tolerance;
pub(crate) use cache::{Cache, Insertion};
pub use capture_recapture::{CaptureRecapture, Sample};
pub use exact::{ExactHandle, ExactStore};
pub use hash_compaction::HashStore;
pub(crate) use lossy::{Filter, OpenSet};
pub use lossy::{LossyHandle, LossyStore};
pub(crate) use migration::{DissolvedStore, StateDrain};
pub use omission::OmissionEstimate;
pub use open_set::LinkedOpenSet;
pub(crate) use packed_stack::PackedStack;
pub use packed_stack::PackedStacks;
pub use queue::{Pieces, Queue, Runs};
pub use tree::{TreeHandle, TreeStore};

/// What a store knows a state by. Means something to that store alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub(crate) u64);

impl StateId {
    /// Names no state.
    pub(crate) const NONE: StateId = StateId(u64::MAX);

    /// The other way round than [`number`](StateId::number).
    pub(crate) fn numbered(number: u32) -> StateId {
        StateId(u64::from(number))
    }

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

    /// Whether a handle knows where states were found from, until they are released.
    const LINKED: bool = false;

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

    /// What was probably missed, if the store is lossy.
    fn omissions(&self) -> Option<OmissionEstimate> {
        None
    }
}

/// A worker's access to a store.
pub trait Handle: Send {
    /// To be called before interning. All who have entered must intern or leave from time to time, because the store
    /// grows only when none of them uses it.
    fn enter(&mut self);

    fn leave(&mut self);

    /// A state whose successors are interned next. Several may be open at once.
    fn open<'s>(&'s mut self, id: StateId, room: &'s mut Vec<u8>) -> &'s State {
        self.fetch(id, room);
        room
    }

    /// Looks at what was added to the batch since the last call, so that memory can be on its way when it is interned.
    /// Need not be called.
    fn prefetch(&mut self, batch: &Batch) {
        let _ = batch;
    }

    /// Looks up all states of the batch and adds those not yet there, and calls `each` with what it found, in order.
    /// After an error, that covers those that were done. `ends` says where in the batch the successors of each open
    /// state end; states after the last end come from nowhere. Closes all open states.
    fn intern(&mut self, batch: &Batch, ends: &[usize], each: impl FnMut(Seen)) -> Result<(), Full>;

    /// Replaces the content of `into` by the state.
    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>);

    /// The state was expanded, or never will be: unless it is held, or one found from it is not released, nobody asks for
    /// it again.
    fn release(&mut self, id: StateId) {
        let _ = id;
    }

    /// Keeps a state that is not yet released for ever, with the way to it.
    fn hold(&mut self, id: StateId) {
        let _ = id;
    }

    /// From where a state was found, if it was from another and the store is [linked](Store::LINKED).
    fn origin(&self, id: StateId) -> Option<StateId> {
        let _ = id;
        None
    }

    /// Whether [`Handle::visit`] was called for this state. The mark belongs to the handle: only one may use it.
    fn is_visited(&self, id: StateId) -> bool;

    fn visit(&mut self, id: StateId);
}

/// The hash of a state: the same on every machine and in every run. Two multiplications for states of up to 32 bytes,
/// each of which mixes 16, the last 16 overlapping those before (as in wyhash by Wang Yi).
#[inline(always)]
pub(crate) fn hash(state: &State) -> u64 {
    const KEYS: [u64; 4] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];
    let mix = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let words = |chunk: &[u8; 16]| {
        let both = u128::from_le_bytes(*chunk);
        (both as u64, (both >> 64) as u64)
    };
    let length = (state.len() as u64).wrapping_mul(KEYS[2]);
    let folded = if let (Some(first), Some(last)) = (state.first_chunk(), state.last_chunk()) {
        let (a, b) = words(first);
        let mut folded = mix(a ^ KEYS[0], b ^ KEYS[1]);
        for at in (16..state.len() - 16).step_by(16) {
            let (a, b) = words(state[at..].first_chunk().expect("16 bytes more than the last place"));
            folded = mix(a ^ folded, b ^ KEYS[3]);
        }
        let (a, b) = words(last);
        mix(a ^ folded, b ^ KEYS[2] ^ length)
    } else if let (Some(first), Some(last)) = (state.first_chunk(), state.last_chunk()) {
        mix(u64::from_le_bytes(*first) ^ KEYS[0], u64::from_le_bytes(*last) ^ KEYS[1] ^ length)
    } else {
        let mut padded = [0; 8];
        padded[..state.len()].copy_from_slice(state);
        mix(u64::from_le_bytes(padded) ^ KEYS[0], KEYS[1] ^ length)
    };
    mix(folded ^ KEYS[3], KEYS[0])
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn every_byte_and_the_length_count() {
        for length in 0..150 {
            let state = vec![7; length];
            let mut hashes = HashSet::from([super::hash(&state), super::hash(&vec![7; length + 1])]);
            for at in 0..length {
                let mut other = state.clone();
                other[at] ^= 1;
                hashes.insert(super::hash(&other));
            }
            assert_eq!(hashes.len(), length + 2, "length {length}");
        }
    }
}
