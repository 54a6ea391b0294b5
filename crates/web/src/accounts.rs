//! The accounts of a group: users with passwords, their sessions, and projects with rights.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use blake2::{Blake2s256, Digest};
use rusqlite::{OptionalExtension, params};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::app::User;
use crate::database::{Database, now};
use crate::jobs::Limits;
use crate::refusal::Refusal;

/// The seconds that a session lives, and lives without being used.
const LIFE: f64 = 30.0 * 86_400.0;
const IDLE: f64 = 7.0 * 86_400.0;
/// The least and the most bytes of a password.
const PASSWORD: std::ops::RangeInclusive<usize> = 8..=1000;
/// The most projects of a user, and the most members of a project.
const MOST_PROJECTS: usize = 100;
const MOST_MEMBERS: usize = 100;
/// The most passwords that are hashed at a time: each takes a core and 19 MiB.
const MOST_HASHING: usize = 4;

/// The accounts.
pub(crate) struct Accounts {
    pub database: Arc<Database>,
    /// The folder with one folder for each project.
    pub projects: PathBuf,
    /// The limits of users that have none of their own.
    pub usual: Limits,
    /// The hash of a random password: it takes as long to refuse a user that does not exist.
    random_hash: String,
    /// Limits, which are asked for often.
    known: Mutex<HashMap<String, Limits>>,
    /// Permits to hash a password.
    pub hashing: Arc<Semaphore>,
}

/// The hash of a password.
pub(crate) fn hashed(password: &str) -> Result<String, Refusal> {
    let salt = SaltString::encode_b64(crate::secret::word(16).as_bytes()).map_err(|e| Refusal::internal(&e))?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(|e| Refusal::internal(&e))?.to_string())
}

/// Whether a name can be that of a user.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// The form of a session's word in the database: a reader of the database can't use it.
fn kept(word: &str) -> String {
    Blake2s256::digest(word.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Accounts {
    pub fn new(database: Arc<Database>, projects: PathBuf, usual: Limits) -> Result<Accounts, Refusal> {
        let random_hash = hashed(&crate::secret::word(16))?;
        let hashing = Arc::new(Semaphore::new(MOST_HASHING));
        Ok(Accounts { database, projects, usual, random_hash, known: Mutex::default(), hashing })
    }

    /// Adds a user. A project belongs to each user from the beginning.
    pub fn add_user(&self, name: &str, hash: &str, admin: bool, limits: &Limits) -> Result<(), Refusal> {
        if !is_name(name) {
            return Err(Refusal::new(422, "a name has letters, digits and -_."));
        }
        let limits = serde_json::to_string(limits).map_err(|e| Refusal::internal(&e))?;
        let added = self.database.lock().execute(
            "insert or ignore into users (name, password, admin, limits) values (?1, ?2, ?3, ?4)",
            params![name, hash, admin, limits],
        )?;
        self.forget(name);
        match added {
            0 => Err(Refusal::new(409, "there is a user of this name")),
            _ => self.add_project(name, "default").map(|_| ()),
        }
    }

    pub fn user(&self, name: &str) -> Result<Option<User>, Refusal> {
        let row = self.database.lock().query_row("select admin, limits from users where name = ?1", [name], |row| {
            Ok((row.get::<_, bool>(0)?, row.get::<_, String>(1)?))
        });
        Ok(row.optional()?.map(|(admin, limits)| User {
            name: name.to_string(),
            admin,
            limits: serde_json::from_str(&limits).unwrap_or_else(|_| self.usual.clone()),
        }))
    }

    pub fn limits(&self, name: &str) -> Limits {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limits) = known.get(name) {
            return limits.clone();
        }
        let limits = self.user(name).ok().flatten().map_or(self.usual.clone(), |user| user.limits);
        known.insert(name.to_string(), limits.clone());
        limits
    }

    /// Forgets the limits of a user, which may have changed.
    fn forget(&self, name: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Whether a password is that of a user. It takes long on purpose, and is done on a thread of its own.
    pub fn verify(&self, name: &str, password: &str) -> bool {
        if password.len() > *PASSWORD.end() {
            return false;
        }
        let found = self
            .database
            .lock()
            .query_row("select password from users where name = ?1", [name], |row| row.get::<_, String>(0));
        let exists = found.is_ok();
        let hash = found.unwrap_or_else(|_| self.random_hash.clone());
        let Ok(hash) = PasswordHash::new(&hash) else { return false };
        let right = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
        right && exists
    }

    /// Begins a session. Returns its word.
    pub fn begin(&self, name: &str) -> Result<String, Refusal> {
        let word = crate::secret::word(32);
        let db = self.database.lock();
        db.execute("delete from sessions where created < ?1 or used < ?2", [now() - LIFE, now() - IDLE])?;
        db.execute(
            "insert into sessions (token, user, created, used) values (?1, ?2, ?3, ?3)",
            params![kept(&word), name, now()],
        )?;
        Ok(word)
    }

    /// The user of a session.
    pub fn user_of(&self, word: &str) -> Result<User, Refusal> {
        let stranger = || Refusal::new(401, "log in first");
        let token = kept(word);
        let name: Option<String> = {
            let db = self.database.lock();
            let query = "select user from sessions where token = ?1 and created > ?2 and used > ?3";
            let found = db.query_row(query, params![token, now() - LIFE, now() - IDLE], |row| row.get(0)).optional()?;
            // Written at most once in a while: each request would cost a write otherwise.
            let old = now() - 3600.0;
            db.execute("update sessions set used = ?2 where token = ?1 and used < ?3", params![token, now(), old])?;
            found
        };
        self.user(&name.ok_or_else(stranger)?)?.ok_or_else(stranger)
    }

    pub fn end(&self, word: &str) -> Result<(), Refusal> {
        self.database.lock().execute("delete from sessions where token = ?1", [kept(word)])?;
        Ok(())
    }

    /// Sets a password, and ends all sessions of the user but one.
    pub fn set_password(&self, name: &str, hash: &str, word: Option<&str>) -> Result<(), Refusal> {
        let db = self.database.lock();
        db.execute("update users set password = ?2 where name = ?1", [name, hash])?;
        let token = word.map(kept).unwrap_or_default();
        db.execute("delete from sessions where user = ?1 and token <> ?2", [name, &token])?;
        Ok(())
    }

    /// Changes the rights and the limits of a user.
    pub fn change_user(&self, name: &str, admin: bool, limits: &Limits) -> Result<(), Refusal> {
        let limits = serde_json::to_string(limits).map_err(|e| Refusal::internal(&e))?;
        let query = "update users set admin = ?2, limits = ?3 where name = ?1";
        let changed = self.database.lock().execute(query, params![name, admin, limits])?;
        self.forget(name);
        if changed == 0 { Err(Refusal::not_found()) } else { Ok(()) }
    }

    /// Removes a user with all sessions. Projects and jobs stay.
    pub fn remove_user(&self, name: &str) -> Result<(), Refusal> {
        let db = self.database.lock();
        db.execute("delete from sessions where user = ?1", [name])?;
        db.execute("delete from members where user = ?1", [name])?;
        let removed = db.execute("delete from users where name = ?1", [name])?;
        drop(db);
        self.forget(name);
        if removed == 0 { Err(Refusal::not_found()) } else { Ok(()) }
    }

    pub fn users(&self) -> Result<Vec<Value>, Refusal> {
        let names: Vec<String> = {
            let db = self.database.lock();
            let mut query = db.prepare("select name from users order by name")?;
            query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        names.iter().filter_map(|name| self.user(name).transpose()).map(|user| user.map(|u| value(&u))).collect()
    }

    pub fn add_project(&self, owner: &str, name: &str) -> Result<i64, Refusal> {
        if name.trim().is_empty() || name.len() > 100 || name.contains(char::is_control) {
            return Err(Refusal::new(422, "a project has a name of at most 100 bytes"));
        }
        let db = self.database.lock();
        let count: i64 = db.query_row("select count(*) from projects where owner = ?1", [owner], |row| row.get(0))?;
        if count >= MOST_PROJECTS as i64 {
            return Err(Refusal::new(429, "there are too many projects"));
        }
        db.execute("insert into projects (name, owner) values (?1, ?2)", [name, owner])?;
        let id = db.last_insert_rowid();
        std::fs::create_dir_all(self.projects.join(id.to_string()))?;
        Ok(id)
    }

    /// The projects that a user may read.
    pub fn projects_of(&self, user: &User) -> Result<Vec<Value>, Refusal> {
        let db = self.database.lock();
        let mut query = db.prepare(
            "select id, name, owner from projects where owner = ?1 or id in (select project from members where user = ?1) \
             order by owner <> ?1, id",
        )?;
        let rows = query.query_map([&user.name], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        let mut out = Vec::new();
        for row in rows {
            let (id, name, owner) = row?;
            let mut query = db.prepare("select user, right from members where project = ?1 order by user")?;
            let members = query.query_map([id], |row| {
                Ok(json!({ "name": row.get::<_, String>(0)?, "right": row.get::<_, String>(1)? }))
            })?;
            let members: Vec<Value> = members.collect::<Result<_, _>>()?;
            out.push(json!({ "id": id.to_string(), "name": name, "owner": owner, "members": members }));
        }
        Ok(out)
    }

    /// The folder of a project that a user may read, or write. Without a name it is the user's first one.
    pub fn project(&self, user: &User, name: Option<&str>, writes: bool) -> Result<(String, PathBuf), Refusal> {
        let all = self.projects_of(user)?;
        let found = match name.filter(|name| *name != "default") {
            Some(name) => all.iter().find(|project| project["id"] == name),
            None => all.first(),
        };
        let found = found.ok_or_else(|| Refusal::new(404, "there is no such project"))?;
        let is_writer = |member: &Value| member["name"] == user.name.as_str() && member["right"] == "write";
        let may_write = found["owner"] == user.name.as_str()
            || found["members"].as_array().is_some_and(|members| members.iter().any(is_writer));
        if writes && !may_write {
            return Err(Refusal::new(403, "you may only read this project"));
        }
        let id = found["id"].as_str().unwrap_or_default().to_string();
        let folder = self.projects.join(&id).canonicalize()?;
        Ok((id, folder))
    }

    /// Changes the name and the members of a project, which only its owner may do.
    pub fn change_project(&self, user: &User, id: &str, request: &Value) -> Result<(), Refusal> {
        let number = self.owned(user, id)?;
        let mut connection = self.database.lock();
        // Nothing changes if an entry is refused.
        let db = connection.transaction()?;
        if let Some(name) = request["name"].as_str().filter(|name| !name.trim().is_empty() && name.len() <= 100) {
            db.execute("update projects set name = ?2 where id = ?1", params![number, name])?;
        }
        let Some(members) = request["members"].as_array() else { return Ok(db.commit()?) };
        if members.len() > MOST_MEMBERS {
            return Err(Refusal::new(422, "there are too many members"));
        }
        db.execute("delete from members where project = ?1", [number])?;
        for member in members {
            let right = member["right"].as_str().filter(|right| ["read", "write"].contains(right));
            let (Some(name), Some(right)) = (member["name"].as_str(), right) else {
                return Err(Refusal::new(422, "a member has a name, and the right `read` or `write`"));
            };
            db.execute(
                "insert or replace into members (project, user, right) select ?1, name, ?3 from users where name = ?2",
                params![number, name, right],
            )?;
        }
        Ok(db.commit()?)
    }

    /// Removes a project with its files.
    pub fn remove_project(&self, user: &User, id: &str) -> Result<(), Refusal> {
        let number = self.owned(user, id)?;
        let db = self.database.lock();
        db.execute("delete from members where project = ?1", [number])?;
        db.execute("delete from projects where id = ?1", [number])?;
        drop(db);
        let folder = self.projects.join(number.to_string());
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        Ok(())
    }

    /// The number of a project that a user owns.
    fn owned(&self, user: &User, id: &str) -> Result<i64, Refusal> {
        let number: i64 = id.parse().map_err(|_| Refusal::not_found())?;
        let db = self.database.lock();
        let owner: Option<String> =
            db.query_row("select owner from projects where id = ?1", [number], |row| row.get(0)).optional()?;
        match owner {
            Some(owner) if owner == user.name => Ok(number),
            _ => Err(Refusal::not_found()),
        }
    }
}

/// A user as clients see it.
pub(crate) fn value(user: &User) -> Value {
    json!({ "name": user.name, "admin": user.admin, "limits": user.limits })
}

/// Refuses passwords that are too short or too long.
pub(crate) fn check_password(password: &str) -> Result<(), Refusal> {
    match PASSWORD.contains(&password.len()) {
        true => Ok(()),
        false => Err(Refusal::new(422, "a password has at least 8 characters")),
    }
}
