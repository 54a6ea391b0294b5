//! Running the program and reading what it says.

use std::path::PathBuf;
use std::process::Command;

use kripke_tests::opinion::question::Question;
use serde_json::Value;
use tempfile::TempDir;

use crate::case::Case;

#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    folder: TempDir,
}

/// What the program says to a command.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A property for each question.
    Answers(Value),
    /// It does not do that, and says why.
    Refused(String),
    /// It found a bug of its own, or did not come to an end by itself.
    Broken(String),
}

impl Program {
    pub fn new() -> Program {
        let path = std::env::var_os("KRIPKE_OPINIONS_PROGRAM");
        let path = path.map_or_else(|| env!("CARGO_BIN_EXE_kripke").into(), PathBuf::from);
        let folder = TempDir::with_prefix("kripke-opinion-").expect("a temporary folder can be made");
        Program { path, folder }
    }

    pub fn ask(&self, case: &Case) -> Reply {
        std::fs::write(self.folder.path().join(case.file()), case.model()).expect("the model can be written");
        let output = Command::new(&self.path)
            .current_dir(&self.folder)
            .args(case.arguments())
            .args(["--format", "json", "--no-trail", "--timeout", "60s"])
            .output()
            .expect("the program can be started");
        let complaint = String::from_utf8_lossy(&output.stderr).trim().to_string();
        match output.status.code() {
            Some(0 | 1 | 3) => match serde_json::from_slice(&output.stdout) {
                Ok(value) => Reply::Answers(value),
                Err(error) => Reply::Broken(format!("no JSON: {error}")),
            },
            Some(2) => Reply::Refused(complaint),
            status => Reply::Broken(format!("exit status {status:?}: {complaint}")),
        }
    }
}

/// The entry of a question in the answers.
pub fn property<'v>(case: &Case, question: &Question, answers: &'v Value) -> Option<&'v Value> {
    let (kind, name) = case.name(question);
    answers["properties"].as_array()?.iter().find(|p| p["kind"] == kind && p["name"] == *name)
}
