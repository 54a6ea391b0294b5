//! `kripke check`: explores every state and gives a verdict.

mod cases;
mod json;
mod reports;
mod run_log;
mod screen;
mod stopped;
mod tally;
mod watcher;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use kripke::answer::Results;
use kripke::error::Error;
use kripke::files::Disk;
use kripke::load::InputError;
use kripke::plan::Plan;
use kripke::request::{Limits, Request};
use kripke::survey::{Surveyed, Wanted, survey};
use kripke_lang::Language;
use kripke_report::case::{CaseResult, Suite};
use kripke_report::json::bad_input;
use kripke_report::verdict::Verdict;

use crate::args::{Check, Format};
use crate::exit::{Failure, Status};
use crate::files::{Kind, Replace};
use crate::gpu::MACHINES;
use crate::watchdog::Watched;
use crate::{cluster, files, output, processor, signals, watchdog};
use reports::Reports;
use run_log::RunLog;
use screen::Done;
use stopped::{Answered, Position, StopReport};
use tally::Tally;
use watcher::Watcher;

pub fn run(args: &Check) -> Result<Status, Failure> {
    if args.showing.trail.is_some() && args.files.len() > 1 {
        return Err(Failure::BadInput("--trail names one file, but there are several models".to_string()));
    }
    let request = args.request();
    if args.showing.spin.spin_trail.is_some() {
        let language = |file: &Path| request.source.language.unwrap_or_else(|| Language::of(file)).name();
        if let Some(file) = args.files.iter().find(|file| language(file) != "promela") {
            let file = file.display();
            return Err(Failure::BadInput(format!("--spin-trail: SPIN reads Promela, and {file} is another language")));
        }
    }
    if args.parse_only {
        return parse_only(args, &request);
    }
    let (reports, log) = cluster::agree(prepare(args, &request))?;
    let interrupt = signals::interrupt();
    let session = Session { args, request: &request, interrupt: &interrupt, reports: &reports, log: &log };
    let status = match &args.files[..] {
        [file] => session.one(file),
        _ => session.many(),
    };
    reports.write();
    log.write();
    status
}

/// Refuses what can't be done, before the search.
fn prepare(args: &Check, request: &Request) -> Result<(Arc<Reports>, Arc<RunLog>), Failure> {
    Plan::validate(request).map_err(|refusal| Failure::BadInput(refusal.to_string()))?;
    check_output(args)?;
    Ok((Arc::new(Reports::new(args)?), Arc::new(RunLog::new(args)?)))
}

/// The arguments that the checks of all models share.
struct Session<'a> {
    args: &'a Check,
    request: &'a Request,
    interrupt: &'a Arc<AtomicBool>,
    reports: &'a Arc<Reports>,
    log: &'a Arc<RunLog>,
}

/// Reads the models, and nothing else.
fn parse_only(args: &Check, request: &Request) -> Result<Status, Failure> {
    let mut status = Status::Fine;
    for file in &args.files {
        match kripke::task::load(file, request, &Disk) {
            Ok(problem) => output::remark(&problem.warnings),
            Err(error) => status = refuse(args, file, &error, args.files.len() == 1),
        }
    }
    Ok(status)
}

/// Refuses a trail file that can't be written, before the search.
fn check_output(args: &Check) -> Result<(), Failure> {
    let Some(path) = &args.showing.trail else { return Ok(()) };
    if files::is_standard(path) && args.showing.format == Format::Json {
        return Err(Failure::BadInput("--trail - and --format json would both be standard output".to_string()));
    }
    if files::is_standard(path) && args.showing.itf {
        return Err(Failure::BadInput(
            "--trail - and --itf: standard output has no place for a second file".to_string(),
        ));
    }
    files::may_write(path, Replace::new(Kind::Trail, args.showing.force)).map_err(|e| files::unwritten(path, &e))
}

/// Prints a report on standard output, or on standard error if the trail is there.
fn print(args: &Check, report: &str) {
    match args.showing.format {
        Format::Json => output::print_json(report),
        Format::Text if args.showing.trail.as_deref().is_some_and(files::is_standard) => output::remark(report),
        Format::Text => output::print(report),
    }
}

impl Session<'_> {
    /// Checks one model under the watchdog, which ends the program where a phase does not obey a limit by itself.
    fn check(&self, file: &Path, position: Option<Position>) -> Result<(Done, watchdog::Watching), Error> {
        let (start, busy) = (Instant::now(), processor::seconds());
        let limits = kripke::run::limits(self.request);
        let answered = Answered::new(self.reports.is_wanted());
        let report = StopReport::new(self, self::limits(&limits), file, &answered, position);
        let watching = watchdog::watch(Watched {
            deadline: limits.timeout.and_then(|timeout| start.checked_add(timeout)),
            memory: limits.memory,
            interrupt: self.interrupt.clone(),
            report: Box::new(move |stop| report.print(stop)),
        });
        let Session { args, request, interrupt, reports, log } = self;
        log.start(file);
        let trails = Mutex::new((Vec::new(), false));
        let watcher = Watcher { args, request, file, interrupt, answered, trails, log };
        let results = match kripke::run::check_with(MACHINES, file, request, &Disk, &watcher) {
            Ok(results) => results,
            Err(error) => {
                reports.add(unanswered(file, &error));
                log.end(Some(error.to_string()));
                return Err(error);
            }
        };
        reports.add(watcher.answered.suite(file));
        log.end(None);
        let surveyed = self.survey(&results, limits.timeout.and_then(|timeout| start.checked_add(timeout)));
        let cpu = processor::seconds().zip(busy).map(|(now, before)| now - before);
        Ok((Done { results, trails: watcher.into_trails(), cpu, surveyed }, watching))
    }

    /// The statistics of the state space, if they are wanted.
    fn survey(&self, results: &Results, deadline: Option<Instant>) -> Option<Surveyed> {
        let wanted = &self.args.statistics;
        if !wanted.any() {
            return None;
        }
        let wanted = Wanted {
            profile: wanted.profile,
            ranges: wanted.ranges,
            max_states: self.request.limits.max_states,
            deadline,
            interrupt: Some(self.interrupt.clone()),
        };
        survey(&results.model, &wanted).ok()
    }

    /// Checks one model and prints the whole screen.
    fn one(&self, file: &Path) -> Result<Status, Failure> {
        let args = self.args;
        let (done, watching) = match self.check(file, None) {
            Ok(done) => done,
            Err(Error::Input(error)) => return Ok(refuse(args, file, &error, true)),
            Err(error) => return Err(error.into()),
        };
        let report = match args.showing.format {
            Format::Json => json::report(&done, args).text(true),
            Format::Text if args.showing.quiet => format!("{}\n", done.brief()),
            Format::Text => done.screen(args, file),
        };
        // Results are not cut off.
        drop(watching);
        print(args, &report);
        Ok(status(&done))
    }

    /// Checks several models and prints a line for each, and a sum.
    fn many(&self) -> Result<Status, Failure> {
        let args = self.args;
        let width = args.files.iter().map(|f| files::shown(f).chars().count()).max().unwrap_or(0);
        let mut tally = Tally::default();
        for (number, file) in args.files.iter().enumerate() {
            if self.interrupt.load(Ordering::Relaxed) {
                tally.skipped += 1;
                continue;
            }
            let position = Position { width, tally: tally.clone(), left: args.files.len() - number - 1 };
            tally.add(self.one_of_many(file, position));
        }
        if args.showing.format == Format::Text {
            output::print(&tally.text());
        }
        Ok(tally.status())
    }

    /// Checks one of several models and prints a line.
    fn one_of_many(&self, file: &Path, position: Position) -> Status {
        let (args, name, width) = (self.args, files::shown(file), position.width);
        let (line, status) = match self.check(file, Some(position)) {
            Ok((done, _watching)) => {
                let line = match args.showing.format {
                    Format::Json => json::report(&done, args).text(false),
                    Format::Text => format!("{name:<width$}   {}\n", done.brief()),
                };
                (line, status(&done))
            }
            Err(Error::Input(error)) => {
                let status = refuse(args, file, &error, false);
                let line = match args.showing.format {
                    Format::Json => String::new(),
                    Format::Text => format!("{name:<width$}   ! {}\n", error.brief()),
                };
                (line, status)
            }
            Err(error) => (String::new(), Failure::from(error).into()),
        };
        print(args, &line);
        status
    }
}

/// The suite of a model that was not checked.
fn unanswered(file: &Path, error: &Error) -> Suite {
    let result = match error {
        Error::Input(error) => CaseResult::Unreadable(error.complaints.clone()),
        Error::Refused(refusal) => CaseResult::Unreadable(InputError::whole(file, &refusal.to_string()).complaints),
        Error::Bug(text) => CaseResult::Failed(text.clone()),
    };
    Suite::whole(&file.display().to_string(), result)
}

/// The exit status of a check.
fn status(done: &Done) -> Status {
    match done.results.decisive().verdict {
        Verdict::Holds(_) => Status::Fine,
        Verdict::Violated(_) => Status::Violated,
        Verdict::Inconclusive(_) => Status::Inconclusive,
    }
}

/// The limits of a check, for machines.
fn limits(limits: &Limits) -> kripke_report::json::Limits {
    kripke_report::json::Limits {
        max_depth: limits.max_depth,
        max_states: limits.max_states,
        memory: limits.memory,
        timeout: limits.timeout.map(|t| t.as_secs_f64()),
    }
}

/// Prints the diagnostics of a model that can't be read.
fn refuse(args: &Check, file: &Path, error: &InputError, alone: bool) -> Status {
    if args.showing.format == Format::Json {
        let name = file.display().to_string();
        output::print_json(&bad_input(env!("CARGO_PKG_VERSION"), &name, &error.complaints, alone));
    }
    output::remark(&error.text);
    Status::BadInput
}
