//! The database: jobs, and for a group users, their sessions and projects.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use crate::refusal::Refusal;

const SCHEMA: &str = "
create table if not exists users (
    name text primary key, password text not null, admin integer not null, limits text not null);
create table if not exists sessions (
    token text primary key, user text not null, created real not null, used real not null);
create table if not exists projects (
    id integer primary key autoincrement, name text not null, owner text not null);
create table if not exists members (
    project integer not null, user text not null, right text not null, primary key (project, user));
create table if not exists jobs (
    id integer primary key autoincrement, user text not null, project text not null, file text not null,
    options text not null, define text not null, machine text not null, state text not null, created real not null,
    started real, ended real, exit integer, verdict text, message text, summary text not null,
    properties text not null);
create index if not exists jobs_by_user on jobs (user, state);
";

/// The database.
#[derive(Debug)]
pub(crate) struct Database(Mutex<Connection>);

/// The state of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Queued,
    Running,
    Finished,
    /// The user has stopped it.
    Stopped,
    /// Its process failed, or its limits ended it.
    Failed,
    /// The server ended while it ran.
    Interrupted,
}

impl State {
    const ALL: [(State, &str); 6] = [
        (State::Queued, "queued"),
        (State::Running, "running"),
        (State::Finished, "finished"),
        (State::Stopped, "stopped"),
        (State::Failed, "failed"),
        (State::Interrupted, "interrupted"),
    ];

    pub fn word(self) -> &'static str {
        State::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, word)| word)
    }

    fn read(word: &str) -> State {
        State::ALL.iter().find(|(_, known)| *known == word).map_or(State::Failed, |(state, _)| *state)
    }
}

/// A job as the database knows it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub id: i64,
    pub user: String,
    pub project: String,
    pub file: String,
    pub options: Value,
    pub define: Value,
    pub machine: String,
    pub state: State,
    pub created: f64,
    pub started: Option<f64>,
    pub ended: Option<f64>,
    pub exit: Option<i32>,
    pub verdict: Option<String>,
    pub message: Option<String>,
    pub summary: Value,
    pub properties: Value,
}

/// Seconds since 1970.
pub(crate) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

impl Database {
    /// Opens the database in a file, or one in memory.
    pub fn open(path: Option<&Path>) -> Result<Database, rusqlite::Error> {
        let connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        // A transaction that is done survives the end of the server and of the machine.
        connection.execute_batch("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;")?;
        connection.execute_batch(SCHEMA)?;
        Ok(Database(Mutex::new(connection)))
    }

    pub fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job to the queue. Returns its number.
    pub fn add_job(&self, job: &Job) -> Result<i64, Refusal> {
        let db = self.lock();
        db.execute(
            "insert into jobs (user, project, file, options, define, machine, state, created, summary, properties) \
             values (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7, 'null', '[]')",
            params![
                job.user,
                job.project,
                job.file,
                job.options.to_string(),
                job.define.to_string(),
                job.machine,
                job.created
            ],
        )?;
        Ok(db.last_insert_rowid())
    }

    /// Replaces what changes during the life of a job.
    pub fn update_job(&self, job: &Job) -> Result<(), Refusal> {
        self.lock().execute(
            "update jobs set state = ?2, started = ?3, ended = ?4, exit = ?5, verdict = ?6, message = ?7, summary = ?8, \
             properties = ?9 where id = ?1",
            params![
                job.id,
                job.state.word(),
                job.started,
                job.ended,
                job.exit,
                job.verdict,
                job.message,
                job.summary.to_string(),
                job.properties.to_string()
            ],
        )?;
        Ok(())
    }

    pub fn remove_job(&self, id: i64) -> Result<(), Refusal> {
        self.lock().execute("delete from jobs where id = ?1", [id])?;
        Ok(())
    }

    pub fn job(&self, id: i64) -> Result<Option<Job>, Refusal> {
        let db = self.lock();
        Ok(db.query_row("select * from jobs where id = ?1", [id], row).optional()?)
    }

    /// The jobs that a condition selects, newest first.
    pub fn jobs(&self, condition: &str, values: &[&dyn rusqlite::ToSql], most: usize) -> Result<Vec<Job>, Refusal> {
        let db = self.lock();
        let mut query = db.prepare(&format!("select * from jobs where {condition} order by id desc limit {most}"))?;
        let rows = query.query_map(values, row)?;
        Ok(rows.collect::<Result<Vec<Job>, _>>()?)
    }

    /// Marks the jobs that ran when the server ended. Returns the jobs that wait, oldest first.
    pub fn recover(&self) -> Result<Vec<Job>, Refusal> {
        self.lock().execute(
            "update jobs set state = 'interrupted', ended = ?1, message = 'the server ended while the job ran' \
             where state = 'running'",
            [now()],
        )?;
        let mut waiting = self.jobs("state = 'queued'", &[], usize::MAX >> 1)?;
        waiting.reverse();
        Ok(waiting)
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<Job> {
    let json = |name: &str| -> rusqlite::Result<Value> {
        Ok(serde_json::from_str(&row.get::<_, String>(name)?).unwrap_or(Value::Null))
    };
    Ok(Job {
        id: row.get("id")?,
        user: row.get("user")?,
        project: row.get("project")?,
        file: row.get("file")?,
        options: json("options")?,
        define: json("define")?,
        machine: row.get("machine")?,
        state: State::read(&row.get::<_, String>("state")?),
        created: row.get("created")?,
        started: row.get("started")?,
        ended: row.get("ended")?,
        exit: row.get("exit")?,
        verdict: row.get("verdict")?,
        message: row.get("message")?,
        summary: json("summary")?,
        properties: json("properties")?,
    })
}

impl Job {
    /// The job as the client sees it.
    pub fn value(&self, position: Option<usize>) -> Value {
        json!({
            "id": self.id.to_string(),
            "file": self.file,
            "project": self.project,
            "user": Some(&self.user).filter(|user| !user.is_empty()),
            "options": self.options,
            "define": self.define,
            "command": crate::jobs::shown_command(self),
            "state": self.state.word(),
            "machine": self.machine,
            "created": self.created,
            "started": self.started,
            "ended": self.ended,
            "verdict": self.verdict,
            "exit": self.exit,
            "message": self.message,
            "position": position,
            "summary": self.summary,
            "properties": self.properties,
        })
    }
}
