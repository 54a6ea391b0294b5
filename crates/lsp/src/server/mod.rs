//! The language server: messages in, answers out.
//!
//! The main loop reads messages and changes the documents. Requests are answered by worker threads from a snapshot of the documents,
//! so none waits for another. An answer about a document that has changed meanwhile is replaced by the error that the protocol has
//! for it, and its diagnostics are dropped. A thread of its own writes messages, so no other one waits for the client.
//!
//! Where several locks are held, that of the current versions is taken first.

mod answers;
mod checks;
mod documents;
mod values;
mod workspace;

use std::collections::HashMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use kripke_lang::Language;
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::text::Encoding;
use checks::Checks;
use documents::{Document, Documents, Snapshot};
use values::Places;
use workspace::Workspace;

/// The number of threads that answer requests.
const WORKERS: usize = 4;
/// The stack of a thread: texts may be nested deeply.
const STACK: usize = 64 << 20;
/// The protocol's error for an answer about a text that has changed meanwhile.
const CONTENT_MODIFIED: i32 = -32801;
const REQUEST_CANCELLED: i32 = -32800;
const METHOD_NOT_FOUND: i32 = -32601;
const REQUEST_FAILED: i32 = -32803;
/// The usual endings of included files that are no models.
const INCLUDED: [&str; 2] = ["h", "inc"];

type Job = Box<dyn FnOnce() + Send>;

/// What the client can do.
struct Features {
    creates_progress: bool,
    refreshes_lenses: bool,
    watches_files: bool,
}

/// What the threads share.
struct Shared {
    sender: Sender<Message>,
    jobs: Sender<Job>,
    encoding: Encoding,
    features: Features,
    /// The serial number of the current version of each document. It is locked while diagnostics are sent, so that those of an older
    /// version never follow those of a newer one.
    current: Mutex<documents::Serials>,
    /// The requests that are not answered yet, and whether each is cancelled.
    pending: Mutex<HashMap<RequestId, bool>>,
    checks: Checks,
    workspace: Workspace,
}

/// Serves the client on standard input and output until it says goodbye. `program` is executed for checks.
pub fn serve(program: PathBuf) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (connection, threads) = Connection::stdio();
    let (id, params) = connection.initialize_start()?;
    let (encoding, workspace) = (answers::encoding(&params), Workspace::new(&params));
    connection.initialize_finish(id, answers::capabilities(encoding))?;
    let (jobs, receiver) = unbounded::<Job>();
    let shared = Arc::new(Shared {
        sender: writer(&connection)?,
        jobs,
        encoding,
        features: Features::new(&params["capabilities"]),
        current: Mutex::default(),
        pending: Mutex::default(),
        checks: Checks::new(program),
        workspace,
    });
    work(&receiver)?;
    shared.watch_files();
    let mut server = Server { documents: Documents::default(), shared };
    let result = server.run(&connection);
    server.shared.checks.stop();
    drop(server);
    drop(connection);
    threads.join()?;
    result
}

/// Starts the thread that passes messages on to the client. It ends when the sender of messages is dropped.
fn writer(connection: &Connection) -> std::io::Result<Sender<Message>> {
    let (sender, receiver) = unbounded::<Message>();
    let client = connection.sender.clone();
    let pass = move || {
        // A client that is gone hears nothing.
        let _ = receiver.into_iter().all(|message| client.send(message).is_ok());
    };
    thread::Builder::new().name("writer".to_string()).spawn(pass)?;
    Ok(sender)
}

/// Starts the threads that do jobs. They end when the sender of jobs is dropped.
fn work(jobs: &Receiver<Job>) -> std::io::Result<()> {
    for number in 0..WORKERS {
        let jobs = jobs.clone();
        let work = move || jobs.into_iter().for_each(|job| job());
        thread::Builder::new().name(format!("worker {number}")).stack_size(STACK).spawn(work)?;
    }
    Ok(())
}

impl Features {
    fn new(capabilities: &Value) -> Features {
        let has = |group: &str, names: [&str; 2]| capabilities[group][names[0]][names[1]] == true;
        Features {
            creates_progress: capabilities["window"]["workDoneProgress"] == true,
            refreshes_lenses: has("workspace", ["codeLens", "refreshSupport"]),
            watches_files: has("workspace", ["didChangeWatchedFiles", "dynamicRegistration"]),
        }
    }
}

struct Server {
    documents: Documents,
    shared: Arc<Shared>,
}

impl Server {
    fn run(&mut self, connection: &Connection) -> Result<(), Box<dyn Error + Send + Sync>> {
        for message in &connection.receiver {
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.request(request);
                }
                Message::Notification(notification) => self.notification(&notification),
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn request(&self, request: Request) {
        self.shared.lock_pending().insert(request.id.clone(), false);
        let uri = request.params["textDocument"]["uri"].as_str().unwrap_or_default().to_string();
        let (shared, snapshot) = (Arc::clone(&self.shared), self.documents.snapshot());
        self.shared.queue(uri, &self.documents.snapshot(), Box::new(move || shared.answer(request, &snapshot)));
    }

    fn notification(&mut self, notification: &Notification) {
        let params = &notification.params;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let (changed, closed) = match notification.method.as_str() {
            "textDocument/didOpen" => (self.documents.open(&params["textDocument"]), None),
            "textDocument/didChange" => (self.documents.change(params, self.shared.encoding), None),
            "textDocument/didClose" => (self.documents.close(uri), Some(uri)),
            "workspace/didChangeWatchedFiles" => (self.documents.changed_on_disk(params), None),
            "$/cancelRequest" => return self.shared.cancel(&params["id"]),
            "window/workDoneProgress/cancel" => return self.shared.checks.cancel(&params["token"]),
            _ => return,
        };
        let mut current = self.shared.lock_current();
        *current = self.documents.serials();
        changed.iter().for_each(|uri| self.shared.checks.forget(uri));
        if let Some(uri) = closed {
            self.shared.checks.forget(uri);
            self.shared.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": [] }));
        }
        drop(current);
        for uri in changed {
            let (shared, snapshot, name) = (Arc::clone(&self.shared), self.documents.snapshot(), uri.clone());
            self.shared.queue(uri, &self.documents.snapshot(), Box::new(move || shared.publish(&name, &snapshot)));
        }
    }
}

impl Shared {
    fn lock_current(&self) -> MutexGuard<'_, documents::Serials> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_pending(&self) -> MutexGuard<'_, HashMap<RequestId, bool>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_current(&self, uri: &str, document: &Document) -> bool {
        self.lock_current().get(uri) == Some(&document.serial)
    }

    /// Cancels a request. One that is answered already is left alone.
    fn cancel(&self, id: &Value) {
        let id = match id {
            Value::String(id) => RequestId::from(id.clone()),
            id => RequestId::from(id.as_i64().unwrap_or_default() as i32),
        };
        if let Some(cancelled) = self.lock_pending().get_mut(&id) {
            *cancelled = true;
        }
    }

    /// Queues a job about a document. It is done when the document is analysed, or has changed.
    fn queue(self: &Arc<Shared>, uri: String, snapshot: &Snapshot, job: Job) {
        let (shared, snapshot) = (Arc::clone(self), Arc::clone(snapshot));
        let prepare = move || {
            let ready = match snapshot.get(&uri).filter(|document| shared.is_current(&uri, document)) {
                Some(document) => document.prepare(&snapshot, job),
                None => vec![job],
            };
            let mut ready = ready.into_iter();
            let first = ready.next();
            ready.for_each(|job| shared.send_job(job));
            first.into_iter().for_each(|job| job());
        };
        self.send_job(Box::new(prepare));
    }

    fn send_job(&self, job: Job) {
        // The workers end when this sender is dropped, so there is a receiver.
        let _ = self.jobs.send(job);
    }

    fn answer(self: &Arc<Shared>, request: Request, snapshot: &Snapshot) {
        let Request { id, method, params } = request;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let is_stale = || snapshot.get(uri).is_some_and(|document| !self.is_current(uri, document));
        let is_cancelled = self.lock_pending().get(&id).copied().unwrap_or_default();
        let answer = if is_cancelled || is_stale() { Ok(Value::Null) } else { self.ask(&method, &params, snapshot) };
        let is_cancelled = self.lock_pending().remove(&id).unwrap_or_default();
        let response = match answer {
            _ if is_cancelled => Response::new_err(id, REQUEST_CANCELLED, "cancelled".to_string()),
            _ if is_stale() => Response::new_err(id, CONTENT_MODIFIED, "the text has changed".to_string()),
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code, message),
        };
        let _ = self.sender.send(Message::Response(response));
    }

    fn ask(self: &Arc<Shared>, method: &str, params: &Value, snapshot: &Snapshot) -> Result<Value, (i32, String)> {
        if method == "workspace/executeCommand" {
            return checks::execute(self, params, snapshot).map_err(|why| (REQUEST_FAILED, why));
        }
        if method == "workspace/symbol" {
            let query = params["query"].as_str().unwrap_or_default();
            return Ok(self.workspace.symbols(query, snapshot, self.encoding));
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = snapshot.get(uri) else {
            return if answers::is_known(method) { Ok(Value::Null) } else { Err(unknown(method)) };
        };
        let analysis = document.analysis(snapshot);
        let asked = answers::Asked { analysis: &analysis, uri, encoding: self.encoding, snapshot, shared: self };
        asked.answer(method, params).unwrap_or_else(|| Err(unknown(method)))
    }

    fn notify(&self, method: &str, params: Value) {
        let _ = self.sender.send(Message::Notification(Notification { method: method.to_string(), params }));
    }

    fn request(&self, id: &str, method: &str, params: Value) {
        let id = RequestId::from(format!("{method} {id}"));
        let _ = self.sender.send(Message::Request(Request { id, method: method.to_string(), params }));
    }

    /// Asks the client to tell of changes of models and of the files that they include.
    fn watch_files(&self) {
        if !self.features.watches_files {
            return;
        }
        let endings: Vec<&str> = Language::all().flat_map(|l| l.endings()).copied().chain(INCLUDED).collect();
        let options = json!({ "watchers": [{ "globPattern": format!("**/*.{{{}}}", endings.join(",")) }] });
        let method = "workspace/didChangeWatchedFiles";
        let registration = json!({ "id": "files", "method": method, "registerOptions": options });
        self.request("files", "client/registerCapability", json!({ "registrations": [registration] }));
    }

    /// Sends the diagnostics of a document, unless it has changed.
    fn publish(&self, uri: &str, snapshot: &Snapshot) {
        let Some(document) = snapshot.get(uri).filter(|document| self.is_current(uri, document)) else { return };
        let analysis = document.analysis(snapshot);
        let mut diagnostics = Places::new(&analysis, snapshot, self.encoding).diagnostics();
        let current = self.lock_current();
        if current.get(uri) == Some(&document.serial) {
            diagnostics.extend(self.checks.diagnostics(uri, &analysis, self.encoding));
            let params = json!({ "uri": uri, "version": document.version, "diagnostics": diagnostics });
            self.notify("textDocument/publishDiagnostics", params);
        }
    }
}

fn unknown(method: &str) -> (i32, String) {
    (METHOD_NOT_FOUND, format!("there is no method `{method}`"))
}
