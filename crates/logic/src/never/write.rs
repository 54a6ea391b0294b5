//! Output of Büchi automata as never claims that SPIN accepts.

use std::fmt::Write;

use crate::automaton::{Buchi, StateId};
use crate::guard::{Guard, Words};

const WORDS: Words<'static> = Words { yes: "1", no: "0", and: " && ", or: " || " };

/// The text of a never claim, with an optional comment.
pub fn write(automaton: &Buchi, comment: &str) -> String {
    let mut out = String::from("never {");
    if !comment.is_empty() {
        let _ = write!(out, "    /* {} */", comment.replace("*/", "* /").replace(['\n', '\r'], " "));
    }
    out.push('\n');
    // A claim starts at its first statement. A state that accepts everything is the end of the claim, which SPIN
    // reports at once.
    let end = accept_all(automaton);
    let first = automaton.initial;
    let others = (0..automaton.states.len() as u32).map(StateId).filter(|s| *s != first && Some(*s) != end);
    for id in std::iter::once(first).filter(|f| f.index() < automaton.states.len()).chain(others) {
        let _ = writeln!(out, "{}:", label(automaton, id, end));
        body(&mut out, automaton, id, end);
    }
    match end {
        Some(_) => out.push_str("accept_all:\n\tskip\n"),
        None if automaton.states.is_empty() => out.push_str("T0_init:\n\tfalse;\n"),
        None => {}
    }
    out + "}\n"
}

fn body(out: &mut String, automaton: &Buchi, id: StateId, end: Option<StateId>) {
    let edges = &automaton.state(id).edges;
    if edges.is_empty() {
        out.push_str("\tfalse;\n");
        return;
    }
    out.push_str("\tdo\n");
    for edge in edges {
        let _ = writeln!(out, "\t:: ({}) -> goto {}", guard(automaton, &edge.guard), label(automaton, edge.to, end));
    }
    out.push_str("\tod;\n");
}

/// A state other than the initial one that accepts every word.
fn accept_all(automaton: &Buchi) -> Option<StateId> {
    let everything = |id: &StateId| {
        let state = automaton.state(*id);
        let stays = matches!(state.edges.as_slice(), [only] if only.to == *id && only.guard.is_true());
        state.accepting && stays && *id != automaton.initial
    };
    (0..automaton.states.len() as u32).map(StateId).find(everything)
}

fn label(automaton: &Buchi, id: StateId, end: Option<StateId>) -> String {
    let start = if automaton.state(id).accepting { "accept" } else { "T0" };
    if id == automaton.initial {
        format!("{start}_init")
    } else if Some(id) == end {
        "accept_all".to_string()
    } else {
        format!("{start}_S{}", id.0)
    }
}

fn guard(automaton: &Buchi, guard: &Guard) -> String {
    guard.text(&WORDS, |a| format!("({})", automaton.atoms.get(a).text))
}
