//! The figures as text: for people, as CSV, as JSON.

use std::time::Duration;

use kripke_report::escape::visible;
use kripke_report::number;
use kripke_report::style::{BAD, FAINT, GOOD, HEAD, UNSURE, paint};
use serde_json::{Value, json};

use super::figures::Figures;

const NUMBERS: [(&str, usize); 8] = [
    ("states", 13),
    ("transitions", 13),
    ("time", 8),
    ("CPU", 8),
    ("states/s", 8),
    ("memory", 8),
    ("B/state", 8),
    ("speed", 7),
];

/// How wide the columns with texts have to be.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    pub model: usize,
    pub options: usize,
    /// Whether there is a column for what was expected.
    pub expected: bool,
}

impl Widths {
    pub fn header(&self) -> String {
        let mut line = format!("{:<1$}  {2:<3$}", "model", self.model, "options", self.options);
        for (name, width) in NUMBERS {
            line.push_str(&format!(" {name:>width$}"));
        }
        line.push_str(if self.expected { "  expected  verdict" } else { "  verdict" });
        format!("{}\n", paint(HEAD, &line))
    }

    pub fn row(&self, of: &Figures) -> String {
        let time = |seconds: f64| number::duration(Duration::from_secs_f64(seconds));
        let unknown = || "?".to_string();
        let cells = [
            number::grouped(of.counts.states),
            number::grouped(of.counts.transitions),
            time(of.wall),
            of.cpu.map_or_else(unknown, time),
            number::short(of.states_per_second() as u64),
            if of.peak > 0 { number::bytes(of.peak) } else { unknown() },
            of.bytes_per_state().map_or_else(unknown, |b| number::short(b.round() as u64)),
            format!("{:.2}×", of.speed),
        ];
        let options = if of.options.is_empty() { "(none)" } else { &of.options };
        let mut line = format!("{:<1$}  {2:<3$}", visible(&of.name), self.model, options, self.options);
        for ((_, width), cell) in NUMBERS.iter().zip(cells) {
            line.push_str(&format!(" {cell:>width$}"));
        }
        if self.expected {
            line.push_str(&format!("  {}", expected(of)));
        }
        format!("{line}  {}\n", verdict(of))
    }

    /// A model without figures.
    pub fn nothing(&self, model: &str, why: &str) -> String {
        format!("{model:<0$}  {1}\n", self.model, paint(BAD, why))
    }
}

fn expected(of: &Figures) -> String {
    match of.expected {
        Some(true) => paint(GOOD, "✓       "),
        Some(false) => paint(BAD, "✗       "),
        None => paint(FAINT, "–       "),
    }
}

fn verdict(of: &Figures) -> String {
    match (&*of.verdict, &of.reason) {
        ("holds", _) => paint(GOOD, "holds"),
        ("violated", _) => paint(BAD, "violated"),
        (_, Some(reason)) => paint(UNSURE, &format!("inconclusive ({reason})")),
        (other, None) => paint(UNSURE, other),
    }
}

/// One line for each model and set, with a header.
pub const CSV_HEADER: &str = "model,options,verdict,complete,states,transitions,errors,wall,cpu,states_per_second,\
                              peak_memory,bytes_per_state,speed,expected,tool,parameters,property,preparation";

pub fn csv(all: &[Figures]) -> String {
    let mut out = format!("{CSV_HEADER}\n");
    for of in all {
        let cells = [
            quoted(&of.model),
            quoted(&of.options),
            of.verdict.clone(),
            of.complete.to_string(),
            of.counts.states.to_string(),
            of.counts.transitions.to_string(),
            of.counts.errors.to_string(),
            format!("{:.6}", of.wall),
            of.cpu.map_or_else(String::new, |cpu| format!("{cpu:.6}")),
            format!("{:.0}", of.states_per_second()),
            of.peak.to_string(),
            of.bytes_per_state().map_or_else(String::new, |b| format!("{b:.1}")),
            format!("{:.3}", of.speed),
            of.expected.map_or_else(String::new, |e| e.to_string()),
            of.tool.to_string(),
            quoted(&of.parameters),
            quoted(&of.property),
            of.preparation.map_or_else(String::new, |seconds| format!("{seconds:.6}")),
        ];
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

fn quoted(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r']);
    if plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// One object; fields may be added, never changed.
pub fn json(all: &[Figures], problems: &[String], repeat: u32) -> String {
    let rows: Vec<Value> = all.iter().map(row).collect();
    let object = json!({
        "kripke": env!("CARGO_PKG_VERSION"),
        "schema": kripke_report::json::SCHEMA,
        "repeat": repeat,
        "results": rows,
        "problems": problems,
    });
    format!("{object:#}\n")
}

fn row(of: &Figures) -> Value {
    json!({
        "model": of.model,
        "parameters": of.parameters,
        "property": of.property,
        "tool": of.tool,
        "options": of.options,
        "verdict": of.verdict,
        "complete": of.complete,
        "reason": of.reason,
        "states": of.counts.states,
        "transitions": of.counts.transitions,
        "errors": of.counts.errors,
        "seconds": { "wall": of.wall, "cpu": of.cpu, "walls": of.walls, "preparation": of.preparation },
        "states_per_second": of.states_per_second(),
        "peak_memory": of.peak,
        "bytes_per_state": of.bytes_per_state(),
        "speed": of.speed,
        "expected": of.expected,
    })
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_with_commas_are_quoted() {
        for (text, want) in [("-j1", "-j1"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\"")] {
            assert_eq!(quoted(text), want);
        }
    }
}
