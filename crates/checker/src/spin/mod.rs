//! SPIN's view of a model: its numbers of statements, its trails, its depth-first search.
//!
//! [`Numbered`] is a model together with SPIN's numbers. [`trail`] reads and writes trail files, [`search`] is the search of SPIN's
//! verifiers, step by step in the same order.

mod follow;
pub mod search;
pub mod trail;
mod unreached;

use std::path::Path;
use std::sync::Arc;

use kripke_lang::promela::numbering::{Body, Numbering};
use kripke_model::Interpreter;
use kripke_model::ir::{EdgeId, ProcessId};

pub use follow::{Followed, Unresolved, follow, lines};
pub use kripke_lang::promela::numbering;
pub use unreached::unreached;

use crate::error::Error;
use crate::files::Files;
use crate::load::{self, InputError};
use crate::request::Source;

/// A model with SPIN's numbers of its statements.
#[derive(Debug)]
pub struct Numbered {
    /// The interpreter of the model without its claims.
    pub interpreter: Interpreter,
    /// SPIN's numbers.
    pub numbering: Numbering,
    /// Warnings about the text of the model, rendered.
    pub warnings: String,
}

/// The choice of steps of a numbered model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// Jumps inside atomic sequences are no steps, as everywhere in Kripke.
    Short,
    /// Jumps inside atomic sequences are steps, as in SPIN's verifiers.
    Every,
}

impl Numbered {
    /// Reads a model.
    pub fn load(file: &Path, source: &Source, steps: Steps, files: &dyn Files) -> Result<Numbered, Error> {
        let loaded = load::load_numbered(file, source, steps == Steps::Every, files)?;
        let bad = |message: &str| Error::Input(InputError::whole(file, message));
        let numbering =
            loaded.numbering.ok_or_else(|| bad("SPIN has no numbers for the statements of this language"))?;
        let interpreter = Interpreter::new(Arc::new(loaded.model)).map_err(|e| bad(&e.to_string()))?;
        Ok(Numbered { interpreter: interpreter.without_claims(), numbering, warnings: loaded.warnings })
    }

    /// The numbers of a process type.
    pub fn body(&self, process: ProcessId) -> Option<&Body> {
        self.numbering.processes.get(process.index())
    }

    /// The state whose statement an edge executes.
    pub fn state(&self, process: ProcessId, edge: EdgeId) -> Option<u32> {
        self.body(process)?.edges.get(edge.index())?.first().copied()
    }
}
