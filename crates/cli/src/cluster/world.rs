//! The ranks that MPI has started, as one of them sees them: the same program, model and options, one report, one exit status.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, thread};

use kripke::files::{Disk, Files};
use kripke::request::{Request, StoreKind};
use kripke_cluster::partition::hash;
use kripke_cluster::transport::Failure as Lost;
use kripke_cluster::transport::mpi::World;

use super::launch::Launch;
use crate::args::Check;
use crate::exit::{Failure, Status};
use crate::{files, output};

/// How long a rank that does not report a failure waits for the one that does.
const REPORT: Duration = Duration::from_secs(2);

/// Starts MPI and compares the ranks. The check is then one of all ranks.
pub fn join(launch: Launch, args: &mut Check) -> Result<(), Failure> {
    let world = World::start().map_err(|why| unstarted(&why))?;
    let ranks = world.ranks();
    let number = u16::try_from(ranks).map_err(|_| Failure::BadInput(format!("{ranks} ranks are too many")))?;
    let mine = [program(), options(), properties(args), models(&args.files, &args.request())];
    let mut contribution = Vec::new();
    mine.iter().for_each(|print| contribution.extend_from_slice(&print.to_le_bytes()));
    let all = world.network().gather(contribution).map_err(|lost| inconclusive(&lost))?;
    let differs = |(rank, prints): (usize, &Vec<u8>)| {
        let what = prints.chunks(8).zip(all[0].chunks(8)).position(|(one, first)| one != first)?;
        Some((rank, ["program", "list of arguments", "property file", "model"][what]))
    };
    match all.iter().enumerate().find_map(differs) {
        Some((rank, what)) => {
            Err(Failure::BadInput(format!("rank {rank} has another {what} than rank 0: all ranks need the same")))
        }
        None => set_ranks(args, number).and_then(|()| set_store(args)).map(|()| set_machine(launch, args)),
    }
}

/// On several machines, the memory is that of all, and the cores of this one are for the ranks on it.
fn set_machine(Launch { ranks, here, .. }: Launch, args: &mut Check) {
    if here == ranks {
        return;
    }
    let all = |memory: u64| (memory / here as u64).saturating_mul(ranks as u64);
    args.limits.mem = args.limits.mem.or_else(|| kripke::memory::default_limit().map(all));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    args.searching.threads = args.searching.threads.or(u16::try_from((cores / here).max(1)).ok());
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

/// A hash of the files with properties.
fn properties(args: &Check) -> u64 {
    let files = args.asking.ltl_file.iter().chain(&args.asking.hoa);
    let texts: Vec<_> = files.map(|file| Disk.included(file).map_err(|error| error.to_string())).collect();
    hash(format!("{texts:?}").as_bytes())
}

/// What all ranks have prepared, or the failure of the first rank that has failed.
pub fn agree_on<T>(world: &World, prepared: Result<T, Failure>) -> Result<T, Failure> {
    let mine = prepared.as_ref().err().map_or_else(Vec::new, encode);
    let all = world.network().gather(mine).map_err(|lost| inconclusive(&lost))?;
    match all.iter().enumerate().find_map(|(rank, bytes)| decode(rank, bytes)) {
        Some(failure) => Err(failure),
        None => prepared,
    }
}

/// A failure as its status and its text. Nothing is the contribution of a rank that has not failed.
fn encode(failure: &Failure) -> Vec<u8> {
    let status = match failure {
        Failure::Said(status) => *status,
        Failure::BadInput(_) => Status::BadInput,
        Failure::Unwritten(_) => Status::Inconclusive,
        Failure::Bug(_) => Status::Bug,
    };
    let text = match failure {
        Failure::BadInput(text) | Failure::Unwritten(text) | Failure::Bug(text) => text.as_str(),
        Failure::Said(_) => "",
    };
    [&[status as u8], text.as_bytes()].concat()
}

fn decode(rank: usize, bytes: &[u8]) -> Option<Failure> {
    let (status, text) = bytes.split_first()?;
    let text = String::from_utf8_lossy(text);
    let text = if rank == 0 { text.into_owned() } else { format!("rank {rank}: {text}") };
    Some(match Status::of(i32::from(*status)) {
        Some(Status::BadInput) => Failure::BadInput(text),
        Some(Status::Inconclusive) => Failure::Unwritten(text),
        _ => Failure::Bug(text),
    })
}

/// Gives every rank the statements that any rank has executed, and whether any has left out a move.
pub fn share_coverage(world: &World, covered: &mut [Vec<bool>], left_out: &mut bool) -> Result<(), Lost> {
    let edges = covered.iter().flatten().copied();
    let mine = std::iter::once(*left_out).chain(edges).map(u8::from).collect();
    for of_rank in world.network().gather(mine)? {
        let all = std::iter::once(&mut *left_out).chain(covered.iter_mut().flatten());
        all.zip(of_rank).for_each(|(known, executed)| *known |= executed != 0);
    }
    Ok(())
}

/// Makes the rank that reports a lost one print, and no other: the lost one may have been stopped, and goes on.
pub fn report_failure(lost: &Lost) {
    match World::get().is_some_and(|world| world.rank() == reporter(world, lost)) {
        true => output::unmute(),
        false => output::mute(),
    }
}

/// The lowest rank of which something was heard.
fn reporter(world: &World, lost: &Lost) -> usize {
    let is_lost = |rank: &usize| match lost {
        Lost::Lost(lost) | Lost::Silent(lost, _) | Lost::Protocol(lost, _) => lost == rank,
        Lost::Killed => false,
    };
    (0..world.ranks()).find(|rank| !is_lost(rank) && !world.is_silent(*rank)).unwrap_or(world.rank())
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
            if reporter(world, &lost) != world.rank() {
                thread::sleep(REPORT);
            }
            // MPI can't be ended without the lost rank.
            std::process::exit(Status::Inconclusive as i32);
        }
    }
}
