//! The report files of a check: JUnit and SARIF. Each is written once, after the last model or when the check is stopped.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use kripke_report::case::Suite;
use kripke_report::{junit, sarif};

use crate::args::{Check, Reports as Wanted};
use crate::exit::Failure;
use crate::files::{self, Kind, Replace};
use crate::output;

/// The suites of the models so far, and the files they are written to.
pub struct Reports {
    wanted: Wanted,
    force: bool,
    suites: Mutex<Vec<Suite>>,
}

impl Reports {
    /// Refuses files that can't be written, before the search.
    pub fn new(args: &Check) -> Result<Reports, Failure> {
        let reports =
            Reports { wanted: args.reports.clone(), force: args.showing.force, suites: Mutex::new(Vec::new()) };
        for (path, kind) in reports.files() {
            if files::is_standard(path) {
                return Err(Failure::BadInput("--junit and --sarif need the name of a file".to_string()));
            }
            files::may_write(path, Replace::new(kind, reports.force)).map_err(|e| files::unwritten(path, &e))?;
        }
        match (&args.reports.junit, &args.reports.sarif) {
            (Some(junit), Some(sarif)) if junit == sarif => {
                Err(Failure::BadInput("--junit and --sarif name the same file".to_string()))
            }
            _ => Ok(reports),
        }
    }

    fn files(&self) -> impl Iterator<Item = (&Path, Kind)> {
        let Wanted { junit, sarif, .. } = &self.wanted;
        [(junit, Kind::Junit), (sarif, Kind::Sarif)]
            .into_iter()
            .filter_map(|(path, kind)| Some((path.as_deref()?, kind)))
    }

    /// Whether there is anything to write.
    pub fn is_wanted(&self) -> bool {
        self.files().next().is_some()
    }

    /// Adds the result of a model.
    pub fn add(&self, suite: Suite) {
        self.suites.lock().unwrap_or_else(PoisonError::into_inner).push(suite);
    }

    /// Writes all files. A failure changes the exit status.
    pub fn write(&self) {
        let suites = self.suites.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, kind) in self.files() {
            let text = match kind {
                Kind::Sarif => sarif::document(env!("CARGO_PKG_VERSION"), &suites),
                _ => junit::document(&suites),
            };
            let written = files::write(path, Replace::new(kind, self.force), |out| out.write_all(text.as_bytes()));
            if let Err(e) = written {
                output::incomplete(&format!("can't write {}: {}", path.display(), files::explain(&e)));
            }
        }
    }
}
