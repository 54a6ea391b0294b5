//! Presentation of results: verdicts, traces, trail files, JSON.
//!
//! Functions return text; the program prints it. The crate knows no modelling language.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod aut;
pub mod automaton;
pub mod case;
pub mod chart;
mod columns;
pub mod coverage;
pub mod decision;
pub mod diagram;
pub mod escape;
pub mod evidence;
pub mod explanation;
pub mod graph;
pub mod itf;
pub mod json;
pub mod junit;
pub mod layout;
pub mod line_chart;
pub mod list;
pub mod listing;
pub mod names;
pub mod number;
pub mod plot;
pub mod ranks;
pub mod run;
pub mod run_log;
#[cfg(test)]
mod sample;
pub mod sarif;
pub mod screen;
pub mod select;
pub mod source;
pub mod spin;
pub mod state;
pub mod stepping;
pub mod style;
pub mod survey;
pub mod table;
pub mod trail_file;
pub mod verdict;
pub mod width;
