//! Catalogues: folders of models with a table of expected counts, the characteristics of their state spaces, and selection by them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kripke::files::Disk;
use kripke::load;
use kripke::survey::{Wanted, survey};
use kripke_report::survey::Survey;

use super::expected::Expected;
use super::sets::Set;
use crate::args::Bench;
use crate::exit::Failure;
use crate::{files, output};

/// The table of a catalogue.
const TABLE: &str = "expected.tsv";

/// The models of the arguments. A folder stands for the models in its table.
pub fn models(args: &Bench) -> Result<Vec<PathBuf>, Failure> {
    let mut out = Vec::new();
    for path in &args.files {
        if path.is_dir() {
            out.extend(Expected::read(&path.join(TABLE))?.models().map(|name| path.join(name)));
        } else {
            out.push(path.clone());
        }
    }
    Ok(out)
}

/// The characteristics of the models that satisfy all conditions. A model that can't be read is reported and left out.
pub fn surveys(
    args: &Bench,
    models: &[PathBuf],
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<(PathBuf, Survey)>, Failure> {
    let set = Set::read("", &args.always)?;
    let mut out = Vec::new();
    for path in models {
        let loaded = match load::load(path, &set.source(), &[], &Disk) {
            Ok(loaded) => loaded,
            Err(error) => {
                output::remark(&error.text);
                continue;
            }
        };
        let wanted = Wanted { interrupt: Some(interrupt.clone()), ..Wanted::default() };
        match survey(&Arc::new(loaded.model), &wanted) {
            Ok(surveyed) if args.select.iter().all(|condition| condition.holds(&surveyed.survey)) => {
                out.push((path.clone(), surveyed.survey));
            }
            Ok(_) => {}
            Err(error) => output::warn(&format!("{}: {error}", files::shown(path))),
        }
    }
    Ok(out)
}

/// Whether the counts of a survey differ from the table beside its model.
pub fn differs(path: &Path, survey: &Survey) -> bool {
    let Some(folder) = path.parent() else { return false };
    let table = folder.join(TABLE);
    let counts = table.is_file().then(|| Expected::read(&table).ok()).flatten();
    counts.is_some_and(|counts| survey.complete && counts.differ(path, survey.unique, survey.transitions))
}
