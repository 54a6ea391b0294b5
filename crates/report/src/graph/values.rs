//! The values of a state: locations of processes, variables, channels.

use kripke_model::ir::{ProcessId, Shows, VarId};
use kripke_model::layout::{ProcessView, View};

use super::{ModelGraph, Patterns};
use crate::names::{Item, What, channel_item, element, variables};

/// A name and its value in a state.
pub type Value = (String, String);

impl ModelGraph {
    /// The values of a state that the patterns select; all of them without patterns.
    pub fn values(&self, state: usize, patterns: Option<&Patterns>) -> Vec<Value> {
        let view = self.layout.view(&self.graph.states[state]);
        let mut out = Vec::new();
        if let Some(at) = view.observer {
            let name = self.model.observer.as_ref().map_or("", |o| o.automaton.name.as_str());
            if patterns.is_none_or(|patterns| patterns.matches(name)) {
                out.push((name.to_string(), format!("@{}", at.0)));
            }
        }
        for process in &view.processes {
            let names = self.owner_names(process);
            if patterns.is_none_or(|patterns| names.iter().any(|name| patterns.matches(name))) {
                out.push((
                    names[0].clone(),
                    format!("@{}", self.places[process.process.index()][process.location.index()]),
                ));
            }
        }
        self.owned(&view, None, &[String::new()], patterns, &mut out);
        for (i, channel) in view.channels.iter().enumerate() {
            let Some(item) = channel_item(&view, i) else { continue };
            let name = self.names.item(&self.model, item);
            let buffered = self.model.channels[channel.declaration.index()].capacity > 0;
            if buffered && patterns.is_none_or(|patterns| patterns.matches(&name)) {
                out.push((name, self.names.read(&self.model, &view, item).unwrap_or_default()));
            }
        }
        for process in &view.processes {
            let prefixes: Vec<String> = self.owner_names(process).iter().map(|name| format!("{name}.")).collect();
            self.owned(&view, Some((process.pid, process.process)), &prefixes, patterns, &mut out);
        }
        out
    }

    /// The name of a process, and that of its type.
    fn owner_names(&self, process: &ProcessView) -> [String; 2] {
        let name = self.names.process(&self.model, process.process, process.pid);
        [name, self.model.processes[process.process.index()].name.clone()]
    }

    /// The variables of an owner. An array whose elements are all selected is one value.
    fn owned(
        &self,
        view: &View,
        owner: Option<(u8, ProcessId)>,
        prefixes: &[String],
        patterns: Option<&Patterns>,
        out: &mut Vec<Value>,
    ) {
        for (i, var) in variables(&self.model, owner).iter().enumerate() {
            if var.hidden || var.ty.shows == Shows::Channel && owner.is_none() {
                continue;
            }
            let selects = |name: &str| {
                patterns.is_none_or(|p| prefixes.iter().any(|prefix| p.matches(&format!("{prefix}{name}"))))
            };
            let read = |at: u32| {
                let item = Item { owner, what: What::Element { var: VarId(i as u32), at } };
                self.names.read(&self.model, view, item).unwrap_or_default()
            };
            let prefix = &prefixes[0];
            let all: Vec<u32> = (0..var.len() as u32).collect();
            let chosen: Vec<u32> = all.iter().copied().filter(|at| selects(&element(&self.model, var, *at))).collect();
            if selects(&var.name) || chosen.len() == all.len() {
                let values: Vec<String> = all.iter().map(|at| read(*at)).collect();
                let text = if var.dims.is_empty() { values.concat() } else { format!("[{}]", values.join(" ")) };
                out.push((format!("{prefix}{}", var.name), text));
            } else {
                out.extend(chosen.iter().map(|at| (format!("{prefix}{}", element(&self.model, var, *at)), read(*at))));
            }
        }
    }

    /// The patterns that select nothing in any state.
    pub fn unused(&self, patterns: &Patterns) -> Vec<String> {
        let unused = |pattern: &&String| {
            let one = Patterns::new(pattern);
            (0..self.graph.states.len()).all(|state| self.values(state, Some(&one)).is_empty())
        };
        patterns.all().iter().filter(unused).cloned().collect()
    }
}

/// The values as lines of a node: locations on lines of their own, before the variables.
pub(crate) fn lines(values: &[Value]) -> Vec<String> {
    let is_place = |value: &&Value| value.1.starts_with('@');
    let places: Vec<String> = values.iter().filter(is_place).map(|(name, at)| format!("{name}{at}")).collect();
    let others: Vec<String> =
        values.iter().filter(|value| !is_place(value)).map(|(name, value)| format!("{name}={value}")).collect();
    let mut out = Vec::new();
    for part in [places, others] {
        if !part.is_empty() {
            out.extend(crate::diagram::wrapped(&part.join(" ")));
        }
    }
    out
}
