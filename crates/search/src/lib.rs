//! Explicit-state exploration: reachability, liveness and CTL over a shared store of visited states.
//!
//! [`explore()`] takes open states, [expands](kripke_model::Successors) them, interns the successors in a [`store`],
//! separates new states from visited ones, and collects errors. A search ends in exactly one [way](End): the open set
//! became empty ([`Exhausted`]), a violation was found, or a named [`Limit`] of the [`Budget`] was reached. Only an
//! exhausted search can become a proof, and only this crate can construct one; a search elsewhere submits its states to
//! [`certify`], and an algorithm elsewhere that searches for accepting cycles implements [`CycleAlgorithm`].
//!
//! Several workers search at once. Counts and findings of a breadth-first search do not depend on their number.
//!
//! States are byte strings here. The crate knows no language and no engine, and does no I/O.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod accelerator;
mod budget;
mod certificate;
mod cycle_algorithm;
mod explore;
pub mod graph;
mod minimal_lasso;
mod outcome;
mod peers;
mod progress;
pub mod store;
mod sync;

pub use accelerator::{Accelerator, AcceleratorFailure, Bounds, CycleStep, EndStates, Expanded};
pub use budget::{Budget, Limit};
pub use certificate::{ClosedSet, NotClosed, Rank, RankedSet, certify, certify_acyclic};
pub use cycle_algorithm::{Answer, CycleAlgorithm, Unproved, explore_cycles};
pub use explore::{
    Algorithm, CacheSize, Claim, CtlFormula, Cycles, Evidence, Factory, Fairness, Options, Order, Place, Run,
    StoreKind, SubformulaId, SuccessorOrder, explore, explore_accelerated, explore_part, explore_with,
};
pub use minimal_lasso::{Lasso, LassoBounds, minimal_lasso};
pub use outcome::{
    CacheUse, End, ErrorFree, ErrorKind, Errors, Exhausted, Outcome, ProbeUse, Statistics, StoreMigration, Swarm,
    Violation,
};
pub use peers::{LostPeer, Peers, Routed};
pub use progress::{Progress, Snapshot};
pub use store::when_out_of_memory;
