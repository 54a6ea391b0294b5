//! The processes that work for the server. Each reads requests as lines of JSON from its standard input, and answers on its standard
//! output. It calls the library; it opens no connection. A text that makes one of them slow or large or makes it crash costs
//! the server nothing: it ends the process.
//!
//! A request is `{"op":"lang/all",…}`, an answer `{"ok":…}` or `{"failed":{"status":422,"error":…}}`.

mod automaton;
mod failure;
mod files;
pub(crate) use files::plain;
mod formula;
mod graph;
mod language;
mod model;
mod session;
mod simulation;
mod teach;
mod trace;
mod why;

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

use failure::Failure;
use session::Session;

/// The stack of the thread that works: texts may be nested deeply.
const STACK: usize = 256 << 20;

type Answer = Result<Value, Failure>;

/// Answers the requests on standard input until it ends. The current directory is the folder of the project.
pub fn run() -> io::Result<()> {
    let work = || {
        let mut worker = Worker::default();
        let mut out = io::stdout().lock();
        for line in io::stdin().lock().lines() {
            let answer = worker.line(&line?);
            serde_json::to_writer(&mut out, &answer)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
        Ok(())
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
    thread.join().unwrap_or_else(|_| Err(io::Error::other("the worker has failed")))
}

/// What a process remembers between requests.
#[derive(Default)]
struct Worker {
    language: language::Service,
    session: Option<Session>,
}

impl Worker {
    fn line(&mut self, line: &str) -> Value {
        let answer = match serde_json::from_str::<Value>(line) {
            Ok(request) => self.answer(&request),
            Err(e) => Err(Failure::malformed(&e)),
        };
        match answer {
            Ok(value) => json!({ "ok": value }),
            Err(failure) => json!({ "failed": failure.value() }),
        }
    }

    fn answer(&mut self, request: &Value) -> Answer {
        let op = request["op"].as_str().unwrap_or_default();
        match op.split_once('/') {
            Some(("lang", what)) => self.language.answer(what, request),
            Some(("model", what)) => model::answer(what, request),
            Some(("session", "open")) => {
                let (session, answer) = Session::open(request)?;
                self.session = Some(session);
                Ok(answer)
            }
            Some(("session", what)) => match &mut self.session {
                Some(session) => session.answer(what, request),
                None => Err(Failure::new(404, "there is no session")),
            },
            _ if op == "teach" => teach::teach(request),
            _ => Err(Failure::new(404, "there is no such request")),
        }
    }
}
