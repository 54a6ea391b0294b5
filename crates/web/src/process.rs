//! Processes of the server: workers, which answer questions, and the start of all of them.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::refusal::Refusal;

/// The longest answer of a worker.
const MOST_BYTES: u64 = 256 << 20;
/// The most workers at a time: those of projects and of sessions.
const MOST_WORKERS: usize = 96;
/// The time that a question waits for the ones before it.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program that is executed, and the limits of its processes.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The file of the program.
    pub path: PathBuf,
    /// The bytes of memory of a worker.
    memory: u64,
    /// Permits to have a worker.
    workers: Arc<Semaphore>,
}

/// A refusal for now.
pub(crate) fn busy() -> Refusal {
    Refusal::new(503, "the server is busy: try again later")
}

impl Program {
    pub fn new(path: PathBuf, memory: u64) -> Program {
        Program { path, memory, workers: Arc::new(Semaphore::new(MOST_WORKERS)) }
    }

    /// A process in a folder that ends with the server. No shell is involved, and it inherits nothing but its arguments.
    pub fn command(&self, folder: &Path, memory: Option<u64>) -> Command {
        let mut command = Command::new(&self.path);
        command.arg("page-process").arg(format!("--parent={}", std::process::id()));
        command.args(memory.map(|bytes| format!("--memory={bytes}")));
        command.arg("--").current_dir(folder).env_clear().kill_on_drop(true);
        for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
    }
}

/// Does something to its end, also if the client goes away meanwhile: a worker whose answer is not read would give it to the next
/// question.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::spawn(work).await.map_err(|e| Refusal::internal(&e))?
}

/// Waits until a worker is free, as long as the client waits, but not without end.
pub(crate) async fn turn<T>(worker: Arc<Mutex<T>>) -> Result<OwnedMutexGuard<T>, Refusal> {
    timeout(PATIENCE, worker.lock_owned()).await.map_err(|_| busy())
}

/// A process that answers questions, one at a time.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The process was killed, though it may not be gone yet.
    is_killed: bool,
    _permit: OwnedSemaphorePermit,
}

impl Worker {
    /// Starts a worker in the folder of a project.
    pub fn start(program: &Program, folder: &Path) -> Result<Worker, Refusal> {
        let permit = Arc::clone(&program.workers).try_acquire_owned().map_err(|_| busy())?;
        let mut command = program.command(folder, Some(program.memory));
        command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        match (stdin, stdout) {
            (Some(stdin), Some(stdout)) => {
                Ok(Worker { child, stdin, stdout: BufReader::new(stdout), is_killed: false, _permit: permit })
            }
            _ => Err(Refusal::internal(&"a worker has no streams")),
        }
    }

    /// Whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.is_killed || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the process.
    pub fn kill(&mut self) {
        let _ = self.child.start_kill();
        self.is_killed = true;
    }

    /// Asks a question. A worker that does not answer in time is ended.
    pub async fn ask(&mut self, question: &Value, limit: Duration) -> Result<Value, Refusal> {
        let answer = timeout(limit, self.exchange(question)).await;
        if !matches!(answer, Ok(Ok(_))) {
            // The process may still write the answer to this question: it can't be asked again.
            self.kill();
        }
        let line = match answer {
            Ok(Ok(line)) => line,
            Ok(Err(_)) => {
                return Err(Refusal::new(503, "the process that works on the model ended: it may lack memory"));
            }
            Err(_) => {
                let text = format!("this takes longer than {} s, and was ended", limit.as_secs());
                return Err(Refusal::new(504, &text));
            }
        };
        let mut answer: Value = serde_json::from_slice(&line).map_err(|e| Refusal::internal(&e))?;
        match answer["failed"].is_null() {
            true => Ok(answer["ok"].take()),
            false => Err(Refusal::of_worker(answer["failed"].take())),
        }
    }

    async fn exchange(&mut self, question: &Value) -> std::io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(question)?;
        line.push(b'\n');
        self.stdin.write_all(&line).await?;
        self.stdin.flush().await?;
        let mut answer = Vec::new();
        (&mut self.stdout).take(MOST_BYTES).read_until(b'\n', &mut answer).await?;
        match answer.last() {
            Some(b'\n') => Ok(answer),
            _ => Err(std::io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
