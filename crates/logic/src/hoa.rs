//! The Hanoi Omega-Automata format, version 1: what other tools read and write.

mod labels;
mod lex;
mod read;
mod write;

pub use read::read;
pub use write::{buchi, generalised};
