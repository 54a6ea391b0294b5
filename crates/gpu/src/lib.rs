//! Breadth-first search on a GPU.
//!
//! The successors of a model, as C++ text ([`ModelText`]), and the kernels of this crate are compiled at run time. The device stores all states
//! in an exact hash table in its memory and expands them level by level; [`Explorer`] is the [`Accelerator`](kripke_search::Accelerator)
//! that a search of `kripke-search` uses. What is rare is left to the host: errors, the successors of states with unusual steps.
//!
//! * [`cuda`] runs on an NVIDIA GPU. Driver and compiler are loaded when they are used, so nothing here needs CUDA to be built, and
//!   programs start without it.
//! * [`emulation`] compiles the same text with a C++ compiler and runs it on the host, for tests.
//!
//! The crate knows no language and no engine.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod cache;
pub mod cuda;
mod cycles;
pub mod device;
pub mod emulation;
mod explorer;
mod growth;
mod memory_plan;
mod source;
mod trace;

pub use explorer::Explorer;
pub use memory_plan::MemoryPlan;
pub use source::{MOST_BITS, ModelText};
