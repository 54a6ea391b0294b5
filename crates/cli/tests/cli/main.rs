//! The program from outside: arguments in, text and exit status out.

mod bench;
mod bounded;
mod check;
mod dve;
mod escapes;
mod esml;
mod fairness;
mod faults;
mod files;
mod input;
mod json;
mod limits;
mod ltl;
mod nesting;
mod phases;
mod program;
mod replay;
mod simulate;
mod stores;
mod symmetry;
mod temporal;
mod verdicts;
