//! The load of the server, now and in the last hours.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::database::{State, now};
use crate::jobs::{Jobs, Share};

/// The samples that are kept, and the seconds between them.
const MOST: usize = 720;
pub(crate) const EACH: u64 = 10;

/// Samples of the load.
#[derive(Default)]
pub(crate) struct History(Mutex<VecDeque<Value>>);

impl History {
    /// Takes a sample.
    pub fn sample(&self, jobs: &Jobs) {
        let now = load(jobs);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(json!({
            "time": now["time"],
            "running": now["jobs"]["running"],
            "queued": now["jobs"]["queued"],
            "cores": now["cores"]["used"],
            "memory": now["memory"]["used"],
        }));
        if all.len() > MOST {
            all.pop_front();
        }
    }

    /// The load now, with the samples.
    pub fn value(&self, jobs: &Jobs) -> Value {
        let mut value = load(jobs);
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        value["history"] = all.iter().cloned().collect();
        value
    }
}

fn load(jobs: &Jobs) -> Value {
    let open = jobs.open();
    let running = open.values().filter(|o| o.job.state == State::Running);
    let used = running.clone().fold(Share::default(), |sum, o| sum.add(o.share));
    let count = |state: State, user: Option<&str>| {
        open.values().filter(|o| o.job.state == state && user.is_none_or(|user| o.job.user == user)).count()
    };
    let mut names: Vec<&str> = open.values().map(|o| o.job.user.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let users: Vec<Value> = names
        .iter()
        .map(|name| {
            let (running, queued) = (count(State::Running, Some(name)), count(State::Queued, Some(name)));
            json!({ "name": name, "running": running, "queued": queued })
        })
        .collect();
    json!({
        "time": now(),
        "cores": { "used": used.cores, "total": jobs.total.cores },
        "memory": { "used": used.memory, "total": jobs.total.memory },
        "jobs": { "running": count(State::Running, None), "queued": count(State::Queued, None) },
        "users": users,
    })
}
