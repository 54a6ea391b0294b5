//! The Hanoi Omega-Automata (HOA) format, version 1.

mod labels;
mod lex;
mod read;
mod write;

pub use read::read;
pub use write::{buchi, generalised};
