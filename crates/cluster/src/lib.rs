//! Searches over several ranks: processes on machines, or threads of one process.
//!
//! Each [rank](rank::StateRef) owns the states that a [hash function](partition) assigns to it, with a [table](state_table) and a
//! successor generator of its own. Ranks tell each other about states through a [`network`], which sends records in batches and notices
//! when no rank has work any more. The network runs on a [`transport`]: threads, processes that MPI
//! has started (cargo feature `mpi`), or a simulation that a seed controls.
//!
//! * [`accepting_cycles()`] searches for accepting cycles with a distributed [`Algorithm`].
//! * [`reachability()`] searches for assertions, end states, faults, goals and bad prefixes, level by level.
//!
//! Nothing that ranks say is trusted: the states of an exhaustive search are submitted as a certificate, which
//! [`kripke_search::certify`] checks, and the checker replays every trail.
//!
//! The crate knows no language and no engine: states are byte strings, and successors come from [`kripke_model::Successors`].
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod certificate;
mod components;
mod cycles;
mod findings;
mod levels;
mod limit;
pub mod network;
mod outcome;
pub mod partition;
mod parts;
mod peers;
#[cfg(feature = "mpi")]
mod processes;
mod rank;
mod rank_result;
mod ranks;
mod sent_cache;
mod state_frame;
pub mod state_table;
mod trail;
pub mod transport;
mod wire;

pub use components::Components;
pub use cycles::{Algorithm, VertexOrder};
pub use outcome::{Failed, Result, Searched, accepting_cycles};
pub use parts::reachability;
pub use rank::StateRef;
pub use rank_result::RankFigures;
pub use ranks::{Cluster, Medium};
