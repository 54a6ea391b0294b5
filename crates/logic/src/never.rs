//! Never claims: SPIN's notation for Büchi automata.

mod read;
mod write;

pub use read::read;
pub use write::write;
