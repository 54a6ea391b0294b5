//! Running jobs: the choice of the next one, its process, its progress and its result.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::{Events, Jobs, Limits, MOST_PROPERTIES, Share, words};
use crate::database::{Job, State, now};
use crate::projects::replace;
use crate::refusal::Refusal;

/// The most bytes of a result, and of a line of progress.
const MOST_RESULT: u64 = 256 << 20;
const MOST_LINE: usize = 64 << 10;
/// The most messages of a job that are passed on.
const MOST_MESSAGES: usize = 200;
/// The time between two looks at a process.
const TICK: Duration = Duration::from_millis(250);
/// The time that a process has to end by itself, and that its children have after it.
const GRACE: Duration = Duration::from_secs(3);
/// What a process may have beyond its limits before it is ended: it observes them itself.
const SLACK_BYTES: u64 = 256 << 20;
const SLACK_SECONDS: u64 = 20;

/// The end of a process.
struct Ended {
    state: State,
    exit: Option<i32>,
    message: Option<String>,
    result: Vec<u8>,
}

impl Jobs {
    /// Starts jobs as long as the server lives.
    pub async fn schedule(self: Arc<Jobs>, limits: impl Fn(&str) -> Limits + Send + Sync + 'static) {
        loop {
            while let Some(id) = self.next(&limits) {
                let (jobs, limits) = (Arc::clone(&self), limits(&self.user(id)));
                tokio::spawn(async move { jobs.run(id, limits).await });
            }
            self.changed.notified().await;
        }
    }

    fn user(&self, id: i64) -> String {
        self.open().get(&id).map_or(String::new(), |open| open.job.user.clone())
    }

    /// The oldest job in the queue that can start now; it runs from then on. Users with fewer running jobs come first.
    fn next(&self, limits: &impl Fn(&str) -> Limits) -> Option<i64> {
        let mut open = self.open();
        let sum = |user: Option<&str>| {
            let running = open.values().filter(|o| o.job.state == State::Running);
            let own = running.filter(|o| user.is_none_or(|user| o.job.user == user));
            own.fold((0, Share::default()), |(count, sum), o| (count + 1, sum.add(o.share)))
        };
        let total = sum(None).1;
        let can_start = |id: &i64| {
            let job = &open[id].job;
            let (count, used) = sum(Some(&job.user));
            let own = limits(&job.user);
            let share = self.share(&job.options, &job.machine, &own);
            let most = Share { cores: own.cores, memory: own.memory };
            count < own.jobs && used.add(share).fits(most) && total.add(share).fits(self.total)
        };
        let waiting = open.values().filter(|o| o.job.state == State::Queued).map(|o| o.job.id);
        let chosen = waiting.filter(can_start).min_by_key(|id| (sum(Some(&open[id].job.user)).0, *id))?;
        let found = open.get_mut(&chosen)?;
        // The share is that of the limits now: they may have changed while the job waited.
        found.share = self.share(&found.job.options, &found.job.machine, &limits(&found.job.user));
        found.job.state = State::Running;
        found.job.started = Some(now());
        if let Err(refusal) = self.database.update_job(&found.job) {
            eprintln!("error: job {chosen}: {}", refusal.text());
        }
        found.events.add("state", found.job.value(None));
        Some(chosen)
    }

    async fn run(self: Arc<Jobs>, id: i64, limits: Limits) {
        let found = self.open().get(&id).map(|open| (open.job.clone(), Arc::clone(&open.events), open.share));
        let Some((mut job, events, share)) = found else { return };
        let ended = match self.process(&job, &events, share, &limits).await {
            Ok(ended) => ended,
            Err(refusal) => {
                let message = Some(refusal.text().to_string());
                Ended { state: State::Failed, exit: None, message, result: Vec::new() }
            }
        };
        if let Err(refusal) = self.finish(&mut job, ended) {
            job.state = State::Failed;
            job.message = Some(refusal.text().to_string());
        }
        // The row is written before the client learns of it.
        if let Err(refusal) = self.database.update_job(&job) {
            eprintln!("error: job {id}: {}", refusal.text());
        }
        let value = job.value(None);
        let mut open = self.open();
        open.remove(&id);
        drop(open);
        events.add("state", value.clone());
        events.end(value);
        self.changed.notify_one();
    }

    /// Keeps the result of a job.
    fn finish(&self, job: &mut Job, ended: Ended) -> Result<(), Refusal> {
        (job.state, job.exit, job.message, job.ended) = (ended.state, ended.exit, ended.message, Some(now()));
        let Ok(result) = serde_json::from_slice::<Value>(&ended.result) else {
            return Ok(());
        };
        replace(&self.folder(job.id).join("result.json"), &ended.result)?;
        job.verdict = result["verdict"].as_str().map(String::from);
        job.summary = json!({
            "states": result["states"],
            "transitions": result["transitions"],
            "depth": result["depth"],
            "seconds": result["seconds"]["search"],
            "cpu": result["seconds"]["cpu"],
            "peak_rss": result["memory"]["peak_rss"],
        });
        let steps = |name: &Value| {
            let mut findings = result["findings"].as_array().into_iter().flatten();
            findings.find(|finding| finding["property"] == *name).map_or(Value::Null, |f| f["steps"].clone())
        };
        let property = |p: &Value| {
            json!({
                "name": p["name"],
                "kind": p["kind"],
                "verdict": p["verdict"],
                "trail": p["trail"].is_string(),
                "steps": steps(&p["name"]),
                "vacuous": p["vacuous"],
            })
        };
        let all = result["properties"].as_array().into_iter().flatten().take(MOST_PROPERTIES);
        job.properties = all.map(property).collect();
        Ok(())
    }

    /// The command of a job. It has the limits of the server in addition to those that the user wants.
    fn command(&self, job: &Job, share: Share, limits: &Limits) -> Result<Command, Refusal> {
        let folder = self.folder(job.id).join("model");
        let mut options = job.options.clone();
        share.bound(&mut options);
        let wanted = options["timeout"].as_str().and_then(|t| kripke_report::number::parse_duration(t).ok());
        let most = Duration::from_secs(limits.seconds);
        options["timeout"] = format!("{}s", wanted.unwrap_or(most).min(most).as_secs_f64().max(0.001)).into();
        options["unreached"] = true.into();
        let mut line = words("-", &options, &job.define)?;
        line.remove(1);
        line.extend(["--format=json", "--progress=json", "--"].map(String::from));
        line.push(job.file.clone());
        let machine = self.machines.iter().find(|machine| machine.name == job.machine);
        let prefix = machine.map_or(&[][..], |machine| &machine.command);
        let mut command = self.program.command(&folder, None);
        command.arg("execute").args(prefix).arg(&self.program.path).args(line);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The command of a machine may start further processes: signals are sent to all of them.
        #[cfg(unix)]
        command.process_group(0);
        Ok(command)
    }

    /// Executes a job.
    async fn process(&self, job: &Job, events: &Arc<Events>, share: Share, limits: &Limits) -> Result<Ended, Refusal> {
        let mut child = self.command(job, share, limits)?.spawn()?;
        let group = Group::of(&child);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
            return Err(Refusal::internal(&"a job has no streams"));
        };
        let (over, is_over) = oneshot::channel();
        let result = tokio::spawn(collect(stdout, is_over));
        let resident = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let reader = listen(stderr, Arc::clone(events), Arc::clone(&resident), share.memory);
        let watched = Watched { events, share, limits, resident: &resident, group: &group };
        let cause = watched.wait(&mut child).await;
        let status = child.wait().await?;
        let result = Streams { result, reader, over }.end(&group).await;
        let state = match (&cause, events.is_stopped(), status.code()) {
            (_, true, _) => State::Stopped,
            (None, _, Some(0..=3)) => State::Finished,
            _ => State::Failed,
        };
        let message = cause.or_else(|| match (state, status.code()) {
            (State::Failed, Some(code)) => Some(format!("the check ended with exit status {code}")),
            (State::Failed, None) => Some("the check was killed".to_string()),
            _ => None,
        });
        Ok(Ended { state, exit: status.code(), message, result })
    }
}

/// The tasks that read the streams of a check.
struct Streams {
    result: JoinHandle<Vec<u8>>,
    reader: JoinHandle<()>,
    /// Tells the reader of the result to give back what it has.
    over: oneshot::Sender<()>,
}

impl Streams {
    /// The result of a check that has ended.
    async fn end(mut self, group: &Group) -> Vec<u8> {
        let both = async {
            let _ = (&mut self.reader).await;
            (&mut self.result).await
        };
        let result = match timeout(GRACE, both).await {
            Ok(result) => result,
            Err(_) => {
                // Processes that the check has left behind hold its streams.
                group.kill();
                self.reader.abort();
                let _ = self.over.send(());
                self.result.await
            }
        };
        result.unwrap_or_default()
    }
}

/// Reads what a check writes, until its end or until it is over.
async fn collect(stream: impl AsyncRead + Unpin, mut is_over: oneshot::Receiver<()>) -> Vec<u8> {
    let (mut bytes, mut stream) = (Vec::new(), stream.take(MOST_RESULT));
    loop {
        tokio::select! {
            biased;
            read = stream.read_buf(&mut bytes) => if !matches!(read, Ok(1..)) { return bytes },
            _ = &mut is_over => return bytes,
        }
    }
}

/// The processes of a job: the one that was started, and those that it starts. They end when this is dropped.
struct Group {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Group {
        Group { id: child.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())) }
    }

    /// Asks a check to stop; it then reports what it has found.
    fn interrupt(&self) {
        self.signal(rustix::process::Signal::INT);
    }

    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let _ = self.id.map(|id| rustix::process::kill_process_group(id, signal));
    }
}

/// Only the process that was started is known, and it can only be killed.
#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Group {
        Group {}
    }

    fn interrupt(&self) {}

    fn kill(&self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A process that is watched.
struct Watched<'a> {
    events: &'a Events,
    share: Share,
    limits: &'a Limits,
    resident: &'a std::sync::atomic::AtomicU64,
    group: &'a Group,
}

impl Watched<'_> {
    /// Waits for the end of a process. It is ended if the user wants it, or if it is beyond its limits: the reason is returned then.
    async fn wait(&self, child: &mut Child) -> Option<String> {
        let start = Instant::now();
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut asked: Option<Instant> = None;
        loop {
            tokio::select! {
                _ = child.wait() => return None,
                () = self.events.stopping(), if asked.is_none() => {
                    self.group.interrupt();
                    asked = Some(Instant::now());
                }
                _ = tick.tick() => {
                    let cause = self.cause(child, start);
                    if cause.is_some() || asked.is_some_and(|asked| asked.elapsed() > GRACE) {
                        self.group.kill();
                        let _ = child.start_kill();
                        return cause;
                    }
                }
            }
        }
    }

    fn cause(&self, child: &Child, start: Instant) -> Option<String> {
        let used = child.id().and_then(resident).unwrap_or(0);
        self.resident.store(used, std::sync::atomic::Ordering::Relaxed);
        if self.share.memory > 0 && used > self.share.memory + SLACK_BYTES {
            return Some("the check used more memory than it may, and was ended".to_string());
        }
        let most = self.limits.seconds.saturating_add(SLACK_SECONDS);
        (start.elapsed().as_secs() > most).then(|| "the check took longer than it may, and was ended".to_string())
    }
}

/// The bytes of memory that a process has.
fn resident(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Passes on the progress and the messages of a check.
fn listen(
    stream: impl AsyncRead + Unpin + Send + 'static,
    events: Arc<Events>,
    resident: Arc<std::sync::atomic::AtomicU64>,
    limit: u64,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut reader = BufReader::new(stream);
        let (mut before, mut messages) = (None, 0);
        loop {
            let mut line = Vec::new();
            match (&mut reader).take(MOST_LINE as u64).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line);
            match serde_json::from_str::<Value>(&text) {
                Ok(mut event) if event["event"] == "progress" => {
                    event["rss"] = resident.load(std::sync::atomic::Ordering::Relaxed).into();
                    rates(&mut event, &mut before, limit);
                    events.add("progress", event);
                }
                Ok(event) if event["event"] == "answer" => events.add("property", event),
                _ if messages < MOST_MESSAGES && !text.trim().is_empty() => {
                    messages += 1;
                    events.add("message", json!({ "text": anstream::adapter::strip_str(text.trim_end()).to_string() }));
                }
                _ => {}
            }
        }
    })
}

/// Adds the rate, the limit and the time until memory is full.
fn rates(event: &mut Value, before: &mut Option<(f64, f64, f64)>, limit: u64) {
    let number = |name: &str| event[name].as_f64().unwrap_or(0.0);
    let (seconds, states, bytes) = (number("seconds"), number("states"), number("bytes"));
    let (then, states_then, bytes_then) = before.filter(|b| b.1 <= states).unwrap_or((0.0, 0.0, 0.0));
    let time = (seconds - then).max(1e-3);
    let growth = (bytes - bytes_then) / time;
    let full = (limit > 0 && growth > 1.0).then(|| ((limit as f64 - bytes) / growth).max(0.0));
    *before = Some((seconds, states, bytes));
    event["rate"] = ((states - states_then) / time).into();
    event["limit"] = if limit > 0 { limit.into() } else { Value::Null };
    event["full"] = json!(full);
    if let Some(event) = event.as_object_mut() {
        event.remove("event");
    }
}
