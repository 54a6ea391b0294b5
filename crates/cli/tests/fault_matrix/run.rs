//! Runs cells on two threads and compares.
//!
//! Starting the program takes as long as checking a cell, so cells that differ in the model only share a process. The first
//! of them has a process of its own: its exit status is its own, too. The others are judged by their reports.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::cell::{Cell, Expect};

const THREADS: usize = 2;
/// The most cells that share a process.
const TOGETHER: usize = 20;

/// The name of a cell that ended in another way than expected, why, and its model.
type Failure = (String, String, String);

/// Runs the cells; panics with a list of those that ended in another way than expected.
pub fn all(name: &str, cells: &[Cell]) {
    let wanted = std::env::var("KRIPKE_FAULT_MATRIX").unwrap_or_default();
    let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.name.contains(&wanted)).collect();
    let folder = TempDir::with_prefix(format!("kripke-fault-matrix-{name}-")).expect("folders can be made");
    let batches = batches(&cells);
    assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), cells.len(), "every cell is in a batch");
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (batches, next, failed, folder) = (&batches, &next, &failed, folder.path().join(thread.to_string()));
            fs::create_dir_all(&folder).expect("folders can be made");
            scope.spawn(move || {
                while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    failed.lock().expect("nobody panics").extend(run(batch, &folder));
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics");
    assert!(failed.is_empty(), "{} of {} cells:\n{}", failed.len(), cells.len(), list(failed));
}

fn list(mut failed: Vec<Failure>) -> String {
    let whole = std::env::var_os("KRIPKE_FAULT_MATRIX_LIST").is_some();
    failed.sort();
    let mut out = String::new();
    for (name, why, text) in failed.iter().take(if whole { usize::MAX } else { 40 }) {
        let _ = writeln!(out, "{name}: {why}");
        if whole {
            let _ = writeln!(out, "{text}");
        }
    }
    out
}

/// The cells of each process.
fn batches<'c>(cells: &[&'c Cell]) -> Vec<Vec<&'c Cell>> {
    let mut alike: BTreeMap<_, Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        alike.entry((cell.ending, &cell.options, cell.expect == Expect::Holds)).or_default().push(cell);
    }
    let mut out = Vec::new();
    for cells in alike.values() {
        let alone = if may_be_refused(cells[0]) { cells.len() } else { 1 };
        out.extend(cells[..alone].iter().map(|cell| vec![*cell]));
        out.extend(cells[alone..].chunks(TOGETHER).map(<[&Cell]>::to_vec));
    }
    out
}

fn run(batch: &[&Cell], folder: &Path) -> Vec<Failure> {
    let alone = |cell: &&Cell| {
        let why = one(cell, folder).err()?;
        Some((cell.name.clone(), why, cell.text.clone()))
    };
    let [first, _, ..] = batch else { return batch.iter().filter_map(alone).collect() };
    let Err(why) = together(batch, folder) else { return Vec::new() };
    let failed: Vec<Failure> = batch.iter().filter_map(alone).collect();
    if failed.is_empty() {
        let others = batch.len() - 1;
        return vec![(first.name.clone(), format!("only together with {others} others: {why}"), first.text.clone())];
    }
    failed
}

/// Checks the models of cells that have the same options.
fn check(cells: &[&Cell], folder: &Path) -> Result<Output, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check");
    for (number, cell) in cells.iter().enumerate() {
        let path = folder.join(format!("{number}.{}", cell.ending));
        fs::write(&path, &cell.text).map_err(|e| e.to_string())?;
        command.arg(path);
    }
    command.args(["--format", "json", "--no-trail"]);
    for option in &cells[0].options {
        command.arg(written(option, folder)?);
    }
    command.output().map_err(|e| e.to_string())
}

fn one(cell: &Cell, folder: &Path) -> Result<(), String> {
    let output = check(&[cell], folder)?;
    if is_refused_store(cell, &output) {
        return Ok(());
    }
    let said: Value = serde_json::from_slice(&output.stdout).map_err(|_| complaint(&output))?;
    compare(&cell.expect, output.status.code(), &said).map_err(|why| format!("{why} [{}]", cell.options.join(" ")))
}

/// A report is a line. The exit status is the worst of all, so it is the one that all of them should have.
fn together(cells: &[&Cell], folder: &Path) -> Result<(), String> {
    let output = check(cells, folder)?;
    let reports: Result<Vec<Value>, _> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(serde_json::from_slice)
        .collect();
    let reports = reports.map_err(|_| complaint(&output))?;
    let expected = if cells[0].expect == Expect::Holds { 0 } else { 1 };
    if reports.len() != cells.len() || output.status.code() != Some(expected) {
        return Err(format!("{} reports; {}", reports.len(), complaint(&output)));
    }
    for (number, (cell, said)) in cells.iter().zip(&reports).enumerate() {
        let name = folder.join(format!("{number}.{}", cell.ending));
        let status = match said["verdict"].as_str() {
            _ if said["model"].as_str().map(Path::new) != Some(&name) => return Err(format!("no report of {number}")),
            Some("holds") => Some(0),
            Some("violated") => Some(1),
            _ => None,
        };
        compare(&cell.expect, status, said)?;
    }
    Ok(())
}

/// Tree compression is refused for properties that are no safety properties.
fn may_be_refused(cell: &Cell) -> bool {
    let temporal = ["--ltl", "--ltl-file", "--ctl"].iter().any(|option| cell.options.iter().any(|o| o == option));
    temporal && cell.options.iter().any(|o| o == "--store=tree")
}

fn is_refused_store(cell: &Cell, output: &Output) -> bool {
    let refused = String::from_utf8_lossy(&output.stderr).starts_with("error: --store tree: ");
    may_be_refused(cell) && refused && output.status.code() == Some(2)
}

/// An option; one that begins with `{FILE}` is the text of a file, whose name it becomes.
fn written(option: &str, folder: &Path) -> Result<OsString, String> {
    let Some(text) = option.strip_prefix("{FILE}") else { return Ok(option.into()) };
    let path = folder.join("side");
    fs::write(&path, text).map_err(|e| e.to_string())?;
    Ok(path.into())
}

/// Compares the exit status, and the kind and the line of the first finding.
fn compare(expect: &Expect, status: Option<i32>, said: &Value) -> Result<(), String> {
    let finding = &said["findings"][0];
    let found = (finding["kind"].as_str(), finding["line"].as_u64());
    match expect {
        Expect::Holds if status == Some(0) && finding.is_null() => Ok(()),
        Expect::Fault(kind, line) => {
            let right_line = line.is_none_or(|line| found.1 == Some(line as u64));
            let right = status == Some(1) && found.0 == Some(kind) && right_line && said["errors"]["property"] == 0;
            if right {
                Ok(())
            } else {
                Err(format!("expected {expect:?}, status {status:?}, found {found:?}{}", said_of(said)))
            }
        }
        Expect::Holds => Err(format!("expected {expect:?}, status {status:?}, found {found:?}{}", said_of(said))),
    }
}

fn said_of(said: &Value) -> String {
    let texts = [
        &said["findings"][0]["message"],
        &said["message"],
        &said["errors_in_model"],
        &said["diagnostics"][0]["message"],
    ];
    texts.iter().filter_map(|t| t.as_str()).map(|t| format!("; {t}")).collect()
}

fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    format!("status {:?}: {}", output.status.code(), text.lines().take(6).collect::<Vec<_>>().join(" | "))
}
