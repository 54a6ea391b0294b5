//! What the end-to-end suites share: tables of expected results, running a model the way `kripke check --raw
//! --all-errors --no-claim` does, and real SPIN where it is installed.
//!
//! Adding a model to a suite is adding a line to a table; `tests/spin-expect` measures that line.
#![forbid(unsafe_code)]

pub mod generate;
pub mod measure;
pub mod models;
pub mod opinion;
pub mod parallel;
pub mod places;
#[cfg(unix)]
pub mod pseudo_terminal;
pub mod random_model;
pub mod spin;
pub mod table;
