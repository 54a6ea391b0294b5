//! The language server: messages in, answers out.
//!
//! The main loop reads messages and changes the documents. Requests are answered by worker threads from a snapshot of the documents,
//! so none waits for another. An answer about a document that has changed meanwhile is replaced by the error that the protocol has
//! for it, and its diagnostics are dropped.

mod answers;
mod checks;
mod documents;
mod values;
mod workspace;

use std::collections::HashSet;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crossbeam_channel::{Sender, unbounded};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use crate::text::Encoding;
use checks::Checks;
use documents::{Documents, Snapshot};
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

type Job = Box<dyn FnOnce() + Send>;

/// What the threads share.
struct Shared {
    sender: Sender<Message>,
    encoding: Encoding,
    /// The serial number of the current version of each document. It is locked while diagnostics are sent, so that those of an older
    /// version never follow those of a newer one.
    current: Mutex<documents::Serials>,
    cancelled: Mutex<HashSet<RequestId>>,
    checks: Checks,
    workspace: Workspace,
}

/// Serves the client on standard input and output until it says goodbye. `program` is executed for checks.
pub fn serve(program: PathBuf) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (connection, threads) = Connection::stdio();
    let (id, params) = connection.initialize_start()?;
    let (encoding, workspace) = (answers::encoding(&params), Workspace::new(&params));
    connection.initialize_finish(id, answers::capabilities(encoding))?;
    let shared = Arc::new(Shared {
        sender: connection.sender.clone(),
        encoding,
        current: Mutex::default(),
        cancelled: Mutex::default(),
        checks: Checks::new(program),
        workspace,
    });
    let mut server = Server { jobs: workers()?, documents: Documents::default(), shared };
    let result = server.run(&connection);
    server.shared.checks.stop();
    drop(server);
    drop(connection);
    threads.join()?;
    result
}

/// Starts the threads that answer requests. They end when the sender of jobs is dropped.
fn workers() -> std::io::Result<Sender<Job>> {
    let (sender, receiver) = unbounded::<Job>();
    for number in 0..WORKERS {
        let receiver = receiver.clone();
        let work = move || receiver.into_iter().for_each(|job| job());
        thread::Builder::new().name(format!("worker {number}")).stack_size(STACK).spawn(work)?;
    }
    Ok(sender)
}

struct Server {
    jobs: Sender<Job>,
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
        let (shared, snapshot) = (Arc::clone(&self.shared), self.documents.snapshot());
        let job = move || shared.answer(request, &snapshot);
        // The workers end after the main loop, so there is a receiver.
        let _ = self.jobs.send(Box::new(job));
    }

    fn notification(&mut self, notification: &Notification) {
        let params = &notification.params;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let changed = match notification.method.as_str() {
            "textDocument/didOpen" => self.documents.open(&params["textDocument"]),
            "textDocument/didChange" => self.documents.change(params, self.shared.encoding),
            "textDocument/didClose" => {
                self.shared.publish_nothing(uri);
                self.documents.close(uri)
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.documents.renew_all(),
            "$/cancelRequest" => {
                let id = match &params["id"] {
                    Value::String(id) => RequestId::from(id.clone()),
                    id => RequestId::from(id.as_i64().unwrap_or_default() as i32),
                };
                self.shared.lock_cancelled().insert(id);
                return;
            }
            "window/workDoneProgress/cancel" => return self.shared.checks.cancel(&params["token"]),
            _ => return,
        };
        *self.shared.lock_current() = self.documents.serials();
        for uri in changed {
            self.shared.checks.forget(&uri);
            let (shared, snapshot) = (Arc::clone(&self.shared), self.documents.snapshot());
            let _ = self.jobs.send(Box::new(move || shared.publish(&uri, &snapshot)));
        }
    }
}

impl Shared {
    fn lock_current(&self) -> MutexGuard<'_, documents::Serials> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_cancelled(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(self: &Arc<Shared>, request: Request, snapshot: &Snapshot) {
        let Request { id, method, params } = request;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let answer = if self.lock_cancelled().remove(&id) { None } else { Some(self.ask(&method, &params, snapshot)) };
        let serial = snapshot.get(uri).map(|document| document.serial);
        let stale = serial.is_some() && self.lock_current().get(uri).copied() != serial;
        let cancelled = self.lock_cancelled().remove(&id);
        let response = match answer {
            _ if cancelled => Response::new_err(id, REQUEST_CANCELLED, "cancelled".to_string()),
            None => Response::new_err(id, REQUEST_CANCELLED, "cancelled".to_string()),
            Some(_) if stale => Response::new_err(id, CONTENT_MODIFIED, "the text has changed".to_string()),
            Some(Ok(value)) => Response::new_ok(id, value),
            Some(Err((code, message))) => Response::new_err(id, code, message),
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
        let asked = answers::Asked { analysis: &analysis, uri, encoding: self.encoding, checks: &self.checks };
        asked.answer(method, params).unwrap_or_else(|| Err(unknown(method)))
    }

    fn notify(&self, method: &str, params: Value) {
        let _ = self.sender.send(Message::Notification(Notification { method: method.to_string(), params }));
    }

    /// Sends the diagnostics of a document, unless it has changed.
    fn publish(&self, uri: &str, snapshot: &Snapshot) {
        let Some(document) = snapshot.get(uri) else { return };
        if self.lock_current().get(uri) != Some(&document.serial) {
            return;
        }
        let analysis = document.analysis(snapshot);
        let mut diagnostics = values::diagnostics(&analysis, uri, self.encoding);
        diagnostics.extend(self.checks.diagnostics(uri, &analysis, self.encoding));
        let current = self.lock_current();
        if current.get(uri) == Some(&document.serial) {
            let params = json!({ "uri": uri, "version": document.version, "diagnostics": diagnostics });
            self.notify("textDocument/publishDiagnostics", params);
        }
    }

    fn publish_nothing(&self, uri: &str) {
        self.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": [] }));
    }
}

fn unknown(method: &str) -> (i32, String) {
    (METHOD_NOT_FOUND, format!("there is no method `{method}`"))
}
