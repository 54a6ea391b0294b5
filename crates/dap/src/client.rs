//! The client: the requests that it sends, and what it is sent. A thread of its own reads, so that a request can stop a long one.

use std::fmt;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

use crate::Interrupt;
use crate::framing::{self, Malformed};

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The number of the request.
    pub seq: i64,
    /// Its name.
    pub command: String,
    /// Its arguments; null if it has none.
    pub arguments: Value,
    /// Whether it stops the activity that runs when it arrives.
    pub stops: bool,
}

/// A stage of a long activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage<'a> {
    /// The activity starts.
    Start,
    /// It has come so far.
    Message(&'a str),
    /// The activity ends.
    End,
}

/// The client of a debug adapter.
pub struct Client {
    out: Mutex<Box<dyn Write + Send>>,
    seq: AtomicU64,
    /// The number of requests that stop an activity and are not yet answered.
    stops: Mutex<usize>,
    /// The number of the request that is answered now, or that started the motion.
    running: AtomicI64,
    interrupt: Interrupt,
    /// Whether it can't be written to.
    gone: AtomicBool,
    /// Whether it shows progress.
    shows_progress: AtomicBool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("seq", &self.seq).field("gone", &self.gone).finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(out: impl Write + Send + 'static) -> Client {
        Client {
            out: Mutex::new(Box::new(out)),
            seq: AtomicU64::new(1),
            stops: Mutex::new(0),
            running: AtomicI64::new(0),
            interrupt: Arc::new(AtomicBool::new(false)),
            gone: AtomicBool::new(false),
            shows_progress: AtomicBool::new(false),
        }
    }

    /// A flag that is set while the client wants an activity to stop.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// Tells the user something.
    pub fn say(&self, text: &str) {
        self.event("output", json!({ "category": "console", "output": ended(text) }));
    }

    /// Says how far a long activity is.
    pub fn progress(&self, title: &str, stage: Stage<'_>) {
        if !self.shows_progress.load(Ordering::Relaxed) {
            return;
        }
        let (event, body) = match stage {
            Stage::Start => ("progressStart", json!({ "progressId": title, "title": title, "cancellable": true })),
            Stage::Message(text) => ("progressUpdate", json!({ "progressId": title, "message": text })),
            Stage::End => ("progressEnd", json!({ "progressId": title })),
        };
        self.event(event, body);
    }

    pub(crate) fn show_progress(&self, shows: bool) {
        self.shows_progress.store(shows, Ordering::Relaxed);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed) || self.gone.load(Ordering::Relaxed)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    pub(crate) fn event(&self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    pub(crate) fn respond(&self, request: &Request, answer: Result<Value, String>) {
        let mut message = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["body"] = json!({ "error": { "id": 1, "format": escaped(&why), "showUser": true } });
                message["message"] = json!(why);
            }
        }
        self.send(message);
    }

    fn send(&self, mut message: Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        message["seq"] = json!(self.seq.fetch_add(1, Ordering::Relaxed));
        if framing::write(&mut **out, &message).is_err() {
            self.gone.store(true, Ordering::Relaxed);
        }
    }

    fn stops(&self) -> MutexGuard<'_, usize> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request that arrives stops the activity that runs. A client can cancel the activity or the request behind it;
    /// cancelling another request stops nothing.
    fn is_stop(&self, request: &Request) -> bool {
        let given = &request.arguments;
        match request.command.as_str() {
            "pause" | "terminate" | "disconnect" => true,
            "cancel" => {
                let running = self.running.load(Ordering::Relaxed);
                !given["progressId"].is_null() || given["requestId"].as_i64() == Some(running)
            }
            _ => false,
        }
    }

    /// Stops the activity that runs.
    fn stop(&self) {
        *self.stops() += 1;
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Counts a request that is now answered.
    pub(crate) fn taken(&self, request: &Request) {
        self.running.store(request.seq, Ordering::Relaxed);
        if request.stops {
            let mut stops = self.stops();
            *stops = stops.saturating_sub(1);
            self.interrupt.store(*stops > 0, Ordering::Relaxed);
        }
    }
}

/// A text that ends with a line end.
fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_string() } else { format!("{text}\n") }
}

/// A text whose braces are no placeholders of the protocol's messages.
fn escaped(text: &str) -> String {
    text.replace('{', "(").replace('}', ")")
}

/// Reads the requests of a client in a thread. The last item is the end of the input, or why it is not the protocol.
pub(crate) fn listen(
    input: impl Read + Send + 'static,
    client: Arc<Client>,
) -> Receiver<Result<Option<Request>, Malformed>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let mut next = framing::read(&mut input).and_then(|message| message.map(request).transpose());
            let stops = match &mut next {
                Ok(Some(Some(request))) => {
                    request.stops = client.is_stop(request);
                    request.stops
                }
                Ok(Some(None)) => continue,
                Ok(None) | Err(_) => true,
            };
            if stops {
                client.stop();
            }
            let last = !matches!(next, Ok(Some(_)));
            if send.send(next.map(Option::flatten)).is_err() || last {
                return;
            }
        }
    });
    receive
}

/// The request in a message; none in a response of the client.
fn request(message: Value) -> Result<Option<Request>, Malformed> {
    let wrong = |why: &str| Malformed::NoRequest(why.to_string());
    match message["type"].as_str() {
        Some("request") => {}
        Some("response") => return Ok(None),
        _ => return Err(wrong("its `type` is not `request`")),
    }
    let seq = message["seq"].as_i64().ok_or_else(|| wrong("`seq` is no number"))?;
    let command = message["command"].as_str().ok_or_else(|| wrong("`command` is no text"))?.to_string();
    Ok(Some(Request { seq, command, arguments: message["arguments"].clone(), stops: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_can_be_cancelled() {
        let client = Client::new(std::io::sink());
        let request = |seq, command: &str, arguments: &Value| {
            let (command, arguments) = (command.to_string(), arguments.clone());
            Request { seq, command, arguments, stops: false }
        };
        client.taken(&request(7, "continue", &Value::Null));
        for (command, arguments, stops) in [
            ("cancel", json!({ "requestId": 7 }), true),
            ("cancel", json!({ "requestId": 6 }), false),
            ("cancel", json!({ "progressId": "check" }), true),
            ("cancel", Value::Null, false),
            ("pause", Value::Null, true),
            ("threads", Value::Null, false),
        ] {
            assert_eq!(client.is_stop(&request(8, command, &arguments)), stops, "{command} {arguments}");
        }
    }
}
