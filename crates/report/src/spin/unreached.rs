//! The list of states that were not reached.

use std::fmt::Write;

use crate::escape::visible;

/// The states of a process type, `init` or a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// `proctype P`, `init` or `claim c`.
    pub title: String,
    /// The lines for states that were not reached.
    pub entries: Vec<Entry>,
    /// The number of states that were not reached.
    pub unreached: usize,
    /// The number of all states.
    pub states: usize,
}

/// A statement of a state that was not reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The file and the line.
    pub place: String,
    /// The number of the state.
    pub state: u32,
    /// The statement; empty for a valid end state.
    pub text: String,
}

/// The text of the list.
pub fn unreached(bodies: &[Body]) -> String {
    let mut out = String::new();
    for body in bodies {
        let _ = writeln!(out, "unreached in {}", visible(&body.title));
        for Entry { place, state, text } in &body.entries {
            let text = if text.is_empty() { "-end state-".to_string() } else { format!("\"{}\"", visible(text)) };
            let _ = writeln!(out, "\t{}, state {state}, {text}", visible(place));
        }
        let _ = writeln!(out, "\t({} of {} states)", body.unreached, body.states);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_has_a_sum() {
        let entry = |state, text: &str| Entry { place: "m.pml:2".to_string(), state, text: text.to_string() };
        let title = "proctype P".to_string();
        let full = Body { title, entries: vec![entry(11, "x = 1"), entry(12, "")], unreached: 2, states: 18 };
        let none = Body { title: "init".to_string(), entries: Vec::new(), unreached: 0, states: 3 };
        assert_eq!(
            unreached(&[full, none]),
            "unreached in proctype P\n\tm.pml:2, state 11, \"x = 1\"\n\tm.pml:2, state 12, -end state-\n\t(2 of 18 states)\n\
             unreached in init\n\t(0 of 3 states)\n"
        );
    }
}
