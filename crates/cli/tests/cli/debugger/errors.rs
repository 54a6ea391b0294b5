//! What goes wrong is an error response with a reason, and an input that is not the protocol ends the program with status 2.

use std::io::Write;

use serde_json::json;

use super::models::PROMELA;
use super::{Case, Client};
use crate::program::Desk;

#[test]
fn launches_that_fail_say_why() {
    let desk = Desk::new();
    desk.write("m.pml", PROMELA);
    desk.write("bad.pml", "active proctype p() {\n\tx = 1\n}\n");
    desk.write("no.trail.json", "{}");
    let path = |name: &str| desk.path(name).display().to_string();
    for (configuration, wanted) in [
        (json!({}), "`program` is missing"),
        (json!({ "program": path("none.pml") }), "none.pml"),
        (json!({ "program": path("bad.pml"), "mode": "simulate" }), "bad.pml:2:2"),
        (json!({ "program": path("bad.pml") }), "bad.pml:2:2"),
        (json!({ "program": path("m.pml"), "mode": "dance" }), "`mode` must be"),
        (json!({ "program": path("m.pml"), "args": ["--no-such-option"] }), "--no-such-option"),
        (json!({ "program": path("m.pml"), "args": ["--ltl", "[] ("] }), "error"),
        (json!({ "program": path("m.pml"), "args": ["other.pml"] }), "another model"),
        (json!({ "program": path("m.pml"), "mode": "replay" }), "can't read the trail"),
        (json!({ "program": path("m.pml"), "mode": "replay", "trail": path("no.trail.json") }), "no.trail.json"),
        (json!({ "program": path("m.pml"), "cwd": "/no/such/directory" }), "can't work in"),
    ] {
        let mut client = Client::new(&desk);
        let why = client.try_ask("launch", configuration.clone()).unwrap_err();
        assert!(why.contains(wanted), "{configuration}: {why}");
        // The client may try again.
        client.ask("launch", json!({ "program": path("m.pml") }));
        assert_eq!(client.leave(), (0, String::new()), "{configuration}");
    }
}

#[test]
fn a_model_without_errors_has_nothing_to_debug() {
    let desk = Desk::new();
    desk.write("m.pml", "byte x; active proctype p() { x = 1 }");
    let mut client = Client::new(&desk);
    client.ask("launch", json!({ "program": desk.path("m.pml").display().to_string() }));
    let events = client.events_until("terminated");
    assert!(events.iter().any(|e| e["body"]["output"].as_str().is_some_and(|t| t.contains("no errors"))), "{events:?}");
    assert!(events.iter().any(|e| e["event"] == "exited" && e["body"]["exitCode"] == 0), "{events:?}");
    client.ask("disconnect", json!({}));
    assert_eq!(client.leave().0, 0);
}

#[test]
fn requests_without_a_model_or_with_wrong_arguments_are_refused() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::new(&case.desk);
    for command in ["threads", "next", "stackTrace", "evaluate", "continue", "restart", "attach", "kripke/moves"] {
        let why = client.try_ask(command, json!({})).unwrap_err();
        assert!(!why.is_empty(), "{command}");
    }
    client.ask("launch", case.replay());
    client.event("initialized");
    client.ask("configurationDone", json!({}));
    client.event("stopped");
    for (command, arguments) in [
        ("launch", case.replay()),
        ("stackTrace", json!({})),
        ("stackTrace", json!({ "threadId": 99 })),
        ("stackTrace", json!({ "threadId": -99_999_999 })),
        ("scopes", json!({ "frameId": 0 })),
        ("scopes", json!({ "frameId": i64::MAX })),
        ("variables", json!({ "variablesReference": 12 })),
        ("variables", json!({ "variablesReference": -1 })),
        ("stepIn", json!({ "threadId": 1, "targetId": 99 })),
        ("stepIn", json!({ "threadId": 1, "targetId": -1 })),
        ("stepOut", json!({ "threadId": i64::MIN })),
        ("goto", json!({ "threadId": 1, "targetId": 9999 })),
        ("gotoTargets", json!({ "line": 1 })),
        ("setBreakpoints", json!({ "breakpoints": [] })),
        ("setBreakpoints", json!({ "source": { "path": "m.pml" }, "breakpoints": [{}] })),
        ("kripke/take", json!({ "move": 0 })),
        ("kripke/jump", json!({ "step": "x" })),
        ("exceptionInfo", json!({ "threadId": 1 })),
        ("source", json!({ "source": { "path": "/etc/passwd" } })),
        ("dance", json!(null)),
    ] {
        let why = client.try_ask(command, arguments.clone()).unwrap_err();
        assert!(!why.is_empty(), "{command} {arguments}");
    }
    let text = client.ask("source", json!({ "source": { "path": case.path() } }));
    assert_eq!(text["content"], PROMELA);
    case.compare(&mut client, 0);
    client.ask("terminate", json!({}));
    client.event("terminated");
    client.ask("disconnect", json!({}));
    assert_eq!(client.leave(), (0, String::new()));
}

#[test]
fn a_restart_reads_the_model_again() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.check());
    client.go("next");
    let set = json!({ "source": { "path": case.path() }, "breakpoints": [{ "line": 17 }] });
    client.ask("setBreakpoints", set);
    case.desk.write("m.pml", PROMELA.replace("critical < 3", "critical < 2").replace("mtype", "\nmtype"));
    client.ask("restart", json!({}));
    let events = client.events_until("stopped");
    assert_eq!(events.last().unwrap()["body"]["reason"], "entry");
    let moved = events.iter().find(|e| e["event"] == "breakpoint").expect("a changed breakpoint");
    assert_eq!(
        (&moved["body"]["breakpoint"]["verified"], &moved["body"]["breakpoint"]["line"]),
        (&json!(true), &json!(17))
    );
    assert_eq!(client.step(), 0);
    assert!(client.ask("kripke/position", json!({}))["steps"].as_u64().unwrap() < case.steps() as u64);
    case.desk.write("m.pml", "nonsense");
    assert!(client.try_ask("restart", json!({})).unwrap_err().contains("m.pml:"));
    assert_eq!(client.threads().len(), 2);
}

#[test]
fn a_restart_works_in_the_same_directory() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("sub")).unwrap();
    desk.write("sub/m.pml", PROMELA);
    let mut client = Client::launched(&desk, json!({ "mode": "simulate", "program": "sub/m.pml", "cwd": "sub" }));
    client.ask("restart", json!({}));
    assert_eq!(client.event("stopped")["reason"], "entry");
}

#[test]
fn lines_and_columns_are_counted_as_the_client_counts() {
    let case = Case::new("m.pml", PROMELA, &[]);
    for (first, wanted) in [(true, (14, 5, 14, 21)), (false, (13, 4, 13, 20))] {
        let mut client = Client::new(&case.desk);
        client.ask("initialize", json!({ "linesStartAt1": first, "columnsStartAt1": first }));
        client.ask("launch", case.replay());
        client.ask("configurationDone", json!({}));
        let frame = client.frames(1)[0].clone();
        let place = ["line", "column", "endLine", "endColumn"].map(|name| frame[name].as_i64().unwrap());
        assert_eq!((place[0], place[1], place[2], place[3]), wanted, "{frame}");
    }
}

#[test]
fn a_long_check_can_be_stopped() {
    let desk = Desk::new();
    let text = "byte a, b, c, d; active [4] proctype p() { do :: a++ :: b++ :: c++ :: d++ od }";
    desk.write("m.pml", text);
    let mut client = Client::new(&desk);
    let program = desk.path("m.pml").display().to_string();
    let launch = client.request("launch", json!({ "program": program }));
    client.request("disconnect", json!({}));
    assert_eq!(client.response(launch)["success"], true);
    assert_eq!(client.leave().0, 0);
}

#[test]
fn other_input_ends_the_program_with_status_2() {
    let desk = Desk::new();
    for input in [
        "hello\n",
        "Content-Length: 5\r\n\r\nabc",
        "Content-Length: 2\r\n\r\n{}",
        "Content-Length: 99999999999\r\n\r\n",
    ] {
        let said = desk.talk("dap", input).expect(2);
        assert!(said.err.contains("debug adapter protocol"), "{input:?}: {}", said.err);
    }
    desk.talk("dap", "").expect(0);
    // A client that reads nothing and leaves.
    let mut child = desk
        .command("dap")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let text = json!({ "seq": 1, "type": "request", "command": "initialize" }).to_string();
    let message = format!("Content-Length: {}\r\n\r\n{text}", text.len()).repeat(50);
    let _ = child.stdin.take().unwrap().write_all(message.as_bytes());
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 3)));
}

#[test]
fn a_model_in_the_working_directory_has_a_short_name() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut configuration = case.check();
    configuration["cwd"] = json!(case.desk.dir.path().display().to_string());
    let mut client = Client::new(&case.desk);
    client.ask("launch", configuration);
    let said = client.events_until("initialized");
    let error = said.iter().filter_map(|e| e["body"]["output"].as_str()).find(|text| text.contains('✗')).unwrap();
    assert!(error.trim_end().ends_with("   m.pml:17"), "{error}");
    client.ask("configurationDone", json!({}));
    let source = client.frames(1)[0]["source"]["path"].clone();
    assert_eq!(source, case.desk.path("m.pml").canonicalize().unwrap().display().to_string());
}

/// Arguments of other types and out of range get an answer, and the program goes on.
#[test]
fn odd_arguments_are_answered() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(1.5),
        json!(""),
        json!("\u{0}é{["),
        json!([]),
        json!([[]]),
        json!({}),
        json!({ "path": 1 }),
        json!([{ "line": i64::MIN }]),
    ];
    let commands = [
        "setBreakpoints",
        "setExceptionBreakpoints",
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "stepInTargets",
        "gotoTargets",
        "goto",
        "exceptionInfo",
        "source",
        "loadedSources",
        "breakpointLocations",
        "next",
        "stepBack",
        "stepIn",
        "stepOut",
        "continue",
        "reverseContinue",
        "pause",
        "cancel",
        "restart",
        "setVariable",
        "configurationDone",
        "initialize",
        "kripke/moves",
        "kripke/take",
        "kripke/jump",
        "kripke/until",
        "kripke/steps",
        "kripke/position",
        "kripke/rejoin",
    ];
    let names = [
        "threadId",
        "frameId",
        "targetId",
        "variablesReference",
        "source",
        "line",
        "endLine",
        "breakpoints",
        "expression",
        "start",
        "count",
        "filters",
        "move",
        "step",
        "condition",
        "startFrame",
        "levels",
        "context",
        "arguments",
    ];
    for (n, command) in commands.iter().enumerate() {
        for (m, value) in values.iter().enumerate() {
            let mut given = json!({ "source": { "path": case.path() }, "threadId": 1, "context": "repl" });
            for (k, name) in names.iter().enumerate().filter(|(k, _)| (k + n + m) % 3 == 0) {
                given[name] = values[(m + k) % values.len()].clone();
            }
            let _ = client.try_ask(command, given);
            let _ = client.try_ask(command, value.clone());
        }
    }
    client.ask("initialize", json!({}));
    client.ask("kripke/jump", json!({ "step": 0 }));
    case.compare(&mut client, 0);
    assert_eq!(client.leave(), (0, String::new()));
}
