//! Sessions: simulations, counterexamples and state graphs, each in a process of its own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{Program, Worker, to_its_end};
use crate::refusal::Refusal;

/// The most sessions of a user: the one that was not used for the longest time ends when another one is opened.
const MOST_OWN: usize = 8;
/// The most sessions of all users.
const MOST: usize = 64;
const IDLE: Duration = Duration::from_secs(1800);
/// The time for an answer.
const LIMIT: Duration = Duration::from_secs(30);

/// A session.
struct Session {
    user: String,
    kind: String,
    file: String,
    folder: PathBuf,
    /// The request that opened it.
    opening: Value,
    used: Instant,
    worker: Arc<tokio::sync::Mutex<Worker>>,
}

/// All sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    all: Mutex<HashMap<String, Session>>,
    next: AtomicU64,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session in a folder. Returns the first answer, with its name.
    pub async fn open(
        &self,
        program: &Program,
        user: &str,
        folder: PathBuf,
        mut opening: Value,
    ) -> Result<Value, Refusal> {
        self.make_room(user)?;
        let mut worker = Worker::start(program, &folder)?;
        opening["op"] = "session/open".into();
        let mut answer = worker.ask(&opening, LIMIT).await?;
        let id = format!("s{}-{}", self.next.fetch_add(1, Ordering::Relaxed), crate::secret::word(4));
        answer["id"] = id.clone().into();
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_string();
        let session = Session {
            user: user.to_string(),
            kind: text("kind"),
            file: text("file"),
            folder,
            opening,
            used: Instant::now(),
            worker: Arc::new(tokio::sync::Mutex::new(worker)),
        };
        self.lock().insert(id, session);
        Ok(answer)
    }

    fn make_room(&self, user: &str) -> Result<(), Refusal> {
        let mut all = self.lock();
        all.retain(|_, session| session.used.elapsed() < IDLE);
        let own = all.iter().filter(|(_, session)| session.user == user);
        if own.clone().count() >= MOST_OWN {
            let oldest = own.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone());
            oldest.map(|id| all.remove(&id));
        }
        match all.len() < MOST {
            true => Ok(()),
            false => Err(Refusal::new(503, "there are too many sessions: try again later")),
        }
    }

    /// Asks a session of a user.
    pub async fn ask(&self, user: &str, id: &str, mut question: Value) -> Result<Value, Refusal> {
        let worker = {
            let mut all = self.lock();
            let session = all.get_mut(id).filter(|session| session.user == user).ok_or_else(Refusal::not_found)?;
            session.used = Instant::now();
            Arc::clone(&session.worker)
        };
        let op = question["op"].as_str().unwrap_or_default().to_string();
        question["op"] = format!("session/{op}").into();
        let asked = async move {
            let mut worker = worker.lock().await;
            let answer = worker.ask(&question, LIMIT).await;
            Ok((answer, worker.has_ended()))
        };
        let (mut answer, ended) = to_its_end(asked).await?;
        if ended {
            self.lock().remove(id);
        }
        if let Ok(Value::Object(fields)) = &mut answer
            && fields.contains_key("kind")
        {
            fields.insert("id".to_string(), id.into());
        }
        answer
    }

    /// The folder of a session, and the request that opened it.
    pub fn opening(&self, user: &str, id: &str) -> Result<(PathBuf, Value), Refusal> {
        let all = self.lock();
        let session = all.get(id).filter(|session| session.user == user).ok_or_else(Refusal::not_found)?;
        Ok((session.folder.clone(), session.opening.clone()))
    }

    pub fn list(&self, user: &str) -> Value {
        let all = self.lock();
        let own = all.iter().filter(|(_, session)| session.user == user);
        own.map(|(id, s)| json!({ "id": id, "kind": s.kind, "file": s.file, "idle": s.used.elapsed().as_secs_f64() }))
            .collect()
    }

    pub fn close(&self, user: &str, id: &str) -> Result<(), Refusal> {
        let mut all = self.lock();
        all.get(id).filter(|session| session.user == user).ok_or_else(Refusal::not_found)?;
        all.remove(id);
        Ok(())
    }
}
