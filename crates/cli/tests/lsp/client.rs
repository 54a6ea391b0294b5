//! A client of the language server that knows nothing but the framing of messages.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: i64,
    /// Notifications and requests of the server so far.
    pub heard: Vec<Value>,
}

impl Client {
    pub fn start() -> Client {
        Client::start_with(json!({ "capabilities": {} }))
    }

    /// Starts the server with these parameters of `initialize`.
    pub fn start_with(params: Value) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kripke"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("an output"));
        let mut client = Client { child, input, output, next: 0, heard: Vec::new() };
        client.request("initialize", params).expect("capabilities");
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("an input");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "the server has ended");
            if line.trim().is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = number.trim().parse().expect("a number");
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).expect("a whole message");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The answer to a request, or its error.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.heard.push(message);
        }
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The diagnostics of a version of a document, once they are sent.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Value {
        loop {
            let is_wanted = |message: &Value| {
                message["method"] == "textDocument/publishDiagnostics"
                    && message["params"]["uri"] == uri
                    && message["params"]["version"] == version
            };
            if let Some(at) = self.heard.iter().position(is_wanted) {
                let message = self.heard.remove(at);
                return message["params"]["diagnostics"].clone();
            }
            let message = self.receive();
            self.heard.push(message);
        }
    }

    /// Waits for a message of the server about progress with this token and of this kind, and returns its value.
    pub fn progress(&mut self, token: &Value, kind: &str) -> Value {
        loop {
            let value = |message: &Value| message["params"]["value"].clone();
            let is_wanted = |message: &&Value| {
                message["method"] == "$/progress"
                    && message["params"]["token"] == *token
                    && value(message)["kind"] == kind
            };
            if let Some(message) = self.heard.iter().find(is_wanted) {
                return value(message);
            }
            let message = self.receive();
            self.heard.push(message);
        }
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "promela", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Ends the server, and returns its exit status.
    pub fn finish(mut self) -> i32 {
        self.request("shutdown", Value::Null).expect("an answer");
        self.notify("exit", Value::Null);
        self.input = None;
        self.child.wait().expect("an end").code().expect("a status")
    }
}
