//! Tests of the public interface of the crate.

mod claims;
mod conditions;
mod corpus_parses;
mod deep_models;
mod diagnostics;
mod esml_diagnostics;
mod fuzz_dve;
mod fuzz_esml;
mod fuzz_mutations;
mod mutation;
mod symbols;
