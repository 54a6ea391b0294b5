//! Trail files of counterexamples, and ITF traces on request.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use kripke::files::Disk;
use kripke::replay::TrailRequest;
use kripke::request::Request;
use kripke::spin::{Numbered, Steps, lines};
use kripke::task::{Kind, Task};
use kripke_model::trail::Replayed;
use kripke_model::{Interpreter, Trail};
use kripke_report::itf;
use kripke_report::number;
use kripke_report::run::Run;
use kripke_report::screen;
use kripke_report::trail_file::TrailFile;
use kripke_report::verdict::{Counterexample, Violated};

use crate::args::Showing;
use crate::files::Replace;
use crate::trail_names::{self, Part};
use crate::{files, output};

/// Files that are named on the screen.
const LISTED: usize = 4;

/// Bytes of an ITF trace.
const VIEWABLE_BYTES: u64 = 32 << 20;

/// A writer with a limit on bytes.
struct Capped<'a> {
    out: &'a mut dyn Write,
    left: u64,
}

impl Write for Capped<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| io::Error::from(TooLarge))?;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[derive(Debug)]
struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the trace for viewers would be larger than {}", number::bytes(VIEWABLE_BYTES))
    }
}

impl std::error::Error for TooLarge {}

impl From<TooLarge> for io::Error {
    fn from(error: TooLarge) -> io::Error {
        io::Error::new(ErrorKind::FileTooLarge, error)
    }
}

/// The files that were written, in the order: trail, trace for viewers, trails of further errors.
#[derive(Clone, Default)]
pub struct Written {
    files: Vec<PathBuf>,
}

/// The counterexample or witness that files are written for.
pub struct Target<'a> {
    pub model: &'a Path,
    pub request: &'a Request,
    pub showing: &'a Showing,
    pub task: &'a Task,
}

impl Target<'_> {
    /// Writes the first counterexample, and the others if all errors were asked for. The first is written last, so that it is
    /// the newest one, which `replay` takes. A failure changes no verdict.
    pub fn counterexamples(&self, interpreter: &Interpreter, violated: &Violated, first: bool) -> Written {
        let mut others = Vec::new();
        for (n, other) in violated.others.iter().enumerate().filter(|_| !self.is_standard()) {
            others.extend(self.counterexample(interpreter, other, n + 2, false).files);
        }
        let mut written = self.counterexample(interpreter, &violated.first, 1, first);
        written.files.extend(others);
        written
    }

    fn counterexample(&self, interpreter: &Interpreter, found: &Counterexample, number: usize, first: bool) -> Written {
        let run = Run::replayed(interpreter, found.replayed());
        let error = screen::one_line(run.model(), found);
        let mut written = self.write(&run, found.trail(), Some(error), (number, first));
        // Further errors of a property have no trail of SPIN.
        if let (Some(path), 1) = (&self.showing.spin.spin_trail, number) {
            self.for_spin(&mut written, path.as_deref(), interpreter, found.replayed(), first);
        }
        written
    }

    /// Writes the counterexample as a trail of SPIN.
    fn for_spin(
        &self,
        written: &mut Written,
        path: Option<&Path>,
        interpreter: &Interpreter,
        replayed: &Replayed,
        first: bool,
    ) {
        if !first {
            return output::warn(&format!(
                "the trail of SPIN is not written for {}: one is written already",
                self.task.name
            ));
        }
        let path = path.map_or_else(|| files::spin_trail_name(self.model), Path::to_path_buf);
        let trail = Numbered::load(self.model, &self.request.source, Steps::Short, &Disk)
            .map_err(|error| error.to_string())
            .and_then(|mut model| lines(&mut model, interpreter, replayed.moves(), replayed.cycle()));
        match trail {
            Ok(trail) => {
                self.add(written, (path, files::Kind::SpinTrail), |out| out.write_all(trail.text().as_bytes()))
            }
            Err(why) => output::incomplete(&format!("can't write {}: {why}", path.display())),
        }
    }

    /// Writes a witness, a run that shows why a CTL formula is true.
    pub fn witness(&self, interpreter: &Interpreter, trail: &Trail, replayed: &Replayed, alone: bool) -> Written {
        self.write(&Run::replayed(interpreter, replayed), trail, None, (1, alone))
    }

    /// Writes a run. A file that the user named is for the `first` one; others have names beside it.
    fn write(&self, run: &Run, trail: &Trail, error: Option<String>, (number, first): (usize, bool)) -> Written {
        let Target { model, request, showing, task } = self;
        let names = run.names();
        if self.is_standard() && !first {
            output::warn(&format!(
                "the counterexample of {} is not written: standard output has one already",
                task.name
            ));
            return Written::default();
        }
        let part = Part { property: (task.kind != Kind::Safety).then_some(&*task.name), number };
        let path = match &showing.trail {
            Some(named) if first => named.clone(),
            Some(named) => trail_names::beside(named, part),
            None => trail_names::fresh(model, part),
        };
        let request = serde_json::to_value(TrailRequest::new(request, task)).unwrap_or_default();
        let trace = files::itf_name(&path);
        let description = error.clone().unwrap_or_else(|| format!("{} is true", task.name));
        let record = TrailFile::new(run, &names, trail, request, error);
        let mut written = Written::default();
        self.add(&mut written, (path, files::Kind::Trail), |mut out| record.write(&mut out));
        if showing.itf && !written.files.is_empty() {
            let fill =
                |out: &mut dyn Write| itf::write(&mut Capped { out, left: VIEWABLE_BYTES }, run, &names, &description);
            self.add(&mut written, (trace, files::Kind::Trail), fill);
        }
        written
    }

    /// Writes one file. A failure is an error if the user named the file, and a warning otherwise.
    fn add(
        &self,
        written: &mut Written,
        (path, kind): (PathBuf, files::Kind),
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        let showing = self.showing;
        let replace = Replace::new(kind, showing.force);
        match files::write(&path, replace, fill) {
            Ok(()) => written.files.push(path),
            Err(e) if e.kind() == ErrorKind::FileTooLarge && e.get_ref().is_some_and(|e| e.is::<TooLarge>()) => {
                output::warn(&format!("{} is not written: {e}", files::shown(&path)));
            }
            Err(e) => {
                let text = format!("can't write {}: {}", path.display(), files::explain(&e));
                let asked = showing.trail.as_ref() == Some(&path);
                if asked { output::incomplete(&text) } else { output::warn(&text) }
            }
        }
    }

    /// Whether the trail goes to standard output. Nothing else is then written.
    fn is_standard(&self) -> bool {
        self.showing.trail.as_deref().is_some_and(files::is_standard)
    }
}

impl Written {
    /// The name of the trail file.
    pub fn name(&self) -> Option<String> {
        self.files.first().map(|trail| trail.display().to_string())
    }

    /// The hint on how to replay the trail; `alone` if the check has written no other trail.
    pub fn hint(&self, model: &Path, alone: bool) -> String {
        if self.files.is_empty() || self.files.iter().any(|f| files::is_standard(f)) {
            return String::new();
        }
        let shown: Vec<String> = self.files.iter().take(LISTED).map(|f| files::shown(f)).collect();
        let more = self.files.len() - shown.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let trails = self.files.iter().filter(|file| !file.to_string_lossy().ends_with(files::ITF)).count();
        let newest = alone && trails == 1 && trail_names::newest(model).as_ref() == self.files.first();
        let trail = if newest { String::new() } else { format!(" {}", files::for_shell(&self.files[0])) };
        let step = format!("step through it: kripke replay {}{trail} -i", files::for_shell(model));
        format!("\n  {step}      written: {}{more}\n", shown.join(", "))
    }
}
