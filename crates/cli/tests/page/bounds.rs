//! Bounds: what clients can make the server do at a time, and what stays when they are gone.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Server, raw, request};
use crate::group::{login, model, prepare};
use crate::{LONG, SHORT, folder};

#[test]
fn passwords_cannot_be_tried_all_at_once() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    let server = Server::group(folder.path());
    let ask = || server.login("ann", "a wrong password").err().map_or(200, |reply| reply.status);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..40).map(|_| scope.spawn(ask)).collect();
        all.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    // Two are given back meanwhile, as time passes.
    let tried = statuses.iter().filter(|status| **status == 401).count();
    assert!((1..=13).contains(&tried), "{tried} passwords were tried: {statuses:?}");
    let long = json!({ "name": "a".repeat(1 << 20), "password": "x" }).to_string();
    let head = [format!("Origin: http://127.0.0.1:{}", server.port), "Content-Type: application/json".to_string()];
    let reply = raw(server.port, &request(server.port, "POST /api/login", &head, long.as_bytes()));
    assert!([413, 0].contains(&reply.status), "{}", reply.status);
    assert!(server.is_alive());
}

/// Begins to read the events of a job. Returns the connection and the status.
fn stream(server: &Server, id: &str) -> (TcpStream, u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
    let line = format!("GET /api/jobs/{id}/events");
    stream.write_all(&request(server.port, &line, &server.identity, b"")).expect("a request");
    let mut head = [0; 12];
    stream.read_exact(&mut head).expect("a status");
    let status = String::from_utf8_lossy(&head[9..]).parse().expect("a number");
    (stream, status)
}

#[test]
fn streams_of_events_are_bounded() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let job = server.post("/api/jobs", &json!({ "file": "long.pml", "options": { "threads": 1, "mem": "128M" } }));
    let id = job["id"].as_str().unwrap();
    let mut streams: Vec<(TcpStream, u16)> = (0..16).map(|_| stream(&server, id)).collect();
    assert!(streams.iter().all(|(_, status)| *status == 200));
    assert_eq!(stream(&server, id).1, 429);
    streams.clear();
    let is_free = |_| {
        std::thread::sleep(Duration::from_millis(200));
        stream(&server, id).1 == 200
    };
    assert!((0..50).any(is_free), "a stream that is closed makes room");
}

/// The processes that work in a folder.
fn processes(folder: &Path) -> usize {
    let folder = folder.canonicalize().expect("a folder");
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    entries.filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder))).count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_elsewhere_ends_with_all_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let more = "[[machines]]\nname = 'left'\ncommand = ['sh', '-c', 'sleep 300 & exec \"$@\"', 'sh']\n\
                [[machines]]\nname = 'inside'\ncommand = ['sh', '-c', '\"$@\"; exit $?', 'sh']\n";
    prepare(folder.path(), more);
    let server = Server::group(folder.path());
    let ann = login(&server, "ann");
    let start = |text: &str, machine: &str| -> String {
        let mut wanted = model(text);
        wanted["machine"] = machine.into();
        wanted["options"] = json!({ "threads": 1, "mem": "256M" });
        let job = server.ask_as(&ann, "POST /api/jobs", Some(&wanted)).json();
        job["id"].as_str().unwrap().to_string()
    };
    let begin = Instant::now();
    let left = server.ended(&ann, &start(SHORT, "left"));
    assert_eq!(left["verdict"], "holds", "{left}");
    assert!(begin.elapsed() < Duration::from_secs(60), "a process that stays is not waited for");
    let id = start(LONG, "inside");
    std::thread::sleep(Duration::from_secs(2));
    server.ask_as(&ann, &format!("POST /api/jobs/{id}/stop"), None);
    assert_eq!(server.ended(&ann, &id)["state"], "stopped");
    let jobs = folder.path().join("data/jobs");
    assert!((0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        processes(&jobs) == 0
    }));
}

#[test]
fn limits_that_change_hold_for_jobs_that_wait() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "[limits]\njobs = 1\ncores = 2\nmemory = 268435456\n[total]\ncores = 2\n");
    let server = Server::group(folder.path());
    let ann = login(&server, "ann");
    let mut long = model(LONG);
    long["options"] = json!({ "threads": 1, "mem": "64M" });
    let ids: Vec<Value> =
        (0..2).map(|_| server.ask_as(&ann, "POST /api/jobs", Some(&long)).json()["id"].clone()).collect();
    let state = |id: &Value| {
        std::thread::sleep(Duration::from_millis(200));
        server.ask_as(&ann, &format!("GET /api/jobs/{}", id.as_str().unwrap()), None).json()["state"].clone()
    };
    assert_eq!(state(&ids[1]), "queued");
    let change = |cores: u64| {
        let limits = json!({ "limits": { "jobs": 2, "cores": cores, "memory": 268_435_456_u64 } });
        server.ask_as(&ann, "PUT /api/users/ann", Some(&limits)).status
    };
    assert_eq!(change(0), 422);
    assert_eq!(change(2), 200);
    assert!((0..25).any(|_| state(&ids[1]) != "queued"), "the second job starts without another event");
}

/// The browser learns the token from a file that only its owner can read, and not from its arguments.
#[cfg(unix)]
#[test]
fn the_token_is_no_argument_of_the_browser() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    let folder = folder();
    let path = folder.path();
    fs::write(path.join("xdg-open"), "#!/bin/sh\necho \"$@\" > \"$XDG_RUNTIME_DIR/opened\"\n").unwrap();
    fs::set_permissions(path.join("xdg-open"), fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("ui").current_dir(path).env("PATH", path).env("XDG_RUNTIME_DIR", path);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let opened = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        fs::read_to_string(path.join("opened")).ok().filter(|text| text.ends_with('\n'))
    });
    let opened = opened.expect("the browser is opened");
    let page = Path::new(opened.trim());
    let text = fs::read_to_string(page).expect("a page");
    assert!(!opened.contains("token") && text.contains("/#token="), "{opened}{text}");
    assert_eq!(fs::metadata(page).unwrap().permissions().mode() & 0o777, 0o600);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("a signal").success());
    child.wait().expect("it ends");
    assert!(!page.exists(), "the file is removed with the server");
}
