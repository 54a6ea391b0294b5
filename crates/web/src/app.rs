//! What all requests share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::accounts::Accounts;
use crate::jobs::{Jobs, Limits};
use crate::process::{Program, Worker, to_its_end, turn};
use crate::rate::{Places, Rates};
use crate::refusal::Refusal;
use crate::sessions::Sessions;

/// The time for an answer.
const LIMIT: Duration = Duration::from_secs(10);
/// Workers end when they were not asked for so long, or when there are too many.
const IDLE: Duration = Duration::from_secs(600);
const MOST_WORKERS: usize = 32;
/// The most streams of events of a user.
const MOST_STREAMS: usize = 16;

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct User {
    /// The name; empty for the one person of `kripke ui`.
    pub name: String,
    pub admin: bool,
    pub limits: Limits,
}

/// One person with a token and a folder, or a group with accounts.
pub(crate) enum Mode {
    One { token: String, folder: PathBuf, user: User },
    Group(Accounts),
}

/// The folder of a worker, and whether it is one of the language service: typing does not wait for drawings.
type Wanted = (PathBuf, bool);
/// A worker of a project; none before the first question.
type Shared = Arc<tokio::sync::Mutex<Option<Worker>>>;

/// What all requests share.
pub(crate) struct App {
    pub mode: Mode,
    pub program: Program,
    pub jobs: Arc<Jobs>,
    pub sessions: Sessions,
    pub rates: Rates,
    /// The streams of events that users have.
    pub streams: Arc<Places>,
    /// The values of the header `Host` that are the server's own.
    pub hosts: Vec<String>,
    /// Whether browsers use https, which a proxy does for the server.
    pub https: bool,
    /// Whether clients are known by what a proxy says of them.
    pub behind_proxy: bool,
    pub load: crate::load::History,
    workers: Mutex<HashMap<Wanted, (Shared, Instant)>>,
}

impl App {
    pub fn new(mode: Mode, jobs: Arc<Jobs>, hosts: Vec<String>) -> App {
        App {
            mode,
            program: jobs.program.clone(),
            jobs,
            sessions: Sessions::default(),
            rates: Rates::default(),
            streams: Places::new(MOST_STREAMS),
            hosts,
            https: false,
            behind_proxy: false,
            load: crate::load::History::default(),
            workers: Mutex::default(),
        }
    }

    /// The folder of a project that a user may read, or write.
    pub fn project(&self, user: &User, name: Option<&str>, writes: bool) -> Result<(String, PathBuf), Refusal> {
        match &self.mode {
            Mode::One { folder, .. } => Ok(("default".to_string(), folder.clone())),
            Mode::Group(accounts) => accounts.project(user, name, writes),
        }
    }

    /// The limits of a user's jobs.
    pub fn limits(&self, user: &str) -> Limits {
        match &self.mode {
            Mode::One { user, .. } => user.limits.clone(),
            Mode::Group(accounts) => accounts.limits(user),
        }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<Wanted, (Shared, Instant)>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the workers and sessions that were not used for long.
    pub fn end_idle(&self) {
        self.workers().retain(|_, (_, used)| used.elapsed() < IDLE);
        self.sessions.end_idle();
    }

    fn worker(&self, wanted: Wanted) -> Shared {
        let mut workers = self.workers();
        if workers.len() >= MOST_WORKERS && !workers.contains_key(&wanted) {
            let oldest = workers.iter().min_by_key(|(_, (_, used))| *used).map(|(other, _)| other.clone());
            oldest.map(|oldest| workers.remove(&oldest));
        }
        let found = workers.entry(wanted).or_insert_with(|| (Shared::default(), Instant::now()));
        found.1 = Instant::now();
        Arc::clone(&found.0)
    }

    /// Asks the worker of a project's folder. One that has ended is replaced.
    pub async fn ask(&self, folder: &Path, question: Value) -> Result<Value, Refusal> {
        let is_language = question["op"].as_str().is_some_and(|op| op.starts_with("lang/"));
        let shared = self.worker((folder.to_path_buf(), is_language));
        let (program, folder) = (self.program.clone(), folder.to_path_buf());
        let mut worker = turn(shared).await?;
        to_its_end(async move {
            if worker.as_mut().is_none_or(Worker::has_ended) {
                *worker = Some(Worker::start(&program, &folder)?);
            }
            let Some(running) = worker.as_mut() else { return Err(Refusal::not_found()) };
            let answer = running.ask(&question, LIMIT).await;
            if running.has_ended() {
                *worker = None;
            }
            answer
        })
        .await
    }
}
