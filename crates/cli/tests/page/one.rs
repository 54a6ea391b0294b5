//! The requests of one person, from the file to the counterexample.

use serde_json::{Value, json};

use crate::client::Server;
use crate::{BAD, LONG, folder};

#[test]
fn files_are_listed_read_and_written() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let names: Vec<Value> =
        server.get("/api/files")["files"].as_array().unwrap().iter().map(|f| f["path"].clone()).collect();
    assert_eq!(names, ["bad.pml", "long.pml", "short.pml"]);
    let file = server.get("/api/file?path=bad.pml");
    assert_eq!(file["text"], BAD);
    let change = json!({ "path": "bad.pml", "text": "byte y;\n", "version": file["version"] });
    assert_eq!(server.ask("PUT /api/file", Some(&change)).status, 200);
    assert_eq!(server.ask("PUT /api/file", Some(&change)).status, 409, "the version is an old one");
    assert_eq!(std::fs::read_to_string(folder.path().join("bad.pml")).unwrap(), "byte y;\n");
    let new = json!({ "path": "new.pml", "text": "byte z;\n", "version": null });
    assert_eq!(server.ask("PUT /api/file", Some(&new)).status, 200);
    assert_eq!(server.ask("PUT /api/file", Some(&new)).status, 409);
    assert_eq!(server.ask("DELETE /api/file?path=new.pml", None).status, 200);
    assert!(server.get("/api/examples").as_array().unwrap().len() > 20);
    let example = server.get("/api/examples/mutex-peterson.pml");
    assert_eq!(example["language"], "promela");
}

#[test]
fn the_language_service_answers() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let wrong = json!({ "file": "x.pml", "texts": { "x.pml": "byte turn;\nactive proctype P() { turm = 1 }\n" } });
    let all = server.post("/api/lang/all", &wrong);
    let diagnostic = &all["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "error");
    assert_eq!(diagnostic["range"]["start"], json!({ "line": 1, "character": 22 }));
    assert_eq!(diagnostic["fixes"][0]["edits"][0]["text"], "turn");
    assert!(all["tokens"]["data"].as_array().unwrap().len() > 20);
    let mut at = wrong.clone();
    at["texts"]["x.pml"] = "byte turn;\nactive proctype P() { turn = 1 }\n".into();
    at["position"] = json!({ "line": 1, "character": 24 });
    assert_eq!(server.post("/api/lang/definition", &at)[0]["range"]["start"]["line"], 0);
    assert!(server.post("/api/lang/hover", &at)["text"].as_str().unwrap().contains("byte turn"));
    let words = server.post("/api/lang/completion", &at);
    assert!(words.as_array().unwrap().iter().any(|word| word["label"] == "turn"));
    assert_eq!(server.post("/api/lang/symbols", &at)[1]["name"], "P");
}

#[test]
fn a_check_ends_with_a_counterexample() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let plan = server.post("/api/plan", &json!({ "file": "bad.pml", "options": { "search": "dfs" } }));
    assert_eq!(plan["command"], "kripke check bad.pml --search=dfs");
    assert_eq!(plan["properties"][1]["name"], "p");
    let job = server.post("/api/jobs", &json!({ "file": "bad.pml" }));
    let id = job["id"].as_str().unwrap();
    let ended = server.ended(&server.identity, id);
    assert_eq!((&ended["state"], &ended["verdict"]), (&json!("finished"), &json!("violated")), "{ended}");
    assert_eq!(server.get(&format!("/api/jobs/{id}/result"))["verdict"], "violated");
    let stream = server.ask(&format!("GET /api/jobs/{id}/events"), None);
    assert!(stream.body.contains("event: end\n"), "{}", stream.body);
    let trace = server.post("/api/sessions", &json!({ "kind": "trace", "job": id, "property": "p" }));
    let session = trace["id"].as_str().unwrap();
    let whole = server.get(&format!("/api/sessions/{session}/trace"));
    assert_eq!(whole["steps"], 4, "{whole}");
    let names: Vec<&Value> = whole["columns"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    let steps = server.get(&format!("/api/sessions/{session}/steps"));
    let x = names.iter().position(|name| **name == "x").unwrap();
    let values: Vec<&Value> = steps.as_array().unwrap().iter().map(|step| &step["values"][x]).collect();
    assert_eq!(values, ["0", "0", "0", "1", "2"], "{steps}");
    let chart = server.get(&format!("/api/sessions/{session}/chart?from=0&to=4"));
    assert_eq!(chart["lanes"].as_array().unwrap().len(), 2);
    for (format, wanted) in [("trail", "\"choices\""), ("itf", "#meta"), ("svg", "<svg"), ("markdown", "| step |")] {
        let file = server.ask(&format!("GET /api/sessions/{session}/export?format={format}"), None);
        assert!(file.status == 200 && file.body.contains(wanted), "{format}: {}", file.body);
    }
    let watch = json!({ "expressions": ["x > 1"] });
    let columns = server.post(&format!("/api/sessions/{session}/watch"), &watch);
    assert_eq!(columns["columns"].as_array().unwrap().last().unwrap()["kind"], "watch");
    let on = server.post("/api/sessions", &json!({ "kind": "simulation", "session": session, "at": 2 }));
    assert_eq!(on["state"]["step"], 2);
}

#[test]
fn a_long_check_is_stopped() {
    let folder = folder();
    std::fs::write(folder.path().join("long.pml"), LONG).unwrap();
    let server = Server::ui(folder.path());
    let job = server.post("/api/jobs", &json!({ "file": "long.pml", "options": { "threads": 1, "mem": "1G" } }));
    let id = job["id"].as_str().unwrap().to_string();
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(server.get(&format!("/api/jobs/{id}"))["state"], "running");
    server.post(&format!("/api/jobs/{id}/stop"), &json!({}));
    let ended = server.ended(&server.identity, &id);
    assert_eq!(ended["state"], "stopped", "{ended}");
    let stream = server.ask(&format!("GET /api/jobs/{id}/events"), None);
    assert!(stream.body.contains("event: end"), "{}", stream.body);
}

#[test]
fn a_simulation_has_a_tree_of_histories() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let opened = server.post("/api/sessions", &json!({ "kind": "simulation", "file": "bad.pml" }));
    let id = opened["id"].as_str().unwrap().to_string();
    let at = |what: &str, body: Value| server.post(&format!("/api/sessions/{id}/{what}"), &body);
    let one = at("take", json!({ "index": 0 }));
    assert_eq!((&one["node"], &one["state"]["step"]), (&json!(1), &json!(1)));
    let two = at("take", json!({ "index": 0 }));
    assert_eq!(two["tree"][0]["parent"], 1);
    let back = at("go", json!({ "node": 1 }));
    assert_eq!((&back["node"], back["tree"].as_array().unwrap().len()), (&json!(1), 0));
    let other = at("take", json!({ "index": 1 }));
    assert_eq!(other["tree"][0]["parent"], 1);
    assert_eq!(at("go", json!({ "node": two["node"] }))["state"]["step"], 2);
    let walked = at("random", json!({ "steps": 50 }));
    assert_eq!(walked["state"]["step"], 52, "{}", walked["walked"]);
    at("go", json!({ "node": 0 }));
    let until = at("until", json!({ "condition": "x == 3", "steps": 5000 }));
    assert!(until["walked"].as_str().unwrap().starts_with("the condition holds after"), "{}", until["walked"]);
    assert_eq!(server.ask(&format!("DELETE /api/sessions/{id}"), None).status, 200);
    assert_eq!(server.ask(&format!("GET /api/sessions/{id}"), None).status, 404);
}

#[test]
fn a_graph_grows_and_a_search_is_taught() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let opened = server.post("/api/sessions", &json!({ "kind": "graph", "file": "short.pml" }));
    let id = opened["id"].as_str().unwrap().to_string();
    let more = server.post(&format!("/api/sessions/{id}/expand"), &json!({ "nodes": [0] }));
    assert_eq!(more["nodes"][0]["open"], false);
    let all = server.post(&format!("/api/sessions/{id}/grow"), &json!({ "states": 500 }));
    // The same graph as a raw check counts.
    let job = server.post("/api/jobs", &json!({ "file": "short.pml", "options": { "raw": true } }));
    let ended = server.ended(&server.identity, job["id"].as_str().unwrap());
    assert_eq!(all["total"]["nodes"], ended["summary"]["states"], "{ended}");
    let projected = server.post(&format!("/api/sessions/{id}/project"), &json!({ "names": "x" }));
    assert_eq!(projected["nodes"].as_array().unwrap().len(), 4);
    let simulated = server.post(&format!("/api/sessions/{id}/simulate"), &json!({ "node": 3 }));
    assert!(simulated["state"]["step"].as_u64().unwrap() > 0);
    for order in ["bfs", "dfs", "nested"] {
        let taught = server.post("/api/teach", &json!({ "file": "short.pml", "order": order }));
        let states = taught["states"].as_array().unwrap().len();
        let new = taught["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "new").count();
        assert_eq!(states, new, "{order}: each state is found once");
    }
}

#[test]
fn formulas_become_automata() {
    let folder = folder();
    let server = Server::ui(folder.path());
    let read = server.post("/api/formula", &json!({ "logic": "ltl", "formula": "[] (p -> <> q)" }));
    assert_eq!(read["propositions"], json!(["p", "q"]));
    assert!(read["automaton"]["svg"].as_str().unwrap().contains("<svg"));
    let wrong = server.ask("POST /api/formula", Some(&json!({ "logic": "ltl", "formula": "[] (p ->" })));
    assert_eq!(wrong.status, 422);
    assert!(wrong.json()["span"]["start"].is_u64());
    let drawn = server.post("/api/automaton", &json!({ "file": "bad.pml", "name": "A" }));
    assert!(drawn["arrows"][0]["line"].is_u64() && drawn["nodes"][0]["location"].is_u64());
    assert_eq!(server.post("/api/properties", &json!({ "file": "bad.pml" }))[1]["name"], "p");
    assert_eq!(server.get("/api/patterns").as_array().unwrap().len(), 40);
}
