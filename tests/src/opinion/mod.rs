//! A second opinion: a small model checker that is slow and plain, to compare Kripke with.
//!
//! It uses none of Kripke's code, only the standard library. A [`system::System`] is a plain description of automata;
//! [`graph::Graph`] has all its states; formulas are judged on that by their definitions. The same system is
//! [printed](mod@print) in Promela, DVE or ESML for the program.

pub mod automaton;
pub mod ctl;
pub mod cycles;
pub mod fairness;
pub mod graph;
pub mod labels;
pub mod ltl;
pub mod print;
pub mod question;
pub mod random;
pub mod shrink;
pub mod state;
pub mod step;
pub mod system;

#[cfg(test)]
mod tests;
