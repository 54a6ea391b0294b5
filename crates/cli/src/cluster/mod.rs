//! Checks by several processes: recognising that `mpirun` has started this one, and starting `mpirun`.

mod launch;
#[cfg(all(feature = "mpi", unix))]
pub mod supervisor;
#[cfg(all(feature = "mpi", unix))]
pub mod world;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode, Stdio};

pub use launch::Launch;

use crate::args::{Check, Cluster, Command};
use crate::exit::{Failure, Status};
use crate::{check, output};

/// What this process does, given how it was started.
pub enum Role {
    /// It was started alone, or it is a rank.
    Program,
    /// It ends with this status.
    Ended(u8),
}

/// The part of this process if `mpirun` has started it: ranks other than 0 are silent.
pub fn role(launch: Option<Launch>, args: &[OsString]) -> Role {
    let Some(launch) = launch else { return Role::Program };
    if launch.rank != 0 {
        output::mute();
    }
    start(launch, args)
}

#[cfg(all(feature = "mpi", unix))]
fn start(launch: Launch, args: &[OsString]) -> Role {
    if supervisor::is_rank() { Role::Program } else { Role::Ended(supervisor::run(launch, args)) }
}

#[cfg(not(all(feature = "mpi", unix)))]
fn start(launch: Launch, _: &[OsString]) -> Role {
    let Launch { ranks, by, .. } = launch;
    output::error(&format!(
        "{by} has started {ranks} processes, but this program was built without MPI; build it with `--features mpi`, or use \
         --ranks {ranks} on one machine"
    ));
    Role::Ended(Status::BadInput as u8)
}

/// The exit code of this process: a rank tells it to its supervisor.
pub fn exit_code(launch: Option<Launch>, status: Status) -> ExitCode {
    ExitCode::from(code(launch, status))
}

/// Ends this process at once, with the exit code of a status.
pub fn exit(status: Status) -> ! {
    std::process::exit(code(Launch::of_environment(), status).into())
}

fn code(launch: Option<Launch>, status: Status) -> u8 {
    #[cfg(all(feature = "mpi", unix))]
    if launch.is_some() {
        return supervisor::exit_code(status);
    }
    let _ = launch;
    status as u8
}

/// Refuses commands that are no checks if this is one of several processes.
pub fn refuse(launch: Option<Launch>, command: &Command) -> Result<(), Failure> {
    match (launch, command) {
        (None, _) | (_, Command::Check(_)) => Ok(()),
        (Some(Launch { ranks, by, .. }), _) => Err(Failure::BadInput(format!(
            "only `kripke check` runs as several processes, and {by} has started {ranks}"
        ))),
    }
}

/// `kripke check`, as one of several processes if `mpirun` has started them.
#[cfg(all(feature = "mpi", unix))]
pub fn check(launch: Option<Launch>, mut args: Check) -> Result<Status, Failure> {
    let Some(launch) = launch else { return check::run(&args) };
    let status = world::join(launch, &mut args).and_then(|()| check::run(&args)).unwrap_or_else(Status::from);
    Ok(world::finish(status.completed()))
}

#[cfg(not(all(feature = "mpi", unix)))]
pub fn check(_: Option<Launch>, args: Check) -> Result<Status, Failure> {
    check::run(&args)
}

/// The ranks of a search: the processes that `mpirun` has started, or else threads of this one.
pub fn ranks(number: usize) -> kripke_cluster::Cluster {
    #[cfg(all(feature = "mpi", unix))]
    if let Some(world) = kripke_cluster::transport::mpi::World::get() {
        return kripke_cluster::Cluster::of_processes(world);
    }
    kripke_cluster::Cluster::of_threads(number)
}

/// What all ranks have prepared before the search. If one of them has failed, all fail with its reason: the others would wait for it.
pub fn agree<T>(prepared: Result<T, Failure>) -> Result<T, Failure> {
    #[cfg(all(feature = "mpi", unix))]
    if let Some(world) = kripke_cluster::transport::mpi::World::get() {
        return world::agree_on(world, prepared);
    }
    prepared
}

/// Gives every process the coverage of all. Threads of one process have the same coverage already.
#[cfg_attr(not(all(feature = "mpi", unix)), allow(unused_variables))]
pub fn share_coverage(
    covered: &mut [Vec<bool>],
    left_out: &mut bool,
) -> Result<(), kripke_cluster::transport::Failure> {
    #[cfg(all(feature = "mpi", unix))]
    if let Some(world) = kripke_cluster::transport::mpi::World::get() {
        return world::share_coverage(world, covered, left_out);
    }
    Ok(())
}

/// Makes the rank print the result of a search that has lost a rank: rank 0, unless that is the lost one.
#[cfg_attr(not(all(feature = "mpi", unix)), allow(unused_variables))]
pub fn report_failure(failure: &kripke_cluster::transport::Failure) {
    #[cfg(all(feature = "mpi", unix))]
    world::report_failure(failure);
}

/// `kripke cluster`: prints or runs the line that starts the ranks.
pub fn run(args: &Cluster) -> Result<Status, Failure> {
    if args.slurm {
        output::print(&script(args, &program()?));
        return Ok(Status::Fine);
    }
    let launcher = launcher(args)?;
    let mut line = line(args, &launcher, &program()?);
    if args.dry_run {
        let words: Vec<String> = line.iter().map(|word| quoted(&word.to_string_lossy())).collect();
        output::print(&format!("{}\n", words.join(" ")));
        return Ok(Status::Fine);
    }
    if cfg!(not(feature = "mpi")) {
        return Err(Failure::BadInput(
            "this program was built without MPI; build it with `--features mpi`".to_string(),
        ));
    }
    // All machines get the variable.
    line.splice(1..1, [if launcher.is_open_mpi { "-x" } else { "-genvlist" }, STATUS].map(OsString::from));
    let ended = process::Command::new(&line[0]).args(&line[1..]).env(STATUS, "1").status();
    let ended = ended.map_err(|error| Failure::BadInput(format!("{}: {error}", launcher.path.display())))?;
    ended.code().and_then(status_of_ranks).ok_or_else(|| {
        let name = launcher.path.display();
        Failure::Unwritten(format!("{name} has failed with {ended}: the check is inconclusive"))
    })
}

/// The variable that makes ranks exit with a code that no launcher has by itself. The exit status 1 of `mpirun` is often its own.
const STATUS: &str = "KRIPKE_RANK_STATUS";

/// What is added to the exit status of a rank, so that an end of the process by MPI or by the launcher is no verdict.
const RANK: i32 = 100;

/// The status that all ranks have exited with. Without an error it is 0: launchers complain about others.
fn status_of_ranks(code: i32) -> Option<Status> {
    Status::of(if code == 0 { code } else { code - RANK })
}

fn program() -> Result<PathBuf, Failure> {
    env::current_exe().map_err(|error| Failure::BadInput(format!("the path of this program is unknown: {error}")))
}

/// The program that starts ranks.
struct Launcher {
    path: PathBuf,
    /// Open MPI has options that others don't know.
    is_open_mpi: bool,
}

fn launcher(args: &Cluster) -> Result<Launcher, Failure> {
    let names = ["mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich"];
    let path = args.mpirun.clone().or_else(|| names.iter().find_map(|name| find(name)));
    let path = path.ok_or_else(|| {
        let install = "install Open MPI or MPICH, or name the program with --mpirun";
        Failure::BadInput(format!("no mpirun was found: {install}"))
    })?;
    let version = process::Command::new(&path).arg("--version").stdin(Stdio::null()).output();
    let version = version.map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))?;
    let is_open_mpi = String::from_utf8_lossy(&version.stdout).contains("Open MPI");
    Ok(Launcher { path, is_open_mpi })
}

/// A program in the directories of `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The command that starts the ranks.
fn line(args: &Cluster, launcher: &Launcher, program: &Path) -> Vec<OsString> {
    let mut line: Vec<OsString> = vec![launcher.path.clone().into(), "-n".into(), args.ranks.to_string().into()];
    if launcher.is_open_mpi {
        // A rank has several threads, so it is not bound to one core. What is to be said of a failure, the ranks say.
        line.extend(["--quiet", "--bind-to", "none"].map(OsString::from));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if args.hosts.is_empty() && usize::from(args.ranks) > cores {
            line.push("--oversubscribe".into());
        }
    }
    if !args.hosts.is_empty() {
        let option = if launcher.is_open_mpi { "--host" } else { "-hosts" };
        line.extend([option.into(), OsString::from(args.hosts.join(","))]);
    }
    line.push(program.into());
    line.extend(args.command.iter().cloned());
    line
}

/// A batch script for Slurm.
fn script(args: &Cluster, program: &Path) -> String {
    let words =
        std::iter::once(program.to_string_lossy()).chain(args.command.iter().map(|word| word.to_string_lossy()));
    let command: Vec<String> = words.map(|word| quoted(&word)).collect();
    let hosts = match args.hosts.is_empty() {
        true => String::new(),
        false => format!("#SBATCH --nodelist={}\n", args.hosts.join(",")),
    };
    format!(
        "#!/bin/sh\n#SBATCH --job-name=kripke\n#SBATCH --ntasks={}\n{hosts}#SBATCH --output=kripke-%j.out\n\
         # One rank that is lost ends the check; its status is that of the job.\n\
         exec srun --mpi=pmix --kill-on-bad-exit=1 {}\n",
        args.ranks,
        command.join(" ")
    )
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(ranks: u16, hosts: &[&str]) -> Cluster {
        let hosts = hosts.iter().map(ToString::to_string).collect();
        let command = ["check", "a model.pml", "--ltl", "[] p"].map(OsString::from).to_vec();
        Cluster { ranks, hosts, dry_run: true, slurm: false, mpirun: None, command }
    }

    fn shown(args: &Cluster, is_open_mpi: bool) -> String {
        let launcher = Launcher { path: "mpirun".into(), is_open_mpi };
        let line = line(args, &launcher, Path::new("kripke"));
        line.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_fit_the_launcher() {
        assert_eq!(
            shown(&args(1, &[]), true),
            "mpirun -n 1 --quiet --bind-to none kripke check 'a model.pml' --ltl '[] p'"
        );
        assert!(shown(&args(60_000, &[]), true).contains("--oversubscribe"));
        assert!(shown(&args(8, &["a:4", "b:4"]), true).contains(" --host a:4,b:4 kripke"));
        assert_eq!(
            shown(&args(8, &["a", "b"]), false),
            "mpirun -n 8 -hosts a,b kripke check 'a model.pml' --ltl '[] p'"
        );
    }

    /// The exit status 1 of `mpirun` itself is no violation.
    #[test]
    fn failures_of_the_launcher_are_no_verdicts() {
        assert_eq!(status_of_ranks(0), Some(Status::Fine));
        assert_eq!(status_of_ranks(101), Some(Status::Violated));
        assert_eq!(status_of_ranks(103), Some(Status::Inconclusive));
        assert!([1, 2, 3, 4, 99, 105, 213, 255].into_iter().all(|code| status_of_ranks(code).is_none()));
    }

    #[test]
    fn a_script_has_the_command() {
        let script = script(&args(16, &[]), Path::new("/opt/kripke"));
        assert!(script.starts_with("#!/bin/sh\n") && script.contains("#SBATCH --ntasks=16\n"));
        assert!(script.ends_with("--kill-on-bad-exit=1 /opt/kripke check 'a model.pml' --ltl '[] p'\n"));
    }

    #[test]
    fn words_are_quoted() {
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("-DN=4"), "-DN=4");
    }
}
