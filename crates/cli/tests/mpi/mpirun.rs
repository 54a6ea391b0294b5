//! Starting ranks, and finding their processes.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kripke_tests::places;

/// A run that has not ended after this time hangs.
const HANGS: Duration = Duration::from_secs(300);

/// What the ranks have said.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Said {
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}:\n{self:?}"))
    }
}

/// Whether ranks can be started here.
pub fn is_installed() -> bool {
    let found = Command::new("mpirun").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        places::missing("mpirun is not installed");
    }
    found
}

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_kripke");

/// The program without other processes.
pub fn alone(folder: &Path, args: &[&str]) -> Said {
    Command::new(PROGRAM).args(args).current_dir(folder).output().expect("the program").into()
}

/// `mpirun` with these arguments.
pub fn mpirun(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--bind-to", "none"]).args(args).current_dir(folder);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program with so many ranks.
pub fn ranks(folder: &Path, ranks: usize, args: &[&str]) -> Said {
    let mut all = vec!["-n".to_string(), ranks.to_string(), PROGRAM.to_string()];
    all.extend(args.iter().map(ToString::to_string));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    mpirun(folder, &all).output().expect("mpirun").into()
}

/// A run whose ranks can be found.
pub struct Run {
    pub child: Child,
    mark: String,
}

/// The variable that marks the processes of one run.
const MARK: &str = "KRIPKE_TEST_RUN";

impl Run {
    pub fn start(folder: &Path, ranks: usize, args: &[&str]) -> Run {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let mark = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
        let number = ranks.to_string();
        let mut command = mpirun(folder, &[&["-n", &number, PROGRAM], args].concat());
        Run { child: command.env(MARK, &mark).spawn().expect("mpirun"), mark }
    }

    /// The process of a rank, once it is there.
    pub fn process(&self, rank: usize) -> u32 {
        let wanted = [
            format!("{MARK}={}", self.mark),
            format!("OMPI_COMM_WORLD_RANK={rank}"),
            "KRIPKE_RANK_SUPERVISED=1".to_string(),
        ];
        let start = Instant::now();
        while start.elapsed() < HANGS {
            let processes = fs::read_dir("/proc")
                .expect("processes")
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            for id in processes.filter_map(|name| name.parse::<u32>().ok()) {
                let variables = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
                let has = |wanted: &String| variables.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes());
                if wanted.iter().all(has) {
                    return id;
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("rank {rank} was not started");
    }

    /// The processes of all ranks, once all have begun to search: the thread that searches has a name. The start of MPI takes long on
    /// a machine with other work.
    pub fn searching(&self, ranks: usize) -> Vec<u32> {
        let processes: Vec<u32> = (0..ranks).map(|rank| self.process(rank)).collect();
        let start = Instant::now();
        while !processes.iter().enumerate().all(|(rank, id)| has_thread(*id, &format!("rank {rank}"))) {
            assert!(start.elapsed() < HANGS, "the ranks did not begin to search");
            std::thread::sleep(Duration::from_millis(20));
        }
        processes
    }

    /// What was said until the end. A run that hangs is ended, and the test fails.
    pub fn end(mut self) -> Said {
        let start = Instant::now();
        while self.child.try_wait().expect("mpirun").is_none() {
            if start.elapsed() > HANGS {
                let _ = self.child.kill();
                panic!("the ranks did not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.child.wait_with_output().expect("mpirun").into()
    }
}

/// Whether a process has a thread with this name.
fn has_thread(process: u32, name: &str) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let mut names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.any(|found| found.trim() == name)
}
