//! The ranks that MPI has started, as one of them sees them: the same program, model and options, one report, one exit status.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, thread};

use kripke::files::Disk;
use kripke::request::{Request, StoreKind};
use kripke_cluster::partition::hash;
use kripke_cluster::transport::Failure as Lost;
use kripke_cluster::transport::mpi::World;

use crate::args::Check;
use crate::exit::{Failure, Status};
use crate::{files, output};

/// How long a rank that does not report a failure waits for the one that does.
const REPORT: Duration = Duration::from_secs(2);

/// Starts MPI and compares the ranks. The check is then one of all ranks.
pub fn join(args: &mut Check) -> Result<(), Failure> {
    let world = World::start().map_err(|why| unstarted(&why))?;
    let ranks = world.ranks();
    let number = u16::try_from(ranks).map_err(|_| Failure::BadInput(format!("{ranks} ranks are too many")))?;
    let mine = [program(), options(), models(&args.files, &args.request())];
    let mut contribution = Vec::new();
    mine.iter().for_each(|print| contribution.extend_from_slice(&print.to_le_bytes()));
    let all = world.network().gather(contribution).map_err(|lost| inconclusive(&lost))?;
    let differs = |(rank, prints): (usize, &Vec<u8>)| {
        let what = prints.chunks(8).zip(all[0].chunks(8)).position(|(one, first)| one != first)?;
        Some((rank, ["program", "list of arguments", "model"][what]))
    };
    match all.iter().enumerate().find_map(differs) {
        Some((rank, what)) => {
            Err(Failure::BadInput(format!("rank {rank} has another {what} than rank 0: all ranks need the same")))
        }
        None => set_ranks(args, number).and_then(|()| set_store(args)),
    }
}

/// A state that does not fit into words makes a process repeat its search, and the others would not know: states are stored in full.
fn set_store(args: &mut Check) -> Result<(), Failure> {
    match args.searching.storing.store.unwrap_or_default() {
        StoreKind::Auto => args.searching.storing.store = Some(StoreKind::Exact),
        StoreKind::Words => {
            let what = "--store words: several processes store states in full: leave out the option";
            return Err(Failure::BadInput(what.to_string()));
        }
        _ => {}
    }
    Ok(())
}

fn set_ranks(args: &mut Check, number: u16) -> Result<(), Failure> {
    match args.searching.ranks.replace(number) {
        Some(other) if other != number => {
            Err(Failure::BadInput(format!("--ranks {other}: there are {number} processes, and each is a rank")))
        }
        _ => Ok(()),
    }
}

fn unstarted(why: &str) -> Failure {
    output::unmute();
    Failure::Unwritten(format!("{why}: the check is inconclusive"))
}

/// A hash of this program's file.
fn program() -> u64 {
    hash(&files::own_program()) ^ hash(env!("CARGO_PKG_VERSION").as_bytes())
}

fn options() -> u64 {
    let args: Vec<_> = env::args_os().skip(1).collect();
    hash(format!("{args:?}").as_bytes())
}

/// A hash of the texts of all models. What is wrong with a model that can't be read is part of it.
fn models(files: &[PathBuf], request: &Request) -> u64 {
    let mut texts = Vec::new();
    for file in files {
        match kripke::task::load(file, request, &Disk) {
            Ok(problem) => problem.model.files.iter().for_each(|file| texts.push(file.text.to_string())),
            Err(error) => texts.push(error.text.clone()),
        }
    }
    hash(format!("{texts:?}").as_bytes())
}

/// Makes the rank that reports a lost one print, and no other: the lost one may have been stopped, and goes on.
pub fn report_failure(lost: &Lost) {
    match World::get().is_some_and(|world| world.rank() == reporter(lost)) {
        true => output::unmute(),
        false => output::mute(),
    }
}

fn reporter(lost: &Lost) -> usize {
    match lost {
        Lost::Lost(0) | Lost::Silent(0, _) | Lost::Protocol(0, _) => 1,
        _ => 0,
    }
}

fn inconclusive(lost: &Lost) -> Failure {
    report_failure(lost);
    Failure::Unwritten(format!("{lost}: the check is inconclusive"))
}

/// All ranks get the status of rank 0, which has written the results.
fn agree(world: &World, status: &mut Status) -> Result<(), Lost> {
    let first = world.network().broadcast(0, Some(vec![*status as u8]))?;
    let code = first.first().copied().map_or(Status::Bug as i32, i32::from);
    *status = Status::of(code).unwrap_or(Status::Bug);
    Ok(())
}

/// Waits for all ranks, and ends MPI. The status is the same on all: a lost rank makes every check inconclusive.
pub fn finish(mut status: Status) -> Status {
    let Some(world) = World::get() else { return status };
    let known = world.failure().cloned();
    let lost = match &known {
        None => agree(world, &mut status).and_then(|()| world.finish()).err(),
        Some(_) => None,
    };
    if let Some(lost) = &lost {
        report_failure(lost);
        output::error(&format!("{lost}: the check is inconclusive"));
    }
    match known.or(lost) {
        None => status,
        Some(lost) => {
            if reporter(&lost) != world.rank() {
                thread::sleep(REPORT);
            }
            // MPI can't be ended without the lost rank.
            std::process::exit(Status::Inconclusive as i32);
        }
    }
}
