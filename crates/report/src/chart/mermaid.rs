//! A chart as a sequence diagram of Mermaid. Mermaid has no slanted arrows: the arrow of a buffered message is at its
//! receive, and a note at its send.

use std::fmt::Write;

use super::{Chart, Kind, Row};

/// The diagram.
pub fn mermaid(chart: &Chart) -> String {
    let mut out = format!("sequenceDiagram\n    title {}\n", escaped(&chart.title));
    for (n, lane) in chart.lanes.iter().enumerate() {
        let _ = writeln!(out, "    participant p{n} as {}", escaped(&lane.name));
    }
    for (n, row) in chart.rows.iter().enumerate() {
        if chart.cycle == Some(n) {
            let _ = writeln!(out, "    loop {}", escaped(&chart.cycle_text().unwrap_or_default()));
        }
        let _ = writeln!(out, "    {}", entry(chart, n, row));
        if !row.changes.is_empty() {
            let _ = writeln!(out, "    {}", over(chart, &row.changes.join(", ")));
        }
    }
    if chart.cycle.is_some_and(|first| first < chart.rows.len()) {
        out.push_str("    end\n");
    }
    if let Some(error) = &chart.error {
        let _ = writeln!(out, "    {}", over(chart, &format!("✗ {error}")));
    }
    out
}

fn entry(chart: &Chart, n: usize, row: &Row) -> String {
    let text = escaped(&format!("{} {}", row.step, row.text));
    let Some(act) = row.act else { return over(chart, &format!("{} {}", row.step, row.text)) };
    let own = act.lane;
    match act.kind {
        Kind::Local => format!("Note over p{own}: {text}"),
        Kind::Rendezvous(to) => format!("p{own}->>p{to}: {text}"),
        Kind::Lost => format!("p{own}-xp{own}: {text} (lost: the channel is full)"),
        Kind::Send(message) => match chart.messages[message].received {
            Some(at) => format!("Note over p{own}: {text} (received in step {})", chart.rows[at].step),
            None if chart.cycle.is_some() => {
                format!("Note over p{own}: {text} (in the channel when the cycle repeats)")
            }
            None => format!("Note over p{own}: {text} (not received)"),
        },
        Kind::Receive(message) => match (chart.sender(message), chart.messages[message].sent) {
            (Some(from), Some(sent)) if chart.messages[message].received == Some(n) => {
                format!("p{from}-)p{own}: {text} (sent in step {})", chart.rows[sent].step)
            }
            _ => format!("Note over p{own}: {text} (stays in the channel)"),
        },
    }
}

/// A note over all lanes.
fn over(chart: &Chart, text: &str) -> String {
    match chart.lanes.len() {
        0 | 1 => format!("Note over p0: {}", escaped(text)),
        n => format!("Note over p0,p{}: {}", n - 1, escaped(text)),
    }
}

/// Text of Mermaid: entity codes for signs and words with a meaning there.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | ';' | '<' | '>' | '&' | '"' | '{' | '}' | '%' | '\\' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    // The word `end` closes a block wherever it stands.
    let words = out.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
    words.map(|word| if is_end(word) { word.replacen(['e', 'E'], "#101;", 1) } else { word.to_string() }).collect()
}

/// Whether a word, with the sign after it, is `end`.
fn is_end(word: &str) -> bool {
    word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_').eq_ignore_ascii_case("end")
}
