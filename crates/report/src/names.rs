//! Names of processes, variables, channels and values.

use std::collections::{BTreeMap, BTreeSet};

use kripke_model::ir::{ChannelId, Model, ProcessId, Shows, Type, Var, VarId};
use kripke_model::layout::{ChannelView, View};

/// The names of one run.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The process numbers seen for each type.
    instances: BTreeMap<u32, BTreeSet<u8>>,
}

/// An item with a value: an element of a variable, or the contents of a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Item {
    /// The process that owns the item; `None` for globals.
    pub owner: Option<(u8, ProcessId)>,
    /// The variable element or the channel.
    pub what: What,
}

/// The part of the owner's variables that an item is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// An element of a variable.
    Element {
        /// The variable.
        var: VarId,
        /// The flat index of the element.
        at: u32,
    },
    /// The `nth` channel of this declaration that the owner created.
    Channel {
        /// The declaration of the channel.
        declaration: ChannelId,
        /// The index among the channels of the declaration.
        nth: u32,
    },
}

impl Names {
    /// Records the processes of a state.
    pub fn observe(&mut self, view: &View) {
        for p in &view.processes {
            self.instances.entry(p.process.0).or_default().insert(p.pid);
        }
    }

    /// The name of a process: `p`, or `p(1)` if there are several of that type.
    pub fn process(&self, model: &Model, process: ProcessId, pid: u8) -> String {
        let observer = model.observer.as_ref().map_or("?", |o| o.automaton.name.as_str());
        let name = model.processes.get(process.index()).map_or(observer, |p| p.name.as_str());
        match self.instances.get(&process.0) {
            Some(pids) if pids.len() > 1 => format!("{name}({pid})"),
            _ => name.to_string(),
        }
    }

    /// The full name of an item: `flag[1]`, `p.x`, `p(1).queue`.
    pub fn item(&self, model: &Model, item: Item) -> String {
        match self.owner(model, item) {
            Some(owner) => format!("{owner}.{}", self.own(model, item)),
            None => self.own(model, item),
        }
    }

    /// The name of the process that owns an item.
    pub fn owner(&self, model: &Model, item: Item) -> Option<String> {
        item.owner.map(|(pid, process)| self.process(model, process, pid))
    }

    /// The name of an item within its owner.
    pub fn own(&self, model: &Model, item: Item) -> String {
        match item.what {
            What::Element { var, at } => match variables(model, item.owner).get(var.index()) {
                Some(var) => element(model, var, at),
                None => "?".to_string(),
            },
            What::Channel { declaration, nth } => {
                let name = &model.channels[declaration.index()].name;
                if channel_count(model, item.owner, declaration) > 1 { format!("{name}[{nth}]") } else { name.clone() }
            }
        }
    }

    /// A value in the notation of the language. Truth values stay numbers, which are easier to read in a column.
    pub fn value(&self, model: &Model, view: &View, ty: Type, value: i32) -> String {
        match ty.shows {
            Shows::Number | Shows::Bool | Shows::Pid => value.to_string(),
            Shows::Symbol(id) => match model.enums[id.index()].symbols.iter().find(|(_, v)| *v == value) {
                Some((name, _)) => name.clone(),
                None => value.to_string(),
            },
            Shows::Channel => match usize::try_from(value - 1).ok().and_then(|i| channel_item(view, i)) {
                Some(item) => self.item(model, item),
                None if value == 0 => "-".to_string(),
                None => value.to_string(),
            },
        }
    }

    /// The value of an item in a state; `None` if it does not exist there.
    pub fn read(&self, model: &Model, view: &View, item: Item) -> Option<String> {
        match item.what {
            What::Element { var, at } => {
                let ty = variables(model, item.owner).get(var.index())?.ty;
                let values = match item.owner {
                    None => &view.globals,
                    Some((pid, process)) => {
                        &view.processes.iter().find(|p| p.pid == pid && p.process == process)?.locals
                    }
                };
                Some(self.value(model, view, ty, *values.get(var.index())?.get(at as usize)?))
            }
            What::Channel { declaration, .. } => {
                let at = (0..view.channels.len()).find(|i| channel_item(view, *i) == Some(item))?;
                let fields = &model.channels[declaration.index()].fields;
                let message = |m: &Vec<i32>| {
                    let fields = m.iter().zip(fields).map(|(v, ty)| self.value(model, view, *ty, *v));
                    fields.collect::<Vec<_>>().join(",")
                };
                let messages: Vec<String> = view.channels[at].messages.iter().map(message).collect();
                Some(format!("[{}]", messages.join(" ")))
            }
        }
    }
}

/// The variables of an owner: globals or locals.
pub fn variables(model: &Model, owner: Option<(u8, ProcessId)>) -> &[Var] {
    match owner {
        None => &model.globals,
        Some((_, process)) => model.processes.get(process.index()).map_or(&[], |p| &p.locals),
    }
}

/// The item of channel `index + 1` in this state.
pub fn channel_item(view: &View, index: usize) -> Option<Item> {
    let channel = view.channels.get(index)?;
    let same = |c: &&ChannelView| c.declaration == channel.declaration && c.owner == channel.owner;
    let nth = view.channels[..index].iter().filter(same).count() as u32;
    let owner = match channel.owner {
        None => None,
        Some(pid) => Some((pid, view.processes.iter().find(|p| p.pid == pid)?.process)),
    };
    Some(Item { owner, what: What::Channel { declaration: channel.declaration, nth } })
}

/// The element at a flat index: `a`, `a[3]` or `node[1].left`.
pub fn element(model: &Model, var: &Var, at: u32) -> String {
    let mut rest = at;
    let mut indices = Vec::new();
    for dim in var.dims.iter().rev() {
        indices.push(rest % (*dim).max(1));
        rest /= (*dim).max(1);
    }
    indices.reverse();
    index_path(&var.name, &indices, declared_as_array(model, var))
}

/// Inserts indices into a flattened name, which does not show which of its parts are arrays. The first part is an
/// array if it is declared as one; the remaining indices belong to the last part, unless every part has its own.
fn index_path(name: &str, indices: &[u32], first_is_array: bool) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    let written = |indices: &[u32]| indices.iter().map(|i| format!("[{i}]")).collect::<String>();
    if parts.len() > 1 && indices.len() == parts.len() {
        let indexed = parts.iter().zip(indices).map(|(part, i)| format!("{part}[{i}]"));
        return indexed.collect::<Vec<_>>().join(".");
    }
    match indices.split_first() {
        Some((first, rest)) if first_is_array && parts.len() > 1 => {
            format!("{}[{first}].{}{}", parts[0], parts[1..].join("."), written(rest))
        }
        _ => format!("{name}{}", written(indices)),
    }
}

/// Whether the text of the declaration has a bracket after the name.
fn declared_as_array(model: &Model, var: &Var) -> bool {
    let text = model.files.get(var.span.file.index()).and_then(|f| f.text.get(var.span.start as usize..));
    let name = var.name.split('.').next().unwrap_or("");
    let after = text.and_then(|text| text.strip_prefix(name));
    after.is_some_and(|after| after.trim_start().starts_with('['))
}

/// The number of channels of a declaration that its owner creates.
fn channel_count(model: &Model, owner: Option<(u8, ProcessId)>, declaration: ChannelId) -> usize {
    use kripke_model::ir::Init;
    let made = |v: &&Var| matches!(v.init, Init::Channels(id) if id == declaration);
    variables(model, owner).iter().filter(made).map(Var::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_go_where_the_arrays_are() {
        for (name, indices, array, want) in [
            ("x", &[][..], false, "x"),
            ("a", &[3], true, "a[3]"),
            ("node.left", &[1], true, "node[1].left"),
            ("node.kids", &[1], false, "node.kids[1]"),
            ("node.kids", &[1, 2], true, "node[1].kids[2]"),
            ("a.b.c", &[1], true, "a[1].b.c"),
            ("a.b.c", &[1, 2], true, "a[1].b.c[2]"),
        ] {
            assert_eq!(index_path(name, indices, array), want);
        }
    }
}
