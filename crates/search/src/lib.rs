//! Visiting every state a model can reach, and saying honestly how far that got.
//!
//! [`explore`] takes states, [expands](kripke_model::Successors) them, interns the successors in a [`store`], sorts new
//! from seen, and judges. A run ends in exactly one [way](End): the frontier ran empty ([`Exhausted`]), a violation was
//! found, or a named [`Limit`] of the [`Budget`] was met. Only the first can become a proof, and only here.
//!
//! Several workers search at once; what they count and find does not depend on how many they are.
//!
//! This crate knows states as bytes and nothing of what they mean: no language, no engine, no I/O.
#![deny(unsafe_code)]

mod budget;
mod explore;
mod outcome;
mod progress;
pub mod store;
mod sync;

pub use budget::{Budget, Limit};
pub use explore::{
    Algorithm, CacheSize, Claim, CtlFormula, Cycles, Evidence, Factory, Fairness, Options, Order, Place, Run,
    StoreKind, SubformulaId, SuccessorOrder, explore, explore_with,
};
pub use outcome::{
    CacheUse, End, ErrorFree, Errors, Exhausted, Outcome, Statistics, StoreMigration, Swarm, Violation, Wrong,
};
pub use progress::{Progress, Snapshot};
pub use store::{Allocator, when_out_of_memory};
