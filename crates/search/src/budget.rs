//! Resource bounds of a search, and the limit that ended it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kripke_model::Finding;

use crate::store::{Capacity, Full};

/// Resource bounds of a search. The default sets none.
#[derive(Clone, Default, Debug)]
pub struct Budget {
    /// Depth limit. States at this depth are expanded; new successors of them are not.
    pub max_depth: Option<u32>,
    /// Limit on the number of stored states.
    pub max_states: Option<u64>,
    /// Memory limit in bytes for the store and the open set, including the overhead of the allocator.
    pub memory: Option<u64>,
    /// Bytes of the memory limit that are in use before the search starts.
    pub taken: u64,
    /// The time at which the search stops.
    pub deadline: Option<Instant>,
    /// Another thread or a signal handler sets this flag to end the search.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Another thread sets this flag while the process exceeds its memory limit, whatever the search itself accounts
    /// for.
    pub full: Option<Arc<AtomicBool>>,
    /// One of these flags is set when the search is no longer needed: another search of the swarm has found an error, an
    /// audit has found the reduction unsound, or a state does not fit into its words.
    pub enough: Vec<Arc<AtomicBool>>,
}

/// The reason why a search is incomplete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The depth limit.
    Depth(u32),
    /// The limit on stored states.
    States(u64),
    /// The memory limit, in bytes.
    Memory(u64),
    /// The deadline has passed.
    Time,
    /// The search was interrupted.
    Interrupted,
    /// The store has no numbers left for further states.
    StateNumbers,
    /// An atomic or indivisible sequence exceeds the limit of steps, so its end is unknown.
    EndlessSequence(Finding),
    /// All slots that the next state could replace belong to states on the stack. The value is the number of slots of
    /// the cache.
    Cache(u64),
    /// The open set became empty, but a lossy store may have taken new states for visited ones.
    LossyStore,
    /// A rank of a search over several ranks was lost; the text says how.
    LostRank(String),
    /// The memory of the machine that stores the states is full, in bytes.
    DeviceMemory(u64),
    /// The machine that stores the states was lost; the text says how.
    LostDevice(String),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Depth(depth) => write!(f, "depth limit of {depth} reached"),
            Limit::States(states) => write!(f, "limit of {states} states reached"),
            Limit::Memory(bytes) => write!(f, "memory limit of {bytes} bytes reached"),
            Limit::Time => write!(f, "out of time"),
            Limit::Interrupted => write!(f, "interrupted"),
            Limit::StateNumbers => write!(f, "more states than the store has numbers for"),
            Limit::EndlessSequence(_) => write!(f, "an atomic sequence does not come to an end"),
            Limit::Cache(slots) => write!(f, "a cache of {slots} states has no room for the stack"),
            Limit::LossyStore => write!(f, "the store may have missed states"),
            Limit::DeviceMemory(bytes) => write!(f, "memory of the device is full: {bytes} bytes"),
            Limit::LostRank(how) | Limit::LostDevice(how) => f.write_str(how),
        }
    }
}

impl Budget {
    /// The capacity of the store under this budget.
    pub fn capacity(&self) -> Capacity {
        let bytes = self.memory.map_or(u64::MAX, |memory| usable(memory).saturating_sub(self.taken));
        Capacity { bytes, states: self.max_states.unwrap_or(u64::MAX) }
    }

    /// The limit that a full store has reached.
    pub(crate) fn limit(&self, full: Full) -> Limit {
        match (full, self.max_states, self.memory) {
            (Full::States, Some(states), _) => Limit::States(states),
            (Full::States, None, _) => Limit::StateNumbers,
            (Full::Memory, _, memory) => Limit::Memory(memory.unwrap_or(u64::MAX)),
        }
    }

    /// Checks flags, deadline and memory, given the bytes that the search uses. A search calls it at regular intervals.
    pub fn check(&self, bytes: u64) -> Result<(), Limit> {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        let set = |flag: &Option<Arc<AtomicBool>>| flag.as_ref().is_some_and(is_set);
        if set(&self.interrupt) {
            return Err(Limit::Interrupted);
        }
        if self.enough.iter().any(is_set) {
            return Err(Limit::LossyStore);
        }
        if set(&self.full) {
            return Err(Limit::Memory(self.memory.unwrap_or(u64::MAX)));
        }
        if let Some(memory) = self.memory
            && self.taken + bytes > usable(memory)
        {
            return Err(Limit::Memory(memory));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Limit::Time);
        }
        Ok(())
    }
}

/// The part of the memory limit that states can use. The rest is for thread stacks, buffers and fragmentation.
fn usable(memory: u64) -> u64 {
    memory - memory / 32
}
