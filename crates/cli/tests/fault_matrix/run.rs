//! Runs cells on two threads and compares.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::cell::{Cell, Expect};

const THREADS: usize = 2;

/// Runs the cells; panics with a list of those that ended in another way than expected.
pub fn all(name: &str, cells: &[Cell]) {
    let wanted = std::env::var("KRIPKE_FAULT_MATRIX").unwrap_or_default();
    let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.name.contains(&wanted)).collect();
    let folder = TempDir::with_prefix(format!("kripke-fault-matrix-{name}-")).expect("folders can be made");
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (cells, next, failed, folder) = (&cells, &next, &failed, folder.path());
            scope.spawn(move || {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = one(cell, folder, thread) {
                        failed.lock().expect("nobody panics").push((cell.name.clone(), why, cell.text.clone()));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panics");
    assert!(failed.is_empty(), "{} of {} cells:\n{}", failed.len(), cells.len(), list(failed));
}

fn list(mut failed: Vec<(String, String, String)>) -> String {
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

fn one(cell: &Cell, folder: &Path, thread: usize) -> Result<(), String> {
    let path: PathBuf = folder.join(format!("{thread}.{}", cell.ending));
    fs::write(&path, &cell.text).map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(&path).args(["--format", "json", "--no-trail"]);
    for option in &cell.options {
        command.arg(written(option, folder, thread)?);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    if is_refused_store(cell, &output) {
        return Ok(());
    }
    compare(&cell.expect, &output).map_err(|why| format!("{why} [{}]", cell.options.join(" ")))
}

/// Tree compression is refused for properties that are no safety properties.
fn is_refused_store(cell: &Cell, output: &Output) -> bool {
    let temporal = ["--ltl", "--ltl-file", "--ctl"].iter().any(|option| cell.options.iter().any(|o| o == option));
    let refused = String::from_utf8_lossy(&output.stderr).starts_with("error: --store tree: ");
    temporal && refused && output.status.code() == Some(2) && cell.options.iter().any(|o| o == "--store=tree")
}

/// An option; one that begins with `{FILE}` is the text of a file, whose name it becomes.
fn written(option: &str, folder: &Path, thread: usize) -> Result<OsString, String> {
    let Some(text) = option.strip_prefix("{FILE}") else { return Ok(option.into()) };
    let path = folder.join(format!("{thread}.side"));
    fs::write(&path, text).map_err(|e| e.to_string())?;
    Ok(path.into())
}

/// Compares the exit status, and the kind and the line of the first finding.
fn compare(expect: &Expect, output: &Output) -> Result<(), String> {
    let status = output.status.code();
    let said: Value = serde_json::from_slice(&output.stdout).map_err(|_| complaint(output))?;
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
                Err(format!("expected {expect:?}, status {status:?}, found {found:?}{}", said_of(&said)))
            }
        }
        Expect::Holds => Err(format!("expected {expect:?}, status {status:?}, found {found:?}{}", said_of(&said))),
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
