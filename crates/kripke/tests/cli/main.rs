//! The program from outside: arguments in, text and exit status out.

mod bench;
mod bounded;
mod check;
mod dve;
mod esml;
mod faults;
mod input;
mod json;
mod limits;
mod ltl;
mod program;
mod replay;
mod simulate;
mod stores;
mod symmetry;
mod temporal;
