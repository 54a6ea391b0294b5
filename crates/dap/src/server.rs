//! The state of a debug session, and the loop that answers requests.

use std::sync::mpsc::Receiver;

use kripke_model::Random;
use serde_json::{Value, json};

use crate::breakpoints::Breakpoints;
use crate::client::{Client, Request};
use crate::debuggee::{Debuggee, FILTERS};
use crate::framing::Malformed;
use crate::launch::Launch;
use crate::lines::Counting;
use crate::motion::{Motion, Mover, Stop};
use crate::{Host, Opening, frames, values};

/// The answer to a request, and what happens after it was sent.
#[derive(Debug)]
pub enum Answer {
    /// Nothing more happens.
    Body(Value),
    /// A motion along the run.
    Motion(Motion, Value),
    /// A launch or a restart.
    Opened(Opening),
    /// The session ends, but the client is still there.
    Terminated,
    /// The client leaves.
    Disconnected,
}

/// A debug adapter for one client.
pub struct Server<'a> {
    pub client: &'a Client,
    pub host: &'a dyn Host,
    pub counting: Counting,
    pub launch: Option<Launch>,
    pub debuggee: Option<Debuggee>,
    pub breakpoints: Breakpoints,
    /// The filters of errors that stop a motion.
    pub filters: Vec<String>,
    /// The parts of values that the client may ask for, by their reference. They are valid until the next motion.
    pub parts: Vec<Vec<values::Value>>,
    /// Whether the client has sent its breakpoints.
    pub configured: bool,
    random: Random,
    /// The processes that the client knows.
    known: Vec<u8>,
    /// A stop that the client hears of after the answer to the request that caused it.
    paused: Option<Stop>,
}

impl<'a> Server<'a> {
    pub fn new(client: &'a Client, host: &'a dyn Host) -> Server<'a> {
        Server {
            client,
            host,
            counting: Counting::default(),
            launch: None,
            debuggee: None,
            breakpoints: Breakpoints::default(),
            filters: FILTERS.iter().map(|(name, _)| name.to_string()).collect(),
            parts: Vec::new(),
            configured: false,
            random: Random::new(0),
            known: Vec::new(),
            paused: None,
        }
    }

    /// Answers requests until the client leaves.
    pub fn run(&mut self, incoming: &Receiver<Result<Option<Request>, Malformed>>) -> Result<(), Malformed> {
        while let Ok(next) = incoming.recv() {
            let Some(request) = next? else { break };
            self.client.taken(&request);
            if !self.obey(&request) || self.client.is_gone() {
                break;
            }
        }
        Ok(())
    }

    /// Answers a request. Returns false for the last one.
    fn obey(&mut self, request: &Request) -> bool {
        let answer = match self.answer(request) {
            Ok(answer) => answer,
            Err(why) => {
                self.client.respond(request, Err(why));
                self.flush_pause();
                return true;
            }
        };
        let body = match &answer {
            Answer::Body(body) | Answer::Motion(_, body) => body.clone(),
            Answer::Opened(_) | Answer::Terminated | Answer::Disconnected => Value::Null,
        };
        self.client.respond(request, Ok(body));
        self.flush_pause();
        match answer {
            Answer::Body(_) => {}
            Answer::Motion(motion, _) => self.go(&motion),
            Answer::Opened(opening) => self.opened(opening, request.command == "restart"),
            Answer::Terminated => self.client.event("terminated", json!({})),
            Answer::Disconnected => return false,
        }
        true
    }

    fn flush_pause(&mut self) {
        if let (Some(stop), Some(debuggee)) = (self.paused.take(), &self.debuggee) {
            self.client.event("stopped", stop.event(debuggee));
        }
    }

    /// Starts to debug what was opened.
    fn opened(&mut self, opening: Opening, again: bool) {
        let session = match opening {
            Opening::Session { session, remarks } => {
                remarks.iter().for_each(|remark| self.client.say(remark));
                session
            }
            Opening::Nothing { summary, status } => {
                self.debuggee = None;
                self.client.say(&summary);
                self.client.event("exited", json!({ "exitCode": status }));
                return self.client.event("terminated", json!({}));
            }
        };
        self.random = Random::new(self.launch.as_ref().and_then(|launch| launch.seed).unwrap_or_default());
        let mut debuggee = Debuggee::new(*session);
        if let Some(error) = debuggee.session.verdict() {
            self.client.say(&error.to_string());
        }
        self.breakpoints.resolve(None, &mut debuggee);
        self.known = frames::alive(&debuggee);
        self.debuggee = Some(debuggee);
        for breakpoint in self.breakpoints.shown(None, self.counting) {
            self.client.event("breakpoint", json!({ "reason": "changed", "breakpoint": breakpoint }));
        }
        match again {
            true => self.start(),
            false => self.client.event("initialized", json!({})),
        }
    }

    /// Stops at the start, or goes on from there.
    pub fn start(&mut self) {
        let stops = self.launch.as_ref().is_none_or(|launch| launch.stop_on_entry);
        self.go(&if stops { Motion::Start } else { Motion::Continue { here: true } });
    }

    /// Moves along the run, and tells the client where it stops.
    fn go(&mut self, motion: &Motion) {
        self.parts.clear();
        let Some(debuggee) = &mut self.debuggee else { return };
        let steps = self.launch.as_ref().map_or(0, |launch| launch.steps);
        let mut mover = Mover {
            debuggee,
            breakpoints: &self.breakpoints,
            filters: &self.filters,
            client: self.client,
            counting: self.counting,
            steps,
            random: &mut self.random,
        };
        let stop = mover.go(motion);
        for remark in debuggee.session.remarks() {
            self.client.say(&remark.to_string());
        }
        let alive = frames::alive(debuggee);
        for pid in self.known.iter().filter(|pid| !alive.contains(pid)) {
            self.client.event("thread", json!({ "reason": "exited", "threadId": frames::thread(*pid) }));
        }
        for pid in alive.iter().filter(|pid| !self.known.contains(pid)) {
            self.client.event("thread", json!({ "reason": "started", "threadId": frames::thread(*pid) }));
        }
        self.known = alive;
        match stop.is_pause() {
            true => self.paused = Some(stop),
            false => self.client.event("stopped", stop.event(debuggee)),
        }
    }
}
