//! Graphs as JSON.

use serde_json::{Map, Value, json as value};

use super::shown::Shown;
use crate::diagram::Role;

/// The version of the format.
const VERSION: u32 = 1;

/// The graph as JSON text.
pub fn json(shown: &Shown, name: &str) -> String {
    let states: Vec<Value> = shown
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let mut state = Map::new();
            state.insert("id".into(), id.into());
            if !node.values.is_empty() {
                let values =
                    node.values.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str()))).collect();
                state.insert("values".into(), Value::Object(values));
            }
            if node.states > 1 {
                state.insert("states".into(), node.states.into());
            }
            let kind = match node.role {
                Role::Error => Some("error"),
                Role::Deadlock => Some("invalid end state"),
                _ => None,
            };
            state.extend(kind.map(|kind| ("error".to_string(), kind.into())));
            let flags = [("accepting", node.accepting), ("cut", node.cut), ("trail", node.role == Role::Trail)];
            state.extend(flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| (name.to_string(), true.into())));
            Value::Object(state)
        })
        .collect();
    let steps: Vec<Value> = shown
        .steps
        .iter()
        .map(|step| {
            let mut one = Map::new();
            one.insert("from".into(), step.from.into());
            one.insert("to".into(), step.to.into());
            if !step.process.is_empty() {
                one.insert("process".into(), step.process.as_str().into());
            }
            one.insert("label".into(), step.label.as_str().into());
            Value::Object(one)
        })
        .collect();
    let graph = value!({
        "kripke-graph": VERSION,
        "model": name,
        "initial": 0,
        "states": states,
        "transitions": steps,
    });
    format!("{graph:#}\n")
}
