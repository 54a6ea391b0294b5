//! Source files, and where a piece of text came from.
pub use kripke_model::ir::{FileId, SourceFile, Span};
