//! `kripke lsp`: the language server.

use crate::exit::{Failure, Status};

pub fn run() -> Result<Status, Failure> {
    let program = std::env::current_exe()
        .map_err(|e| Failure::BadInput(format!("the file of this program can't be found: {e}")))?;
    kripke_lsp::serve(program).map_err(|e| Failure::BadInput(format!("the client is not understood: {e}")))?;
    Ok(Status::Fine)
}
