//! Tests of the public interface of the crate.

mod compact;
mod compare;
mod corpus;
mod movers;
mod portable;
mod random;
mod sleep_sets;
mod threads;
mod words;
