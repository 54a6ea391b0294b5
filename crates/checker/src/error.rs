//! Why there is no answer.

use std::fmt;

use crate::load::InputError;
use crate::plan::Refusal;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Error {
    /// The model or a formula can't be read.
    Input(InputError),
    /// The options can't be used together, or not for this model.
    Refused(Refusal),
    /// The search reported something that the judge does not confirm: a bug in Kripke.
    Bug(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(e) => e.fmt(f),
            Error::Refused(e) => e.fmt(f),
            Error::Bug(e) => f.write_str(e),
        }
    }
}

impl std::error::Error for Error {}

impl From<InputError> for Error {
    fn from(error: InputError) -> Error {
        Error::Input(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(refusal)
    }
}
