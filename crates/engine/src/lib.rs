//! Compiled successors: a model's transitions as machine code.
//!
//! [`Compiled`] gives exactly the successors, in exactly the order, of the reference interpreter
//! ([`kripke_model::Interpreter`]). Code is generated for what happens all the time. Where something rare happens while
//! a state is expanded (a fault, a failing assertion, a sequence that seems endless, nobody can move), what the code did
//! is dropped and the interpreter expands that state. So findings are made in one place only, and the code stays simple.
//!
//! Knows no search and no language, and does no I/O.

mod code;
mod compiled;
mod context;
mod cut;
mod driver;
mod facts;
mod inner;
mod jit;
mod joint;
mod parts;
mod program;
mod runtime;
mod shape;
pub mod testing;
mod watch;

use std::fmt;

pub use compiled::Compiled;

/// How code is generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Note which edges are executed.
    pub coverage: bool,
    /// Note who makes which successors, so that [`Successors::expand_parts`](kripke_model::Successors) need not ask one
    /// process after the other.
    pub parts: bool,
    /// Check exclusive-access claims on channels.
    pub claims: bool,
    /// Check the generated code before compiling it.
    pub verify: bool,
    /// Take the time to make the code good.
    pub optimise: bool,
    /// Where processes come and go, make code for the set of them that is there most of the time.
    pub specialise: bool,
    /// Leave out of states what goes without saying: see [`Compiled::kept`].
    pub cut: bool,
    /// How many other states are left to the interpreter before code for them is made, too.
    pub patience: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            coverage: false,
            parts: false,
            claims: true,
            verify: cfg!(debug_assertions),
            optimise: true,
            specialise: true,
            cut: true,
            patience: 5000,
        }
    }
}

/// What stands in the way of compiling a model; the interpreter can run it all the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no code can be generated for this model: {}", self.0)
    }
}

impl std::error::Error for Unsupported {}
