//! The HOA writer.

use std::fmt::Write;

use crate::atoms::{AtomId, Atoms};
use crate::automaton::{Buchi, Generalised, StateId};
use crate::classify::Class;
use crate::guard::{Guard, Words};

const WORDS: Words<'static> = Words { yes: "t", no: "f", and: "&", or: " | " };

/// A generalised automaton in HOA, with acceptance on edges.
pub fn generalised(automaton: &Generalised, name: &str) -> String {
    let class = Class::of_generalised(automaton);
    let mut out = header(name, (automaton.states.len(), automaton.initial), &automaton.atoms);
    let sets: Vec<String> = (0..automaton.sets).map(|s| format!("Inf({s})")).collect();
    match automaton.sets {
        0 => out.push_str("acc-name: all\nAcceptance: 0 t\n"),
        1 => out.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n"),
        n => {
            let _ = writeln!(out, "acc-name: generalized-Buchi {n}\nAcceptance: {n} {}", sets.join("&"));
        }
    }
    properties(&mut out, "trans-acc", class);
    for (number, edges) in automaton.states.iter().enumerate() {
        let _ = writeln!(out, "State: {number}");
        for edge in edges {
            let sets: Vec<String> =
                (0..automaton.sets).filter(|s| edge.marks >> s & 1 == 1).map(|s| s.to_string()).collect();
            let marks = if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) };
            let _ = writeln!(out, "[{}] {}{marks}", label(&edge.guard), edge.to.0);
        }
    }
    out + "--END--\n"
}

/// A Büchi automaton in HOA, with acceptance on states.
pub fn buchi(automaton: &Buchi, name: &str) -> String {
    let mut out = header(name, (automaton.states.len(), automaton.initial), &automaton.atoms);
    out.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    properties(&mut out, "state-acc", Class::of_buchi(automaton));
    for (number, state) in automaton.states.iter().enumerate() {
        let _ = writeln!(out, "State: {number}{}", if state.accepting { " {0}" } else { "" });
        for edge in &state.edges {
            let _ = writeln!(out, "[{}] {}", label(&edge.guard), edge.to.0);
        }
    }
    out + "--END--\n"
}

fn header(name: &str, (states, initial): (usize, StateId), atoms: &Atoms) -> String {
    let mut out = String::from("HOA: v1\n");
    if !name.is_empty() {
        let _ = writeln!(out, "name: {}", quoted(name));
    }
    let _ = writeln!(out, "tool: \"kripke\" \"{}\"", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "States: {states}\nStart: {}", initial.0);
    let names: String = atoms.iter().map(|(_, a)| format!(" {}", quoted(&a.text))).collect();
    let _ = writeln!(out, "AP: {}{names}", atoms.len());
    out
}

fn properties(out: &mut String, acceptance: &str, class: Class) {
    let mut words = vec!["trans-labels", "explicit-labels", acceptance];
    words.extend(class.deterministic.then_some("deterministic"));
    words.extend(class.weak.then_some("weak"));
    words.extend(class.terminal.then_some("terminal"));
    let _ = writeln!(out, "properties: {}\n--BODY--", words.join(" "));
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn label(guard: &Guard) -> String {
    guard.text(&WORDS, |AtomId(a)| a.to_string())
}
