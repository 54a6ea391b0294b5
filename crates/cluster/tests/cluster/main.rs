//! Tests of searches over several ranks, from outside.

mod cycles;
mod failures;
mod network;
mod reachability;
mod schedules;
mod systems;
