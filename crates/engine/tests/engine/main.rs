//! Tests of the public interface of the crate.

mod compact;
mod compare;
mod corpus;
mod movers;
mod portable;
mod random;
mod threads;
mod words;
