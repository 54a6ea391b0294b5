//! Traces in the Informal Trace Format (Apalache's ADR 15), for trace viewers.
//!
//! Globals keep their names, global channels become sequences of tuples, and `processes` maps process numbers to
//! records of locals, since processes are created and end. For a lasso, `loop` is the index of the state where the
//! cycle starts; the last state equals it. If they differ in variables that no property depends on, the metadata has
//! `almost-loop` instead.

use std::io::{self, Write};

use kripke_model::ir::{Model, Shows, Type, Var};
use kripke_model::layout::{ProcessView, View};
use serde_json::{Map, Value, json};

use crate::names::{Names, channel_item};
use crate::run::{End, Run};
use crate::table::mover;

const PROCESSES: &str = "processes";

/// The trace as text.
pub fn itf(run: &Run, names: &Names, description: &str) -> String {
    let mut text = Vec::new();
    let written = write(&mut text, run, names, description);
    debug_assert!(written.is_ok(), "memory takes everything");
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes the trace state by state. The text may be much larger than the run in memory.
pub fn write(out: &mut dyn Write, run: &Run, names: &Names, description: &str) -> io::Result<()> {
    let first = state(run, names, 0);
    let vars: Vec<&String> = first.as_object().into_iter().flat_map(Map::keys).filter(|k| *k != "#meta").collect();
    let mut about = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": run.model().name,
        "description": description,
    });
    let last = run.moves().len();
    let cycle = if let End::Cycle(start) = run.end() { Some(*start) } else { None };
    let closed = cycle.filter(|start| run.is_same(*start, last));
    if let (Some(start), None) = (cycle, closed) {
        about["almost-loop"] = json!(start);
    }
    write!(out, "{{\n  \"#meta\": {about},\n  \"vars\": {},\n  \"states\": [\n    {first}", json!(vars))?;
    for n in 1..=last {
        write!(out, ",\n    {}", state(run, names, n))?;
    }
    write!(out, "\n  ]")?;
    if let Some(start) = closed {
        write!(out, ",\n  \"loop\": {start}")?;
    }
    out.write_all(b"\n}\n")
}

fn state(run: &Run, names: &Names, n: usize) -> Value {
    let model = run.model();
    let view = run.view(n);
    let mut state = Map::new();
    state.insert("#meta".to_string(), meta(run, names, n));
    for (var, values) in model.globals.iter().zip(&view.globals) {
        if !var.hidden && var.ty.shows != Shows::Channel {
            state.insert(var.name.clone(), variable(names, model, &view, var, values));
        }
    }
    for (i, channel) in view.channels.iter().enumerate() {
        let declaration = &model.channels[channel.declaration.index()];
        let global = channel_item(&view, i).filter(|item| item.owner.is_none() && declaration.capacity > 0);
        if let Some(item) = global {
            let message = |m: &Vec<i32>| {
                let fields = m.iter().zip(&declaration.fields).map(|(v, ty)| value(names, model, &view, *ty, *v));
                json!({ "#tup": fields.collect::<Vec<_>>() })
            };
            state.insert(names.item(model, item), channel.messages.iter().map(message).collect());
        }
    }
    let processes = view.processes.iter().map(|p| json!([integer(i32::from(p.pid)), process(names, model, &view, p)]));
    state.insert(PROCESSES.to_string(), json!({ "#map": processes.collect::<Vec<_>>() }));
    Value::Object(state)
}

fn meta(run: &Run, names: &Names, n: usize) -> Value {
    let mut meta = Map::new();
    meta.insert("index".to_string(), json!(n));
    if let Some(step) = n.checked_sub(1).map(|i| &run.moves()[i]) {
        meta.insert("process".to_string(), json!(mover(run, names, step)));
        if !run.is_pause(step) {
            meta.insert("place".to_string(), json!(run.lines().place_of(run.edge(step.process, step.edge))));
        }
        meta.insert("statement".to_string(), json!(run.statements(step)));
    }
    Value::Object(meta)
}

fn process(names: &Names, model: &Model, view: &View, p: &ProcessView) -> Value {
    let declared = &model.processes[p.process.index()];
    let mut record = Map::new();
    record.insert("type".to_string(), json!(declared.name));
    record.insert("location".to_string(), integer(p.location.0 as i32));
    for (var, values) in declared.locals.iter().zip(&p.locals) {
        if !var.hidden {
            record.insert(var.name.clone(), variable(names, model, view, var, values));
        }
    }
    Value::Object(record)
}

fn variable(names: &Names, model: &Model, view: &View, var: &Var, values: &[i32]) -> Value {
    let mut elements: Vec<Value> = values.iter().map(|v| value(names, model, view, var.ty, *v)).collect();
    // Groups the innermost dimensions first, until only the outermost list is left.
    for dim in var.dims.iter().skip(1).rev() {
        elements = elements.chunks((*dim).max(1) as usize).map(|row| Value::Array(row.to_vec())).collect();
    }
    match elements.pop() {
        Some(only) if var.dims.is_empty() => only,
        last => {
            elements.extend(last);
            Value::Array(elements)
        }
    }
}

fn value(names: &Names, model: &Model, view: &View, ty: Type, v: i32) -> Value {
    match ty.shows {
        Shows::Bool => json!(v != 0),
        Shows::Symbol(_) | Shows::Channel => json!(names.value(model, view, ty, v)),
        Shows::Number | Shows::Pid => integer(v),
    }
}

/// An integer as a string, since many JSON readers round large numbers.
fn integer(v: i32) -> Value {
    json!({ "#bigint": v.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn states_have_all_variables() {
        let (run, _) = sample::counterexample(sample::handshake());
        let mut text = Vec::new();
        write(&mut text, &run, &run.names(), "stuck").unwrap();
        let trace: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(trace["vars"], json!(["d", "processes"]));
        let states = trace["states"].as_array().unwrap();
        assert_eq!(states.len(), run.moves().len() + 1);
        let second = &states[2];
        assert_eq!(second["d"], json!([{ "#tup": ["msg", { "#bigint": "3" }] }]));
        assert_eq!(second["#meta"]["statement"], "d!msg(3)");
        let receiver = &second["processes"]["#map"][2][1];
        assert_eq!(receiver["x"], json!({ "#bigint": "7" }));
    }

    #[test]
    fn arrays_keep_their_dimensions() {
        let (run, _) = sample::counterexample(sample::mutex());
        let mut var = run.model().globals[2].clone();
        var.dims = vec![2, 3];
        let rows = variable(&run.names(), run.model(), &run.view(0), &var, &[1, 2, 3, 4, 5, 6]);
        let n = |v: i32| integer(v);
        assert_eq!(rows, json!([[n(1), n(2), n(3)], [n(4), n(5), n(6)]]));
        var.dims = Vec::new();
        assert_eq!(variable(&run.names(), run.model(), &run.view(0), &var, &[9]), n(9));
    }
}
