//! The events of a job: what has happened so far, and a signal when there is more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::{Notify, watch};

/// The most progress events that are kept. If there are more, every other one is dropped.
const MOST_KEPT: usize = 4000;
/// The progress events that a new reader gets at most.
const MOST_SENT: usize = 500;

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub id: u64,
    pub kind: &'static str,
    pub data: Value,
}

#[derive(Default)]
struct Log {
    events: Vec<Event>,
    next: u64,
    ended: bool,
}

/// The events of a job, and the wish to stop it.
pub(crate) struct Events {
    log: Mutex<Log>,
    grown: watch::Sender<u64>,
    stopped: AtomicBool,
    stopping: Notify,
}

impl Events {
    pub fn new() -> Events {
        Events {
            log: Mutex::default(),
            grown: watch::Sender::new(0),
            stopped: AtomicBool::new(false),
            stopping: Notify::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, kind: &'static str, data: Value) {
        self.push(kind, data, false);
    }

    fn push(&self, kind: &'static str, data: Value, ended: bool) {
        let mut log = self.lock();
        log.ended |= ended;
        let id = log.next;
        log.next += 1;
        log.events.push(Event { id, kind, data });
        if log.events.len() > 2 * MOST_KEPT {
            thin(&mut log.events, MOST_KEPT);
        }
        drop(log);
        self.grown.send_replace(id + 1);
    }

    /// The last event.
    pub fn end(&self, data: Value) {
        self.push("end", data, true);
    }

    /// A signal that is sent when there are more events.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.grown.subscribe()
    }

    /// The events from a number on, and whether the last one is among them. A client may know numbers of a server that has ended,
    /// which are beyond those of this log: it gets all events.
    pub fn since(&self, from: u64) -> (Vec<Event>, bool) {
        let log = self.lock();
        let from = if from > log.next { 0 } else { from };
        let mut first = log.events.partition_point(|event| event.id < from);
        let ended = log.ended;
        if ended {
            // The last event is always sent: the stream ends with it.
            first = first.min(log.events.len().saturating_sub(1));
        }
        let mut events = log.events[first..].to_vec();
        drop(log);
        thin(&mut events, MOST_SENT);
        (events, ended)
    }

    /// Asks the job to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.stopping.notify_one();
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Waits until the job is asked to stop.
    pub async fn stopping(&self) {
        while !self.is_stopped() {
            self.stopping.notified().await;
        }
    }
}

/// Drops progress events so that about `most` are left.
fn thin(events: &mut Vec<Event>, most: usize) {
    let count = events.iter().filter(|event| event.kind == "progress").count();
    let every = count.div_ceil(most).max(1);
    let mut seen = 0;
    events.retain(|event| {
        seen += usize::from(event.kind == "progress");
        event.kind != "progress" || (count - seen).is_multiple_of(every)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_thinned_and_go_on() {
        let events = Events::new();
        events.add("state", Value::Null);
        (0..50_000).for_each(|n| events.add("progress", n.into()));
        let (all, ended) = events.since(0);
        assert!(!ended && (MOST_SENT / 3..=MOST_SENT + 1).contains(&all.len()), "{}", all.len());
        assert_eq!((all[0].kind, all[all.len() - 1].id), ("state", 50_000));
        events.end(Value::Null);
        let (rest, ended) = events.since(50_001);
        assert!(ended && rest.len() == 1);
        for from in [50_002, 1_000_000] {
            let (rest, ended) = events.since(from);
            assert!(ended && rest.last().is_some_and(|event| event.kind == "end"), "from {from}");
        }
    }
}
