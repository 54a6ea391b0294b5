//! The values of a state as trees: arrays, records, channels with their messages.

use kripke_model::ir::{ProcessId, Shows, Type};
use kripke_model::layout::View;
use kripke_report::escape::visible;
use kripke_report::names::{Names, What, channel_item, element, variables};
use kripke_report::run::Run;

/// The length of the summary of a structured value, in characters.
const SUMMARY: usize = 80;

/// A named value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The name within its parent.
    pub name: String,
    /// The value in words; a summary if it has parts.
    pub value: String,
    /// The type in words.
    pub kind: String,
    /// The expression that has this value; empty if there is none.
    pub path: String,
    /// The parts of an array, a record, a channel or a message.
    pub parts: Vec<Value>,
}

/// The state of a run after some steps.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    pub run: &'a Run,
    pub names: &'a Names,
    pub view: &'a View,
}

impl State<'_> {
    /// The variables of a process, or the global ones. Global channels are among the channels.
    pub fn variables(self, owner: Option<(u8, ProcessId)>) -> Vec<Value> {
        let model = self.run.model();
        let values = match owner {
            None => Some(&self.view.globals),
            Some((pid, _)) => self.view.processes.iter().find(|p| p.pid == pid).map(|p| &p.locals),
        };
        let mut out = Vec::new();
        let declared = variables(model, owner).iter().zip(values.into_iter().flatten());
        for (var, values) in declared {
            if var.hidden || (var.ty.shows == Shows::Channel && owner.is_none()) {
                continue;
            }
            for (at, value) in values.iter().enumerate() {
                let path = element(model, var, at as u32);
                insert(&mut out, &segments(&path), "", self.leaf(var.ty, *value));
            }
        }
        out.iter_mut().for_each(summarise);
        out
    }

    /// The variables of a process by its number.
    pub fn locals(self, pid: u8) -> Vec<Value> {
        let process = self.view.processes.iter().find(|p| p.pid == pid);
        process.map_or(Vec::new(), |p| self.variables(Some((pid, p.process))))
    }

    /// The channels with their messages.
    pub fn channels(self) -> Vec<Value> {
        (0..self.view.channels.len()).filter_map(|index| self.channel(index)).collect()
    }

    fn channel(self, index: usize) -> Option<Value> {
        let item = channel_item(self.view, index)?;
        let What::Channel { declaration, .. } = item.what else { return None };
        let declared = &self.run.model().channels[declaration.index()];
        let name = visible(&self.names.item(self.run.model(), item)).into_owned();
        let messages = self.view.channels[index].messages.iter().enumerate();
        let parts: Vec<Value> = messages.map(|(n, message)| self.message(n, message, &declared.fields)).collect();
        let texts: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        let kind = match declared.capacity {
            0 => "rendezvous channel".to_string(),
            capacity => format!("channel, {} of {capacity}", parts.len()),
        };
        Some(Value { value: format!("[{}]", texts.join(" ")), path: String::new(), name, kind, parts })
    }

    fn message(self, number: usize, message: &[i32], fields: &[Type]) -> Value {
        let field =
            |(n, (value, ty)): (usize, (&i32, &Type))| Value { name: format!("[{n}]"), ..self.leaf(*ty, *value) };
        let parts: Vec<Value> = message.iter().zip(fields).enumerate().map(field).collect();
        let value = parts.iter().map(|part| part.value.clone()).collect::<Vec<_>>().join(",");
        Value { name: format!("[{number}]"), value, kind: "message".to_string(), path: String::new(), parts }
    }

    fn leaf(self, ty: Type, value: i32) -> Value {
        let text = self.names.value(self.run.model(), self.view, ty, value);
        let kind = match ty.shows {
            Shows::Bool => "bool".to_string(),
            Shows::Pid => "process number".to_string(),
            Shows::Symbol(_) => "symbol".to_string(),
            Shows::Channel => "channel".to_string(),
            Shows::Number => format!("{} bits{}", ty.bits, if ty.signed { ", signed" } else { "" }),
        };
        Value { name: String::new(), value: visible(&text).into_owned(), kind, path: String::new(), parts: Vec::new() }
    }
}

/// The parts of a path: `node[1].left` has `node`, `[1]`, `left`.
fn segments(path: &str) -> Vec<String> {
    let mut out = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        out.extend(pieces.next().map(str::to_string));
        out.extend(pieces.map(|index| format!("[{index}")));
    }
    out
}

/// Inserts a value into the tree at a path.
fn insert(tree: &mut Vec<Value>, path: &[String], above: &str, leaf: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    let dot = if above.is_empty() || first.starts_with('[') { "" } else { "." };
    let own = format!("{above}{dot}{first}");
    let name = visible(first).into_owned();
    let new = || Value { name: name.clone(), path: own.clone(), ..leaf.clone() };
    // Elements of arrays come in the order of their indices.
    let index = first.strip_prefix('[').and_then(|rest| rest.trim_end_matches(']').parse().ok());
    let there = |at: &usize| tree.get(*at).is_some_and(|value| value.name == name);
    let at = match index.filter(there).or_else(|| tree.iter().rposition(|value| value.name == name && index.is_none()))
    {
        Some(at) => at,
        None => {
            tree.push(new());
            tree.len() - 1
        }
    };
    insert(&mut tree[at].parts, rest, &own, leaf);
}

/// Gives values with parts a summary and a type.
fn summarise(value: &mut Value) {
    if value.parts.is_empty() {
        return;
    }
    value.parts.iter_mut().for_each(summarise);
    let is_array = value.parts[0].name.starts_with('[');
    let part = |part: &Value| match is_array {
        true => part.value.clone(),
        false => format!("{}: {}", part.name, part.value),
    };
    let text = value.parts.iter().map(part).collect::<Vec<_>>();
    let text = if is_array { format!("[{}]", text.join(" ")) } else { format!("{{{}}}", text.join(", ")) };
    let long = text.chars().count() > SUMMARY;
    value.value = if long { text.chars().take(SUMMARY).chain(['…']).collect() } else { text };
    value.kind = if is_array { format!("array of {}", value.parts.len()) } else { "record".to_string() };
}

/// The value at a path in trees of values: `a[2].b`.
pub fn find<'a>(values: &'a [Value], path: &str) -> Option<&'a Value> {
    let mut found: Option<&Value> = None;
    for segment in segments(&path.split_whitespace().collect::<String>()) {
        let parts = found.map_or(values, |value| &value.parts);
        found = Some(parts.iter().find(|value| value.name == segment)?);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(value: &str) -> Value {
        Value { name: String::new(), value: value.to_string(), kind: String::new(), path: String::new(), parts: vec![] }
    }

    #[test]
    fn flattened_records_become_trees() {
        let mut tree = Vec::new();
        for (path, value) in
            [("n[0].left", "1"), ("n[1].left", "2"), ("n[0].kids[0]", "3"), ("n[1].kids[0]", "4"), ("x", "5")]
        {
            insert(&mut tree, &segments(path), "", leaf(value));
        }
        tree.iter_mut().for_each(summarise);
        let names: Vec<&str> = tree.iter().map(|value| value.name.as_str()).collect();
        assert_eq!(names, ["n", "x"]);
        assert_eq!(tree[0].value, "[{left: 1, kids: [3]} {left: 2, kids: [4]}]");
        let kid = find(&tree, "n[1] . kids[0]").unwrap();
        assert_eq!((kid.value.as_str(), kid.path.as_str()), ("4", "n[1].kids[0]"));
        assert!(find(&tree, "n[2]").is_none() && find(&tree, "y").is_none());
    }

    #[test]
    fn summaries_are_short() {
        let mut tree = Vec::new();
        for n in 0..200 {
            insert(&mut tree, &segments(&format!("a[{n}]")), "", leaf("12345"));
        }
        summarise(&mut tree[0]);
        assert_eq!((tree[0].value.chars().count(), tree[0].kind.as_str()), (SUMMARY + 1, "array of 200"));
    }
}
