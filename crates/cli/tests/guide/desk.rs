//! A temporary directory in which the commands of the guide are executed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::page;

/// A directory with the examples, the benchmark models and the files that pages show; removed on drop.
pub struct Desk {
    dir: TempDir,
}

/// The result of a command.
pub struct Said {
    pub status: i32,
    /// Standard output, then standard error.
    pub text: String,
}

impl Desk {
    pub fn new() -> Desk {
        let dir = TempDir::with_prefix("kripke-guide-").unwrap();
        for folder in ["examples", "bench/models"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
            let files = fs::read_dir(page::root().join(folder)).unwrap().map(|entry| entry.unwrap());
            for file in files.filter(|file| file.file_type().unwrap().is_file()) {
                fs::copy(file.path(), dir.path().join(folder).join(file.file_name())).unwrap();
            }
        }
        Desk { dir }
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    /// Executes a command line of a shell in which `kripke` is the program under test.
    pub fn run(&self, command: &str) -> Said {
        let program = Path::new(env!("CARGO_BIN_EXE_kripke"));
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.dir).env("PATH", path).stdin(Stdio::null());
        shell.env_remove("COLUMNS").env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        let output = shell.output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        Said { status: output.status.code().unwrap_or(-1), text }
    }
}
