//! `kripke check`: explore every state, give a verdict.

mod done;
mod exchange;
mod machine;
mod stopped;
mod tally;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kripke_report::json;

use crate::args::{Check, Format};
use crate::exit::{Failure, Status};
use crate::load::Trouble;
use crate::{memory, output, signals};
use done::{Done, Stopped};
use stopped::Among;
use tally::Tally;

pub fn run(args: &Check) -> Result<Status, Failure> {
    if args.showing.trail.is_some() && args.files.len() > 1 {
        return Err(Failure::BadInput("--trail names one file, but there are several models".to_string()));
    }
    if let Some(complaint) = args.searching.storing.complaint(args.searching.search) {
        return Err(Failure::BadInput(complaint.to_string()));
    }
    let interrupt = signals::interrupt();
    if let [file] = &args.files[..] {
        return one(args, file, &interrupt);
    }
    many(args, &interrupt)
}

/// One model: the whole screen.
fn one(args: &Check, file: &Path, interrupt: &Arc<AtomicBool>) -> Result<Status, Failure> {
    let done = match Done::check(args, file, interrupt, None) {
        Ok(done) => done,
        Err(Stopped::Trouble(trouble)) => return Ok(refuse(args, file, &trouble, true)),
        Err(Stopped::Failure(failure)) => return Err(failure),
    };
    let text = match args.showing.format {
        Format::Json => machine::report(&done, args).text(true),
        Format::Text if args.showing.quiet => format!("{}\n", done.brief()),
        Format::Text => done.screen(args, file),
    };
    let status = done.status();
    drop(done.watching);
    output::print(&text);
    Ok(status)
}

/// Several models: a line each, and a sum.
fn many(args: &Check, interrupt: &Arc<AtomicBool>) -> Result<Status, Failure> {
    let width = args.files.iter().map(|f| f.display().to_string().chars().count()).max().unwrap_or(0);
    let mut tally = Tally::default();
    for (number, file) in args.files.iter().enumerate() {
        if interrupt.load(Ordering::Relaxed) {
            tally.skipped += 1;
            continue;
        }
        let name = file.display().to_string();
        let among = Among { width, tally: tally.clone(), left: args.files.len() - number - 1 };
        let (line, status) = match Done::check(args, file, interrupt, Some(among)) {
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
        output::print(&line);
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
        output::print(&json::bad_input(env!("CARGO_PKG_VERSION"), &name, &trouble.complaints, alone));
    }
    output::remark(&trouble.text);
    Status::BadInput
}
