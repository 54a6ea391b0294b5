//! Saving the run of a session as a trail file.

use std::path::{Path, PathBuf};

use kripke::stepping::Session;
use kripke_report::number::counted;

use crate::files::{self, Replace};
use crate::trail_names::{self, Part};

/// Names that are tried for a new file.
const ATTEMPTS: usize = 1_000;

/// The name for a new trail of a run: `MODEL.run.trail.json`, or one with a number if there is such a file.
pub fn name(model: &Path) -> PathBuf {
    let named = |number| trail_names::fresh(model, Part { property: Some("run"), number });
    (1..ATTEMPTS).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(ATTEMPTS))
}

/// Writes the run up to the current step, whole or not at all. A file that is no trail of Kripke is not replaced. Returns what was
/// done, or why not.
pub fn save(session: &Session, model: &Path, named: Option<&str>) -> Result<String, String> {
    let path = named.map_or_else(|| name(model), PathBuf::from);
    let failed = |why: &str| format!("can't write {}: {why}", files::shown(&path));
    if files::is_standard(&path) {
        return Err(failed("standard output is in use"));
    }
    let saved = session.saved().map_err(|why| failed(&why))?;
    let replace = Replace::Ours(files::Kind::Trail);
    files::write(&path, replace, |out| out.write_all(saved.text.as_bytes())).map_err(|e| {
        let why = if e.kind() == std::io::ErrorKind::AlreadyExists {
            "there is such a file, not written by Kripke".to_string()
        } else {
            files::explain(&e)
        };
        failed(&why)
    })?;
    let steps = counted(saved.steps as u64, "step");
    let but = match saved.left_out {
        0 => String::new(),
        n => format!("; the last {} left out: a trail ends between atomic sequences", counted(n as u64, "step")),
    };
    Ok(format!("saved {steps} in {}{but}", files::shown(&path)))
}
