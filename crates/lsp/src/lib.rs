//! The language service and the language server.
//!
//! [`service`] answers the questions of an editor about a text: diagnostics, completion, declarations, references, renaming, hints,
//! formatting. Its functions go from an [`Analysis`](service::Analysis) and a place to plain data, and know no protocol. [`serve`]
//! speaks the Language Server Protocol over standard input and output, with an analysis for each version of each document.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod server;
pub mod service;
pub mod text;
mod uri;

pub use server::serve;
