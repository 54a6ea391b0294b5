//! Kripke: explicit-state model checking.
#![forbid(unsafe_code)]

pub mod answer;
pub mod error;
pub mod files;
pub mod judge;
pub mod load;
pub mod memory;
pub mod monitor;
pub mod plan;
pub mod question;
pub mod replay;
pub mod request;
pub mod run;
pub mod scope;
mod shortest;
pub mod symmetric;
pub mod system;
pub mod task;
