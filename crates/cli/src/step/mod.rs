//! Interactive simulation and replay: the full-screen program where there is a terminal, the plain one otherwise.

mod command;
mod editor;
mod plain;
pub mod saving;
mod screen;
pub mod terminal;

use std::path::Path;

use kripke::stepping::Session;

use crate::exit::{Failure, Status};
use plain::Plain;
use terminal::Signals;

/// Random steps and steps until a condition that one command takes at most.
const MOST_STEPS: usize = 10_000;

/// Executes the commands of the user until the end. `plain` asks for the plain program on a terminal, too.
pub fn run(session: Session, model: &Path, plain: bool) -> Result<Status, Failure> {
    let is_terminal = terminal::is_there();
    if is_terminal && !plain {
        return screen::run(session, model, &Signals::new());
    }
    let mut program = Plain::new(session, model);
    if is_terminal {
        program.on_terminal(&Signals::new());
    } else {
        program.on_input(std::io::stdin().lock());
    }
    Ok(Status::Fine)
}
