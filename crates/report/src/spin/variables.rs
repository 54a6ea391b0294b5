//! Variables and channels as SPIN's simulator lists them.

use std::collections::HashMap;
use std::fmt::Write;

use kripke_model::ir::{Edge, Effect, Model, Pattern, Shows, Sync, Type, Var, VarRef};
use kripke_model::layout::{ProcessView, View};

use crate::names::{Names, element};

/// When each variable changed last, and the numbers of the channels.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    globals: HashMap<usize, usize>,
    locals: HashMap<(u8, usize), usize>,
    /// SPIN's number of each channel of a state.
    queues: HashMap<usize, usize>,
    last: usize,
}

impl Variables {
    /// Notes a new process: its own channels get numbers.
    pub fn create(&mut self, pid: u8, view: &View) {
        self.locals.retain(|(owner, _), _| *owner != pid);
        for (i, _) in view.channels.iter().enumerate().filter(|(_, channel)| channel.owner == Some(pid)) {
            self.last += 1;
            self.queues.insert(i + 1, self.last);
        }
    }

    /// Numbers a channel at its first use, together with the other elements of its array.
    pub fn number(&mut self, channel: usize, model: &Model, view: &View) {
        if self.queues.contains_key(&channel) {
            return;
        }
        let vars = model.globals.iter().zip(&view.globals).filter(|(var, _)| var.ty.shows == Shows::Channel);
        let array = vars.map(|(_, values)| values).find(|values| values.contains(&(channel as i32)));
        let all = array.map_or_else(|| vec![channel], |values| values.iter().map(|v| *v as usize).collect());
        for channel in all {
            if channel > 0 && channel <= view.channels.len() && !self.queues.contains_key(&channel) {
                self.last += 1;
                self.queues.insert(channel, self.last);
            }
        }
    }

    /// SPIN's number of a channel.
    pub fn queue(&self, channel: usize) -> usize {
        self.queues.get(&channel).copied().unwrap_or(0)
    }

    /// Notes the variables that a statement of a step with this number sets: global ones only if they change.
    pub fn note(&mut self, edge: &Edge, pid: u8, (before, after): (&View, &View), depth: usize) {
        for var in assigned(edge) {
            match var {
                VarRef::Global(var) if before.globals[var.index()] != after.globals[var.index()] => {
                    self.globals.insert(var.index(), depth);
                }
                VarRef::Local(var) => {
                    self.locals.insert((pid, var.index()), depth);
                }
                VarRef::Global(_) => {}
            }
        }
    }

    /// The global variables that changed at a step or later, and all channels that were used; `None` for all variables.
    pub fn globals(&self, model: &Model, view: &View, since: Option<usize>) -> String {
        let mut out = String::new();
        let mut i = 0;
        while i < model.globals.len() {
            let group = group(&model.globals[i..]);
            let record = model.globals[i].name.contains('.');
            let changed = self.globals.get(&i).copied().unwrap_or(0);
            let shown = since.is_none_or(|since| since <= changed && !(record && since > 0));
            for (var, at) in elements(model, &model.globals[i..i + group]) {
                let (var, value) = (&model.globals[i + var], view.globals[i + var][at as usize]);
                self.line(&mut out, (model, view), ("", var, at), value, shown);
            }
            i += group;
        }
        out
    }

    /// The local variables of a process likewise, the last one first.
    pub fn locals(
        &self,
        model: &Model,
        view: &View,
        process: &ProcessView,
        owner: &str,
        since: Option<usize>,
    ) -> String {
        let vars = &model.processes[process.process.index()].locals;
        let mut groups = Vec::new();
        let mut i = 0;
        while i < vars.len() {
            groups.push((i, group(&vars[i..])));
            i += group(&vars[i..]);
        }
        let mut out = String::new();
        for (i, group) in groups.into_iter().rev() {
            let changed = self.locals.get(&(process.pid, i)).copied().unwrap_or(0);
            let shown = since.is_none_or(|since| since <= changed) || vars[i].name.contains('.');
            for (var, at) in elements(model, &vars[i..i + group]) {
                let value = process.locals[i + var][at as usize];
                self.line(&mut out, (model, view), (owner, &vars[i + var], at), value, shown);
            }
        }
        out
    }

    /// The line of one element. Channels are shown always.
    fn line(
        &self,
        out: &mut String,
        (model, view): (&Model, &View),
        (owner, var, at): (&str, &Var, u32),
        value: i32,
        shown: bool,
    ) {
        let name = element(model, var, at);
        let separator = if owner.is_empty() { "" } else { ":" };
        if var.ty.shows == Shows::Channel {
            let Some(number) = self.queues.get(&(value as usize)) else { return };
            let channel = &view.channels[value as usize - 1];
            let declared = &model.channels[channel.declaration.index()];
            if declared.capacity > 0 {
                let _ = write!(out, "\t\tqueue {number} ({owner}{separator}{name}): ");
                for message in &channel.messages {
                    let _ = write!(out, "[{}]", values(model, view, message, &declared.fields));
                }
                out.push('\n');
            }
        } else if shown && var.name != "_" {
            let value = shown_value(model, view, var.ty, value);
            let _ = writeln!(out, "\t\t{owner}{separator}{name} = {value}");
        }
    }
}

/// The variables that a statement sets.
fn assigned(edge: &Edge) -> Vec<VarRef> {
    let received = match &edge.sync {
        Some(Sync::Receive { args, .. }) => &args[..],
        _ => &[],
    };
    let received =
        received.iter().filter_map(|arg| if let Pattern::Store(place) = arg { Some(place.var) } else { None });
    let effects = edge.effects.iter().filter_map(|effect| match effect {
        Effect::Assign(place, _) | Effect::Run { result: Some(place), .. } => Some(place.var),
        _ => None,
    });
    received.chain(effects).collect()
}

/// The values of a message.
pub fn values(model: &Model, view: &View, message: &[i32], fields: &[Type]) -> String {
    let values = message.iter().zip(fields).map(|(v, ty)| shown_value(model, view, *ty, *v));
    values.collect::<Vec<_>>().join(",")
}

/// SPIN shows symbolic constants by name and all other values as numbers.
fn shown_value(model: &Model, view: &View, ty: Type, value: i32) -> String {
    match ty.shows {
        Shows::Symbol(_) if value != 0 => Names::default().value(model, view, ty, value),
        _ => value.to_string(),
    }
}

/// The number of variables in front that are the fields of one record, or 1.
fn group(vars: &[Var]) -> usize {
    let root = |var: &Var| var.name.split_once('.').map(|(root, _)| root.to_string());
    let first = root(&vars[0]);
    if first.is_none() {
        return 1;
    }
    vars.iter().take_while(|var| root(var) == first).count()
}

/// The elements of variables, each as its variable and its index. An array of records is listed record by record.
fn elements(model: &Model, vars: &[Var]) -> Vec<(usize, u32)> {
    let mut out: Vec<(usize, u32)> = Vec::new();
    for (i, var) in vars.iter().enumerate() {
        let count: u32 = var.dims.iter().map(|dim| (*dim).max(1)).product();
        out.extend((0..count).map(|at| (i, at)));
    }
    if vars.len() > 1 {
        let record = |(var, at): &(usize, u32)| -> u32 {
            let name = element(model, &vars[*var], *at);
            let root = name.split('.').next().unwrap_or_default();
            root.split_once('[').and_then(|(_, rest)| rest.trim_end_matches(']').parse().ok()).unwrap_or(0)
        };
        out.sort_by_key(record);
    }
    out
}
