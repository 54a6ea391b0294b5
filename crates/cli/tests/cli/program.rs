//! Running the program in a directory of its own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A fresh directory with all the models in it; removed afterwards.
pub struct Desk {
    pub dir: TempDir,
}

/// What the program said.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Desk {
    pub fn new() -> Desk {
        let dir = TempDir::with_prefix("kripke-cli-").unwrap();
        for model in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")).unwrap() {
            let model = model.unwrap();
            fs::copy(model.path(), dir.path().join(model.file_name())).unwrap();
        }
        Desk { dir }
    }

    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
        command.args(args.split_whitespace()).current_dir(&self.dir);
        command.env_remove("COLUMNS").env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        command
    }

    pub fn run(&self, args: &str) -> Said {
        self.command(args).stdin(Stdio::null()).output().unwrap().into()
    }

    /// Runs it with something to read.
    pub fn talk(&self, args: &str, input: &str) -> Said {
        let mut child =
            self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    }

    /// The path of a file in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Said {
    /// Fails, with everything that was said, unless the status is this one.
    #[track_caller]
    pub fn expect(self, status: i32) -> Said {
        assert_eq!(self.status, status, "out:\n{}\nerr:\n{}", self.out, self.err);
        assert!(!self.err.contains("This is a bug in Kripke"), "{}", self.err);
        self
    }

    /// The output with times and sizes, which differ from run to run, written as `#`.
    pub fn steady(&self) -> String {
        let units = ["ms", "s", "B", "KiB", "MiB", "GiB"];
        let steady = |line: &str| {
            let mut words: Vec<String> = line.split(' ').map(String::from).collect();
            for i in 1..words.len() {
                if units.contains(&words[i].trim_end_matches(')')) {
                    let keep = words[i - 1].starts_with('(');
                    words[i - 1] = if keep { "(#".to_string() } else { "#".to_string() };
                }
            }
            words.join(" ") + "\n"
        };
        self.out.lines().map(steady).collect()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}:\n{}\nerr:\n{}", self.out, self.err))
    }
}
