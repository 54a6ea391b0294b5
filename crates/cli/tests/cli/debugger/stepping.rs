//! Counterexamples of each kind in each language, step by step, forwards and backwards.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::models::{CYCLE, DVE, ESML, PROMELA};
use super::{Case, Client};
use crate::program::Desk;

/// A model, the options of the check, and a part of the text of the error; none if the trail is a witness.
type Row = (&'static str, &'static str, &'static [&'static str], Option<&'static str>);

const DEADLOCK_PROMELA: &str = "byte a, b;
proctype left() { atomic { a == 0 -> a = 1 }; b == 0 }
proctype right() { atomic { b == 0 -> b = 1 }; a == 0 }
init { atomic { run left(); run right() } }
";
const FAULT_PROMELA: &str = "byte a[2]; byte i;
active proctype p() { do :: i++; d_step { a[i] = 1; a[0] = i } od }
";
const DEADLOCK_DVE: &str = "byte x = 0;
process P { state a, b; init a; trans a -> b { effect x = 1; }; }
process Q { state a, b; init a; trans a -> b { guard x == 1; effect x = 2; }; }
system async;
";
const FAULT_DVE: &str = "byte t[2]; byte i = 0;
process P { state a; init a; trans a -> a { effect t[i] = 1, i = i + 1; }; }
system async;
";
const DEADLOCK_ESML: &str = "MODEL D;
TYPE m = {go};
VAR c: m;
PROCESS P(OUT c: m); VAR n: BOOLEAN; BEGIN n := TRUE; c!go; c!go END P;
PROCESS Q(IN c: m); BEGIN c?go END Q;
BEGIN P(c); Q(c) END D
";
const CYCLE_DVE: &str = "byte n = 0;
process P { state a, b, c; init a; trans a -> b { effect n = 1; }, b -> c { effect n = 2; }, c -> b { effect n = 3; }; }
process Q { state a; init a; trans a -> a { guard n == 9; }; }
system async;
";
const CYCLE_ESML: &str = "MODEL C;
TYPE int = 0..5;
PROCESS P; VAR n: int; BEGIN DO TRUE -> n := 1; n := 2; n := 3 END END P;
BEGIN P END C
";

const ROWS: [Row; 22] = [
    ("m.pml", PROMELA, &[], Some("assertion violated")),
    ("m.pml", DEADLOCK_PROMELA, &[], Some("invalid end state")),
    ("m.pml", FAULT_PROMELA, &[], Some("index out of range")),
    ("m.pml", PROMELA, &["--ltl", "[] (critical < 2)"], Some("critical < 2")),
    ("m.pml", CYCLE, &["--ltl", "<> (n == 9)"], Some("acceptance cycle")),
    ("m.pml", CYCLE, &["-l"], Some("non-progress")),
    ("m.pml", PROMELA, &["--ctl", "AG (critical < 2)"], Some("critical < 2")),
    ("m.pml", PROMELA, &["--ctl", "EF (critical == 2)"], None),
    ("m.pml", PROMELA, &["--reach", "tree[1].kids[1] == 2"], Some("reached")),
    ("m.dve", DVE, &[], Some("assertion")),
    ("m.dve", DEADLOCK_DVE, &["--reach", "x == 2"], Some("reached")),
    ("m.dve", DEADLOCK_DVE, &[], Some("invalid end state")),
    ("m.dve", FAULT_DVE, &[], Some("index out of range")),
    ("m.dve", CYCLE_DVE, &["--ltl", "F n == 9"], Some("acceptance cycle")),
    ("m.dve", CYCLE_DVE, &["--ctl", "AG (n < 3)"], Some("n < 3")),
    ("m.dve", CYCLE_DVE, &["--ctl", "EF (n == 3)"], None),
    ("m.esml", ESML, &[], Some("invalid end state")),
    ("m.esml", DEADLOCK_ESML, &["--reach", "P.n"], Some("reached")),
    ("m.esml", DEADLOCK_ESML, &[], Some("invalid end state")),
    (
        "m.esml",
        "MODEL F;\nTYPE int = 0..2;\nPROCESS P; VAR n: int; BEGIN DO TRUE -> n := n + 1 END END P;\nBEGIN P END F\n",
        &[],
        Some(""),
    ),
    ("m.esml", CYCLE_ESML, &["--ltl", "F P.n = 5"], Some("acceptance cycle")),
    ("m.esml", CYCLE_ESML, &["--ctl", "AG (P.n < 3)"], Some("P.n < 3")),
];

#[test]
fn each_kind_of_counterexample_forwards_and_backwards() {
    for (name, text, args, error) in ROWS {
        let case = Case::new(name, text, args);
        for configuration in [case.replay(), case.check()] {
            let mut client = Client::new(&case.desk);
            client.ask("launch", configuration);
            let said: String = texts(&client.events_until("initialized"));
            match error {
                Some(error) => assert!(said.contains(error), "{name} {args:?}: {said}"),
                None => assert!(!said.contains('✗'), "{said}"),
            }
            client.ask("configurationDone", json!({}));
            let entry = client.event("stopped");
            assert_eq!(entry["reason"], "entry");
            walk(&case, &mut client, &entry);
            assert_eq!(client.leave().0, 0);
        }
    }
}

/// The texts of output events.
fn texts(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["body"]["output"].as_str()).collect()
}

fn walk(case: &Case, client: &mut Client, entry: &Value) {
    let last = case.steps();
    let mut stopped = entry.clone();
    for step in 0..=last {
        case.compare(client, step);
        if step < last {
            case.compare_next(client, &stopped, step);
            stopped = client.go("next");
            assert_eq!(client.step(), step + 1);
        }
    }
    round(case, client);
    for step in (0..last).rev() {
        stopped = client.go("stepBack");
        assert_eq!((client.step(), stopped["reason"].as_str()), (step, Some("step")));
        case.compare(client, step);
        case.compare_next(client, &stopped, step);
    }
    assert_eq!(client.go("stepBack")["reason"], "entry");
    assert_eq!(client.step(), 0);
}

/// Goes on from the last state: twice round a cycle and back to the last state, or nowhere.
fn round(case: &Case, client: &mut Client) {
    let last = case.steps();
    match case.cycle().filter(|before| *before < last) {
        None => {
            assert_eq!(client.go("next")["reason"], "end");
            assert_eq!(client.step(), last);
        }
        Some(before) => {
            for n in 0..2 * (last - before) {
                client.ask("next", json!({ "threadId": 1 }));
                let events = client.events_until("stopped");
                let again = texts(&events).contains("end of the cycle: the run goes on with");
                assert_eq!(again, n % (last - before) == 0, "{n}");
                let step = before + 1 + n % (last - before);
                assert_eq!(client.step(), step);
                case.compare(client, step);
            }
            let pass = client.ask("kripke/position", json!({}));
            assert_eq!((&pass["pass"], pass["cycle"]["first"].as_u64()), (&json!(3), Some(before as u64 + 1)));
            for n in (0..2 * (last - before)).rev() {
                client.go("stepBack");
                let step = if n % (last - before) == 0 { last } else { before + n % (last - before) };
                assert_eq!(client.step(), step);
                case.compare(client, step);
            }
            assert_eq!(client.ask("kripke/position", json!({}))["pass"], 1);
        }
    }
}

#[test]
fn output_is_printed_where_it_is_passed() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    client.ask("continue", json!({ "threadId": 1 }));
    let events = client.events_until("stopped");
    let printed: Vec<&Value> = events.iter().filter(|e| e["body"]["category"] == "stdout").collect();
    assert!(!printed.is_empty());
    for event in printed {
        assert_eq!(event["body"]["line"], 16, "{event}");
        assert!(event["body"]["output"].as_str().unwrap().starts_with("in "), "{event}");
        assert_eq!(
            event["body"]["source"]["path"],
            case.desk.path("m.pml").canonicalize().unwrap().display().to_string()
        );
    }
    let stopped = events.last().unwrap()["body"].clone();
    assert_eq!(stopped["reason"], "exception");
    assert!(stopped["text"].as_str().unwrap().contains("assertion violated"), "{stopped}");
    let failed = client.frames(stopped["threadId"].as_i64().unwrap());
    assert_eq!(failed[0]["line"], 17, "{failed:?}");
    let info = client.ask("exceptionInfo", json!({ "threadId": 1 }));
    assert_eq!(info["exceptionId"], "assertion");
    assert_eq!(client.step(), case.steps());
    client.go("reverseContinue");
    assert_eq!(client.step(), 0);
}

#[test]
fn the_same_seed_gives_the_run_of_simulate() {
    for (name, text) in [("m.pml", PROMELA), ("m.dve", DVE), ("m.esml", ESML)] {
        let desk = Desk::new();
        desk.write(name, text);
        let listing = desk.run(&format!("simulate {name} --seed 4 --steps 30 -p")).out;
        let program = desk.path(name).display().to_string();
        let mut client = Client::launched(&desk, json!({ "mode": "simulate", "program": program, "seed": 4 }));
        let mut steps = 0;
        while steps < 30 && client.go("next")["reason"] == "step" {
            steps += 1;
        }
        let run = client.ask("kripke/steps", json!({}))["steps"].clone();
        for step in run.as_array().unwrap() {
            let statement = step["statement"].as_str().unwrap();
            let shown = format!("{} ", step["step"]);
            let line = listing.lines().find(|line| line.trim_start().starts_with(&shown)).unwrap_or(&listing);
            let start: String = statement.chars().take(8).collect();
            assert!(line.contains(&start), "{name}: {statement} / {line}");
        }
        assert!(steps > 3, "{listing}");
        client.ask("kripke/jump", json!({ "step": 0 }));
        client.event("stopped");
        assert_eq!(client.step(), 0);
    }
}

#[test]
fn the_next_move_can_be_chosen() {
    let desk = Desk::new();
    desk.write("m.pml", PROMELA);
    let program = desk.path("m.pml").display().to_string();
    let mut client = Client::launched(&desk, json!({ "mode": "simulate", "program": program, "seed": 1 }));
    let frame = client.frames(1)[0]["id"].clone();
    let targets = client.ask("stepInTargets", json!({ "frameId": frame }))["targets"].clone();
    let labels: Vec<&str> = targets.as_array().unwrap().iter().map(|t| t["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["user(1): to!request(_pid)", "user(0): to!request(_pid)"], "{targets}");
    client.ask("stepIn", json!({ "threadId": 1, "targetId": targets[1]["id"] }));
    client.event("stopped");
    let steps = client.ask("kripke/steps", json!({}))["steps"].clone();
    assert_eq!(steps[0]["process"], "user(0)");
    let moves = client.ask("kripke/moves", json!({}))["moves"].clone();
    let other = moves.as_array().unwrap().iter().find(|m| m["process"] == "user(1)").unwrap();
    client.ask("kripke/take", json!({ "move": other["move"] }));
    client.event("stopped");
    assert_eq!(client.ask("kripke/steps", json!({}))["steps"][1]["process"], "user(1)");
    // A step of a thread is a step of its process.
    for (thread, process) in [(1, "user(0)"), (2, "user(1)"), (2, "user(1)"), (1, "user(0)")] {
        client.ask("stepIn", json!({ "threadId": thread }));
        client.event("stopped");
        let steps = client.ask("kripke/steps", json!({}))["steps"].clone();
        assert_eq!(steps.as_array().unwrap().last().unwrap()["process"], process);
    }
}

#[test]
fn a_trail_is_left_and_joined_again() {
    let case = Case::new("m.pml", PROMELA, &[]);
    let mut client = Client::launched(&case.desk, case.replay());
    client.go("next");
    let moves = client.ask("kripke/moves", json!({}))["moves"].clone();
    let other = moves.as_array().unwrap().iter().find(|m| m["next"] == false).expect("a choice");
    client.ask("kripke/take", json!({ "move": other["move"] }));
    let said = texts(&client.events_until("stopped"));
    assert!(said.contains("the trail is left after step 1"), "{said}");
    assert_eq!(client.ask("kripke/position", json!({}))["onTrail"], false);
    client.go("next");
    client.ask("kripke/rejoin", json!({}));
    client.event("stopped");
    case.compare(&mut client, 1);
    assert_eq!(client.try_ask("kripke/rejoin", json!({})).unwrap_err(), "the run is the trail, or there is none");
    let saved = client.ask("evaluate", json!({ "expression": ":save left.trail.json", "context": "repl" }));
    assert!(saved["result"].as_str().unwrap().contains("saved 1 step"), "{saved}");
    assert!(case.desk.has("left.trail.json"));
}

#[test]
fn a_trail_of_spin_is_replayed() {
    let desk = Desk::new();
    desk.write("m.pml", DEADLOCK_PROMELA);
    desk.run("check m.pml -q --spin-trail=s.trail").expect(1);
    let trace = desk.run("replay m.pml s.trail --format json").json();
    let steps = trace["states"].as_array().unwrap().len() - 1;
    let trail = desk.path("s.trail").display().to_string();
    let configuration =
        json!({ "mode": "replay", "program": desk.path("m.pml").display().to_string(), "trail": trail });
    let case = Case { name: "m.pml".to_string(), trace, args: Vec::new(), desk };
    let mut client = Client::launched(&case.desk, configuration);
    for step in 0..=steps {
        case.compare(&mut client, step);
        client.go("next");
    }
    assert_eq!(client.step(), steps);
}

/// The models of the repository that have a counterexample; `KRIPKE_DEBUGGED` is the number of models of which one is taken.
#[test]
fn counterexamples_of_the_repository() {
    let every: usize = std::env::var("KRIPKE_DEBUGGED").map_or(12, |n| n.parse().unwrap());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut walked = 0;
    for folder in ["examples", "tests/esml", "tests/promela"] {
        let mut models: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        models.sort();
        for path in models.iter().filter(|path| path.is_file()).step_by(every) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let desk = Desk::new();
            fs::copy(path, desk.path(name)).unwrap();
            desk.run(&format!("check {name} --trail t.json -q --max-states 20k"));
            if name.ends_with(".tsv") || !desk.has("t.json") {
                continue;
            }
            let trace = desk.run(&format!("replay {name} t.json --format json")).json();
            let case = Case { desk, name: name.to_string(), trace, args: Vec::new() };
            let mut client = Client::launched(&case.desk, case.replay());
            walk_states(&case, &mut client);
            walked += 1;
        }
    }
    assert!(walked > 0);
}

fn walk_states(case: &Case, client: &mut Client) {
    let last = case.steps();
    for step in 0..=last {
        case.compare(client, step);
        if step < last {
            client.go("next");
        }
    }
    for step in (0..last).rev() {
        client.go("stepBack");
        case.compare(client, step);
    }
}
