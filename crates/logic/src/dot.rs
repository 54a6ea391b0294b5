//! Output of automata for Graphviz.

use std::fmt::Write;

use crate::atoms::Atoms;
use crate::automaton::{Buchi, Generalised, StateId};
use crate::guard::{Guard, Words};

const WORDS: Words<'static> = Words { yes: "true", no: "false", and: " && ", or: " || " };

/// A generalised automaton as a DOT graph. Numbers on edges are acceptance sets.
pub fn generalised(automaton: &Generalised, name: &str) -> String {
    let mut out = header(name, automaton.initial);
    for (number, edges) in automaton.states.iter().enumerate() {
        let _ = writeln!(out, "  s{number} [label=\"{number}\"];");
        for edge in edges {
            let sets: String =
                (0..automaton.sets).filter(|s| edge.marks >> s & 1 == 1).map(|s| format!(" ({s})")).collect();
            let text = format!("{}{sets}", label(&edge.guard, &automaton.atoms));
            let _ = writeln!(out, "  s{number} -> s{} [label={}];", edge.to.0, quoted(&text));
        }
    }
    out + "}\n"
}

/// A Büchi automaton as a DOT graph. Accepting states have a double circle.
pub fn buchi(automaton: &Buchi, name: &str) -> String {
    let mut out = header(name, automaton.initial);
    for (number, state) in automaton.states.iter().enumerate() {
        let shape = if state.accepting { ", shape=doublecircle" } else { "" };
        let _ = writeln!(out, "  s{number} [label=\"{number}\"{shape}];");
        for edge in &state.edges {
            let text = quoted(&label(&edge.guard, &automaton.atoms));
            let _ = writeln!(out, "  s{number} -> s{} [label={text}];", edge.to.0);
        }
    }
    out + "}\n"
}

fn header(name: &str, initial: StateId) -> String {
    let mut out = String::from("digraph automaton {\n  rankdir=LR;\n");
    if !name.is_empty() {
        let _ = writeln!(out, "  label={};\n  labelloc=t;", quoted(name));
    }
    let _ = writeln!(out, "  node [shape=circle];\n  start [shape=point];\n  start -> s{};", initial.0);
    out
}

/// The text of a guard.
pub fn label(guard: &Guard, atoms: &Atoms) -> String {
    guard.text(&WORDS, |a| crate::formula::bracketed(&atoms.get(a).text))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}
