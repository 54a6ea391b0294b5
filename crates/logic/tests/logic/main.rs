//! The crate from outside.

mod formats;
mod kinds;
mod limits;
mod mutations;
mod patterns;
mod random;
mod random_formulas;
