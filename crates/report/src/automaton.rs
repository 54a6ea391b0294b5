//! Process automata as diagrams.

use std::collections::{BTreeMap, HashMap};

use kripke_model::ir::{Edge, LocId, Location, Model, Process, Then};

use crate::diagram::{Arrow, Diagram, Key, Node, Ranking, Role, Shape, wrapped};
use crate::run::flat;
use crate::source::Lines;

/// The automaton of a process type or of an observer. Locations that no edge leads to are left out.
pub fn automaton(model: &Model, process: &Process) -> Diagram {
    let lines = Lines::new(model);
    let order = reachable(process);
    let number: HashMap<LocId, usize> = order.iter().copied().zip(0..).collect();
    let names = location_names(process, &lines);
    let node = |id: &LocId| node(process, *id, &names[id.index()]);
    let mut arrows = Vec::new();
    for (from, id) in order.iter().enumerate() {
        for edge in &process.locations[id.index()].edges {
            let edge = &process.edges[edge.index()];
            let to = target(edge);
            arrows.push(arrow(edge, from, number[&to]));
        }
    }
    let mut diagram = Diagram {
        title: flat(&process.name),
        nodes: order.iter().map(node).collect(),
        arrows,
        ranking: Ranking::Flow,
        legend: Vec::new(),
    };
    diagram.legend = legend(&diagram);
    diagram
}

/// The names of a process's locations: its first label, or the line of its first statement. Several locations on a line have
/// letters, in the order of the text: `8a`, `8b`.
pub fn location_names(process: &Process, lines: &Lines) -> Vec<String> {
    let mut by_line: BTreeMap<u32, Vec<(u32, u32, usize)>> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    for (at, location) in process.locations.iter().enumerate() {
        names.push(match (location.labels.first(), location.edges.first()) {
            (Some(label), _) => flat(label),
            (None, None) => "end".to_string(),
            (None, Some(edge)) => {
                let edge = &process.edges[edge.index()];
                let own = Lines::own(edge);
                // The calls of an inline are in the order of the text, too.
                by_line.entry(lines.of(own).first).or_default().push((own.start, edge.span.start, at));
                String::new()
            }
        });
    }
    for (line, mut places) in by_line {
        places.sort_unstable();
        let one = places.len() == 1;
        for (number, (_, _, at)) in places.into_iter().enumerate() {
            names[at] = if one { line.to_string() } else { format!("{line}{}", letters(number)) };
        }
    }
    names
}

/// a, b, …, z, aa, ab, …
fn letters(number: usize) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    let before = if number < 26 { String::new() } else { letters(number / 26 - 1) };
    format!("{before}{last}")
}

/// The location that an edge leads to: the first one of its indivisible sequence, or its target.
fn target(edge: &Edge) -> LocId {
    edge.chain.unwrap_or(edge.target)
}

/// The locations that can be reached from the entry, in the order of a depth-first search: the nodes of the automaton.
pub fn reachable(process: &Process) -> Vec<LocId> {
    let mut seen = vec![false; process.locations.len()];
    let (mut order, mut stack) = (Vec::new(), vec![process.entry]);
    while let Some(id) = stack.pop() {
        let Some(location) = process.locations.get(id.index()) else { continue };
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        order.push(id);
        stack.extend(location.edges.iter().rev().map(|edge| target(&process.edges[edge.index()])));
    }
    order
}

fn node(process: &Process, id: LocId, name: &str) -> Node {
    let location = &process.locations[id.index()];
    let text = match &location.labels[..] {
        [] => vec![name.to_string()],
        labels => labels.iter().map(|label| flat(label)).collect(),
    };
    let role = match location {
        Location { progress: true, .. } => Role::Progress,
        Location { end: true, .. } => Role::End,
        Location { edges, .. } if edges.is_empty() => Role::End,
        _ => Role::Plain,
    };
    Node {
        lines: text,
        shape: Shape::Box,
        role,
        initial: id == process.entry,
        accepting: location.accept,
        ..Node::default()
    }
}

fn arrow(edge: &Edge, from: usize, to: usize) -> Arrow {
    let bold = edge.chain.is_some() || edge.then != Then::Yield;
    Arrow { from, to, label: wrapped(&flat(&edge.label)), bold, dashed: edge.level > 0, ..Arrow::default() }
}

fn legend(diagram: &Diagram) -> Vec<Key> {
    let mut keys = Vec::new();
    for (role, text) in [(Role::End, "valid end"), (Role::Progress, "progress")] {
        if diagram.nodes.iter().any(|node| node.role == role) {
            keys.push(Key::Role(role, text.to_string()));
        }
    }
    if diagram.nodes.iter().any(|node| node.accepting) {
        keys.push(Key::Accepting("accepting".to_string()));
    }
    if diagram.arrows.iter().any(|arrow| arrow.bold) {
        keys.push(Key::Bold("the process keeps control".to_string()));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_do_not_end() {
        assert_eq!([0, 1, 25, 26, 27, 701, 702].map(letters), ["a", "b", "z", "aa", "ab", "zz", "aaa"]);
    }
}
