//! Temporal logic: formulas of LTL and CTL, and Büchi automata for LTL.
//!
//! Nothing here knows a modelling language: propositions are numbers, with the text they were written as and where.
//! There is no I/O.
#![forbid(unsafe_code)]

pub mod atoms;
pub mod ctl;
pub mod formula;
pub mod limits;
pub mod parse;
pub mod problem;

pub use atoms::{Atom, AtomId, Atoms, Span, Valuation};
pub use ctl::Ctl;
pub use formula::Formula;
pub use parse::Ltl;
pub use problem::{Problem, TooLarge};
