//! `kripke bench`: time, memory and counts of models × options.

mod catalogue;
mod child;
mod expected;
mod figures;
mod sets;
mod table;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kripke_report::survey::{self, Survey};

use crate::args::{Bench, Format};
use crate::exit::{Failure, Status};
use crate::{files, output, signals};
use child::Unmeasured;
use expected::Expected;
use figures::Figures;
use files::{Kind, Replace};
use sets::Set;
use table::Widths;

pub use table::CSV_HEADER;

pub fn run(args: &Bench) -> Result<Status, Failure> {
    check_output(args)?;
    let interrupt = signals::interrupt();
    let mut models = catalogue::models(args)?;
    if args.characteristics || !args.select.is_empty() {
        let surveys = catalogue::surveys(args, &models, &interrupt)?;
        if args.characteristics {
            return characteristics(args, &surveys);
        }
        models = surveys.into_iter().map(|(path, _)| path).collect();
    }
    let mut session = Session::new(args, &models, interrupt)?;
    session.say(&session.widths.header());
    for file in &models {
        session.model(file);
        if session.interrupt.load(Ordering::Relaxed) {
            session.problem(Status::Inconclusive, "interrupted: what follows was not measured".to_string());
            break;
        }
    }
    session.finish()
}

/// Prints and writes the characteristics of state spaces. Counts that differ from the table of the catalogue are an error.
fn characteristics(args: &Bench, surveys: &[(PathBuf, Survey)]) -> Result<Status, Failure> {
    let named: Vec<(String, Survey)> =
        surveys.iter().map(|(path, s)| (path.display().to_string(), s.clone())).collect();
    let to_output = args.csv.as_deref().is_some_and(files::is_standard);
    match args.format {
        Format::Json => {
            let all: Vec<_> =
                named.iter().map(|(model, s)| serde_json::json!({ "model": model, "state_space": s })).collect();
            output::print_json(&format!("{:#}\n", serde_json::Value::from(all)));
        }
        Format::Text if !to_output => output::print(&survey::table(&named)),
        Format::Text => {}
    }
    if let Some(path) = &args.csv {
        let text = survey::csv(&named);
        files::write(path, replacing(args), |out| out.write_all(text.as_bytes()))
            .map_err(|e| files::unwritten(path, &e))?;
    }
    let wrong = surveys.iter().filter(|(path, survey)| catalogue::differs(path, survey));
    let wrong: Vec<String> = wrong.map(|(path, _)| files::shown(path)).collect();
    wrong.iter().for_each(|name| output::error(&format!("{name}: the counts are not those of the catalogue")));
    Ok(if wrong.is_empty() { Status::Fine } else { Status::Violated })
}

/// Checks in advance that the table can be written.
fn check_output(args: &Bench) -> Result<(), Failure> {
    let Some(path) = &args.csv else { return Ok(()) };
    if files::is_standard(path) && args.format == Format::Json {
        return Err(Failure::BadInput("--csv - and --format json would both be standard output".to_string()));
    }
    files::may_write(path, replacing(args)).map_err(|e| files::unwritten(path, &e))
}

fn replacing(args: &Bench) -> Replace {
    Replace::new(Kind::Table, args.force)
}

/// The measurements so far.
struct Session<'a> {
    args: &'a Bench,
    sets: Vec<Set>,
    expected: Option<Expected>,
    interrupt: Arc<AtomicBool>,
    widths: Widths,
    all: Vec<Figures>,
    problems: Vec<String>,
    status: Status,
}

impl<'a> Session<'a> {
    fn new(args: &'a Bench, models: &[PathBuf], interrupt: Arc<AtomicBool>) -> Result<Session<'a>, Failure> {
        let with = if args.with.is_empty() { &[String::new()][..] } else { &args.with };
        let sets = with.iter().map(|w| Set::read(w, &args.always)).collect::<Result<Vec<Set>, Failure>>()?;
        let expected = args.expect.as_deref().map(Expected::read).transpose()?;
        let length = |text: &str| text.chars().count();
        let widths = Widths {
            model: models.iter().map(|f| length(&f.to_string_lossy())).max().unwrap_or(0).max(5),
            options: sets.iter().map(|s| length(&s.text)).max().unwrap_or(0).max(7),
            expected: expected.is_some(),
        };
        Ok(Session { args, sets, expected, interrupt, widths, all: vec![], problems: vec![], status: Status::Fine })
    }

    /// The measurements as text.
    fn say(&self, text: &str) {
        if self.args.format == Format::Text && !self.args.csv.as_deref().is_some_and(files::is_standard) {
            output::print(text);
        }
    }

    fn problem(&mut self, status: Status, text: String) {
        self.problems.push(text);
        self.status = self.status.worse(status);
    }

    /// Measures one model with every set of options.
    fn model(&mut self, file: &Path) {
        let first = self.all.len();
        let mut refused = None;
        for number in 0..self.sets.len() {
            match self.measure(file, number) {
                Ok(mut figures) => {
                    figures.speed = self.all.get(first).map_or(1.0, |base| base.wall / figures.wall);
                    self.judge(file, &mut figures, first);
                    self.say(&self.widths.row(&figures));
                    self.all.push(figures);
                }
                Err(Unmeasured::Interrupted) => return,
                Err(Unmeasured::Refused(why)) => {
                    // Other options may make another model; the same error is not printed twice.
                    if refused.replace(why.clone()) != Some(why.clone()) {
                        output::remark(&why);
                    }
                    self.say(&self.widths.nothing(&files::shown(file), "not readable"));
                    self.problem(Status::BadInput, format!("{}: not readable", file.display()));
                }
                Err(Unmeasured::Failed(failure)) => {
                    self.say(&self.widths.nothing(&files::shown(file), "not measured"));
                    let status = if matches!(failure, Failure::Bug(_)) { Status::Bug } else { Status::BadInput };
                    self.problem(status, failure.to_string());
                }
            }
        }
    }

    fn measure(&self, file: &Path, number: usize) -> Result<Figures, Unmeasured> {
        let set = &self.sets[number];
        let mut samples = Vec::new();
        for run in 1..=self.args.repeat {
            self.progress(&format!("{} {}  {run}/{}", file.display(), set.text, self.args.repeat));
            let sample = child::run(file, set, &self.interrupt);
            self.progress("");
            samples.push(sample?);
        }
        Ok(Figures::new(file.display().to_string(), number, set.text.clone(), &samples))
    }

    /// Shows progress on a terminal.
    fn progress(&self, line: &str) {
        if std::io::stderr().is_terminal() {
            output::progress(line);
        }
    }

    /// Compares the counts with the expected ones, and with the first set that must have the same counts.
    fn judge(&mut self, file: &Path, figures: &mut Figures, first: usize) {
        let name = format!("{} {}", figures.model, figures.options).trim_end().to_string();
        if !figures.conclusive() {
            let reason = figures.reason.as_deref().unwrap_or("unknown reason");
            self.problem(Status::Inconclusive, format!("{name}: the search was not complete: {reason}"));
        }
        if figures.complete {
            self.judge_expected(file, figures, &name);
        }
        if let Some(other) = figures.unsteady {
            self.problem(Status::Violated, format!("{name}: {} in one run, {other} in another", figures.counts));
        }
        let alike = |of: &&Figures| of.complete && self.sets[of.set].alike(&self.sets[figures.set]);
        let Some(other) = self.all[first..].iter().find(alike).filter(|_| figures.complete) else { return };
        if other.counts != figures.counts {
            let text = format!("{name}: {}, but {} with `{}`", figures.counts, other.counts, other.options);
            self.problem(Status::Violated, text);
        }
    }

    fn judge_expected(&mut self, file: &Path, figures: &mut Figures, name: &str) {
        let Some(expected) = &self.expected else { return };
        figures.expected = expected.judge(file, figures.counts);
        match figures.expected {
            Some(true) => {}
            Some(false) => {
                let wanted = expected.words(file).unwrap_or_default();
                self.problem(Status::Violated, format!("{name}: {}, but {wanted} are expected", figures.counts));
            }
            None if figures.set == 0 => output::warn(&format!("{}: no counts are expected", figures.model)),
            None => {}
        }
    }

    fn finish(self) -> Result<Status, Failure> {
        for problem in &self.problems {
            output::error(problem);
        }
        if self.args.format == Format::Json {
            output::print_json(&table::json(&self.all, &self.problems, self.args.repeat));
        }
        if let Some(path) = &self.args.csv {
            let text = table::csv(&self.all);
            files::write(path, replacing(self.args), |out| out.write_all(text.as_bytes()))
                .map_err(|e| files::unwritten(path, &e))?;
        }
        Ok(self.status)
    }
}
