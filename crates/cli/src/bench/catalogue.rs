//! Catalogues: folders with a table of models, parameters, properties and expected results; the characteristics of their state
//! spaces, and selection by them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kripke::error::Error;
use kripke::files::Disk;
use kripke::load;
use kripke::survey::{Wanted, survey, survey_question};
use kripke_lang::Language;
use kripke_report::survey::Survey;
use kripke_report::survey::condition;

use super::expected::{Expected, Row};
use super::sets::{self, split};
use crate::args::{Bench, Check};
use crate::exit::Failure;
use crate::{files, output};

/// The table of a folder.
const TABLE: &str = "expected.tsv";

/// A model with parameters and a property.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub parameters: String,
    pub property: String,
    /// The parameters and the property as options of `kripke check`.
    pub words: Vec<String>,
    pub expected: Option<Row>,
    /// Whether the entry is from a catalogue. The counts of a catalogue are those of all interleavings and all errors.
    pub catalogued: bool,
}

impl Entry {
    pub fn file(path: &Path, expected: Option<&Expected>) -> Entry {
        Entry {
            path: path.to_path_buf(),
            parameters: String::new(),
            property: String::new(),
            words: Vec::new(),
            expected: expected.and_then(|table| table.row(path)).cloned(),
            catalogued: false,
        }
    }

    /// An entry of a catalogue. Without a property, safety is checked.
    fn row(folder: &Path, row: &Row) -> Result<Entry, String> {
        let mut words = split(&row.parameters)?;
        words.extend(if row.property.is_empty() { vec!["--no-claim".to_string()] } else { split(&row.property)? });
        sets::parse(&words)?;
        let (parameters, property) = (row.parameters.clone(), row.property.clone());
        let expected = Some(row.clone());
        Ok(Entry { path: folder.join(&row.model), parameters, property, words, expected, catalogued: true })
    }

    /// The model, its parameters and its property.
    pub fn name(&self) -> String {
        let parts = [self.path.display().to_string(), self.parameters.clone(), self.property.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    pub fn language(&self, check: &Check) -> &'static str {
        check.reading.lang.unwrap_or_else(|| Language::of(&self.path)).name()
    }
}

/// The entries of the arguments. A folder stands for the rows of its table, and so does a table.
pub fn entries(args: &Bench) -> Result<Vec<Entry>, Failure> {
    let expected = args.expect.as_deref().map(Expected::read).transpose()?;
    let mut out = Vec::new();
    for path in &args.files {
        let is_table = path.extension().is_some_and(|ending| ending == "tsv");
        let table = if path.is_dir() { path.join(TABLE) } else { path.clone() };
        if !path.is_dir() && !is_table {
            out.push(Entry::file(path, expected.as_ref()));
            continue;
        }
        let folder = table.parent().unwrap_or(Path::new(""));
        for (line, row) in Expected::read(&table)?.rows {
            let wrong = |why: String| Failure::BadInput(format!("{}:{line}: {why}", table.display()));
            out.push(Entry::row(folder, &row).map_err(wrong)?);
        }
    }
    Ok(out)
}

/// The characteristics of the entries that satisfy the condition. An entry that can't be read is reported and left out.
pub fn surveys(
    args: &Bench,
    entries: Vec<Entry>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Vec<(Entry, Survey)>, Failure> {
    let mut out = Vec::new();
    for entry in entries {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        let words: Vec<String> = entry.words.iter().chain(&args.always).cloned().collect();
        let check = sets::parse(&words).map_err(Failure::BadInput)?;
        match surveyed(&entry, &check, interrupt) {
            Ok(survey) if selected(args, &entry, &check, &survey) => out.push((entry, survey)),
            Ok(_) => {}
            Err(text) => output::remark(&text),
        }
    }
    Ok(out)
}

fn surveyed(entry: &Entry, check: &Check, interrupt: &Arc<AtomicBool>) -> Result<Survey, String> {
    let wanted = Wanted {
        interrupt: Some(interrupt.clone()),
        max_states: check.request().limits.max_states,
        ..Wanted::default()
    };
    if entry.property.is_empty() {
        let loaded = load::load(&entry.path, &check.reading.source(), &[], &Disk).map_err(|error| error.text)?;
        let all = survey(&Arc::new(loaded.model), &wanted);
        return all.map(|all| all.survey).map_err(|e| format!("{}: {e}\n", files::shown(&entry.path)));
    }
    let all = survey_question(&entry.path, &check.request(), &wanted, &Disk);
    all.map(|all| all.survey).map_err(|error| match error {
        Error::Input(error) => error.text,
        other => format!("{}: {other}\n", files::shown(&entry.path)),
    })
}

fn selected(args: &Bench, entry: &Entry, check: &Check, survey: &Survey) -> bool {
    let result = entry.expected.as_ref().map_or("", |row| row.result.word());
    let (model, language) = (entry.path.display().to_string(), entry.language(check));
    let texts = [model.as_str(), language, &entry.property, result];
    args.select.iter().all(|condition| condition.holds(condition::Entry { survey, texts }))
}

/// Whether the counts of a survey differ from those of the catalogue, which are those of the model alone.
pub fn differs(entry: &Entry, survey: &Survey) -> bool {
    let row = entry.expected.as_ref().filter(|_| entry.property.is_empty() && survey.complete);
    row.is_some_and(|row| row.differs(survey.unique, survey.transitions))
}
