//! A server that is killed under load loses nothing: finished jobs keep their results, all others are marked.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Server;
use crate::group::{login, prepare};
use crate::{LONG, SHORT};

const KILLS: usize = 20;
const LIMITS: &str =
    "[limits]\njobs = 3\ncores = 3\nmemory = 805306368\nseconds = 600\nqueued = 500\n[total]\ncores = 3\n";

fn wanted(number: usize) -> Value {
    // Most jobs are short, so that some end at any moment; one in five lasts until it is interrupted.
    let text = if number % 5 == 4 { LONG } else { SHORT };
    json!({ "file": "m.pml", "texts": { "m.pml": text }, "options": { "threads": 1, "mem": "128M" } })
}

#[test]
fn killed_servers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), LIMITS);
    // The jobs that the server has accepted, and the last that it has said of each one that has ended.
    let mut accepted: Vec<String> = Vec::new();
    let mut finished: BTreeMap<String, Value> = BTreeMap::new();
    let mut number = 0;
    for kill in 0..KILLS {
        let mut server = Server::group(folder.path());
        let ann = login(&server, "ann");
        check(&server, &ann, &accepted, &finished);
        for _ in 0..6 {
            let reply = server.ask_as(&ann, "POST /api/jobs", Some(&wanted(number)));
            number += 1;
            assert_eq!(reply.status, 201, "{}", reply.body);
            accepted.push(reply.json()["id"].as_str().unwrap().to_string());
        }
        std::thread::sleep(Duration::from_millis(37 * (kill as u64 % 11)));
        let list = server.ask_as(&ann, "GET /api/jobs", None).json();
        for job in list.as_array().unwrap().iter().filter(|job| job["state"] == "finished") {
            let id = job["id"].as_str().unwrap().to_string();
            let result = server.ask_as(&ann, &format!("GET /api/jobs/{id}/result"), None).json();
            finished.entry(id).or_insert(result);
        }
        server.child.kill().expect("it is killed");
        server.child.wait().expect("it ends");
    }
    assert!(finished.len() >= 5, "{} jobs were finished: the test says little", finished.len());
    let server = Server::group(folder.path());
    let ann = login(&server, "ann");
    let interrupted = check(&server, &ann, &accepted, &finished);
    assert!(!interrupted.is_empty(), "no job was interrupted: the test says little");
    // An interrupted job can be started again.
    let reply = server.ask_as(&ann, &format!("POST /api/jobs/{}/restart", interrupted[0]), None);
    assert_eq!(reply.status, 201, "{}", reply.body);
    println!("{} jobs, {} seen as finished, {} interrupted", accepted.len(), finished.len(), interrupted.len());
}

/// Each accepted job is there, finished ones with the result that was seen. Returns the interrupted ones.
fn check(server: &Server, user: &[String], accepted: &[String], finished: &BTreeMap<String, Value>) -> Vec<String> {
    let mut interrupted = Vec::new();
    for id in accepted {
        let reply = server.ask_as(user, &format!("GET /api/jobs/{id}"), None);
        assert_eq!(reply.status, 200, "job {id} is lost");
        let job = reply.json();
        let state = job["state"].as_str().unwrap_or_default();
        if let Some(result) = finished.get(id) {
            assert_eq!(state, "finished", "job {id}");
            let kept = server.ask_as(user, &format!("GET /api/jobs/{id}/result"), None).json();
            assert_eq!(kept, *result, "job {id}");
        }
        match state {
            "finished" => {
                let kept = server.ask_as(user, &format!("GET /api/jobs/{id}/result"), None);
                assert_eq!(kept.status, 200, "job {id} has no result");
            }
            "interrupted" => {
                assert!(job["message"].is_string(), "{job}");
                interrupted.push(id.clone());
            }
            "queued" | "running" => {}
            other => panic!("job {id} is {other}: {job}"),
        }
        // The rate of requests is limited.
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupted
}
