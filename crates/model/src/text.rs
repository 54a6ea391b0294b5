//! The text form of the IR: [`Display`](std::fmt::Display) writes it, [`Model::parse`] reads it back.
//!
//! ```text
//! model "counter" in "toy"
//! channel q: [2] of {u8}
//! global x: u8 = 1
//! global c: u8 as chan = new q
//! process p
//!   local n: i16
//!   L0: entry
//!     when (x < 3) x = (x + 1); -> L1 keep   "x++"
//!     else -> L1
//!   L1: end labels(done)
//!     receive c (n) -> L0
//! start p
//! ```
//!
//! `{}` writes the short form: everything but source files and spans. `{:#}` writes the full form, in which a span is
//! `@start..end` or `@file:start..end`. `parse` reads both. It inverts the full form exactly; it inverts the short form up to
//! files and spans, which are then empty.
//!
//! * Line breaks and blanks only separate tokens; `//` begins a comment. Declarations may stand in any order.
//! * A name that is a keyword or has unusual characters is written in backquotes. A name means the first declaration of that
//!   name; `x#3` is declaration number 3 of its table, and `#3` is the same without a name. A local hides the global of the
//!   same name, which then is `global::x`. `p[1]::x` is a local of process 1, which is of type `p`.
//! * Operations with two or three operands always have parentheses.
//! * Locations are numbered from 0 in the order of the text. So are edges, unless `E7:` gives a number. `edge E7` repeats an
//!   edge that another location has, too. `unused:` begins the edges that no location has.
//! * `inside "name" @span` behind the span of an edge is its place in the text of an inline.
//! * `-> L1` gives the target of an edge and `chain L5` in front of it the beginning of an indivisible sequence. The last
//!   string is the label.

mod lex;
mod print;
mod print_expr;
mod read;
mod scope;
mod words;

use std::fmt;

use crate::ir::{Edge, Model, Process, Type};

/// The reason why a text is not a model in text form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The description of the syntax error.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print(self, f.alternate()))
    }
}

impl Model {
    /// Reads the [text form](self) of a model. The text may describe an invalid model: see [`Model::validate`].
    pub fn parse(text: &str) -> Result<Model, ReadError> {
        read::read(text)
    }
}

/// The code of an edge in text form: its guard, channel operation and effects, without target and label.
pub fn code(model: &Model, process: &Process, edge: &Edge) -> String {
    print::code(model, process, edge)
}

/// A type in text form.
pub fn type_name(model: &Model, ty: Type) -> String {
    print::type_name(model, ty)
}
