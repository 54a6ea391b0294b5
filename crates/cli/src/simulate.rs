//! `kripke simulate`: one run of a model.

use std::path::Path;
use std::sync::Arc;

use kripke::error::Error;
use kripke::files::Disk;
use kripke::load;
use kripke::overflow::{Watch, constants};
use kripke::stepping::{OpenError, Opened};
use kripke_model::interpret::{Interpreter, Move};
use kripke_model::{Model, Random};
use kripke_report::escape::visible;
use kripke_report::number::counted;
use kripke_report::run::{End, Run};
use kripke_report::style::{FAINT, paint};
use kripke_report::table::Look;
use kripke_report::{listing, screen, state};

use crate::args::{Overflow, Reading, RunFormat, Simulate};
use crate::exit::{Failure, Status};
use crate::{output, random, step};

pub fn run(args: &Simulate) -> Result<Status, Failure> {
    let seed = args.seed.unwrap_or_else(random::fresh_seed);
    if args.interactive {
        return step_through(args, seed);
    }
    let mut interpreter = prepare(&args.file, &args.reading)?;
    let initial = interpreter.initial_point();
    let run = Run::new(&interpreter, &initial);
    tell_constants(args, interpreter.model());
    let watches = !args.quiet && args.reading.overflow == Overflow::Warn;
    let watch = watches.then(|| Watch::new(interpreter.model().clone(), args.reading.raw));
    let mut walk = Walk { interpreter: &mut interpreter, run, random: Random::new(seed), watch };
    let format = if args.list { RunFormat::List } else { args.format };
    let stop = match format {
        _ if args.quiet => walk.go(args.steps, Keep::Nothing, |step, _| output::print(&visible(&step.output))),
        RunFormat::List => {
            walk.go(args.steps, Keep::Last, |_, run| output::print(&listing::step(run, run.moves().len())))
        }
        RunFormat::Table => walk.go(args.steps, Keep::All, |_, _| {}),
    };
    let run = walk.run;
    let again = match args.seed {
        Some(_) => String::new(),
        None => format!("   repeat this run with --seed {seed}"),
    };
    if args.quiet {
        output::remark(&format!("{}{again}\n", stop.text(&run)));
    } else {
        let names = run.names();
        let look = Look { width: output::width(), full: args.full };
        let mut out = match format {
            RunFormat::Table => screen::trace(&run, &names, look),
            RunFormat::List => state::variables_text(&run, &names, run.moves().len()),
        };
        out.push_str(&format!("\n{}{}\n", stop.text(&run), paint(FAINT, &again)));
        output::print(&out);
    }
    Ok(if *run.end() == End::Fine { Status::Fine } else { Status::Violated })
}

fn step_through(args: &Simulate, seed: u64) -> Result<Status, Failure> {
    let opened = Opened::simulation(&args.file, &args.reading.source(), args.reading.raw, seed, &Disk);
    let opened = opened.map_err(|error| match error {
        OpenError::Model(error) => error.into(),
        OpenError::Trail(why) => Failure::BadInput(why),
    })?;
    output::remark(&opened.warnings);
    tell_constants(args, opened.session.run().model());
    step::run(opened.session, &args.file, args.stepping.plain)
}

/// Warns of the constants that are cut.
fn tell_constants(args: &Simulate, model: &Model) {
    let overflow = args.reading.overflow;
    if !args.quiet && overflow != Overflow::Wrap {
        let cuts = constants(model, overflow == Overflow::Error);
        cuts.iter().for_each(|cut| output::warn(&cut.to_string()));
    }
}

/// Reads a model and makes it ready to run; diagnostics are printed.
pub fn prepare(file: &Path, reading: &Reading) -> Result<Interpreter, Failure> {
    let loaded = load::load(file, &reading.source(), &[], &Disk).map_err(Error::Input)?;
    output::remark(&loaded.warnings);
    load::interpreter(Arc::new(loaded.model), reading.raw)
        .map_err(|e| Failure::BadInput(format!("{}: {e}", file.display())))
}

/// Why a run stopped.
enum Stop {
    /// The limit on steps.
    Steps,
    /// A valid end state: no process can move.
    End,
    /// An error, which the end of the run describes.
    ErrorKind,
}

/// The part of the run that is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    All,
    Last,
    Nothing,
}

struct Walk<'a> {
    interpreter: &'a mut Interpreter,
    run: Run,
    random: Random,
    watch: Option<Watch>,
}

impl Walk<'_> {
    /// Takes random steps, showing each to `see`.
    fn go(&mut self, steps: u64, keep: Keep, mut see: impl FnMut(&Move, &Run)) -> Stop {
        for _ in 0..steps {
            let at = self.run.point(self.run.moves().len());
            let mut moves = self.interpreter.moves(&at);
            if moves.is_empty() {
                let invalid = self.interpreter.invalid_end(&at.state);
                if invalid {
                    self.run.finish(End::InvalidEnd);
                }
                return if invalid { Stop::ErrorKind } else { Stop::End };
            }
            let number = self.random.below(moves.len());
            if let Some(cut) = self.watch.as_mut().and_then(|watch| watch.step(&at, number)) {
                output::warn(&cut.to_string());
            }
            let chosen = moves.swap_remove(number);
            let finding = chosen.findings.first().cloned();
            if keep != Keep::All {
                self.run.forget();
            }
            self.run.push(chosen.clone());
            see(&chosen, &self.run);
            if output::is_closed() {
                return Stop::Steps;
            }
            if let Some(finding) = finding {
                self.run.finish(End::Finding(finding));
                return Stop::ErrorKind;
            }
        }
        Stop::Steps
    }
}

impl Stop {
    fn text(&self, run: &Run) -> String {
        let steps = counted((run.forgotten() + run.moves().len()) as u64, "step");
        match self {
            Stop::Steps => format!("stopped after {steps}; increase --steps to go on"),
            Stop::End => format!("ended after {steps}: valid end state, no process can move"),
            Stop::ErrorKind => {
                let line = screen::verdict_line(run, None).unwrap_or_default();
                format!("{}   after {steps}", line.trim_end())
            }
        }
    }
}
