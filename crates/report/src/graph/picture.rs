//! The diagram of a graph.

use std::collections::{BTreeMap, BTreeSet};

use super::shown::{Shown, ShownNode, ShownStep};
use super::values::{Value, lines};
use crate::diagram::{Arrow, Diagram, Key, Node, Ranking, Role, Shape, wrapped};

/// The labels that an arrow has at most.
const LABELS: usize = 6;

/// A picture with more arrows or nodes shows their texts only where the reader points.
const ARROWS: usize = 200;
const NODES: usize = 100;

/// The arrows of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrows {
    /// One for each step.
    Each,
    /// One for all steps from a node to another one.
    Bundled,
}

/// The diagram of a graph, and the arrow of each step.
pub fn diagram(shown: &Shown, title: &str, arrows: Arrows) -> (Diagram, Vec<usize>) {
    let constants = if shown.brief { shown.constants() } else { BTreeSet::new() };
    let node = |(number, node): (usize, &ShownNode)| self::node(number, node, &constants);
    let (mut drawn, place) = self::arrows(shown, arrows);
    let mut nodes: Vec<Node> = shown.nodes.iter().enumerate().map(node).collect();
    let crowded = arrows == Arrows::Bundled && (drawn.len() > ARROWS || nodes.len() > NODES);
    if crowded {
        nodes.iter_mut().enumerate().for_each(|(number, node)| numbered(number, node));
        drawn.iter_mut().for_each(|arrow| arrow.hint = std::mem::take(&mut arrow.label).join(" "));
    }
    let diagram = Diagram {
        title: if crowded { format!("{title} (texts where you point)") } else { title.to_string() },
        nodes,
        arrows: drawn,
        ranking: Ranking::Distance,
        legend: legend(shown),
    };
    (diagram, place)
}

fn node(number: usize, node: &ShownNode, constants: &BTreeSet<&str>) -> Node {
    let values: Vec<Value> =
        node.values.iter().filter(|(name, _)| !constants.contains(name.as_str())).cloned().collect();
    let mut text = lines(&values);
    if text.is_empty() {
        text.push(number.to_string());
    }
    if node.states > 1 {
        text.push(format!("{} states", node.states));
    }
    if node.cut {
        text.push("…".to_string());
    }
    let shape = if values.is_empty() && node.states == 1 { Shape::Circle } else { Shape::Box };
    Node { lines: text, shape, role: node.role, initial: number == 0, accepting: node.accepting, ..Node::default() }
}

/// Replaces the text of a node by its number.
fn numbered(number: usize, node: &mut Node) {
    node.hint = std::mem::replace(&mut node.lines, vec![number.to_string()]).join(" ");
    node.shape = Shape::Box;
}

fn arrows(shown: &Shown, arrows: Arrows) -> (Vec<Arrow>, Vec<usize>) {
    let mut groups: Vec<Vec<&ShownStep>> = Vec::new();
    let (mut known, mut place) = (BTreeMap::new(), Vec::new());
    for step in &shown.steps {
        let next = groups.len();
        let at = match arrows {
            Arrows::Each => next,
            Arrows::Bundled => *known.entry((step.from, step.to)).or_insert(next),
        };
        if at == next {
            groups.push(Vec::new());
        }
        groups[at].push(step);
        place.push(at);
    }
    (groups.iter().map(|group| arrow(group)).collect(), place)
}

/// The arrow of some steps with the same source and target.
fn arrow(group: &[&ShownStep]) -> Arrow {
    let ink = group[0].ink.filter(|ink| group.iter().all(|step| step.ink == Some(*ink)));
    let mut texts: Vec<String> = group
        .iter()
        .map(|step| match ink {
            None if !step.process.is_empty() && !step.label.is_empty() && step.label != step.process => {
                format!("{}: {}", step.process, step.label)
            }
            _ => step.label.clone(),
        })
        .collect();
    texts.dedup();
    let more = texts.len().saturating_sub(LABELS);
    texts.truncate(LABELS);
    let mut label: Vec<String> = texts.iter().flat_map(|text| wrapped(text)).collect();
    label.extend((more > 0).then(|| format!("… {more} more")));
    let bold = group.iter().any(|step| step.on_trail);
    Arrow { from: group[0].from, to: group[0].to, label, ink, bold, ..Arrow::default() }
}

fn legend(shown: &Shown) -> Vec<Key> {
    let mut keys: Vec<Key> = shown.processes.iter().map(|(ink, name)| Key::Ink(*ink, name.clone())).collect();
    let roles = [
        (Role::Error, "error"),
        (Role::Deadlock, "invalid end state"),
        (Role::End, "end state"),
        (Role::Trail, "counterexample"),
    ];
    let has = |role: Role| shown.nodes.iter().any(|node| node.role == role);
    keys.extend(roles.into_iter().filter(|(role, _)| has(*role)).map(|(role, text)| Key::Role(role, text.to_string())));
    keys.extend(shown.nodes.iter().any(|n| n.accepting).then(|| Key::Accepting("accepting".to_string())));
    keys
}
