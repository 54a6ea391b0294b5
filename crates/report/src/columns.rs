//! The columns of a trace table: a choice of variables and channels.

use std::collections::BTreeSet;

use kripke_model::ir::{Model, ProcessId, Shows, VarId};
use kripke_model::layout::{Shape, View};

use crate::escape::visible;
use crate::explanation;
use crate::names::{Item, Names, What, channel_item, variables};
use crate::run::{Run, flat};
use crate::select::Selection;
use crate::width::width;

/// A column of the table.
#[derive(Clone)]
pub struct Column {
    /// The values of the column.
    pub source: Source,
    /// The process that owns the item; it is printed above the name.
    pub owner: Option<String>,
    /// The name without its owner.
    pub name: String,
    /// Whether the value changes during the run.
    pub changes: bool,
    /// The priority of the column if the table is too wide.
    pub priority: Priority,
    /// The width of the widest value.
    pub values: usize,
    /// The width of the column.
    pub width: usize,
}

/// The values of a column.
#[derive(Clone, Copy)]
pub enum Source {
    /// A variable or channel.
    Item(Item),
    /// The watched expression with this number.
    Watched(usize),
}

/// Priorities of columns, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Priority {
    Elsewhere,
    /// Local to the process of the last step.
    Involved,
    Global,
    /// Read by the statement with the error.
    Named,
    /// An expression that the user or the property mentions.
    Watched,
}

/// The columns to show. Without a choice these are global scalars, the items that the erroneous statement reads, all
/// items that change, and the watched expressions.
pub fn columns(run: &Run, names: &Names, selection: &Selection) -> Vec<Column> {
    let named = explanation::named(run);
    let last = run.moves().last().map(|m| (m.pid, m.process));
    let column = |(item, changes): (Item, bool)| {
        let (owner, name) = (names.owner(run.model(), item), names.own(run.model(), item));
        let priority = match item.owner {
            _ if named.contains(&item) => Priority::Named,
            None => Priority::Global,
            owner if owner == last => Priority::Involved,
            Some(_) => Priority::Elsewhere,
        };
        let (owner, name) = (owner.map(|o| visible(&o).into_owned()), visible(&name).into_owned());
        Column { source: Source::Item(item), owner, width: width(&name), name, changes, priority, values: 0 }
    };
    let kept = |(item, changes): &(Item, bool)| (*changes || !selection.changes) && !selection.hides(run, names, *item);
    let items = shown(run, names, &named, selection);
    let mut out: Vec<Column> = items.into_iter().filter(kept).map(column).collect();
    out.extend(watched(selection, &out));
    out
}

/// The columns of watched expressions, unless a column has the same name.
fn watched(selection: &Selection, columns: &[Column]) -> Vec<Column> {
    let mut out = Vec::new();
    for (n, watched) in selection.watched.iter().enumerate() {
        let name = flat(&watched.name);
        let known = columns.iter().any(|c| c.full_name() == name);
        let changes = watched.values.windows(2).any(|pair| pair[0] != pair[1]);
        if known || selection.hides_name(&name) || selection.changes && !changes {
            continue;
        }
        let (source, priority, width) = (Source::Watched(n), Priority::Watched, width(&name));
        out.push(Column { source, owner: None, name, changes, priority, values: 0, width });
    }
    out
}

impl Column {
    /// The name with its owner.
    pub fn full_name(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Widens columns to make space for the names of their owners.
pub fn spread(columns: &mut [Column]) {
    let missing: Vec<(usize, usize)> = groups(columns)
        .map(|(group, width)| (group.len(), width + 1 - group.iter().map(|c| c.width + 1).sum::<usize>()))
        .collect();
    let mut end = 0;
    for (len, missing) in missing {
        end += len;
        columns[end - 1].width += missing;
    }
}

/// Groups of adjacent columns with one owner, each with its minimal width.
pub fn groups(columns: &[Column]) -> impl Iterator<Item = (&[Column], usize)> {
    columns.chunk_by(|a, b| a.owner == b.owner).map(|group| {
        let columns = group.iter().map(|c| c.width + 1).sum::<usize>() - 1;
        (group, group[0].owner.as_ref().map_or(0, |o| width(o)).max(columns))
    })
}

/// The items to show, and whether each one changes during the run.
fn shown(run: &Run, names: &Names, named: &[Item], selection: &Selection) -> Vec<(Item, bool)> {
    let changing = changing(run);
    if selection.is_explicit() {
        let with_changes = |item: Item| (item, changing.contains(&item));
        return selection.chosen(run, names).into_iter().map(with_changes).collect();
    }
    let mut all: Vec<(Item, bool)> = changing.iter().map(|i| (*i, true)).collect();
    let others: BTreeSet<Item> = scalars(run.model()).chain(named.iter().copied()).collect();
    all.extend(others.difference(&changing).map(|i| (*i, false)));
    all.sort_unstable();
    all
}

/// The items that change during a run.
fn changing(run: &Run) -> BTreeSet<Item> {
    let mut out = BTreeSet::new();
    let generations = run.generations();
    let mut cursor = run.cursor();
    for (n, &first) in generations.iter().enumerate() {
        let end = generations.get(n + 1).copied().unwrap_or(run.moves().len() + 1);
        if first > 0 {
            compare(run.model(), &run.view(first - 1), &run.view(first), &mut out);
        }
        let mut before = cursor.go(first).to_vec();
        let mut changed = vec![0; before.len()];
        for steps in first + 1..end {
            let after = cursor.go(steps);
            changed.iter_mut().zip(&before).zip(after).for_each(|((changed, a), b)| *changed |= a ^ b);
            before.copy_from_slice(after);
        }
        changing_bytes(run, &before, &changed, &mut out);
    }
    out
}

/// The items of which some bytes change while the same processes are alive. `state` is one of the states; `changed` has the bits
/// that differ between some of them.
fn changing_bytes(run: &Run, state: &[u8], changed: &[u8], changing: &mut BTreeSet<Item>) {
    let mut shape = Shape::default();
    run.layout().shape(state, &mut shape);
    let view = run.layout().view(state);
    let mut other: Vec<u8> = state.iter().zip(changed).map(|(byte, changed)| byte ^ changed).collect();
    for (i, channel) in shape.channels.iter().enumerate() {
        let start = channel.offset as usize;
        let bytes = start..start + run.layout().buffers[channel.declaration as usize].size;
        if changed[bytes.clone()].iter().any(|changed| *changed != 0) {
            changing.extend(channel_item(&view, i));
        }
        other[bytes.clone()].copy_from_slice(&state[bytes]);
    }
    // Different bytes are different values.
    compare(run.model(), &view, &run.layout().view(&other), changing);
}

/// The global scalars, except channels.
fn scalars(model: &Model) -> impl Iterator<Item = Item> {
    let plain = model
        .globals
        .iter()
        .enumerate()
        .filter(|(_, v)| v.dims.is_empty() && !v.hidden && v.ty.shows != Shows::Channel);
    plain.map(|(i, _)| Item { owner: None, what: What::Element { var: VarId(i as u32), at: 0 } })
}

/// The variables that differ between two states, with their new values: `x = 3`.
pub fn changed(run: &Run, names: &Names, before: &View, after: &View) -> Vec<String> {
    let mut items = BTreeSet::new();
    compare(run.model(), before, after, &mut items);
    let is_variable = |item: &&Item| matches!(item.what, What::Element { .. });
    let told = |item: &Item| {
        let value = names.read(run.model(), after, *item)?;
        Some(visible(&format!("{} = {value}", names.item(run.model(), *item))).into_owned())
    };
    items.iter().filter(is_variable).filter_map(told).collect()
}
fn compare(model: &Model, a: &View, b: &View, changing: &mut BTreeSet<Item>) {
    elements(model, None, &a.globals, &b.globals, changing);
    for q in &b.processes {
        if let Some(p) = a.processes.iter().find(|p| p.pid == q.pid && p.process == q.process) {
            elements(model, Some((q.pid, q.process)), &p.locals, &q.locals, changing);
        }
    }
    if a.channels != b.channels {
        for (i, channel) in b.channels.iter().enumerate() {
            let before = a.channels.get(i).map_or(&[][..], |c| &c.messages);
            if before != channel.messages {
                changing.extend(channel_item(b, i));
            }
        }
    }
}

fn elements(
    model: &Model,
    owner: Option<(u8, ProcessId)>,
    a: &[Vec<i32>],
    b: &[Vec<i32>],
    changing: &mut BTreeSet<Item>,
) {
    for (i, (old, new)) in a.iter().zip(b).enumerate() {
        if old == new || variables(model, owner)[i].hidden {
            continue;
        }
        for (at, _) in old.iter().zip(new).enumerate().filter(|(_, (x, y))| x != y) {
            changing.insert(Item { owner, what: What::Element { var: VarId(i as u32), at: at as u32 } });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// The items that change, by comparing unpacked states.
    fn compared(run: &Run) -> BTreeSet<Item> {
        let mut out = BTreeSet::new();
        for steps in 1..=run.moves().len() {
            compare(run.model(), &run.view(steps - 1), &run.view(steps), &mut out);
        }
        out
    }

    #[test]
    fn changes_are_those_of_unpacked_states() {
        for model in [sample::mutex(), sample::handshake(), sample::counter(100)] {
            let (run, _) = sample::counterexample(model);
            let whole = compared(&run);
            assert_eq!(changing(&run), whole);
            let parts = (0..run.moves().len()).map(|from| run.part(from, run.moves().len().min(from + 2)));
            assert!(!whole.is_empty() && parts.into_iter().all(|part| changing(&part) == compared(&part)));
        }
    }
}
