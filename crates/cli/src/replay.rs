//! `kripke replay`: shows a trail again.

use std::io;
use std::path::{Path, PathBuf};

use kripke::explain::{self, Explained};
use kripke::files::Disk;
use kripke::replay::{Replayable, TrailRequest};
use kripke::request::{Request, Source};
use kripke::spin::trail::{SpinTrail, is_trail};
use kripke::spin::{Followed, Numbered, Steps, follow};
use kripke::stepping::{OpenError, Opened};
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
use crate::trail_names::Part;
use crate::{files, output, random, step, trail_names};

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
    check_options(args)?;
    let text = text(args, &path)?;
    if args.interactive {
        return step_through(args, &path, &text);
    }
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
    let named = property.as_ref().map(|(kind, name)| (*kind, &**name));
    let verdict = if witness { String::new() } else { screen::verdict_line(&run, named).unwrap_or_default() };
    let is_violation = !witness && *run.end() != End::Fine;
    let error = file.error.clone().unwrap_or_default();
    let shown = Shown { interpreter, run, verdict, error, is_violation };
    shown.show(args, |names, interpreter| {
        let explained = Explained { kind, question: question.as_ref(), replayed: &replayed, names };
        let mut selection = explained.selection(args.viewing.selection(), interpreter);
        let watched = args.viewing.watch.iter().zip(&watched);
        selection.watched.extend(watched.map(|(text, expr)| explain::watch(text, expr, &replayed, interpreter)));
        selection
    })
}

/// Expressions are not evaluated along a trail of SPIN.
fn refuse_watching(args: &Replay) -> Result<(), Failure> {
    match args.viewing.watch.is_empty() {
        true => Ok(()),
        false => Err(Failure::BadInput("--watch: expressions are not evaluated along a trail of SPIN".to_string())),
    }
}

/// Steps through a trail.
fn step_through(args: &Replay, path: &Path, text: &str) -> Result<Status, Failure> {
    if is_trail(text) {
        refuse_watching(args)?;
    }
    let opened = open(&args.file, text, &args.text.source(), random::fresh_seed()).map_err(|error| match error {
        OpenError::Model(error) => error.into(),
        OpenError::Trail(why) => Failure::BadInput(format!("{}: {why}", path.display())),
    })?;
    let Opened { mut session, warnings, remark } = opened;
    output::remark(&warnings);
    remark.iter().for_each(|remark| output::warn(remark));
    for text in &args.viewing.watch {
        session.watch(text).map_err(|e| Failure::BadInput(format!("--watch: {e}")))?;
    }
    step::run(session, &args.file, args.stepping.plain)
}

/// A session that replays a trail of Kripke or of SPIN; `source` says how the model of the latter is read.
pub fn open(model: &Path, text: &str, source: &Source, seed: u64) -> Result<Opened, OpenError> {
    if is_trail(text) {
        return Opened::spin_trail(model, source, text, seed, &Disk);
    }
    let file = TrailFile::read(text).map_err(|e| OpenError::Trail(e.to_string()))?;
    let request = request(&file).map_err(OpenError::Trail)?;
    Opened::trail(model, file, request, seed, &Disk)
}

/// Shows a trail of SPIN.
fn of_spin(args: &Replay, text: &str) -> Result<Status, Failed> {
    let bad = |e: &dyn std::fmt::Display| Failed::Trail(e.to_string());
    refuse_watching(args).map_err(Failed::Program)?;
    let trail = SpinTrail::parse(text).map_err(|e| bad(&e))?;
    let mut model = Numbered::load(&args.file, &args.text.source(), Steps::Short, &Disk)
        .map_err(|error| Failed::Program(error.into()))?;
    output::remark(&model.warnings);
    let Followed { run, remark, .. } = follow(&mut model, &trail).map_err(|e| bad(&e))?;
    if let Some(remark) = remark {
        output::warn(&remark);
    }
    let verdict = screen::verdict_line(&run, None).unwrap_or_default();
    let is_violation = *run.end() != End::Fine;
    let shown = Shown { interpreter: model.interpreter, run, verdict, error: String::new(), is_violation };
    shown.show(args, |_, _| args.viewing.selection()).map_err(Failed::Program)
}

impl Shown {
    /// Prints the run in the format that is asked for.
    fn show(
        self,
        args: &Replay,
        selection: impl FnOnce(&Names, &mut Interpreter) -> Selection,
    ) -> Result<Status, Failure> {
        let Shown { mut interpreter, run, verdict, error, is_violation } = self;
        let names = run.names();
        let format = if args.list { ReplayFormat::List } else { args.format };
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
pub fn usual_name(model: &Path) -> PathBuf {
    trail_names::beside(
        Path::new(model.file_name().unwrap_or_default()).with_extension("json").as_path(),
        Part { property: None, number: 1 },
    )
}

/// Refuses options of the table for other views.
fn check_options(args: &Replay) -> Result<(), Failure> {
    let is_listed = args.list || args.format != ReplayFormat::Table;
    let is_table = !args.interactive && !is_listed && args.viewing.chart.is_none();
    match args.viewing.of_tables(args.interactive).filter(|_| !is_table) {
        Some(option) => {
            Err(Failure::BadInput(format!("{option} is an option of the table and has no effect on other views")))
        }
        None => Ok(()),
    }
}

/// Refuses patterns that no variable or no step matches.
fn check_names(selection: &Selection, run: &Run, names: &Names) -> Result<(), Failure> {
    if let Some((option, pattern)) = selection.unmatched_row(run, names) {
        return Err(Failure::BadInput(format!("{option}: no step of the run matches `{pattern}`")));
    }
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
        request.search.algorithm = asking.cycles.local;
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
    read(path).map_err(|e| {
        if let Err(missing) = files::absolute(&args.file)
            && args.trail.is_none()
            && !files::is_standard(&args.file)
        {
            return Failure::BadInput(format!("can't read {}: {}", args.file.display(), files::explain(&missing)));
        }
        let mut message = format!("can't read the trail {}: {}", path.display(), files::explain(&e));
        if args.trail.is_none() && e.kind() == std::io::ErrorKind::NotFound {
            let model = args.file.display();
            message.push_str(&format!("\n  `kripke check {model}` writes one when it finds an error"));
        }
        Failure::BadInput(message)
    })
}

/// The text of a trail file.
pub fn read(path: &Path) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged: not text in UTF-8");
    let bytes = files::read(path, files::MAX_TRAIL_BYTES)?;
    String::from_utf8(bytes).map_err(not_text)
}
