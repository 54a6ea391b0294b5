//! Languages: from source text to the IR, with diagnostics.
#![forbid(unsafe_code)]

pub mod source;
pub mod promela {
    pub mod ast;
}
