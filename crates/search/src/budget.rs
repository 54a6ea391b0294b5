//! What a search may use, and the limit that ended it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kripke_model::Finding;

use crate::store::{Capacity, Full};

/// Bounds of a search. The default has none.
#[derive(Clone, Default, Debug)]
pub struct Budget {
    /// States that many steps from the initial state are expanded, but not what is new beyond.
    pub max_depth: Option<u32>,
    pub max_states: Option<u64>,
    /// Bytes for store and frontier together, with what an allocator loses between pieces of memory.
    pub memory: Option<u64>,
    /// Bytes of that which are in use already.
    pub taken: u64,
    pub deadline: Option<Instant>,
    /// Set by another thread (or a signal handler) to end the search.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Set by another thread while the whole program has more memory than it may have, whatever the search thinks it uses.
    pub full: Option<Arc<AtomicBool>>,
    /// Set when nothing more is wanted of the search: another one of a swarm has found it, or the search is wrong.
    pub enough: Option<Arc<AtomicBool>>,
}

/// Why a search could not be finished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    Depth(u32),
    States(u64),
    /// Bytes.
    Memory(u64),
    Time,
    Interrupted,
    /// More states than there are numbers for them.
    StateNumbers,
    /// An atomic or indivisible sequence that does not come to an end.
    EndlessSequence(Finding),
    /// All of the slots of a cache where the next state could go are taken by states of the stack. So many slots it has.
    Cache(u64),
    /// Everything was explored as far as the store can tell, but it may have taken a new state for an old one.
    LossyStore,
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
        }
    }
}

impl Budget {
    /// The part of the budget that the store itself keeps to.
    pub fn capacity(&self) -> Capacity {
        let bytes = self.memory.map_or(u64::MAX, |memory| usable(memory).saturating_sub(self.taken));
        Capacity { bytes, states: self.max_states.unwrap_or(u64::MAX) }
    }

    /// What it means that the store is full.
    pub(crate) fn limit(&self, full: Full) -> Limit {
        match (full, self.max_states, self.memory) {
            (Full::States, Some(states), _) => Limit::States(states),
            (Full::States, None, _) => Limit::StateNumbers,
            (Full::Memory, _, memory) => Limit::Memory(memory.unwrap_or(u64::MAX)),
        }
    }

    /// To be asked now and then.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), Limit> {
        let set = |flag: &Option<Arc<AtomicBool>>| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if set(&self.interrupt) {
            return Err(Limit::Interrupted);
        }
        if set(&self.enough) {
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

/// How much of some memory can be filled: the rest goes to stacks, buffers and to what lies between.
fn usable(memory: u64) -> u64 {
    memory - memory / 32
}
