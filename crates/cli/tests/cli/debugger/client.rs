//! A client of the debug adapter, through the standard streams of the program.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::program::Desk;

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    seq: i64,
    events: VecDeque<Value>,
}

/// The values of a state: the path without indices, and the indices.
pub type Values = BTreeMap<(String, Vec<usize>), String>;

impl Client {
    pub fn new(desk: &Desk) -> Client {
        let mut child =
            desk.command("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Client { child, input, output, seq: 0, events: VecDeque::new() };
        let known = client.ask("initialize", json!({ "adapterID": "kripke" }));
        assert_eq!(known["supportsStepBack"], true);
        client
    }

    /// A session that is launched and stopped at its start.
    pub fn launched(desk: &Desk, configuration: Value) -> Client {
        let mut client = Client::new(desk);
        client.ask("launch", configuration);
        client.event("initialized");
        client.ask("configurationDone", json!({}));
        client.event("stopped");
        client
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    /// Sends a request without waiting for the answer. Returns its number.
    pub fn request(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let seq = self.seq;
        self.send(&json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments }));
        seq
    }

    fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None => break,
            }
        }
        let mut content = vec![0; length];
        self.output.read_exact(&mut content).unwrap();
        Some(serde_json::from_slice(&content).unwrap())
    }

    /// The response to a request; events before it are kept.
    pub fn response(&mut self, seq: i64) -> Value {
        loop {
            let message = self.read().expect("a response");
            match message["type"].as_str() {
                Some("response") if message["request_seq"] == seq => return message,
                Some("event") => self.events.push_back(message),
                _ => panic!("{message}"),
            }
        }
    }

    pub fn try_ask(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        let seq = self.request(command, arguments);
        let response = self.response(seq);
        match response["success"].as_bool() {
            Some(true) => Ok(response["body"].clone()),
            _ => Err(response["message"].as_str().expect("a reason").to_string()),
        }
    }

    #[track_caller]
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.try_ask(command, arguments).unwrap_or_else(|why| panic!("{command}: {why}"))
    }

    /// The body of the next event with this name; other events before it are dropped.
    pub fn event(&mut self, name: &str) -> Value {
        self.events_until(name).pop().unwrap()["body"].clone()
    }

    /// All events up to the next one with this name.
    pub fn events_until(&mut self, name: &str) -> Vec<Value> {
        let mut out = Vec::new();
        loop {
            let event = self.events.pop_front().or_else(|| self.read()).unwrap_or_else(|| panic!("no event {name}"));
            out.push(event.clone());
            if event["event"] == name {
                return out;
            }
        }
    }

    /// Moves, and gives the event that says where it stopped.
    #[track_caller]
    pub fn go(&mut self, command: &str) -> Value {
        self.ask(command, json!({ "threadId": 1 }));
        self.event("stopped")
    }

    pub fn step(&mut self) -> usize {
        self.ask("kripke/position", json!({}))["step"].as_u64().unwrap() as usize
    }

    /// The threads: number and name.
    pub fn threads(&mut self) -> Vec<(i64, String)> {
        let all = self.ask("threads", json!({}))["threads"].clone();
        let all = all.as_array().unwrap();
        all.iter().map(|t| (t["id"].as_i64().unwrap(), t["name"].as_str().unwrap().to_string())).collect()
    }

    pub fn frames(&mut self, thread: i64) -> Vec<Value> {
        self.ask("stackTrace", json!({ "threadId": thread }))["stackFrames"].as_array().unwrap().clone()
    }

    /// The references of the scopes of a thread, by name.
    pub fn scopes(&mut self, thread: i64) -> BTreeMap<String, i64> {
        let frame = self.frames(thread)[0]["id"].clone();
        let scopes = self.ask("scopes", json!({ "frameId": frame }))["scopes"].clone();
        let scope = |s: &Value| (s["name"].as_str().unwrap().to_string(), s["variablesReference"].as_i64().unwrap());
        scopes.as_array().unwrap().iter().map(scope).collect()
    }

    pub fn variables(&mut self, reference: i64) -> Vec<Value> {
        let all = self.ask("variables", json!({ "variablesReference": reference }));
        all["variables"].as_array().unwrap().clone()
    }

    /// All values below a reference.
    pub fn values(&mut self, reference: i64) -> Values {
        let mut out = Values::new();
        self.collect(reference, "", &[], &mut out);
        out
    }

    fn collect(&mut self, reference: i64, above: &str, indices: &[usize], out: &mut Values) {
        for variable in self.variables(reference) {
            let name = variable["name"].as_str().unwrap();
            let (mut path, mut indices) = (above.to_string(), indices.to_vec());
            match name.strip_prefix('[') {
                Some(index) => indices.push(index.trim_end_matches(']').parse().unwrap()),
                None if above.is_empty() => path = name.to_string(),
                None => path = format!("{above}.{name}"),
            }
            match variable["variablesReference"].as_i64().unwrap() {
                0 => drop(out.insert((path, indices), variable["value"].as_str().unwrap().to_string())),
                parts => self.collect(parts, &path, &indices, out),
            }
        }
    }

    /// Leaves, and gives the exit status and what was written to standard error.
    pub fn leave(mut self) -> (i32, String) {
        if let Some(input) = self.input.take() {
            drop(input);
        }
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), err)
    }
}
