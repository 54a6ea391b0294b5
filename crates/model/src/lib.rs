//! What a system is and how it moves.
//!
//! This crate holds the waist of Kripke: the [IR](ir), the packed-state interface every search uses
//! ([`Successors`], [`Batch`]), the [layout] of states, and the [reference interpreter](interpret), which *is*
//! the semantics: simulation, replay and the judging of counterexamples all use it, and compiled code is tested
//! against it. It knows no language, no search, and does no I/O.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arrival;
mod batch;
pub mod interpret;
pub mod ir;
pub mod layout;
mod operator;
pub mod path;
pub mod random;
mod successors;
pub mod text;
pub mod trail;
mod validate;
mod walk;
pub mod words;

pub use arrival::Arrival;
pub use batch::Batch;
pub use interpret::Interpreter;
pub use ir::Model;
pub use random::Random;
pub use successors::{
    AcceptanceMarks, ActionLabels, Choice, Fault, Finding, FindingKind, Flags, Mover, Movers, NextState, Parts, Plain,
    ProcessStructure, Representation, Standing, State, StateLabels, Successors, Within,
};
pub use trail::Trail;
