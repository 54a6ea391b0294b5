//! One run: `kripke check`, or another program, as a process of its own, so that its time and its memory are its own, too.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::catalogue::Entry;
use super::expected::Counts;
use super::sets::Set;
use crate::exit::Failure;

/// How often to look whether the user has had enough.
const TICK: Duration = Duration::from_millis(100);
/// How long a run may take to end by itself then: usually it was interrupted as well.
const GRACE: Duration = Duration::from_secs(2);

/// What a run said and took.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    pub verdict: String,
    pub complete: bool,
    /// A word for why the verdict is inconclusive.
    pub reason: Option<String>,
    pub counts: Counts,
    /// The kinds of the errors, as the JSON report has them.
    pub kinds: BTreeSet<String>,
    /// Seconds from the start of the process to its end.
    pub wall: f64,
    /// Seconds of processor time, summed over threads, if the system tells.
    pub cpu: Option<f64>,
    /// Bytes; 0 if the system does not tell.
    pub peak: u64,
}

/// Why there is nothing to show for a run.
#[derive(Debug)]
pub enum Unmeasured {
    /// The model was refused; with what was said about it.
    Refused(String),
    /// The program does not check such models or properties; with the reason.
    NotApplicable(String),
    /// The user has had enough.
    Interrupted,
    Failed(Failure),
}

/// What a process said and took.
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
    pub wall: f64,
}

/// Runs a program to its end.
pub fn run(command: &mut Command, interrupt: &AtomicBool) -> Result<Ended, Unmeasured> {
    let program = command.get_program().to_string_lossy().into_owned();
    let broken = |e: io::Error| Unmeasured::Failed(Failure::BadInput(format!("can't start {program}: {e}")));
    let start = Instant::now();
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(broken)?;
    let out = reader(child.stdout.take());
    let err = reader(child.stderr.take());
    let out = await_end(&mut child, &out, interrupt);
    let status = child.wait().map_err(broken)?;
    let wall = start.elapsed().as_secs_f64();
    let err = err.recv().unwrap_or_default();
    if interrupt.load(Ordering::Relaxed) {
        return Err(Unmeasured::Interrupted);
    }
    Ok(Ended { status, out, err, wall })
}

/// Checks an entry with a set of options.
pub fn check(entry: &Entry, set: &Set, interrupt: &AtomicBool) -> Result<Sample, Unmeasured> {
    let broken = |e: io::Error| Unmeasured::Failed(Failure::BadInput(format!("can't start a run: {e}")));
    let program = std::env::current_exe().map_err(broken)?;
    let arguments = set.arguments(&entry.path, &entry.words);
    let ended = run(Command::new(program).args(arguments), interrupt)?;
    if ended.status.code() == Some(2) {
        return Err(Unmeasured::Refused(ended.err));
    }
    sample(&ended.out, ended.wall).ok_or_else(|| {
        let (name, Ended { status, err, .. }) = (entry.name(), ended);
        Unmeasured::Failed(Failure::Bug(format!("{name}: a run ended with {status} and no result\n{err}")))
    })
}

/// Reads everything in a thread of its own, so that neither side waits for the other.
fn reader(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (done, all) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stream) = stream {
            // What came before an error is all there is.
            let _ = stream.read_to_end(&mut text);
        }
        let _ = done.send(String::from_utf8_lossy(&text).into_owned());
    });
    all
}

/// Waits until the run has said everything; ends it if the user has had enough and it does not end by itself.
fn await_end(child: &mut Child, out: &Receiver<String>, interrupt: &AtomicBool) -> String {
    let mut asked = None;
    loop {
        match out.recv_timeout(TICK) {
            Ok(said) => return said,
            Err(RecvTimeoutError::Disconnected) => return String::new(),
            Err(RecvTimeoutError::Timeout) if !interrupt.load(Ordering::Relaxed) => {}
            Err(RecvTimeoutError::Timeout) => {
                if asked.get_or_insert_with(Instant::now).elapsed() > GRACE {
                    // It may have ended meanwhile.
                    let _ = child.kill();
                }
            }
        }
    }
}

/// What a result in JSON says, if it is one.
fn sample(text: &str, wall: f64) -> Option<Sample> {
    let report: Value = serde_json::from_str(text).ok()?;
    let errors = report["errors"].as_object()?;
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let kinds = errors.iter().filter(|(_, number)| count(number) > 0).map(|(kind, _)| kind.clone()).collect();
    let errors = errors.values().map(count).sum();
    Some(Sample {
        verdict: report["verdict"].as_str()?.to_string(),
        complete: report["complete"].as_bool()?,
        reason: report["reason"].as_str().map(String::from),
        counts: Counts { states: report["states"].as_u64()?, transitions: report["transitions"].as_u64()?, errors },
        kinds,
        wall,
        cpu: report["seconds"]["cpu"].as_f64(),
        peak: report["memory"]["peak_rss"].as_u64()?,
    })
}
