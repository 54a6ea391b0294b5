//! `kripke replay`: shows a trail again.

use std::io;
use std::path::Path;

use kripke::files::Disk;
use kripke::replay::{Replayable, TrailRequest};
use kripke::request::Request;
use kripke::spin::trail::{SpinTrail, is_trail};
use kripke::spin::{Followed, Numbered, Steps, follow};
use kripke::task::Kind;
use kripke_model::Interpreter;
use kripke_report::run::{End, Run};
use kripke_report::table::Look;
use kripke_report::trail_file::TrailFile;
use kripke_report::{itf, listing, screen};

use crate::args::{Reading, Replay, ReplayFormat};
use crate::exit::{Failure, Status};
use crate::interactive::Session;
use crate::{files, output};

pub fn run(args: &Replay) -> Result<Status, Failure> {
    let path = args.trail.clone().unwrap_or_else(|| files::trail_name(&args.file));
    let wrong = |e: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {e}", path.display()));
    let text = text(args, &path)?;
    if is_trail(&text) {
        return of_spin(args, &text).map_err(|e| match e {
            Failed::Trail(why) => wrong(&why),
            Failed::Program(failure) => failure,
        });
    }
    let file = TrailFile::read(&text).map_err(|e| wrong(&e))?;
    let request = request(&file).map_err(|e| wrong(&e))?;
    let prepared = kripke::replay::prepare(&args.file, &request, &Disk)?;
    let Replayable { kind, mut interpreter, mut searched, warnings } = prepared;
    output::remark(&warnings);
    let trail = file.trail(interpreter.model()).map_err(|e| wrong(&e))?;
    let (_, replayed) = trail.replay_whole(&mut interpreter, &mut searched).map_err(|e| wrong(&e))?;
    let mut run = Run::replayed(&interpreter, &replayed);
    let witness = kind == Kind::Ctl && file.error.is_none();
    if kind == Kind::Ctl && !witness && *run.end() == End::Fine {
        run.finish(End::Refuted);
    }
    let verdict = if witness { String::new() } else { screen::verdict_line(&run).unwrap_or_default() };
    let violated = !args.interactive && !witness && *run.end() != End::Fine;
    show(args, interpreter, run, &verdict, file.error.as_deref().unwrap_or(""));
    Ok(if violated { Status::Violated } else { Status::Fine })
}

/// Prints a run in the format that is asked for, or steps through it.
fn show(args: &Replay, interpreter: Interpreter, run: Run, verdict: &str, error: &str) {
    let names = run.names();
    let format = if args.list { ReplayFormat::List } else { args.format };
    if args.interactive {
        output::print(&format!("{verdict}\n"));
        Session::new(interpreter, run).run(std::io::stdin().lock());
        return;
    }
    let look = Look { width: output::width(), full: args.full };
    if format == ReplayFormat::Json {
        output::print_json(&itf::itf(&run, &names, error));
    }
    output::print(&match format {
        ReplayFormat::Table => format!("{verdict}\n{}", screen::trace(&run, &names, look)),
        ReplayFormat::List if *run.end() == End::InvalidEnd => {
            format!("{}{verdict}{}", listing::listing(&run), screen::deadlock(&run, &names))
        }
        ReplayFormat::List => format!("{}{verdict}", listing::listing(&run)),
        ReplayFormat::Json => String::new(),
    });
}

/// The reason why a trail of SPIN is not shown.
enum Failed {
    /// The trail does not fit the model, or is no trail.
    Trail(String),
    Program(Failure),
}

/// Shows a trail of SPIN.
fn of_spin(args: &Replay, text: &str) -> Result<Status, Failed> {
    let bad = |e: &dyn std::fmt::Display| Failed::Trail(e.to_string());
    let trail = SpinTrail::parse(text).map_err(|e| bad(&e))?;
    let mut model = Numbered::load(&args.file, &args.text.source(), Steps::Short, &Disk)
        .map_err(|error| Failed::Program(error.into()))?;
    output::remark(&model.warnings);
    let Followed { run, remark } = follow(&mut model, &trail).map_err(|e| bad(&e))?;
    if let Some(remark) = remark {
        output::warn(&remark);
    }
    let verdict = screen::verdict_line(&run).unwrap_or_default();
    let violated = !args.interactive && *run.end() != End::Fine;
    show(args, model.interpreter, run, &verdict, "");
    Ok(if violated { Status::Violated } else { Status::Fine })
}

/// The request of a trail file. Formats 1 and 2 have arguments of the program instead.
fn request(file: &TrailFile) -> Result<Request, String> {
    if file.request.is_null() {
        let known = Reading::from_arguments(&file.arguments);
        let (reading, asking) = known.map_err(|_| "its arguments make no sense".to_string())?;
        let mut request = Request {
            source: reading.source(),
            questions: asking.questions(false),
            reductions: reading.reductions(),
            ..Request::default()
        };
        request.search.algorithm = asking.cycles;
        return Ok(request);
    }
    let request: TrailRequest =
        serde_json::from_value(file.request.clone()).map_err(|e| format!("its request makes no sense: {e}"))?;
    if !request.is_known() {
        return Err("its request was written by a newer version of Kripke".to_string());
    }
    Ok(request.request())
}

fn text(args: &Replay, path: &Path) -> Result<String, Failure> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged: not text in UTF-8");
    let bytes = files::read(path, files::MAX_TRAIL_BYTES);
    bytes.and_then(|bytes| String::from_utf8(bytes).map_err(not_text)).map_err(|e| {
        let mut message = format!("can't read the trail {}: {}", path.display(), files::explain(&e));
        if args.trail.is_none() && e.kind() == std::io::ErrorKind::NotFound {
            let model = args.file.display();
            message.push_str(&format!("\n  `kripke check {model}` writes one when it finds an error"));
        }
        Failure::BadInput(message)
    })
}
