//! Never claims: Büchi automata in SPIN's clothes.

mod read;
mod write;

pub use read::read;
pub use write::write;
