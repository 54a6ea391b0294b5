//! `kripke dap` through its protocol. The state at every step of a counterexample, forwards and backwards, is compared with the
//! trace of `kripke replay --format json`, which has its own code.

mod breakpoints;
mod client;
mod errors;
mod models;
mod stepping;

use serde_json::{Value, json};

use crate::program::Desk;
use client::{Client, Values};

/// A model in a fresh directory, with the trail of a violated property.
struct Case {
    desk: Desk,
    name: String,
    trace: Value,
    args: Vec<String>,
}

impl Case {
    fn new(name: &str, text: &str, args: &[&str]) -> Case {
        let desk = Desk::new();
        desk.write(name, text);
        let mut check = desk.command("check --trail t.json -q");
        let said = check.args(args).arg(name).output().unwrap();
        assert!(desk.has("t.json"), "{name} {args:?}: {}", String::from_utf8_lossy(&said.stderr));
        let replay = desk.run(&format!("replay {name} t.json --format json"));
        let trace = replay.json();
        Case { desk, name: name.to_string(), trace, args: args.iter().map(ToString::to_string).collect() }
    }

    fn path(&self) -> String {
        self.desk.path(&self.name).display().to_string()
    }

    fn replay(&self) -> Value {
        json!({ "mode": "replay", "program": self.path(), "trail": self.desk.path("t.json").display().to_string() })
    }

    fn check(&self) -> Value {
        json!({ "mode": "check", "program": self.path(), "args": self.args })
    }

    fn steps(&self) -> usize {
        self.trace["states"].as_array().unwrap().len() - 1
    }

    /// The step before the cycle.
    fn cycle(&self) -> Option<usize> {
        let meta = &self.trace["#meta"]["almost-loop"];
        self.trace["loop"].as_u64().or(meta.as_u64()).map(|n| n as usize)
    }

    /// Compares the state that the client sees with a state of the trace.
    #[track_caller]
    fn compare(&self, client: &mut Client, step: usize) {
        let state = &self.trace["states"][step];
        let context = format!("{} {:?}, step {step}", self.name, self.args);
        let processes = state["processes"]["#map"].as_array().unwrap();
        let threads = client.threads();
        assert_eq!(threads.len(), processes.len().max(1), "{context}");
        for (thread, process) in threads.iter().zip(processes) {
            assert_eq!(thread.0.to_string(), (number(&process[0]) + 1).to_string(), "{context}");
            let record = process[1].as_object().unwrap();
            let wanted = record.iter().filter(|(name, _)| !["type", "location"].contains(&name.as_str()));
            assert!(thread.1.starts_with(record["type"].as_str().unwrap()), "{context}");
            let locals = client.scopes(thread.0)["Locals"];
            assert_eq!(client.values(locals), flat(wanted), "{context}, {}", thread.1);
        }
        if processes.is_empty() {
            return;
        }
        let scopes = client.scopes(threads[0].0);
        let mut seen = client.values(scopes["Globals"]);
        let globals = seen.clone();
        for channel in client.variables(scopes["Channels"]) {
            let name = channel["name"].as_str().unwrap().to_string();
            if !state[&name].is_null() && !globals.keys().any(|(known, _)| *known == name) {
                let messages = match channel["variablesReference"].as_i64().unwrap() {
                    0 => Values::new(),
                    messages => client.values(messages),
                };
                seen.extend(messages.into_iter().map(|((_, at), value)| ((name.clone(), at), value)));
            }
        }
        let all = state.as_object().unwrap().iter();
        assert_eq!(seen, flat(all.filter(|(name, _)| !["#meta", "processes"].contains(&name.as_str()))), "{context}");
    }

    /// Checks that the client looks at the process and the line of the next step.
    #[track_caller]
    fn compare_next(&self, client: &mut Client, stopped: &Value, step: usize) {
        let meta = &self.trace["states"][step + 1]["#meta"];
        let Some(place) = meta["place"].as_str() else { return };
        let thread = stopped["threadId"].as_i64().unwrap();
        let name = client.threads().into_iter().find(|(id, _)| *id == thread).unwrap().1;
        let mover = meta["process"].as_str().unwrap();
        assert_eq!(mover.split(" → ").next().unwrap(), name, "{} step {step}", self.name);
        let line: i64 = place.split(' ').next().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        let frames = client.frames(thread);
        // A failed assertion of a state is no statement of the process.
        if frames[0]["line"] != line {
            let statement = meta["statement"].as_str().unwrap();
            assert!(statement.starts_with("assert "), "{} step {step}: {meta} {frames:?}", self.name);
        }
        assert_eq!(frames.len(), if place.contains(" in ") { 2 } else { 1 }, "{meta}");
    }
}

fn number(value: &Value) -> i64 {
    value["#bigint"].as_str().unwrap().parse().unwrap()
}

/// Values of a trace with their paths and indices.
fn flat<'a>(values: impl Iterator<Item = (&'a String, &'a Value)>) -> Values {
    fn add(name: &str, indices: &[usize], value: &Value, out: &mut Values) {
        let parts = value.as_array().or_else(|| value["#tup"].as_array());
        if let Some(parts) = parts {
            for (at, part) in parts.iter().enumerate() {
                add(name, &[indices, &[at]].concat(), part, out);
            }
            return;
        }
        let text = match value {
            Value::Bool(value) => u8::from(*value).to_string(),
            Value::String(text) => text.clone(),
            other => number(other).to_string(),
        };
        out.insert((name.to_string(), indices.to_vec()), text);
    }
    let mut out = Values::new();
    values.for_each(|(name, value)| add(name, &[], value, &mut out));
    out
}
