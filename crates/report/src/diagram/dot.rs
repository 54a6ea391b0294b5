//! Diagrams for Graphviz.

use std::fmt::Write;

use super::{Arrow, Diagram, Key, Node, Role, Shape, ink, quoted};

/// The diagram as a DOT graph.
pub fn dot(diagram: &Diagram) -> String {
    let mut out = String::from("digraph kripke {\n");
    if !diagram.title.is_empty() {
        let _ = writeln!(out, "  label={}; labelloc=t;", quoted(std::slice::from_ref(&diagram.title)));
    }
    out.push_str("  node [fontname=\"monospace\", fontsize=11, style=\"filled,rounded\"];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (number, node) in diagram.nodes.iter().enumerate() {
        self::node(&mut out, number, node);
    }
    for arrow in &diagram.arrows {
        self::arrow(&mut out, arrow);
    }
    for key in &diagram.legend {
        legend(&mut out, key);
    }
    out + "}\n"
}

fn node(out: &mut String, number: usize, node: &Node) {
    let shape = match (node.shape, node.accepting) {
        (Shape::Circle, true) => "doublecircle",
        (Shape::Circle, false) => "circle",
        (Shape::Box, _) => "box",
    };
    let (fill, line) = node.role.colours();
    let border = if node.accepting && node.shape == Shape::Box { ", peripheries=2" } else { "" };
    let label = quoted(&node.lines);
    let _ =
        writeln!(out, "  n{number} [label={label}, shape={shape}, fillcolor=\"{fill}\", color=\"{line}\"{border}];");
    if node.initial {
        let _ = writeln!(out, "  start{number} [shape=point, style=filled]; start{number} -> n{number};");
    }
}

fn arrow(out: &mut String, arrow: &Arrow) {
    let _ = write!(out, "  n{} -> n{} [", arrow.from, arrow.to);
    if !arrow.label.is_empty() {
        let _ = write!(out, "label={}, ", quoted(&arrow.label));
    }
    let colour = ink(arrow.ink);
    let _ = write!(out, "color=\"{colour}\", fontcolor=\"{colour}\"");
    out.push_str(if arrow.bold { ", penwidth=2.5" } else { "" });
    out.push_str(if arrow.dashed { ", style=dashed" } else { "" });
    out.push_str("];\n");
}

/// The legend is a comment.
fn legend(out: &mut String, key: &Key) {
    let text = match key {
        Key::Role(Role::Plain, text) => format!("plain: {text}"),
        Key::Role(role, text) => format!("{} ({}): {text}", role.word(), role.colours().0),
        Key::Ink(number, text) => format!("{}: {text}", ink(Some(*number))),
        Key::Accepting(text) => format!("double outline: {text}"),
        Key::Bold(text) => format!("thick: {text}"),
        Key::Class(class, text) => format!("{class}: {text}"),
    };
    let _ = writeln!(out, "  // {}", crate::run::flat(&text));
}
