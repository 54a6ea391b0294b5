//! Reductions make a search smaller without changing its answer.
//!
//! There are three kinds, from the source of a model towards the store of a search:
//!
//! * passes from model to model: [statement merging](merge) and [simplification](simplify) (constant folding, slicing,
//!   dead-variable analysis, privatisation of globals);
//! * reductions while the model is searched, each a wrapper around any [`Successors`](kripke_model::Successors):
//!   [partial-order reduction](por) and [symmetry reduction](symmetry);
//! * the [state codec](compact), which makes stored states shorter, by the [values](value_sets) that variables can have.
//!
//! Each module says which properties it preserves and why. This crate knows no language and no search.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bitset;
pub mod compact;
pub mod merge;
pub mod por;
pub mod simplify;
mod startup;
pub mod state_values;
pub mod symmetry;
pub mod value_sets;
pub mod words;
mod writes;
