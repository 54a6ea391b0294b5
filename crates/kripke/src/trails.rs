//! The files a counterexample is kept in.

use std::path::{Path, PathBuf};

use kripke_model::Interpreter;
use kripke_report::itf;
use kripke_report::run::Run;
use kripke_report::screen;
use kripke_report::trail_file::TrailFile;
use kripke_report::verdict::Counterexample;

use crate::args::Check;
use crate::tasks::Task;
use crate::{files, output};

/// A trace longer than this is of no use to a viewer, and its file would be huge.
const VIEWABLE: usize = 50_000;

/// The files that were written, in the order: trail, trace for viewers.
#[derive(Default)]
pub struct Written {
    files: Vec<PathBuf>,
}

/// Writes the counterexample in both formats. That it can't be written changes no verdict.
pub fn write(
    interpreter: &Interpreter,
    found: &Counterexample,
    model: &Path,
    args: &Check,
    task: &Task,
    first: bool,
) -> Written {
    let run = Run::replayed(interpreter, found.replayed());
    let names = run.names();
    let error = screen::one_line(run.model(), found);
    let trail = match &args.showing.trail {
        Some(path) if first => path.clone(),
        Some(path) => files::trail_of(path, &task.name),
        None if first => files::trail_name(model),
        None => files::trail_of(&files::trail_name(model), &task.name),
    };
    let trace = files::itf_name(&trail);
    let mut arguments = args.reading.arguments();
    arguments.extend(task.arguments.iter().cloned());
    let record = TrailFile::new(&run, &names, found.trail(), arguments, Some(error.clone()));
    let mut written = Written::default();
    written.add(trail, &record.text());
    if run.moves().len() <= VIEWABLE {
        written.add(trace, &itf::itf(&run, &names, &error));
    }
    written
}

impl Written {
    fn add(&mut self, path: PathBuf, text: &str) {
        match files::write(&path, text) {
            Ok(()) => self.files.push(path),
            Err(e) => output::warn(&format!("can't write {}: {}", path.display(), files::explain(&e))),
        }
    }

    /// The name of the trail file.
    pub fn name(&self) -> Option<String> {
        self.files.first().map(|trail| trail.display().to_string())
    }

    /// What to do next.
    pub fn hint(&self, model: &Path) -> String {
        let names: Vec<String> = self.files.iter().map(|f| f.display().to_string()).collect();
        if names.is_empty() {
            return String::new();
        }
        let usual = self.files.first().is_none_or(|trail| *trail == files::trail_name(model));
        let trail = if usual { String::new() } else { format!(" {}", names[0]) };
        let step = format!("step through it: kripke replay {}{trail} -i", model.display());
        format!("\n  {step}      written: {}\n", names.join(", "))
    }
}
