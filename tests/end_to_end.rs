//! Models with known results, whole and reduced, on both engines.

mod ample_sets;
mod claims;
mod corpus;
mod dve;
mod esml;
mod format;
mod languages;
mod merging;
mod own_models;
mod random_programs;
mod reductions;
mod replays;
mod symmetry;
mod text_form;
mod value_sets;
