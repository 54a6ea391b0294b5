//! Completion scripts and the manual page.

use crate::exit::{Failure, Status};
use crate::{args, output};

pub fn completions(shell: clap_complete::Shell) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "kripke", &mut script);
    write(&script)
}

/// The manual page of the program, or of one of its commands.
pub fn manual(name: Option<&str>) -> Result<Status, Failure> {
    let mut command = args::command();
    command.build();
    let page = match name {
        None => command,
        Some(name) => command
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Failure::BadInput(format!("there is no command `{name}`; see kripke --help")))?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|e| Failure::Bug(e.to_string()))?;
    write(&text)
}

/// Prints text without interpreting escape sequences.
fn write(bytes: &[u8]) -> Result<Status, Failure> {
    output::stream(|out| out.write_all(bytes));
    Ok(Status::Fine)
}
