//! The program from outside: arguments in, text and exit status out.

mod bench;
mod check;
mod dve;
mod input;
mod json;
mod limits;
mod program;
mod replay;
mod simulate;
