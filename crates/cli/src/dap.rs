//! `kripke dap`: a debug adapter on standard input and output.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use kripke::answer::{Answer, Results};
use kripke::error::Error;
use kripke::files::Disk;
use kripke::load::InputError;
use kripke::monitor::{Monitor, Phase};
use kripke::plan::Plan;
use kripke::replay::TrailRequest;
use kripke::request::Request;
use kripke::stepping::{OpenError, Opened, Session};
use kripke_dap::{Client, Host, Launch, Mode, Opening, Stage};
use kripke_report::number::counted;
use kripke_report::run::Run;
use kripke_report::screen;
use kripke_report::trail_file::TrailFile;
use kripke_report::verdict::Verdict;
use kripke_search::Progress;

use crate::args::{Check, Cli, Command, Replay, Simulate};
use crate::exit::{Failure, Status};
use crate::gpu::MACHINES;
use crate::step::saving;
use crate::{files, random, replay, trail_names};

/// The time between two messages about the progress of a check.
const BEAT: Duration = Duration::from_millis(500);
/// The name of the activity that a client shows.
const CHECKING: &str = "Kripke checks the model";

pub fn run() -> Result<Status, Failure> {
    let program = Program { start: env::current_dir().unwrap_or_default() };
    match kripke_dap::serve(io::stdin(), io::stdout(), &program) {
        Ok(()) => Ok(Status::Fine),
        Err(malformed) => Err(Failure::BadInput(format!("debug adapter protocol: {malformed}"))),
    }
}

/// Opens sessions as the commands of this program do.
struct Program {
    /// The directory in which the program was started. Those of configurations are relative to it, also when one is opened again.
    start: PathBuf,
}

impl Host for Program {
    fn open(&self, launch: &Launch, client: &Client) -> Result<Opening, String> {
        if let Some(directory) = &launch.cwd {
            env::set_current_dir(self.start.join(directory))
                .map_err(|e| format!("can't work in {}: {e}", directory.display()))?;
        }
        match command(launch)? {
            Command::Simulate(args) => simulation(&args, launch),
            Command::Replay(args) => trail(&args, launch),
            Command::Check(args) => check(&args, launch, client),
            _ => Err("`args` has another command".to_string()),
        }
    }

    fn save(&self, session: &Session, launch: &Launch, name: Option<&str>) -> Result<String, String> {
        saving::save(session, model(launch), name)
    }
}

/// The model, relative to the directory of the configuration if it is there: messages and trails have short names then.
fn model(launch: &Launch) -> &Path {
    let relative = launch.cwd.as_ref().and_then(|directory| launch.program.strip_prefix(directory).ok());
    relative.filter(|path| !path.as_os_str().is_empty()).unwrap_or(&launch.program)
}

/// The command of the program that a launch configuration stands for.
fn command(launch: &Launch) -> Result<Command, String> {
    let mut line: Vec<OsString> = vec!["kripke".into(), launch.mode.word().into()];
    line.extend(launch.args.iter().map(OsString::from));
    line.extend(["--".into(), model(launch).into()]);
    line.extend(launch.trail.iter().filter(|_| launch.mode == Mode::Replay).map(OsString::from));
    Cli::read(line).map(|cli| cli.command).map_err(|error| {
        let text = error.to_string();
        format!("`args`: {}", text.lines().next().unwrap_or_default().trim_start_matches("error: "))
    })
}

fn simulation(args: &Simulate, launch: &Launch) -> Result<Opening, String> {
    let seed = launch.seed.or(args.seed).unwrap_or_else(random::fresh_seed);
    let opened = Opened::simulation(&args.file, &args.reading.source(), args.reading.raw, seed, &Disk);
    let mut opening = opened.map(opening).map_err(|e| explained(&e))?;
    if let Opening::Session { remarks, .. } = &mut opening {
        remarks.push(format!("simulation with seed {seed}"));
    }
    Ok(opening)
}

fn trail(args: &Replay, launch: &Launch) -> Result<Opening, String> {
    let named = args.trail.clone();
    let path = named.or_else(|| trail_names::newest(&args.file)).unwrap_or_else(|| replay::usual_name(&args.file));
    let text =
        replay::read(&path).map_err(|e| format!("can't read the trail {}: {}", path.display(), files::explain(&e)))?;
    let seed = launch.seed.unwrap_or_else(random::fresh_seed);
    replay::open(&args.file, &text, &args.text.source(), seed).map(opening).map_err(|error| match error {
        OpenError::Trail(why) => format!("{}: {why}", path.display()),
        error => explained(&error),
    })
}

fn opening(opened: Opened) -> Opening {
    let warnings = plain(&opened.warnings);
    let remarks = Some(warnings).filter(|text| !text.is_empty()).into_iter().chain(opened.remark).collect();
    Opening::Session { session: Box::new(opened.session), remarks }
}

/// A text without styles.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn explained(error: &OpenError) -> String {
    match error {
        OpenError::Model(Error::Input(error)) => located(error),
        error => error.to_string(),
    }
}

/// The first error of a text with its place, and the number of errors.
fn located(error: &InputError) -> String {
    let first = error.complaints.iter().find(|c| c.severity == "error");
    let place = first.map_or(String::new(), |c| {
        let number = |n: Option<u32>| n.map_or(String::new(), |n| format!(":{n}"));
        let file = c.file.as_deref().unwrap_or("the model");
        format!("{file}{}{}: ", number(c.line), number(c.column))
    });
    format!("{place}{}", error.brief())
}

/// Checks a model, and opens the replay of its first counterexample, or of the witness of a CTL formula.
fn check(args: &Check, launch: &Launch, client: &Client) -> Result<Opening, String> {
    let request = args.request();
    Plan::validate(&request).map_err(|refusal| refusal.to_string())?;
    let file = args.files.first().filter(|_| args.files.len() == 1).ok_or("`args` names another model")?;
    client.progress(CHECKING, Stage::Start);
    let listener = Listener { client, said: Mutex::default() };
    let results = kripke::run::check_with(MACHINES, file, &request, &Disk, &listener);
    client.progress(CHECKING, Stage::End);
    let results = results.map_err(|error| explained(&OpenError::Model(error)))?;
    let mut remarks = listener.said.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some(trail) = trail_of(&results, &request) else {
        remarks.push(summary(results.decisive()));
        let status = match results.decisive().verdict {
            Verdict::Holds(_) => Status::Fine,
            _ => Status::Inconclusive,
        };
        return Ok(Opening::Nothing { summary: remarks.join("\n"), status: status as i32 });
    };
    let request = replay::request(&trail)?;
    let seed = launch.seed.unwrap_or_else(random::fresh_seed);
    let opened = Opened::trail(file, trail, request, seed, &Disk).map_err(|e| explained(&e))?;
    Ok(Opening::Session { session: Box::new(opened.session), remarks })
}

/// The trail of the counterexample that decides, or of a witness.
fn trail_of(results: &Results, request: &Request) -> Option<TrailFile> {
    let answer = results.decisive();
    let made = serde_json::to_value(TrailRequest::new(request, &answer.task)).ok()?;
    let file = |run: Run, trail, error| TrailFile::new(&run, &run.names(), trail, made, error);
    match (&answer.verdict, &answer.tree, answer.witness()) {
        (Verdict::Violated(violated), ..) => {
            let first = &violated.first;
            let run = Run::replayed(&answer.interpreter, first.replayed());
            let error = screen::one_line(run.model(), first);
            Some(file(run, first.trail(), Some(error)))
        }
        (_, Some(tree), Some(witness)) => {
            Some(file(Run::replayed(&answer.interpreter, witness), &tree.evidence().runs[0].trail, None))
        }
        _ => None,
    }
}

/// The verdict of a check without a counterexample.
fn summary(answer: &Answer) -> String {
    let states = counted(answer.outcome.statistics.states, "state");
    match &answer.verdict {
        Verdict::Holds(_) => format!("{}: no errors, {states}; there is no counterexample to debug", answer.task.name),
        _ => format!("{}: inconclusive, {states}; no counterexample was found", answer.task.name),
    }
}

/// Listens to a check on behalf of the client.
struct Listener<'a> {
    client: &'a Client,
    /// Warnings for the user.
    said: Mutex<Vec<String>>,
}

impl Listener<'_> {
    fn say(&self, text: String) {
        if !text.is_empty() {
            self.said.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
    }
}

impl Monitor for Listener<'_> {
    fn phase(&self, phase: Phase) {
        self.client.progress(CHECKING, Stage::Message(phase.words()));
    }

    fn warnings(&self, text: &str) {
        self.say(plain(text));
    }

    fn warn(&self, message: &str) {
        self.say(format!("warning: {message}"));
    }

    fn search(&self, progress: &Arc<Progress>, _memory: Option<u64>, search: &mut dyn FnMut()) {
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                while ended.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                    let states = counted(progress.snapshot().states, "state");
                    self.client.progress(CHECKING, Stage::Message(&states));
                }
            });
            search();
            drop(end);
        });
    }

    fn interrupt(&self) -> Option<Arc<AtomicBool>> {
        Some(self.client.interrupt())
    }
}
