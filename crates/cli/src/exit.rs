//! Exit statuses and failures.

use std::cell::Cell;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, panic, thread};

use crate::step::terminal;
use crate::{output, watchdog};

/// The exit statuses, which scripts rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Everything holds and the search was complete; or the command did what it was asked.
    Fine = 0,
    Violated = 1,
    /// The user's text, files or arguments are wrong.
    BadInput = 2,
    Inconclusive = 3,
    /// A bug in Kripke.
    Bug = 4,
}

impl Status {
    /// The status of several checks: the worst result decides, in the order bug, violation, bad input, inconclusive.
    pub fn worse(self, other: Status) -> Status {
        let rank = |s| match s {
            Status::Bug => 4,
            Status::Violated => 3,
            Status::BadInput => 2,
            Status::Inconclusive => 1,
            Status::Fine => 0,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl Status {
    /// The status with this number.
    pub fn of(code: i32) -> Option<Status> {
        let all = [Status::Fine, Status::Violated, Status::BadInput, Status::Inconclusive, Status::Bug];
        all.into_iter().find(|status| *status as i32 == code)
    }

    /// The status, or inconclusive if a requested result could not be written.
    pub fn completed(self) -> Status {
        if output::is_incomplete() && self != Status::Bug { Status::Inconclusive } else { self }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// The reason why a command failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The user has been told.
    Said(Status),
    /// An error in files or arguments.
    BadInput(String),
    /// A requested file could not be written.
    Unwritten(String),
    Bug(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Said(_) => Ok(()),
            Failure::BadInput(text) | Failure::Unwritten(text) => f.write_str(text),
            Failure::Bug(text) => write!(f, "{text}\n{PLEASE}"),
        }
    }
}

impl From<kripke::error::Error> for Failure {
    /// Diagnostics of a model or a formula are printed at once.
    fn from(error: kripke::error::Error) -> Failure {
        match error {
            kripke::error::Error::Input(error) => {
                output::remark(&error.text);
                Failure::Said(Status::BadInput)
            }
            kripke::error::Error::Refused(refusal) => Failure::BadInput(refusal.to_string()),
            kripke::error::Error::Bug(text) => Failure::Bug(text),
        }
    }
}

impl From<Failure> for Status {
    /// Prints the failure, and gives the status.
    fn from(failure: Failure) -> Status {
        match failure {
            Failure::Said(status) => return status,
            _ => output::error(&failure.to_string()),
        }
        match failure {
            Failure::Bug(_) => Status::Bug,
            Failure::Unwritten(_) => Status::Inconclusive,
            _ => Status::BadInput,
        }
    }
}

const PLEASE: &str = "This is a bug in Kripke: please report it, with the model and the command.";

/// Prints the message of clap: help on standard output, errors on standard error.
pub fn usage(error: &clap::Error) -> Status {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        output::remark(&text);
        return Status::BadInput;
    }
    output::print(&text);
    Status::Fine.completed()
}

/// How the standard library begins to say that a new thread has no memory for the stack that handles its signals.
const NO_STACK: [&str; 2] =
    ["failed to allocate an alternative stack", "failed to set up alternative stack guard page"];

/// Reports a panic of any thread as a bug, and exits with its status. A thread that can't start for lack of memory is none.
pub fn report_panics() {
    panic::set_hook(Box::new(|info| {
        if info.payload_as_str().is_some_and(|text| NO_STACK.iter().any(|start| text.starts_with(start))) {
            end_without_memory();
        }
        terminal::restore();
        output::own_error(&format!("{info}\n{PLEASE}"));
        std::process::exit(Status::Bug as i32);
    }));
}

/// Reserved memory for an orderly end.
static RESERVE: Mutex<Option<Vec<u8>>> = Mutex::new(None);
const RESERVED: usize = 4 << 20;

/// Reserves memory for an orderly end, and treats memory that a search does not get as a memory limit.
pub fn report_lack_of_memory() {
    *RESERVE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::with_capacity(RESERVED));
    kripke_search::when_out_of_memory(end_without_memory);
}

/// Ends the program because the system has no memory. The allocator calls it, too, so it allocates only after the reserve was
/// freed.
#[cold]
pub fn end_without_memory() {
    thread_local! {
        static ENDING: Cell<bool> = const { Cell::new(false) };
    }
    static ENDED: AtomicBool = AtomicBool::new(false);
    if ENDING.replace(true) {
        // There is no memory for the report, either.
        std::process::exit(Status::Inconclusive as i32);
    }
    if ENDED.swap(true, Ordering::Relaxed) {
        // Another thread reports already.
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    if let Ok(mut reserve) = RESERVE.try_lock() {
        *reserve = None;
    }
    terminal::restore();
    watchdog::out_of_memory();
    output::error("the system has no more memory for the program");
    std::process::exit(Status::Inconclusive as i32);
}

#[cfg(test)]
mod tests {
    use super::Status::*;

    #[test]
    fn a_violation_outranks_everything_but_our_bugs() {
        let all = [Fine, Violated, BadInput, Inconclusive];
        assert_eq!(all.into_iter().fold(Fine, |a, b| a.worse(b)), Violated);
        assert_eq!(Inconclusive.worse(BadInput), BadInput);
        assert_eq!(BadInput.worse(Inconclusive), BadInput);
        assert_eq!(Fine.worse(Inconclusive), Inconclusive);
    }
}
