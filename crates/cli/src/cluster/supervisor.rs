//! The parent of a rank. `mpirun` ends all ranks as soon as it notices that one of its children was killed, before any of them could
//! say what happened, and its exit status is then that of the signal. So the child of `mpirun` is this supervisor, and the rank is its
//! child: a lost rank leaves the others the time to notice it, to report it and to exit with the status of an inconclusive check.

use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{env, thread};

use super::launch::Launch;
use super::{RANK, STATUS};
use crate::exit::Status;
use crate::output;

/// The variable that tells a process that it has a supervisor.
const SUPERVISED: &str = "KRIPKE_RANK_SUPERVISED";

/// How long the other ranks have to notice a lost one. They exit before, after 6 to 9 s, and `mpirun` then ends this process. On a machine
/// with much other work they may need longer; only if no other rank is left does it take all this time.
const OTHERS: Duration = Duration::from_secs(30);

/// Whether this process is a rank and not its supervisor. A rank ends with its supervisor.
pub fn is_rank() -> bool {
    let supervised = env::var_os(SUPERVISED).is_some();
    #[cfg(target_os = "linux")]
    if supervised {
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    supervised
}

/// Runs the rank, and gives the exit code for the launcher.
pub fn run(launch: Launch, args: &[OsString]) -> u8 {
    match (status(launch, args), env::var_os(STATUS)) {
        (Status::Fine, _) => Status::Fine as u8,
        (status, None) => status as u8,
        (status, Some(_)) => exit_code(status),
    }
}

fn status(launch: Launch, args: &[OsString]) -> Status {
    // The rank gets these signals, too: it ends, and then this process.
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
    let program = env::current_exe();
    let rank = program.and_then(|program| Command::new(program).args(args).env(SUPERVISED, "1").status());
    match rank {
        Ok(status) => status.code().and_then(told).unwrap_or_else(|| lost(launch, status)),
        Err(error) => {
            output::own_error(&format!("rank {} can't be started: {error}", launch.rank));
            Status::Inconclusive
        }
    }
}

/// The exit status of a rank, for its supervisor.
pub fn exit_code(status: Status) -> u8 {
    RANK as u8 + status as u8
}

/// The status that a rank has told. One that ends early tells a failure without more ado.
fn told(code: i32) -> Option<Status> {
    let failure = [Status::BadInput, Status::Inconclusive, Status::Bug].into_iter().find(|s| *s as i32 == code);
    failure.or_else(|| Status::of(code - RANK))
}

fn lost(launch: Launch, status: ExitStatus) -> Status {
    output::own_error(&format!("rank {} was lost: {status}", launch.rank));
    thread::sleep(OTHERS);
    Status::Inconclusive
}
