//! A group: accounts, rights, limits, and attacks of one user on another.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::{Server, raw, request};
use crate::{LONG, SHORT};

const PASSWORD: &str = "correct horse battery";

/// The configuration of a group, with two users.
pub fn prepare(folder: &Path, more: &str) {
    let text = format!("address = '127.0.0.1:0'\ndata = 'data'\n{more}");
    fs::write(folder.join("kripke.toml"), text).expect("a configuration");
    add_user(folder, "ann", true);
    add_user(folder, "bob", false);
}

/// Adds a user, or sets the password of one.
fn add_user(folder: &Path, name: &str, admin: bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.args(["serve", "--config", "kripke.toml", "--add-user", name]).args(admin.then_some("--admin"));
    let mut child = command.current_dir(folder).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("its input");
    writeln!(stdin, "{PASSWORD}").expect("a password");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

pub fn login(server: &Server, name: &str) -> Vec<String> {
    server.login(name, PASSWORD).unwrap_or_else(|reply| panic!("{name}: {}", reply.body))
}

pub fn model(text: &str) -> Value {
    json!({ "file": "m.pml", "texts": { "m.pml": text } })
}

#[test]
fn users_see_what_is_theirs() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    let server = Server::group(folder.path());
    let (ann, bob) = (login(&server, "ann"), login(&server, "bob"));
    let own = server.ask_as(&ann, "POST /api/jobs", Some(&model(SHORT))).json();
    let id = own["id"].as_str().unwrap();
    assert_eq!(server.ended(&ann, id)["verdict"], "holds");
    // Bob is no administrator, and not a member of Ann's project.
    for line in ["GET /api/jobs/ID", "GET /api/jobs/ID/result", "GET /api/jobs/ID/model", "GET /api/jobs/ID/events"] {
        assert_eq!(server.ask_as(&bob, &line.replace("ID", id), None).status, 404, "{line}");
    }
    for line in ["POST /api/jobs/ID/stop", "POST /api/jobs/ID/restart", "DELETE /api/jobs/ID"] {
        assert_eq!(server.ask_as(&bob, &line.replace("ID", id), None).status, 404, "{line}");
    }
    let trace = json!({ "kind": "trace", "job": id });
    assert_eq!(server.ask_as(&bob, "POST /api/sessions", Some(&trace)).status, 404);
    let opened = server.ask_as(
        &ann,
        "POST /api/sessions",
        Some(&json!({ "kind": "graph", "file": "m.pml", "texts": { "m.pml": SHORT } })),
    );
    let session = opened.json()["id"].as_str().unwrap().to_string();
    assert_eq!(server.ask_as(&bob, &format!("GET /api/sessions/{session}"), None).status, 404);
    assert_eq!(server.ask_as(&bob, "GET /api/jobs", None).json(), json!([]));
    // A project that is shared can be read, then written.
    let project = server.ask_as(&ann, "POST /api/projects", Some(&json!({ "name": "shared" }))).json()["id"].clone();
    let number = project.as_str().unwrap();
    let file = json!({ "project": number, "path": "a.pml", "text": SHORT });
    assert_eq!(server.ask_as(&ann, "PUT /api/file", Some(&file)).status, 200);
    let address = format!("GET /api/file?project={number}&path=a.pml");
    assert_eq!(server.ask_as(&bob, &address, None).status, 404);
    let share = |right: &str| json!({ "members": [{ "name": "bob", "right": right }] });
    let line = format!("PUT /api/projects/{number}");
    assert_eq!(server.ask_as(&bob, &line, Some(&share("write"))).status, 404, "only the owner shares");
    assert_eq!(server.ask_as(&ann, &line, Some(&share("read"))).status, 200);
    assert_eq!(server.ask_as(&bob, &address, None).status, 200);
    let wrong = json!({ "members": [{ "name": "bob", "right": "write" }, { "name": "bob", "right": "own" }] });
    assert_eq!(server.ask_as(&ann, &line, Some(&wrong)).status, 422);
    assert_eq!(server.ask_as(&bob, &address, None).status, 200, "a refused change changes nothing");
    assert_eq!(server.ask_as(&bob, "PUT /api/file", Some(&file)).status, 403);
    assert_eq!(server.ask_as(&ann, &line, Some(&share("write"))).status, 200);
    assert_eq!(server.ask_as(&bob, "PUT /api/file", Some(&file)).status, 200);
    assert_eq!(server.ask_as(&bob, &format!("DELETE /api/projects/{number}"), None).status, 404);
}

#[test]
fn forged_and_stolen_sessions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    let server = Server::group(folder.path());
    let ann = login(&server, "ann");
    let origin = ann[1].clone();
    let status = |head: &[String]| raw(server.port, &request(server.port, "GET /api/me", head, b"")).status;
    assert_eq!(status(&ann), 200);
    assert_eq!(status(std::slice::from_ref(&origin)), 401, "no session");
    for word in ["", "0", "ann", "' or 1=1 --", &"f".repeat(64), "%00", &"a".repeat(8000)] {
        assert_eq!(status(&[format!("Cookie: kripke-session={word}")]), 401, "{word}");
    }
    let token = ann[0].trim_start_matches("Cookie: kripke-session=");
    assert_eq!(status(&[format!("Authorization: Bearer {token}")]), 401, "a cookie is no token");
    assert_eq!(status(&[ann[0].clone(), "Origin: http://evil.example".to_string()]), 403);
    let post = |head: &[String]| raw(server.port, &request(server.port, "POST /api/logout", head, b"")).status;
    assert_eq!(post(std::slice::from_ref(&ann[0])), 403, "a request without an origin");
    // The database has no words that could be used.
    let database = fs::read(folder.path().join("data/kripke.db")).unwrap();
    let log = fs::read(folder.path().join("data/kripke.db-wal")).unwrap_or_default();
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    for bytes in [&database, &log] {
        assert!(!has(bytes, token) && !has(bytes, PASSWORD));
    }
    assert!(has(&database, "$argon2id$") || has(&log, "$argon2id$"));
    assert_eq!(post(&ann), 200);
    assert_eq!(status(&ann), 401, "the session has ended");
}

#[test]
fn only_administrators_manage_users() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    let server = Server::group(folder.path());
    let (ann, bob) = (login(&server, "ann"), login(&server, "bob"));
    let new = json!({ "name": "eve", "password": "long enough", "admin": true });
    assert_eq!(server.ask_as(&bob, "GET /api/users", None).status, 403);
    assert_eq!(server.ask_as(&bob, "POST /api/users", Some(&new)).status, 403);
    assert_eq!(server.ask_as(&bob, "PUT /api/users/bob", Some(&json!({ "admin": true }))).status, 403);
    assert_eq!(server.ask_as(&bob, "DELETE /api/users/ann", None).status, 403);
    assert_eq!(server.ask_as(&ann, "POST /api/users", Some(&new)).status, 200);
    assert_eq!(server.ask_as(&ann, "POST /api/users", Some(&new)).status, 409);
    let bad = [json!({ "name": "a/b", "password": "long enough" }), json!({ "name": "x", "password": "short" })];
    for user in bad {
        assert_eq!(server.ask_as(&ann, "POST /api/users", Some(&user)).status, 422, "{user}");
    }
    let change = json!({ "old": "wrong", "new": "another password" });
    assert_eq!(server.ask_as(&bob, "POST /api/password", Some(&change)).status, 403);
    let change = json!({ "old": PASSWORD, "new": "another password" });
    assert_eq!(server.ask_as(&bob, "POST /api/password", Some(&change)).status, 200);
    assert!(server.login("bob", PASSWORD).is_err());
    assert!(server.login("bob", "another password").is_ok());
    assert_eq!(server.ask_as(&ann, "DELETE /api/users/bob", None).status, 200);
    assert_eq!(server.ask_as(&bob, "GET /api/me", None).status, 401);
}

#[test]
fn passwords_cannot_be_tried_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    let server = Server::group(folder.path());
    let status = |name: &str, password: &str| server.login(name, password).err().map_or(200, |reply| reply.status);
    let nobody = server.login("nobody", "a password").err().unwrap();
    let wrong = server.login("ann", "a password").err().unwrap();
    assert_eq!((nobody.status, nobody.body), (wrong.status, wrong.body), "one can't learn which users there are");
    assert_eq!(status("ann' --", "x"), 401);
    let tries: Vec<u16> = (0..12).map(|n| status("ann", &format!("password {n}"))).collect();
    assert!(tries.contains(&429), "{tries:?}");
    assert_eq!(status("ann", PASSWORD), 429, "also the right one has to wait");
}

#[test]
fn limits_hold_for_each_user_and_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let more = "[limits]\njobs = 1\ncores = 1\nmemory = 268435456\nseconds = 600\nqueued = 3\n[total]\ncores = 2\n\
                [[machines]]\nname = 'twice'\ncommand = ['env', 'X=1']\ncores = 7\n";
    prepare(folder.path(), more);
    let server = Server::group(folder.path());
    let (ann, bob) = (login(&server, "ann"), login(&server, "bob"));
    let mut long = model(LONG);
    long["options"] = json!({ "threads": 8, "mem": "64G" });
    let statuses: Vec<u16> = (0..6).map(|_| server.ask_as(&ann, "POST /api/jobs", Some(&long)).status).collect();
    assert_eq!(statuses[..3], [201, 201, 201]);
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.ask_as(&bob, "POST /api/jobs", Some(&long)).status, 201);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let load = server.ask_as(&ann, "GET /api/load", None).json();
    assert_eq!((&load["jobs"]["running"], &load["cores"]["used"]), (&json!(2), &json!(2)), "{load}");
    assert!(load["memory"]["used"].as_u64().unwrap() <= 2 * 268_435_456, "{load}");
    assert_eq!(server.ask_as(&bob, "GET /api/load", None).json()["users"].as_array().unwrap().len(), 1);
    let jobs = server.ask_as(&ann, "GET /api/jobs", None).json();
    for job in jobs.as_array().unwrap() {
        server.ask_as(&ann, &format!("POST /api/jobs/{}/stop", job["id"].as_str().unwrap()), None);
    }
    let mut elsewhere = model(SHORT);
    elsewhere["machine"] = "twice".into();
    let job = server.ask_as(&ann, "POST /api/jobs", Some(&elsewhere)).json();
    assert_eq!(server.ended(&ann, job["id"].as_str().unwrap())["verdict"], "holds");
    let mut here = model(SHORT);
    here["options"] = json!({ "search": "dfs" });
    let other = server.ask_as(&ann, "POST /api/jobs", Some(&here)).json();
    assert_eq!(server.ended(&ann, other["id"].as_str().unwrap())["verdict"], "holds");
    let history = server.ask_as(&ann, "GET /api/history", None).json();
    assert_eq!(history.as_array().unwrap().len(), 2, "{history}");
    let (one, two) = (job["id"].as_str().unwrap(), other["id"].as_str().unwrap());
    let compared = server.ask_as(&ann, &format!("GET /api/compare?jobs={one},{two}"), None).json();
    assert_eq!(compared["options"][0], json!({ "name": "search", "values": [null, "dfs"] }));
}

#[test]
fn a_new_password_keeps_the_rights_of_an_administrator() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    add_user(folder.path(), "ann", false);
    let server = Server::group(folder.path());
    assert_eq!(server.ask_as(&login(&server, "ann"), "GET /api/users", None).status, 200);
}

#[test]
fn a_restart_removes_only_what_the_server_has_made() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "");
    let jobs = folder.path().join("data/jobs");
    for name in ["new-0123", "plan-abcd", "999999", "mine", "-1x"] {
        fs::create_dir(jobs.join(name)).expect("a folder");
    }
    fs::write(jobs.join("notes.txt"), "mine").expect("a file");
    fs::write(jobs.join("plan-notes"), "mine").expect("a file");
    let server = Server::group(folder.path());
    assert!(server.is_alive());
    let entries = fs::read_dir(&jobs).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["-1x", "mine", "notes.txt", "plan-notes"]);
}

#[test]
fn a_server_for_others_needs_a_proxy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("kripke.toml"), "address = '0.0.0.0:0'\ndata = 'data'\nhosts = ['x']\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.args(["serve", "--config", "kripke.toml"]).current_dir(folder.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("behind_proxy"), "{output:?}");
}
