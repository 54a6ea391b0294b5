//! Searches whose states another machine stores and expands: a GPU.
//!
//! The states of such a search have a [form in words](kripke_model::Representation::word_bits). The machine holds all of them and
//! expands them level by level; those that it can't expand it leaves to the successor generator, which also finds all errors. So the
//! order of the search, its errors and its trails are those of a breadth-first search here.

use std::fmt;

use kripke_model::{Batch, State};

use crate::budget::Limit;

/// A machine that stores and expands states.
///
/// # Contract
///
/// * States are byte strings of eight bytes for each word. The store is exact: a state is new if and only if it was not stored before.
/// * A state that the machine expands by itself is no error: it has a successor, no transition from it is a fault or fails an assertion,
///   the goal does not hold in it and the observer is not at an end. Every other state is left. The machine may leave any state.
/// * Levels are those of a breadth-first search: the new successors of a level, those that are [added](Accelerator::add) among them,
///   are the next one.
/// * No error is silent. A machine that has lost a state, or can't store one, says so, and gives no other answer until it
///   [begins](Accelerator::begin) again.
pub trait Accelerator {
    /// The name of the machine, for users.
    fn name(&self) -> String;

    /// Forgets all states, and stores the initial one as level 0.
    fn begin(&mut self, initial: &State) -> Result<(), AcceleratorFailure>;

    /// Expands the last level, and returns the number of transitions from the states that are not left.
    fn expand_level(&mut self) -> Result<u64, AcceleratorFailure>;

    /// Appends states of this level that are left, each once. It appends none when it has given all.
    fn take_left(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure>;

    /// Stores successors of states that were left. States that are stored already are no error.
    fn add(&mut self, states: &Batch) -> Result<(), AcceleratorFailure>;

    /// Ends the level, and returns the number of states of the next one.
    fn end_level(&mut self) -> Result<u64, AcceleratorFailure>;

    /// Appends the states of the level at this depth that may have one of `states` as a successor: all that do, and perhaps others.
    /// Returns false if the states of that level are no longer known as such.
    fn origins(&mut self, depth: u32, states: &Batch, out: &mut Batch) -> Result<bool, AcceleratorFailure>;

    /// Takes more memory after it was full, and forgets all states. Returns false if there is no more.
    fn grow(&mut self) -> Result<bool, AcceleratorFailure>;

    /// Memory of the machine that is in use, in bytes.
    fn bytes(&self) -> u64;
}

/// Why a machine can't go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AcceleratorFailure {
    /// Its memory of so many bytes is full.
    Full(u64),
    /// It does not answer, or answers with an error. The text says how.
    Lost(String),
}

impl From<AcceleratorFailure> for Limit {
    fn from(failure: AcceleratorFailure) -> Limit {
        match failure {
            AcceleratorFailure::Full(bytes) => Limit::DeviceMemory(bytes),
            AcceleratorFailure::Lost(how) => Limit::LostDevice(how),
        }
    }
}

impl fmt::Display for AcceleratorFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Limit::from(self.clone()).fmt(f)
    }
}

impl std::error::Error for AcceleratorFailure {}
