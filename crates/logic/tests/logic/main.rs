//! Tests of the public interface of the crate.

mod corpus;
mod formats;
mod kinds;
mod limits;
mod mutations;
mod patterns;
mod random;
mod random_formulas;
