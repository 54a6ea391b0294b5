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
/// * A state that the machine expands by itself is no error: no transition from it is a fault or fails an assertion, the goal does not hold in
///   it, the observer is not at an end, and it is no invalid end state, unless these are [counted](EndStates::Count). Every other state is
///   left. The machine may leave any state.
/// * Levels are those of a breadth-first search: the new successors of a level, those that are [added](Accelerator::add) among them,
///   are the next one.
/// * The machine is trusted to be exact. That every state was expanded, and that no cycle is accepting, is not checked again here: to expand
///   all states once more would defeat the purpose. A state that it claims to be on an accepting cycle is no result by itself: the run around
///   the cycle is constructed from the successor generator's successors, and the checker replays it.
/// * No error is silent. A machine that has lost a state, or can't store one, says so, and gives no other answer until it
///   [begins](Accelerator::begin) again.
pub trait Accelerator {
    /// The name of the machine, for users.
    fn name(&self) -> String;

    /// Forgets all states, and stores the initial one as level 0.
    fn begin(&mut self, initial: &State) -> Result<(), AcceleratorFailure>;

    /// Expands the last level. The machine may then go on by itself within these bounds, as long as no state is left: each level has ended
    /// then, except for the last one that was expanded.
    fn expand_levels(&mut self, bounds: Bounds) -> Result<Expanded, AcceleratorFailure>;

    /// Appends states of this level that are left, each once. It appends none when it has given all.
    fn take_left(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure>;

    /// Stores successors of states that were left. States that are stored already are no error.
    fn add(&mut self, states: &Batch) -> Result<(), AcceleratorFailure>;

    /// Ends the level, and returns the number of states of the next one.
    fn end_level(&mut self) -> Result<u64, AcceleratorFailure>;

    /// Appends the states of the level at this depth that may have one of `states` as a successor: all that do, and perhaps others.
    /// Returns false if the states of that level are no longer known as such.
    fn origins(&mut self, depth: u32, states: &Batch, out: &mut Batch) -> Result<bool, AcceleratorFailure>;

    /// Appends states that lead to a state at this depth, the last one first: one of each level before, as many as the machine finds by itself,
    /// perhaps none. Among several predecessors the machine chooses, the same one each time.
    fn trace(&mut self, depth: u32, state: &State, out: &mut Batch) -> Result<(), AcceleratorFailure>;

    /// Notes that states of this level that were left are accepting. Of those that it expands the machine knows. Only in a search for cycles.
    fn accept(&mut self, states: &Batch) -> Result<(), AcceleratorFailure>;

    /// Begins a step of a search for accepting cycles, after all states were expanded.
    fn begin_step(&mut self, step: CycleStep) -> Result<(), AcceleratorFailure>;

    /// Begins a search from a state of the set through states of the set that no such search has visited. False if the state was visited.
    fn begin_round(&mut self, state: &State) -> Result<bool, AcceleratorFailure>;

    /// Goes on with the step or the search. Returns false if nothing was left to do. Then the states that are [left](Accelerator::take_left)
    /// are those whose successors have to be [told](Accelerator::tell).
    fn go_on(&mut self) -> Result<bool, AcceleratorFailure>;

    /// Takes all successors of states that were left.
    fn tell(&mut self, successors: &Batch) -> Result<(), AcceleratorFailure>;

    /// The number of states in the set.
    fn inside(&mut self) -> Result<u64, AcceleratorFailure>;

    /// Appends accepting states of the set that no search of a round has visited: some, if there are any.
    fn candidates(&mut self, out: &mut Batch) -> Result<(), AcceleratorFailure>;

    /// Whether the search of this round has come back to the state from which it began.
    fn has_come_round(&self) -> bool;

    /// Takes more memory after it was full, and forgets all states. Returns false if there is no more. A machine that can take more memory and
    /// keep its states does so by itself.
    fn grow(&mut self) -> Result<bool, AcceleratorFailure>;

    /// Memory of the machine that is in use, in bytes.
    fn bytes(&self) -> u64;
}

/// What a machine has expanded.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Expanded {
    /// The number of transitions from states that are not left.
    pub transitions: u64,
    /// The number of invalid end states that were not left.
    pub invalid_ends: u64,
    /// The number of states of each level after the first one that was expanded.
    pub further: Vec<u64>,
}

/// What a machine may do by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The most levels that it expands.
    pub levels: u32,
    /// The number of new states after which it does not go on, or a few more.
    pub states: u64,
    /// What it does with invalid end states.
    pub ends: EndStates,
}

/// What a machine does with invalid end states: those without successors that are no valid end states and have no other error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndStates {
    /// It leaves them.
    Leave,
    /// It may count them instead.
    Count,
}

/// The steps of a search for accepting cycles. They make a set of states smaller that contains every accepting cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CycleStep {
    /// All states are in the set. There is nothing to go on with.
    Include,
    /// States are removed that no accepting state of the set reaches within the set. Accepting states reach themselves.
    Reach,
    /// States are removed that have no predecessor in the set. It follows [`CycleStep::Reach`].
    Eliminate,
    /// No state was visited by a search of a [round](Accelerator::begin_round). There is nothing to go on with.
    Rounds,
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
