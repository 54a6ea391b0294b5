//! From the end of a search to what people and programs read: verdicts, traces, trail files, JSON.
//!
//! Everything here returns text; printing it is the program's affair. It knows no language.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod columns;
pub mod coverage;
pub mod escape;
pub mod evidence;
pub mod itf;
pub mod json;
pub mod listing;
pub mod names;
pub mod number;
pub mod run;
#[cfg(test)]
mod sample;
pub mod screen;
pub mod source;
pub mod state;
pub mod style;
pub mod table;
pub mod trail_file;
pub mod verdict;
pub mod why;
