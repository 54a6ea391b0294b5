//! The crate from outside.

mod corpus;
mod formats;
mod kinds;
mod limits;
mod mutations;
mod patterns;
mod random;
mod random_formulas;
