//! Breakpoints, and expressions.

use serde_json::{Value, json};

use super::models::{CYCLE, DVE, ESML, PROMELA};
use super::{Case, Client};

/// Sets breakpoints, and gives their answers.
fn set(client: &mut Client, path: &str, breakpoints: &Value) -> Vec<Value> {
    let given = json!({ "source": { "path": path }, "breakpoints": breakpoints });
    client.ask("setBreakpoints", given)["breakpoints"].as_array().unwrap().clone()
}

/// The steps of the trace before which a place is executed next.
fn before(case: &Case, line: u32) -> Vec<usize> {
    let ends = format!(":{line}");
    let at = |step: &usize| {
        let place = case.trace["states"][step + 1]["#meta"]["place"].as_str().unwrap_or("");
        place.split(' ').next().unwrap().ends_with(&ends)
    };
    (0..case.steps()).filter(at).collect()
}

/// All steps at which the run stops, forwards.
fn stops(client: &mut Client, command: &str, reason: &str) -> Vec<usize> {
    let mut out = Vec::new();
    while client.go(command)["reason"] == reason {
        out.push(client.step());
    }
    out
}

#[test]
fn a_run_stops_before_the_statements_of_a_line() {
    for (name, text, lines) in
        [("m.pml", PROMELA, [14, 7, 16]), ("m.dve", DVE, [11, 12, 21]), ("m.esml", ESML, [15, 23, 24])]
    {
        let case = Case::new(name, text, &[]);
        for line in lines {
            let mut client = Client::launched(&case.desk, case.replay());
            let set = set(&mut client, &case.path(), &json!([{ "line": line }]));
            assert_eq!((&set[0]["verified"], &set[0]["line"]), (&json!(true), &json!(line)), "{name}:{line}");
            // The trace names the line of the sender for both statements of a rendezvous.
            let mut wanted = before(&case, if (name, line) == ("m.esml", 23) { 14 } else { line });
            // The run does not stop again where it is.
            wanted.retain(|step| *step > 0);
            assert!(!wanted.is_empty(), "{name}:{line}");
            assert_eq!(stops(&mut client, "continue", "breakpoint"), wanted, "{name}:{line}");
            let mut back = stops(&mut client, "reverseContinue", "breakpoint");
            back.reverse();
            back.retain(|step| *step > 0);
            assert_eq!(back, wanted, "{name}:{line}, backwards");
        }
    }
}

#[test]
fn breakpoints_move_to_statements() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    let all = set(&mut client, &case.path(), &json!([{ "line": 1 }, { "line": 13 }, { "line": 17 }, { "line": 99 }]));
    let lines: Vec<Value> = all.iter().map(|b| b["line"].clone()).collect();
    assert_eq!(lines, [json!(7), json!(14), json!(17), json!(null)]);
    assert_eq!(all[3]["verified"], false);
    assert!(all[3]["message"].as_str().unwrap().contains("no statement"), "{all:?}");
    let other = set(&mut client, "/no/such/file.pml", &json!([{ "line": 1 }]));
    assert!(other[0]["message"].as_str().unwrap().contains("no such file"), "{other:?}");
    let given = json!({ "source": { "path": case.path() }, "line": 6, "endLine": 9 });
    let places = client.ask("breakpointLocations", given)["breakpoints"].clone();
    assert_eq!(places, json!([{ "line": 7 }, { "line": 8 }]));
}

#[test]
fn conditions_and_numbers_of_hits() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let all = before(&case, 14).into_iter().filter(|step| *step > 0).collect::<Vec<_>>();
    // The state of the trace decides which hits the condition lets through.
    let critical = |step: &usize| super::number(&case.trace["states"][*step]["critical"]);
    let late: Vec<usize> = all.iter().copied().filter(|step| critical(step) == 0).collect();
    for (breakpoint, wanted) in [
        (json!({ "line": 14, "condition": "critical == 0" }), late.clone()),
        (json!({ "line": 14, "hitCondition": "3" }), vec![before(&case, 14)[2]]),
        (json!({ "line": 14, "hitCondition": "% 2" }), before(&case, 14).into_iter().skip(1).step_by(2).collect()),
        (json!({ "line": 14, "condition": "critical == 0", "hitCondition": ">= 2" }), late),
    ] {
        let mut client = Client::launched(&case.desk, case.replay());
        let answer = set(&mut client, &case.path(), &json!([breakpoint]));
        assert_eq!(answer[0]["verified"], true, "{answer:?}");
        assert_eq!(stops(&mut client, "continue", "breakpoint"), wanted, "{breakpoint}");
        let mut back = stops(&mut client, "reverseContinue", "breakpoint");
        back.reverse();
        back.retain(|step| *step > 0);
        assert_eq!(back, wanted, "{breakpoint}, backwards");
    }
}

/// Two processes execute the body of an inline; one of them has no variable `mine`.
const INLINE: &str = "byte g;
inline touch() { g++ }
active proctype A() { byte mine = 1; g == 1; touch(); assert(g < 2) }
active proctype B() { touch() }
";

#[test]
fn a_condition_without_meaning_leaves_the_run_where_it_is() {
    let case = Case::new("m.pml", INLINE, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    let given = json!([{ "line": 2, "condition": "mine == 1", "hitCondition": "2" }]);
    assert_eq!(set(&mut client, &case.path(), &given)[0]["verified"], true);
    assert_eq!(client.go("continue")["reason"], "breakpoint");
    let step = client.step();
    assert!(step > 0, "the run is not at the step at which it was counted");
    case.compare(&mut client, step);
}

#[test]
fn local_names_are_those_of_the_process_at_the_breakpoint() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let local = |step: &usize| {
        let meta = &case.trace["states"][step + 1]["#meta"];
        let index = usize::from(meta["process"] == "user(1)");
        super::number(&case.trace["states"][*step]["processes"]["#map"][index][1]["mine"])
    };
    let wanted: Vec<usize> = before(&case, 14).into_iter().filter(|step| *step > 0 && local(step) == 2).collect();
    assert!(!wanted.is_empty());
    let mut client = Client::launched(&case.desk, case.replay());
    set(&mut client, &case.path(), &json!([{ "line": 14, "condition": "mine == 2" }]));
    assert_eq!(stops(&mut client, "continue", "breakpoint"), wanted);
}

#[test]
fn wrong_breakpoints_say_why() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    let all = set(
        &mut client,
        &case.path(),
        &json!([
            { "line": 14, "condition": "nowhere == 1" },
            { "line": 14, "condition": "critical ==" },
            { "line": 14, "hitCondition": "often" },
        ]),
    );
    assert!(all[0]["message"].as_str().unwrap().contains("nowhere"), "{all:?}");
    assert!(all[1]["message"].as_str().unwrap().contains("expected"), "{all:?}");
    assert_eq!(client.go("continue")["reason"], "exception");
}

#[test]
fn log_points_print_and_go_on() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    set(&mut client, &case.path(), &json!([{ "line": 16, "logMessage": "critical is {critical}, mine {mine + 1}" }]));
    client.ask("continue", json!({ "threadId": 1 }));
    let events = client.events_until("stopped");
    let said: Vec<&str> =
        events.iter().filter_map(|e| e["body"]["output"].as_str()).filter(|t| t.starts_with("critical")).collect();
    assert_eq!(said.len(), before(&case, 16).len());
    assert_eq!(said[0], "critical is 1, mine 1\n");
}

#[test]
fn errors_stop_a_run_unless_their_filter_is_off() {
    let case = Case::new("m.pml", CYCLE, &["--ltl", "<> (n == 9)"]);
    let mut client = Client::launched(&case.desk, case.replay());
    assert_eq!(client.go("continue")["reason"], "exception");
    assert_eq!(client.step(), case.steps());
    // Without the filter the run goes round until the client wants it to stop.
    client.ask("setExceptionBreakpoints", json!({ "filters": ["assertion"] }));
    client.ask("continue", json!({ "threadId": 1 }));
    let paused = client.ask("pause", json!({ "threadId": 1 }));
    assert!(paused.is_null());
    assert_eq!(client.event("stopped")["reason"], "pause");
    assert!(client.ask("kripke/position", json!({}))["pass"].as_u64().unwrap() >= 1);
    assert!(client.try_ask("setExceptionBreakpoints", json!({ "filters": ["x"] })).is_err());
    // A number of hits counts the passes of the cycle.
    client.ask("kripke/jump", json!({ "step": 0 }));
    client.event("stopped");
    set(&mut client, &case.path(), &json!([{ "line": 2, "hitCondition": "30" }]));
    assert_eq!(client.go("continue")["reason"], "breakpoint");
    assert!(client.ask("kripke/position", json!({}))["pass"].as_u64().unwrap() > 3);
}

#[test]
fn a_simulation_stops_before_the_line() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let configuration = json!({ "mode": "simulate", "program": case.path(), "seed": 3 });
    let mut client = Client::launched(&case.desk, configuration);
    set(&mut client, &case.path(), &json!([{ "line": 16 }]));
    let stopped = client.go("continue");
    assert_eq!(stopped["reason"], "breakpoint");
    let frames = client.frames(stopped["threadId"].as_i64().unwrap());
    assert_eq!(frames[0]["line"], 16);
    client.ask("next", json!({ "threadId": 1 }));
    let events = client.events_until("stopped");
    assert!(events.iter().any(|e| e["body"]["category"] == "stdout"), "{events:?}");
}

#[test]
fn expressions_and_values() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    client.ask("kripke/jump", json!({ "step": case.steps() }));
    client.event("stopped");
    let frame = client.frames(1)[0]["id"].clone();
    let last = &case.trace["states"][case.steps()];
    let critical = super::number(&last["critical"]);
    let mine = super::number(&last["processes"]["#map"][0][1]["mine"]);
    for (text, wanted) in [
        ("critical", critical.to_string()),
        ("critical + 1", (critical + 1).to_string()),
        ("critical == 3 && mine >= 0", "1".to_string()),
        ("mine * 10 + 1", (mine * 10 + 1).to_string()),
        ("seen[mine % 2] == seen[mine % 2]", "1".to_string()),
        ("tree[1].kids[1]", super::number(&last["tree.kids"][1][1]).to_string()),
        ("len(to)", last["to"].as_array().unwrap().len().to_string()),
    ] {
        for context in ["watch", "hover", "repl"] {
            let given = json!({ "expression": text, "frameId": frame, "context": context });
            assert_eq!(client.ask("evaluate", given)["result"], wanted, "{text}");
        }
    }
    let tree = client.ask("evaluate", json!({ "expression": "tree", "frameId": frame }));
    assert!(tree["result"].as_str().unwrap().starts_with("[{kids: ["), "{tree}");
    assert_eq!(client.variables(tree["variablesReference"].as_i64().unwrap()).len(), 2);
    let page = json!({ "variablesReference": tree["variablesReference"], "start": 1, "count": 1 });
    assert_eq!(client.ask("variables", page)["variables"][0]["name"], "[1]");
    for (text, wanted) in [("nowhere", "nowhere"), ("seen[7]", "no part"), ("1 +", "expected"), ("", "empty")] {
        let why = client.try_ask("evaluate", json!({ "expression": text, "frameId": frame })).unwrap_err();
        assert!(why.contains(wanted), "{text}: {why}");
    }
    let why = client.try_ask("setVariable", json!({ "name": "critical", "value": "1" })).unwrap_err();
    assert!(why.contains("can't be changed"), "{why}");
}

#[test]
fn the_console_knows_commands() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    let mut say = |text: &str| client.try_ask("evaluate", json!({ "expression": text, "context": "repl" }));
    assert!(say(":help").unwrap()["result"].as_str().unwrap().contains(":until"));
    assert!(say(":moves").unwrap()["result"].as_str().unwrap().contains("*  "));
    assert!(say(":jump 9999").unwrap_err().contains("only"));
    assert!(say(":jump x").unwrap_err().contains("needs a number"));
    assert!(say(":dance").unwrap_err().contains("no command"));
    assert!(say(":until nowhere").unwrap_err().contains("nowhere"));
    say(":until critical == 2").unwrap();
    assert!(client.event("stopped")["text"].as_str().unwrap().contains("critical == 2 holds"));
    let step = client.step();
    let critical = |step: usize| super::number(&case.trace["states"][step]["critical"]);
    assert_eq!((critical(step), critical(step - 1)), (2, 1));
}

#[test]
fn a_client_goes_to_a_line_along_the_trail() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    let given = json!({ "source": { "path": case.path() }, "line": 16 });
    let targets = client.ask("gotoTargets", given)["targets"].clone();
    let steps: Vec<usize> = targets.as_array().unwrap().iter().map(|t| t["id"].as_u64().unwrap() as usize).collect();
    assert_eq!(steps, before(&case, 16));
    client.ask("goto", json!({ "threadId": 1, "targetId": targets[1]["id"] }));
    assert_eq!(client.event("stopped")["reason"], "goto");
    case.compare(&mut client, steps[1]);
}
