//! `kripke replay`: shows a trail again.

use std::io;
use std::path::{Path, PathBuf};

use kripke::explain::{self, Explained};
use kripke::files::Disk;
use kripke::replay::{Replayable, TrailRequest};
use kripke::request::Request;
use kripke::spin::trail::{SpinTrail, is_trail};
use kripke::spin::{Followed, Numbered, Steps, follow};
use kripke::task::Kind;
use kripke_model::Interpreter;
use kripke_report::names::Names;
use kripke_report::run::{End, Run};
use kripke_report::select::{self, Selection};
use kripke_report::table::Look;
use kripke_report::trail_file::TrailFile;
use kripke_report::{chart, itf, listing, screen};

use crate::args::{ChartFormat, Reading, Replay, ReplayFormat};
use crate::exit::{Failure, Status};
use crate::interactive::Session;
use crate::trail_names::Part;
use crate::{files, output, trail_names};

/// Names that the message on a pattern without a match lists.
const MOST_NAMES: usize = 30;

/// A run to show.
struct Shown {
    interpreter: Interpreter,
    run: Run,
    verdict: String,
    error: String,
    /// Whether it is a counterexample.
    is_violation: bool,
}

/// The reason why a trail of SPIN is not shown.
enum Failed {
    /// The trail does not fit the model, or is no trail.
    Trail(String),
    Program(Failure),
}

pub fn run(args: &Replay) -> Result<Status, Failure> {
    let path = args.trail.clone().or_else(|| trail_names::newest(&args.file)).unwrap_or_else(|| usual_name(&args.file));
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
    let prepared = kripke::replay::prepare(&args.file, &request, &args.viewing.watch, &Disk)?;
    let Replayable { kind, property, question, mut interpreter, mut searched, watched, warnings } = prepared;
    output::remark(&warnings);
    let trail = file.trail(interpreter.model()).map_err(|e| wrong(&e))?;
    let (_, replayed) = trail.replay_whole(&mut interpreter, &mut searched).map_err(|e| wrong(&e))?;
    let mut run = Run::replayed(&interpreter, &replayed);
    let witness = kind == Kind::Ctl && file.error.is_none();
    if kind == Kind::Ctl && !witness && *run.end() == End::Fine {
        run.finish(End::Refuted);
    }
    let verdict =
        if witness { String::new() } else { screen::verdict_line(&run, property.as_deref()).unwrap_or_default() };
    let is_violation = !witness && *run.end() != End::Fine;
    let shown = Shown { interpreter, run, verdict, error: file.error.unwrap_or_default(), is_violation };
    shown.show(args, |names, interpreter| {
        let explained = Explained { kind, question: question.as_ref(), replayed: &replayed, names };
        let mut selection = explained.selection(args.viewing.selection(), interpreter);
        let watched = args.viewing.watch.iter().zip(&watched);
        selection.watched.extend(watched.map(|(text, expr)| explain::watch(text, expr, &replayed, interpreter)));
        selection
    })
}

/// Shows a trail of SPIN.
fn of_spin(args: &Replay, text: &str) -> Result<Status, Failed> {
    let bad = |e: &dyn std::fmt::Display| Failed::Trail(e.to_string());
    if !args.viewing.watch.is_empty() {
        let why = "--watch: expressions are not evaluated along a trail of SPIN";
        return Err(Failed::Program(Failure::BadInput(why.to_string())));
    }
    let trail = SpinTrail::parse(text).map_err(|e| bad(&e))?;
    let mut model = Numbered::load(&args.file, &args.text.source(), Steps::Short, &Disk)
        .map_err(|error| Failed::Program(error.into()))?;
    output::remark(&model.warnings);
    let Followed { run, remark } = follow(&mut model, &trail).map_err(|e| bad(&e))?;
    if let Some(remark) = remark {
        output::warn(&remark);
    }
    let verdict = screen::verdict_line(&run, None).unwrap_or_default();
    let is_violation = *run.end() != End::Fine;
    let shown = Shown { interpreter: model.interpreter, run, verdict, error: String::new(), is_violation };
    shown.show(args, |_, _| args.viewing.selection()).map_err(Failed::Program)
}

impl Shown {
    /// Prints the run in the format that is asked for, or steps through it.
    fn show(
        self,
        args: &Replay,
        selection: impl FnOnce(&Names, &mut Interpreter) -> Selection,
    ) -> Result<Status, Failure> {
        let Shown { mut interpreter, run, verdict, error, is_violation } = self;
        let names = run.names();
        let format = if args.list { ReplayFormat::List } else { args.format };
        if args.interactive {
            output::print(&format!("{verdict}\n"));
            Session::new(interpreter, run).run(std::io::stdin().lock());
            return Ok(Status::Fine);
        }
        let look = Look { width: output::width(), full: args.full };
        let status = if is_violation { Status::Violated } else { Status::Fine };
        if let Some(format) = args.viewing.chart {
            let chart = chart::chart(&run, &names, &mut interpreter, args.viewing.changes);
            output::print(&match format {
                ChartFormat::Text => format!("{verdict}\n{}", chart::text::text(&chart, look)),
                ChartFormat::Svg => chart::svg::svg(&chart),
                ChartFormat::Mermaid => chart::mermaid::mermaid(&chart),
            });
            return Ok(status);
        }
        if format == ReplayFormat::Json {
            output::print_json(&itf::itf(&run, &names, &error));
        }
        let selection = selection(&names, &mut interpreter);
        check_names(&selection, &run, &names)?;
        output::print(&match format {
            ReplayFormat::Table => format!("{verdict}\n{}", screen::trace_of(&run, &names, look, &selection)),
            ReplayFormat::List if *run.end() == End::InvalidEnd => {
                format!("{}{verdict}{}", listing::listing(&run), screen::deadlock(&run, &names))
            }
            ReplayFormat::List => format!("{}{verdict}", listing::listing(&run)),
            ReplayFormat::Json => String::new(),
        });
        Ok(status)
    }
}

/// The name of a trail of the model's safety, which may be the trail of a model that was moved.
fn usual_name(model: &Path) -> PathBuf {
    trail_names::beside(
        Path::new(model.file_name().unwrap_or_default()).with_extension("json").as_path(),
        Part { property: None, number: 1 },
    )
}

/// Refuses patterns that no variable matches.
fn check_names(selection: &Selection, run: &Run, names: &Names) -> Result<(), Failure> {
    let Some(pattern) = selection.unmatched(run, names).into_iter().next() else { return Ok(()) };
    let mut known: Vec<String> = select::items(run).iter().map(|item| names.item(run.model(), *item)).collect();
    if known.len() > MOST_NAMES {
        known.truncate(MOST_NAMES);
        known.push("…".to_string());
    }
    Err(Failure::BadInput(format!("--show: no variable matches `{pattern}`; the run has {}", known.join(", "))))
}

/// The request of a trail file. Formats 1 and 2 have arguments of the program instead.
pub fn request(file: &TrailFile) -> Result<Request, String> {
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
