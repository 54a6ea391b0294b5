//! The crate from outside.

mod random;
mod random_formulas;
