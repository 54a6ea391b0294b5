//! A client that knows nothing of the server's code: it writes bytes to a socket and reads bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// An answer of a server.
#[derive(Debug)]
pub struct Reply {
    /// The status; 0 if the connection was closed without an answer.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// The body, without the marks of its chunks.
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

/// Sends bytes and reads until the server closes the connection, or is silent for so long.
pub fn raw_within(port: u16, bytes: &[u8], patience: Duration) -> Reply {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    stream.set_read_timeout(Some(patience)).expect("a time limit");
    // A server that has refused already may have closed its side.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut part = [0; 65536];
    while let Ok(length) = stream.read(&mut part) {
        if length == 0 {
            break;
        }
        answer.extend_from_slice(&part[..length]);
    }
    parsed(&answer)
}

pub fn raw(port: u16, bytes: &[u8]) -> Reply {
    raw_within(port, bytes, Duration::from_secs(60))
}

fn parsed(answer: &[u8]) -> Reply {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else { return Reply { status: 0, head: String::new(), body: String::new() } };
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let body = &answer[end + 4..];
    let body = if head.contains("transfer-encoding: chunked") { dechunked(body) } else { body.to_vec() };
    Reply { status, head, body: String::from_utf8_lossy(&body).into_owned() }
}

fn dechunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(line) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size =
            std::str::from_utf8(&bytes[..line]).ok().and_then(|text| usize::from_str_radix(text.trim(), 16).ok());
        let (Some(size), rest) = (size, &bytes[line + 2..]) else { break };
        if size == 0 || rest.len() < size {
            break;
        }
        out.extend_from_slice(&rest[..size]);
        bytes = rest.get(size + 2..).unwrap_or_default();
    }
    out
}

/// A request: method and address, further lines of the head, body.
pub fn request(port: u16, line: &str, head: &[String], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    if !head.iter().any(|line| line.to_lowercase().starts_with("host:")) {
        text.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    head.iter().for_each(|line| text.push_str(&format!("{line}\r\n")));
    let chunked = head.iter().any(|line| line.to_lowercase().starts_with("transfer-encoding"));
    let given = head.iter().any(|line| line.to_lowercase().starts_with("content-length"));
    if !body.is_empty() && !chunked && !given {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    [text.as_bytes(), body].concat()
}

/// A server that runs for a test.
pub struct Server {
    pub child: Child,
    pub port: u16,
    /// The lines of the head that identify the user.
    pub identity: Vec<String>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program, and reads the first line of its output.
fn start(folder: &Path, args: &[&str]) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().expect("the program starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    (child, line.trim().to_string())
}

fn port_of(line: &str) -> u16 {
    let rest = line.split("127.0.0.1:").nth(1).unwrap_or_else(|| panic!("no address in {line:?}"));
    rest.split('/').next().and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("no port in {line:?}"))
}

impl Server {
    /// `kripke ui` in a folder.
    pub fn ui(folder: &Path) -> Server {
        let (child, line) = start(folder, &["ui", "--no-open"]);
        let token = line.split("token=").nth(1).unwrap_or_else(|| panic!("no token in {line:?}"));
        let identity = vec![format!("Authorization: Bearer {}", token.split('&').next().expect("a word"))];
        Server { child, port: port_of(&line), identity }
    }

    /// `kripke serve` with the configuration `kripke.toml` of a folder.
    pub fn group(folder: &Path) -> Server {
        let (child, line) = start(folder, &["serve", "--config", "kripke.toml"]);
        Server { child, port: port_of(&line), identity: Vec::new() }
    }

    /// The same server, asked by a user who has logged in.
    pub fn login(&self, name: &str, password: &str) -> Result<Vec<String>, Reply> {
        let body = serde_json::json!({ "name": name, "password": password }).to_string();
        let head = [format!("Origin: http://127.0.0.1:{}", self.port), "Content-Type: application/json".to_string()];
        let reply = raw(self.port, &request(self.port, "POST /api/login", &head, body.as_bytes()));
        if reply.status != 200 {
            return Err(reply);
        }
        let cookie = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        let pair = cookie.split(';').next().expect("a pair");
        Ok(vec![format!("Cookie: {pair}"), format!("Origin: http://127.0.0.1:{}", self.port)])
    }

    /// Asks as the user of the server.
    pub fn ask(&self, line: &str, body: Option<&Value>) -> Reply {
        self.ask_as(&self.identity, line, body)
    }

    pub fn ask_as(&self, identity: &[String], line: &str, body: Option<&Value>) -> Reply {
        let mut head = identity.to_vec();
        let body = body.map(Value::to_string).unwrap_or_default();
        if !body.is_empty() {
            head.push("Content-Type: application/json".to_string());
        }
        raw(self.port, &request(self.port, line, &head, body.as_bytes()))
    }

    /// Asks, and expects an answer.
    pub fn get(&self, address: &str) -> Value {
        let reply = self.ask(&format!("GET {address}"), None);
        assert_eq!(reply.status, 200, "GET {address}: {}", reply.body);
        reply.json()
    }

    pub fn post(&self, address: &str, body: &Value) -> Value {
        let reply = self.ask(&format!("POST {address}"), Some(body));
        assert!([200, 201].contains(&reply.status), "POST {address}: {} {}", reply.status, reply.body);
        reply.json()
    }

    /// Waits for the end of a job.
    pub fn ended(&self, identity: &[String], id: &str) -> Value {
        loop {
            let job = self.ask_as(identity, &format!("GET /api/jobs/{id}"), None).json();
            if !["queued", "running"].contains(&job["state"].as_str().unwrap_or_default()) {
                return job;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Whether the server answers.
    pub fn is_alive(&self) -> bool {
        raw(self.port, &request(self.port, "GET /api/hello", &[], b"")).status == 200
    }
}
