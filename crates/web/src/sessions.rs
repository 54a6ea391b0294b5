//! Sessions: simulations, counterexamples and state graphs, each in a process of its own.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::process::{Program, Worker, to_its_end, turn};
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
    /// It is closed when the session ends: questions that wait for an answer end, too.
    alive: watch::Sender<()>,
}

/// The sessions that are open, and the users of those that are being opened.
#[derive(Default)]
struct All {
    open: HashMap<String, Session>,
    opening: Vec<String>,
}

impl All {
    /// The sessions of a user that are open or being opened.
    fn count(&self, user: &str) -> usize {
        let open = self.open.values().filter(|session| session.user == user).count();
        open + self.opening.iter().filter(|other| *other == user).count()
    }

    /// Ends the session of a user that was not used for the longest time. Returns whether there is one.
    fn end_oldest(&mut self, user: &str) -> bool {
        let own = self.open.iter().filter(|(_, session)| session.user == user);
        let oldest = own.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone());
        oldest.is_some_and(|id| self.open.remove(&id).is_some())
    }

    /// The session of a user.
    fn own(&mut self, user: &str, id: &str) -> Result<&mut Session, Refusal> {
        self.open.get_mut(id).filter(|session| session.user == user).ok_or_else(Refusal::not_found)
    }
}

/// All sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    all: Mutex<All>,
    next: AtomicU64,
}

/// The room of a session that is being opened. It is free again when this is dropped.
struct Room<'a> {
    sessions: &'a Sessions,
    user: &'a str,
}

impl Room<'_> {
    /// Puts the session into its room.
    fn fill(self, id: String, session: Session) {
        // Both are counted until the room is dropped: no other session gets the place in between.
        self.sessions.lock().open.insert(id, session);
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        let mut all = self.sessions.lock();
        if let Some(place) = all.opening.iter().position(|user| user == self.user) {
            all.opening.swap_remove(place);
        }
    }
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the sessions that were not used for long.
    pub fn end_idle(&self) {
        self.lock().open.retain(|_, session| session.used.elapsed() < IDLE);
    }

    /// Opens a session in a folder. Returns the first answer, with its name.
    pub async fn open(
        &self,
        program: &Program,
        user: &str,
        folder: PathBuf,
        mut opening: Value,
    ) -> Result<Value, Refusal> {
        let room = self.make_room(user)?;
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
            alive: watch::Sender::new(()),
        };
        room.fill(id, session);
        Ok(answer)
    }

    fn make_room<'a>(&'a self, user: &'a str) -> Result<Room<'a>, Refusal> {
        let mut all = self.lock();
        while all.count(user) >= MOST_OWN {
            if !all.end_oldest(user) {
                return Err(Refusal::new(429, "too many sessions are being opened: try again later"));
            }
        }
        if all.open.len() + all.opening.len() >= MOST {
            return Err(Refusal::new(503, "there are too many sessions: try again later"));
        }
        all.opening.push(user.to_string());
        Ok(Room { sessions: self, user })
    }

    /// Asks a session of a user.
    pub async fn ask(&self, user: &str, id: &str, mut question: Value) -> Result<Value, Refusal> {
        let (worker, mut alive) = {
            let mut all = self.lock();
            let session = all.own(user, id)?;
            session.used = Instant::now();
            (Arc::clone(&session.worker), session.alive.subscribe())
        };
        let op = question["op"].as_str().unwrap_or_default().to_string();
        question["op"] = format!("session/{op}").into();
        let mut worker = turn(worker).await?;
        let asked = async move {
            let answer = tokio::select! {
                answer = worker.ask(&question, LIMIT) => answer,
                _ = alive.changed() => Err(Refusal::not_found()),
            };
            if alive.has_changed().is_err() {
                worker.kill();
            }
            Ok((answer, worker.has_ended()))
        };
        let (mut answer, ended) = to_its_end(asked).await?;
        if ended {
            self.lock().open.remove(id);
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
        let mut all = self.lock();
        let session = all.own(user, id)?;
        Ok((session.folder.clone(), session.opening.clone()))
    }

    pub fn list(&self, user: &str) -> Value {
        let all = self.lock();
        let own = all.open.iter().filter(|(_, session)| session.user == user);
        own.map(|(id, s)| json!({ "id": id, "kind": s.kind, "file": s.file, "idle": s.used.elapsed().as_secs_f64() }))
            .collect()
    }

    pub fn close(&self, user: &str, id: &str) -> Result<(), Refusal> {
        let mut all = self.lock();
        all.own(user, id)?;
        all.open.remove(id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_are_being_opened_are_counted() {
        let sessions = Sessions::default();
        let mut rooms: Vec<Room<'_>> = (0..MOST_OWN).filter_map(|_| sessions.make_room("ann").ok()).collect();
        assert_eq!(rooms.len(), MOST_OWN);
        assert!(sessions.make_room("ann").is_err() && sessions.make_room("bob").is_ok());
        rooms.pop();
        assert!(sessions.make_room("ann").is_ok());
    }
}
