//! `kripke check`: explore every state, give a verdict.

mod confirm;
mod done;
mod exchange;
mod machine;
mod scope;
mod shortest;
mod stopped;
mod tally;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kripke_report::json;

use crate::args::{Check, Format};
use crate::exit::{Failure, Status};
use crate::files::{Kind, Replace};
use crate::load::Trouble;
use crate::{files, memory, output, signals};
use done::{Done, Stopped};
use stopped::Position;
use tally::Tally;

pub fn run(args: &Check) -> Result<Status, Failure> {
    if args.showing.trail.is_some() && args.files.len() > 1 {
        return Err(Failure::BadInput("--trail names one file, but there are several models".to_string()));
    }
    if let Some(complaint) = args.searching.storing.complaint(args.searching.search) {
        return Err(Failure::BadInput(complaint.to_string()));
    }
    check_output(args)?;
    let interrupt = signals::interrupt();
    if let [file] = &args.files[..] {
        return one(args, file, &interrupt);
    }
    many(args, &interrupt)
}

/// A file for the counterexample that can't be written is refused before the search, not after.
fn check_output(args: &Check) -> Result<(), Failure> {
    let Some(path) = &args.showing.trail else { return Ok(()) };
    if files::is_standard(path) && args.showing.format == Format::Json {
        return Err(Failure::BadInput("--trail - and --format json would both be standard output".to_string()));
    }
    files::may_write(path, Replace::new(Kind::Trail, args.showing.force)).map_err(|e| files::unwritten(path, &e))
}

/// Where a report goes: to standard output, unless the trail is there.
fn print(args: &Check, report: &str) {
    match args.showing.format {
        Format::Json => output::print_json(report),
        Format::Text if args.showing.trail.as_deref().is_some_and(files::is_standard) => output::remark(report),
        Format::Text => output::print(report),
    }
}

/// One model: the whole screen.
fn one(args: &Check, file: &Path, interrupt: &Arc<AtomicBool>) -> Result<Status, Failure> {
    let done = match Done::check(args, file, interrupt, None) {
        Ok(done) => done,
        Err(Stopped::Trouble(trouble)) => return Ok(refuse(args, file, &trouble, true)),
        Err(Stopped::Failure(failure)) => return Err(failure),
    };
    let report = match args.showing.format {
        Format::Json => machine::report(&done, args).text(true),
        Format::Text if args.showing.quiet => format!("{}\n", done.brief()),
        Format::Text => done.screen(args, file),
    };
    let status = done.status();
    drop(done.watching);
    print(args, &report);
    Ok(status)
}

/// Several models: a line each, and a sum.
fn many(args: &Check, interrupt: &Arc<AtomicBool>) -> Result<Status, Failure> {
    let width = args.files.iter().map(|f| files::shown(f).chars().count()).max().unwrap_or(0);
    let mut tally = Tally::default();
    for (number, file) in args.files.iter().enumerate() {
        if interrupt.load(Ordering::Relaxed) {
            tally.skipped += 1;
            continue;
        }
        let name = files::shown(file);
        let position = Position { width, tally: tally.clone(), left: args.files.len() - number - 1 };
        let (line, status) = match Done::check(args, file, interrupt, Some(position)) {
            Ok(done) => {
                let line = match args.showing.format {
                    Format::Json => machine::report(&done, args).text(false),
                    Format::Text => format!("{name:<width$}   {}\n", done.brief()),
                };
                (line, done.status())
            }
            Err(Stopped::Trouble(trouble)) => {
                let status = refuse(args, file, &trouble, false);
                let line = match args.showing.format {
                    Format::Json => String::new(),
                    Format::Text => format!("{name:<width$}   ! {}\n", trouble.brief()),
                };
                (line, status)
            }
            Err(Stopped::Failure(failure)) => (String::new(), failure.into()),
        };
        print(args, &line);
        tally.add(status);
    }
    if args.showing.format == Format::Text {
        output::print(&tally.text());
    }
    Ok(tally.status())
}

/// The limits of each check.
fn limits(args: &Check) -> json::Limits {
    json::Limits {
        max_depth: args.limits.max_depth,
        max_states: args.limits.max_states,
        memory: args.limits.mem.or_else(memory::default_limit),
        timeout: args.limits.timeout.map(|t| t.as_secs_f64()),
    }
}

/// There is no model to check: says why.
fn refuse(args: &Check, file: &Path, trouble: &Trouble, alone: bool) -> Status {
    if args.showing.format == Format::Json {
        let name = file.display().to_string();
        output::print_json(&json::bad_input(env!("CARGO_PKG_VERSION"), &name, &trouble.complaints, alone));
    }
    output::remark(&trouble.text);
    Status::BadInput
}
