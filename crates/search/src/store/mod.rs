//! Stores of visited states. A store keeps each distinct state once, or a fingerprint of it, and names it by an id.

mod arena;
mod bitstate;
mod cache;
mod capture_recapture;
mod exact;
mod hardware;
mod hash_compaction;
mod hash_function;
mod located;
mod lossy;
mod memory_quota;
mod migration;
mod omission;
mod open_set;
mod out_of_memory;
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
mod word_format;
mod word_hash;
mod word_table;
mod words;

use std::fmt;

use kripke_model::{Batch, State};

pub use bitstate::{BitStore, Bits};
pub use cache::Tolerance;
pub(crate) use cache::{Cache, Insertion};
pub use capture_recapture::{CaptureRecapture, Sample};
pub use exact::{ExactHandle, ExactStore};
pub use hash_compaction::HashStore;
pub use hash_function::HashFunction;
pub(crate) use lossy::{Filter, OpenSet};
pub use lossy::{LossyHandle, LossyStore};
pub(crate) use migration::{DissolvedStore, StateDrain};
pub use omission::OmissionEstimate;
pub use open_set::LinkedOpenSet;
pub(crate) use out_of_memory::spawn;
pub use out_of_memory::when_out_of_memory;
pub(crate) use packed_stack::PackedStack;
pub use packed_stack::PackedStacks;
pub use queue::{IdNumber, Pieces, Queue, Runs};
pub use tree::{TreeHandle, TreeStore};
pub use words::{MAX_WORD_BITS, StateWord, WordHandle, WordStore};

/// The id of a state. It is valid only in the store that issued it. Most stores number their states; in some, the id is the
/// state itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub(crate) u128);

impl StateId {
    /// The id with this number.
    pub fn new(number: u64) -> StateId {
        StateId(u128::from(number))
    }

    /// The number of an id that was [made from one](StateId::new).
    pub fn get(self) -> u64 {
        self.0 as u64
    }

    /// The id of no state.
    pub(crate) const NONE: StateId = StateId(u128::MAX);

    /// The inverse of [`number`](StateId::number).
    pub(crate) fn numbered(number: u32) -> StateId {
        StateId(u128::from(number))
    }

    /// The number of the state, in stores that number their states.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        u32::try_from(self.0).expect("the store numbers its states")
    }
}

/// The result of interning one state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The id of the state.
    pub id: StateId,
    /// The state was not in the store before.
    pub new: bool,
    /// Whether it has a visited mark, in stores that keep marks in slots.
    pub visited: bool,
    /// Its note, in stores [with notes](Store::NOTES).
    pub note: u32,
}

impl Seen {
    /// A state in a store that keeps neither marks nor notes in its slots.
    pub fn plain(id: StateId, new: bool) -> Seen {
        Seen { id, new, visited: false, note: 0 }
    }
}

/// The reason why a store accepts no further state. Its content stays valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// The memory is used up.
    Memory,
    /// The limit on states is reached, or no numbers are left.
    States,
}

/// Whether a store can omit states, that is, take a new state for a visited one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omission {
    /// It never does: it compares states in full.
    Exact,
    /// It may: a search with such a store proves nothing.
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

/// The limits of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// Limit on memory, in bytes.
    pub bytes: u64,
    /// Limit on the number of states.
    pub states: u64,
}

impl Capacity {
    /// No limits.
    pub const UNLIMITED: Capacity = Capacity { bytes: u64::MAX, states: u64::MAX };
}

/// A set of states that several workers share. Each worker has a [`Handle`].
pub trait Store: Sync {
    /// The access of one worker.
    type Handle<'a>: Handle
    where
        Self: 'a;

    /// The queue that suits the ids of this store.
    type Queue: Queue;

    /// Whether handles know the parents of states until those are released.
    const LINKED: bool = false;

    /// Whether the store keeps a note with each state: a number that a search may change, zero at first. Stores without
    /// notes number their states, or are not used by searches that need such numbers.
    const NOTES: bool = false;

    /// Whether ids are the states themselves, as little-endian numbers, so that they mean the same in another store of this type.
    const IDS_ARE_STATES: bool = false;

    /// Creates the handle of one worker. It is called once per worker.
    fn handle(&self) -> Self::Handle<'_>;

    /// The number of stored states.
    fn len(&self) -> u64;

    /// Whether no state is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of the longest stored state, in bytes.
    fn longest(&self) -> u64;

    /// Memory in use, in bytes.
    fn bytes(&self) -> u64;

    /// Whether the store can omit states.
    fn omission(&self) -> Omission;

    /// Estimate of the omitted states, if the store is lossy.
    fn omissions(&self) -> Option<OmissionEstimate> {
        None
    }
}

/// The access of one worker to a store.
pub trait Handle: Send {
    /// Enters the store; required before interning. A worker that has entered must intern or leave at regular
    /// intervals, because tables are resized only while no worker uses them.
    fn enter(&mut self);

    /// Leaves the store, so that tables can be resized without this worker.
    fn leave(&mut self);

    /// Opens a state whose successors are interned next. Several states may be open at once.
    fn open<'s>(&'s mut self, id: StateId, room: &'s mut Vec<u8>) -> &'s State {
        self.fetch(id, room);
        room
    }

    /// Opens several states.
    fn open_all<'s>(&'s mut self, ids: &[StateId], room: &'s mut Vec<u8>) -> Vec<&'s State> {
        let (mut one, mut ends) = (Vec::new(), Vec::with_capacity(ids.len()));
        room.clear();
        for &id in ids {
            room.extend_from_slice(self.open(id, &mut one));
            ends.push(room.len());
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(&ends).map(|(start, &end)| &room[start..end]).collect()
    }

    /// Prefetches memory for the states that were added to the batch since the last call. Calling it is optional.
    fn prefetch(&mut self, batch: &Batch) {
        let _ = batch;
    }

    /// Looks up all states of the batch, inserts those that are new, and calls `each` with every result in order.
    /// After an error, the results cover the states before it. `ends` gives the position in the batch where the
    /// successors of each open state end; states after the last end have no parent. Closes all open states.
    fn intern(&mut self, batch: &Batch, ends: &[usize], each: impl FnMut(Seen)) -> Result<(), Full>;

    /// The same for a caller that wants to know new states only, with their indices in the batch. Returns also the number of
    /// states before an error.
    fn intern_new(
        &mut self,
        batch: &Batch,
        ends: &[usize],
        mut each: impl FnMut(usize, Seen),
    ) -> (u64, Result<(), Full>) {
        let mut count = 0;
        let interned = self.intern(batch, ends, |seen| {
            if seen.new {
                each(count, seen);
            }
            count += 1;
        });
        (count as u64, interned)
    }

    /// Copies the state into `into`, replacing its content.
    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>);

    /// Releases a state that was expanded or never will be. It remains available only while it is held or while one
    /// of its children is not released.
    fn release(&mut self, id: StateId) {
        let _ = id;
    }

    /// Keeps a state that is not yet released, and the path to it, permanently.
    fn hold(&mut self, id: StateId) {
        let _ = id;
    }

    /// The parent of a state, if it has one and the store is [linked](Store::LINKED).
    fn origin(&self, id: StateId) -> Option<StateId> {
        let _ = id;
        None
    }

    /// Whether [`Handle::visit`] was called for this state. The mark belongs to the handle, so only one handle may
    /// use marks.
    fn is_visited(&self, id: StateId) -> bool;

    /// Marks a state as visited. Returns whether it was not before.
    fn visit(&mut self, id: StateId) -> bool;

    /// Whether a state that was interned just now is visited.
    fn was_visited(&self, seen: Seen) -> bool {
        self.is_visited(seen.id)
    }

    /// Prefetches the mark and the note of a state. Calling it is optional.
    fn prefetch_note(&self, id: StateId) {
        let _ = id;
    }

    /// The note of a state, in a store [with notes](Store::NOTES).
    fn note(&self, id: StateId) -> u32 {
        unreachable!("{NO_NOTES}: {id:?}")
    }

    /// Replaces the note of a state. Only one handle may do so.
    fn set_note(&mut self, id: StateId, note: u32) {
        unreachable!("{NO_NOTES}: {id:?} {note}")
    }

    /// Adds bits to the note of a state, and returns the note before.
    fn add_to_note(&self, id: StateId, bits: u32) -> u32 {
        unreachable!("{NO_NOTES}: {id:?} {bits}")
    }

    /// Replaces the note of a state if it is zero. Returns the note before.
    fn set_first_note(&self, id: StateId, note: u32) -> u32 {
        unreachable!("{NO_NOTES}: {id:?} {note}")
    }
}

const NO_NOTES: &str = "the store has no notes";

/// The hash of a state, equal on every machine and in every run. States of up to 32 bytes take two multiplications,
/// each of which mixes 16 bytes; the last 16 bytes may overlap the ones before (as in wyhash by Wang Yi).
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
            let (a, b) = words(state[at..].first_chunk().expect("16 bytes follow"));
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
