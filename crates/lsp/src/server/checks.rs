//! Checks in the background: the program is executed on the file of a document, so that a check can be stopped at any time and its
//! memory is its own.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::documents::{Document, Snapshot};
use super::values;
use super::{STACK, Shared};
use crate::service::{Action, Analysis};
use crate::text::{Encoding, Lines};

/// The most checks at a time.
const MOST: usize = 4;
/// The most bytes of a result.
const SHOWN: u64 = 16 << 20;

/// A violation that a check found.
struct Found {
    line: usize,
    message: String,
    property: String,
    trail: Option<PathBuf>,
}

#[derive(Default)]
struct State {
    /// Whether no further check may start.
    closed: bool,
    running: HashMap<String, Arc<Mutex<Child>>>,
    found: HashMap<(String, Action), Vec<Found>>,
    verdicts: HashMap<(String, Action), String>,
}

/// The checks that run, and the results of the last ones.
pub(super) struct Checks {
    program: PathBuf,
    state: Mutex<State>,
    next: AtomicU64,
}

impl Checks {
    pub fn new(program: PathBuf) -> Checks {
        Checks { program, state: Mutex::default(), next: AtomicU64::new(1) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the check with a token of the protocol.
    pub fn cancel(&self, token: &Value) {
        let child = self.lock().running.get(token.as_str().unwrap_or_default()).cloned();
        child.iter().for_each(kill);
    }

    /// Stops all checks. No other one can start.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.running.values().for_each(kill);
    }

    /// Starts the program if no other check forbids it.
    fn start(&self, token: &str, document: &Document, action: &Action) -> Result<Arc<Mutex<Child>>, String> {
        let mut state = self.lock();
        if state.closed {
            return Err("the server ends".to_string());
        }
        if state.running.len() >= MOST {
            return Err(format!("{MOST} checks are running already"));
        }
        let child = Arc::new(Mutex::new(start(&self.program, document, action)?));
        state.running.insert(token.to_string(), Arc::clone(&child));
        Ok(child)
    }

    /// Forgets the results of a document that has changed.
    pub fn forget(&self, uri: &str) {
        let mut state = self.lock();
        state.found.retain(|(of, _), _| of != uri);
        state.verdicts.retain(|(of, _), _| of != uri);
    }

    /// The last verdict of an action, while the document has not changed.
    pub fn verdict(&self, uri: &str, action: &Action) -> Option<String> {
        self.lock().verdicts.get(&(uri.to_string(), action.clone())).cloned()
    }

    /// The violations of a document as diagnostics.
    pub fn diagnostics(&self, uri: &str, analysis: &Analysis, encoding: Encoding) -> Vec<Value> {
        let state = self.lock();
        let lines = Lines::new(analysis.text());
        let own = state.found.iter().filter(|((of, _), _)| of == uri);
        let mut out: Vec<&Found> = own.flat_map(|(_, found)| found).collect();
        out.sort_by_key(|found| (found.line, found.message.clone()));
        out.dedup_by_key(|found| (found.line, found.message.clone()));
        out.into_iter().map(|found| diagnostic(found, &lines, encoding)).collect()
    }
}

fn kill(child: &Arc<Mutex<Child>>) {
    // A program that has ended can't be stopped.
    let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
}

fn diagnostic(found: &Found, lines: &Lines<'_>, encoding: Encoding) -> Value {
    let line = found.line.saturating_sub(1);
    let text = lines.line(line);
    let start = lines.start(line) + text.len() - text.trim_start().len();
    let range = values::range(lines, (start, lines.start(line) + text.trim_end().len()), encoding);
    let trail = found.trail.as_ref().map(|trail| trail.display().to_string());
    let shown = trail.as_ref().map_or(String::new(), |trail| format!("\ncounterexample: {trail}"));
    json!({
        "range": range,
        "severity": 1,
        "source": "kripke check",
        "code": found.property,
        "message": format!("{}{shown}", found.message),
        "data": { "trail": trail, "property": found.property },
    })
}

/// Starts what a command says. The answer comes at once; results come as progress and diagnostics.
pub(super) fn execute(shared: &Arc<Shared>, params: &Value, snapshot: &Snapshot) -> Result<Value, String> {
    let argument = |index: usize| params["arguments"][index].as_str().map(String::from);
    let uri = argument(0).ok_or("the first argument is the address of a document")?;
    let document = snapshot.get(&uri).ok_or_else(|| format!("{uri} is not open"))?;
    let action = match (params["command"].as_str().unwrap_or_default(), argument(1)) {
        ("kripke.check", None) => Action::Check,
        ("kripke.check", Some(name)) => Action::CheckProperty(name),
        ("kripke.simulate", _) => Action::Simulate,
        (command, _) => return Err(format!("there is no command `{command}`")),
    };
    let on_disk = std::fs::read(&document.path).map_err(|e| format!("{}: {e}", document.path.display()))?;
    if on_disk != document.text.as_bytes() {
        return Err("the document is not saved, and its file is what is checked".to_string());
    }
    let token = format!("kripke-{}", shared.checks.next.fetch_add(1, Ordering::Relaxed));
    let child = shared.checks.start(&token, document, &action)?;
    let run = Run { shared: Arc::clone(shared), snapshot: Arc::clone(snapshot), uri, action, token: token.clone() };
    let followed = Arc::clone(&child);
    let follow = thread::Builder::new().name("check".to_string()).stack_size(STACK);
    if let Err(e) = follow.spawn(move || run.follow(&followed)) {
        kill(&child);
        // Whatever it returns, the program has ended.
        let _ = child.lock().unwrap_or_else(PoisonError::into_inner).wait();
        shared.checks.lock().running.remove(&token);
        return Err(e.to_string());
    }
    Ok(json!({ "token": token }))
}

/// Executes the program in the folder of the document.
fn start(program: &Path, document: &Document, action: &Action) -> Result<Child, String> {
    let name = document.path.file_name().ok_or("the document is no file")?;
    let folder = document.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut command = Command::new(program);
    match action {
        Action::Simulate => command.args(["simulate", "--seed", "1", "--"]).arg(name),
        Action::Check => command.args(["check", "--format", "json", "--progress", "plain", "--"]).arg(name),
        Action::CheckProperty(property) => {
            command.args(["check", "--format", "json", "--progress", "plain", "--property", property, "--"]).arg(name)
        }
    };
    let piped = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.spawn().map_err(|e| format!("{}: {e}", program.display()))
}

/// A check that runs.
struct Run {
    shared: Arc<Shared>,
    snapshot: Snapshot,
    uri: String,
    action: Action,
    token: String,
}

impl Run {
    fn follow(self, child: &Arc<Mutex<Child>>) {
        let (stdout, stderr) = {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            (child.stdout.take(), child.stderr.take())
        };
        if self.shared.features.creates_progress {
            self.shared.request(&self.token, "window/workDoneProgress/create", json!({ "token": self.token }));
        }
        let title = if self.action == Action::Simulate { "Simulating" } else { "Checking" };
        self.progress(json!({ "kind": "begin", "title": title, "cancellable": true }));
        let text = thread::scope(|scope| {
            let reader = scope.spawn(|| read(stdout));
            let lines = stderr.map(|stderr| BufReader::new(stderr).lines().map_while(Result::ok));
            for line in lines.into_iter().flatten() {
                self.progress(json!({ "kind": "report", "message": line }));
            }
            reader.join().unwrap_or_default()
        });
        let ended = child.lock().unwrap_or_else(PoisonError::into_inner).wait();
        self.shared.checks.lock().running.remove(&self.token);
        let stopped = ended.is_ok_and(|status| status.code().is_none());
        let message = if stopped { "stopped".to_string() } else { self.result(&text) };
        self.progress(json!({ "kind": "end", "message": message }));
    }

    fn progress(&self, value: Value) {
        self.shared.notify("$/progress", json!({ "token": self.token, "value": value }));
    }

    /// Publishes what the program has written, and returns it in a few words.
    fn result(&self, text: &str) -> String {
        if self.action == Action::Simulate {
            self.shared.notify("window/logMessage", json!({ "type": 3, "message": text }));
            return "simulated".to_string();
        }
        let Ok(result) = serde_json::from_str::<Value>(text) else { return "no result".to_string() };
        let verdict = result["verdict"].as_str().unwrap_or("no verdict").to_string();
        let Some(document) = self.snapshot.get(&self.uri) else { return verdict };
        let key = (self.uri.clone(), self.action.clone());
        let current = self.shared.lock_current();
        if current.get(&self.uri) != Some(&document.serial) {
            return format!("{verdict}, for an older text");
        }
        let mut state = self.shared.checks.lock();
        state.found.insert(key.clone(), found(&result, document));
        state.verdicts.insert(key, verdict.clone());
        drop(state);
        drop(current);
        self.shared.publish(&self.uri, &self.snapshot);
        if self.shared.features.refreshes_lenses {
            self.shared.request(&self.token, "workspace/codeLens/refresh", Value::Null);
        }
        verdict
    }
}

fn read(stdout: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(stdout) = stdout {
        // What could be read is the result.
        let _ = stdout.take(SHOWN).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The violations of the document itself. One of an included file, or without a place, is shown in the first line.
fn found(result: &Value, document: &Document) -> Vec<Found> {
    let folder = document.path.parent().unwrap_or(Path::new("."));
    let name = document.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let trail = |property: &Value| {
        let properties = result["properties"].as_array().into_iter().flatten();
        let own = properties.filter(|entry| entry["name"] == *property).find_map(|entry| entry["trail"].as_str());
        own.map(|trail| folder.join(trail))
    };
    let findings = result["findings"].as_array().into_iter().flatten();
    findings
        .map(|finding| {
            let is_own = finding["file"].as_str().map(String::from) == name;
            Found {
                line: finding["line"].as_u64().filter(|_| is_own).unwrap_or(1) as usize,
                message: finding["message"].as_str().unwrap_or_default().to_string(),
                property: finding["property"].as_str().unwrap_or_default().to_string(),
                trail: trail(&finding["property"]),
            }
        })
        .collect()
}
