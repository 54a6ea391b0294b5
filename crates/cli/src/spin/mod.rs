//! SPIN's own commands: `kripke spin …`, and the program called as `spin` or `pan`.
//!
//! The semantics, the reports, the trails and the exit status are those of SPIN and of its verifiers: depth-first search, the first
//! error, exit status 0. What SPIN wants at compile time is an option of the run.

mod pan;
mod pan_options;
mod replay;
mod simulate;
mod spin_options;
mod stand_in;
mod verify;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use kripke::files::Disk;
use kripke::request::Source;
use kripke::spin::{Numbered, Steps};

use crate::exit::{Failure, Status};
use crate::output;
use pan_options::PanOptions;
use spin_options::{SpinOptions, Task};

pub use stand_in::MARK;

/// The version that the mode imitates.
const VERSION: &str = "Spin Version 6.5.2 -- 6 December 2019";

const HELP_OPTIONS: [&str; 3] = ["-?", "-h", "--help"];

const HELP: &str = "SPIN's own command line, with Kripke behind it: kripke spin [OPTIONS] MODEL

  spin -a MODEL             write pan.c, a stand-in verifier: gcc -o pan pan.c && ./pan
  spin -run [PAN] MODEL     verify at once, with options of pan and macros of its compilation (-DBFS, -DBITSTATE, …)
  spin -t[N] [-p …] MODEL   replay MODEL.trail; -k FILE replays another trail
  spin [-p …] MODEL         simulate a random run
  spin -f 'FORMULA'         translate an LTL formula into a never claim; -F FILE reads it from a file

  -p -g -l -s -r            show statements, globals, locals, sends, receives
  -i -nN -uN -jN -b -B      interactive; seed; at most N steps; skip N steps; no prints; no final states
  -DNAME -UNAME -E… -m -oN  macros, preprocessor, messages to full channels are lost, optimisations off

A link to kripke named `spin` or `pan` takes the same options without `kripke spin`. The guide has a page on it: SPIN's
command line.
";

/// The programs that Kripke stands in for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    Spin,
    Pan,
}

impl Program {
    /// The program by whose name Kripke was called.
    pub fn named(name: Option<&OsString>) -> Option<Program> {
        let name = Path::new(name?).file_stem()?;
        match name.to_str()? {
            "spin" => Some(Program::Spin),
            "pan" => Some(Program::Pan),
            _ => None,
        }
    }

    /// Runs the program with its arguments.
    pub fn run(self, args: &[OsString]) -> Result<Status, Failure> {
        let args: Vec<String> = args.iter().map(|arg| text(arg)).collect::<Result<_, _>>()?;
        match self {
            Program::Spin => spin(&args),
            Program::Pan => pan_alone(&args),
        }
    }
}

fn text(arg: &OsStr) -> Result<String, Failure> {
    let bad = || Failure::BadInput(format!("{} is not text in UTF-8", Path::new(arg).display()));
    arg.to_str().map(str::to_string).ok_or_else(bad)
}

/// `spin …`
fn spin(args: &[String]) -> Result<Status, Failure> {
    // The stand-in calls `kripke spin -pan-for MODEL …`.
    if let [first, model, rest @ ..] = args
        && first == stand_in::FLAG
    {
        return stand_in(model, rest);
    }
    // With a model, `-h` prints the seed of a simulation.
    if args.iter().any(|arg| HELP_OPTIONS.contains(&arg.as_str()) && (arg != "-h" || args.len() == 1)) {
        output::print(HELP);
        return Ok(Status::Fine);
    }
    let options = SpinOptions::read(args).map_err(|e| Failure::BadInput(format!("spin: {e}")))?;
    for option in &options.ignored {
        output::warn(&format!("spin: {option} has no effect"));
    }
    match options.task {
        Task::Version => {
            output::print(&format!("{VERSION} (Kripke {})\n", env!("CARGO_PKG_VERSION")));
            Ok(Status::Fine)
        }
        Task::Translate => translate(&options),
        Task::Generate => stand_in::write(&options, &file(&options)?),
        Task::Run => {
            let model = Model::new(file(&options)?, &options);
            pan::run(&model, &options.pan)
        }
        Task::Replay => replay::run(&options, &file(&options)?),
        Task::Simulate => simulate::run(&options, &file(&options)?),
    }
}

fn file(options: &SpinOptions) -> Result<PathBuf, Failure> {
    let missing = || Failure::BadInput("spin: there is no model; the last argument is its file".to_string());
    options.file.as_ref().map(PathBuf::from).ok_or_else(missing)
}

/// A model and how it is read.
#[derive(Clone, Debug)]
pub struct Model {
    pub path: PathBuf,
    pub source: Source,
    /// The formula of `spin -f`: a run that satisfies it is an error.
    pub forbidden: Option<String>,
}

impl Model {
    fn new(path: PathBuf, options: &SpinOptions) -> Model {
        Model { path, source: options.source.clone(), forbidden: options.formula.clone() }
    }

    /// Reads the model with SPIN's numbers.
    fn load(&self, steps: Steps) -> Result<Numbered, Failure> {
        let numbered = Numbered::load(&self.path, &self.source, steps, &Disk)?;
        output::remark(&numbered.warnings);
        Ok(numbered)
    }
}

/// A verifier that was compiled from a stand-in: the options of `spin -a` and of the compiler, `--`, the options of `pan`.
fn stand_in(model: &str, args: &[String]) -> Result<Status, Failure> {
    let bad = |e| Failure::BadInput(format!("pan: {e}"));
    let split = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let spin = SpinOptions::read(&args[..split]).map_err(bad)?;
    let mut options = spin.pan.clone();
    for define in &spin.given_macros {
        options.define(define);
    }
    read_pan(&mut options, args.get(split + 1..).unwrap_or_default()).map_err(bad)?;
    pan::run(&Model::new(PathBuf::from(model), &spin), &options)
}

/// Called as `pan`: the stand-in in this directory names the model.
fn pan_alone(args: &[String]) -> Result<Status, Failure> {
    let (model, given) = stand_in::read().map_err(|e| Failure::BadInput(format!("pan: {e}")))?;
    let all: Vec<String> = given.into_iter().chain(["--".to_string()]).chain(args.iter().cloned()).collect();
    stand_in(&model, &all)
}

fn read_pan(options: &mut PanOptions, args: &[String]) -> Result<(), String> {
    let mut at = 0;
    while at < args.len() {
        if !args[at].starts_with('-') {
            return Err(format!("unexpected argument {}", args[at]));
        }
        let taken = options.read(&args[at], args.get(at + 1).map(String::as_str))?;
        at += 1 + usize::from(taken);
    }
    Ok(())
}

/// `spin -f FORMULA`: the never claim of a formula.
fn translate(options: &SpinOptions) -> Result<Status, Failure> {
    use crate::args::{Cli, Command};
    let formula = match (&options.formula, &options.formula_file) {
        (Some(formula), _) => formula.clone(),
        (None, Some(file)) => {
            let read = crate::files::read(Path::new(file), kripke_lang::limits::MAX_FILE_BYTES);
            let bytes =
                read.map_err(|e| Failure::BadInput(format!("can't read {file}: {}", crate::files::explain(&e))))?;
            String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().to_string()
        }
        (None, None) => return Err(Failure::BadInput("spin: -f needs a formula".to_string())),
    };
    let args = ["kripke", "ltl", "--format", "never", "--", &formula].map(OsString::from);
    let cli = Cli::read(args).map_err(|e| Failure::BadInput(e.to_string()))?;
    match cli.command {
        Command::Ltl(ltl) => crate::ltl::run(&ltl),
        _ => Ok(Status::Fine),
    }
}
