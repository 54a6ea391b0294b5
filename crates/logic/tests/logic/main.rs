//! The crate from outside.

mod limits;
mod mutations;
mod patterns;
mod random;
mod random_formulas;
