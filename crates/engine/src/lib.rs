//! Compiled successors: the transitions of a model as machine code.
//!
//! [`Compiled`] gives exactly the successors of the reference interpreter ([`kripke_model::Interpreter`]), in the
//! same order. Code is generated for the common cases. In a rare case (a fault, a failed assertion, a sequence
//! without end, a deadlock) the result of the code is discarded and the interpreter expands the state. So findings
//! are made in one place, and the code stays simple.
//!
//! The crate knows no search and no modelling language, and does no I/O.
#![warn(missing_docs)]

mod atomic;
mod by_process;
mod code;
mod compiled;
mod context;
mod driver;
mod facts;
mod jit;
mod portable;
mod product;
mod program;
mod runtime;
mod shape;
mod trace;
mod transitions;
mod type_bytes;
mod warm_up;
mod words;

use std::fmt;

pub use compiled::Compiled;
pub use portable::PortableCode;
pub use words::{InWords, Words};

/// Options of code generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether executed edges are recorded.
    pub coverage: bool,
    /// Whether the process of each successor is recorded, so that
    /// [`Successors::expand_parts`](kripke_model::Successors) needs no call per process.
    pub parts: bool,
    /// Whether exclusive-access claims on channels are checked.
    pub claims: bool,
    /// Whether Cranelift verifies the generated code.
    pub verify: bool,
    /// Whether the code is optimised.
    pub optimise: bool,
    /// Whether code is made for the common set of processes, if processes are created or removed.
    pub specialise: bool,
    /// Whether type bytes are removed from states: see [`Compiled::encode`].
    pub omit_types: bool,
    /// The number of states of other shapes that are left to the interpreter before general code is made.
    pub general_after: u32,
    /// Whether transitions of states in words are cached: most states then need no code.
    pub cache: bool,
    /// Whether the interpreter expands states until it has taken about as long as compiling would: small models need no code.
    pub interpret_first: bool,
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
            omit_types: true,
            general_after: 1000,
            cache: false,
            interpret_first: false,
        }
    }
}

/// The reason why a model can't be compiled. The interpreter can execute it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no code can be generated for this model: {}", self.0)
    }
}

impl std::error::Error for Unsupported {}
