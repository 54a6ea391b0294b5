//! Tests of the public interface of the crate.

mod explore;
mod ir_files;
mod semantics;
mod text_mutations;
