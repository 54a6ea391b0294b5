//! The program as several processes that `mpirun` has started. Skipped where there is no `mpirun`.
#![cfg(unix)]

mod failures;
mod mpirun;
mod refusals;
mod same_results;
