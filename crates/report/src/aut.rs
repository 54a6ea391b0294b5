//! Labelled transition systems in the Aldebaran format (`.aut`) of CADP and mCRL2: `des (initial, transitions, states)`, then a
//! line `(from, "label", to)` for each transition. The hidden action is `i`; `tau` is read, too.

use std::collections::HashMap;
use std::fmt::{self, Write};

use kripke_search::graph::{Edge, HIDDEN, Lts};

/// The names of the hidden action.
const HIDDEN_NAMES: [&str; 2] = ["i", "tau"];

/// The states that a file may have.
const MOST_STATES: u32 = 1 << 25;

/// The reason why a text is not an Aldebaran file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutError {
    /// The line, counted from 1.
    pub line: usize,
    /// The description of the error.
    pub message: String,
}

impl fmt::Display for AutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for AutError {}

/// A visible label that is not mistaken for the hidden one.
pub fn visible_label(name: &str) -> String {
    let name = crate::run::flat(name);
    if HIDDEN_NAMES.contains(&name.as_str()) { format!("({name})") } else { name }
}

/// The text of a system.
pub fn write(lts: &Lts) -> String {
    let mut out = format!("des ({}, {}, {})\n", lts.initial, lts.edges.len(), lts.states);
    for edge in &lts.edges {
        let label = if edge.label == HIDDEN { HIDDEN_NAMES[0] } else { &lts.labels[edge.label as usize] };
        let _ = writeln!(out, "({}, \"{label}\", {})", edge.from, edge.to);
    }
    out
}

/// Reads a system.
pub fn read(text: &str) -> Result<Lts, AutError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let wrong = |line: usize, message: &str| AutError { line: line + 1, message: message.to_string() };
    let (at, head) = lines.next().ok_or_else(|| wrong(0, "the file is empty; it should begin with `des (…)`"))?;
    let (initial, transitions, states) = header(head)
        .ok_or_else(|| wrong(at, "expected `des (initial state, number of transitions, number of states)`"))?;
    if initial >= states {
        return Err(wrong(at, &format!("the initial state is {initial}, but there are {states} states")));
    }
    if states > MOST_STATES {
        return Err(wrong(at, &format!("{states} states are too many; {MOST_STATES} are possible")));
    }
    let mut lts = Lts { initial, states, ..Lts::new() };
    let mut known: HashMap<String, u32> = HIDDEN_NAMES.iter().map(|name| (name.to_string(), HIDDEN)).collect();
    for (at, line) in lines {
        let Some((from, name, to)) = transition(line) else {
            return Err(wrong(at, "expected a transition `(from, \"label\", to)`"));
        };
        if let Some(state) = [from, to].into_iter().find(|state| *state >= states) {
            return Err(wrong(at, &format!("there is no state {state}: the first line says {states} states")));
        }
        let label = *known.entry(name.to_string()).or_insert_with(|| {
            lts.labels.push(name.to_string());
            lts.labels.len() as u32 - 1
        });
        lts.edges.push(Edge { from, label, to });
    }
    if lts.edges.len() as u64 != transitions {
        let found = lts.edges.len();
        return Err(wrong(at, &format!("the first line says {transitions} transitions, but there are {found}")));
    }
    Ok(lts)
}

fn header(line: &str) -> Option<(u32, u64, u32)> {
    let inner = line.trim().strip_prefix("des")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut numbers = inner.split(',').map(str::trim);
    let all = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    numbers.next().is_none().then_some(all)
}

fn transition(line: &str) -> Option<(u32, &str, u32)> {
    let inner = line.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (from, rest) = inner.split_once(',')?;
    let (label, to) = rest.rsplit_once(',')?;
    let label = label.trim();
    let label = label.strip_prefix('"').and_then(|label| label.strip_suffix('"')).unwrap_or(label);
    Some((from.trim().parse().ok()?, label, to.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_go_out_and_come_back() {
        let labels = ["i", "say \"x, y\"", "a)", ""].map(String::from).to_vec();
        let edges =
            [(0, 1, 1), (1, 0, 2), (2, 2, 0), (0, 3, 0), (0, 1, 1)].map(|(from, label, to)| Edge { from, label, to });
        let lts = Lts { initial: 1, states: 3, labels, edges: edges.to_vec(), marks: Vec::new() };
        let text = write(&lts);
        assert!(text.starts_with("des (1, 5, 3)\n(0, \"say \"x, y\"\", 1)\n(1, \"i\", 2)\n"), "{text}");
        assert_eq!(read(&text).unwrap(), lts);
        assert_eq!(read("des(0,1,1)\n( 0 , tau , 0 )\n").unwrap().edges, [Edge { from: 0, label: HIDDEN, to: 0 }]);
        assert_eq!(visible_label("tau"), "(tau)");
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, part) in [
            ("", 1, "empty"),
            ("\n\nhello", 3, "expected `des"),
            ("des (0, 1, 99999999999)\n", 1, "expected `des"),
            ("des (3, 0, 2)", 1, "initial state is 3"),
            ("des (0, 0, 4000000000)", 1, "too many"),
            ("des (0, 1, 2)\n(0, \"a\", 2)", 2, "no state 2"),
            ("des (0, 2, 2)\n(0, \"a\", 1)", 1, "says 2 transitions, but there are 1"),
            ("des (0, 1, 2)\n(0, \"a\" 1)", 2, "expected a transition"),
            ("des (0, 1, 2)\n0, \"a\", 1", 2, "expected a transition"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.line == line && error.message.contains(part), "{text:?}: {error}");
        }
    }
}
