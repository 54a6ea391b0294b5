//! Temporal logic: LTL and CTL formulas, and the translation of LTL to Büchi automata.
//!
//! The crate knows no modelling language: a proposition is a number, with its text and place. The crate does no I/O.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod atoms;
pub mod automaton;
mod bdd;
pub mod classify;
pub mod ctl;
pub mod dot;
pub mod formula;
mod graph;
pub mod guard;
pub mod hoa;
pub mod lasso;
pub mod limits;
pub mod ltl_to_buchi;
pub mod never;
mod nnf;
pub mod observer;
pub mod parse;
pub mod partial;
pub mod problem;
mod reduce;
mod scc;
pub mod state_formula;
pub mod vacuity;

pub use atoms::{Atom, AtomId, Atoms, Span, Valuation};
pub use automaton::{Buchi, Generalised, StateId};
pub use classify::Class;
pub use ctl::Ctl;
pub use formula::Formula;
pub use guard::{Cube, Guard};
pub use lasso::Lasso;
pub use ltl_to_buchi::{Translation, simplify, translate};
pub use parse::Ltl;
pub use problem::{Problem, TooLarge};
