//! Jobs: a queue, one process for each running job, and its events.

mod events;
mod limits;
mod plan;
mod run;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};

pub(crate) use events::Events;
pub(crate) use limits::{LOCAL, Limits, Machine, Share};

use crate::database::{Database, Job, State, now};
use crate::options::{arguments, command};
use crate::process::Program;
use crate::projects::{replace, sync_folder};
use crate::refusal::Refusal;

/// The most jobs that wait.
const MOST_QUEUED: usize = 1000;
/// The most properties of a job that its row has.
const MOST_PROPERTIES: usize = 1000;
/// The beginning of the names of folders of jobs that are being made.
const NEW: &str = "new-";

/// A job that waits or runs.
pub(crate) struct Open {
    pub job: Job,
    pub events: Arc<Events>,
    /// The part of the machine that it has; none while it waits.
    pub share: Share,
}

/// All jobs.
pub(crate) struct Jobs {
    pub database: Arc<Database>,
    pub program: Program,
    /// The folder with one folder for each job.
    pub folder: PathBuf,
    pub machines: Vec<Machine>,
    pub total: Share,
    open: Mutex<HashMap<i64, Open>>,
    changed: Notify,
    /// Permits to make a plan.
    plans: Semaphore,
}

/// A job to be made.
pub(crate) struct Wanted {
    pub user: String,
    pub project: String,
    pub options: Value,
    pub define: Value,
    pub machine: String,
    /// The file and the texts of the model, as a worker gives them.
    pub model: Value,
    pub limits: Limits,
}

impl Jobs {
    pub fn new(
        database: Arc<Database>,
        program: Program,
        folder: PathBuf,
        machines: Vec<Machine>,
        total: Share,
    ) -> Jobs {
        let (open, changed, plans) = (Mutex::default(), Notify::new(), Semaphore::new(plan::MOST_PLANS));
        Jobs { database, program, folder, machines, total, open, changed, plans }
    }

    pub fn open(&self) -> MutexGuard<'_, HashMap<i64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder of a job.
    pub fn folder(&self, id: i64) -> PathBuf {
        self.folder.join(id.to_string())
    }

    /// Looks for jobs that can start: limits have changed.
    pub fn wake(&self) {
        self.changed.notify_one();
    }

    /// Takes up the work of a server that has ended: marks, queue, folders without a job.
    pub fn recover(&self) -> Result<(), Refusal> {
        for job in self.database.recover()? {
            if !self.folder(job.id).exists() {
                // The server ended before it could tell the client that it had accepted the job.
                self.database.remove_job(job.id)?;
                continue;
            }
            let events = Arc::new(Events::new());
            events.add("state", job.value(None));
            self.open().insert(job.id, Open { events, share: Share::default(), job });
        }
        for entry in fs::read_dir(&self.folder)?.flatten() {
            if self.is_left_over(&entry)
                && let Err(e) = fs::remove_dir_all(entry.path())
            {
                eprintln!("warning: {}: {e}", entry.path().display());
            }
        }
        self.wake();
        Ok(())
    }

    /// Whether an entry of the folder was made by a server that has ended, and belongs to no job. Others may have put files there.
    fn is_left_over(&self, entry: &fs::DirEntry) -> bool {
        let (name, is_folder) = (entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let name = name.to_str().unwrap_or_default();
        let is_own = match name.parse::<i64>() {
            Ok(id) => id.to_string() == name && matches!(self.database.job(id), Ok(None)),
            Err(_) => name.starts_with(NEW) || name.starts_with(plan::FOLDER),
        };
        is_folder && is_own
    }

    /// Adds a job to the queue.
    pub fn add(&self, wanted: Wanted) -> Result<Value, Refusal> {
        arguments(&wanted.options, &wanted.define).map_err(|w| refused_option(&w))?;
        if !self.machines.iter().any(|machine| machine.name == wanted.machine) {
            return Err(Refusal::new(422, "there is no such machine"));
        }
        let mut open = self.open();
        let own = open.values().filter(|o| o.job.user == wanted.user && o.job.state == State::Queued).count();
        if open.len() >= MOST_QUEUED || own >= wanted.limits.queued {
            return Err(Refusal::new(429, "too many jobs wait: stop some, or wait for them"));
        }
        let mut job = Job {
            id: 0,
            user: wanted.user,
            project: wanted.project,
            file: wanted.model["file"].as_str().unwrap_or_default().to_string(),
            options: wanted.options,
            define: wanted.define,
            machine: wanted.machine,
            state: State::Queued,
            created: now(),
            started: None,
            ended: None,
            exit: None,
            verdict: None,
            message: None,
            summary: Value::Null,
            properties: json!([]),
        };
        job.id = self.keep(&job, &wanted.model)?;
        let events = Arc::new(Events::new());
        let value = job.value(Some(position(&open, job.id)));
        events.add("state", value.clone());
        open.insert(job.id, Open { job, events, share: Share::default() });
        drop(open);
        self.wake();
        Ok(value)
    }

    /// Keeps the row and the files of a new job, or nothing of it. Returns its number.
    fn keep(&self, job: &Job, model: &Value) -> Result<i64, Refusal> {
        // The files are there before the row is: a job in the database can always be executed.
        let prepared = self.folder.join(format!("{NEW}{}", crate::secret::word(8)));
        let kept = write_model(&prepared, model).and_then(|()| self.database.add_job(job)).and_then(|id| {
            let moved = self.move_folder(&prepared, &self.folder(id));
            moved.inspect_err(|_| drop(self.database.remove_job(id))).map(|()| id)
        });
        if kept.is_err() {
            let _ = fs::remove_dir_all(&prepared);
        }
        kept
    }

    /// Gives a folder another name, which survives a loss of power.
    fn move_folder(&self, from: &Path, to: &Path) -> Result<(), Refusal> {
        fs::rename(from, to)?;
        sync_folder(to).inspect_err(|_| drop(fs::remove_dir_all(to)))?;
        Ok(())
    }

    /// A job as the client sees it.
    pub fn value(&self, id: i64) -> Result<Value, Refusal> {
        if let Some(value) = open_value(&self.open(), id) {
            return Ok(value);
        }
        let job = self.database.job(id)?.ok_or_else(Refusal::not_found)?;
        Ok(job.value(None))
    }

    /// A job as the database or the queue has it.
    pub fn owner(&self, id: i64) -> Result<Job, Refusal> {
        if let Some(found) = self.open().get(&id) {
            return Ok(found.job.clone());
        }
        self.database.job(id)?.ok_or_else(Refusal::not_found)
    }

    /// The jobs of a user, or of a project, newest first.
    pub fn list(
        &self,
        user: &str,
        project: Option<&str>,
        file: Option<&str>,
        most: usize,
    ) -> Result<Vec<Value>, Refusal> {
        // A job leaves the open ones after its row is written.
        let open = self.open();
        let own = self.database.jobs(
            "(user = ?1 and ?2 is null or project = ?2) and (?3 is null or file = ?3)",
            &[&user, &project, &file],
            most,
        )?;
        let value = |job: &Job| open_value(&open, job.id).unwrap_or_else(|| job.value(None));
        Ok(own.iter().map(value).collect())
    }

    /// The events of a job; those of one that has ended are made from its row.
    pub fn events(&self, id: i64) -> Result<Arc<Events>, Refusal> {
        if let Some(found) = self.open().get(&id) {
            return Ok(Arc::clone(&found.events));
        }
        let value = self.value(id)?;
        let events = Events::new();
        events.add("state", value.clone());
        for property in value["properties"].as_array().into_iter().flatten() {
            events.add("property", json!({ "property": property["name"], "verdict": property["verdict"] }));
        }
        events.end(value);
        Ok(Arc::new(events))
    }

    /// Stops a job that waits or runs.
    pub fn stop(&self, id: i64) -> Result<Value, Refusal> {
        let mut open = self.open();
        let Some(found) = open.get_mut(&id) else {
            drop(open);
            return self.value(id);
        };
        found.events.stop();
        if found.job.state == State::Queued {
            found.job.state = State::Stopped;
            found.job.ended = Some(now());
            self.database.update_job(&found.job)?;
            let value = found.job.value(None);
            found.events.end(value.clone());
            open.remove(&id);
            return Ok(value);
        }
        Ok(found.job.value(None))
    }

    /// Removes a job that has ended, with its files.
    pub fn remove(&self, id: i64) -> Result<(), Refusal> {
        if self.open().contains_key(&id) {
            return Err(Refusal::new(409, "the job has not ended: stop it first"));
        }
        self.database.remove_job(id)?;
        let folder = self.folder(id);
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        Ok(())
    }

    /// The text that was checked.
    pub fn model(&self, id: i64) -> Result<Value, Refusal> {
        let path = self.folder(id).join("model.json");
        let text = fs::read(&path).map_err(|_| Refusal::not_found())?;
        serde_json::from_slice(&text).map_err(|e| Refusal::internal(&e))
    }

    /// The result of a job that has ended.
    pub fn result(&self, id: i64) -> Result<Value, Refusal> {
        let path = self.folder(id).join("result.json");
        let text = fs::read(&path).map_err(|_| Refusal::new(404, "the job has no result"))?;
        serde_json::from_slice(&text).map_err(|e| Refusal::internal(&e))
    }

    /// The part of the machine that a job needs at most.
    fn share(&self, options: &Value, machine: &str, limits: &Limits) -> Share {
        let is_local = self.machines.iter().any(|m| m.name == machine && m.command.is_empty());
        let most = if is_local { limits.cores.min(self.total.cores).max(1) } else { 0 };
        let threads = options["threads"].as_u64().map_or(most, |threads| threads as usize).min(most);
        let memory = options["mem"].as_str().and_then(|text| kripke_report::number::parse_bytes(text).ok());
        let most = limits.memory.min(self.total.memory);
        Share { cores: threads, memory: if is_local { memory.unwrap_or(most).min(most) } else { 0 } }
    }
}

/// A job that waits or runs, as the client sees it.
fn open_value(open: &HashMap<i64, Open>, id: i64) -> Option<Value> {
    let found = open.get(&id)?;
    let place = (found.job.state == State::Queued).then(|| position(open, id));
    Some(found.job.value(place))
}

/// The number of jobs that are in the queue before this one.
fn position(open: &HashMap<i64, Open>, id: i64) -> usize {
    open.values().filter(|o| o.job.state == State::Queued && o.job.id < id && id != 0).count()
}

/// Writes the texts of a model into the folder of a job.
fn write_model(folder: &Path, model: &Value) -> Result<(), Refusal> {
    fs::create_dir_all(folder.join("model"))?;
    for (path, text) in model["texts"].as_object().into_iter().flatten() {
        let path = crate::worker::plain(path.as_ref()).ok_or_else(Refusal::not_found)?;
        let path = folder.join("model").join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        replace(&path, text.as_str().unwrap_or_default().as_bytes())?;
    }
    replace(&folder.join("model.json"), model.to_string().as_bytes())?;
    Ok(())
}

/// The refusal of an option.
pub(crate) fn refused_option(wrong: &crate::options::Wrong) -> Refusal {
    Refusal::new(422, &format!("{}: {}", wrong.option, wrong.why)).with("option", json!(wrong.option))
}

/// The words of the command line that a user would type.
pub(crate) fn words(file: &str, options: &Value, define: &Value) -> Result<Vec<String>, Refusal> {
    let mut words = vec!["check".to_string(), file.to_string()];
    words.extend(arguments(options, define).map_err(|wrong| refused_option(&wrong))?);
    Ok(words)
}

/// The command line of a job.
pub(crate) fn shown_command(job: &Job) -> String {
    match words(&job.file, &job.options, &job.define) {
        Ok(words) => format!("kripke {}", command(&words)),
        Err(_) => String::new(),
    }
}
